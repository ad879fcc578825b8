//! A JSON value that knows its place in the file, so that errors can say so.

use crate::SCHEMA;
use serde_json::Value;

/// A file that is not a vector file of a known kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: found {found}, expected {expected}")]
pub struct VectorError {
    /// Where in the file, as in `layouts[3].V`.
    pub place: String,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

/// A JSON value that knows its place in the file.
#[derive(Debug, Clone)]
pub struct Json<'a> {
    value: &'a Value,
    place: String,
}

impl<'a> Json<'a> {
    /// The root of a vector file; proves the schema.
    ///
    /// # Errors
    /// When the schema is missing or another one.
    pub fn vector_file(value: &'a Value) -> Result<Self, VectorError> {
        let root = Self { value, place: String::new() };
        let schema = root.field("schema")?;
        if schema.text()? == SCHEMA { Ok(root) } else { Err(schema.wrong(&format!("{SCHEMA:?}"))) }
    }

    /// The value itself.
    #[must_use]
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// Where in the file, as in `layouts[3].V`.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// An error that says what this value should have been.
    #[must_use]
    pub fn wrong(&self, expected: &str) -> VectorError {
        let mut found = self.value.to_string();
        if let Some((cut, _)) = found.char_indices().nth(60) {
            found.truncate(cut);
            found.push('…');
        }
        let place = if self.place.is_empty() { "the file".to_owned() } else { self.place.clone() };
        VectorError { place, found, expected: expected.to_owned() }
    }

    /// A member that may be absent.
    ///
    /// # Errors
    /// When this is not an object.
    pub fn optional(&self, name: &str) -> Result<Option<Self>, VectorError> {
        let object = self.value.as_object().ok_or_else(|| self.wrong("an object"))?;
        Ok(object.get(name).map(|value| Self { value, place: self.member_place(name) }))
    }

    /// A member that may be absent or null: not tested.
    ///
    /// # Errors
    /// When this is not an object.
    pub fn tested(&self, name: &str) -> Result<Option<Self>, VectorError> {
        Ok(self.optional(name)?.filter(|member| !member.value.is_null()))
    }

    /// A member that must be there.
    ///
    /// # Errors
    /// When this is not an object or has no such member.
    pub fn field(&self, name: &str) -> Result<Self, VectorError> {
        self.optional(name)?.ok_or_else(|| self.wrong(&format!("a member `{name}`")))
    }

    /// The elements of an array.
    ///
    /// # Errors
    /// When this is not an array.
    pub fn elements(&self) -> Result<Vec<Self>, VectorError> {
        let array = self.value.as_array().ok_or_else(|| self.wrong("an array"))?;
        let place = |index| format!("{}[{index}]", self.place);
        Ok(array.iter().enumerate().map(|(i, value)| Self { value, place: place(i) }).collect())
    }

    /// The elements of an array of known length.
    ///
    /// # Errors
    /// When this is not an array or has another length.
    pub fn exactly<const N: usize>(&self) -> Result<[Self; N], VectorError> {
        let expected = format!("an array of {N} elements");
        self.elements()?.try_into().map_err(|_| self.wrong(&expected))
    }

    /// The members of an object, in order of their names.
    ///
    /// # Errors
    /// When this is not an object.
    pub fn members(&self) -> Result<Vec<(&'a str, Self)>, VectorError> {
        let object = self.value.as_object().ok_or_else(|| self.wrong("an object"))?;
        let member = |value, name| Self { value, place: self.member_place(name) };
        Ok(object.iter().map(|(name, value)| (name.as_str(), member(value, name))).collect())
    }

    /// A string.
    ///
    /// # Errors
    /// When this is something else.
    pub fn text(&self) -> Result<&'a str, VectorError> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// A truth value.
    ///
    /// # Errors
    /// When this is something else.
    pub fn boolean(&self) -> Result<bool, VectorError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// A whole number that fits into `T`.
    ///
    /// # Errors
    /// When this is something else.
    pub fn number<T: TryFrom<u64>>(&self) -> Result<T, VectorError> {
        let number = self.value.as_u64().and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.wrong("a whole number in range"))
    }

    /// A whole number that fits into `T`: a hex string with `0x`, a decimal string or a JSON
    /// integer; underscores may separate the digits of a string.
    ///
    /// # Errors
    /// When this is something else.
    pub fn integer<T: TryFrom<u64>>(&self) -> Result<T, VectorError> {
        let parse = |text: &str| {
            let text = text.trim().replace('_', "");
            let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let (digits, radix) = hex.map_or((text.as_str(), 10), |digits| (digits, 16));
            let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            u64::from_str_radix(digits, radix).ok().filter(|_| is_number)
        };
        let number = self.value.as_str().map_or_else(|| self.value.as_u64(), parse);
        let fits = number.and_then(|number| T::try_from(number).ok());
        fits.ok_or_else(|| self.wrong("a number in range, such as \"0x1F\""))
    }

    /// An array of so many whole numbers.
    ///
    /// # Errors
    /// When this is something else.
    pub fn integers<T: TryFrom<u64>, const N: usize>(&self) -> Result<[T; N], VectorError> {
        let elements = self.elements()?;
        let numbers = elements.iter().map(Self::integer).collect::<Result<Vec<T>, _>>()?;
        numbers.try_into().map_err(|_| self.wrong(&format!("an array of {N} numbers")))
    }

    /// A string of hex digits, without prefix, whose value fits into `T`.
    ///
    /// # Errors
    /// When this is something else.
    pub fn hex<T: TryFrom<u128>>(&self) -> Result<T, VectorError> {
        let text = self.text()?;
        let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| self.wrong("hex digits in range"))
    }

    /// A string of two hex digits for each byte.
    ///
    /// # Errors
    /// When this is something else.
    pub fn bytes(&self) -> Result<Vec<u8>, VectorError> {
        let nibble = |digit: u8| (digit as char).to_digit(16);
        let pairs = self.text()?.as_bytes().chunks(2);
        pairs
            .map(|pair| match pair {
                [high, low] => Some((nibble(*high)? << 4 | nibble(*low)?) as u8),
                _ => None,
            })
            .collect::<Option<Vec<u8>>>()
            .ok_or_else(|| self.wrong("an even number of hex digits"))
    }

    fn member_place(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_name_the_place() {
        let file = json!({"schema": SCHEMA, "cases": [{"x": "zz"}]});
        let root = Json::vector_file(&file).unwrap();
        let case = &root.field("cases").unwrap().elements().unwrap()[0];
        let error = case.field("x").unwrap().hex::<u32>().unwrap_err();
        assert_eq!(error.to_string(), "cases[0].x: found \"zz\", expected hex digits in range");
        let error = case.field("y").unwrap_err();
        assert_eq!(error.place, "cases[0]");
        assert!(Json::vector_file(&json!({"schema": "other/1"})).is_err());
        assert!(Json::vector_file(&json!([])).is_err());
    }

    #[test]
    fn numbers_and_bytes_are_strict() {
        let file = json!({"schema": SCHEMA, "b": "0aFF", "odd": "0aF", "sign": "+1", "big": 256});
        let root = Json::vector_file(&file).unwrap();
        assert_eq!(root.field("b").unwrap().bytes().unwrap(), [0x0a, 0xff]);
        assert!(root.field("odd").unwrap().bytes().is_err());
        assert!(root.field("sign").unwrap().hex::<u8>().is_err());
        assert!(root.field("big").unwrap().number::<u8>().is_err());
        assert!(root.field("b").unwrap().exactly::<2>().is_err());
    }

    #[test]
    fn integers_in_every_spelling() {
        let root = |value| json!({"schema": SCHEMA, "x": value});
        let read = |file: &Value| Json::vector_file(file)?.field("x")?.integer::<u32>();
        for spelling in [json!("0x1F"), json!("0X1f"), json!("31"), json!(31), json!("0x0000_001f")]
        {
            assert_eq!(read(&root(spelling)), Ok(31));
        }
        for wrong in [
            json!("1F"),
            json!(-1),
            json!(1.5),
            json!("0x1_0000_0000"),
            json!(null),
            json!("0x"),
            json!("0x+1"),
            json!("+1"),
        ] {
            assert!(read(&root(wrong.clone())).is_err(), "{wrong}");
        }
    }
}
