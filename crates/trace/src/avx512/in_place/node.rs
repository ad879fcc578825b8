//! One ray against the children of a box node (`gfx12::layout::BoxNode`), decoded in vectors.
//!
//! Planes are formed as the format says, `origin + code * quantum` with one rounding; from there on the test is that of
//! the CPU's copy, and so is its proof.

use super::PLACE_BITS;
use crate::avx512::boxes::{Intervals, Planes};
use crate::avx512::slot::Aim;
use crate::world::Pointer;
use std::arch::x86_64::*;

/// Puts the children that are met onto the stack at `top`; with `DEPTHS`, far to near, and also where they are entered.
/// The new top.
///
/// # Safety
/// A proved box node must lie at `node`; the stack, of `size` entries, must have room for eight more.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn push_met<const DEPTHS: bool>(
    node: *const u8,
    aim: &Aim,
    top: *mut Pointer,
    size: usize,
) -> *mut Pointer {
    // SAFETY: as promised.
    let (low, high, internal, primitive, sizes) = unsafe {
        (
            _mm512_loadu_si512(node.cast()),
            _mm512_loadu_si512(node.add(64).cast()),
            *node.cast::<u32>(),
            *node.add(4).cast::<u32>(),
            *node.add(24).cast::<u32>(),
        )
    };
    // The three words of each child.
    let places = _mm512_setr_epi32(8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0, 0, 0);
    let one = _mm512_set1_epi32(1);
    let next = _mm512_add_epi32(places, one);
    let a = _mm512_castsi512_si256(_mm512_permutex2var_epi32(low, places, high));
    let b = _mm512_castsi512_si256(_mm512_permutex2var_epi32(low, next, high));
    let c = _mm512_permutex2var_epi32(low, _mm512_add_epi32(next, one), high);
    let c = _mm512_castsi512_si256(c);
    // SAFETY: as promised; the origin is the fourth to sixth word.
    let planes = unsafe { planes(a, b, c, sizes, node.add(12).cast()) };
    let Intervals { enter, exit } = Intervals::of(&planes, aim);
    let used = 0xFFu8 >> (7 - (sizes >> 28 & 7));
    let met = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(used, enter, exit);
    let pointers = pointers(c, internal >> 4, primitive >> 4);
    // SAFETY: as promised.
    unsafe {
        if DEPTHS {
            let order = far_to_near(enter, met);
            _mm256_storeu_si256(top.cast(), _mm256_permutexvar_epi32(order, pointers));
            _mm256_storeu_ps(top.add(size).cast(), _mm256_permutexvar_ps(order, enter));
        } else {
            _mm256_storeu_si256(top.cast(), _mm256_maskz_compress_epi32(met, pointers));
        }
        top.add(met.count_ones() as usize)
    }
}

/// The planes of eight children: see `gfx12::layout::BoxFrame`.
///
/// # Safety
/// Three floats must lie at `origin`.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
unsafe fn planes(a: __m256i, b: __m256i, c: __m256i, sizes: u32, origin: *const f32) -> Planes {
    let sizes = _mm256_set1_epi32(sizes as i32);
    let quantum_x = quantum(_mm256_slli_epi32::<23>(sizes));
    let quantum_y = quantum(_mm256_slli_epi32::<15>(sizes));
    let quantum_z = quantum(_mm256_slli_epi32::<7>(sizes));
    // SAFETY: as promised.
    let (x, y, z) = unsafe {
        (
            _mm256_broadcast_ss(&*origin),
            _mm256_broadcast_ss(&*origin.add(1)),
            _mm256_broadcast_ss(&*origin.add(2)),
        )
    };
    let one = _mm256_set1_epi32(1);
    Planes {
        low_x: _mm256_fmadd_ps(float(code(a)), quantum_x, x),
        low_y: _mm256_fmadd_ps(float(code(_mm256_srli_epi32::<12>(a))), quantum_y, y),
        low_z: _mm256_fmadd_ps(float(code(b)), quantum_z, z),
        high_x: _mm256_fmadd_ps(
            float(_mm256_add_epi32(code(_mm256_srli_epi32::<12>(b)), one)),
            quantum_x,
            x,
        ),
        high_y: _mm256_fmadd_ps(float(_mm256_add_epi32(code(c), one)), quantum_y, y),
        high_z: _mm256_fmadd_ps(
            float(_mm256_add_epi32(code(_mm256_srli_epi32::<12>(c)), one)),
            quantum_z,
            z,
        ),
    }
}

/// The lowest 12 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn code(words: __m256i) -> __m256i {
    _mm256_and_si256(words, _mm256_set1_epi32(0xFFF))
}

#[target_feature(enable = "avx2")]
#[inline]
fn float(codes: __m256i) -> __m256 {
    _mm256_cvtepi32_ps(codes)
}

/// `2^(e - 139)`, where `e` has the place of a float's exponent; 0 where that is no normal number.
#[target_feature(enable = "avx2")]
#[inline]
fn quantum(exponent: __m256i) -> __m256 {
    let exponent = _mm256_and_si256(exponent, _mm256_set1_epi32(0xFF << 23));
    let least = _mm256_set1_epi32(12 << 23);
    _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_max_epu32(exponent, least), least))
}

/// Where the children lead: those that are boxes lie one after the other from `internal` on, all others from
/// `primitive` on, each as many nodes behind the last as that one's range is long.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn pointers(words: __m256i, internal: u32, primitive: u32) -> __m256i {
    // Bits above the place: none of boxes.
    let kind = _mm256_srli_epi32::<24>(words);
    let tag = tags(kind);
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
    let first = _mm256_set1_epi32(internal as i32);
    let first = _mm256_mask_set1_epi32(first, is_other, primitive as i32);
    _mm256_or_si256(_mm256_add_epi32(first, before), tag)
}

/// What pointers have above their places, for kinds of nodes in the lowest four bits.
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

/// The lanes of `met`, those that are entered last first, and then all others: in the lowest three bits.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn far_to_near(enter: __m256, met: u8) -> __m256i {
    // No entry is negative, so its bits are in its own order; the lowest give way to the lane.
    let lanes = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    let bits = _mm256_castps_si256(enter);
    let keys = _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(!7)), lanes);
    let ones = _mm256_set1_epi32(-1);
    let keys = _mm256_mask_xor_epi32(ones, met, keys, ones);
    // Batcher's bitonic sorting network.
    let keys = exchanged::<0b1010_1010>(keys, _mm256_shuffle_epi32::<0b10_11_00_01>(keys));
    let keys = exchanged::<0b1100_1100>(keys, _mm256_shuffle_epi32::<0b00_01_10_11>(keys));
    let keys = exchanged::<0b1010_1010>(keys, _mm256_shuffle_epi32::<0b10_11_00_01>(keys));
    let keys = exchanged::<0b1111_0000>(keys, _mm256_permutexvar_epi32(lanes, keys));
    let keys = exchanged::<0b1100_1100>(keys, _mm256_shuffle_epi32::<0b01_00_11_10>(keys));
    exchanged::<0b1010_1010>(keys, _mm256_shuffle_epi32::<0b10_11_00_01>(keys))
}

/// The greater of two in lanes `UP`, the smaller in all others.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn exchanged<const UP: u8>(a: __m256i, b: __m256i) -> __m256i {
    _mm256_mask_max_epu32(_mm256_min_epu32(a, b), UP, a, b)
}
