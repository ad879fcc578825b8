//! The kernel of AVX2, whose vectors of 16 are pairs.

use super::x86::{self, D4, F4, F8, I8};
use super::x86_moves::{self, shared};
use super::{Pair, Simd, bits_of_bytes};

/// The kernel of AVX2, FMA and BMI2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2;

impl Avx2 {
    /// Whether this processor has what the kernel needs.
    pub(crate) fn is_available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }
}

impl Simd for Avx2 {
    const FUSED: bool = true;

    type F4 = F4;
    type F8 = F8<false>;
    type F16 = Pair<F8<false>>;
    type Wide = F8<false>;
    type I8 = I8<false>;
    type I16 = Pair<I8<false>>;
    type D4 = D4;
    type D8 = Pair<D4>;
    type Bits = *const u8;

    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi1,bmi2")]
    #[inline]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    shared!(false);

    #[inline(always)]
    fn bits(node: &[u8; 128]) -> *const u8 {
        node.as_ptr()
    }

    #[inline(always)]
    fn bits_at(bits: &*const u8, places: Self::I16) -> Self::I16 {
        bits_of_bytes(*bits, places)
    }
}
