//! Members of the objects that questions are, read by hand: what `serde` derives for so many kinds
//! of objects is a tenth of the module.

use crate::PageError;
use serde_json::Value;

/// The members of an object.
pub(crate) struct Members<'a>(pub(crate) &'a Value);

/// What a member may be.
pub(crate) trait Member: Sized {
    /// In words.
    const EXPECTED: &str;

    fn read(value: &Value) -> Option<Self>;
}

/// How types are read, and what is expected of them in words.
macro_rules! members {
    ($($type:ty: $expected:literal = $read:expr;)+) => {
        $(impl Member for $type {
            const EXPECTED: &str = $expected;

            fn read(value: &Value) -> Option<Self> {
                let read: fn(&Value) -> Option<Self> = $read;
                read(value)
            }
        })+
    };
}

members! {
    bool: "true or false" = Value::as_bool;
    u8: "a number below 256" = |value| value.as_u64()?.try_into().ok();
    u32: "a number below 2^32" = |value| value.as_u64()?.try_into().ok();
    u64: "a whole number" = Value::as_u64;
    usize: "a whole number" = |value| value.as_u64()?.try_into().ok();
    f32: "a number" = |value| value.as_f64().map(|number| number as f32);
    String: "a text" = |value| value.as_str().map(str::to_owned);
    Vec<String>: "texts" = |value| value.as_array()?.iter().map(String::read).collect();
    Vec<(String, String)>: "texts by name" = |value| {
        let texts = value.as_object()?.iter();
        texts.map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
    };
}

impl<T: Member, const N: usize> Member for [T; N] {
    const EXPECTED: &str = "a list";

    fn read(value: &Value) -> Option<Self> {
        let all: Option<Vec<T>> = value.as_array()?.iter().map(T::read).collect();
        all?.try_into().ok()
    }
}

impl Members<'_> {
    /// What may be there.
    pub(crate) fn find<T: Member>(&self, name: &str) -> Result<Option<T>, PageError> {
        let value = &self.0[name];
        if value.is_null() {
            return Ok(None);
        }
        let wrong = || PageError::Question(format!("`{name}` is {value}, not {}", T::EXPECTED));
        T::read(value).map(Some).ok_or_else(wrong)
    }

    /// What must be there.
    pub(crate) fn get<T: Member>(&self, name: &str) -> Result<T, PageError> {
        let missing = || PageError::Question(format!("`{name}` is missing"));
        self.find(name)?.ok_or_else(missing)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        !self.0[name].is_null()
    }

    pub(crate) fn is_set(&self, name: &str) -> Result<bool, PageError> {
        Ok(self.find(name)?.unwrap_or(false))
    }

    pub(crate) fn inside(&self, name: &str) -> Members<'_> {
        Members(&self.0[name])
    }
}

pub(crate) use members;
