//! Rebraiding: instances that are entered below the roots of their structures.
//!
//! A hit on a box of an instance node returns a byte, and the byte names a node of the structure
//! (G-38). Where all children of a root are box nodes, an instance can name them instead of the
//! root: up to four in one node, so that a root of eight takes two nodes, each with a box of its
//! own in the TLAS. The root is then not read, and boxes of the TLAS fit better; but every node
//! transforms the ray. A root is opened where that pays by the areas of its parts.

use super::blas::EncodedBlas;
use super::tlas::{ITEMS, instance_of};
use crate::layout::{BOX_TYPE, BoxNode, ChildEntry, CullFlags, NodePointer};
use build::{BinaryTree, BuildError, Effort, Objective};
use geometry::Aabb;
use tree::bvh::MAX_WIDTH;
use tree::quality::half_area;
use tree::{Bvh, Tlas};

/// Most nodes that an instance node names.
const MOST_NAMED: usize = 4;
/// Highest number of a node that a byte can name.
const HIGHEST: u32 = 15;
/// What an instance node costs a ray that meets it, in box nodes.
const INSTANCE_COST: f64 = 2.0;

/// How instances name a structure: by its parts, or, where there are none, by its root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opening {
    pub(crate) parts: Vec<RootPart>,
}

/// Some children of a root.
#[derive(Debug, Clone)]
pub(crate) struct RootPart {
    /// Their slots in the root.
    slots: Vec<usize>,
    /// The box around them, in object space.
    pub(crate) bounds: Aabb,
}

impl Opening {
    /// The parts of a root whose children can all be named, if naming them pays.
    pub(crate) fn new(root: &BoxNode) -> Self {
        let slots: Vec<usize> = (0..root.used_children().len()).collect();
        let pointers = root.child_pointers();
        let is_box = |&slot: &usize| {
            root.children[slot].node_type == BOX_TYPE && number(pointers[slot]) <= HIGHEST
        };
        if root.obb_matrix_index != BoxNode::NO_ROTATION || !slots.iter().all(is_box) {
            return Self::default();
        }
        let parts = match slots.len() {
            0..=MOST_NAMED => vec![RootPart::new(root, slots)],
            _ => cheapest_halves(root, slots.len()),
        };
        let area = |part: &RootPart| half_area(&part.bounds);
        let whole = RootPart::new(root, (0..root.used_children().len()).collect());
        let opened: f64 = INSTANCE_COST * parts.iter().map(area).sum::<f64>();
        if opened < (INSTANCE_COST + 1.0) * area(&whole) { Self { parts } } else { Self::default() }
    }
}

impl RootPart {
    fn new(root: &BoxNode, slots: Vec<usize>) -> Self {
        let boxes = slots.iter().map(|&slot| root.child_box(slot));
        Self { bounds: boxes.fold(Aabb::EMPTY, Aabb::union), slots }
    }

    /// The entries that name the children, by the numbers of their nodes. One child is named twice:
    /// alone, the number 5 would mean the root.
    pub(crate) fn entries(&self, root: &BoxNode) -> (u8, [ChildEntry; 4]) {
        let pointers = root.child_pointers();
        let mut entries = [ChildEntry::UNUSED; 4];
        let count = self.slots.len().max(2);
        for (entry, &slot) in entries[..count].iter_mut().zip(self.slots.iter().cycle()) {
            *entry = ChildEntry {
                cull_flags: CullFlags::empty(),
                unused: 0,
                mask: 0xFF,
                node_type: number(pointers[slot]) as u8,
                range_length: 0,
                ..root.children[slot]
            };
        }
        (count as u8, entries)
    }
}

/// The number of a node, counted from the base.
fn number(pointer: NodePointer) -> u32 {
    pointer.0 >> 4
}

/// The division into two parts of at most four children with the least area together.
fn cheapest_halves(root: &BoxNode, count: usize) -> Vec<RootPart> {
    let parts = |chosen: u32| {
        let (first, second) = (0..count).partition(|slot| chosen >> slot & 1 == 1);
        [first, second].map(|slots| RootPart::new(root, slots))
    };
    // The first child is in the first part.
    let divisions = (1u32..1 << count).step_by(2).filter(|chosen| {
        let first = chosen.count_ones() as usize;
        first <= MOST_NAMED && count - first <= MOST_NAMED
    });
    let area =
        |parts: &[RootPart; 2]| parts.iter().map(|part| half_area(&part.bounds)).sum::<f64>();
    let cheapest = divisions.map(parts).min_by(|a, b| area(a).total_cmp(&area(b)));
    cheapest.into_iter().flatten().collect()
}

/// The hierarchy over the parts of all instances, one item a leaf, built anew.
pub(crate) fn bvh(
    tlas: &Tlas,
    blases: &[EncodedBlas],
    openings: &[Opening],
) -> Result<Bvh, BuildError> {
    let mut is_placed = vec![false; tlas.instances.len()];
    for &item in tlas.bvh.indices() {
        is_placed[item as usize] = tlas.instances[item as usize].mask != 0;
    }
    let mut items: Vec<(u32, Aabb)> = Vec::new();
    for instance in (0..tlas.instances.len() as u32).filter(|&n| is_placed[n as usize]) {
        let item = ITEMS * instance;
        let placed = instance_of(tlas, item);
        let blas = &blases[placed.blas as usize];
        let parts = &openings[placed.blas as usize].parts;
        let whole = [blas.bounds];
        let boxes: Vec<Aabb> = match parts.is_empty() {
            true => whole.to_vec(),
            false => parts.iter().map(|part| part.bounds).collect(),
        };
        let kinds = u32::from(blas.kind.triangles) + u32::from(blas.kind.procedurals);
        for (part, bounds) in (0..).zip(&boxes) {
            // The transform was found to be invertible.
            let Ok(bounds) = placed.world_bounds(bounds) else { continue };
            items.extend((0..kinds).map(|kind| (item + 2 * part + kind, bounds)));
        }
    }
    let item_count = ITEMS as usize * tlas.instances.len();
    let boxes = items.iter().map(|&(_, bounds)| (bounds, 1));
    match BinaryTree::new(boxes, Effort::default())? {
        Some(tree) => tree.widen(MAX_WIDTH, OneEach { items: &items })?.write(item_count),
        None => Ok(Bvh::new(vec![*Bvh::empty().root()], Vec::new(), item_count)?),
    }
}

/// The surface-area heuristic with one item a leaf.
struct OneEach<'a> {
    items: &'a [(u32, Aabb)],
}

impl Objective for OneEach<'_> {
    fn node(&self, area: f32) -> f32 {
        area
    }

    fn leaf(&self, _: u32, _: f32) -> f32 {
        f32::INFINITY
    }

    fn single(&self, _: u32, area: f32) -> f32 {
        area
    }

    fn weight(&self, _: u32) -> u32 {
        1
    }

    fn items(&self, item: u32) -> impl Iterator<Item = u32> {
        std::iter::once(self.items[item as usize].0)
    }
}
