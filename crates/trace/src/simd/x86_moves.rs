//! What both kernels of x86 processors do alike, beside arithmetic: moves between lanes and memory,
//! and what compilers would do worse.

use super::x86::{F4, F8, I8, less};
use std::arch::x86_64::*;

/// What both kernels do alike.
macro_rules! shared {
    ($masks:literal) => {
        #[inline(always)]
        fn prefetch(address: *const u8) {
            x86_moves::prefetch(address);
        }

        #[inline(always)]
        fn transposed(rows: [x86::F8<$masks>; 8]) -> [x86::F8<$masks>; 8] {
            x86_moves::transposed(rows)
        }

        #[inline(always)]
        unsafe fn store_quads(rows: [x86::F8<$masks>; 4], places: [*mut f32; 8]) {
            // SAFETY: VECTOR-SIZED.
            unsafe { x86_moves::store_quads(rows, places) };
        }

        #[inline(always)]
        unsafe fn twice(four: *const f32) -> x86::F8<$masks> {
            // SAFETY: VECTOR-SIZED.
            unsafe { x86_moves::twice(four) }
        }

        #[inline(always)]
        fn spread<const LANE: i32>(twice: x86::F8<$masks>) -> x86::F8<$masks> {
            x86_moves::spread::<LANE, $masks>(twice)
        }

        #[inline(always)]
        fn all<const LANE: i32>(four: x86::F4) -> x86::F8<$masks> {
            x86_moves::all::<LANE, $masks>(four)
        }

        #[inline(always)]
        fn is_less(a: x86::I8<$masks>, b: x86::I8<$masks>) -> u32 {
            x86_moves::is_less(a, b)
        }

        #[inline(always)]
        unsafe fn word(words: *const u32, number: usize) -> u32 {
            // SAFETY: POINTER-PROVED, which is asked.
            unsafe { x86_moves::word(words, number) }
        }

        #[inline(always)]
        fn optimization_barrier(four: x86::F4) -> x86::F4 {
            x86_moves::optimization_barrier4(four)
        }

        #[inline(always)]
        fn optimization_barrier_ref<T>(value: &T) -> &T {
            x86_moves::optimization_barrier_ref(value)
        }

        #[inline(always)]
        fn before(three: x86::F4) -> x86::F4 {
            x86_moves::before(three)
        }

        #[inline(always)]
        fn after(three: x86::F4) -> x86::F4 {
            x86_moves::after(three)
        }

        #[inline(always)]
        fn columns(rows: [x86::F4; 3]) -> [x86::F4; 3] {
            x86_moves::columns(rows)
        }

        #[inline(always)]
        fn powers(exponents: u32) -> x86::F4 {
            x86_moves::powers(exponents)
        }

        #[inline(always)]
        fn choose(number: u32, yes: u32, no: u32) -> u32 {
            x86_moves::choose(number, yes, no)
        }

        #[inline(always)]
        fn force_to_memory<T>(value: &mut T) {
            x86_moves::force_to_memory(value);
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
    unsafe { F8(optimization_barrier8(_mm256_broadcast_ps(&*four.cast::<__m128>()))) }
}

/// The same, of which the compiler knows nothing.
#[target_feature(enable = "avx2")]
#[inline]
fn optimization_barrier8(mut lanes: __m256) -> __m256 {
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
pub(super) fn optimization_barrier4(F4(mut lanes): F4) -> F4 {
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "/* {0} */", inout(xmm_reg) lanes, options(nomem, nostack, preserves_flags)
        );
    }
    F4(lanes)
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
pub(super) fn optimization_barrier_ref<T>(value: &T) -> &T {
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
