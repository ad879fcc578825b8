//! Names that reports show, with what they mean: written once, shown wherever the name is.

use serde::Serialize;

/// A name with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The name.
    pub name: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

impl Explained {
    /// The entry of that name in a table.
    #[must_use]
    pub fn find(table: &[Self], name: &str) -> Option<Self> {
        table.iter().find(|entry| entry.name == name).copied()
    }
}
