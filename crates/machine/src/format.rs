//! The trait of memory formats.

use crate::{CheckedImage, Finding, Image, Severity};
use tree::Tree;

/// What a format can express. A cell of the conformance table that a format cannot have says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// TLASes with instances.
    pub instances: bool,
    /// Instance masks.
    pub masks: bool,
    /// Opaque and instance flags.
    pub flags: bool,
    /// Procedural boxes.
    pub procedural: bool,
    /// Geometry and primitive ids in the image itself; otherwise a side table keeps them.
    pub ids: bool,
}

/// Why a tree cannot be laid out in some format: that format's own error.
pub type EncodeError = Box<dyn std::error::Error + Send + Sync>;

/// A way to lay a tree out in memory.
pub trait Format: Sync {
    /// The name used in options and reports.
    fn name(&self) -> &'static str;

    /// What the format can express.
    fn capabilities(&self) -> Capabilities;

    /// Lays `tree` out. The same tree gives the same bytes.
    ///
    /// # Errors
    /// When the tree holds something that the format cannot express.
    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError>;

    /// Proves an untrusted image, or says what is wrong with it.
    fn check(&self, image: Image) -> CheckReport;

    /// Reads a proved image back: the hierarchy with the boxes as decoded, and the geometry as stored.
    fn decode(&self, image: &CheckedImage) -> Tree;
}

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckReport {
    /// The proved image, unless an error was found.
    pub checked: Option<CheckedImage>,
    /// Everything that was found, errors and warnings, by offset.
    pub findings: Vec<Finding>,
    /// How many nodes were looked at.
    pub nodes: usize,
}

impl CheckReport {
    /// Whether nothing unsafe was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}
