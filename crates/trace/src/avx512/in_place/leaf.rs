//! One ray against pairs of a primitive node (`gfx12::layout::PrimitiveNode`), decoded in vectors.
//!
//! The 16 vertices that indices can name are taken from the bits of the node all at once, whether
//! or not they are there; likewise the descriptors of all pairs.

use super::{NODE, PLACE_BITS, force_to_memory};
use crate::vector::active_ray::{ActiveRay, TriangleTestRay};
use crate::vector::boxes::{TINY, WIDEN};
use crate::vector::moller_trumbore::{self, Three};
use crate::vector::rule::Rule;
use crate::vector::triangles::{self, Accepted};
use crate::world::Pointer;
use geometry::{Triangle, TriangleRule, Vec3};
use gfx12::layout::{NodeBits, PrimitiveNode};
use std::arch::x86_64::*;

/// What one node has of a range, taken apart, as a ray sees it.
pub(super) struct LeafVectors<'a> {
    /// Vertices, for the watertight rule as seen from the origin of the ray; axes in the order of
    /// its shear.
    x: __m512,
    y: __m512,
    z: __m512,
    /// The triangles: indices of their corners, four bits each.
    corners: __m512i,
    /// Bit `i`: there is a triangle `i`.
    present: u16,
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

impl<'a> LeafVectors<'a> {
    /// No leaf.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn nothing() -> Self {
        Self {
            x: _mm512_setzero_ps(),
            y: _mm512_setzero_ps(),
            z: _mm512_setzero_ps(),
            corners: _mm512_setzero_si512(),
            present: 0,
            node: &[0; NODE],
            leaf: Pointer::DONE,
            rest: Pointer::DONE,
        }
    }

    /// Takes a primitive node apart, for a leaf that leads there.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn new<R: Rule>(
        node: &'a [u8; NODE],
        leaf: Pointer,
        shear: &TriangleTestRay,
    ) -> Self {
        // SAFETY: VECTOR-SIZED: a node is two vectors of 64 bytes.
        let (low, high) = unsafe {
            let first: *const u8 = node.as_ptr();
            (_mm512_loadu_si512(first.cast()), _mm512_loadu_si512(first.add(64).cast()))
        };
        let header = u32::from_le_bytes([node[0], node[1], node[2], node[3]]);
        let bits = Bits {
            low,
            high,
            low_next: _mm512_alignr_epi32::<1>(high, low),
            high_next: _mm512_alignr_epi32::<1>(high, high),
        };
        // SAFETY: VECTOR-SIZED: four bytes.
        let order = unsafe { _mm_cvtepu8_epi32(_mm_loadu_si32(shear.axes.as_ptr().cast())) };
        let Layout { first, stride, zeros, payload, prefix } = bits.layout(header);
        let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let before = _mm512_mullo_epi32(numbers, stride);
        let mut axes = [[0i32; 4]; 3];
        // SAFETY: VECTOR-SIZED.
        unsafe {
            _mm_storeu_si128(axes[0].as_mut_ptr().cast(), ordered(first, order));
            _mm_storeu_si128(axes[1].as_mut_ptr().cast(), ordered(payload, order));
            _mm_storeu_si128(axes[2].as_mut_ptr().cast(), ordered(prefix, order));
        }
        force_to_memory(&mut axes);
        let [first, payload, prefix] = &axes;
        let x = bits.at(_mm512_add_epi32(before, _mm512_set1_epi32(first[0])));
        let y = bits.at(_mm512_add_epi32(before, _mm512_set1_epi32(first[1])));
        let z = bits.at(_mm512_add_epi32(before, _mm512_set1_epi32(first[2])));
        let x = placed(x, zeros, payload[0], prefix[0]);
        let y = placed(y, zeros, payload[1], prefix[1]);
        let z = placed(z, zeros, payload[2], prefix[2]);
        let Pairs { corners, present, rest } = bits.pairs(leaf, header);
        let (x, y, z) = match R::RULE {
            TriangleRule::Watertight => (
                _mm512_sub_ps(x, _mm512_set1_ps(shear.origin[0])),
                _mm512_sub_ps(y, _mm512_set1_ps(shear.origin[1])),
                _mm512_sub_ps(z, _mm512_set1_ps(shear.origin[2])),
            ),
            TriangleRule::MollerTrumbore => (x, y, z),
        };
        Self { x, y, z, corners, present, node, leaf, rest }
    }

    /// How many triangles there are.
    pub(super) fn triangles(&self) -> usize {
        self.present.count_ones() as usize
    }

    /// Which triangles the ray may hit.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn candidates<R: Rule>(&self, slot: &ActiveRay) -> u16 {
        match R::RULE {
            TriangleRule::Watertight => self.watertight(slot),
            TriangleRule::MollerTrumbore => self.moller_trumbore(slot),
        }
    }

    /// By the arithmetic of [`moller_trumbore`].
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn moller_trumbore(&self, slot: &ActiveRay) -> u16 {
        let first = self.corners;
        let (low_0, high_0) = self.halves(first);
        let (low_1, high_1) = self.halves(_mm512_srli_epi32::<4>(first));
        let (low_2, high_2) = self.halves(_mm512_srli_epi32::<8>(first));
        let low = moller_trumbore::met(low_0, low_1, low_2, slot);
        let high = moller_trumbore::met(high_0, high_1, high_2, slot);
        self.present & u16::from_le_bytes([low, high])
    }

    /// The corners of triangles 0 to 7, and 8 to 15, of which the lowest four bits of each lane say
    /// which vertices they are.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn halves(&self, vertices: __m512i) -> (Three, Three) {
        let x = _mm512_permutexvar_ps(vertices, self.x);
        let y = _mm512_permutexvar_ps(vertices, self.y);
        let z = _mm512_permutexvar_ps(vertices, self.z);
        (
            Three {
                x: _mm512_castps512_ps256(x),
                y: _mm512_castps512_ps256(y),
                z: _mm512_castps512_ps256(z),
            },
            Three {
                x: _mm512_extractf32x8_ps::<1>(x),
                y: _mm512_extractf32x8_ps::<1>(y),
                z: _mm512_extractf32x8_ps::<1>(z),
            },
        )
    }

    /// By the arithmetic of [`triangles`], if no farther than the end of the ray's range.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn watertight(&self, slot: &ActiveRay) -> u16 {
        let [along_x, along_y, along_z] = slot.triangle_ray.factors;
        let x = _mm512_sub_ps(self.x, _mm512_mul_ps(_mm512_set1_ps(along_x), self.z));
        let y = _mm512_sub_ps(self.y, _mm512_mul_ps(_mm512_set1_ps(along_y), self.z));
        let z = _mm512_mul_ps(_mm512_set1_ps(along_z), self.z);
        // Only the lowest four bits of an index count.
        let first = self.corners;
        let second = _mm512_srli_epi32::<4>(first);
        let third = _mm512_srli_epi32::<8>(first);
        let (ax, ay) = (_mm512_permutexvar_ps(first, x), _mm512_permutexvar_ps(first, y));
        let (bx, by) = (_mm512_permutexvar_ps(second, x), _mm512_permutexvar_ps(second, y));
        let (cx, cy) = (_mm512_permutexvar_ps(third, x), _mm512_permutexvar_ps(third, y));
        let u = _mm512_sub_ps(_mm512_mul_ps(cx, by), _mm512_mul_ps(cy, bx));
        let v = _mm512_sub_ps(_mm512_mul_ps(ax, cy), _mm512_mul_ps(ay, cx));
        let w = _mm512_sub_ps(_mm512_mul_ps(bx, ay), _mm512_mul_ps(by, ax));
        let zero = _mm512_setzero_ps();
        let least = _mm512_min_ps(_mm512_min_ps(u, v), w);
        let greatest = _mm512_max_ps(_mm512_max_ps(u, v), w);
        let not_negative = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(least, zero);
        let not_positive = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(greatest, zero);
        let mask = self.present & (not_negative | not_positive);
        // The parameter of a hit is a mean of the corners' depths.
        let (az, bz) = (_mm512_permutexvar_ps(first, z), _mm512_permutexvar_ps(second, z));
        let cz = _mm512_permutexvar_ps(third, z);
        let nearest = _mm512_min_ps(_mm512_min_ps(az, bz), cz);
        let farthest = _mm512_max_ps(_mm512_max_ps(az, bz), cz);
        let limit = _mm512_set1_ps(slot.box_ray.farthest * WIDEN + TINY);
        let mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, nearest, limit);
        _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, farthest, zero)
    }

    /// Writes it to memory.
    ///
    /// # Safety
    /// There must be room.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn keep(&self, place: *mut DecodedLeaf<'a>) {
        // SAFETY: VECTOR-SIZED; the caller has room for it.
        unsafe {
            _mm512_store_ps((&raw mut (*place).rows[0]).cast(), self.x);
            _mm512_store_ps((&raw mut (*place).rows[1]).cast(), self.y);
            _mm512_store_ps((&raw mut (*place).rows[2]).cast(), self.z);
            _mm512_store_si512((&raw mut (*place).corners).cast(), self.corners);
            (*place).node = self.node;
            (*place).leaf = self.leaf;
            (*place).rest = self.rest;
        }
    }
}

impl DecodedLeaf<'_> {
    /// Whether the rule accepts a triangle, and where.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn accepted<R: Rule>(&self, lane: usize, slot: &ActiveRay) -> Option<Accepted> {
        let corners = self.corners[lane & 15];
        let (a, b, c) = (corners & 15, corners >> 4 & 15, corners >> 8 & 15);
        let [x, y, z] = &self.rows;
        let (a, b, c) = (a as usize, b as usize, c as usize);
        match R::RULE {
            TriangleRule::Watertight => triangles::accepted_at(
                _mm_setr_ps(x[a], x[b], x[c], x[c]),
                _mm_setr_ps(y[a], y[b], y[c], y[c]),
                _mm_setr_ps(z[a], z[b], z[c], z[c]),
                slot,
            ),
            TriangleRule::MollerTrumbore => {
                let [a, b, c] = [a, b, c].map(|v| Vec3::new(x[v], y[v], z[v]));
                moller_trumbore::accepted_at(&Triangle::new(a, b, c), slot)
            }
        }
    }

    /// A triangle, as it is stored.
    pub(super) fn triangle(&self, lane: usize) -> Triangle {
        let node = PrimitiveNode::decode(&NodeBits::from_bytes(self.node));
        let corners = self.corners[lane & 15];
        let corner = |shift: u32| node.position((corners >> shift & 15) as usize);
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

/// The bits of a primitive node, and what lies a word further on; behind the last one, anything.
struct Bits {
    low: __m512i,
    high: __m512i,
    low_next: __m512i,
    high_next: __m512i,
}

/// Where vertices lie, and what all of them share; by axis.
struct Layout {
    /// The first bit of the first vertex.
    first: __m128i,
    /// Bits of a vertex, in all lanes.
    stride: __m512i,
    /// Low bits that are zero, in the lowest lane; the next is 0.
    zeros: __m128i,
    /// The bits of a coordinate that vertices differ in.
    payload: __m128i,
    /// The bits above these.
    prefix: __m128i,
}

/// Pairs of a range, two lanes each.
struct Pairs {
    /// Indices of corners, four bits each.
    corners: __m512i,
    /// Bit `i`: there is a triangle `i`.
    present: u16,
    /// Where the range goes on; [`Pointer::DONE`] if it ends here.
    rest: Pointer,
}

impl Bits {
    /// The 32 bits from each of some places on.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn at(&self, places: __m512i) -> __m512i {
        let word = _mm512_srli_epi32::<5>(places);
        let shift = _mm512_and_si512(places, _mm512_set1_epi32(31));
        let low = _mm512_permutex2var_epi32(self.low, word, self.high);
        let high = _mm512_permutex2var_epi32(self.low_next, word, self.high_next);
        // A shift by 32 leaves nothing.
        let up = _mm512_sub_epi32(_mm512_set1_epi32(32), shift);
        _mm512_or_si512(_mm512_srlv_epi32(low, shift), _mm512_sllv_epi32(high, up))
    }

    /// Where the vertices lie: see `gfx12::layout::PrimitiveHeader`.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn layout(&self, header: u32) -> Layout {
        let header = _mm_set1_epi32(header as i32);
        // Bits less one of x, y and z, and zeros.
        let widths = _mm_srlv_epi32(header, _mm_setr_epi32(0, 5, 10, 15));
        let widths = _mm_and_si128(widths, _mm_set1_epi32(31));
        let zeros = _mm_shuffle_epi32::<0xFF>(widths);
        let prefix_bits = _mm_sub_epi32(_mm_sub_epi32(_mm_set1_epi32(31), zeros), widths);
        let prefix_bits = _mm_max_epi32(prefix_bits, _mm_setzero_si128());
        let starts = _mm_add_epi32(sums_before(prefix_bits), _mm_set1_epi32(52));
        let offsets = sums_before(_mm_add_epi32(widths, _mm_set1_epi32(1)));
        let first = _mm_add_epi32(offsets, _mm_shuffle_epi32::<0xFF>(starts));
        let stride = _mm512_broadcastd_epi32(_mm_shuffle_epi32::<0xFF>(offsets));
        let payload = _mm_srlv_epi32(_mm_set1_epi32(-1), _mm_sub_epi32(_mm_set1_epi32(31), widths));
        let payload = _mm_sllv_epi32(payload, zeros);
        // Prefixes end before the seventh word.
        let word = _mm256_castsi128_si256(_mm_srli_epi32::<5>(starts));
        let low = _mm256_permutexvar_epi32(word, _mm512_castsi512_si256(self.low));
        let high = _mm256_permutexvar_epi32(word, _mm512_castsi512_si256(self.low_next));
        let shift = _mm_and_si128(starts, _mm_set1_epi32(31));
        let up = _mm_sub_epi32(_mm_set1_epi32(32), shift);
        let low = _mm_srlv_epi32(_mm256_castsi256_si128(low), shift);
        let high = _mm_sllv_epi32(_mm256_castsi256_si128(high), up);
        let missing = _mm_sub_epi32(_mm_set1_epi32(32), prefix_bits);
        let prefix = _mm_sllv_epi32(_mm_or_si128(low, high), missing);
        Layout { first, stride, zeros: _mm_srli_si128::<12>(widths), payload, prefix }
    }

    /// The pairs of a leaf.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn pairs(&self, leaf: Pointer, header: u32) -> Pairs {
        let first = first_pair(leaf);
        // Descriptor `p` starts at bit 995 - 29 p. All of them lie in the second half; what is
        // shifted in behind the last one lies above its 29 bits.
        let last = _mm512_setr_epi32(
            995, 995, 966, 966, 937, 937, 908, 908, 879, 879, 850, 850, 821, 821, 792, 792,
        );
        let places = _mm512_sub_epi32(last, _mm512_set1_epi32(29 * first as i32));
        let word = _mm512_srli_epi32::<5>(places);
        let shift = _mm512_and_si512(places, _mm512_set1_epi32(31));
        let up = _mm512_sub_epi32(_mm512_set1_epi32(32), shift);
        let words = _mm512_or_si512(
            _mm512_srlv_epi32(_mm512_permutexvar_epi32(word, self.high), shift),
            _mm512_sllv_epi32(_mm512_permutexvar_epi32(word, self.high_next), up),
        );
        // In even lanes indices start at bit 17, in odd ones at bit 3.
        let starts = _mm512_setr_epi32(17, 3, 17, 3, 17, 3, 17, 3, 17, 3, 17, 3, 17, 3, 17, 3);
        let corners = _mm512_srlv_epi32(words, starts);
        let triangles = u32::from(_mm512_test_epi32_mask(corners, _mm512_set1_epi32(0xFFF)));
        let stops = u32::from(_mm512_test_epi32_mask(words, _mm512_set1_epi32(1)));
        let pair_count = (header >> 28 & 7) as usize + 1;
        let in_node = (1u32 << (2 * (pair_count - first))) - 1;
        let stops = stops & in_node;
        // Lanes up to and with those of the first stop.
        let until = (stops | 0x1_0000).trailing_zeros();
        let present = (triangles & in_node & ((4u32 << until) - 1)) as u16;
        let behind = Pointer((leaf.0 & !(7 << PLACE_BITS)) + 1);
        let rest = if stops == 0 { behind } else { Pointer::DONE };
        Pairs { corners, present, rest }
    }
}

/// For each of four, the sum of those before it.
#[target_feature(enable = "avx2")]
#[inline]
fn sums_before(four: __m128i) -> __m128i {
    let before = _mm_slli_si128::<4>(four);
    let before = _mm_add_epi32(before, _mm_slli_si128::<4>(before));
    _mm_add_epi32(before, _mm_slli_si128::<8>(before))
}

/// Axes in the order of a shear.
#[target_feature(enable = "avx2")]
#[inline]
fn ordered(axes: __m128i, order: __m128i) -> __m128i {
    _mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(axes), order))
}

/// Coordinates: payloads between zeros and prefix.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn placed(bits: __m512i, zeros: __m128i, payload: i32, prefix: i32) -> __m512 {
    let shifted = _mm512_sll_epi32(bits, zeros);
    let (payload, prefix) = (_mm512_set1_epi32(payload), _mm512_set1_epi32(prefix));
    _mm512_castsi512_ps(_mm512_or_si512(_mm512_and_si512(shifted, payload), prefix))
}
