//! One triangle: four words, nothing divided.
//!
//! | word | triangle_return_mode 1 | mode 0 (R-8) |
//! |---|---|---|
//! | 0 | t numerator; on a miss infinity with the sign of the denominator (R-2) | the same |
//! | 1 | denominator, on a miss too | the same |
//! | 2 | I numerator: the weight of the I source, on a miss too | dword 15 of the node |
//! | 3 | J numerator: the weight of the J source, on a miss too | 1 for a hit, else 0 |
//!
//! A node has five vertices, of which the type of the pointer picks three: a fan around v2. Types 2
//! and 3 use v4, where every writer keeps ids. Unlike on GFX12, no sign is a flag. Sources:
//! GPURT, captures of the same instruction on GFX12.

use super::Operands;
use crate::layout::Resource;
use bvh4::layout::{PointerFlags, TriangleInfo};
use bvh4::unit::culling::{is_class_culled, is_face_culled, is_opaque};
use bvh4::unit::triangle::{TriangleArithmetic, TriangleTest};
use bvh4::unit::{INFINITY_BITS, ONE_BITS, SIGN_BIT};
use geometry::{Triangle, Vec3};

/// The words of a triangle out of bounds, or culled.
pub const OUT_OF_BOUNDS: [u32; 4] = [INFINITY_BITS, ONE_BITS, 0, 0];

/// Which vertices are the corners of each type, in test order.
pub const CORNERS: [[usize; 3]; 4] = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [2, 4, 0]];

/// The four words for a triangle of a node.
#[must_use]
pub fn test(
    node: &[u32; 16],
    node_type: u8,
    resource: &Resource,
    flags: Option<PointerFlags>,
    operands: &Operands,
) -> [u32; 4] {
    let which = usize::from(node_type & 3);
    let info = TriangleInfo::from_byte(node[15].to_le_bytes()[which]);
    let test = TriangleTest::new(
        Vec3::from_array(operands.origin),
        Vec3::from_array(operands.direction),
        &corners(node, which),
        TriangleArithmetic::AsPublished,
    );
    let mut words = test.words(&info);
    let is_culled = flags.is_some_and(|flags| flag(&mut words, &info, flags));
    if is_culled {
        words = OUT_OF_BOUNDS;
    }
    if resource.triangle_return_mode {
        words
    } else {
        [words[0], words[1], node[15], u32::from(test.hit && !is_culled)]
    }
}

/// The corners of triangle 0..=3 of a node, in test order.
#[must_use]
pub fn corners(node: &[u32; 16], which: usize) -> Triangle {
    let vertex = |k: usize| Vec3::from_array([0, 1, 2].map(|x| f32::from_bits(node[3 * k + x])));
    Triangle { vertices: CORNERS[which & 3].map(vertex) }
}

/// Flips the words where flags ask for it, and says whether they cull.
fn flag(words: &mut [u32; 4], info: &TriangleInfo, flags: PointerFlags) -> bool {
    if flags.contains(PointerFlags::FLIP_FACING) != info.flip_winding {
        *words = words.map(|word| word ^ SIGN_BIT);
    }
    let front = words[1] & SIGN_BIT == 0;
    is_face_culled(front, info.double_sided, flags)
        || flags.contains(PointerFlags::SKIP_TRIANGLES)
        || is_class_culled(is_opaque(info.opaque, flags), flags)
}
