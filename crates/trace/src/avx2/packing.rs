//! Some lanes of a vector, side by side: what AVX-512 calls to compress.

use std::arch::x86_64::*;

/// For each set of lanes, their numbers in order.
static LANES: [[u8; 8]; 256] = {
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

/// The numbers of the lanes that `mask` names, in order; behind them zeros.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) fn lanes(mask: u8) -> __m256i {
    // SAFETY: VECTOR-SIZED: eight bytes.
    unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(LANES[usize::from(mask)].as_ptr().cast())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_keep_their_order() {
        if !super::super::is_available() {
            return;
        }
        for mask in 0..=255 {
            let mut found = [0u32; 8];
            // SAFETY: FEATURES-DETECTED, VECTOR-SIZED.
            unsafe { _mm256_storeu_si256(found.as_mut_ptr().cast(), lanes(mask)) };
            let expected: Vec<u32> = (0..8).filter(|lane| mask >> lane & 1 == 1).collect();
            assert_eq!(found[..expected.len()], expected);
            assert!(found[expected.len()..].iter().all(|&lane| lane == 0));
        }
    }
}
