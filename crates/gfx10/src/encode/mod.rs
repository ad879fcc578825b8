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
use bvh4::encode::draft::Leaf;
use bvh4::encode::leaves::referred_bounds;
use bvh4::encode::margin::{Margin, blas_margins};
use bvh4::layout::base_pointer::ADDRESS_MASK;
use leaves::BlasFacts;
use machine::{Image, Segment};
use rayon::prelude::*;
use tree::Tree;
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
    if tree.tlas.is_none() && tree.blases.len() != 1 {
        return Err(EncodeError::BlasCount { blases: tree.blases.len() });
    }
    let structures = blas_structures(tree, generation, options)?;
    let mut facts: Vec<BlasFacts> = structures
        .iter()
        .zip(&tree.blases)
        .map(|(structure, blas)| BlasFacts {
            bounds: referred_bounds(blas),
            cull_flags: structure.all_contents().cull_flags,
            base: 0,
            base_offset: structure.base_offset(),
        })
        .collect();
    let tlas = match &tree.tlas {
        Some(given) => Some((given, leaves::tlas(given, &facts, generation, options)?)),
        None => None,
    };

    // RADV's memory is a file of its own, in which addresses are offsets.
    let (first_address, alignment) = match options.policy {
        Policy::Radv => (0, MEMORY_ALIGNMENT),
        Policy::Own | Policy::Gpurt => (FIRST_ADDRESS, SEGMENT_ALIGNMENT),
    };
    let mut next = first_address;
    let mut places = Vec::with_capacity(structures.len() + 1);
    for structure in tlas.iter().map(|(_, structure)| structure).chain(&structures) {
        let (address, bytes) = (next, structure.byte_count());
        next = (address + bytes).next_multiple_of(alignment);
        if next > ADDRESS_MASK + 1 {
            return Err(EncodeError::Addresses { end: next, limit: ADDRESS_MASK + 1 });
        }
        places.push((address, bytes));
    }
    let top = usize::from(tlas.is_some());
    for (facts, (address, _)) in facts.iter_mut().zip(&places[top..]) {
        facts.base = address + facts.base_offset;
    }
    let blank = |&(address, bytes): &(u64, u64)| Segment::zeroed(address, bytes as usize);
    let mut segments: Vec<Segment> = places.iter().map(blank).collect();
    let (tlas_segments, blas_segments) = segments.split_at_mut(top);
    if let (Some((given, structure)), [segment]) = (&tlas, tlas_segments) {
        let node = |leaf: &Leaf| {
            let number = leaf.first_item();
            let instance = &given.instances[number as usize];
            let below = &facts[instance.blas as usize];
            leaves::instance_bits(number, instance, below, generation, options.policy)
        };
        structure.write(node, segment.address, segment.bytes_mut());
    }
    let blases = blas_segments.par_iter_mut().zip(&structures).zip(&tree.blases);
    blases.for_each(|((segment, structure), blas)| {
        let node =
            |leaf: &Leaf| leaves::leaf_bits(leaf, &blas.primitives, generation, options.policy);
        structure.write(node, segment.address, segment.bytes_mut());
    });

    let first = tlas.as_ref().map(|(_, structure)| structure).or(structures.first());
    let base = first_address + first.map_or(0, Structure::base_offset);
    let root = u64::from(place::root(options.policy).0);
    let bases = vec![base, base, options.policy.writer().code()];
    let format = if generation == Generation::Gfx11 { GFX11_NAME } else { GFX10_NAME };
    Ok(Image { format, segments, bases, root })
}

fn blas_structures(
    tree: &Tree,
    generation: Generation,
    options: &Options,
) -> Result<Vec<Structure>, EncodeError> {
    let margins = if options.margin {
        blas_margins(tree)
    } else {
        vec![Margin::default(); tree.blases.len()]
    };
    let results: Vec<Result<Structure, EncodeError>> = tree
        .blases
        .par_iter()
        .zip(margins)
        .enumerate()
        .map(|(level, (blas, margin))| leaves::blas(level, blas, margin.plain, generation, options))
        .collect();
    results.into_iter().collect()
}
