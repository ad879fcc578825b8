//! Requests and responses as bytes.
//!
//! ```text
//! request   u32 length of the JSON, the JSON, a payload up to the end
//! response  u32 length of the JSON, u32 length of the payload, the payload, the JSON
//! ```
//!
//! A payload is a row of arrays, each from a multiple of 8 on. The member `arrays` of the JSON
//! names them, with their type, place and length; places count from the start of the response. It
//! stands behind the arrays, so that these are written once: large ones have no room for a copy.

use serde_json::{Map, Value, json};
use zerocopy::{Immutable, IntoBytes};

/// The payload begins behind so many bytes, and every array at a multiple of as many.
const ALIGNMENT: usize = 8;

/// What is asked.
#[derive(Debug)]
pub struct Request<'a> {
    /// The question.
    pub question: Value,
    /// Bytes that belong to it: a file.
    pub payload: &'a [u8],
}

/// The bytes are no request.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// The length of the JSON is not there, or leads beyond the end.
    #[error("a request of {0} bytes ends before its JSON does")]
    Short(usize),
    /// The JSON cannot be read.
    #[error("the request is not JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl<'a> Request<'a> {
    /// Takes a request apart.
    ///
    /// # Errors
    /// When it is too short, or not JSON.
    pub fn read(bytes: &'a [u8]) -> Result<Self, MessageError> {
        let short = || MessageError::Short(bytes.len());
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (text, payload) = rest.split_at_checked(length).ok_or_else(short)?;
        Ok(Self { question: serde_json::from_slice(text)?, payload })
    }

    /// The bytes of a request.
    #[must_use]
    pub fn write(question: &Value, payload: &[u8]) -> Vec<u8> {
        let text = question.to_string();
        let length = (text.len() as u32).to_le_bytes();
        [&length, text.as_bytes(), payload].concat()
    }
}

/// What is answered: an object, and arrays beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The object.
    pub answer: Value,
    arrays: Map<String, Value>,
    /// The response as far as it is written.
    bytes: Vec<u8>,
}

/// A number that arrays hold.
pub trait Element: IntoBytes + Immutable {
    /// Its type, as a page names it.
    const NAME: &'static str;
}

macro_rules! elements {
    ($($type:ident)*) => {
        $(impl Element for $type {
            const NAME: &'static str = stringify!($type);
        })*
    };
}
elements!(u8 u16 u32 u64 f32 f64);

impl Response {
    /// An answer without arrays.
    #[must_use]
    pub fn new(answer: Value) -> Self {
        Self { answer, arrays: Map::new(), bytes: vec![0; ALIGNMENT] }
    }

    /// Adds an array.
    #[must_use]
    pub fn with<T: Element>(mut self, name: &str, values: &[T]) -> Self {
        self.begin::<T>(name, values.len());
        self.bytes.extend_from_slice(values.as_bytes());
        self
    }

    /// Adds an array of `length` rows, one after the other.
    #[must_use]
    pub fn with_rows<T: Element, const N: usize>(
        mut self,
        name: &str,
        length: usize,
        rows: impl Iterator<Item = [T; N]>,
    ) -> Self {
        self.begin::<T>(name, N * length);
        rows.take(length).for_each(|row| self.bytes.extend_from_slice(row.as_bytes()));
        self
    }

    /// Names an array of so many numbers, which come next.
    fn begin<T: Element>(&mut self, name: &str, length: usize) {
        let at = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.reserve_exact(at - self.bytes.len() + length * size_of::<T>());
        self.bytes.resize(at, 0);
        let place = json!({"type": T::NAME, "at": at, "length": length});
        self.arrays.insert(name.to_owned(), place);
    }

    /// The bytes of an array, for whoever reads a response in this language.
    #[must_use]
    pub fn array(&self, name: &str) -> Option<(&str, &[u8])> {
        let place = self.arrays.get(name)?;
        let size = match place["type"].as_str()? {
            "u8" => 1,
            "u16" => 2,
            "u32" | "f32" => 4,
            _ => 8,
        };
        let at = usize::try_from(place["at"].as_u64()?).ok()?;
        let length = usize::try_from(place["length"].as_u64()?).ok()?;
        Some((place["type"].as_str()?, self.bytes.get(at..at + size * length)?))
    }

    /// The bytes of a response, or of the reason why there is none.
    #[must_use]
    pub fn write(response: Result<Self, Value>) -> Vec<u8> {
        let (object, mut bytes) = match response {
            Ok(Self { answer, arrays, bytes }) => (json!({"ok": answer, "arrays": arrays}), bytes),
            Err(error) => (json!({"error": error}), vec![0; ALIGNMENT]),
        };
        let text = object.to_string();
        let payload = bytes.len() - ALIGNMENT;
        bytes[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        bytes[4..ALIGNMENT].copy_from_slice(&(payload as u32).to_le_bytes());
        bytes.reserve_exact(text.len());
        bytes.extend(text.as_bytes());
        bytes
    }
}
