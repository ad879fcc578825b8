//! Triangles of `image_bvh_dual_intersect_ray`: one triangle, four words, nothing divided.
//!
//! | word | triangle_return_mode 1 | mode 0 (G-32) |
//! |---|---|---|
//! | 0 | t numerator; on a miss infinity with the sign of the denominator | the same |
//! | 1 | denominator, on a miss too | the same |
//! | 2 | I numerator: the weight of the I source, on a miss too | dword 15 of the node |
//! | 3 | J numerator: the weight of the J source, on a miss too | 1 for a hit, else 0 |
//!
//! With pointer flags, signs become flags: word 1 says facing, word 2 procedural, word 3
//! non-opaque. Sources: captures with the 64-bit instruction, GPURT for flags.

use super::primitive_test::{is_class_culled, is_face_culled, is_opaque, non_opaque_sign};
use super::triangle::{TriangleArithmetic, TriangleTest};
use super::{INFINITY_BITS, ONE_BITS, RayRegisters, SIGN_BIT};
use crate::layout::bvh4x2::{TriangleInfo, TriangleNode};
use crate::layout::{PointerFlags, Resource};

/// Words 0 and 1 of a culled triangle.
const CULLED: [u32; 2] = [INFINITY_BITS, ONE_BITS];

/// The four words for triangle 0 or 1 of a node.
#[must_use]
pub fn triangle_test(
    node: &TriangleNode,
    which: usize,
    resource: &Resource,
    flags: Option<PointerFlags>,
    ray: &RayRegisters,
    arithmetic: TriangleArithmetic,
) -> [u32; 4] {
    let info = node.info(which);
    let (hit, words) = if info.procedural {
        procedural_words(&info, flags)
    } else {
        let triangle = node.triangle(which);
        let test = TriangleTest::new(ray.origin, ray.direction, &triangle, arithmetic);
        let raw = test.words(&info);
        match flags {
            None => (test.hit, raw),
            Some(flags) => flagged_words(raw, test.hit, &info, flags),
        }
    };
    if resource.triangle_return_mode {
        words
    } else {
        [words[0], words[1], node.id_word, u32::from(hit)]
    }
}

/// What a triangle node out of bounds gives (G-15).
#[must_use]
pub const fn out_of_bounds() -> [u32; 4] {
    [CULLED[0], CULLED[1], 0, 0]
}

fn flagged_words(
    mut words: [u32; 4],
    hit: bool,
    info: &TriangleInfo,
    flags: PointerFlags,
) -> (bool, [u32; 4]) {
    if flags.contains(PointerFlags::FLIP_FACING) != info.flip_winding {
        words[0] ^= SIGN_BIT;
        words[1] ^= SIGN_BIT;
    }
    let front = words[1] & SIGN_BIT == 0;
    let opaque = is_opaque(info.opaque, flags);
    let culled = is_face_culled(front, info.double_sided, flags)
        || flags.contains(PointerFlags::SKIP_TRIANGLES)
        || is_class_culled(opaque, flags);
    if culled {
        words = [CULLED[0], CULLED[1], 0, 0];
    }
    let [t, denominator, i, j] = words;
    (hit && !culled, [t, denominator, i & !SIGN_BIT, j & !SIGN_BIT | non_opaque_sign(opaque)])
}

/// No box is tested. Without flags nothing culls and word 3 stays positive (as G-7).
fn procedural_words(info: &TriangleInfo, flags: Option<PointerFlags>) -> (bool, [u32; 4]) {
    let (culled, sign) = flags.map_or((false, 0), |flags| {
        let opaque = is_opaque(info.opaque, flags);
        let culled =
            flags.contains(PointerFlags::SKIP_PROCEDURAL) || is_class_culled(opaque, flags);
        (culled, non_opaque_sign(opaque))
    });
    let t = if culled { INFINITY_BITS } else { 0 };
    (!culled, [t, ONE_BITS, ONE_BITS | SIGN_BIT, ONE_BITS | sign])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::SortHeuristic;
    use geometry::Vec3;

    fn quad(id_word: u32) -> TriangleNode {
        TriangleNode {
            vertices: [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
                .map(Vec3::from_array),
            primitive_ids: [0; 2],
            geometry_id: 0,
            id_word,
        }
    }

    fn words(node: &TriangleNode, which: usize, flags: Option<PointerFlags>) -> [u32; 4] {
        let ray = RayRegisters {
            origin: Vec3::new(0.75, 0.75, 0.0),
            direction: Vec3::Z,
            extent: 0.0,
            mask: 0,
        };
        let resource = Resource::dual(SortHeuristic::Closest, 0, false);
        triangle_test(node, which, &resource, flags, &ray, TriangleArithmetic::default())
    }

    #[test]
    fn weights_by_source() {
        let node = quad(0x0908);
        assert_eq!(words(&node, 1, None), [1.0f32, 1.0, 0.5, 0.25].map(f32::to_bits));
        let third = quad(0x0300);
        assert_eq!(words(&third, 1, None)[2], 0, "G-31");
    }

    #[test]
    fn a_miss_keeps_the_sign() {
        let mut node = quad(0x0908);
        node.vertices.swap(1, 2);
        assert_eq!(words(&node, 0, None), [0xFF80_0000, 0xBF80_0000, 0x3F00_0000, 0xBF40_0000]);
    }

    #[test]
    fn flags_and_signs() {
        use PointerFlags as F;
        let one = ONE_BITS;
        let (half, quarter) = (0x3F00_0000, 0x3E80_0000);
        let opaque = quad(0x8900);
        assert_eq!(words(&opaque, 1, Some(F::empty())), [one, one, half, quarter]);
        let clear = quad(0x0900);
        assert_eq!(words(&clear, 1, Some(F::empty())), [one, one, half, quarter | SIGN_BIT]);
        let flipped = [one | SIGN_BIT, one | SIGN_BIT, half, quarter];
        assert_eq!(words(&opaque, 1, Some(F::FLIP_FACING)), flipped);
        assert_eq!(words(&quad(0xA900), 1, Some(F::empty())), flipped);
        assert_eq!(words(&quad(0xA900), 1, Some(F::FLIP_FACING)), [one, one, half, quarter]);
        let culled = [INFINITY_BITS, one, 0, 0];
        assert_eq!(words(&opaque, 1, Some(F::CULL_FRONT_FACING)), culled);
        assert_eq!(words(&opaque, 1, Some(F::CULL_OPAQUE)), culled);
        assert_eq!(words(&opaque, 1, Some(F::SKIP_TRIANGLES)), culled);
        assert_eq!(words(&clear, 1, Some(F::SKIP_TRIANGLES))[3], SIGN_BIT);
        assert_eq!(words(&quad(0x9900), 1, Some(F::CULL_FRONT_FACING))[0], one, "double sided");
        assert_eq!(words(&opaque, 1, Some(F::CULL_FRONT_FACING | F::DISABLE_FACE_CULL))[0], one);
        assert_eq!(words(&opaque, 1, Some(F::CULL_BACK_FACING))[0], one);
    }

    #[test]
    fn procedurals() {
        use PointerFlags as F;
        let node = quad(0x00C9);
        let hit = [0, 0x3F80_0000, 0xBF80_0000, 0x3F80_0000];
        assert_eq!(words(&node, 0, None), hit);
        assert_eq!(words(&node, 0, Some(F::SKIP_TRIANGLES)), hit);
        assert_eq!(words(&node, 0, Some(F::SKIP_PROCEDURAL))[0], INFINITY_BITS);
        assert_eq!(words(&quad(0x0049), 0, Some(F::empty()))[3], 0xBF80_0000);
        assert_eq!(words(&quad(0x0049), 0, Some(F::CULL_NON_OPAQUE))[0], INFINITY_BITS);
    }

    #[test]
    fn return_mode_0_gives_ids_and_status() {
        let node = quad(0xDEAD_8908);
        let usual = Resource::dual(SortHeuristic::Closest, 0, false);
        let resource = Resource { triangle_return_mode: false, ..usual };
        let ray = RayRegisters {
            origin: Vec3::new(0.75, 0.75, 0.0),
            direction: Vec3::Z,
            extent: 0.0,
            mask: 0,
        };
        let status = |which, flags| {
            let words = triangle_test(&node, which, &resource, flags, &ray, Default::default());
            (words[2], words[3])
        };
        assert_eq!(status(1, None), (0xDEAD_8908, 1));
        assert_eq!(status(0, None), (0xDEAD_8908, 0));
        assert_eq!(status(1, Some(PointerFlags::CULL_OPAQUE)), (0xDEAD_8908, 0));
    }
}
