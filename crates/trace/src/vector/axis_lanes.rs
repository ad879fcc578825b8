//! How one ray is prepared: an axis a lane, with the bits that [`super::ray_setup`] has for many.

use super::active_ray::{ActiveRay, BoxTestRay, TriangleTestRay};
use super::ray_setup::{OF_DILATION, OF_ORIGIN};
use super::rule::Rule;
use super::source::Source;
use crate::ordinary;
use crate::simd::{Floats, Ints, Lanes, Simd, of_floats, of_words};
use crate::world::{Level, Tlas};
use geometry::{Aabb, Ray, TriangleRule, slab};

/// A ray; the last lanes mean nothing.
pub(crate) struct AxisLanes<'a, V: Simd> {
    ray: &'a Ray,
    origin: V::F4,
    direction: V::F4,
    /// Absolute directions; the last lane is 0.
    size: V::F4,
    /// The largest of them.
    largest: f32,
    /// Whether some are tiny beside it.
    has_tiny: bool,
    /// The direction, where what is tiny is replaced: see [`ordinary`].
    divisor: V::F4,
}

/// How a ray meets the planes of boxes.
pub(crate) struct AxisSlabs<V: Simd> {
    /// The origin.
    origin: V::F4,
    /// How far planes move outward.
    pad: V::F4,
    /// `1/d`, with tiny directions replaced.
    pub(crate) inverse: V::F4,
}

impl<V: Simd> AxisSlabs<V> {
    /// `-oA/d` and `-oB/d`: minima are seen from `oA` and maxima from `oB`.
    #[inline(always)]
    fn low_and_high(&self) -> (V::F4, V::F4) {
        let minus_inverse = self.inverse.minus();
        ((self.origin + self.pad) * minus_inverse, (self.origin - self.pad) * minus_inverse)
    }

    /// The same of the planes that are met first, and of those that are met last.
    #[inline(always)]
    pub(crate) fn near_and_far(&self) -> (V::F4, V::F4) {
        let pad = V::F4::from_bits(self.pad.to_bits() | self.inverse.signs());
        AxisSlabs::<V> { pad, ..*self }.low_and_high()
    }
}

impl<'a, V: Simd> AxisLanes<'a, V> {
    /// Lays a ray out.
    #[inline(always)]
    pub(crate) fn new(ray: &'a Ray) -> Self {
        let lanes: *const f32 = std::ptr::from_ref(ray).cast();
        // SAFETY: VECTOR-SIZED: a ray is eight floats; the fourth lanes are the direction's x and
        // `tmin`.
        let (origin, direction) = unsafe { (V::F4::load(lanes), V::F4::load(lanes.add(3))) };
        let size = V::F4::select(0b0111, direction.abs(), V::F4::splat(0.0));
        let largest = size.greatest();
        let smallest = V::F4::splat(largest * ordinary::SMALLEST);
        let has_tiny = size.lt(smallest) & 7 != 0;
        let mut divisor = direction;
        // A branch, so that the division need not wait.
        if has_tiny {
            std::hint::cold_path();
            divisor = V::F4::from_bits(size.max(smallest).to_bits() | direction.signs());
        }
        Self { ray, origin, direction, size, largest, has_tiny, divisor }
    }

    /// Whether it is ordinary: see [`ordinary`].
    #[inline(always)]
    pub(crate) fn is_ordinary(&self) -> bool {
        const LIMIT: f32 = ordinary::LARGEST;
        let limits = [LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, f32::INFINITY];
        // SAFETY: VECTOR-SIZED: a ray is eight floats.
        let size = unsafe { V::F8::load(std::ptr::from_ref(self.ray).cast()) }.abs();
        (size.le(of_floats(&limits)) == 0xFF)
            & (self.largest >= ordinary::SMALLEST)
            & (self.ray.tmin >= 0.0)
            & (self.ray.tmin <= self.ray.tmax)
            & (!self.has_tiny || self.is_normal())
    }

    /// Whether no component of the direction is subnormal.
    #[inline(always)]
    fn is_normal(&self) -> bool {
        let size = self.size;
        (size.ge(V::F4::splat(f32::MIN_POSITIVE)) | size.eq(V::F4::splat(0.0))) & 7 == 7
    }

    /// How much a BLAS dilates it: `7uR`, with [`slab::reach`].
    #[inline(always)]
    pub(crate) fn dilation(&self, bounds: &Aabb) -> f32 {
        self.reach(bounds) * slab::DILATION
    }

    /// How much the TLAS dilates it.
    #[inline(always)]
    pub(crate) fn instance_dilation(&self, tlas: &Tlas) -> f32 {
        tlas.dilation.dilation(self.ray.origin, self.reach(&tlas.level.bounds))
    }

    /// [`slab::reach`] into a box.
    #[inline(always)]
    fn reach(&self, bounds: &Aabb) -> f32 {
        let corners: *const f32 = std::ptr::from_ref(bounds).cast();
        // SAFETY: VECTOR-SIZED: a box is six floats.
        let (min, max) = unsafe { (V::F4::load(corners), V::F4::load(corners.add(2))) };
        let to_max = max.permuted(of_words(&[1, 2, 3, 0])) - self.origin;
        let farther = (min - self.origin).abs().max(to_max.abs());
        V::F4::select(0b0111, farther, V::F4::splat(0.0)).greatest().next_up()
    }

    /// How it meets planes, for a dilation.
    #[inline(always)]
    pub(crate) fn slabs(&self, dilation: f32) -> AxisSlabs<V> {
        let pad = V::F4::splat(dilation * OF_DILATION);
        AxisSlabs {
            origin: self.origin,
            pad: self.origin.abs().mul_add(V::F4::splat(OF_ORIGIN), pad),
            inverse: V::F4::splat(1.0) / self.divisor,
        }
    }

    /// Bit `k`: the direction on axis `k` is negative.
    #[inline(always)]
    pub(crate) fn octant(&self) -> u32 {
        self.direction.to_bits().is_high() & 7
    }

    /// How it sees the boxes of a level that asks for a dilation, within a range.
    #[inline(always)]
    pub(crate) fn box_ray(&self, dilation: f32, nearest: f32, farthest: f32) -> BoxTestRay {
        let slabs = self.slabs(dilation);
        let (low, high) = slabs.low_and_high();
        let mut box_ray = BoxTestRay::default();
        let place: *mut f32 = std::ptr::from_mut(&mut box_ray).cast();
        // SAFETY: VECTOR-SIZED: three vectors of four. The rows are read like this, too.
        unsafe {
            with_last::<V>(slabs.inverse, nearest).store(place);
            with_last::<V>(low, farthest).store(place.add(4));
            with_last::<V>(high, f32::from_bits(self.octant())).store(place.add(8));
        }
        box_ray
    }

    /// How it sees triangles, by a rule.
    #[inline(always)]
    pub(crate) fn triangle_ray<R: Rule>(&self) -> TriangleTestRay {
        let number = match R::RULE {
            TriangleRule::Watertight => self.dominant_last(),
            TriangleRule::MollerTrumbore => AS_THEY_ARE,
        };
        let order = of_words(&ORDERS[number]);
        let direction = self.direction.permuted(order);
        let dominant = direction.permuted(of_words(&[2; 4]));
        let factors = V::F4::select(0b1100, V::F4::splat(1.0), direction) / dominant;
        let mut triangle_ray = TriangleTestRay::default();
        let place: *mut f32 = std::ptr::from_mut(&mut triangle_ray).cast();
        // SAFETY: VECTOR-SIZED: three vectors of four.
        unsafe {
            let axes = f32::from_bits(AXES[number]);
            with_last::<V>(self.origin.permuted(order), axes).store(place);
            with_last::<V>(factors, self.ray.tmax).store(place.add(4));
            direction.store(place.add(8));
        }
        triangle_ray
    }

    /// Which of [`ORDERS`] is the ray's: the longest axis is dominant, the lowest on a tie. Without
    /// a branch, which could not be predicted.
    #[inline(always)]
    fn dominant_last(&self) -> usize {
        /// By the bits `x >= y`, `y >= z`, `z > x`.
        const DOMINANT: [u8; 8] = [2, 0, 1, 0, 2, 2, 1, 1];
        let next = V::after(self.size);
        let case = self.size.ge(next) & 3 | self.size.gt(next) & 4;
        let axis = u32::from(DOMINANT[case as usize & 7]);
        (2 * axis + (self.octant() >> axis & 1)) as usize
    }
}

/// The first three lanes of a row, and another last one.
#[inline(always)]
fn with_last<V: Simd>(row: V::F4, last: f32) -> V::F4 {
    V::F4::select(0b1000, V::F4::splat(last), row)
}

/// Axes as [`geometry::watertight`] takes them, the dominant one last: for each dominant axis, with
/// a positive and with a negative direction. The fourth lane stays where it is.
const ORDERS: [[u32; 4]; 6] =
    [[1, 2, 0, 3], [2, 1, 0, 3], [2, 0, 1, 3], [0, 2, 1, 3], [0, 1, 2, 3], [1, 0, 2, 3]];

/// The order of axes that changes nothing, as the rule of Möller and Trumbore takes them.
const AS_THEY_ARE: usize = 4;

/// [`TriangleTestRay::axes`] of each order.
const AXES: [u32; 6] = {
    let mut words = [0; 6];
    let mut number = 0;
    while number < ORDERS.len() {
        let [x, y, z, _] = ORDERS[number];
        words[number] = x | y << 8 | z << 16;
        number += 1;
    }
    words
};

impl ActiveRay {
    /// Aims at a BLAS with an ordinary ray, within the range that it has.
    #[inline(always)]
    pub(crate) fn enter_blas<V: Simd, G: Source>(&mut self, ray: &AxisLanes<'_, V>, level: &Level) {
        let BoxTestRay { nearest, farthest, .. } = self.box_ray;
        let dilation = ray.dilation(&level.bounds) * G::DILATIONS;
        self.box_ray = ray.box_ray(dilation, nearest, farthest);
        self.triangle_ray = ray.triangle_ray::<G::Rule>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::kernel::with_kernel;
    use geometry::Vec3;

    /// Every way in which three sizes can compare.
    #[test]
    fn the_dominant_axis_is_the_reference_one() {
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            with_kernel!(kernel, V => dominant_axes::<V>());
        }
    }

    fn dominant_axes<V: Simd>() {
        for case in 0..27 * 8 {
            let size = |axis: u32| (case / 3u32.pow(axis) % 3) as f32;
            let d = [size(0), size(1), size(2)];
            let expected = if d[0] >= d[1] && d[0] >= d[2] {
                0
            } else if d[1] >= d[2] {
                1
            } else {
                2
            };
            let octant = case / 27;
            let (x, y) = ((expected + 1) % 3, (expected + 2) % 3);
            let is_negative = octant >> expected & 1 == 1;
            let wanted = if is_negative { [y, x, expected] } else { [x, y, expected] };
            let sign = |axis: usize| if octant >> axis & 1 == 1 { -d[axis] } else { d[axis] };
            let ray = Ray::new(Vec3::ONE, Vec3::new(sign(0), sign(1), sign(2)));
            // SAFETY: FEATURES-DETECTED.
            let found = unsafe { V::run(|| AxisLanes::<V>::new(&ray).dominant_last()) };
            assert_eq!(ORDERS[found][..3], wanted, "{d:?} {octant}");
        }
    }

    #[test]
    fn the_reach_is_the_reference_one() {
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            with_kernel!(kernel, V => reaches::<V>());
        }
    }

    fn reaches<V: Simd>() {
        let bounds = Aabb::new(Vec3::new(-1.5, 2.0, 3.25), Vec3::new(4.0, 2.5, 7.125));
        for origin in [Vec3::ZERO, Vec3::new(9.0, -3.0, 5.5), Vec3::new(0.1, 2.2, 99.0)] {
            let ray = Ray::new(origin, Vec3::splat(500.0));
            // SAFETY: FEATURES-DETECTED.
            let found = unsafe { V::run(|| AxisLanes::<V>::new(&ray).reach(&bounds)) };
            assert_eq!(found, slab::reach(origin, &bounds));
        }
    }

    #[test]
    fn rays_out_of_the_ordinary_are_the_reference_ones() {
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            with_kernel!(kernel, V => ordinary_rays::<V>());
        }
    }

    fn ordinary_rays<V: Simd>() {
        let numbers = [0.0, -0.0, 1.0, -3.5, 1e-39, 1e-14, 1e13, 2e12, f32::NAN, f32::INFINITY];
        for case in 0..10usize.pow(4) {
            let number = |place: u32| numbers[case / 10usize.pow(place) % 10];
            let direction = Vec3::new(number(0), 0.5 * number(1), number(0) * number(2));
            let ray = Ray::new(Vec3::new(1.0, number(3), 2.0), direction);
            for ray in [ray, ray.between(number(1), number(3))] {
                // SAFETY: FEATURES-DETECTED.
                let found = unsafe { V::run(|| AxisLanes::<V>::new(&ray).is_ordinary()) };
                assert_eq!(found, ordinary::is_ordinary(&ray), "{ray:?}");
            }
        }
    }
}
