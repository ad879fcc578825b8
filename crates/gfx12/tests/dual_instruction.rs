//! `image_bvh_dual_intersect_ray` on nodes made by hand: sorting, instances, bounds, odd pointers.

use geometry::{Aabb, Transform, Vec3};
use gfx12::instruction::{
    Answer, DualOperands, RayRegisters, TriangleArithmetic, Warning, image_bvh_dual_intersect_ray,
};
use gfx12::layout::bvh4x2::{
    Bvh4Pointer, Bvh4x2InstanceNode, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
    high_precision_box::encode_plane,
};
use gfx12::layout::{BasePointer, CullFlags, PointerFlags, Resource, SortHeuristic};
use machine::Segment;
use proptest::prelude::*;

const F: u32 = 0xFFFF_FFFF;

fn run(memory: &Segment, operands: &DualOperands) -> Answer {
    image_bvh_dual_intersect_ray(memory, operands, TriangleArithmetic::default())
}

fn operands(nodes: [u32; 2]) -> DualOperands {
    DualOperands {
        resource: Resource::dual(SortHeuristic::Closest, 0, false),
        base: BasePointer::default(),
        ray: RayRegisters { origin: Vec3::ZERO, direction: Vec3::X, extent: 100.0, mask: 0xFF },
        nodes: nodes.map(Bvh4Pointer),
    }
}

/// A box node whose children lie on the x axis.
fn row(children: [(u32, f32, f32); 4]) -> Fp32BoxNode {
    Fp32BoxNode {
        children: children.map(|(pointer, ..)| Bvh4Pointer(pointer)),
        boxes: children
            .map(|(_, low, high)| Aabb::new(Vec3::new(low, -1.0, -1.0), Vec3::new(high, 1.0, 1.0))),
        flag_bytes: [0; 4],
        primitive_count: 0,
        unused: [0; 2],
    }
}

/// Box A at pointer 0x5 and box B at pointer 0x15.
fn two_boxes() -> Segment {
    let a = row([(0x45, 1.0, 1.5), (0x55, 3.0, 3.5), (0x61, 5.0, 5.5), (0x75, 7.0, 7.5)]);
    let b = row([(0x85, 2.0, 2.5), (0x90, 4.0, 4.5), (0xA5, 6.0, 6.5), (0xB5, -3.0, -2.5)]);
    Segment::new(0, &[a.encode().to_bytes(), b.encode().to_bytes()].concat())
}

#[test]
fn two_boxes_by_wide_sort_and_triangles_first() {
    let memory = two_boxes();
    for (wide, triangles_first, expected) in [
        (true, false, [0x45, 0x85, 0x55, 0x90, 0x61, 0xA5, 0x75, F]),
        (true, true, [0x61, 0x90, 0x45, 0x85, 0x55, 0xA5, 0x75, F]),
        (false, false, [0x45, 0x55, 0x61, 0x75, 0x85, 0x90, 0xA5, F]),
        (false, true, [0x61, 0x45, 0x55, 0x75, 0x90, 0x85, 0xA5, F]),
    ] {
        let mut operands = operands([0x5, 0x15]);
        operands.resource.wide_sort = wide;
        operands.resource.sort_triangles_first = triangles_first;
        let answer = run(&memory, &operands);
        assert_eq!(answer.vdst[..8], expected, "wide {wide}, triangles first {triangles_first}");
        assert_eq!(answer.vdst[8..], [F, F]);
    }
}

#[test]
fn unsorted_slots_keep_their_order_even_if_wide() {
    let mut operands = operands([0x15, 0x5]);
    operands.resource.box_sort_enabled = false;
    let answer = run(&two_boxes(), &operands);
    assert_eq!(answer.vdst[..8], [0x85, 0x90, 0xA5, F, 0x45, 0x55, 0x61, 0x75]);
}

#[test]
fn one_box_out_of_bounds_leaves_the_other_in_its_slot() {
    let memory = two_boxes();
    let mut bounded = operands([0x15, 0x5]);
    bounded.resource.last_unit = 2;
    assert_eq!(run(&memory, &bounded).vdst[..8], [F, F, F, F, 0x61, 0x45, 0x55, 0x75]);
    bounded.resource.last_unit = 3;
    assert_eq!(run(&memory, &bounded).vdst[..4], [0x61, 0x90, 0x45, 0x85]);
}

#[test]
fn flags_cull_children() {
    let mut node = row([(0x45, 1.0, 2.0), (0x55, 3.0, 4.0), (0x65, 5.0, 6.0), (F, 7.0, 8.0)]);
    node.flag_bytes = [
        CullFlags::ONLY_OPAQUE.bits(),
        CullFlags::ONLY_TRIANGLES.bits() | 0xF0,
        CullFlags::empty().bits(),
        0,
    ];
    let memory = Segment::new(0, &node.encode().to_bytes());
    let mut operands = operands([0x5, F]);
    operands.base = BasePointer::default().with_flags(PointerFlags::CULL_OPAQUE);
    assert_eq!(run(&memory, &operands).vdst[..4], [0x55, 0x65, F, F]);
    operands.base = BasePointer::default().with_flags(PointerFlags::SKIP_TRIANGLES);
    assert_eq!(run(&memory, &operands).vdst[..4], [0x45, 0x65, F, F]);
    operands.resource.pointer_flags = false;
    assert_eq!(run(&memory, &operands).vdst[..4], [0x45, 0x55, 0x65, F]);
}

#[test]
fn high_precision_boxes() {
    let exponents = [130; 3];
    let code = |plane| encode_plane(plane, 130);
    let row = |low, high| [low, -1.0, -1.0, high, 1.0, 1.0].map(code);
    let node = HighPrecisionBoxNode {
        child_base: 8,
        child_types: [4, HighPrecisionBoxNode::NO_CHILD, 1, 6],
        cull_flags: [CullFlags::empty(); 4],
        exponents,
        planes: [row(5.3, 6.0), HighPrecisionBoxNode::NO_PLANES, row(7.7, 7.9), row(1.1, 2.0)],
    };
    let memory = Segment::new(0, &node.encode().to_bytes());
    let mut operands = operands([0x4, F]);
    operands.resource = Resource::dual(SortHeuristic::Closest, 0, true);
    assert_eq!(run(&memory, &operands).vdst[..4], [0x51, 0x5E, 0x44, F]);
}

fn instance() -> Bvh4x2InstanceNode {
    let flags = PointerFlags::FORCE_NON_OPAQUE | PointerFlags::SKIP_PROCEDURAL;
    Bvh4x2InstanceNode {
        world_to_object: Transform {
            rows: [[2.0, 0.0, 0.0, -1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
        },
        child_base: BasePointer(0x1000).with_flags(flags),
        child_root: Bvh4Pointer(5),
        user_data: 7,
        mask: 0x55,
        software: [0x1234; 16],
    }
}

fn enter(nodes: [u32; 2]) -> DualOperands {
    let mut operands = operands(nodes);
    operands.base = BasePointer::default().with_flags(PointerFlags::FORCE_OPAQUE);
    operands.ray.origin = Vec3::new(1.0, 2.0, 3.0);
    operands.ray.direction = Vec3::new(1.0, 0.0, 1.0);
    operands.ray.mask = 0x10;
    operands
}

#[test]
fn an_instance_owns_all_registers() {
    let memory = Segment::new(0, &instance().encode().to_bytes());
    let answer = run(&memory, &enter([0x6, 0x0]));
    let u = 0xDEAD_BEEF;
    assert_eq!(answer.vdst, [u, u, 0x1000, 0x8040_0000, u, u, 7, 5, F, F]);
    assert_eq!(
        (answer.origin, answer.direction),
        (Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 0.0, 1.0))
    );
}

#[test]
fn culled_instances_change_nothing_but_words() {
    let memory = Segment::new(0, &instance().encode().to_bytes());
    let mut masked = enter([0x6, F]);
    masked.ray.mask = 0x0A;
    let answer = run(&memory, &masked);
    assert_eq!((answer.vdst[2], answer.vdst[6], answer.vdst[7]), (0x1000, 7, F));
    assert_eq!((answer.origin, answer.direction), (masked.ray.origin, masked.ray.direction));
    let mut skipping = enter([0x6, F]);
    skipping.base = skipping.base.with_flags(PointerFlags::SKIP_TRIANGLES);
    assert_eq!(run(&memory, &skipping).vdst[7], F);
}

#[test]
fn instances_where_none_belong() {
    let memory = Segment::new(0, &[instance().encode().to_bytes(); 2].concat());
    let both = enter([0x6, 0x16]);
    let answer = run(&memory, &both);
    assert_eq!((answer.vdst, answer.origin), ([F; 10], both.ray.origin));
    // In slot 1 alone, disabled, or named by a special value: a user node.
    assert_eq!(run(&memory, &enter([F, 0x6])).vdst, [F; 10]);
    assert_eq!(run(&memory, &enter([0xFFFF_FFFE, F])).vdst, [F; 10]);
    assert_ne!(run(&memory, &enter([0x6, 0xFFFF_FFFE])).vdst, [F; 10]);
    let mut disabled = enter([0x6, F]);
    disabled.resource.instance_enabled = false;
    assert_eq!(run(&memory, &disabled).vdst, [F; 10]);
    let mut bounded = enter([0x16, F]);
    bounded.resource.last_unit = 2;
    assert_eq!(run(&memory, &bounded).vdst, [F; 10]);
}

#[test]
fn triangles_report_their_geometry_hit_or_not() {
    let node = TriangleNode {
        vertices: [[2.0, -1.0, -1.0], [2.0, 3.0, -1.0], [2.0, -1.0, 3.0], [2.0, 9.0, 9.0]]
            .map(Vec3::from_array),
        primitive_ids: [1, 2],
        geometry_id: 0xFEDC_BA98,
        id_word: 0x8989,
    };
    let memory = Segment::new(0, &node.encode().to_bytes());
    let answer = run(&memory, &operands([0x1, 0x0]));
    assert_eq!(answer.vdst[8..], [0xFEDC_BA98; 2]);
    let quotient = |k: usize| f32::from_bits(answer.vdst[k]) / f32::from_bits(answer.vdst[k + 1]);
    assert_eq!((quotient(0), quotient(4)), (f32::INFINITY, 2.0));
    let outside = run(&memory, &operands([0x8, 0x2]));
    assert_eq!(outside.vdst[..8], [0x7F80_0000, 0x3F80_0000, 0, 0, F, F, F, F]);
    assert_eq!(outside.vdst[8..], [F, F]);
}

#[test]
fn compressed_nodes_are_refused_with_a_warning() {
    let mut compressed = enter([0x6, F]);
    compressed.resource.compressed_format = true;
    let answer = run(&Segment::new(0, &instance().encode().to_bytes()), &compressed);
    assert_eq!((answer.vdst, answer.origin), ([F; 10], compressed.ray.origin));
    assert_eq!(answer.warning, Some(Warning::CompressedFormatSet));
    assert!(answer.warning.unwrap().to_string().contains("115"));
}

proptest! {
    #[test]
    fn nothing_panics(
        bytes in prop::collection::vec(any::<u8>(), 256),
        mut resource: [u32; 4],
        base: u64,
        nodes: [u32; 2],
        small: bool, ray in any::<[u32; 7]>(), mask: u8,
    ) {
        let memory = Segment::new(0, &bytes);
        let [ox, oy, oz, dx, dy, dz, extent] = ray.map(f32::from_bits);
        if small {
            (resource[0], resource[2]) = (0, F);
            resource[1] &= !0xFF;
            resource[3] |= 0x3FF;
            resource[3] &= !(1 << 19);
        }
        let operands = DualOperands {
            resource: Resource::from_words(resource),
            base: BasePointer(if small { base & !((1 << 54) - 1) } else { base }),
            ray: RayRegisters {
                origin: Vec3::new(ox, oy, oz),
                direction: Vec3::new(dx, dy, dz),
                extent,
                mask,
            },
            nodes: nodes.map(|node| Bvh4Pointer(if small { node & 0x1F } else { node })),
        };
        for arithmetic in [TriangleArithmetic::AsPublished, TriangleArithmetic::Translated] {
            let answer = image_bvh_dual_intersect_ray(&memory, &operands, arithmetic);
            prop_assert!(answer.warning.is_none() || answer.vdst == [F; 10]);
        }
    }
}
