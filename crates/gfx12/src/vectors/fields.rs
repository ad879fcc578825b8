//! Comparing the fields of one case: only those that differ are kept, so that a failure shows no more.

use super::hex;
use super::place::{Place, VectorError};
use serde_json::{Map, Value};

/// The fields of one case that differ from what the file says.
#[derive(Default)]
pub(super) struct Fields {
    expected: Map<String, Value>,
    got: Map<String, Value>,
}

impl Fields {
    pub(super) fn put(&mut self, name: &str, expected: Value, got: Value) {
        if expected != got {
            self.expected.insert(name.to_owned(), expected);
            self.got.insert(name.to_owned(), got);
        }
    }

    /// A number member, if the file has it.
    pub(super) fn number(
        &mut self,
        name: &str,
        place: &Place<'_>,
        got: u32,
    ) -> Result<(), VectorError> {
        if let Some(number) = place.optional(name)? {
            self.put(name, hex(number.word()?), hex(got));
        }
        Ok(())
    }

    /// A member that is a list of numbers, if the file has it.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        name: &str,
        place: &Place<'_>,
        got: [u32; N],
    ) -> Result<(), VectorError> {
        match place.optional(name)? {
            Some(list) => self.list(name, &list.exactly::<N>()?, |k| got.get(k).copied()),
            None => Ok(()),
        }
    }

    /// Words of a list against those of the node; `null` is not tested.
    pub(super) fn list(
        &mut self,
        name: &str,
        places: &[Place<'_>],
        got: impl Fn(usize) -> Option<u32>,
    ) -> Result<(), VectorError> {
        let (mut wanted, mut found) = (Vec::new(), Vec::new());
        for (k, place) in places.iter().enumerate() {
            if place.value().is_null() {
                continue;
            }
            wanted.push(hex(place.word()?));
            found.push(got(k).map_or(Value::Null, hex));
        }
        self.put(name, Value::Array(wanted), Value::Array(found));
        Ok(())
    }

    /// A list that must also have the right length.
    pub(super) fn whole_list(
        &mut self,
        name: &str,
        places: &[Place<'_>],
        got: &[u32],
    ) -> Result<(), VectorError> {
        if places.len() == got.len() {
            return self.list(name, places, |k| got.get(k).copied());
        }
        let expected =
            places.iter().map(|place| place.word().map(hex)).collect::<Result<_, _>>()?;
        self.put(name, Value::Array(expected), got.iter().map(|&word| hex(word)).collect());
        Ok(())
    }

    pub(super) fn nested(&mut self, name: String, inner: Self) {
        let (expected, got) = inner.finish();
        self.put(&name, expected, got);
    }

    pub(super) fn finish(self) -> (Value, Value) {
        (Value::Object(self.expected), Value::Object(self.got))
    }
}
