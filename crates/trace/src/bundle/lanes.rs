//! One number for each ray of a bundle.

use geometry::Ray;
use std::arch::x86_64::*;

/// Most rays of a bundle.
pub(super) const SIZE: usize = 64;

/// Vectors of sixteen rays in a bundle.
pub(super) const VECTORS: usize = SIZE / 16;

/// One number for each ray.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [__m512; VECTORS]);

impl Lanes {
    /// Zero for each ray.
    pub(super) fn zero() -> Self {
        // SAFETY: ZERO-VALID.
        unsafe { std::mem::zeroed() }
    }

    /// The number of one ray.
    #[inline(always)]
    pub(super) fn of(&self, ray: usize) -> f32 {
        // SAFETY: VECTOR-SIZED: the index is below `SIZE`.
        unsafe { *self.0.as_ptr().cast::<f32>().add(ray % SIZE) }
    }

    /// Changes the number of one ray.
    #[inline(always)]
    pub(super) fn set(&mut self, ray: usize, number: f32) {
        // SAFETY: VECTOR-SIZED: the index is below `SIZE`.
        unsafe { *self.0.as_mut_ptr().cast::<f32>().add(ray % SIZE) = number };
    }

    /// The numbers of the rays `8 half .. 8 half + 8`.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn half(&self, half: usize) -> __m256 {
        // SAFETY: VECTOR-SIZED: the index is below `SIZE / 8`.
        unsafe { *self.0.as_ptr().cast::<__m256>().add(half % (SIZE / 8)) }
    }

    /// Changes these numbers.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn set_half(&mut self, half: usize, numbers: __m256) {
        // SAFETY: VECTOR-SIZED: the index is below `SIZE / 8`.
        unsafe { *self.0.as_mut_ptr().cast::<__m256>().add(half % (SIZE / 8)) = numbers };
    }
}

/// The eight numbers of each ray, in the order of [`Ray`]'s fields. Where there are fewer than
/// [`SIZE`] rays the last is repeated.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
pub(super) fn transposed(rays: &[Ray], numbers: [&mut Lanes; 8]) {
    let Some(last) = rays.len().checked_sub(1) else { return };
    for half in 0..SIZE / 8 {
        let row = |n: usize| {
            let ray: *const Ray = &raw const rays[(8 * half + n).min(last)];
            // SAFETY: VECTOR-SIZED: a ray is eight floats.
            unsafe { _mm256_loadu_ps(ray.cast()) }
        };
        let columns =
            transposed_8([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]);
        for (place, column) in columns.into_iter().enumerate() {
            numbers[place].set_half(half, column);
        }
    }
}

/// Rows to columns.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn transposed_8(rows: [__m256; 8]) -> [__m256; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    let (ab, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let (cd, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    let (ef, ef_high) = (_mm256_unpacklo_ps(e, f), _mm256_unpackhi_ps(e, f));
    let (gh, gh_high) = (_mm256_unpacklo_ps(g, h), _mm256_unpackhi_ps(g, h));
    const LOW: i32 = 0b01_00_01_00;
    const HIGH: i32 = 0b11_10_11_10;
    let first = [
        _mm256_shuffle_ps::<LOW>(ab, cd),
        _mm256_shuffle_ps::<HIGH>(ab, cd),
        _mm256_shuffle_ps::<LOW>(ab_high, cd_high),
        _mm256_shuffle_ps::<HIGH>(ab_high, cd_high),
    ];
    let second = [
        _mm256_shuffle_ps::<LOW>(ef, gh),
        _mm256_shuffle_ps::<HIGH>(ef, gh),
        _mm256_shuffle_ps::<LOW>(ef_high, gh_high),
        _mm256_shuffle_ps::<HIGH>(ef_high, gh_high),
    ];
    [
        _mm256_permute2f128_ps::<0x20>(first[0], second[0]),
        _mm256_permute2f128_ps::<0x20>(first[1], second[1]),
        _mm256_permute2f128_ps::<0x20>(first[2], second[2]),
        _mm256_permute2f128_ps::<0x20>(first[3], second[3]),
        _mm256_permute2f128_ps::<0x31>(first[0], second[0]),
        _mm256_permute2f128_ps::<0x31>(first[1], second[1]),
        _mm256_permute2f128_ps::<0x31>(first[2], second[2]),
        _mm256_permute2f128_ps::<0x31>(first[3], second[3]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    #[test]
    fn every_number_finds_its_ray() {
        if !crate::avx512::is_available() {
            return;
        }
        let ray = |n: usize| {
            let at = |k: usize| (8 * n + k) as f32;
            Ray {
                origin: Vec3::new(at(0), at(1), at(2)),
                direction: Vec3::new(at(3), at(4), at(5)),
                tmin: at(6),
                tmax: at(7),
            }
        };
        for count in [1, 13, 64] {
            let rays: Vec<Ray> = (0..count).map(ray).collect();
            let mut numbers = [Lanes::zero(); 8];
            // SAFETY: FEATURES-DETECTED.
            unsafe { transposed(&rays, numbers.each_mut()) };
            for n in 0..SIZE {
                for (k, lanes) in numbers.iter().enumerate() {
                    assert_eq!(lanes.of(n), (8 * n.min(count - 1) + k) as f32);
                }
            }
        }
    }
}
