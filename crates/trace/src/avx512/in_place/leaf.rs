//! One ray against pairs of a primitive node (`gfx12::layout::PrimitiveNode`), decoded in vectors.
//!
//! The 16 vertices that indices can name are taken from the bits of the node all at once, three words a
//! vertex, whether or not they are there; likewise the descriptors of four pairs.

use super::ids::field;
use super::{NODE, PLACE_BITS};
use crate::avx512::ground::Candidates;
use crate::avx512::slot::Slot;
use crate::avx512::triangles::{self, Corners};
use crate::world::Pointer;
use std::arch::x86_64::*;

/// Pairs of one step.
const PAIRS: usize = 4;

/// A row of 16 coordinates for each axis.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Vertices([[f32; 16]; 3]);

/// Pairs of a range, two lanes each.
struct Pairs {
    /// Descriptors, shifted so that the index of a corner is in the lowest four bits.
    corners: [__m256i; 3],
    /// Bit `i`: there is a triangle `i`.
    present: u8,
    /// Where the range goes on; [`Pointer::DONE`] if it ends here.
    rest: Pointer,
}

/// A leaf in which triangles are looked at one by one.
pub(super) struct Opened {
    vertices: Vertices,
    corners: [[u32; 8]; 3],
    node: *const u8,
    first_pair: usize,
    /// Where the range goes on; [`Pointer::DONE`] if it ends here.
    pub(super) rest: Pointer,
}

impl Opened {
    /// Takes a leaf apart.
    ///
    /// # Safety
    /// A proved primitive node must lie at `node`, and `leaf` lead there.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn new(node: *const u8, leaf: Pointer) -> Self {
        let mut corners = [[0; 8]; 3];
        let first_pair = first_pair(leaf);
        // SAFETY: as promised; an array of eight is written as a vector of eight.
        unsafe {
            let bits = Bits::load(node);
            let pairs = bits.pairs(leaf);
            for (row, indices) in corners.iter_mut().zip(pairs.corners) {
                _mm256_storeu_si256(row.as_mut_ptr().cast(), indices);
            }
            let Pairs { rest, .. } = pairs;
            Self { vertices: bits.vertices(), corners, node, first_pair, rest }
        }
    }

    /// The corners of a triangle.
    #[inline(always)]
    pub(super) fn corners(&self, lane: usize) -> [[f32; 3]; 3] {
        let [x, y, z] = &self.vertices.0;
        let mut corners = [[0.0; 3]; 3];
        for (corner, indices) in corners.iter_mut().zip(&self.corners) {
            let index = (indices[lane] & 15) as usize;
            *corner = [x[index], y[index], z[index]];
        }
        corners
    }

    /// The bytes of the node.
    #[inline(always)]
    pub(super) fn node(&self) -> &[u8; NODE] {
        // SAFETY: a proved node lies there, as promised when this was made.
        unsafe { &*self.node.cast() }
    }

    /// The pair of lane 0.
    pub(super) fn first_pair(&self) -> usize {
        self.first_pair
    }
}

/// The pair that a pointer to a leaf starts at.
#[inline(always)]
fn first_pair(leaf: Pointer) -> usize {
    (leaf.0 >> PLACE_BITS & 7) as usize
}

/// Which triangles of a leaf the ray may hit.
///
/// # Safety
/// A proved primitive node must lie at `node`, and `leaf` lead there.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn candidates(node: *const u8, leaf: Pointer, slot: &Slot) -> Candidates {
    // SAFETY: as promised.
    let bits = unsafe { Bits::load(node) };
    let pairs = bits.pairs(leaf);
    let vertices = bits.vertices();
    let shear = &slot.shear;
    let (x, y, z) = (
        row(&vertices, shear.axes[0], shear.origin[0]),
        row(&vertices, shear.axes[1], shear.origin[1]),
        row(&vertices, shear.axes[2], shear.origin[2]),
    );
    let x = _mm512_sub_ps(x, _mm512_mul_ps(_mm512_set1_ps(shear.factors[0]), z));
    let y = _mm512_sub_ps(y, _mm512_mul_ps(_mm512_set1_ps(shear.factors[1]), z));
    let z = _mm512_mul_ps(_mm512_set1_ps(shear.factors[2]), z);
    let (x, y, z) = (Halves::of(x), Halves::of(y), Halves::of(z));
    let [first, second, third] = pairs.corners;
    let a = Corners { x: x.at(first), y: y.at(first), z: z.at(first) };
    let b = Corners { x: x.at(second), y: y.at(second), z: z.at(second) };
    let c = Corners { x: x.at(third), y: y.at(third), z: z.at(third) };
    let mask = triangles::met(&a, &b, &c, pairs.present, slot);
    Candidates { mask, tested: pairs.present.count_ones() as usize, rest: pairs.rest }
}

/// Coordinates of all vertices on an axis, seen from an origin.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn row(vertices: &Vertices, axis: u8, origin: f32) -> __m512 {
    // SAFETY: a row is a vector, and axes are below three.
    let row = unsafe { _mm512_load_ps(vertices.0.get_unchecked(usize::from(axis)).as_ptr()) };
    _mm512_sub_ps(row, _mm512_set1_ps(origin))
}

/// Sixteen numbers, eight and eight.
struct Halves {
    low: __m256,
    high: __m256,
}

impl Halves {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn of(lanes: __m512) -> Self {
        Self { low: _mm512_castps512_ps256(lanes), high: _mm512_extractf32x8_ps::<1>(lanes) }
    }

    /// The numbers that the lowest four bits of each lane name.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn at(&self, indices: __m256i) -> __m256 {
        _mm256_permutex2var_ps(self.low, indices, self.high)
    }
}

/// The bits of a primitive node.
struct Bits {
    low: __m512i,
    high: __m512i,
    node: *const u8,
    header: u64,
}

impl Bits {
    /// # Safety
    /// A primitive node must lie at `node`, as long as this is used.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn load(node: *const u8) -> Self {
        // SAFETY: as promised.
        unsafe {
            Self {
                low: _mm512_loadu_si512(node.cast()),
                high: _mm512_loadu_si512(node.add(64).cast()),
                node,
                header: node.cast::<u64>().read_unaligned(),
            }
        }
    }

    /// The 32 bits from each of some places on; from places less than 32 bits before the node's end, fewer.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn at(&self, places: __m512i) -> __m512i {
        let word = _mm512_srli_epi32::<5>(places);
        let next = _mm512_add_epi32(word, _mm512_set1_epi32(1));
        let shift = _mm512_and_si512(places, _mm512_set1_epi32(31));
        let low = _mm512_permutex2var_epi32(self.low, word, self.high);
        let high = _mm512_permutex2var_epi32(self.low, next, self.high);
        // A shift by 32 leaves nothing.
        let up = _mm512_sub_epi32(_mm512_set1_epi32(32), shift);
        _mm512_or_si512(_mm512_srlv_epi32(low, shift), _mm512_sllv_epi32(high, up))
    }

    /// Up to four pairs.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn pairs(&self, leaf: Pointer) -> Pairs {
        let first = first_pair(leaf);
        // Descriptor `p` starts at bit 995 - 29 p.
        let before = _mm512_setr_epi32(0, 0, 29, 29, 58, 58, 87, 87, 0, 0, 0, 0, 0, 0, 0, 0);
        let start = _mm512_set1_epi32(995 - 29 * first as i32);
        let words = _mm512_castsi512_si256(self.at(_mm512_sub_epi32(start, before)));
        // In even lanes indices start at bit 17, in odd ones at bit 3.
        let indices = _mm256_srlv_epi32(words, _mm256_setr_epi32(17, 3, 17, 3, 17, 3, 17, 3));
        let triangles = _mm256_test_epi32_mask(indices, _mm256_set1_epi32(0xFFF));
        let stops = u32::from(_mm256_test_epi32_mask(words, _mm256_set1_epi32(1)));
        let pair_count = (self.header >> 28 & 7) as usize + 1;
        let in_node = (1u32 << (2 * (pair_count - first)).min(8)) - 1;
        let stops = stops & in_node;
        // Lanes up to and with those of the first stop.
        let until = (stops | 0x100).trailing_zeros();
        let present = triangles & (in_node & ((4u32 << until) - 1)) as u8;
        let is_in_node = first + PAIRS < pair_count;
        let further = leaf.0 + ((PAIRS as u32) << PLACE_BITS);
        let behind = (leaf.0 & !(7 << PLACE_BITS)) + 1;
        let rest = if is_in_node { further } else { behind };
        let rest = if stops == 0 { Pointer(rest) } else { Pointer::DONE };
        let corners = [indices, _mm256_srli_epi32::<4>(indices), _mm256_srli_epi32::<8>(indices)];
        Pairs { corners, present, rest }
    }

    /// All vertices that indices can name.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn vertices(&self) -> Vertices {
        let header = self.header as u32;
        let x_bits = (header & 31) + 1;
        let y_bits = (header >> 5 & 31) + 1;
        let z_bits = (header >> 10 & 31) + 1;
        let zeros = header >> 15 & 31;
        let x_prefix = 32u32.saturating_sub(zeros + x_bits);
        let y_prefix = 32u32.saturating_sub(zeros + y_bits);
        let z_prefix = 32u32.saturating_sub(zeros + z_bits);
        let first = 52 + x_prefix + y_prefix + z_prefix;
        let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let stride = _mm512_set1_epi32((x_bits + y_bits + z_bits) as i32);
        let x =
            _mm512_add_epi32(_mm512_mullo_epi32(numbers, stride), _mm512_set1_epi32(first as i32));
        let y = _mm512_add_epi32(x, _mm512_set1_epi32(x_bits as i32));
        let z = _mm512_add_epi32(y, _mm512_set1_epi32(y_bits as i32));
        let x = placed(self.at(x), x_bits, zeros, self.prefix(52, x_prefix));
        let y = placed(self.at(y), y_bits, zeros, self.prefix(52 + x_prefix, y_prefix));
        let z = placed(self.at(z), z_bits, zeros, self.prefix(52 + x_prefix + y_prefix, z_prefix));
        let mut vertices = Vertices([[0.0; 16]; 3]);
        // SAFETY: a row is a vector, and aligned like one.
        unsafe {
            _mm512_store_si512(vertices.0[0].as_mut_ptr().cast(), x);
            _mm512_store_si512(vertices.0[1].as_mut_ptr().cast(), y);
            _mm512_store_si512(vertices.0[2].as_mut_ptr().cast(), z);
        }
        vertices
    }

    /// The bits that all vertices share on an axis, where they stand in a coordinate.
    #[inline(always)]
    fn prefix(&self, start: u32, length: u32) -> u32 {
        // SAFETY: a node lies there, as promised when this was made.
        let node = unsafe { &*self.node.cast::<[u8; NODE]>() };
        (field(node, start as usize, 32) << (32 - length)) as u32
    }
}

/// Payloads between zeros and prefix.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn placed(payload: __m512i, bits: u32, zeros: u32, prefix: u32) -> __m512i {
    let mask = (u32::MAX >> (32 - bits)) << zeros;
    let shifted = _mm512_sll_epi32(payload, _mm_cvtsi32_si128(zeros as i32));
    let (mask, prefix) = (_mm512_set1_epi32(mask as i32), _mm512_set1_epi32(prefix as i32));
    _mm512_or_si512(_mm512_and_si512(shifted, mask), prefix)
}
