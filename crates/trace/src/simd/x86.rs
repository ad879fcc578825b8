//! Vectors of 4 and 8 of x86 processors.
//!
//! They need AVX2 and FMA. With `MASKS` they also use the mask registers and the compressing moves
//! of AVX-512.

use super::define::{cast, compared, fused, lanes, of_two, operators};
use super::{Doubles, Floats, Half, Ints, Lanes};
use std::arch::x86_64::*;

/// Four floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F4(pub(super) __m128);

/// Eight floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F8<const MASKS: bool>(pub(super) __m256);

/// Four words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct I4(__m128i);

/// Eight words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct I8<const MASKS: bool>(pub(super) __m256i);

/// Four doubles.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct D4(__m256d);

/// For each set of eight lanes, their numbers in order; behind them zeros.
pub(super) static PACKED: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// Some lanes, side by side.
#[inline(always)]
fn packed<const MASKS: bool>(lanes: __m256i, mask: u32) -> __m256i {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED: eight bytes.
    unsafe {
        if MASKS {
            return _mm256_maskz_compress_epi32(mask as u8, lanes);
        }
        let numbers = PACKED[mask as usize & 0xFF].as_ptr();
        let numbers = _mm256_cvtepu8_epi32(_mm_loadl_epi64(numbers.cast()));
        _mm256_permutevar8x32_epi32(lanes, numbers)
    }
}

/// Comparing to a mask, as compilers do, takes longer.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn less(a: __m256i, b: __m256i) -> u32 {
    let bits;
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "vpcmpgtd {is_less}, {b}, {a}",
            "vmovmskps {bits:e}, {is_less}",
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            is_less = out(ymm_reg) _,
            bits = lateout(reg) bits,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    bits
}

/// A lane of ones for each bit.
#[inline(always)]
fn expanded(mask: u32) -> __m256i {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let mask = _mm256_set1_epi32(mask as i32);
        _mm256_cmpeq_epi32(_mm256_and_si256(mask, bits), bits)
    }
}

operators! { [] F4:
    Add add _mm_add_ps, Sub sub _mm_sub_ps, Mul mul _mm_mul_ps, Div div _mm_div_ps
}
operators! { [const M: bool] F8<M>:
    Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps, Div div _mm256_div_ps
}
operators! { [] D4:
    Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd, Div div _mm256_div_pd
}
operators! { [] I4:
    Add add _mm_add_epi32, Sub sub _mm_sub_epi32, Mul mul _mm_mullo_epi32,
    BitAnd bitand _mm_and_si128, BitOr bitor _mm_or_si128, BitXor bitxor _mm_xor_si128
}
operators! { [const M: bool] I8<M>:
    Add add _mm256_add_epi32, Sub sub _mm256_sub_epi32, Mul mul _mm256_mullo_epi32,
    BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256, BitXor bitxor _mm256_xor_si256
}

lanes!([] F4, 4, f32, _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, |mask, yes, no| {
    _mm_blendv_ps(no, yes, _mm_castsi128_ps(_mm256_castsi256_si128(expanded(mask))))
});
lanes!([const M: bool] F8<M>, 8, f32, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps,
|mask, yes, no| match M {
    true => _mm256_mask_blend_ps(mask as u8, no, yes),
    false => _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(expanded(mask))),
});
lanes!([] I4, 4, u32, |word| _mm_set1_epi32(word as i32), _mm_loadu_si128, _mm_storeu_si128,
    |mask, yes, no| _mm_blendv_epi8(no, yes, _mm256_castsi256_si128(expanded(mask))));
lanes!([const M: bool] I8<M>, 8, u32, |word| _mm256_set1_epi32(word as i32),
_mm256_loadu_si256, _mm256_storeu_si256, |mask, yes, no| match M {
    true => _mm256_mask_blend_epi32(mask as u8, no, yes),
    false => _mm256_blendv_epi8(no, yes, expanded(mask)),
});
lanes!([] D4, 4, f64, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, |mask, yes, no| {
    let wide = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(expanded(mask)));
    _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(wide))
});

impl Floats for F4 {
    cast!(I4 as I4: _mm_castps_si128, _mm_castsi128_ps);
    of_two! { min _mm_min_ps, max _mm_max_ps }
    fused!(mul_add _mm_fmadd_ps);
    compared! {
        lt |a, b| _mm_movemask_ps(_mm_cmp_ps::<_CMP_LT_OQ>(a, b)),
        le |a, b| _mm_movemask_ps(_mm_cmp_ps::<_CMP_LE_OQ>(a, b)),
        eq |a, b| _mm_movemask_ps(_mm_cmp_ps::<_CMP_EQ_OQ>(a, b))
    }

    #[inline(always)]
    fn permuted(self, numbers: I4) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm_permutevar_ps(self.0, numbers.0) })
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut f32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { self.to_bits().store_some(mask, to.cast()) };
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        // SAFETY: FEATURES-DETECTED.
        unsafe {
            let pairs = _mm_max_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_max_ss(pairs, _mm_movehdup_ps(pairs)))
        }
    }
}

impl<const M: bool> Floats for F8<M> {
    cast!(I8 as I8<M>: _mm256_castps_si256, _mm256_castsi256_ps);
    of_two! { min _mm256_min_ps, max _mm256_max_ps }
    fused!(mul_add _mm256_fmadd_ps);
    compared! {
        lt |a, b| match M {
            true => u32::from(_mm256_cmp_ps_mask::<_CMP_LT_OQ>(a, b)),
            false => _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) as u32,
        },
        le |a, b| match M {
            true => u32::from(_mm256_cmp_ps_mask::<_CMP_LE_OQ>(a, b)),
            false => _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32,
        },
        eq |a, b| match M {
            true => u32::from(_mm256_cmp_ps_mask::<_CMP_EQ_OQ>(a, b)),
            false => _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) as u32,
        }
    }

    #[inline(always)]
    fn permuted(self, numbers: I8<M>) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm256_permutevar8x32_ps(self.0, numbers.0) })
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut f32) {
        // SAFETY: VECTOR-SIZED.
        unsafe { self.to_bits().store_some(mask, to.cast()) };
    }

    #[inline(always)]
    fn least(self) -> f32 {
        let four = floats4(self.0);
        fold4(F4(four.0).min(F4(four.1)), F4::min)
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        let four = floats4(self.0);
        fold4(F4(four.0).max(F4(four.1)), F4::max)
    }
}

/// Both halves.
#[inline(always)]
fn floats4(lanes: __m256) -> (__m128, __m128) {
    // SAFETY: FEATURES-DETECTED.
    unsafe { (_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes)) }
}

/// The best of four.
#[inline(always)]
fn fold4(four: F4, better: impl Fn(F4, F4) -> F4) -> f32 {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let pairs = better(four, F4(_mm_movehl_ps(four.0, four.0)));
        _mm_cvtss_f32(better(pairs, F4(_mm_movehdup_ps(pairs.0))).0)
    }
}

impl Ints for I4 {
    of_two! { shl _mm_sllv_epi32, shr _mm_srlv_epi32, min _mm_min_epi32, max _mm_max_epi32 }
    compared! {
        eq |a, b| Self(_mm_cmpeq_epi32(a, b)).is_high(),
        lt |a, b| Self(_mm_cmpgt_epi32(b, a)).is_high()
    }

    #[inline(always)]
    fn is_high(self) -> u32 {
        // SAFETY: FEATURES-DETECTED.
        unsafe { _mm_movemask_ps(_mm_castsi128_ps(self.0)) as u32 }
    }

    #[inline(always)]
    fn permuted(self, numbers: Self) -> Self {
        F4::from_bits(self).permuted(numbers).to_bits()
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut u32) {
        // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
        unsafe {
            let some = packed::<false>(_mm256_castsi128_si256(self.0), mask & 15);
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(some));
        }
    }
}

impl<const M: bool> Ints for I8<M> {
    of_two! {
        shl _mm256_sllv_epi32, shr _mm256_srlv_epi32, min _mm256_min_epi32, max _mm256_max_epi32
    }
    compared! {
        eq |a, b| Self(_mm256_cmpeq_epi32(a, b)).is_high(),
        lt |a, b| match M {
            true => u32::from(_mm256_cmplt_epi32_mask(a, b)),
            false => less(a, b),
        }
    }

    #[inline(always)]
    fn is_high(self) -> u32 {
        // SAFETY: FEATURES-DETECTED.
        unsafe {
            match M {
                true => _mm256_movepi32_mask(self.0).into(),
                false => _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32,
            }
        }
    }

    #[inline(always)]
    fn permuted(self, numbers: Self) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm256_permutevar8x32_epi32(self.0, numbers.0) })
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut u32) {
        // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
        unsafe { _mm256_storeu_si256(to.cast(), packed::<M>(self.0, mask)) };
    }

    #[inline(always)]
    fn packed(self, mask: u32) -> Self {
        Self(packed::<M>(self.0, mask))
    }
}

impl Half for F4 {
    type Whole = F8<false>;

    #[inline(always)]
    fn joined(low: Self, high: Self) -> F8<false> {
        // SAFETY: FEATURES-DETECTED.
        F8(unsafe { _mm256_set_m128(high.0, low.0) })
    }

    #[inline(always)]
    fn split(whole: F8<false>) -> (Self, Self) {
        let (low, high) = floats4(whole.0);
        (Self(low), Self(high))
    }
}

impl Doubles for D4 {
    type Floats = F4;

    #[inline(always)]
    fn widened(floats: F4) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm256_cvtps_pd(floats.0) })
    }

    #[inline(always)]
    fn narrowed(self) -> F4 {
        // SAFETY: FEATURES-DETECTED.
        F4(unsafe { _mm256_cvtpd_ps(self.0) })
    }

    fused!(mul_sub _mm256_fmsub_pd);
    of_two! { min _mm256_min_pd, max _mm256_max_pd }
    compared! {
        lt |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b)),
        eq |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_keep_their_order() {
        for (mask, numbers) in PACKED.iter().enumerate() {
            let expected: Vec<u8> = (0..8).filter(|lane| mask >> lane & 1 == 1).collect();
            assert_eq!(numbers[..expected.len()], expected);
            assert!(numbers[expected.len()..].iter().all(|&lane| lane == 0));
        }
    }
}
