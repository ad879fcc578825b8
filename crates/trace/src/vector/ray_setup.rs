//! How rays are prepared for box and triangle tests: eight or sixteen at once, a ray a lane. One
//! alone is prepared with an axis a lane, by the same arithmetic ([`super::axis_lanes`]).
//!
//! There is one budget for the errors of all kernels and walks. With `u = 2^-24`, the reach `R` of
//! a level from the origin `o` of a ray and the dilation `7uR` (or what instances ask for instead)
//! of the reference test, minima are seen from `o + e` and maxima from `o - e` with
//! `e = 10uR + 6u|o|`: both move outward. Of what `e` has beyond the reference,
//!
//! | part | covers |
//! |---|---|
//! | `2u` of the origin | the roundings of `o ± e` and of `(o ± e)/d` |
//! | `u(R + abs(o))` | the product of a plane and `1/d`, where a kernel does not fuse it |
//! | `u` of the origin | widening `(o ± e)/d`, for a ray alone |
//! | `uR` | directions that are tiny beside the largest, which are replaced |
//!
//! and the rest is left. Images need more for their planes ([`super::source::Source::DILATIONS`]).

use super::active_ray::ActiveRay;
use super::rule::Rule;
use super::source::Source;
use crate::ordinary;
use crate::simd::{Floats, Ints, Lanes, Simd, each, greatest, inlined, of_floats};
use crate::world::{Pointer, Tlas};
use geometry::{Aabb, Ray, TriangleRule, Vec3, slab};

/// Rays that are set up at once.
pub(crate) const WIDTH: usize = 8;

/// `2^-24`.
const U: f32 = f32::EPSILON / 2.0;

/// `e`, in terms of the origin and of the dilation of the reference.
pub(crate) const OF_ORIGIN: f32 = 6.0 * U;
pub(crate) const OF_DILATION: f32 = 10.0 / 7.0;

/// Rays, a lane each.
#[derive(Clone, Copy)]
pub(crate) struct Rays<F> {
    pub(crate) origin: [F; 3],
    pub(crate) direction: [F; 3],
    tmin: F,
    tmax: F,
}

/// How rays meet the planes of boxes, by axis.
pub(crate) struct Slabs<F> {
    /// `1/d`, with tiny directions replaced.
    pub(crate) inverse: [F; 3],
    /// `-oA/d`, where `oA` is the origin that minima are seen from.
    pub(crate) low: [F; 3],
    /// `-oB/d`, likewise for maxima.
    pub(crate) high: [F; 3],
}

/// Rays turned into the last axis, if the rule asks for it.
struct Sheared<F: Floats> {
    origin: [F; 3],
    direction: [F; 3],
    /// The shear, and the reciprocal of the dominant direction.
    factors: [F; 3],
    /// Which axes these are, a byte each.
    axes: F::Ints,
}

impl<F: Floats> Rays<F> {
    /// Rays that begin and end anywhere.
    #[inline(always)]
    pub(crate) fn endless(origin: [F; 3], direction: [F; 3]) -> Self {
        Self { origin, direction, tmin: F::splat(0.0), tmax: F::splat(f32::INFINITY) }
    }

    /// Which of them are ordinary: see [`ordinary`].
    #[inline(always)]
    pub(crate) fn ordinary(&self) -> u32 {
        let (largest, zero) = (F::splat(ordinary::LARGEST), F::splat(0.0));
        let size = self.sizes();
        let mut is_ordinary = self.tmin.le(self.tmax)
            & self.tmin.ge(zero)
            & self.tmin.le(largest)
            & greatest(size).ge(F::splat(ordinary::SMALLEST));
        for (size, origin) in size.into_iter().zip(self.origin) {
            let is_normal = size.ge(F::splat(f32::MIN_POSITIVE)) | size.eq(zero);
            is_ordinary &= size.le(largest) & is_normal & origin.abs().le(largest);
        }
        is_ordinary
    }

    /// Absolute directions.
    #[inline(always)]
    pub(crate) fn sizes(&self) -> [F; 3] {
        let [x, y, z] = self.direction;
        [x.abs(), y.abs(), z.abs()]
    }

    /// How much a BLAS dilates each: `7uR`, with [`slab::reach`].
    #[inline(always)]
    pub(crate) fn dilation(&self, bounds: &Aabb) -> F {
        self.reach(bounds) * F::splat(slab::DILATION)
    }

    /// How much the TLAS dilates each.
    #[inline(always)]
    fn instance_dilation(&self, tlas: &Tlas) -> F {
        let [x, y, z] = self.origin;
        let mut lanes = [[0.0; 16]; 4];
        let mut dilation = [0.0; 16];
        // SAFETY: VECTOR-SIZED: no vector has more than sixteen lanes.
        unsafe {
            for (lanes, row) in lanes.iter_mut().zip([x, y, z, self.reach(&tlas.level.bounds)]) {
                row.store(lanes.as_mut_ptr());
            }
            let [x, y, z, reach] = lanes;
            for lane in 0..F::LANES {
                let origin = Vec3::new(x[lane], y[lane], z[lane]);
                dilation[lane] = tlas.dilation.dilation(origin, reach[lane]);
            }
            F::load(dilation.as_ptr())
        }
    }

    /// [`slab::reach`] of each into a box.
    #[inline(always)]
    fn reach(&self, bounds: &Aabb) -> F {
        let farther = inlined(
            #[inline(always)]
            |axis: usize| {
                let to_min = F::splat(bounds.min[axis]) - self.origin[axis];
                let to_max = F::splat(bounds.max[axis]) - self.origin[axis];
                to_min.abs().max(to_max.abs())
            },
        );
        let reach = greatest([farther(0), farther(1), farther(2)]);
        // The next float up: they are neither negative nor infinite.
        F::from_bits(reach.to_bits() + F::Ints::splat(1))
    }

    /// How they meet planes, for a dilation of each.
    #[inline(always)]
    pub(crate) fn slabs(&self, dilation: F) -> Slabs<F> {
        let smallest = greatest(self.sizes()) * F::splat(ordinary::SMALLEST);
        let pad = dilation * F::splat(OF_DILATION);
        let [x, y, z] = each(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| {
                let (origin, inverse) = (self.origin[axis], self.inverse(axis, smallest));
                let pad = origin.abs().mul_add(F::splat(OF_ORIGIN), pad);
                let minus_inverse = inverse.minus();
                (inverse, (origin + pad) * minus_inverse, (origin - pad) * minus_inverse)
            },
        );
        Slabs { inverse: [x.0, y.0, z.0], low: [x.1, y.1, z.1], high: [x.2, y.2, z.2] }
    }

    /// `1/d` on an axis; what is tiny beside the largest is replaced: see [`ordinary`].
    #[inline(always)]
    pub(crate) fn inverse(&self, axis: usize, smallest: F) -> F {
        let direction = self.direction[axis];
        let size = direction.abs().max(smallest);
        let divisor = F::from_bits(size.to_bits() | direction.signs());
        F::splat(1.0) / divisor
    }

    /// Bit `k` of each: the direction on axis `k` is negative.
    #[inline(always)]
    fn octants(&self) -> F::Ints {
        let [x, y, z] = each(
            self.direction,
            #[inline(always)]
            |d| d.to_bits(),
        );
        let bit = inlined(
            #[inline(always)]
            |words: F::Ints, bit: u32| words.shr(F::Ints::splat(31)).shl(F::Ints::splat(bit)),
        );
        bit(x, 0) | bit(y, 1) | bit(z, 2)
    }

    /// How they see triangles: axes as [`geometry::watertight`] takes them, the dominant one last,
    /// the lowest on a tie; as they are by the rule of Möller and Trumbore.
    #[inline(always)]
    fn sheared<R: Rule>(&self) -> Sheared<F> {
        let words = inlined(
            #[inline(always)]
            |axes: [u32; 3]| F::Ints::splat(axes[0] | axes[1] << 8 | axes[2] << 16),
        );
        let (origin, direction, axes) = match R::RULE {
            TriangleRule::MollerTrumbore => (self.origin, self.direction, words([0, 1, 2])),
            TriangleRule::Watertight => {
                let [x, y, z] = self.sizes();
                let along_x = x.ge(y) & x.ge(z);
                let along_y = y.ge(z);
                let turned = inlined(
                    #[inline(always)]
                    |[x, y, z]: [F; 3]| {
                        let of = inlined(
                            #[inline(always)]
                            |along_x_one: F, along_y_one: F, other: F| {
                                F::select(
                                    along_x,
                                    along_x_one,
                                    F::select(along_y, along_y_one, other),
                                )
                            },
                        );
                        [of(y, z, x), of(z, x, y), of(x, y, z)]
                    },
                );
                let (d, o) = (turned(self.direction), turned(self.origin));
                let negative = d[2].to_bits().is_high();
                let swapped = inlined(
                    #[inline(always)]
                    |[x, y, z]: [F; 3]| [F::select(negative, y, x), F::select(negative, x, y), z],
                );
                let of = inlined(
                    #[inline(always)]
                    |along_x_one, along_y_one, other| {
                        let rest = F::Ints::select(along_y, words(along_y_one), words(other));
                        F::Ints::select(along_x, words(along_x_one), rest)
                    },
                );
                let positive_axes = of([1, 2, 0], [2, 0, 1], [0, 1, 2]);
                let negative_axes = of([2, 1, 0], [0, 2, 1], [1, 0, 2]);
                let axes = F::Ints::select(negative, negative_axes, positive_axes);
                (swapped(o), swapped(d), axes)
            }
        };
        let [x, y, z] = direction;
        Sheared { origin, direction, factors: [x / z, y / z, F::splat(1.0) / z], axes }
    }
}

/// Prepares one ray of a part of a batch for each slot, for the outermost level of a source; its
/// root, and which of the rays are ordinary. Where there are fewer rays, slots get any.
///
/// # Safety
/// There must be eight different slots at these places.
#[inline(always)]
pub(crate) unsafe fn enter_world<V: Simd, G: Source>(
    source: &G,
    rays: &[Ray],
    slots: &[*mut ActiveRay; WIDTH],
) -> (Pointer, u32) {
    debug_assert!((1..WIDTH).all(|lane| !slots[..lane].contains(&slots[lane])), "SLOT-UNIQUE");
    let rays = match rays.first_chunk() {
        Some(rays) => laid_out::<V>(rays),
        None => {
            let mut padded = [Ray::new(Vec3::ZERO, Vec3::X); WIDTH];
            padded[..rays.len()].copy_from_slice(rays);
            laid_out::<V>(&padded)
        }
    };
    let dilations = V::F8::splat(G::DILATIONS);
    let (root, dilation) = match (source.tlas(), source.blas(0)) {
        (Some(tlas), _) => (tlas.level.root, rays.instance_dilation(tlas)),
        (None, Some(level)) => (level.root, rays.dilation(&level.bounds)),
        (None, None) => return (Pointer::DONE, rays.ordinary()),
    };
    // SAFETY: SLOT-UNIQUE.
    unsafe {
        store_box_rays::<V>(&rays, dilation * dilations, slots);
        if source.tlas().is_none() {
            shear::<V, G::Rule>(&rays, slots);
        }
    }
    (root, rays.ordinary())
}

/// How rays see boxes, for a dilation of each.
///
/// # Safety
/// As [`enter_world`].
#[inline(always)]
unsafe fn store_box_rays<V: Simd>(
    rays: &Rays<V::F8>,
    dilation: V::F8,
    slots: &[*mut ActiveRay; WIDTH],
) {
    let Slabs { inverse, low, high } = rays.slabs(dilation);
    let octants = V::F8::from_bits(rays.octants());
    // SAFETY: SLOT-UNIQUE, VECTOR-SIZED: what boxes are tested with is three vectors of four.
    unsafe {
        let places = slots.map(|slot| (&raw mut (*slot).box_ray).cast::<f32>());
        V::store_quads([inverse[0], inverse[1], inverse[2], rays.tmin], places);
        V::store_quads([low[0], low[1], low[2], rays.tmax], behind(places, 4));
        V::store_quads([high[0], high[1], high[2], octants], behind(places, 8));
    }
}

/// How rays see triangles, by a rule.
///
/// # Safety
/// As [`enter_world`].
#[inline(always)]
unsafe fn shear<V: Simd, R: Rule>(rays: &Rays<V::F8>, slots: &[*mut ActiveRay; WIDTH]) {
    let Sheared { origin, direction, factors, axes } = rays.sheared::<R>();
    let axes = V::F8::from_bits(axes);
    // SAFETY: SLOT-UNIQUE, VECTOR-SIZED: what triangles are tested with is three vectors of four.
    unsafe {
        let places = slots.map(|slot| (&raw mut (*slot).triangle_ray).cast::<f32>());
        V::store_quads([origin[0], origin[1], origin[2], axes], places);
        V::store_quads([factors[0], factors[1], factors[2], rays.tmax], behind(places, 4));
        V::store_quads([direction[0], direction[1], direction[2], direction[2]], behind(places, 8));
    }
}

/// Places so many floats on.
#[inline(always)]
fn behind(places: [*mut f32; WIDTH], floats: usize) -> [*mut f32; WIDTH] {
    places.map(|place| place.wrapping_add(floats))
}

/// Eight rays, a lane each.
#[inline(always)]
fn laid_out<V: Simd>(rays: &[Ray; WIDTH]) -> Rays<V::F8> {
    let row = inlined(
        #[inline(always)]
        |number: usize| {
            // SAFETY: VECTOR-SIZED: a ray is eight floats.
            of_floats::<V::F8, 8>(unsafe { &*std::ptr::from_ref(&rays[number]).cast() })
        },
    );
    let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
    let [ox, oy, oz, dx, dy, dz, tmin, tmax] = V::transposed(rows);
    Rays { origin: [ox, oy, oz], direction: [dx, dy, dz], tmin, tmax }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::kernel::with_kernel;
    use crate::vector::axis_lanes::AxisLanes;
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
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            with_kernel!(kernel, V => {
                eight_by_rule::<V, Watertight>();
                eight_by_rule::<V, MollerTrumbore>();
            });
        }
    }

    fn eight_by_rule<V: Simd, R: Rule>() {
        let bounds = Aabb::new(Vec3::new(-3.0, -200.0, 1.0), Vec3::new(5.0, 30.0, 9.0));
        let mut ordinary_rays = 0;
        for rays in rays() {
            let mut slots = [ActiveRay::EMPTY; WIDTH];
            let places = slots.each_mut().map(std::ptr::from_mut);
            // SAFETY: FEATURES-DETECTED, SLOT-UNIQUE.
            let ordinary = unsafe {
                V::run(|| {
                    let eight = laid_out::<V>(&rays);
                    store_box_rays::<V>(&eight, eight.dilation(&bounds), &places);
                    shear::<V, R>(&eight, &places);
                    eight.ordinary()
                })
            };
            for (lane, ray) in rays.iter().enumerate() {
                let is_ordinary = ordinary >> lane & 1 == 1;
                assert_eq!(is_ordinary, ordinary::is_ordinary(ray), "{ray:?}");
                // SAFETY: FEATURES-DETECTED.
                let (is_one_ordinary, box_ray, triangle_ray) = unsafe {
                    V::run(|| {
                        let one = AxisLanes::<V>::new(ray);
                        let box_ray = one.box_ray(one.dilation(&bounds), ray.tmin, ray.tmax);
                        (one.is_ordinary(), box_ray, one.triangle_ray::<R>())
                    })
                };
                assert_eq!(is_ordinary, is_one_ordinary, "{ray:?}");
                if !is_ordinary {
                    continue;
                }
                ordinary_rays += 1;
                assert_eq!(slots[lane].box_ray, box_ray, "{ray:?}");
                let [a, b] = [&slots[lane].triangle_ray, &triangle_ray].map(|shear| {
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
