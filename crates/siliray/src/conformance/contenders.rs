//! The formats and machines that are tried.

use geometry::TriangleRule;
use gfx12::Gfx12;
use machine::{CheckedImage, Format, Machine, Reference, TreeFormat};
use std::fmt;
use tree::Tree;

/// A machine on a format.
pub(super) struct Contender {
    pub(super) format: &'static dyn Format,
    /// The machine's name.
    pub(super) machine: &'static str,
    /// Makes the machine over a proved image and the tree that was decoded from it.
    pub(super) make: for<'a> fn(&'a CheckedImage, &'a Tree, TriangleRule) -> Box<dyn Machine + 'a>,
}

/// All of them, in the order of the table; machines on one format stand together.
pub(super) static CONTENDERS: &[Contender] = &[
    Contender {
        format: &TreeFormat,
        machine: "reference",
        make: |_, tree, rule| Box::new(Reference::new(tree, rule)),
    },
    Contender {
        format: &Gfx12,
        machine: "reference",
        make: |_, tree, rule| Box::new(Reference::new(tree, rule)),
    },
];

impl Contender {
    pub(super) fn same_format(&self, other: &Self) -> bool {
        self.format.name() == other.format.name()
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.machine, self.format.name())
    }
}
