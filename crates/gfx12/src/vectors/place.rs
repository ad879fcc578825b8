//! A value in a JSON document that knows where it stands, so that errors can say so.

use serde_json::Value;

/// Why a vector file cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// A value is missing or is not what its place asks for.
    #[error("at {place}: expected {expected}, found {found}")]
    Malformed {
        /// JSON pointer.
        place: String,
        /// What belongs there.
        expected: String,
        /// What stands there, shortened.
        found: String,
    },
    /// A file that the vectors name cannot be read.
    #[error("at {place}: cannot read {file:?}: {error}")]
    Attachment {
        /// JSON pointer of the name.
        place: String,
        /// The name.
        file: String,
        /// What the system said.
        error: std::io::Error,
    },
}

/// A value and the way to it.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Place<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// The value itself.
    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// JSON pointer; `/` for the whole document.
    pub(super) fn path(&self) -> String {
        if self.path.is_empty() { "/".to_owned() } else { self.path.clone() }
    }

    /// The error that something else was expected here.
    pub(super) fn unexpected(&self, expected: impl Into<String>) -> VectorError {
        let mut found = self.value.to_string();
        if let Some((cut, _)) = found.char_indices().nth(60) {
            found.truncate(cut);
            found.push('…');
        }
        VectorError::Malformed { place: self.path(), expected: expected.into(), found }
    }

    /// A member that must be there and not be null.
    pub(super) fn field(&self, name: &str) -> Result<Self, VectorError> {
        self.optional(name)?.ok_or_else(|| self.unexpected(format!("an object with {name:?}")))
    }

    /// A member that may be missing or null: not tested.
    pub(super) fn optional(&self, name: &str) -> Result<Option<Self>, VectorError> {
        let object = self.value.as_object().ok_or_else(|| self.unexpected("an object"))?;
        Ok(object
            .get(name)
            .filter(|value| !value.is_null())
            .map(|value| Self { value, path: format!("{}/{name}", self.path) }))
    }

    /// The elements of an array.
    pub(super) fn elements(&self) -> Result<Vec<Self>, VectorError> {
        let array = self.value.as_array().ok_or_else(|| self.unexpected("an array"))?;
        let element = |(k, value)| Self { value, path: format!("{}/{k}", self.path) };
        Ok(array.iter().enumerate().map(element).collect())
    }

    /// The elements of an array of known length.
    pub(super) fn exactly<const N: usize>(&self) -> Result<[Self; N], VectorError> {
        let elements = self.elements()?;
        <[Self; N]>::try_from(elements)
            .map_err(|_| self.unexpected(format!("an array of {N} elements")))
    }

    /// A number up to `max`: a hex or decimal string, or an integer.
    pub(super) fn number(&self, max: u64) -> Result<u64, VectorError> {
        let parsed = match self.value {
            Value::String(text) => parse(text),
            Value::Number(number) => number.as_u64(),
            _ => None,
        };
        parsed
            .filter(|&number| number <= max)
            .ok_or_else(|| self.unexpected(format!("a number up to {max:#x} such as \"0x10\"")))
    }

    /// A 32-bit word.
    pub(super) fn word(&self) -> Result<u32, VectorError> {
        self.number(u64::from(u32::MAX)).map(|number| number as u32)
    }

    /// An `f32` by its bit pattern.
    pub(super) fn float(&self) -> Result<f32, VectorError> {
        self.word().map(f32::from_bits)
    }

    /// Words of an array of known length.
    pub(super) fn words<const N: usize>(&self) -> Result<[u32; N], VectorError> {
        let mut words = [0; N];
        for (word, place) in words.iter_mut().zip(self.exactly::<N>()?) {
            *word = place.word()?;
        }
        Ok(words)
    }

    /// A string.
    pub(super) fn text(&self) -> Result<&'a str, VectorError> {
        self.value.as_str().ok_or_else(|| self.unexpected("a string"))
    }
}

/// `0x1F`, `0X1f`, `31`; underscores may separate digits.
fn parse(text: &str) -> Option<u64> {
    let digits = text.trim().replace('_', "");
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_in_every_spelling() {
        for spelling in [json!("0x1F"), json!("0X1f"), json!("31"), json!(31), json!("0x0000_001f")]
        {
            assert_eq!(Place::root(&spelling).word().unwrap(), 31);
        }
        for wrong in
            [json!("1F"), json!(-1), json!(1.5), json!("0x1_0000_0000"), json!(null), json!("0x")]
        {
            assert!(Place::root(&wrong).word().is_err(), "{wrong}");
        }
    }

    #[test]
    fn errors_name_the_place() {
        let file = json!({"cases": [{"ray": {"origin": ["0x0", "zero"]}}]});
        let root = Place::root(&file);
        let case = root.field("cases").unwrap().elements().unwrap().remove(0);
        let origin = case.field("ray").unwrap().field("origin").unwrap();
        let error = origin.words::<2>().unwrap_err().to_string();
        assert!(error.starts_with("at /cases/0/ray/origin/1: expected a number"), "{error}");
        let error = origin.words::<3>().unwrap_err().to_string();
        assert!(error.contains("an array of 3 elements"), "{error}");
        let error = case.field("node").unwrap_err().to_string();
        assert!(error.starts_with("at /cases/0: expected an object with \"node\""), "{error}");
    }
}
