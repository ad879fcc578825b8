//! What stands in an image, in words: one structure, and all of them.
//!
//! Every format describes its structures in these types, so that whoever shows or compares images
//! (a command, a page, a diff) needs to know none of the formats. Both work on unchecked bytes:
//! they never fail on what they find, only where there is nothing to find.
//!
//! * A [`Description`] is one structure with its fields, each with its bits, what stands there,
//!   what that means, and where it leads.
//! * An [`Outline`] is every structure from the root down, each listed once for each way to it.

use geometry::Transform;
use std::fmt;
use std::ops::Range;

/// Which structure of an image: a pointer in the format's own notation, and what it counts from.
///
/// Levels of a scene have bases of their own, so the same pointer may stand in each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeRef {
    /// The base.
    pub base: u64,
    /// The pointer.
    pub pointer: u64,
}

impl NodeRef {
    /// A pointer that counts from where the root does.
    #[must_use]
    pub fn from_root(image: &crate::Image, pointer: u64) -> Self {
        Self { base: image.bases.first().copied().unwrap_or(0), pointer }
    }
}

impl fmt::Display for NodeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.pointer)
    }
}

/// One structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Which.
    pub node: NodeRef,
    /// What it is, in one or two words: `box`, `instance`, `block`.
    pub kind: &'static str,
    /// Where it lies.
    pub address: u64,
    /// How many bytes it has.
    pub bytes: usize,
    /// Its fields, in the order of the format's table.
    pub fields: Vec<DescribedField>,
    /// What belongs to it and lies elsewhere: records that software keeps beside it.
    pub beside: Vec<Self>,
    /// The map from the space of the level into the frame that its boxes lie in, if it is oriented.
    pub frame: Option<Transform>,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedField {
    /// Its name, as in `children[3].min_x`.
    pub name: String,
    /// Its bits, from the structure's first byte on; bit `n` is bit `n % 8` of byte `n / 8`.
    pub bits: Range<u32>,
    /// What stands there.
    pub raw: u64,
    /// That in words; empty where nothing reads it.
    pub value: String,
    /// What the field is for.
    pub meaning: &'static str,
    /// What its number counts; empty for plain counts, names and flags.
    pub unit: &'static str,
    /// Where all that comes from: a public document or a decision.
    pub source: &'static str,
    /// The structure that it leads to.
    pub link: Option<NodeRef>,
}

/// The fields, of which those with a name lead to the structure that is found by what they hold.
#[must_use]
pub fn linked(
    mut fields: Vec<DescribedField>,
    name: &str,
    target: impl Fn(u64) -> Option<NodeRef>,
) -> Vec<DescribedField> {
    for field in fields.iter_mut().filter(|field| field.name == name) {
        field.link = target(field.raw);
    }
    fields
}

/// Why a structure cannot be described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DescribeError {
    /// The pointer leads out of memory.
    #[error("{node} leads to {address:#x}, where no memory is")]
    Outside {
        /// Which.
        node: NodeRef,
        /// Where it should be.
        address: u64,
    },
    /// The pointer cannot name anything.
    #[error("{0} names no structure of this image")]
    NoStructure(NodeRef),
}

/// Every structure from the root down, depth first and in slot order.
///
/// A pointer that leads outside memory, or back to a structure that was read before, is listed and
/// not followed; an outline therefore ends for any bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// The structures.
    pub entries: Vec<OutlineEntry>,
    /// Primitives, in the order in which the entries refer to them.
    pub primitives: Vec<PrimitiveRef>,
    /// Sums, in the order in which they are shown.
    pub totals: Vec<Total>,
}

/// One structure, as its parent refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// Structures above it, over all levels.
    pub depth: u32,
    /// The slot of the parent that refers to it; the last one if adjacent slots share the child.
    pub slot: u32,
    /// Which.
    pub node: NodeRef,
    /// What it is.
    pub kind: &'static str,
    /// Where it lies.
    pub address: u64,
    /// How many bytes it has.
    pub bytes: usize,
    /// What became of the pointer.
    pub state: EntryState,
    /// The primitives that it is the first to refer to, by number in [`Outline::primitives`].
    pub primitives: Range<usize>,
}

/// What became of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// The structure was read, and its children follow.
    Read,
    /// It had been read before.
    Again,
    /// Memory does not reach that far, or the pointer names nothing.
    Outside,
}

impl EntryState {
    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Again => "again",
            Self::Outside => "outside",
        }
    }
}

/// A primitive by the ids that the image keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrimitiveRef {
    /// Geometry.
    pub geometry: u32,
    /// Primitive.
    pub primitive: u32,
}

/// A sum over an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// A stable name in snake case.
    pub name: &'static str,
    /// What is counted, in words.
    pub label: &'static str,
    /// How many.
    pub count: u64,
}

impl Outline {
    /// The sum of a name; 0 if the format counts no such thing.
    #[must_use]
    pub fn total(&self, name: &str) -> u64 {
        self.totals.iter().find(|total| total.name == name).map_or(0, |total| total.count)
    }

    /// The numbers of an entry's children.
    pub fn children(&self, entry: usize) -> impl Iterator<Item = usize> {
        let depth = self.entries.get(entry).map_or(u32::MAX, |entry| entry.depth);
        let below = self.entries.iter().enumerate().skip(entry.saturating_add(1));
        below
            .take_while(move |(_, entry)| entry.depth > depth)
            .filter(move |(_, entry)| entry.depth == depth + 1)
            .map(|(number, _)| number)
    }
}
