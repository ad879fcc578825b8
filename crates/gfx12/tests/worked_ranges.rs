//! A range that crosses nodes, followed as a loop follows it: by navigation bits and the stack.

use geometry::Vec3;
use gfx12::instruction::{
    Bvh8Operands, RayRegisters, TriangleArithmetic, image_bvh8_intersect_ray,
};
use gfx12::layout::{BasePointer, NodePointer, Resource, SortHeuristic};
use gfx12::stack::{StackMode, push8_pop1};
use machine::Segment;

#[test]
fn a_range_of_the_hiprt_image_crosses_three_nodes() {
    let image = include_bytes!("vectors/hiprt-cornell-bvh8.bin");
    let memory = Segment::new(0, &image[0x4C0..]);
    let mut operands = Bvh8Operands {
        resource: Resource::hiprt(SortHeuristic::Closest),
        base: BasePointer::default(),
        ray: RayRegisters {
            origin: Vec3::new(278.0, 273.0, -800.0),
            direction: Vec3::new(0.1, -0.2, 1.0),
            extent: f32::INFINITY,
            mask: 0xFF,
        },
        node: NodePointer(0x12),
    };
    let (mut lds, mut address) = ([0; 512], 0);
    let mode = StackMode { size: 16, range_mode: true };
    let (mut visited, mut ids) = (Vec::new(), Vec::new());
    while operands.node != NodePointer::TERMINAL {
        let answer = image_bvh8_intersect_ray(&memory, &operands, TriangleArithmetic::default());
        visited.push((operands.node.0, answer.vdst[8] & 3));
        ids.push(answer.vdst[3] >> 1);
        let mut data = [NodePointer::INVALID.0; 8];
        data[7] = operands.node.0;
        let last = NodePointer::range_update(answer.vdst[8] & 3);
        operands.node = push8_pop1(&mut lds, &mut address, last, data, mode);
    }
    assert_eq!(visited, [(0x12, 1), (0x20, 0), (0x21, 1), (0x30, 3)]);
    assert_eq!(ids, [0, 26, 1, 27]);
}
