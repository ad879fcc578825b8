//! `image_bvh8_intersect_ray`: one ray against one node of the compressed format.
//!
//! | type, three bits | action |
//! |---|---|
//! | 5 | [box test](super::box_test) |
//! | 0..=3 | [primitive test](super::primitive_test) |
//! | 6, with T# bit 118 | [instance test](super::instance_test) |
//! | 6 without it, 4, 7 | ten times 0xFFFFFFFF |
//!
//! VIMAGE opcode 129. A node out of bounds gives 0xFFFFFFFF ten times, or two misses for a
//! primitive (G-15). With T# bit 115 clear a box gives 0xFFFFFFFF ten times, with bit 52 clear any
//! node does (G-4).
//!
//! ```
//! use gfx12::instruction::*;
//! use gfx12::layout::*;
//! let bytes = include_bytes!("../../tests/vectors/hiprt-cornell-bvh8.bin");
//! let memory = machine::Segment::new(0, &bytes[0x40..]);
//! let operands = Bvh8Operands {
//!     resource: Resource::hiprt(SortHeuristic::Closest),
//!     base: BasePointer::default(),
//!     ray: RayRegisters {
//!         origin: [278.0, 273.0, -800.0].into(),
//!         direction: [0.0, 0.0, 1.0].into(),
//!         extent: f32::INFINITY,
//!         mask: 0xFF,
//!     },
//!     node: NodePointer::ROOT,
//! };
//! let answer = image_bvh8_intersect_ray(&memory, &operands, TriangleArithmetic::default());
//! assert_eq!(answer.vdst[..4], [0x12, 0x91, 0x51, 0xFFFF_FFFF]);
//! ```

use super::box_test::box_test;
use super::instance_test::instance_test;
use super::memory::{Memory, read_node};
use super::primitive_test::{out_of_bounds, primitive_test};
use super::triangle::TriangleArithmetic;
use super::{Answer, NOTHING, RayRegisters, Warning};
use crate::layout::{BasePointer, BoxNode, InstanceNode, NodePointer, PrimitiveNode, Resource};

/// Operands of `image_bvh8_intersect_ray`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bvh8Operands {
    /// The T#.
    pub resource: Resource,
    /// VADDR0.
    pub base: BasePointer,
    /// VADDR1, 2 and 3.
    pub ray: RayRegisters,
    /// VADDR4.
    pub node: NodePointer,
}

/// Executes the instruction. Any memory and any registers have an answer.
#[must_use]
pub fn image_bvh8_intersect_ray<M: Memory + ?Sized>(
    memory: &M,
    operands: &Bvh8Operands,
    arithmetic: TriangleArithmetic,
) -> Answer {
    let Bvh8Operands { resource, base, ray, node } = operands;
    let nothing = ray.unchanged([NOTHING; 10]);
    if !resource.sort_triangles_first {
        return Answer { warning: Some(Warning::SortTrianglesFirstClear), ..nothing };
    }
    let flags = resource.pointer_flags.then(|| base.flags());
    let read = || read_node::<32, M>(memory, resource, *base, node.byte_offset());
    if node.is_box() {
        if !resource.compressed_format {
            return Answer { warning: Some(Warning::CompressedFormatClear), ..nothing };
        }
        read().map_or(nothing, |bits| {
            ray.unchanged(box_test(&BoxNode::decode(&bits), resource, flags, ray))
        })
    } else if node.is_primitive() {
        let vdst = read().map_or(out_of_bounds(), |bits| {
            let pair = usize::from(node.pair());
            primitive_test(&PrimitiveNode::decode(&bits), pair, flags, ray, arithmetic)
        });
        ray.unchanged(vdst)
    } else if node.is_instance() && resource.instance_enabled {
        read().map_or(nothing, |bits| {
            instance_test(&InstanceNode::decode(&bits), resource, *base, ray)
        })
    } else {
        nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::SortHeuristic;
    use geometry::Vec3;
    use machine::Segment;
    use proptest::prelude::*;

    fn operands(node: u32) -> Bvh8Operands {
        Bvh8Operands {
            resource: Resource::radv(SortHeuristic::Closest),
            base: BasePointer::default(),
            ray: RayRegisters {
                origin: Vec3::new(1.0, 2.0, 3.0),
                direction: Vec3::new(0.5, -0.25, 1.0),
                extent: 10.0,
                mask: 0xFF,
            },
            node: NodePointer(node),
        }
    }

    fn run(memory: &Segment, operands: &Bvh8Operands) -> Answer {
        image_bvh8_intersect_ray(memory, operands, TriangleArithmetic::default())
    }

    proptest! {
        #[test]
        fn nothing_panics(
            bytes in any::<[u8; 128]>(), resource: [u32; 4], base: u64, node: u32, in_bounds: bool,
            ray in any::<[u32; 7]>(), mask: u8,
        ) {
            let memory = Segment::new(0, &bytes);
            let [ox, oy, oz, dx, dy, dz, extent] = ray.map(f32::from_bits);
            let mut operands = Bvh8Operands {
                resource: Resource::from_words(resource),
                base: BasePointer(base),
                ray: RayRegisters {
                    origin: Vec3::new(ox, oy, oz),
                    direction: Vec3::new(dx, dy, dz),
                    extent,
                    mask,
                },
                node: NodePointer(node),
            };
            if in_bounds {
                operands.resource = Resource::radv(SortHeuristic::Midpoint);
                operands.resource.pointer_flags = node & 0x100 != 0;
                operands.base = BasePointer(base & 0xFFC0_0000_0000_0000);
                operands.node = NodePointer(node & 0xF);
            }
            for arithmetic in [TriangleArithmetic::AsPublished, TriangleArithmetic::Translated] {
                let answer = image_bvh8_intersect_ray(&memory, &operands, arithmetic);
                let origin = answer.origin.to_array().map(f32::to_bits);
                prop_assert!(operands.node.is_instance() || origin == [ray[0], ray[1], ray[2]]);
            }
        }
    }

    #[test]
    fn unused_types_answer_nothing() {
        let memory = Segment::new(0, &[0; 128]);
        for node in [4, 7, 12, 15] {
            assert_eq!(run(&memory, &operands(node)).vdst, [NOTHING; 10]);
        }
        let mut without_instances = operands(6);
        without_instances.resource.instance_enabled = false;
        assert_eq!(run(&memory, &without_instances).vdst, [NOTHING; 10]);
        assert_ne!(run(&memory, &operands(6)).vdst, [NOTHING; 10]);
    }

    #[test]
    fn out_of_bounds() {
        let memory = Segment::new(0, &[0; 256]);
        let mut bounded = operands(0x15);
        bounded.resource.last_unit = 2;
        assert_eq!(run(&memory, &bounded).vdst, [NOTHING; 10]);
        bounded.node = NodePointer(0x16);
        assert_eq!(run(&memory, &bounded), bounded.ray.unchanged([NOTHING; 10]));
        bounded.node = NodePointer(0x1A);
        let miss = INFINITY;
        assert_eq!(run(&memory, &bounded).vdst, [miss, 0, 0, 0, miss, 0, 0, 0, 3, 3]);
    }

    const INFINITY: u32 = 0x7F80_0000;

    #[test]
    fn resource_bits_that_silence_the_unit() {
        let memory = Segment::new(0, &[0; 128]);
        for node in [0, 5, 6] {
            let mut silenced = operands(node);
            silenced.resource.sort_triangles_first = false;
            let answer = run(&memory, &silenced);
            assert_eq!(answer.vdst, [NOTHING; 10]);
            assert_eq!(answer.warning, Some(Warning::SortTrianglesFirstClear));
        }
        let mut uncompressed = operands(5);
        uncompressed.resource.compressed_format = false;
        assert_eq!(run(&memory, &uncompressed).warning, Some(Warning::CompressedFormatClear));
        uncompressed.node = NodePointer(0);
        assert_eq!(run(&memory, &uncompressed).warning, None);
    }
}
