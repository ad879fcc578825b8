//! Which images can be walked with unchecked reads: those with one structure of triangles alone, whose nodes all lie in
//! one segment and have nothing odd. All others are walked by plain code.

use super::{NODE, PLACE_BITS};
use crate::ordinary;
use crate::world::{Level, Pointer};
use geometry::Aabb;
use gfx12::decode::Structure;
use gfx12::layout::{BoxNode, NodeBits, NodeKind, NodePointer, PrimitiveNode};
use gfx12::obb;
use machine::Image;

/// Most levels of a hierarchy: a bound of the stacks' memory.
const LEVELS: usize = 64;

/// Most primitive nodes of a range.
const RANGE_NODES: u64 = 16;

/// That a walk over an image reads within the image only, and what it must know.
#[derive(Debug)]
pub(crate) struct Proved {
    segment: usize,
    /// What pointers count from, in the segment.
    start: usize,
    /// Where the walk begins.
    pub(super) level: Level,
    /// Most entries that its stack can have.
    pub(super) stack_size: usize,
}

impl Proved {
    /// Follows every pointer of the structure; `None` if there is anything that the walk does not know.
    pub(crate) fn new(image: &Image, structure: &Structure, bounds: Aabb) -> Option<Self> {
        let is_ordinary = bounds.min.abs().max(bounds.max.abs()).max_element() <= ordinary::LARGEST;
        if structure.box_base != structure.primitive_base || bounds.is_empty() || !is_ordinary {
            return None;
        }
        let base = structure.box_base;
        let segment = image.segments.iter().position(|segment| segment.get(base, 1).is_some())?;
        let start = usize::try_from(base - image.segments[segment].address).ok()?;
        let bytes = &image.segments[segment].bytes()[start..];
        if !start.is_multiple_of(64) || bytes.len() / NODE >= 1 << PLACE_BITS {
            return None;
        }
        let levels = Nodes { bytes }.levels(structure.root)?;
        // All children of a node are pushed and one is popped, again and again.
        let stack_size = 2 + 7 * levels;
        let level = Level { root: packed(structure.root)?, bounds };
        Some(Self { segment, start, level, stack_size })
    }

    /// The bytes that pointers count from.
    pub(super) fn bytes<'a>(&self, image: &'a Image) -> &'a [u8] {
        &image.segments[self.segment].bytes()[self.start..]
    }
}

/// The pointer of a walk.
fn packed(pointer: NodePointer) -> Option<Pointer> {
    let place = pointer.0 >> 4;
    match pointer.kind() {
        NodeKind::Box => Some(Pointer(place)),
        NodeKind::Primitive { pair } => {
            Some(Pointer(1 << 31 | u32::from(pair) << PLACE_BITS | place))
        }
        NodeKind::Instance | NodeKind::Unused => None,
    }
}

/// Nodes, in a run of bytes.
struct Nodes<'a> {
    bytes: &'a [u8],
}

impl Nodes<'_> {
    /// The bits of a node inside.
    fn bits(&self, byte: u64) -> Option<NodeBits> {
        let start = usize::try_from(byte).ok()?;
        self.bytes.get(start..start.checked_add(NODE)?).map(NodeBits::from_bytes)
    }

    /// The number of levels of boxes, if all of them can be walked.
    fn levels(&self, root: NodePointer) -> Option<usize> {
        let mut left = self.bytes.len() / NODE;
        let mut level = vec![root];
        for depth in 0..LEVELS {
            let mut below = Vec::new();
            for &pointer in &level {
                if pointer.kind() == NodeKind::Box {
                    left = left.checked_sub(1)?; // a cycle never ends
                    self.children(pointer, &mut below)?;
                } else {
                    self.range(pointer)?;
                }
            }
            if below.is_empty() {
                return Some(depth + 1);
            }
            level = below;
        }
        None
    }

    fn children(&self, pointer: NodePointer, below: &mut Vec<NodePointer>) -> Option<()> {
        let node = BoxNode::decode(&self.bits(pointer.byte_offset())?);
        let is_aligned = (node.internal_base | node.primitive_base) & 0xF == 0;
        let is_upright = obb::rotation(node.obb_matrix_index).is_none();
        // Planes are ordinary but for a factor, and quanta normal numbers or of no effect.
        let has_moderate_spans = node.frame.exponents.iter().all(|&e| e <= 168);
        let is_normal = (0..3).filter(|&axis| node.frame.exponents[axis] < 13).all(|axis| {
            node.used_children().iter().all(|child| {
                let origin = node.frame.origin[axis];
                node.frame.min_plane(axis, child.min[axis]) == origin
                    && node.frame.max_plane(axis, child.max[axis]) == origin
            })
        });
        let is_near = node.frame.origin.iter().all(|o| o.abs() <= 2.0 * ordinary::LARGEST);
        let is_full = node.used_children().iter().all(|child| !child.is_inverted());
        below.extend(&node.child_pointers()[..node.used_children().len()]);
        (is_aligned && is_upright && has_moderate_spans && is_normal && is_near && is_full)
            .then_some(())
    }

    /// Whether a range of triangles ends, and has all of its bits inside of nodes.
    fn range(&self, pointer: NodePointer) -> Option<()> {
        let NodeKind::Primitive { pair } = pointer.kind() else { return None };
        let mut first = usize::from(pair);
        for number in 0..RANGE_NODES {
            let byte = pointer.byte_offset() + number * NODE as u64;
            let node = PrimitiveNode::decode(&self.bits(byte)?);
            if first >= node.pair_count() {
                return None;
            }
            for pair in first..node.pair_count() {
                if !is_plain_pair(&node, pair) {
                    return None;
                }
                if node.pair(pair).prim_range_stop {
                    return Some(());
                }
            }
            first = 0;
        }
        None
    }
}

/// Whether a pair is triangles whose fields lie in the node.
fn is_plain_pair(node: &PrimitiveNode, pair: usize) -> bool {
    let header = node.header();
    let is_inside = |number: usize| {
        header.primitive_id_bits(number).end <= 1024 && header.geometry_id_bits(number).start >= 0
    };
    let are_plain = node.pair(pair).triangles.iter().all(|triangle| {
        let has_corner = |&index: &u8| header.vertex_range(usize::from(index), 2).end <= 1024;
        !triangle.is_procedural() && triangle.indices.iter().all(has_corner)
    });
    are_plain && is_inside(0) && is_inside(2 * pair) && is_inside(2 * pair + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use build::{Options, Preset};
    use geometry::Vec3;
    use gfx12::decode::Survey;
    use gfx12::encode::Policy;
    use gfx12::{Gfx12, encode};
    use machine::Format;
    use scene::builtin::Builtin;

    fn image() -> (Image, Structure, Aabb) {
        let scene = Builtin::Interior.scene(2_000);
        let options = Options { preset: Preset::Best, ..Options::default() };
        let tree = build::build(&scene, &options, &|_| std::ops::ControlFlow::Continue(()));
        let tree = tree.unwrap().tree;
        let format = Gfx12 { options: encode::Options::new(Policy::Dense) };
        let image = format.encode(&tree).unwrap();
        let structure = Survey::new(&image).structures[0].structure;
        (image, structure, tree.bounds())
    }

    #[test]
    fn images_of_this_crate_are_proved() {
        let (image, structure, bounds) = image();
        assert!(Proved::new(&image, &structure, bounds).is_some());
        let far = Aabb::new(bounds.min, Vec3::splat(1e13));
        assert!(Proved::new(&image, &structure, far).is_none());
    }

    /// Whatever bits are wrong, the proof ends, and does not read outside.
    #[test]
    fn nothing_is_proved_that_leads_outside() {
        let (image, structure, bounds) = image();
        let root = (structure.address_of(structure.root) - image.segments[0].address) as usize;
        for (byte, value, what) in [(3, 0xEE, "boxes"), (28, 7, "rotation"), (24, 0xEE, "span")] {
            let mut broken = image.clone();
            broken.segments[0].bytes_mut()[root + byte] = value;
            assert!(Proved::new(&broken, &structure, bounds).is_none(), "{what}");
        }
        let mut endless = image;
        let own = structure.root.0 & !0xF;
        endless.segments[0].bytes_mut()[root..root + 4].copy_from_slice(&own.to_le_bytes());
        assert!(Proved::new(&endless, &structure, bounds).is_none(), "a cycle");
    }
}
