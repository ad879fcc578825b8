//! Vector files: cases with known answers, run against the code.
//!
//! A file is JSON with `"schema": "siliray-vectors/1"` and a `kind`. The crate that owns a kind
//! runs it and answers with a [`VectorReport`]; a file that cannot be understood gives a
//! [`VectorError`] that names the place in the JSON. [`Json`] is the reader that keeps track of
//! that place.

use serde_json::Value;
use std::fmt;

/// The only schema that is understood.
pub const SCHEMA: &str = "siliray-vectors/1";

/// What came of running one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorReport {
    /// The kind of the file.
    pub kind: String,
    /// How many cases gave the expected answer.
    pub passed: usize,
    /// The cases that did not.
    pub failures: Vec<VectorFailure>,
}

/// A case with another answer than expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorFailure {
    /// The section and the name or number of the case.
    pub name: String,
    /// The answer in the file.
    pub expected: String,
    /// The answer of the code.
    pub got: String,
}

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

impl VectorReport {
    /// A report without cases.
    #[must_use]
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), passed: 0, failures: Vec::new() }
    }

    /// Counts one case as passed or failed.
    pub fn compare<T: PartialEq + fmt::Debug>(
        &mut self,
        name: impl Into<String>,
        expected: &T,
        got: &T,
    ) {
        if expected == got {
            self.passed += 1;
        } else {
            self.failures.push(VectorFailure {
                name: name.into(),
                expected: format!("{expected:x?}"),
                got: format!("{got:x?}"),
            });
        }
    }
}

/// One case under way: collects what differs.
#[derive(Debug, Clone)]
pub struct Comparison {
    name: String,
    expected: Vec<String>,
    got: Vec<String>,
}

impl Comparison {
    /// A case in which nothing differs so far.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self { name, expected: Vec::new(), got: Vec::new() }
    }

    /// Compares one part of the answer.
    pub fn check<T: PartialEq + fmt::Debug>(&mut self, what: &str, expected: &T, got: &T) {
        if expected != got {
            self.expected.push(format!("{what} {expected:x?}"));
            self.got.push(format!("{what} {got:x?}"));
        }
    }

    /// Counts the case.
    pub fn finish(self, report: &mut VectorReport) {
        let Self { name, expected, got } = self;
        if expected.is_empty() {
            report.passed += 1;
        } else {
            let (expected, got) = (expected.join("; "), got.join("; "));
            report.failures.push(VectorFailure { name, expected, got });
        }
    }
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
    fn a_report_counts_cases() {
        let mut report = VectorReport::new("x");
        report.compare("good", &1, &1);
        report.compare("bad", &255, &16);
        assert_eq!((report.passed, report.failures[0].expected.as_str()), (1, "ff"));
    }
}
