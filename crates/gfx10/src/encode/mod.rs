//! Tree → image.
//!
//! | file | concept |
//! |---|---|
//! | `place` | which unit a node gets |
//! | `write` | nodes and parent tables as bytes |
//! | `leaves` | leaf and instance nodes of each policy |
//! | `headers` | what drivers put around the nodes |
//!
//! | policy | layout | leaves | boxes |
//! |---|---|---|---|
//! | `own` | parent table, boxes breadth first, leaves | pairs | widened by a margin |
//! | `radv` | RADV's header, table, root, leaves, boxes | singles | as given, fp16 if small |
//! | `gpurt` | metadata with the table, header, boxes, leaves, lists | pairs | as given |

mod headers;
mod leaves;
mod place;
mod write;

use crate::{GFX10_NAME, GFX11_NAME, Generation, Writer};
use bvh4::EncodeError;
use bvh4::dump::memory::ALIGNMENT as MEMORY_ALIGNMENT;
use bvh4::encode::draft::{Draft, Leaf, LooseLeaf, NewLeaf};
use bvh4::encode::leaves::{kept_leaves, paired_leaves, single_leaves};
use bvh4::encode::levels::{self, BlasFacts, Layout, Terms};
use bvh4::encode::places::NodeBytes;
use machine::Image;
use tree::{Blas, Instance, Primitives, Tlas, Tree};
use write::Structure;

/// Segments lie at multiples of this.
const SEGMENT_ALIGNMENT: u64 = 4096;
/// Where the first segment lies.
const FIRST_ADDRESS: u64 = 0x1_0000;
/// Ids have 24 bits.
pub const ID_LIMIT: u32 = 1 << 24;
/// Most bytes of nodes in a structure.
pub const NODE_AREA_LIMIT: u64 = 1 << 32;

/// Whose layout it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// siliray's.
    #[default]
    Own,
    /// RADV's.
    Radv,
    /// GPURT's.
    Gpurt,
}

/// The knobs of the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whose layout it is.
    pub policy: Policy,
    /// Whether boxes whose planes fit halves well become fp16 boxes.
    pub half: bool,
    /// Whether boxes are widened so that the unit's own box test loses no hit (G-36).
    pub margin: bool,
    /// Whether leaves and nodes stay as they are wherever the format can hold them.
    pub keep_leaves: bool,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Own, Self::Radv, Self::Gpurt];

    /// The name in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.writer().name()
    }

    /// The policy of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// Whose images it makes.
    #[must_use]
    pub const fn writer(self) -> Writer {
        match self {
            Self::Own => Writer::Own,
            Self::Radv => Writer::Radv,
            Self::Gpurt => Writer::Gpurt,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Policy::Own)
    }
}

impl Options {
    /// The options for a tree that was built: siliray's own policy has a margin, RADV's fp16 boxes.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        let (is_own, is_radv) = (matches!(policy, Policy::Own), matches!(policy, Policy::Radv));
        Self { policy, half: is_radv, margin: is_own, keep_leaves: false }
    }

    /// The options for a tree that was decoded from an image: its boxes are as wide as they should
    /// be, and its triangles are paired.
    #[must_use]
    pub const fn decoded(policy: Policy, half: bool) -> Self {
        Self { policy, half, margin: false, keep_leaves: true }
    }
}

/// Lays a tree out. The same tree gives the same bytes.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode(
    tree: &Tree,
    generation: Generation,
    options: &Options,
) -> Result<Image, EncodeError> {
    let layout = Target { generation, options };
    let (segments, base) = levels::encode(&layout, tree)?;
    let root = u64::from(place::root(options.policy).0);
    let bases = vec![base, base, options.policy.writer().code()];
    let format = if generation == Generation::Gfx11 { GFX11_NAME } else { GFX10_NAME };
    Ok(Image { format, segments, bases, root })
}

/// The layout of a generation.
struct Target<'a> {
    generation: Generation,
    options: &'a Options,
}

impl Layout for Target<'_> {
    type Level = Structure;

    fn terms(&self) -> Terms {
        // RADV's memory is a file of its own, in which addresses are offsets.
        let (first_address, alignment) = match self.options.policy {
            Policy::Radv => (0, MEMORY_ALIGNMENT),
            Policy::Own | Policy::Gpurt => (FIRST_ADDRESS, SEGMENT_ALIGNMENT),
        };
        let Options { margin, keep_leaves, .. } = *self.options;
        Terms { first_address, alignment, geometry_limit: ID_LIMIT, margin, keep_leaves }
    }

    fn leaves(&self, loose: &[LooseLeaf<'_>], primitives: &Primitives) -> Vec<NewLeaf> {
        let are_single = loose.iter().all(|leaf| leaf.items.len() == 1);
        match (self.options.policy, self.options.keep_leaves) {
            (Policy::Radv, true) if are_single => kept_leaves(loose, primitives),
            (Policy::Radv, _) => single_leaves(loose, primitives),
            (_, true) => kept_leaves(loose, primitives),
            (_, false) => paired_leaves(loose, primitives),
        }
    }

    fn blas(
        &self,
        number: usize,
        blas: &Blas,
        draft: Draft,
        margin: f32,
    ) -> Result<Structure, EncodeError> {
        leaves::blas(number, blas, draft, margin, self.generation, self.options)
    }

    fn tlas(
        &self,
        tlas: &Tlas,
        blases: &[BlasFacts],
        draft: Draft,
        margin: f32,
    ) -> Result<Structure, EncodeError> {
        leaves::tlas(tlas, blases, draft, margin, self.generation, self.options)
    }

    fn leaf_bytes(&self, leaf: &Leaf, primitives: &Primitives) -> NodeBytes {
        leaves::leaf_bytes(leaf, primitives, self.generation, self.options.policy)
    }

    fn instance_bytes(&self, number: u32, instance: &Instance, below: &BlasFacts) -> NodeBytes {
        leaves::instance_bytes(number, instance, below, self.generation, self.options.policy)
    }
}
