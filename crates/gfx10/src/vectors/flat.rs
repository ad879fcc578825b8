//! Members of a case, however deep, against values of the same paths.

use vectors::{Comparison, Json, VectorError};

/// Values by path, as in `boxes[1].min[2]`.
#[derive(Default)]
pub(super) struct Flat(Vec<(String, u64)>);

impl Flat {
    /// Adds a value.
    pub(super) fn add(&mut self, path: impl Into<String>, value: impl Into<u64>) {
        self.0.push((path.into(), value.into()));
    }

    /// Adds the values of a list.
    pub(super) fn list<T: Into<u64>>(&mut self, path: &str, values: impl IntoIterator<Item = T>) {
        for (k, value) in values.into_iter().enumerate() {
            self.add(format!("{path}[{k}]"), value);
        }
    }

    /// Compares every number below `json`, which must have a value here.
    pub(super) fn compare(
        &self,
        json: &Json<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        self.below(json, String::new(), comparison)
    }

    /// The same for a member of this path.
    pub(super) fn compare_at(
        &self,
        json: &Json<'_>,
        path: &str,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        self.below(json, path.to_owned(), comparison)
    }

    fn below(
        &self,
        json: &Json<'_>,
        path: String,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        if json.value().is_null() {
            return Ok(());
        }
        if json.value().is_array() {
            for (k, element) in json.elements()?.iter().enumerate() {
                self.below(element, format!("{path}[{k}]"), comparison)?;
            }
        } else if json.value().is_object() {
            for (name, member) in json.members()? {
                let dot = if path.is_empty() { "" } else { "." };
                self.below(&member, format!("{path}{dot}{name}"), comparison)?;
            }
        } else {
            let got = self.0.iter().find(|(known, _)| *known == path).map(|(_, value)| *value);
            comparison.check(&path, &Some(json.integer::<u64>()?), &got);
        }
        Ok(())
    }
}
