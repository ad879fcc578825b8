//! One ray against pairs of a primitive node (`gfx12::layout::PrimitiveNode`), decoded in vectors.
//!
//! The 16 vertices that indices can name are taken from the bits of the node all at once, whether
//! or not they are there; likewise the descriptors of all pairs.

use super::bytes::{NODE, PLACE_BITS};
use super::node::word;
use crate::simd::{Floats, Ints, Lanes, Simd, each, inlined, of_floats, of_words};
use crate::vector::active_ray::{ActiveRay, TriangleTestRay};
use crate::vector::moller_trumbore;
use crate::vector::rule::Rule;
use crate::vector::triangles::{self, Accepted, Corners, in_reach, not_outside};
use crate::world::Pointer;
use geometry::{Triangle, TriangleRule, Vec3};
use gfx12::layout::{NodeBits, PrimitiveNode};

/// What one node has of a range, taken apart, as a ray sees it.
pub(super) struct LeafVectors<'a, V: Simd> {
    /// Vertices, for the watertight rule as seen from the origin of the ray; axes in the order of
    /// its shear.
    vertices: [V::F16; 3],
    /// The triangles: indices of their corners, four bits each.
    corners: V::I16,
    /// Bit `i`: there is a triangle `i`.
    present: u32,
    node: &'a [u8; NODE],
    leaf: Pointer,
    /// Where the range goes on; [`Pointer::DONE`] if it ends here.
    pub(super) rest: Pointer,
}

/// The same in memory, for a look at triangles one by one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct DecodedLeaf<'a> {
    rows: [[f32; 16]; 3],
    corners: [u32; 16],
    /// The bytes of the node.
    pub(super) node: &'a [u8; NODE],
    leaf: Pointer,
    pub(super) rest: Pointer,
}

impl Default for DecodedLeaf<'_> {
    fn default() -> Self {
        Self {
            rows: [[0.0; 16]; 3],
            corners: [0; 16],
            node: &[0; NODE],
            leaf: Pointer::DONE,
            rest: Pointer::DONE,
        }
    }
}

impl<'a, V: Simd> LeafVectors<'a, V> {
    /// No leaf.
    #[inline(always)]
    pub(super) fn nothing() -> Self {
        Self {
            vertices: [V::F16::splat(0.0); 3],
            corners: V::I16::splat(0),
            present: 0,
            node: &[0; NODE],
            leaf: Pointer::DONE,
            rest: Pointer::DONE,
        }
    }

    /// Takes a primitive node apart, for a leaf that leads there.
    #[inline(always)]
    pub(super) fn new<R: Rule>(
        node: &'a [u8; NODE],
        leaf: Pointer,
        shear: &TriangleTestRay,
    ) -> Self {
        let bits = V::bits(node);
        let layout = Layout::new(node);
        let numbers =
            of_words::<V::I16, 16>(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        let before = numbers * V::I16::splat(layout.stride);
        let zeros = V::I16::splat(layout.zeros);
        let vertices = each(
            [0, 1, 2],
            #[inline(always)]
            |place: usize| {
                let axis = usize::from(shear.axes[place] & 3);
                let places = before + V::I16::splat(layout.first[axis]);
                // Payloads between zeros and prefix.
                let shifted = V::bits_at(&bits, places).shl(zeros);
                let coordinate = shifted & V::I16::splat(layout.payload[axis])
                    | V::I16::splat(layout.prefix[axis]);
                let coordinate = V::F16::from_bits(coordinate);
                match R::RULE {
                    TriangleRule::Watertight => coordinate - V::F16::splat(shear.origin[place]),
                    TriangleRule::MollerTrumbore => coordinate,
                }
            },
        );
        let Pairs { corners, present, rest } = Pairs::new::<V>(&bits, leaf, word(node, 0));
        Self { vertices, corners, present, node, leaf, rest }
    }

    /// How many triangles there are.
    pub(super) fn triangles(&self) -> usize {
        self.present.count_ones() as usize
    }

    /// Which triangles the ray may hit.
    #[inline(always)]
    pub(super) fn candidates<R: Rule>(&self, slot: &ActiveRay) -> u32 {
        let shear = &slot.triangle_ray;
        match R::RULE {
            TriangleRule::Watertight => {
                let factors = each(shear.factors, V::F16::splat);
                let Corners { x, y, z } = Corners::sheared(self.vertices, factors);
                let [a, b, c] = each(
                    self.corners_of([x, y, z]),
                    #[inline(always)]
                    |[x, y, z]| Corners { x, y, z },
                );
                let limit = V::F16::splat(triangles::limit(slot));
                self.present & not_outside(&a, &b, &c) & in_reach(&a, &b, &c, limit)
            }
            TriangleRule::MollerTrumbore => {
                self.present & moller_trumbore::met(self.corners_of(self.vertices), slot)
            }
        }
    }

    /// The corners of all triangles, of vertices.
    #[inline(always)]
    fn corners_of(&self, [x, y, z]: [V::F16; 3]) -> [[V::F16; 3]; 3] {
        // Only the lowest four bits of an index count.
        let of = inlined(
            #[inline(always)]
            |numbers: V::I16| [x.permuted(numbers), y.permuted(numbers), z.permuted(numbers)],
        );
        let (four, eight) = (V::I16::splat(4), V::I16::splat(8));
        [of(self.corners), of(self.corners.shr(four)), of(self.corners.shr(eight))]
    }

    /// Writes it to memory.
    ///
    /// # Safety
    /// There must be room.
    #[inline(always)]
    pub(super) unsafe fn keep(&self, place: *mut DecodedLeaf<'a>) {
        // SAFETY: VECTOR-SIZED; the caller has room for it.
        unsafe {
            for (axis, row) in self.vertices.iter().enumerate() {
                row.store((&raw mut (*place).rows[axis]).cast());
            }
            self.corners.store((&raw mut (*place).corners).cast());
            (*place).node = self.node;
            (*place).leaf = self.leaf;
            (*place).rest = self.rest;
        }
    }
}

impl DecodedLeaf<'_> {
    /// Whether the rule accepts a triangle, and where.
    #[inline(always)]
    pub(super) fn accepted<V: Simd, R: Rule>(
        &self,
        lane: usize,
        slot: &ActiveRay,
    ) -> Option<Accepted> {
        let corners = self.corners[lane & 15] as usize;
        let [a, b, c] = [corners & 15, corners >> 4 & 15, corners >> 8 & 15];
        let [x, y, z] = &self.rows;
        match R::RULE {
            TriangleRule::Watertight => {
                let three = inlined(
                    #[inline(always)]
                    |row: &[f32; 16]| of_floats(&[row[a], row[b], row[c], row[c]]),
                );
                triangles::accepted_at::<V>(three(x), three(y), three(z), slot)
            }
            TriangleRule::MollerTrumbore => {
                let [a, b, c] = [a, b, c].map(|v| Vec3::new(x[v], y[v], z[v]));
                moller_trumbore::accepted_at::<V>(&Triangle::new(a, b, c), slot)
            }
        }
    }

    /// A triangle, as it is stored.
    pub(super) fn triangle(&self, lane: usize) -> Triangle {
        let node = PrimitiveNode::decode(&NodeBits::from_bytes(self.node));
        let corners = self.corners[lane & 15];
        let corner = inlined(
            #[inline(always)]
            |shift: u32| node.position((corners >> shift & 15) as usize),
        );
        Triangle::new(corner(0), corner(4), corner(8))
    }

    /// The pair of lane 0.
    pub(super) fn first_pair(&self) -> usize {
        first_pair(self.leaf)
    }
}

/// The pair that a pointer to a leaf starts at.
#[inline(always)]
fn first_pair(leaf: Pointer) -> usize {
    (leaf.0 >> PLACE_BITS & 7) as usize
}

/// Where vertices lie, and what all of them share; by axis: see `gfx12::layout::PrimitiveHeader`.
/// Formed beside the vectors, whose units have enough to do.
struct Layout {
    /// The first bit of the first vertex.
    first: [u32; 3],
    /// Bits of a vertex.
    stride: u32,
    /// Low bits that are zero.
    zeros: u32,
    /// The bits of a coordinate that vertices differ in.
    payload: [u32; 3],
    /// The bits above these.
    prefix: [u32; 3],
}

impl Layout {
    #[inline(always)]
    fn new(node: &[u8; NODE]) -> Self {
        let header = word(node, 0);
        // Bits less one of x, y and z, and zeros.
        let [x, y, z, zeros] = [0, 5, 10, 15].map(|shift| header >> shift & 31);
        let widths = [x, y, z];
        let prefix_bits = each(
            widths,
            #[inline(always)]
            |width| 31u32.saturating_sub(zeros + width),
        );
        let starts = [52, 52 + prefix_bits[0], 52 + prefix_bits[0] + prefix_bits[1]];
        let vertices = starts[2] + prefix_bits[2];
        let prefix = each(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| {
                // Prefixes end before the twentieth byte.
                let byte = (starts[axis] / 8) as usize;
                let low = u64::from(word(node, byte)) | u64::from(node[byte + 4]) << 32;
                let bits = (low >> (starts[axis] % 8)) as u32;
                // A shift by 32 leaves nothing.
                (u64::from(bits) << (32 - prefix_bits[axis])) as u32
            },
        );
        Self {
            first: [vertices, vertices + x + 1, vertices + x + y + 2],
            stride: x + y + z + 3,
            zeros,
            payload: each(
                widths,
                #[inline(always)]
                |width| (u32::MAX >> (31 - width)) << zeros,
            ),
            prefix,
        }
    }
}

/// Pairs of a range, two lanes each.
struct Pairs<I> {
    /// Indices of corners, four bits each.
    corners: I,
    /// Bit `i`: there is a triangle `i`.
    present: u32,
    /// Where the range goes on; [`Pointer::DONE`] if it ends here.
    rest: Pointer,
}

impl<I: Ints> Pairs<I> {
    /// The pairs of a leaf.
    #[inline(always)]
    fn new<V: Simd<I16 = I>>(bits: &V::Bits, leaf: Pointer, header: u32) -> Self {
        let first = first_pair(leaf);
        // Descriptor `p` starts at bit 995 - 29 p. All of them lie in the second half; what is
        // shifted in behind the last one lies above its 29 bits.
        let last = of_words::<I, 16>(&[
            995, 995, 966, 966, 937, 937, 908, 908, 879, 879, 850, 850, 821, 821, 792, 792,
        ]);
        let words = V::bits_at(bits, last - I::splat(29 * first as u32));
        // In even lanes indices start at bit 17, in odd ones at bit 3.
        let starts = of_words::<I, 16>(&[17, 3, 17, 3, 17, 3, 17, 3, 17, 3, 17, 3, 17, 3, 17, 3]);
        let corners = words.shr(starts);
        let triangles = !(corners & I::splat(0xFFF)).eq(I::splat(0));
        let stops = words.shl(I::splat(31)).is_high();
        let pair_count = (header >> 28 & 7) as usize + 1;
        let in_node = (1u32 << (2 * (pair_count - first))) - 1;
        let stops = stops & in_node;
        // Lanes up to and with those of the first stop.
        let until = (stops | 0x1_0000).trailing_zeros();
        let present = triangles & in_node & ((4u32 << until) - 1) & 0xFFFF;
        let behind = Pointer((leaf.0 & !(7 << PLACE_BITS)) + 1);
        let rest = if stops == 0 { behind } else { Pointer::DONE };
        Self { corners, present, rest }
    }
}
