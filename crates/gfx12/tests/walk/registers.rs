//! The registers stay raw, and on the Möller-Trumbore rule they say what the law says before it
//! moves `t` into the triangle's box.

use super::support::{Random, World, aimed, soup};
use geometry::{Triangle, TriangleRule};
use gfx12::decode::{NodeBody, nodes};
use gfx12::encode::Options as EncodeOptions;
use gfx12::instruction::{
    Bvh8Operands, RayRegisters, TriangleArithmetic, image_bvh8_intersect_ray,
};
use gfx12::layout::{
    BasePointer, NodePointer, PointerFlags, Resource, SortHeuristic, type_of_pair,
};

#[test]
fn raw_t_is_that_of_the_rule() {
    let world = World::new(&soup(300, 9), &EncodeOptions::default());
    let image = world.image.image();
    let base = BasePointer::new(image.bases[0], PointerFlags::empty()).unwrap();
    let mut random = Random(77);
    let mut hits = 0;
    for node in nodes(image) {
        let NodeBody::Primitive { node: primitive, reached } = node.body else { continue };
        for pair in (0..8u8).filter(|pair| reached >> pair & 1 == 1) {
            for _ in 0..40 {
                let ray = aimed(&world.tree, &mut random).shape;
                let operands = Bvh8Operands {
                    resource: Resource::radv(SortHeuristic::Closest),
                    base,
                    ray: RayRegisters {
                        origin: ray.origin,
                        direction: ray.direction,
                        extent: 0.0,
                        mask: 0xFF,
                    },
                    node: NodePointer(node.pointer.0 | u32::from(type_of_pair(pair))),
                };
                let arithmetic = TriangleArithmetic::AsPublished;
                let vdst = image_bvh8_intersect_ray(image, &operands, arithmetic).vdst;
                for which in 0..2 {
                    let triangle: Triangle = primitive.triangle(usize::from(pair), which);
                    let raw = TriangleRule::MollerTrumbore.intersect(&ray, &triangle);
                    let t = raw.map_or(f32::INFINITY, |hit| hit.t);
                    assert_eq!(vdst[4 * which], t.to_bits());
                    if let Some(hit) = raw {
                        hits += 1;
                        let (u, v) = (hit.u.abs().to_bits(), hit.v.abs().to_bits());
                        assert_eq!([vdst[4 * which + 1], vdst[4 * which + 2]], [u, v]);
                        assert_eq!(vdst[4 * which + 3] & 1 == 0, hit.front);
                    }
                }
            }
        }
    }
    assert!(hits > 50, "{hits}");
}
