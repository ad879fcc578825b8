//! Eight rays set up at once.
//!
//! The same as `BoxTestRay::set` and `TriangleTestRay::set`, with a ray a lane.

use super::active_ray::ActiveRay;
use super::rule::Rule;
use super::source::VectorSource;
use crate::ordinary;
use crate::world::Pointer;
use geometry::{Aabb, Ray, TriangleRule, Vec3, slab};
use machine::instance_dilation::InstanceDilation;
use std::arch::x86_64::*;

/// Rays that are set up at once.
pub(crate) const WIDTH: usize = 8;

/// A ray a lane.
#[derive(Clone, Copy)]
struct Three {
    x: __m256,
    y: __m256,
    z: __m256,
}

/// Eight rays.
pub(crate) struct Rays {
    origin: Three,
    direction: Three,
    /// Absolute directions.
    size: Three,
    tmin: __m256,
    tmax: __m256,
}

impl Rays {
    /// Lays rays out.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn new(rays: &[Ray; WIDTH]) -> Self {
        // SAFETY: VECTOR-SIZED: a ray is eight floats.
        let [a, b, c, d, e, f, g, h] = unsafe {
            let first: *const f32 = rays.as_ptr().cast();
            [
                _mm256_loadu_ps(first),
                _mm256_loadu_ps(first.add(8)),
                _mm256_loadu_ps(first.add(16)),
                _mm256_loadu_ps(first.add(24)),
                _mm256_loadu_ps(first.add(32)),
                _mm256_loadu_ps(first.add(40)),
                _mm256_loadu_ps(first.add(48)),
                _mm256_loadu_ps(first.add(56)),
            ]
        };
        // Fields 0 to 3 of rays 0 and 4, 1 and 5 …, then fields 4 to 7 likewise.
        let low = transposed(
            _mm256_permute2f128_ps::<0x20>(a, e),
            _mm256_permute2f128_ps::<0x20>(b, f),
            _mm256_permute2f128_ps::<0x20>(c, g),
            _mm256_permute2f128_ps::<0x20>(d, h),
        );
        let high = transposed(
            _mm256_permute2f128_ps::<0x31>(a, e),
            _mm256_permute2f128_ps::<0x31>(b, f),
            _mm256_permute2f128_ps::<0x31>(c, g),
            _mm256_permute2f128_ps::<0x31>(d, h),
        );
        let sign = _mm256_set1_ps(-0.0);
        let direction = Three { x: low[3], y: high[0], z: high[1] };
        Self {
            origin: Three { x: low[0], y: low[1], z: low[2] },
            direction,
            size: Three {
                x: _mm256_andnot_ps(sign, direction.x),
                y: _mm256_andnot_ps(sign, direction.y),
                z: _mm256_andnot_ps(sign, direction.z),
            },
            tmin: high[2],
            tmax: high[3],
        }
    }

    /// Lays the first eight of some rays out; where there are fewer, any.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn padded(rays: &[Ray]) -> Self {
        match rays.first_chunk() {
            Some(rays) => Self::new(rays),
            None => {
                let mut padded = [Ray::new(Vec3::ZERO, Vec3::X); WIDTH];
                padded[..rays.len()].copy_from_slice(rays);
                Self::new(&padded)
            }
        }
    }

    /// Which of them are ordinary: see [`ordinary`].
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn ordinary(&self) -> u8 {
        let Three { x, y, z } = self.size;
        let (largest, zero) = (_mm256_set1_ps(ordinary::LARGEST), _mm256_setzero_ps());
        let longest = greatest3(x, y, z);
        let smallest = _mm256_set1_ps(ordinary::SMALLEST);
        let mut is_ordinary = _mm256_and_ps(
            _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_LE_OQ>(self.tmin, self.tmax),
                _mm256_cmp_ps::<_CMP_GE_OQ>(self.tmin, zero),
            ),
            _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_LE_OQ>(self.tmin, largest),
                _mm256_cmp_ps::<_CMP_GE_OQ>(longest, smallest),
            ),
        );
        for size in [x, y, z] {
            let is_moderate = _mm256_cmp_ps::<_CMP_LE_OQ>(size, largest);
            let normal = _mm256_set1_ps(f32::MIN_POSITIVE);
            let is_subnormal = _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_LT_OQ>(size, normal),
                _mm256_cmp_ps::<_CMP_NEQ_OQ>(size, zero),
            );
            is_ordinary = _mm256_and_ps(is_ordinary, _mm256_andnot_ps(is_subnormal, is_moderate));
        }
        let sign = _mm256_set1_ps(-0.0);
        for origin in [self.origin.x, self.origin.y, self.origin.z] {
            let size = _mm256_andnot_ps(sign, origin);
            let is_moderate = _mm256_cmp_ps::<_CMP_LE_OQ>(size, largest);
            is_ordinary = _mm256_and_ps(is_ordinary, is_moderate);
        }
        _mm256_movemask_ps(is_ordinary) as u8
    }

    /// [`slab::reach`] of each into a box.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn reach(&self, bounds: &Aabb) -> __m256 {
        let x = farther(self.origin.x, bounds.min.x, bounds.max.x);
        let y = farther(self.origin.y, bounds.min.y, bounds.max.y);
        let z = farther(self.origin.z, bounds.min.z, bounds.max.z);
        let bits = _mm256_castps_si256(greatest3(x, y, z));
        // The next float up: they are neither negative nor infinite.
        _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_set1_epi32(1)))
    }

    /// How much a BLAS dilates each: `7uR`.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn dilation(&self, bounds: &Aabb) -> __m256 {
        _mm256_mul_ps(self.reach(bounds), _mm256_set1_ps(slab::DILATION))
    }

    /// How much the TLAS dilates each.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    pub(crate) fn instance_dilation(&self, tlas: &InstanceDilation, bounds: &Aabb) -> __m256 {
        let mut lanes = [[0.0; WIDTH]; 4];
        let rows = [self.origin.x, self.origin.y, self.origin.z, self.reach(bounds)];
        for (lanes, row) in lanes.iter_mut().zip(rows) {
            // SAFETY: VECTOR-SIZED.
            unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), row) };
        }
        let [x, y, z, reach] = lanes;
        let dilation: [f32; WIDTH] = std::array::from_fn(|lane| {
            tlas.dilation(Vec3::new(x[lane], y[lane], z[lane]), reach[lane])
        });
        // SAFETY: VECTOR-SIZED.
        unsafe { _mm256_loadu_ps(dilation.as_ptr()) }
    }

    /// Aims slots at the outermost level; the root of it.
    ///
    /// # Safety
    /// There must be eight different slots at these places.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) unsafe fn enter_world<G: VectorSource>(
        &self,
        source: &G,
        slots: &[*mut ActiveRay; WIDTH],
    ) -> Pointer {
        debug_assert!((1..WIDTH).all(|lane| !slots[..lane].contains(&slots[lane])), "SLOT-UNIQUE");
        let dilations = _mm256_set1_ps(G::DILATIONS);
        match (source.tlas(), source.blas(0)) {
            (Some(tlas), _) => {
                let dilation = self.instance_dilation(&tlas.dilation, &tlas.level.bounds);
                // SAFETY: SLOT-UNIQUE.
                unsafe { self.aim(_mm256_mul_ps(dilation, dilations), slots) };
                tlas.level.root
            }
            (None, Some(level)) => {
                // SAFETY: SLOT-UNIQUE.
                unsafe {
                    self.aim(_mm256_mul_ps(self.dilation(&level.bounds), dilations), slots);
                    self.shear::<G::Rule>(slots);
                }
                level.root
            }
            (None, None) => Pointer::DONE,
        }
    }

    /// The aims of all, for a dilation of each.
    ///
    /// # Safety
    /// There must be slots at these places.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) unsafe fn aim(&self, dilation: __m256, slots: &[*mut ActiveRay; WIDTH]) {
        let Three { x, y, z } = self.size;
        let smallest = _mm256_mul_ps(greatest3(x, y, z), _mm256_set1_ps(ordinary::SMALLEST));
        let dilation = _mm256_mul_ps(dilation, _mm256_set1_ps(1.0 + 1.0 / 7.0));
        let x = offsets(self.origin.x, self.direction.x, self.size.x, smallest, dilation);
        let y = offsets(self.origin.y, self.direction.y, self.size.y, smallest, dilation);
        let z = offsets(self.origin.z, self.direction.z, self.size.z, smallest, dilation);
        let octant = octants(self.direction);
        let inverse = transposed(x.inverse, y.inverse, z.inverse, self.tmin);
        let low = transposed(x.low, y.low, z.low, self.tmax);
        let high = transposed(x.high, y.high, z.high, _mm256_castsi256_ps(octant));
        // SAFETY: SLOT-UNIQUE, VECTOR-SIZED: an aim is three vectors of four.
        unsafe {
            for ray in 0..4 {
                let place: *mut f32 = std::ptr::from_mut(&mut (*slots[ray]).box_ray).cast();
                _mm_storeu_ps(place, _mm256_castps256_ps128(inverse[ray]));
                _mm_storeu_ps(place.add(4), _mm256_castps256_ps128(low[ray]));
                _mm_storeu_ps(place.add(8), _mm256_castps256_ps128(high[ray]));
                let place: *mut f32 = std::ptr::from_mut(&mut (*slots[ray + 4]).box_ray).cast();
                _mm_storeu_ps(place, _mm256_extractf128_ps::<1>(inverse[ray]));
                _mm_storeu_ps(place.add(4), _mm256_extractf128_ps::<1>(low[ray]));
                _mm_storeu_ps(place.add(8), _mm256_extractf128_ps::<1>(high[ray]));
            }
        }
    }

    /// The shears of all, by a rule.
    ///
    /// # Safety
    /// There must be slots at these places.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) unsafe fn shear<R: Rule>(&self, slots: &[*mut ActiveRay; WIDTH]) {
        let Three { x, y, z } = self.size;
        let turning = match R::RULE {
            TriangleRule::Watertight => _mm256_castsi256_ps(_mm256_set1_epi32(-1)),
            TriangleRule::MollerTrumbore => _mm256_setzero_ps(),
        };
        let along_x = _mm256_and_ps(
            _mm256_cmp_ps::<_CMP_GE_OQ>(x, y),
            _mm256_and_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(x, z), turning),
        );
        let along_y =
            _mm256_andnot_ps(along_x, _mm256_and_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(y, z), turning));
        let d = turned(self.direction, along_x, along_y);
        let o = turned(self.origin, along_x, along_y);
        // Only the sign of a lane counts.
        let negative = _mm256_and_ps(d.z, turning);
        let (d, o) = (swapped(d, negative), swapped(o, negative));
        // Numbers of `ORDERS`: 4 less 2 along y and 4 along x, and 1 more for a negative direction.
        let less = _mm256_or_si256(
            _mm256_and_si256(_mm256_castps_si256(along_y), _mm256_set1_epi32(2)),
            _mm256_and_si256(_mm256_castps_si256(along_x), _mm256_set1_epi32(4)),
        );
        let more = _mm256_srli_epi32::<31>(_mm256_castps_si256(negative));
        let number = _mm256_add_epi32(_mm256_sub_epi32(_mm256_set1_epi32(4), less), more);
        // SAFETY: VECTOR-SIZED: there are eight words of axes.
        let axes = unsafe { _mm256_loadu_si256(super::active_ray::AXES.as_ptr().cast()) };
        let axes = _mm256_permutevar8x32_epi32(axes, number);
        let one = _mm256_set1_ps(1.0);
        let factors = transposed(
            _mm256_div_ps(d.x, d.z),
            _mm256_div_ps(d.y, d.z),
            _mm256_div_ps(one, d.z),
            self.tmax,
        );
        let origin = transposed(o.x, o.y, o.z, _mm256_castsi256_ps(axes));
        let direction = transposed(d.x, d.y, d.z, d.z);
        // SAFETY: SLOT-UNIQUE, VECTOR-SIZED: a shear is three vectors of four.
        unsafe {
            for ray in 0..4 {
                let place: *mut f32 = std::ptr::from_mut(&mut (*slots[ray]).triangle_ray).cast();
                _mm_storeu_ps(place, _mm256_castps256_ps128(origin[ray]));
                _mm_storeu_ps(place.add(4), _mm256_castps256_ps128(factors[ray]));
                _mm_storeu_ps(place.add(8), _mm256_castps256_ps128(direction[ray]));
                let place: *mut f32 =
                    std::ptr::from_mut(&mut (*slots[ray + 4]).triangle_ray).cast();
                _mm_storeu_ps(place, _mm256_extractf128_ps::<1>(origin[ray]));
                _mm_storeu_ps(place.add(4), _mm256_extractf128_ps::<1>(factors[ray]));
                _mm_storeu_ps(place.add(8), _mm256_extractf128_ps::<1>(direction[ray]));
            }
        }
    }
}

/// A ray's side of the box test on one axis.
struct Offsets {
    inverse: __m256,
    low: __m256,
    high: __m256,
}

#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn offsets(
    origin: __m256,
    direction: __m256,
    size: __m256,
    smallest: __m256,
    dilation: __m256,
) -> Offsets {
    let sign = _mm256_set1_ps(-0.0);
    let is_tiny = _mm256_cmp_ps::<_CMP_LT_OQ>(size, smallest);
    let signed_smallest = _mm256_or_ps(smallest, _mm256_and_ps(sign, direction));
    let divisor = _mm256_blendv_ps(direction, signed_smallest, is_tiny);
    let inverse = _mm256_div_ps(_mm256_set1_ps(1.0), divisor);
    let pad = _mm256_fmadd_ps(
        _mm256_andnot_ps(sign, origin),
        _mm256_set1_ps(4.0 * super::active_ray::U),
        dilation,
    );
    let minus_inverse = _mm256_xor_ps(sign, inverse);
    Offsets {
        inverse,
        low: _mm256_mul_ps(_mm256_add_ps(origin, pad), minus_inverse),
        high: _mm256_mul_ps(_mm256_sub_ps(origin, pad), minus_inverse),
    }
}

/// Bit `k` of each: the direction on axis `k` is negative.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn octants(direction: Three) -> __m256i {
    let x = _mm256_srli_epi32::<31>(_mm256_castps_si256(direction.x));
    let y = _mm256_srli_epi32::<31>(_mm256_castps_si256(direction.y));
    let z = _mm256_srli_epi32::<31>(_mm256_castps_si256(direction.z));
    let (y, z) = (_mm256_slli_epi32::<1>(y), _mm256_slli_epi32::<2>(z));
    _mm256_or_si256(_mm256_or_si256(x, y), z)
}

/// Axes in the order of the shear, but for its winding.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn turned(lanes: Three, along_x: __m256, along_y: __m256) -> Three {
    let Three { x, y, z } = lanes;
    Three {
        x: _mm256_blendv_ps(_mm256_blendv_ps(x, z, along_y), y, along_x),
        y: _mm256_blendv_ps(_mm256_blendv_ps(y, x, along_y), z, along_x),
        z: _mm256_blendv_ps(_mm256_blendv_ps(z, y, along_y), x, along_x),
    }
}

#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn swapped(lanes: Three, mask: __m256) -> Three {
    let Three { x, y, z } = lanes;
    Three { x: _mm256_blendv_ps(x, y, mask), y: _mm256_blendv_ps(y, x, mask), z }
}

/// How far a box reaches from each origin on one axis.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn farther(origin: __m256, min: f32, max: f32) -> __m256 {
    let sign = _mm256_set1_ps(-0.0);
    _mm256_max_ps(
        _mm256_andnot_ps(sign, _mm256_sub_ps(_mm256_set1_ps(min), origin)),
        _mm256_andnot_ps(sign, _mm256_sub_ps(_mm256_set1_ps(max), origin)),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn greatest3(a: __m256, b: __m256, c: __m256) -> __m256 {
    _mm256_max_ps(_mm256_max_ps(a, b), c)
}

/// Rows become columns, in each half.
#[target_feature(enable = "avx2")]
#[inline]
fn transposed(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
    let ab_low = _mm256_unpacklo_ps(a, b);
    let ab_high = _mm256_unpackhi_ps(a, b);
    let cd_low = _mm256_unpacklo_ps(c, d);
    let cd_high = _mm256_unpackhi_ps(c, d);
    [
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avx2::is_available;
    use crate::vector::active_ray;
    use crate::vector::rule::{MollerTrumbore, Watertight};

    /// Rays whose numbers are drawn from a few ordinary and many odd ones.
    fn rays() -> impl Iterator<Item = [Ray; WIDTH]> {
        const ODD: [f32; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.3,
            -7.5,
            2.5e-13,
            1e-20,
            -1e-40,
            1e12,
            -1.2e12,
            f32::INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE,
        ];
        let mut state = 12_345u64;
        let mut next = move |choices: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % choices
        };
        let mut number = move |odd: usize| {
            if next(odd) == 0 { ODD[next(ODD.len())] } else { next(2000) as f32 / 7.0 - 140.0 }
        };
        let mut ray = move || {
            let mut vector = || Vec3::new(number(9), number(9), number(9));
            let (origin, direction) = (vector(), vector());
            let bounds = vector();
            Ray { origin, direction, tmin: bounds.x.abs(), tmax: bounds.y.abs() * 3.0 }
        };
        std::iter::repeat_with(move || std::array::from_fn(|_| ray())).take(4000)
    }

    #[test]
    fn eight_are_set_up_like_one() {
        if !is_available() {
            return;
        }
        eight_by_rule::<Watertight>();
        eight_by_rule::<MollerTrumbore>();
    }

    fn eight_by_rule<R: Rule>() {
        let bounds = Aabb::new(Vec3::new(-3.0, -200.0, 1.0), Vec3::new(5.0, 30.0, 9.0));
        let mut ordinary_rays = 0;
        for rays in rays() {
            let mut slots = [ActiveRay::EMPTY; WIDTH];
            let places = slots.each_mut().map(std::ptr::from_mut);
            // SAFETY: FEATURES-DETECTED, SLOT-UNIQUE.
            let ordinary = unsafe {
                let eight = Rays::new(&rays);
                eight.aim(eight.dilation(&bounds), &places);
                eight.shear::<R>(&places);
                eight.ordinary()
            };
            for (lane, ray) in rays.iter().enumerate() {
                let is_ordinary = ordinary >> lane & 1 == 1;
                assert_eq!(is_ordinary, ordinary::is_ordinary(ray), "{ray:?}");
                // SAFETY: FEATURES-DETECTED.
                assert_eq!(is_ordinary, unsafe { active_ray::is_ordinary(ray) }, "{ray:?}");
                if !is_ordinary {
                    continue;
                }
                ordinary_rays += 1;
                let mut one = ActiveRay::EMPTY;
                // SAFETY: FEATURES-DETECTED.
                unsafe {
                    one.box_ray.set(ray, &bounds, 1.0, ray.tmin, ray.tmax);
                    one.triangle_ray.set::<R>(ray);
                }
                assert_eq!(slots[lane].box_ray, one.box_ray, "{ray:?}");
                let [a, b] = [&slots[lane].triangle_ray, &one.triangle_ray].map(|shear| {
                    let [x, y, z, _] = shear.direction;
                    let factors = shear.factors.map(f32::to_bits);
                    (shear.origin, shear.axes, factors, shear.end, [x, y, z])
                });
                assert_eq!(a, b, "{ray:?}");
            }
        }
        assert!(ordinary_rays > 5_000, "{ordinary_rays}");
    }
}
