//! What the facade says, as the text of a JSON document; the package reads it.

use crate::errors;
use pyo3::PyResult;
use serde::Serialize;

/// The document as text.
pub(crate) fn text(document: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(document).map_err(errors::machine)
}
