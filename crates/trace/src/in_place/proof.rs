//! Which images kernels can walk with unchecked reads: those of triangles alone and instances of
//! such, the nodes of whose structures each lie in one segment and have nothing odd. All others are
//! walked by plain code, which rests on what the image's check has proved (CHECKED) and reads
//! within bounds.

use super::bytes::{NODE, PLACE_BITS};
use crate::ordinary;
use crate::world::{Level, Pointer};
use geometry::Aabb;
use gfx12::decode::Structure;
use gfx12::layout::{BoxNode, NodeBits, NodeKind, NodePointer, PrimitiveNode};
use gfx12::obb;
use machine::Image;
use rayon::prelude::*;

/// Most levels of a hierarchy: a bound of the stacks' memory.
const LEVELS: usize = 64;

/// Nodes that one thread looks at at a time.
const PART: usize = 1 << 10;

/// Most primitive nodes of a range.
const RANGE_NODES: u64 = 16;

/// That a walk over an image reads within the image only, and what it must know.
#[derive(Debug, Clone)]
pub(crate) struct Proved {
    /// The outermost structure, then the BLASes below it.
    structures: Vec<ProvedStructure>,
    instances: Option<InstanceNodes>,
    /// Most entries that a walk's stack can have.
    pub(super) stack_size: usize,
    /// Whether a node is oriented.
    pub(crate) has_oriented_nodes: bool,
}

/// A structure.
#[derive(Debug, Clone)]
struct ProvedStructure {
    segment: usize,
    /// What pointers count from, in the segment.
    start: usize,
    /// Where the walk begins.
    level: Level,
    /// Levels of boxes.
    levels: usize,
    has_oriented_nodes: bool,
}

/// Which instances the instance nodes show.
#[derive(Debug, Clone)]
struct InstanceNodes {
    /// The place of the first.
    first: usize,
    /// The numbers of the instances, from there on.
    numbers: Vec<u32>,
}

impl Proved {
    /// Follows every pointer of the structures, the outermost first; `None` if there is anything
    /// that the walk does not know. `instances` has the instance nodes of the outermost in order,
    /// if it is a TLAS, and their numbers.
    pub(crate) fn new(
        image: &Image,
        structures: &[(&Structure, Aabb)],
        instances: Option<&[(NodePointer, u32)]>,
    ) -> Option<Self> {
        let structures: Vec<ProvedStructure> = structures
            .iter()
            .enumerate()
            .map(|(number, (structure, bounds))| {
                let instances = instances.filter(|_| number == 0);
                ProvedStructure::new(image, structure, *bounds, instances)
            })
            .collect::<Option<_>>()?;
        let instances = match instances {
            Some(nodes) => Some(InstanceNodes::new(nodes)?),
            None => None,
        };
        // All children of a node are pushed and one is popped, again and again; an instance pushes
        // its end.
        let below = structures.iter().skip(1).map(|structure| structure.levels).max();
        let levels = structures.first()?.levels + below.unwrap_or(0);
        let has_oriented_nodes = structures.iter().any(|structure| structure.has_oriented_nodes);
        Some(Self { structures, instances, stack_size: 3 + 7 * levels, has_oriented_nodes })
    }

    /// Where walks begin.
    pub(crate) fn outermost(&self) -> Level {
        self.structures[0].level
    }

    /// Where walks of a BLAS begin.
    #[inline(always)]
    pub(super) fn blas(&self, number: usize) -> Option<&Level> {
        self.blas_structure(number).map(|structure| &structure.level)
    }

    /// What pointers of a BLAS, or of the outermost structure, count from.
    #[inline(always)]
    pub(super) fn start(&self, image: &Image, blas: Option<usize>) -> *const u8 {
        let structure = match blas {
            Some(number) => self.blas_structure(number),
            None => self.structures.first(),
        };
        structure.map_or(std::ptr::null(), |structure| {
            image.segments[structure.segment].bytes()[structure.start..].as_ptr()
        })
    }

    /// The number of the instance behind the instance node at a place.
    #[inline(always)]
    pub(super) fn instance(&self, place: usize) -> Option<usize> {
        let nodes = self.instances.as_ref()?;
        nodes.numbers.get(place - nodes.first).map(|&number| number as usize)
    }

    /// Whether the structure whose pointers count from `start` has a node at a place.
    pub(super) fn holds(&self, image: &Image, start: *const u8, place: usize) -> bool {
        self.structures.iter().any(|structure| {
            let bytes = &image.segments[structure.segment].bytes()[structure.start..];
            bytes.as_ptr() == start && (place + 1) * NODE <= bytes.len()
        })
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        let instances = self.instances.as_ref();
        size_of_val(self.structures.as_slice())
            + instances.map_or(0, |nodes| size_of_val(nodes.numbers.as_slice()))
    }

    #[inline(always)]
    fn blas_structure(&self, number: usize) -> Option<&ProvedStructure> {
        self.structures.get(number + usize::from(self.instances.is_some()))
    }
}

impl ProvedStructure {
    fn new(
        image: &Image,
        structure: &Structure,
        bounds: Aabb,
        instances: Option<&[(NodePointer, u32)]>,
    ) -> Option<Self> {
        if bounds.is_empty() {
            let level = Level { root: Pointer::DONE, bounds };
            return Some(Self {
                segment: 0,
                start: 0,
                level,
                levels: 0,
                has_oriented_nodes: false,
            });
        }
        let is_ordinary = bounds.min.abs().max(bounds.max.abs()).max_element() <= ordinary::LARGEST;
        if structure.box_base != structure.primitive_base || !is_ordinary {
            return None;
        }
        let base = structure.box_base;
        let segment = image.segments.iter().position(|segment| segment.get(base, 1).is_some())?;
        let start = usize::try_from(base - image.segments[segment].address).ok()?;
        let bytes = &image.segments[segment].bytes()[start..];
        if !start.is_multiple_of(64) || bytes.len() / NODE >= 1 << PLACE_BITS {
            return None;
        }
        let (levels, has_oriented_nodes) =
            Nodes { bytes, bounds, instances }.levels(structure.root)?;
        let level = Level { root: packed(structure.root)?, bounds };
        Some(Self { segment, start, level, levels, has_oriented_nodes })
    }
}

impl InstanceNodes {
    fn new(nodes: &[(NodePointer, u32)]) -> Option<Self> {
        let place = |pointer: NodePointer| (pointer.0 >> 4) as usize;
        let (first, last) = (place(nodes.first()?.0), place(nodes.last()?.0));
        // Nodes lie side by side in any sensible image; no memory is taken for others.
        if last - first >= 4 * nodes.len() {
            return None;
        }
        let mut numbers = vec![0; last - first + 1];
        for &(node, number) in nodes {
            numbers[place(node) - first] = number;
        }
        Some(Self { first, numbers })
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
        NodeKind::Instance => Pointer::instance(place as usize),
        NodeKind::Unused => None,
    }
}

/// Nodes, in a run of bytes.
struct Nodes<'a> {
    bytes: &'a [u8],
    /// The box of the root.
    bounds: Aabb,
    /// The instance nodes in order, if this is a TLAS: then, and only then, there are such, and no
    /// triangles.
    instances: Option<&'a [(NodePointer, u32)]>,
}

/// What is seen of some nodes of a level.
#[derive(Default)]
struct Seen {
    below: Vec<NodePointer>,
    boxes: usize,
    /// Whether one of them is oriented.
    has_oriented: bool,
}

impl Nodes<'_> {
    /// The bits of a node inside.
    fn bits(&self, byte: u64) -> Option<NodeBits> {
        let start = usize::try_from(byte).ok()?;
        self.bytes.get(start..start.checked_add(NODE)?).map(NodeBits::from_bytes)
    }

    /// The number of levels of boxes, and whether one of them is oriented, if all of them can be
    /// walked.
    fn levels(&self, root: NodePointer) -> Option<(usize, bool)> {
        let mut left = self.bytes.len() / NODE;
        let (mut level, mut has_oriented) = (vec![root], false);
        for depth in 0..LEVELS {
            let parts = level.par_chunks(PART).map(|pointers| self.seen(pointers));
            let parts: Vec<Seen> = parts.collect::<Option<_>>()?;
            level = Vec::with_capacity(parts.iter().map(|part| part.below.len()).sum());
            for part in parts {
                left = left.checked_sub(part.boxes)?; // a cycle never ends
                has_oriented |= part.has_oriented;
                level.extend(part.below);
            }
            if level.is_empty() {
                return Some((depth + 1, has_oriented));
            }
        }
        None
    }

    /// Some nodes of a level, if all of them can be walked.
    fn seen(&self, pointers: &[NodePointer]) -> Option<Seen> {
        let mut seen = Seen::default();
        for &pointer in pointers {
            match (pointer.kind(), self.instances) {
                (NodeKind::Box, _) => self.children(pointer, &mut seen)?,
                (NodeKind::Instance, Some(known)) => {
                    known.binary_search_by_key(&pointer, |&(node, _)| node).ok()?;
                }
                (_, Some(_)) => return None,
                (_, None) => self.range(pointer)?,
            }
        }
        Some(seen)
    }

    fn children(&self, pointer: NodePointer, seen: &mut Seen) -> Option<()> {
        let node = BoxNode::decode(&self.bits(pointer.byte_offset())?);
        let is_aligned = (node.internal_base | node.primitive_base) & 0xF == 0;
        let is_oriented = obb::rotation(node.obb_matrix_index).is_some();
        seen.has_oriented |= is_oriented;
        seen.boxes += 1;
        // As `docs/trace.md` asks: planes are ordinary but for a factor, and near the root's box.
        let extent = self.bounds.extent().max_element();
        let largest = 4.0 * self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        let is_near = (0..3).all(|axis| {
            let (min, max) = if is_oriented {
                (-largest, largest)
            } else {
                (self.bounds.min[axis] - extent, self.bounds.max[axis] + extent)
            };
            (min..=max).contains(&node.frame.origin[axis])
        });
        let is_allowed = !(is_oriented && self.instances.is_some());
        let has_moderate_spans = (0..3).all(|axis| match node.frame.exponents[axis] {
            0 => node.used_children().iter().all(|child| {
                let origin = node.frame.origin[axis];
                node.frame.min_plane(axis, child.min[axis]) == origin
                    && node.frame.max_plane(axis, child.max[axis]) == origin
            }),
            exponent @ 13..=168 => {
                let most = if is_oriented { 8.0 } else { 4.0 };
                f32::from_bits(u32::from(exponent) << 23) <= most * extent
            }
            _ => false,
        });
        let is_full = node.used_children().iter().all(|child| !child.is_inverted());
        seen.below.extend(&node.child_pointers()[..node.used_children().len()]);
        (is_aligned && is_allowed && has_moderate_spans && is_near && is_full).then_some(())
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
                if !is_triangle_pair(&node, pair) {
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
fn is_triangle_pair(node: &PrimitiveNode, pair: usize) -> bool {
    let header = node.header();
    let is_inside = |number: usize| {
        header.primitive_id_bits(number).end <= 1024 && header.geometry_id_bits(number).start >= 0
    };
    let are_triangles = node.pair(pair).triangles.iter().all(|triangle| {
        let has_corner = |&index: &u8| header.vertex_range(usize::from(index), 2).end <= 1024;
        !triangle.is_procedural() && triangle.indices.iter().all(has_corner)
    });
    are_triangles && is_inside(0) && is_inside(2 * pair) && is_inside(2 * pair + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use build::{Options, Preset};
    use geometry::Vec3;
    use gfx12::decode::Survey;
    use gfx12::encode::Policy;
    use gfx12::{Gfx12, encode};
    use machine::{Format, TreeFormat};
    use scene::builtin::Builtin;

    fn encoded(builtin: Builtin) -> (Image, tree::Tree) {
        let options = Options { preset: Preset::Best, ..Options::default() };
        let keep_going = |_| std::ops::ControlFlow::Continue(());
        let tree = build::build(&builtin.scene(2_000), &options, &keep_going).unwrap().tree;
        let format = Gfx12 { options: encode::Options::new(Policy::Dense) };
        (format.encode(&tree).unwrap(), tree)
    }

    fn image() -> (Image, Structure, Aabb) {
        let (image, tree) = encoded(Builtin::Interior);
        let structure = Survey::new(&image).structures[0].structure;
        (image, structure, tree.bounds())
    }

    fn prove(image: &Image, structure: &Structure, bounds: Aabb) -> Option<Proved> {
        Proved::new(image, &[(structure, bounds)], None)
    }

    #[test]
    fn images_of_this_crate_are_proved() {
        let (image, structure, bounds) = image();
        assert!(prove(&image, &structure, bounds).is_some());
        let far = Aabb::new(bounds.min, Vec3::splat(1e13));
        assert!(prove(&image, &structure, far).is_none());
    }

    #[test]
    fn instances_are_proved_where_they_belong() {
        let (image, tree) = encoded(Builtin::Forest);
        let survey = Survey::new(&image);
        let tlas = tree.tlas.iter().map(|tlas| &tlas.bvh);
        let bounds = tlas.chain(tree.blases.iter().map(|blas| &blas.bvh));
        let structures: Vec<_> = survey
            .structures
            .iter()
            .zip(bounds)
            .map(|(found, bvh)| (&found.structure, bvh.root().bounds))
            .collect();
        let mut nodes =
            gfx12::decode::instance_numbers(&Gfx12::check(image.clone()).checked.unwrap());
        nodes.sort_unstable();
        let proved = Proved::new(&image, &structures, Some(&nodes)).unwrap();
        for &(node, number) in &nodes {
            assert_eq!(proved.instance((node.0 >> 4) as usize), Some(number as usize));
        }
        assert!(Proved::new(&image, &structures, None).is_none(), "instances in a BLAS");
        let turned: Vec<_> = structures.iter().rev().copied().collect();
        assert!(Proved::new(&image, &turned, Some(&nodes)).is_none(), "triangles in a TLAS");
    }

    /// Whatever bits are wrong, the proof ends, and does not read outside.
    #[test]
    fn nothing_is_proved_that_leads_outside() {
        let (image, structure, bounds) = image();
        let root = (structure.address_of(structure.root) - image.segments[0].address) as usize;
        for (byte, value, what) in [(3, 0xEE, "boxes"), (24, 0xEE, "span")] {
            let mut broken = image.clone();
            broken.segments[0].bytes_mut()[root + byte] = value;
            assert!(prove(&broken, &structure, bounds).is_none(), "{what}");
        }
        let mut endless = image;
        let own = structure.root.0 & !0xF;
        endless.segments[0].bytes_mut()[root..root + 4].copy_from_slice(&own.to_le_bytes());
        assert!(prove(&endless, &structure, bounds).is_none(), "a cycle");
    }
}
