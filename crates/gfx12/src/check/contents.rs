//! What lies below each child of a structure: bounds, kinds of primitives, masks; from the bottom
//! up.

use crate::decode::{Pairs, Stored, split_key, stored, union};
use crate::layout::{CullFlags, NodePointer};
use crate::survey::{LeafRecord, Memory, Surveyed, Target};
use geometry::{Aabb, Vec3};
use rayon::prelude::*;
use tree::PrimitiveFlags;

/// What a subtree holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contents {
    /// The box around every vertex and procedural box, NaN left out.
    pub(crate) bounds: Aabb,
    /// Cull flags that would be false.
    pub(super) untrue: CullFlags,
    /// Mask bits by which something is seen.
    pub(super) mask: u8,
    /// Levels of boxes below.
    pub(super) height: u32,
}

impl Contents {
    /// An empty subtree.
    pub(crate) const NOTHING: Self =
        Self { bounds: Aabb::EMPTY, untrue: CullFlags::empty(), mask: 0, height: 0 };

    /// A subtree of which the bounds alone are known.
    pub(crate) const fn within(bounds: Aabb) -> Self {
        Self { bounds, ..Self::NOTHING }
    }

    /// Two subtrees together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            bounds: union(self.bounds, other.bounds),
            untrue: self.untrue | other.untrue,
            mask: self.mask | other.mask,
            height: self.height.max(other.height),
        }
    }

    /// Whether there are triangles.
    pub(super) fn has_triangles(&self) -> bool {
        self.untrue.contains(CullFlags::ONLY_PROCEDURAL)
    }

    /// Whether there are procedurals.
    pub(super) fn has_procedurals(&self) -> bool {
        self.untrue.contains(CullFlags::ONLY_TRIANGLES)
    }

    /// A primitive.
    pub(super) fn of(stored: &Stored) -> Self {
        let (bounds, kind, id) = match stored {
            Stored::Triangle(triangle, id) => {
                let points = triangle.vertices.map(|vertex| Aabb::new(vertex, vertex));
                let bounds = points.into_iter().fold(Aabb::EMPTY, union);
                (bounds, CullFlags::ONLY_PROCEDURAL, id)
            }
            Stored::Box(bounds, id) => (*bounds, CullFlags::ONLY_TRIANGLES, id),
        };
        let opacity = if id.flags.contains(PrimitiveFlags::OPAQUE) {
            CullFlags::ONLY_NON_OPAQUE
        } else {
            CullFlags::ONLY_OPAQUE
        };
        Self { bounds, untrue: kind | opacity, mask: 0xFF, height: 0 }
    }
}

/// Contents of every child of a structure; `of_instance` answers for its instances.
pub(crate) fn contents(
    surveyed: &Surveyed,
    leaves: &[Contents],
    of_instance: impl Fn(u32) -> Contents,
) -> Vec<Contents> {
    let mut contents = vec![Contents::NOTHING; surveyed.children.len()];
    for position in (0..contents.len()).rev() {
        contents[position] = match surveyed.children[position].target {
            Target::Leaf(number) => leaves[number as usize],
            Target::Instance(number) => of_instance(number),
            Target::Box(number) => {
                let below = surveyed.boxes[number as usize].children();
                let all = contents[below].iter().copied().fold(Contents::NOTHING, Contents::and);
                Contents { height: all.height + 1, ..all }
            }
        };
    }
    contents
}

/// Contents of every leaf.
pub(crate) fn leaf_contents(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    pairs: &Pairs,
) -> Vec<Contents> {
    surveyed
        .leaves
        .par_iter()
        .with_min_len(1 << 8)
        .map(|leaf| {
            let mut all = Contents::NOTHING;
            for_each_stored(memory, surveyed, pairs, leaf, |_, stored| {
                all = all.and(Contents::of(stored));
            });
            all
        })
        .collect()
}

/// Hands over the primitives of a leaf, each with twice the position of its pair, plus its number
/// there.
pub(super) fn for_each_stored(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    pairs: &Pairs,
    leaf: &LeafRecord,
    mut visit: impl FnMut(usize, &Stored),
) {
    let range = pairs.of_leaf(leaf);
    let mut place = 2 * range.start;
    let keys = &pairs.keys()[range];
    for same_node in keys.chunk_by(|a, b| a / 8 == b / 8) {
        let Some(pointer) = NodePointer::new(split_key(same_node[0]).0, 0) else { continue };
        let node = surveyed.structure.primitive_node(&surveyed.node(memory, pointer));
        for &key in same_node {
            for (number, stored) in stored(&node, split_key(key).1).iter().enumerate() {
                stored.iter().for_each(|stored| visit(place + number, stored));
            }
            place += 2;
        }
    }
}

/// The corners of a primitive's hull.
pub(super) fn hull(stored: &Stored) -> ([Vec3; 8], usize) {
    match stored {
        Stored::Triangle(triangle, _) => {
            let [a, b, c] = triangle.vertices;
            ([a, b, c, a, a, a, a, a], 3)
        }
        Stored::Box(bounds, _) => (bounds.corners(), 8),
    }
}
