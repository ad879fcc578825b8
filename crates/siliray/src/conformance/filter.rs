//! Which cells of the table: values of one column are alternatives, and every column that is named
//! must have one of its values.

use std::fmt;

/// A column of the table and a value that it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    column: Column,
    value: String,
}

/// The columns that can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Format,
    Machine,
    Query,
    TriangleRule,
    Scene,
    Preset,
}

/// A filter that names no column, or a value that no cell has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// Not `column=value` with a known column.
    #[error(
        "{0:?} is not COLUMN=VALUE; columns are format, machine, query, rule, scene and preset"
    )]
    Column(String),
    /// The column has no such value.
    #[error("{column} has no value {value:?}; its values are {}", valid.join(", "))]
    Value {
        /// Name of the column.
        column: &'static str,
        /// What was asked for.
        value: String,
        /// What there is.
        valid: Vec<&'static str>,
    },
    /// Every value exists, but no cell has one of each column.
    #[error("no cell of the table has {0}")]
    NoCell(String),
}

impl Column {
    const ALL: [Self; 6] =
        [Self::Format, Self::Machine, Self::Query, Self::TriangleRule, Self::Scene, Self::Preset];

    const fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Machine => "machine",
            Self::Query => "query",
            Self::TriangleRule => "rule",
            Self::Scene => "scene",
            Self::Preset => "preset",
        }
    }
}

impl std::str::FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let unknown = || FilterError::Column(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(unknown)?;
        // The name in JSON.
        let name = if name == "triangle_rule" { "rule" } else { name };
        let column = Column::ALL.into_iter().find(|column| column.name() == name);
        Ok(Self { column: column.ok_or_else(unknown)?, value: value.to_owned() })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.column.name(), self.value)
    }
}

/// Whether every filter names a value that its column has.
pub(super) fn check(
    only: &[Filter],
    values: impl Fn(Column) -> Vec<&'static str>,
) -> Result<(), FilterError> {
    for Filter { column, value } in only {
        let mut valid: Vec<&'static str> = Vec::new();
        for name in values(*column) {
            if !valid.contains(&name) {
                valid.push(name);
            }
        }
        if !valid.contains(&value.as_str()) {
            return Err(FilterError::Value { column: column.name(), value: value.clone(), valid });
        }
    }
    Ok(())
}

/// Whether a cell with these values is asked for.
pub(super) fn passes(only: &[Filter], value: impl Fn(Column) -> &'static str) -> bool {
    Column::ALL.into_iter().all(|column| {
        let mut of_column = only.iter().filter(|filter| filter.column == column).peekable();
        of_column.peek().is_none() || of_column.any(|filter| filter.value == value(column))
    })
}

/// The filters as they are typed.
pub(super) fn in_words(only: &[Filter]) -> String {
    only.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
