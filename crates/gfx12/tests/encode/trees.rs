//! Random BLASes, degenerate ones included.

use geometry::{Aabb, Triangle, Vec3};
use proptest::prelude::*;
use testkit::worlds::{divided, parts};
use tree::{Blas, Bvh, PrimitiveFlags, PrimitiveId, Primitives, Tree};

/// What corners are made of: a base and a scale for each axis, so that some axes are flat, some
/// huge, some denormal.
#[derive(Debug, Clone, Copy)]
struct Grid {
    base: [f32; 3],
    step: [f32; 3],
}

fn grid() -> impl Strategy<Value = Grid> {
    let axis = || {
        prop_oneof![
            4 => (-100.0f32..100.0, -3.0f32..1.0).prop_map(|(base, log)| (base, 10f32.powf(log))),
            1 => Just((7.25, 0.0)),
            1 => Just((0.0, 1.0)),
            1 => Just((-3.0e30, 1.0e28)),
            1 => Just((0.0, f32::from_bits(3))),
            1 => Just((1.0e6, 1.0e-3)),
        ]
    };
    (axis(), axis(), axis())
        .prop_map(|(x, y, z)| Grid { base: [x.0, y.0, z.0], step: [x.1, y.1, z.1] })
}

fn corner(grid: &Grid, steps: [u8; 3]) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|axis| {
        grid.base[axis] + f32::from(steps[axis]) * grid.step[axis]
    }))
}

/// Triangles over few distinct corners, so that vertices are shared; boxes; ids that jump.
fn primitives() -> impl Strategy<Value = Primitives> {
    let id = (prop_oneof![Just(0u32), 0u32..3, 0u32..900], 0u32..20_000, 0u8..4).prop_map(
        |(geometry, primitive, flags)| PrimitiveId {
            geometry,
            primitive: if geometry > 2 { primitive % 50 } else { primitive },
            flags: PrimitiveFlags::from_bits_truncate(flags),
        },
    );
    let triangle = any::<[[u8; 3]; 3]>();
    let boxes = prop::collection::vec(any::<[[u8; 3]; 2]>(), 0..6);
    (
        grid(),
        any::<bool>(),
        prop::collection::vec((triangle, id.clone()), 0..60),
        boxes,
        prop::collection::vec(id, 6),
    )
        .prop_map(|(grid, coarse, triangles, boxes, box_ids)| {
            let reduce = |steps: [u8; 3]| if coarse { steps.map(|s| s % 3) } else { steps };
            let mut primitives = Primitives::default();
            for (corners, id) in triangles {
                let vertices = corners.map(|steps| corner(&grid, reduce(steps)));
                primitives.triangles.push(Triangle { vertices });
                primitives.ids.push(id);
            }
            for (corners, id) in boxes.into_iter().zip(box_ids) {
                primitives.boxes.push(Aabb::of_points(corners.map(|steps| corner(&grid, steps))));
                primitives.ids.push(PrimitiveId { flags: id.flags & PrimitiveFlags::OPAQUE, ..id });
            }
            primitives
        })
}

/// A hierarchy that divides the items at random points, with leaves of any size up to `max_leaf`,
/// and refers to some items twice.
pub(crate) fn blas(max_leaf: usize) -> impl Strategy<Value = Blas> {
    (primitives(), prop::collection::vec(any::<u16>(), 200), any::<bool>()).prop_map(
        move |(primitives, choices, twice)| {
            let mut items: Vec<u32> = (0..primitives.len() as u32).collect();
            if twice {
                items.extend(items.clone().iter().filter(|&&item| item % 5 == 1));
            }
            let mut choices = choices.into_iter().cycle();
            let bvh = random_bvh(&primitives, items, max_leaf, &mut choices);
            Blas { primitives, bvh }
        },
    )
}

fn random_bvh(
    primitives: &Primitives,
    items: Vec<u32>,
    max_leaf: usize,
    choices: &mut impl Iterator<Item = u16>,
) -> Bvh {
    if items.is_empty() {
        return Bvh::empty();
    }
    let bounds = |item: u32| primitives.bounds(item as usize);
    divided(items, primitives.len(), bounds, |items| {
        let choice = usize::from(choices.next().unwrap_or(0));
        if items.len() <= max_leaf && (items.len() == 1 || choice.is_multiple_of(3)) {
            return Vec::new();
        }
        parts(items, (2 + choice % 7).min(items.len()))
    })
}

/// A tree of one level.
pub(crate) fn single(blas: Blas) -> Tree {
    Tree { blases: vec![blas], tlas: None }
}
