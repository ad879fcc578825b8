//! Vectors of 16, and the kernel of AVX-512.

use super::define::{cast, compared, fused, lanes, of_two, operators};
use super::x86::{self, D4, F4, F8, I8};
use super::x86_moves::{self, shared};
use super::{Doubles, Floats, Ints, Lanes, Simd};
use std::arch::x86_64::*;

/// The kernel of AVX-512 (F, VL and DQ).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512;

/// Sixteen floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct F16(__m512);

/// Sixteen words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct I16(__m512i);

/// Eight doubles.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct D8(__m512d);

/// The bits of a node, and what lies a word further on.
#[derive(Clone, Copy)]
pub(crate) struct Bits {
    low: __m512i,
    high: __m512i,
    low_next: __m512i,
    high_next: __m512i,
}

impl Avx512 {
    /// Whether this processor has what the kernel needs.
    pub(crate) fn is_available() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && super::Avx2::is_available()
    }
}

impl Simd for Avx512 {
    const FUSED: bool = true;

    type F4 = F4;
    type F8 = F8<true>;
    type F16 = F16;
    type Wide = F16;
    type I8 = I8<true>;
    type I16 = I16;
    type D4 = D4;
    type D8 = D8;
    type Bits = Bits;

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi1,bmi2")]
    #[inline]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    shared!(true);

    #[inline(always)]
    fn bits(node: &[u8; 128]) -> Bits {
        // SAFETY: FEATURES-DETECTED, VECTOR-SIZED: a node is two vectors of 64 bytes.
        unsafe {
            let first: *const u8 = node.as_ptr();
            let low = _mm512_loadu_si512(first.cast());
            let high = _mm512_loadu_si512(first.add(64).cast());
            let low_next = _mm512_alignr_epi32::<1>(high, low);
            Bits { low, high, low_next, high_next: _mm512_alignr_epi32::<1>(high, high) }
        }
    }

    #[inline(always)]
    fn bits_at(bits: &Bits, places: I16) -> I16 {
        // SAFETY: FEATURES-DETECTED.
        I16(unsafe {
            let word = _mm512_srli_epi32::<5>(places.0);
            let shift = _mm512_and_si512(places.0, _mm512_set1_epi32(31));
            let low = _mm512_permutex2var_epi32(bits.low, word, bits.high);
            let high = _mm512_permutex2var_epi32(bits.low_next, word, bits.high_next);
            // A shift by 32 leaves nothing.
            let up = _mm512_sub_epi32(_mm512_set1_epi32(32), shift);
            _mm512_or_si512(_mm512_srlv_epi32(low, shift), _mm512_sllv_epi32(high, up))
        })
    }
}

operators! { [] F16:
    Add add _mm512_add_ps, Sub sub _mm512_sub_ps, Mul mul _mm512_mul_ps, Div div _mm512_div_ps
}
operators! { [] D8:
    Add add _mm512_add_pd, Sub sub _mm512_sub_pd, Mul mul _mm512_mul_pd, Div div _mm512_div_pd
}
operators! { [] I16:
    Add add _mm512_add_epi32, Sub sub _mm512_sub_epi32, Mul mul _mm512_mullo_epi32,
    BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512, BitXor bitxor _mm512_xor_si512
}

lanes!([] F16, 16, f32, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, |mask, yes, no| {
    _mm512_mask_blend_ps(mask as u16, no, yes)
});
lanes!([] I16, 16, u32, |word| _mm512_set1_epi32(word as i32), _mm512_loadu_si512,
    _mm512_storeu_si512, |mask, yes, no| _mm512_mask_blend_epi32(mask as u16, no, yes));
lanes!([] D8, 8, f64, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, |mask, yes, no| {
    _mm512_mask_blend_pd(mask as u8, no, yes)
});

impl Floats for F16 {
    cast!(I16 as I16: _mm512_castps_si512, _mm512_castsi512_ps);
    of_two! { min _mm512_min_ps, max _mm512_max_ps }
    fused!(mul_add _mm512_fmadd_ps);
    compared! {
        lt |a, b| _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b),
        le |a, b| _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
        eq |a, b| _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b)
    }

    #[inline(always)]
    fn permuted(self, numbers: I16) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm512_permutexvar_ps(numbers.0, self.0) })
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut f32) {
        // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
        unsafe { _mm512_storeu_ps(to, _mm512_maskz_compress_ps(mask as u16, self.0)) };
    }

    #[inline(always)]
    fn least(self) -> f32 {
        // SAFETY: FEATURES-DETECTED.
        unsafe { _mm512_reduce_min_ps(self.0) }
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        // SAFETY: FEATURES-DETECTED.
        unsafe { _mm512_reduce_max_ps(self.0) }
    }
}

impl Ints for I16 {
    of_two! {
        shl _mm512_sllv_epi32, shr _mm512_srlv_epi32, min _mm512_min_epi32, max _mm512_max_epi32
    }
    compared! {
        eq |a, b| _mm512_cmpeq_epi32_mask(a, b),
        lt |a, b| _mm512_cmplt_epi32_mask(a, b)
    }

    #[inline(always)]
    fn is_high(self) -> u32 {
        // SAFETY: FEATURES-DETECTED.
        unsafe { _mm512_movepi32_mask(self.0).into() }
    }

    #[inline(always)]
    fn permuted(self, numbers: Self) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm512_permutexvar_epi32(numbers.0, self.0) })
    }

    #[inline(always)]
    unsafe fn store_some(self, mask: u32, to: *mut u32) {
        // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
        unsafe {
            _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(mask as u16, self.0));
        }
    }
}

impl Doubles for D8 {
    type Floats = F8<true>;

    #[inline(always)]
    fn widened(floats: F8<true>) -> Self {
        // SAFETY: FEATURES-DETECTED.
        Self(unsafe { _mm512_cvtps_pd(floats.0) })
    }

    #[inline(always)]
    fn narrowed(self) -> F8<true> {
        // SAFETY: FEATURES-DETECTED.
        F8(unsafe { _mm512_cvtpd_ps(self.0) })
    }

    fused!(mul_sub _mm512_fmsub_pd);
    of_two! { min _mm512_min_pd, max _mm512_max_pd }
    compared! {
        lt |a, b| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b),
        eq |a, b| _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b)
    }
}
