//! The primitive test of `image_bvh8_intersect_ray`: one pair, two triangles or procedurals.
//!
//! | VGPR | value |
//! |---|---|
//! | 0 | t of triangle 0, +infinity on a miss |
//! | 1, 2 | u, v of triangle 0, divided, kept on a miss |
//! | 3 | primitive id 0 << 1 \| back 0 |
//! | 4..=7 | the same for triangle 1 |
//! | 8, 9 | geometry id 0, 1 << 2 \| nav |
//!
//! nav is 3 at the end of a range, else 1 at the last pair of the node, else 0. Neither extent nor
//! instance mask acts. Without pointer flags the words are raw; with them signs become flags: that
//! of u says procedural, that of v non-opaque (G-1). Sources: captured vectors without flags, GPURT
//! with.

use super::triangle::{TriangleArithmetic, TriangleTest, word};
use super::{INFINITY_BITS, ONE_BITS, RayRegisters, SIGN_BIT};
use crate::layout::{PairDescriptor, PointerFlags, PrimitiveNode, TriangleDescriptor};
pub(super) use bvh4::unit::culling::{is_class_culled, is_face_culled, is_opaque};

/// The ten result registers for a pair (0..=7) of a primitive node.
#[must_use]
pub fn primitive_test(
    node: &PrimitiveNode,
    pair: usize,
    flags: Option<PointerFlags>,
    ray: &RayRegisters,
    arithmetic: TriangleArithmetic,
) -> [u32; 10] {
    let descriptor = node.pair(pair);
    let nav = navigation(&descriptor, pair, node.pair_count());
    let words = [0, 1].map(|which| {
        let triangle = descriptor.triangles[which];
        let id = node.primitive_id(2 * pair + which) << 1;
        if triangle.is_procedural() {
            procedural_words(&triangle, id, flags)
        } else {
            // An absent triangle 1 is the degenerate (v0, v0, v0), tested like any other (G-2).
            let corners = node.triangle(pair, which);
            let test = TriangleTest::new(ray.origin, ray.direction, &corners, arithmetic);
            triangle_words(&triangle, &test, id, flags)
        }
    });
    let geometry = [0, 1].map(|which| node.geometry_id(2 * pair + which) << 2 | nav);
    let [[t0, u0, v0, id0], [t1, u1, v1, id1]] = words;
    [t0, u0, v0, id0, t1, u1, v1, id1, geometry[0], geometry[1]]
}

/// What a primitive node out of bounds gives (G-15): two misses and the end of a range.
#[must_use]
pub const fn out_of_bounds() -> [u32; 10] {
    [INFINITY_BITS, 0, 0, 0, INFINITY_BITS, 0, 0, 0, 3, 3]
}

/// Where the range goes on: 3 it ends, 1 in the next node, 0 at the next pair.
pub(crate) fn navigation(descriptor: &PairDescriptor, pair: usize, pair_count: usize) -> u32 {
    if descriptor.prim_range_stop { 3 } else { u32::from(pair + 1 >= pair_count) }
}

fn triangle_words(
    triangle: &TriangleDescriptor,
    test: &TriangleTest,
    id: u32,
    flags: Option<PointerFlags>,
) -> [u32; 4] {
    let t = if test.hit { word(test.t) } else { INFINITY_BITS };
    let (u, v) = (word(test.u), word(test.v));
    let Some(flags) = flags else {
        return [t, u, v, id | u32::from(test.is_negative())];
    };
    let flip = flags.contains(PointerFlags::FLIP_FACING);
    let opaque = is_opaque(triangle.opaque, flags);
    let front = (test.determinants.denominator >= 0.0) != flip;
    let culled = is_face_culled(front, triangle.double_sided, flags)
        || flags.contains(PointerFlags::SKIP_TRIANGLES)
        || is_class_culled(opaque, flags);
    let (t, u, v, back) = if culled {
        (INFINITY_BITS, 0, 0, false) // G-27
    } else {
        (t, u, v, test.is_negative() != flip)
    };
    [t, u & !SIGN_BIT, v & !SIGN_BIT | non_opaque_sign(opaque), id | u32::from(back)]
}

/// No box is tested. Without flags nothing culls and v stays positive (G-7).
fn procedural_words(
    triangle: &TriangleDescriptor,
    id: u32,
    flags: Option<PointerFlags>,
) -> [u32; 4] {
    let (culled, sign) = flags.map_or((false, 0), |flags| {
        let opaque = is_opaque(triangle.opaque, flags);
        let culled =
            flags.contains(PointerFlags::SKIP_PROCEDURAL) || is_class_culled(opaque, flags);
        (culled, non_opaque_sign(opaque))
    });
    let t = if culled { INFINITY_BITS } else { 0 };
    [t, ONE_BITS | SIGN_BIT, ONE_BITS | sign, id]
}

/// The sign bit that marks a non-opaque primitive (G-1).
pub(super) const fn non_opaque_sign(opaque: bool) -> u32 {
    if opaque { 0 } else { SIGN_BIT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{PrimitiveContents, PrimitiveHeader};
    use geometry::Vec3;

    /// A front-facing triangle for a ray along +z, its mirror image beside it, in one pair.
    fn pair(edit: impl FnOnce(&mut PairDescriptor)) -> PrimitiveNode {
        let at = |x: f32, y: f32| [x, y, 2.0].map(f32::to_bits);
        let mut descriptor = PairDescriptor::default();
        descriptor.triangles[0].indices = [0, 2, 1];
        descriptor.triangles[1].indices = [0, 1, 2];
        edit(&mut descriptor);
        let contents = PrimitiveContents {
            header: PrimitiveHeader {
                vertex_bits: [32; 3],
                trailing_zeros: 0,
                geometry_base_bits: 4,
                geometry_payload_bits: 4,
                pair_count: 1,
                vertex_type: false,
                primitive_base_bits: 6,
                primitive_payload_bits: 6,
                midpoint: 700,
            },
            vertices: &[at(0.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)],
            primitive_ids: &[Some(33), Some(44)],
            geometry_ids: &[Some(5), Some(6)],
            pairs: &[descriptor],
        };
        contents.pack().unwrap()
    }

    fn test(node: &PrimitiveNode, flags: Option<PointerFlags>) -> [u32; 10] {
        let ray = RayRegisters {
            origin: Vec3::new(1.0, 2.0, -1.0),
            direction: Vec3::Z,
            extent: 0.5,
            mask: 0,
        };
        primitive_test(node, 0, flags, &ray, TriangleArithmetic::default())
    }

    const THREE: u32 = 0x4040_0000;
    const HALF: u32 = 0x3F00_0000;
    const QUARTER: u32 = 0x3E80_0000;

    #[test]
    fn raw_words_and_navigation() {
        let node = pair(|_| ());
        let raw = [THREE, HALF, QUARTER, 66, THREE, QUARTER, HALF, 89, 5 << 2 | 1, 6 << 2 | 1];
        assert_eq!(test(&node, None), raw);
        let stopped = pair(|p| p.prim_range_stop = true);
        assert_eq!(test(&stopped, None)[8..], [5 << 2 | 3, 6 << 2 | 3]);
    }

    #[test]
    fn face_culling_and_its_exceptions() {
        use PointerFlags as F;
        let node = pair(|p| p.triangles[1].opaque = true);
        let hits = |flags| [0, 4].map(|k| test(&node, Some(flags))[k] == THREE);
        assert_eq!(hits(F::empty()), [true, true]);
        assert_eq!(hits(F::CULL_FRONT_FACING), [false, true]);
        assert_eq!(hits(F::CULL_BACK_FACING), [true, false]);
        assert_eq!(hits(F::CULL_BACK_FACING | F::FLIP_FACING), [false, true]);
        assert_eq!(hits(F::CULL_BACK_FACING | F::DISABLE_FACE_CULL), [true, true]);
        assert_eq!(hits(F::SKIP_TRIANGLES), [false, false]);
        assert_eq!(hits(F::CULL_OPAQUE), [true, false]);
        assert_eq!(hits(F::CULL_NON_OPAQUE), [false, true]);
        assert_eq!(hits(F::CULL_NON_OPAQUE | F::FORCE_OPAQUE), [true, true]);
        assert_eq!(hits(F::CULL_NON_OPAQUE | F::FORCE_NON_OPAQUE), [false, false]);
        let double = pair(|p| p.triangles[1].double_sided = true);
        assert_eq!(test(&double, Some(F::CULL_BACK_FACING))[4], THREE);
    }

    #[test]
    fn signs_become_flags() {
        let node = pair(|p| p.triangles[1].opaque = true);
        let words = test(&node, Some(PointerFlags::FLIP_FACING));
        assert_eq!(words[..4], [THREE, HALF, QUARTER | SIGN_BIT, 67]);
        assert_eq!(words[4..8], [THREE, QUARTER, HALF, 88]);
        let culled = test(&node, Some(PointerFlags::SKIP_TRIANGLES));
        assert_eq!(culled[..8], [INFINITY_BITS, 0, SIGN_BIT, 66, INFINITY_BITS, 0, 0, 88]);
    }

    #[test]
    fn procedurals() {
        use PointerFlags as F;
        let node = pair(|p| {
            p.triangles[0].indices = [15, 15, 3];
            p.triangles[0].opaque = true;
        });
        let opaque = [0x0000_0000, 0xBF80_0000, 0x3F80_0000, 66];
        assert_eq!(test(&node, Some(F::empty()))[..4], opaque);
        assert_eq!(test(&node, None)[..4], opaque);
        assert_eq!(test(&node, Some(F::SKIP_TRIANGLES))[..4], opaque);
        let skipped = [INFINITY_BITS, 0xBF80_0000, 0x3F80_0000, 66];
        assert_eq!(test(&node, Some(F::SKIP_PROCEDURAL))[..4], skipped);
        assert_eq!(test(&node, Some(F::CULL_OPAQUE))[..4], skipped);
        let forced = [0, 0xBF80_0000, 0xBF80_0000, 66];
        assert_eq!(test(&node, Some(F::FORCE_NON_OPAQUE))[..4], forced);
    }
}
