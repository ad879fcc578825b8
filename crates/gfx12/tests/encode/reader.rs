//! The plainest reader of an image: follows every pointer and writes down what it finds.

use geometry::{Aabb, Triangle};
use gfx12::layout::{
    BoxNode, CullFlags, GpurtHeader, GpurtSideband, HalfNodeBits, InstanceNode, NODE_BYTES,
    NodeBits, NodeKind, NodePointer, PrimitiveNode, ProceduralBox, ProceduralWriter,
    RadvInstanceData,
};
use machine::Image;

/// A primitive as it was found, with the boxes that a ray must pass to reach it.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) pointer: NodePointer,
    pub(crate) geometry: u32,
    pub(crate) primitive: u32,
    pub(crate) opaque: bool,
    pub(crate) double_sided: bool,
    pub(crate) shape: Shape,
    pub(crate) path: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Triangle(Triangle),
    Box(Aabb),
}

impl Shape {
    pub(crate) fn bounds(&self) -> Aabb {
        match self {
            Self::Triangle(triangle) => triangle.bounds(),
            Self::Box(bounds) => *bounds,
        }
    }
}

/// One box on the way down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) bounds: Aabb,
    pub(crate) rotation: u8,
    pub(crate) cull_flags: CullFlags,
    pub(crate) mask: u8,
}

/// An instance as it was found.
#[derive(Debug, Clone)]
pub(crate) struct FoundInstance {
    pub(crate) node: InstanceNode,
    pub(crate) sideband: GpurtSideband,
    pub(crate) path: Vec<Step>,
}

pub(crate) fn header(image: &Image, base: u64) -> GpurtHeader {
    GpurtHeader::decode(&bits(image, base))
}

pub(crate) fn bits(image: &Image, address: u64) -> NodeBits {
    NodeBits::from_bytes(image.get(address, NODE_BYTES as usize).expect("a node in the image"))
}

/// Everything below the root of the structure at `base`. Parents are checked on the way.
pub(crate) fn read(image: &Image, base: u64) -> (Vec<Found>, Vec<FoundInstance>) {
    let mut reader = Reader { image, base, primitives: Vec::new(), instances: Vec::new() };
    reader.visit(NodePointer(image.root as u32), NodePointer::INVALID, 0, &[]);
    (reader.primitives, reader.instances)
}

struct Reader<'a> {
    image: &'a Image,
    base: u64,
    primitives: Vec<Found>,
    instances: Vec<FoundInstance>,
}

impl Reader<'_> {
    fn bits(&self, pointer: NodePointer) -> NodeBits {
        bits(self.image, self.base + pointer.byte_offset())
    }

    fn visit(&mut self, pointer: NodePointer, parent: NodePointer, slot: usize, path: &[Step]) {
        match pointer.kind() {
            NodeKind::Box => {
                let node = BoxNode::decode(&self.bits(pointer));
                assert_eq!(node.parent, parent);
                let known = if self.has_header() { slot } else { 0 };
                assert_eq!(usize::from(node.index_in_parent), known);
                for (slot, child) in node.child_pointers().into_iter().enumerate() {
                    let entry = &node.children[slot];
                    if slot >= usize::from(node.child_count) || !entry.is_valid() {
                        assert_eq!(*entry, gfx12::layout::ChildEntry::UNUSED);
                        continue;
                    }
                    let step = Step {
                        bounds: node.child_box(slot),
                        rotation: node.obb_matrix_index,
                        cull_flags: entry.cull_flags,
                        mask: entry.mask,
                    };
                    self.visit(child, pointer, slot, &[path, &[step]].concat());
                }
            }
            NodeKind::Instance => {
                let node = InstanceNode::decode(&self.bits(pointer));
                assert_eq!(node.parent, parent);
                let sideband =
                    if self.has_header() { self.sideband(pointer) } else { self.behind(pointer) };
                self.instances.push(FoundInstance { node, sideband, path: path.to_vec() });
            }
            NodeKind::Primitive { .. } => self.range(pointer, path),
            NodeKind::Unused => panic!("{pointer} has an unused type"),
        }
    }

    /// Whether the structures lie behind GPURT's headers, not as in RADV's memory.
    fn has_header(&self) -> bool {
        self.image.root == 0x15
    }

    fn sideband(&self, pointer: NodePointer) -> GpurtSideband {
        let header = header(self.image, self.base);
        let leaf = pointer.byte_offset() - u64::from(header.leaf_node_offset);
        let at = u64::from(header.geometry_info_offset) + leaf / 2;
        let record = self.image.get(self.base + at, 64).expect("a sideband record");
        GpurtSideband::decode(&HalfNodeBits::from_bytes(record))
    }

    /// RADV's data behind an instance node, as a sideband record.
    fn behind(&self, pointer: NodePointer) -> GpurtSideband {
        let data = bits(self.image, self.base + pointer.byte_offset() + NODE_BYTES);
        let data = RadvInstanceData::decode(&data);
        GpurtSideband {
            instance_index: data.instance_index,
            instance_id: data.custom_index,
            object_to_world: data.object_to_world,
            ..GpurtSideband::decode(&HalfNodeBits::ZERO)
        }
    }

    fn range(&mut self, mut pointer: NodePointer, path: &[Step]) {
        loop {
            let node = PrimitiveNode::decode(&self.bits(pointer));
            let pair = usize::from(pointer.pair());
            assert!(pair < node.pair_count());
            let descriptor = node.pair(pair);
            for (side, triangle) in descriptor.triangles.iter().enumerate() {
                if side == 1 && triangle.is_absent() {
                    continue;
                }
                let n = 2 * pair + side;
                let shape = if triangle.is_procedural() {
                    Shape::Box(ProceduralBox::read(&node, ProceduralWriter::of(&node)).bounds)
                } else {
                    Shape::Triangle(node.triangle(pair, side))
                };
                self.primitives.push(Found {
                    pointer,
                    geometry: node.geometry_id(n),
                    primitive: node.primitive_id(n),
                    opaque: triangle.opaque,
                    double_sided: triangle.double_sided,
                    shape,
                    path: path.to_vec(),
                });
            }
            if descriptor.prim_range_stop {
                return;
            }
            pointer = pointer.advance(pair + 1 == node.pair_count());
        }
    }
}

/// The structure that an instance leads to.
pub(crate) fn child_base(node: &InstanceNode) -> u64 {
    node.child_base.address()
}
