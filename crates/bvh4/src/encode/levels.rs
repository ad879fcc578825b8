//! The levels of an image: one structure each in a segment of its own, the TLAS first.

use super::draft::{Draft, Leaf, LooseLeaf, NewLeaf};
use super::error::EncodeError;
use super::instances::{instance_leaves, widen_for_transforms};
use super::leaves::{check_primitives, referred_bounds};
use super::margin::{Margin, blas_margins, tlas_margin};
use super::places::{NodeBytes, Nodes};
use crate::layout::CullFlags;
use crate::layout::base_pointer::ADDRESS_MASK;
use geometry::Aabb;
use machine::Segment;
use rayon::prelude::*;
use tree::{Blas, Instance, Primitives, Tlas, Tree};

/// A level whose nodes have their places.
pub trait Level: Send + Sync {
    /// Its nodes.
    fn nodes(&self) -> &Nodes;
    /// Bytes before the base.
    fn base_offset(&self) -> u64;
    /// Bytes of everything.
    fn byte_count(&self) -> u64;
    /// Writes everything into `out`, which has [`Level::byte_count`] zero bytes and lies at an
    /// address.
    fn write(&self, leaf_bytes: impl Fn(&Leaf) -> NodeBytes, address: u64, out: &mut [u8]);
}

/// What a TLAS must know of a BLAS.
#[derive(Debug, Clone, Copy)]
pub struct BlasFacts {
    /// The box around what it holds.
    pub bounds: Aabb,
    /// What can be said of all of it.
    pub cull_flags: CullFlags,
    /// Where its base is.
    pub base: u64,
    /// Bytes before the base.
    pub base_offset: u64,
}

/// What is asked of all levels.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Where the first segment lies.
    pub first_address: u64,
    /// Segments lie at multiples of this.
    pub alignment: u64,
    /// Geometry ids lie below this.
    pub geometry_limit: u32,
    /// Whether boxes are widened so that the unit's own box test loses no hit (G-36).
    pub margin: bool,
    /// Whether leaves and nodes stay as they are wherever the format can hold them.
    pub keep_leaves: bool,
}

/// How a format lays levels out.
pub trait Layout: Sync {
    /// A level of it.
    type Level: Level;
    /// What is asked of all levels.
    fn terms(&self) -> Terms;
    /// The leaf nodes of a BLAS.
    fn leaves(&self, loose: &[LooseLeaf<'_>], primitives: &Primitives) -> Vec<NewLeaf>;
    /// A BLAS with a place for each node, whose boxes are to be a margin wider.
    ///
    /// # Errors
    /// When the format cannot hold it.
    fn blas(
        &self,
        number: usize,
        blas: &Blas,
        draft: Draft,
        margin: f32,
    ) -> Result<Self::Level, EncodeError>;
    /// A TLAS with a place for each node. The addresses in `blases` are not known yet.
    ///
    /// # Errors
    /// When the format cannot hold it.
    fn tlas(
        &self,
        tlas: &Tlas,
        blases: &[BlasFacts],
        draft: Draft,
        margin: f32,
    ) -> Result<Self::Level, EncodeError>;
    /// The leaf node of primitives.
    fn leaf_bytes(&self, leaf: &Leaf, primitives: &Primitives) -> NodeBytes;
    /// The node of an instance.
    fn instance_bytes(&self, number: u32, instance: &Instance, below: &BlasFacts) -> NodeBytes;
}

/// The segments of a tree, and the base of the first.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode<L: Layout>(layout: &L, tree: &Tree) -> Result<(Vec<Segment>, u64), EncodeError> {
    let Terms { first_address, alignment, geometry_limit, margin, keep_leaves } = layout.terms();
    let blases = blas_levels(tree, margin, |number, blas, margin| {
        check_primitives(number, blas, geometry_limit)?;
        let leaves = |loose: &[LooseLeaf<'_>]| layout.leaves(loose, &blas.primitives);
        let draft = Draft::new(&blas.bvh, keep_leaves, leaves);
        layout.blas(number, blas, draft, margin.plain)
    })?;
    let facts = |(level, blas): (&L::Level, &Blas)| BlasFacts {
        bounds: referred_bounds(blas),
        cull_flags: level.nodes().below(0).cull_flags,
        base: 0,
        base_offset: level.base_offset(),
    };
    let mut facts: Vec<BlasFacts> = blases.iter().zip(&tree.blases).map(facts).collect();
    let tlas = match &tree.tlas {
        Some(given) => {
            let (draft, margin) = tlas_draft(given, &facts, keep_leaves, margin)?;
            Some((given, layout.tlas(given, &facts, draft, margin)?))
        }
        None => None,
    };

    let mut next = first_address;
    let mut places = Vec::with_capacity(blases.len() + 1);
    for level in tlas.iter().map(|(_, level)| level).chain(&blases) {
        let (address, bytes) = (next, level.byte_count());
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
    if let (Some((given, level)), [segment]) = (&tlas, tlas_segments) {
        let node = |leaf: &Leaf| {
            let number = leaf.first_item();
            let instance = &given.instances[number as usize];
            layout.instance_bytes(number, instance, &facts[instance.blas as usize])
        };
        level.write(node, segment.address, segment.bytes_mut());
    }
    let below = blas_segments.par_iter_mut().zip(&blases).zip(&tree.blases);
    below.for_each(|((segment, level), blas)| {
        let node = |leaf: &Leaf| layout.leaf_bytes(leaf, &blas.primitives);
        level.write(node, segment.address, segment.bytes_mut());
    });
    let first = tlas.as_ref().map(|(_, level)| level).or(blases.first());
    Ok((segments, first_address + first.map_or(0, Level::base_offset)))
}

/// All BLASes, side by side, each told its number and its margin if there is to be one.
///
/// # Errors
/// When the levels do not fit together; otherwise that of the first BLAS that has one.
pub fn blas_levels<L: Send, E: From<EncodeError> + Send>(
    tree: &Tree,
    margin: bool,
    level: impl Fn(usize, &Blas, Margin) -> Result<L, E> + Sync,
) -> Result<Vec<L>, E> {
    tree.check().map_err(EncodeError::Unsound)?;
    let margins =
        if margin { blas_margins(tree) } else { vec![Margin::default(); tree.blases.len()] };
    let blases = tree.blases.par_iter().zip(margins).enumerate();
    let levels: Vec<Result<L, E>> =
        blases.map(|(number, (blas, margin))| level(number, blas, margin)).collect();
    levels.into_iter().collect()
}

/// The draft of a TLAS, and how far its boxes are to be widened.
fn tlas_draft(
    tlas: &Tlas,
    blases: &[BlasFacts],
    keep_leaves: bool,
    margin: bool,
) -> Result<(Draft, f32), EncodeError> {
    let regrouped = EncodeError::regrouped(blases.len());
    let bvh = tree::reshape::gather(&tlas.bvh, |_| false).map_err(regrouped)?;
    let mut draft = Draft::new(&bvh, keep_leaves, |loose| {
        instance_leaves(loose, tlas, |blas| blases[blas as usize].bounds)
    });
    if !margin {
        return Ok((draft, 0.0));
    }
    widen_for_transforms(&mut draft, tlas);
    Ok((draft, tlas_margin(tlas).plain))
}
