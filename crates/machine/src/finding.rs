//! Located diagnostics.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

/// Something that a check found in an image or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether the bytes are unsafe to walk, lossy, or only a known habit of their writer.
    pub severity: Severity,
    /// The rule that is broken, a stable name in snake case.
    pub rule: &'static str,
    /// Byte offset, from the start of the file or of the image's first segment.
    pub offset: u64,
    /// The bits at fault, counted from `offset`; bit `n` is bit `n % 8` of byte `offset + n / 8`.
    pub bits: Range<u32>,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
    /// The place in words: the chunk, the node, the field.
    pub place: String,
    /// How many findings it stands for: 1, or, where the list of a rule is cut short, all that are
    /// not listed.
    pub count: u32,
    /// How bad it is among findings of its severity, where that can be measured: the worst come
    /// first. 0 where it cannot.
    pub weight: u64,
}

impl Finding {
    /// What is said of an image without a proof that breaks no rule: one that holds no tree.
    #[must_use]
    pub fn unproved() -> Self {
        Self {
            severity: Severity::Error,
            rule: "proof",
            offset: 0,
            bits: 0..0,
            found: "no tree".to_owned(),
            expected: "an image that machines can walk".to_owned(),
            place: "image".to_owned(),
            count: 1,
            weight: 0,
        }
    }

    /// What a report is sorted by: errors first, of equals the heaviest, then by place.
    #[must_use]
    pub const fn report_order(&self) -> (Reverse<Severity>, Reverse<u64>, u64, u32) {
        (Reverse(self.severity), Reverse(self.weight), self.offset, self.bits.start)
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// A known habit of a writer, read around without loss. Never counted as a warning.
    Note,
    /// Safe to walk, but lossy or odd: geometry outside an ancestor's box, a parent that disagrees.
    Warning,
    /// Unsafe to walk: a pointer out of range, a cycle, a range that does not end.
    Error,
}

impl Severity {
    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { severity, rule, offset, bits, found, expected, place, count: _, weight: _ } =
            self;
        write!(
            f,
            "{}[{rule}] at byte {offset:#x}, bits {}..{}: {place}: found {found}, expected \
             {expected}",
            severity.name(),
            bits.start,
            bits.end
        )
    }
}
