//! One number for each ray of a bundle.

use crate::simd::{Lanes as Vector, Simd, inlined, of_floats};
use geometry::Ray;

/// Most rays of a bundle.
pub(super) const SIZE: usize = 64;

/// One number for each ray.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Lanes<T = f32>(pub(super) [T; SIZE]);

impl<T: Copy + Default> Lanes<T> {
    /// Zero for each ray.
    pub(super) fn zero() -> Self {
        Self([T::default(); SIZE])
    }

    /// The number of one ray.
    #[inline(always)]
    pub(super) fn of(&self, ray: usize) -> T {
        self.0[ray % SIZE]
    }

    /// Changes the number of one ray.
    #[inline(always)]
    pub(super) fn set(&mut self, ray: usize, number: T) {
        self.0[ray % SIZE] = number;
    }

    /// The numbers of the rays of a vector: those from its number times its length on.
    #[inline(always)]
    pub(super) fn get<F: Vector<Lane = T>>(&self, vector: usize) -> F {
        // SAFETY: VECTOR-SIZED: the index is below `SIZE`.
        unsafe { F::load(self.0.as_ptr().add(vector * F::LANES % SIZE)) }
    }

    /// Changes these numbers.
    #[inline(always)]
    pub(super) fn put<F: Vector<Lane = T>>(&mut self, vector: usize, numbers: F) {
        // SAFETY: VECTOR-SIZED: the index is below `SIZE`.
        unsafe { numbers.store(self.0.as_mut_ptr().add(vector * F::LANES % SIZE)) };
    }
}

/// How many vectors the rays of a bundle make.
pub(super) const fn vectors<F: Vector>() -> usize {
    SIZE / F::LANES
}

/// The bits that `all` rays have for those of a vector.
#[inline(always)]
pub(super) fn bits_of<F: Vector>(all: u64, vector: usize) -> u32 {
    (all >> (F::LANES * vector)) as u32 & crate::simd::first_lanes(F::LANES)
}

/// The bits of a vector's rays among those of all.
#[inline(always)]
pub(super) fn among<F: Vector>(bits: u32, vector: usize) -> u64 {
    u64::from(bits) << (F::LANES * vector)
}

/// The eight numbers of each ray, in the order of [`Ray`]'s fields. Where the last vector of eight
/// has fewer the last is repeated; what is behind it stays.
#[inline(always)]
pub(super) fn transposed<V: Simd>(rays: &[Ray], numbers: [&mut Lanes; 8]) {
    let Some(last) = rays.len().checked_sub(1) else { return };
    for half in 0..rays.len().min(SIZE).div_ceil(8) {
        let row = inlined(
            #[inline(always)]
            |n: usize| {
                let ray: *const Ray = &raw const rays[(8 * half + n).min(last)];
                // SAFETY: VECTOR-SIZED: a ray is eight floats.
                of_floats::<V::F8, 8>(unsafe { &*ray.cast() })
            },
        );
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        for (place, column) in V::transposed(rows).into_iter().enumerate() {
            numbers[place].put(half, column);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    #[test]
    fn every_number_finds_its_ray() {
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
            transposed::<crate::simd::Plain>(&rays, numbers.each_mut());
            for n in 0..count.next_multiple_of(8) {
                for (k, lanes) in numbers.iter().enumerate() {
                    assert_eq!(lanes.of(n), (8 * n.min(count - 1) + k) as f32);
                }
            }
        }
    }
}
