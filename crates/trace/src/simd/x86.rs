//! Vectors of 4 and 8 of x86 processors, and what both of their kernels do alike.
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

/// What both kernels do alike.
macro_rules! shared {
    ($masks:literal) => {
        #[inline(always)]
        fn prefetch(address: *const u8) {
            x86::prefetch(address);
        }

        #[inline(always)]
        fn transposed(rows: [x86::F8<$masks>; 8]) -> [x86::F8<$masks>; 8] {
            x86::transposed(rows)
        }

        #[inline(always)]
        unsafe fn store_quads(rows: [x86::F8<$masks>; 4], places: [*mut f32; 8]) {
            // SAFETY: VECTOR-SIZED.
            unsafe { x86::store_quads(rows, places) };
        }

        #[inline(always)]
        unsafe fn twice(four: *const f32) -> x86::F8<$masks> {
            // SAFETY: VECTOR-SIZED.
            unsafe { x86::twice(four) }
        }

        #[inline(always)]
        fn spread<const LANE: i32>(twice: x86::F8<$masks>) -> x86::F8<$masks> {
            x86::spread::<LANE, $masks>(twice)
        }

        #[inline(always)]
        fn all<const LANE: i32>(four: x86::F4) -> x86::F8<$masks> {
            x86::all::<LANE, $masks>(four)
        }

        #[inline(always)]
        fn is_less(a: x86::I8<$masks>, b: x86::I8<$masks>) -> u32 {
            x86::is_less(a, b)
        }

        #[inline(always)]
        unsafe fn word(words: *const u32, number: usize) -> u32 {
            // SAFETY: POINTER-PROVED, which is asked.
            unsafe { x86::word(words, number) }
        }

        #[inline(always)]
        fn unseen(four: x86::F4) -> x86::F4 {
            x86::unseen4(four)
        }

        #[inline(always)]
        fn hidden<T>(value: &T) -> &T {
            x86::hidden(value)
        }

        #[inline(always)]
        fn before(three: x86::F4) -> x86::F4 {
            x86::before(three)
        }

        #[inline(always)]
        fn after(three: x86::F4) -> x86::F4 {
            x86::after(three)
        }

        #[inline(always)]
        fn columns(rows: [x86::F4; 3]) -> [x86::F4; 3] {
            x86::columns(rows)
        }

        #[inline(always)]
        fn powers(exponents: u32) -> x86::F4 {
            x86::powers(exponents)
        }

        #[inline(always)]
        fn choose(number: u32, yes: u32, no: u32) -> u32 {
            x86::choose(number, yes, no)
        }

        #[inline(always)]
        fn force_to_memory<T>(value: &mut T) {
            x86::force_to_memory(value);
        }
    };
}
pub(super) use shared;

#[inline(always)]
pub(super) fn prefetch(address: *const u8) {
    // SAFETY: ANY-ADDRESS.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// The compiler makes a branch of every other way to say this.
#[inline(always)]
pub(super) fn choose(number: u32, mut yes: u32, no: u32) -> u32 {
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "test {number:e}, {number:e}",
            "cmovz {yes:e}, {no:e}",
            number = in(reg) number,
            no = in(reg) no,
            yes = inout(reg) yes,
            options(pure, nomem, nostack)
        );
    }
    yes
}

#[inline(always)]
pub(super) fn force_to_memory<T>(value: &mut T) {
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "/* {} */", in(reg) std::ptr::from_mut(value), options(nostack, preserves_flags)
        );
    }
}

/// Rows to columns, four by four, in each half.
#[inline(always)]
fn in_halves(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
    const LOW: i32 = 0b01_00_01_00;
    const HIGH: i32 = 0b11_10_11_10;
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let (ab, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<LOW>(ab, cd),
            _mm256_shuffle_ps::<HIGH>(ab, cd),
            _mm256_shuffle_ps::<LOW>(ab_high, cd_high),
            _mm256_shuffle_ps::<HIGH>(ab_high, cd_high),
        ]
    }
}

#[inline(always)]
pub(super) fn transposed<const MASKS: bool>(rows: [F8<MASKS>; 8]) -> [F8<MASKS>; 8] {
    let [F8(a), F8(b), F8(c), F8(d), F8(e), F8(f), F8(g), F8(h)] = rows;
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let low = in_halves(
            _mm256_permute2f128_ps::<0x20>(a, e),
            _mm256_permute2f128_ps::<0x20>(b, f),
            _mm256_permute2f128_ps::<0x20>(c, g),
            _mm256_permute2f128_ps::<0x20>(d, h),
        );
        let high = in_halves(
            _mm256_permute2f128_ps::<0x31>(a, e),
            _mm256_permute2f128_ps::<0x31>(b, f),
            _mm256_permute2f128_ps::<0x31>(c, g),
            _mm256_permute2f128_ps::<0x31>(d, h),
        );
        let [[a, b, c, d], [e, f, g, h]] = [low, high];
        [F8(a), F8(b), F8(c), F8(d), F8(e), F8(f), F8(g), F8(h)]
    }
}

#[inline(always)]
pub(super) unsafe fn store_quads<const MASKS: bool>(
    [a, b, c, d]: [F8<MASKS>; 4],
    places: [*mut f32; 8],
) {
    let rays = in_halves(a.0, b.0, c.0, d.0);
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe {
        _mm_storeu_ps(places[0], _mm256_castps256_ps128(rays[0]));
        _mm_storeu_ps(places[1], _mm256_castps256_ps128(rays[1]));
        _mm_storeu_ps(places[2], _mm256_castps256_ps128(rays[2]));
        _mm_storeu_ps(places[3], _mm256_castps256_ps128(rays[3]));
        _mm_storeu_ps(places[4], _mm256_extractf128_ps::<1>(rays[0]));
        _mm_storeu_ps(places[5], _mm256_extractf128_ps::<1>(rays[1]));
        _mm_storeu_ps(places[6], _mm256_extractf128_ps::<1>(rays[2]));
        _mm_storeu_ps(places[7], _mm256_extractf128_ps::<1>(rays[3]));
    }
}

/// In one load; the compiler would make four of it if it saw what becomes of them.
#[inline(always)]
pub(super) unsafe fn twice<const MASKS: bool>(four: *const f32) -> F8<MASKS> {
    // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
    unsafe { F8(unseen(_mm256_broadcast_ps(&*four.cast::<__m128>()))) }
}

/// The same, of which the compiler knows nothing.
#[target_feature(enable = "avx2")]
#[inline]
fn unseen(mut lanes: __m256) -> __m256 {
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "/* {0} */", inout(ymm_reg) lanes, options(pure, nomem, nostack, preserves_flags)
        );
    }
    lanes
}

/// The same of four: wherever it is asked for, as it is not pure.
#[inline(always)]
pub(super) fn unseen4(F4(mut lanes): F4) -> F4 {
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "/* {0} */", inout(xmm_reg) lanes, options(nomem, nostack, preserves_flags)
        );
    }
    F4(lanes)
}

/// Comparing to a mask, as compilers do, takes longer.
#[target_feature(enable = "avx2")]
#[inline]
fn less(a: __m256i, b: __m256i) -> u32 {
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

#[inline(always)]
pub(super) fn is_less<const MASKS: bool>(a: I8<MASKS>, b: I8<MASKS>) -> u32 {
    // SAFETY: FEATURES-DETECTED.
    unsafe { less(a.0, b.0) }
}

#[inline(always)]
pub(super) unsafe fn word(words: *const u32, number: usize) -> u32 {
    let word;
    // SAFETY: POINTER-PROVED, which is asked; REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "mov {word:e}, [{words} + 4 * {number}]",
            words = in(reg) words,
            number = in(reg) number,
            word = lateout(reg) word,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    word
}

#[inline(always)]
pub(super) fn hidden<T>(value: &T) -> &T {
    let mut place = std::ptr::from_ref(value);
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) place, options(readonly, nostack, preserves_flags));
        &*place
    }
}

#[inline(always)]
pub(super) fn spread<const LANE: i32, const MASKS: bool>(twice: F8<MASKS>) -> F8<MASKS> {
    // SAFETY: FEATURES-DETECTED.
    F8(unsafe {
        match LANE {
            0 => _mm256_permute_ps::<0b00_00_00_00>(twice.0),
            1 => _mm256_permute_ps::<0b01_01_01_01>(twice.0),
            2 => _mm256_permute_ps::<0b10_10_10_10>(twice.0),
            _ => _mm256_permute_ps::<0b11_11_11_11>(twice.0),
        }
    })
}

#[inline(always)]
pub(super) fn all<const LANE: i32, const MASKS: bool>(four: F4) -> F8<MASKS> {
    // SAFETY: FEATURES-DETECTED.
    F8(unsafe { _mm256_permutevar8x32_ps(_mm256_castps128_ps256(four.0), _mm256_set1_epi32(LANE)) })
}

#[inline(always)]
pub(super) fn before(three: F4) -> F4 {
    // SAFETY: FEATURES-DETECTED.
    F4(unsafe { _mm_permute_ps::<0b11_01_00_10>(three.0) })
}

#[inline(always)]
pub(super) fn after(three: F4) -> F4 {
    // SAFETY: FEATURES-DETECTED.
    F4(unsafe { _mm_permute_ps::<0b11_00_10_01>(three.0) })
}

#[inline(always)]
pub(super) fn columns([F4(x), F4(y), F4(z)]: [F4; 3]) -> [F4; 3] {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        let xy = _mm_unpacklo_ps(x, y);
        [
            F4(_mm_shuffle_ps::<0b00_00_01_00>(xy, z)),
            F4(_mm_shuffle_ps::<0b01_01_11_10>(xy, z)),
            F4(_mm_shuffle_ps::<0b10_10_01_00>(_mm_unpackhi_ps(x, y), z)),
        ]
    }
}

#[inline(always)]
pub(super) fn powers(exponents: u32) -> F4 {
    // SAFETY: FEATURES-DETECTED.
    F4(unsafe {
        let bytes = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(exponents as i32));
        _mm_castsi128_ps(_mm_slli_epi32::<23>(bytes))
    })
}

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
