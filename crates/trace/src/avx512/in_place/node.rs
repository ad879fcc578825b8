//! One ray against the children of a box node (`gfx12::layout::BoxNode`), decoded in vectors.
//!
//! Planes are `origin + code * quantum`. Where a ray meets one is formed from where it meets the
//! plane of code 0 and how far it goes from there to that of code 4096, both once a node;
//! `docs/trace.md` has the proof.

use super::{NODE, PLACE_BITS, force_to_memory};
use crate::vector::active_ray::BoxTestRay;
use crate::vector::boxes::{TINY, WIDEN};
use crate::world::Pointer;
use std::arch::x86_64::*;

/// The children of a node as a ray meets them.
pub(super) struct Met {
    /// Where it enters them.
    enter: __m256,
    /// Where they lead.
    pointers: __m256i,
    /// Bit `i`: the ray meets child `i`.
    met: u8,
}

impl Met {
    /// Tests the children of a box node.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn new(node: &[u8; NODE], aim: &BoxTestRay) -> Self {
        // SAFETY: VECTOR-SIZED: a node is two vectors of 64 bytes.
        let (low, high) = unsafe {
            let first: *const u8 = node.as_ptr();
            (_mm512_loadu_si512(first.cast()), _mm512_loadu_si512(first.add(64).cast()))
        };
        let sizes = word(node, 24);
        // The three words of each child.
        let places = _mm512_setr_epi32(8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0, 0, 0);
        let one = _mm512_set1_epi32(1);
        let next = _mm512_add_epi32(places, one);
        let a = _mm512_castsi512_si256(_mm512_permutex2var_epi32(low, places, high));
        let b = _mm512_castsi512_si256(_mm512_permutex2var_epi32(low, next, high));
        let c = _mm512_permutex2var_epi32(low, _mm512_add_epi32(next, one), high);
        let c = _mm512_castsi512_si256(c);
        let PlaneSteps { step, low, high } = PlaneSteps::new(node, aim);
        let [step_x, step_y, step_z] = [in_all(&step[0]), in_all(&step[1]), in_all(&step[2])];
        let low_x = _mm256_fmadd_ps(lower(a), step_x, in_all(&low[0]));
        let low_y = _mm256_fmadd_ps(upper(a), step_y, in_all(&low[1]));
        let low_z = _mm256_fmadd_ps(lower(b), step_z, in_all(&low[2]));
        let high_x = _mm256_fmadd_ps(upper(b), step_x, in_all(&high[0]));
        let high_y = _mm256_fmadd_ps(lower(c), step_y, in_all(&high[1]));
        let high_z = _mm256_fmadd_ps(upper(c), step_z, in_all(&high[2]));
        let enter = _mm256_max_ps(
            _mm256_max_ps(in_all(&aim.nearest), _mm256_min_ps(low_x, high_x)),
            _mm256_max_ps(_mm256_min_ps(low_y, high_y), _mm256_min_ps(low_z, high_z)),
        );
        let exit = _mm256_min_ps(
            _mm256_min_ps(in_all(&aim.farthest), _mm256_max_ps(low_x, high_x)),
            _mm256_min_ps(_mm256_max_ps(low_y, high_y), _mm256_max_ps(low_z, high_z)),
        );
        let exit = _mm256_fmadd_ps(exit, _mm256_set1_ps(WIDEN), _mm256_set1_ps(TINY));
        let used = 0xFFu8 >> (7 - (sizes >> 28 & 7));
        let met = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(used, enter, exit);
        Self { enter, pointers: pointers(c, node), met }
    }

    /// Puts the children that are met onto the stack at `top`; with `DEPTHS`, far to near, and also
    /// where they are entered. The new top.
    ///
    /// # Safety
    /// The stack, of `size` entries, must have room for eight more.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn push<const DEPTHS: bool>(
        &self,
        top: *mut Pointer,
        size: usize,
    ) -> *mut Pointer {
        let Self { enter, pointers, met } = *self;
        let count = met.count_ones() as usize;
        // SAFETY: STACK-ROOM, VECTOR-SIZED.
        unsafe {
            if !DEPTHS {
                _mm256_storeu_si256(top.cast(), _mm256_maskz_compress_epi32(met, pointers));
            } else if count <= 4 {
                let order = far_to_near_of_four(enter, met);
                let pointers = _mm256_permutexvar_epi32(_mm256_castsi128_si256(order), pointers);
                _mm_storeu_si128(top.cast(), _mm256_castsi256_si128(pointers));
                // Not more than where it is entered.
                let depths = _mm_andnot_si128(_mm_set1_epi32(7), order);
                _mm_storeu_si128(top.add(size).cast(), depths);
            } else {
                let order = far_to_near(enter, met);
                _mm256_storeu_si256(top.cast(), _mm256_permutexvar_epi32(order, pointers));
                let depths = _mm256_andnot_si256(_mm256_set1_epi32(7), order);
                _mm256_storeu_si256(top.add(size).cast(), depths);
            }
            top.add(count)
        }
    }
}

/// How a ray steps through the planes of a node, by axis. A plane is met at `code / 4096 + 1` steps
/// behind an offset.
struct PlaneSteps {
    /// From code 0 to code 4096.
    step: [f32; 4],
    /// The offset of minima.
    low: [f32; 4],
    /// The offset of maxima, whose planes are those of the next code.
    high: [f32; 4],
}

impl PlaneSteps {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn new(node: &[u8; NODE], aim: &BoxTestRay) -> Self {
        // SAFETY: VECTOR-SIZED: places in the node, and the words of an aim.
        let (origin, exponents, inverse, low, high) = unsafe {
            let node: *const u8 = node.as_ptr();
            let aim: *const f32 = std::ptr::from_ref(aim).cast();
            (
                _mm_loadu_ps(node.add(12).cast()),
                _mm_cvtepu8_epi32(_mm_loadu_si32(node.add(24).cast())),
                _mm_loadu_ps(aim),
                _mm_loadu_ps(aim.add(4)),
                _mm_loadu_ps(aim.add(8)),
            )
        };
        // 4096 quanta are `2^(e - 127)`: an exponent is that of a float.
        let span = _mm_castsi128_ps(_mm_slli_epi32::<23>(exponents));
        let step = _mm_mul_ps(span, inverse);
        let low = _mm_sub_ps(_mm_fmadd_ps(origin, inverse, low), step);
        let high = _mm_fmadd_ps(origin, inverse, high);
        let high = _mm_fmadd_ps(step, _mm_set1_ps(1.0 / 4096.0 - 1.0), high);
        let mut steps = Self { step: [0.0; 4], low: [0.0; 4], high: [0.0; 4] };
        // SAFETY: VECTOR-SIZED.
        unsafe {
            _mm_storeu_ps(steps.step.as_mut_ptr(), step);
            _mm_storeu_ps(steps.low.as_mut_ptr(), low);
            _mm_storeu_ps(steps.high.as_mut_ptr(), high);
        }
        force_to_memory(&mut steps);
        steps
    }
}

/// The word at a byte.
#[inline(always)]
fn word(node: &[u8; NODE], byte: usize) -> u32 {
    u32::from_le_bytes([node[byte], node[byte + 1], node[byte + 2], node[byte + 3]])
}

/// One float, in all lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn in_all(float: &f32) -> __m256 {
    _mm256_broadcast_ss(float)
}

/// `1 + code / 4096` for the lowest 12 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn lower(words: __m256i) -> __m256 {
    in_mantissa(_mm256_slli_epi32::<11>(words))
}

/// The same for the next 12 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn upper(words: __m256i) -> __m256 {
    in_mantissa(_mm256_srli_epi32::<1>(words))
}

#[target_feature(enable = "avx2")]
#[inline]
fn in_mantissa(bits: __m256i) -> __m256 {
    let code = _mm256_and_si256(bits, _mm256_set1_epi32(0xFFF << 11));
    _mm256_castsi256_ps(_mm256_or_si256(code, _mm256_set1_epi32(0x3F80_0000)))
}

/// Where the children lead, by their last words: those that are boxes lie one after the other from
/// one base on, all others from another, each as many nodes behind the last as that one's range is
/// long.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn pointers(words: __m256i, node: &[u8; NODE]) -> __m256i {
    let tag = tags(_mm256_srli_epi32::<24>(words));
    let is_other = _mm256_movepi32_mask(tag);
    // Both sums at once: boxes in the low half, others in the high one.
    let length = _mm256_srli_epi32::<28>(words);
    let length = _mm256_mask_slli_epi32::<16>(length, is_other, length);
    let sum = _mm256_add_epi32(length, _mm256_slli_si256::<4>(length));
    let sum = _mm256_add_epi32(sum, _mm256_slli_si256::<8>(sum));
    let lower = _mm256_maskz_permutexvar_epi32(0xF0, _mm256_set1_epi32(3), sum);
    let before = _mm256_sub_epi32(_mm256_add_epi32(sum, lower), length);
    let before = _mm256_mask_srli_epi32::<16>(before, is_other, before);
    let before = _mm256_and_si256(before, _mm256_set1_epi32(0xFFFF));
    let (boxes, others) = (word(node, 0) as i32, word(node, 4) as i32);
    let bases = _mm256_mask_set1_epi32(_mm256_set1_epi32(boxes), is_other, others);
    let place = _mm256_add_epi32(_mm256_srli_epi32::<4>(bases), before);
    _mm256_or_si256(place, tag)
}

/// What pointers have above their places, for kinds of nodes in the lowest four bits: nothing for
/// boxes.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn tags(kinds: __m256i) -> __m256i {
    const fn leaf(pair: u32) -> i32 {
        (1 << 31 | pair << PLACE_BITS) as i32
    }
    const INSTANCE: i32 = Pointer::FIRST_OTHER as i32;
    // Of kinds that nothing has, any will do.
    let low = _mm256_setr_epi32(leaf(0), leaf(1), leaf(2), leaf(3), 0, 0, INSTANCE, 0);
    let high = _mm256_setr_epi32(leaf(4), leaf(5), leaf(6), leaf(7), 0, 0, 0, 0);
    _mm256_permutex2var_epi32(low, kinds, high)
}

/// The lanes of `met`, of which there are at most four, those that are entered last first, in the
/// lowest three bits; above these, where they are entered.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn far_to_near_of_four(enter: __m256, met: u8) -> __m128i {
    let keys = _mm256_castsi256_si128(_mm256_maskz_compress_epi32(met, keys(enter)));
    let other = _mm_shuffle_epi32::<0b01_00_11_10>(keys);
    let keys = _mm_blend_epi32::<0b1100>(_mm_max_epu32(keys, other), _mm_min_epu32(keys, other));
    let other = _mm_shuffle_epi32::<0b10_11_00_01>(keys);
    let keys = _mm_blend_epi32::<0b1010>(_mm_max_epu32(keys, other), _mm_min_epu32(keys, other));
    let other = _mm_shuffle_epi32::<0b11_01_10_00>(keys);
    _mm_blend_epi32::<0b0100>(_mm_max_epu32(keys, other), _mm_min_epu32(keys, other))
}

/// The same of any number.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn far_to_near(enter: __m256, met: u8) -> __m256i {
    let keys = _mm256_maskz_mov_epi32(met, keys(enter));
    // Batcher's bitonic sorting network.
    let keys = exchanged::<0b1010_1010>(keys, _mm256_shuffle_epi32::<0b10_11_00_01>(keys));
    let keys = exchanged::<0b1100_1100>(keys, _mm256_shuffle_epi32::<0b00_01_10_11>(keys));
    let keys = exchanged::<0b1010_1010>(keys, _mm256_shuffle_epi32::<0b10_11_00_01>(keys));
    let turned = _mm256_permutexvar_epi32(_mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0), keys);
    let keys = exchanged::<0b1111_0000>(keys, turned);
    let keys = exchanged::<0b1100_1100>(keys, _mm256_shuffle_epi32::<0b01_00_11_10>(keys));
    exchanged::<0b1010_1010>(keys, _mm256_shuffle_epi32::<0b10_11_00_01>(keys))
}

/// No entry is negative, so its bits are in its own order; the lowest give way to the lane.
#[target_feature(enable = "avx2")]
#[inline]
fn keys(enter: __m256) -> __m256i {
    let bits = _mm256_andnot_si256(_mm256_set1_epi32(7), _mm256_castps_si256(enter));
    _mm256_or_si256(bits, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
}

/// The smaller of two in lanes `DOWN`, the greater in all others.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn exchanged<const DOWN: u8>(a: __m256i, b: __m256i) -> __m256i {
    _mm256_mask_min_epu32(_mm256_max_epu32(a, b), DOWN, a, b)
}
