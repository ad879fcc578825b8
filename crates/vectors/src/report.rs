//! What came of a file, and of one case of it.

use std::fmt;

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

/// One case under way: collects what differs.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    compared: usize,
    /// The part of the answer under way, with a separator behind it.
    part: String,
    expected: Vec<String>,
    got: Vec<String>,
}

impl Comparison {
    /// Compares one part of the answer. Numbers are shown in hex.
    pub fn check<T: PartialEq + fmt::Debug>(&mut self, what: &str, expected: &T, got: &T) {
        self.compared += 1;
        if expected != got {
            self.expected.push(format!("{}{what} {expected:x?}", self.part));
            self.got.push(format!("{}{what} {got:x?}", self.part));
        }
    }

    /// Compares what belongs to a part of the answer, which failures then name.
    pub fn within<R>(&mut self, part: &str, compare: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.part.len();
        self.part += part;
        self.part += ", ";
        let result = compare(self);
        self.part.truncate(outer);
        result
    }

    /// Counts the case; one in which nothing was compared has not passed and not failed.
    pub(crate) fn finish(self, name: String, report: &mut VectorReport) {
        let Self { compared, expected, got, .. } = self;
        if !expected.is_empty() {
            let (expected, got) = (expected.join("; "), got.join("; "));
            report.failures.push(VectorFailure { name, expected, got });
        } else if compared > 0 {
            report.passed += 1;
        }
    }
}
