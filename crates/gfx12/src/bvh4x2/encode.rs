//! Tree → image.

use super::blas::{self, referred_bounds};
use super::tlas::{self, BlasFacts};
use super::write::Structure;
use super::{EncodeError, NAME};
use crate::layout::base_pointer::ADDRESS_MASK;
use bvh4::encode::draft::Leaf;
use bvh4::encode::margin::{Margin, blas_margins};
use machine::{Image, Segment};
use rayon::prelude::*;
use tree::Tree;

/// Segments lie at multiples of this.
const SEGMENT_ALIGNMENT: u64 = 4096;
/// Where the first segment lies.
const FIRST_ADDRESS: u64 = 0x1_0000;

/// How the planes of boxes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoxPrecision {
    /// As they are: 128 bytes a box.
    #[default]
    Fp32,
    /// In 18 bits, rounded outward: 64 bytes a box.
    High,
}

impl BoxPrecision {
    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::High => "high",
        }
    }
}

/// The knobs of the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How planes are stored.
    pub precision: BoxPrecision,
    /// Whether boxes are widened so that the unit's own box test loses no hit (G-36).
    pub margin: bool,
    /// Whether leaves and nodes stay as they are wherever the format can hold them.
    pub keep_leaves: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(BoxPrecision::Fp32)
    }
}

impl Options {
    /// The options for a tree that was built: a margin, and triangles are paired.
    #[must_use]
    pub const fn new(precision: BoxPrecision) -> Self {
        Self { precision, margin: true, keep_leaves: false }
    }

    /// The options for a tree that was decoded from an image: its boxes are as wide as they should
    /// be, and its triangles are paired.
    #[must_use]
    pub const fn decoded(precision: BoxPrecision) -> Self {
        Self { precision, margin: false, keep_leaves: true }
    }
}

/// Lays a tree out. The same tree gives the same bytes.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode(tree: &Tree, options: &Options) -> Result<Image, EncodeError> {
    if tree.tlas.is_none() && tree.blases.len() != 1 {
        return Err(EncodeError::BlasCount { blases: tree.blases.len() });
    }
    let structures = blas_structures(tree, options)?;
    let mut facts: Vec<BlasFacts> = structures
        .iter()
        .zip(&tree.blases)
        .map(|(structure, blas)| BlasFacts {
            bounds: referred_bounds(blas),
            root: structure.root(),
            cull_flags: structure.all_contents().cull_flags,
            base: 0,
            metadata_bytes: structure.base_offset(),
        })
        .collect();
    let tlas = match &tree.tlas {
        Some(given) => Some((given, tlas::structure(given, &facts, options)?)),
        None => None,
    };

    let mut next = FIRST_ADDRESS;
    let mut segment_of = |structure: &Structure| {
        let (address, bytes) = (next, structure.byte_count());
        next = (address + bytes).next_multiple_of(SEGMENT_ALIGNMENT);
        (next <= ADDRESS_MASK + 1)
            .then_some((address, bytes))
            .ok_or(EncodeError::Addresses { end: next, limit: ADDRESS_MASK + 1 })
    };
    let mut places = Vec::with_capacity(structures.len() + 1);
    for structure in tlas.iter().map(|(_, structure)| structure).chain(&structures) {
        places.push(segment_of(structure)?);
    }
    let blas_places = &places[usize::from(tlas.is_some())..];
    for (facts, (address, _)) in facts.iter_mut().zip(blas_places) {
        facts.base = address + facts.metadata_bytes;
    }
    let blank = |&(address, bytes): &(u64, u64)| Segment::zeroed(address, bytes as usize);
    let mut segments: Vec<Segment> = places.iter().map(blank).collect();
    let (tlas_segments, blas_segments) = segments.split_at_mut(usize::from(tlas.is_some()));
    if let (Some((given, structure)), [segment]) = (&tlas, tlas_segments) {
        let node = |leaf: &Leaf| {
            let number = leaf.first_item();
            let instance = &given.instances[number as usize];
            tlas::leaf_bits(number, instance, &facts[instance.blas as usize])
        };
        structure.write(node, segment.bytes_mut())?;
    }
    let written: Vec<Result<(), EncodeError>> = blas_segments
        .par_iter_mut()
        .zip(&structures)
        .zip(&tree.blases)
        .map(|((segment, structure), blas)| {
            let node = |leaf: &Leaf| blas::leaf_bits(leaf, &blas.primitives);
            structure.write(node, segment.bytes_mut())
        })
        .collect();
    // The error of the first level that has one, whichever thread was faster.
    written.into_iter().collect::<Result<(), _>>()?;

    let root_structure = tlas.as_ref().map(|(_, structure)| structure).or(structures.first());
    let (base_offset, root) =
        root_structure.map_or((0, 0), |structure| (structure.base_offset(), structure.root().0));
    let bases = vec![FIRST_ADDRESS + base_offset; 2];
    Ok(Image { format: NAME, segments, bases, root: u64::from(root) })
}

fn blas_structures(tree: &Tree, options: &Options) -> Result<Vec<Structure>, EncodeError> {
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
        .map(|(level, (given, margin))| blas::structure(level, given, margin.plain, options))
        .collect();
    results.into_iter().collect()
}
