//! The rays of a bundle in one space, and what walks over that space need.

use super::lanes::{Lanes, SIZE, among, bits_of, vectors};
use crate::ordinary::SMALLEST;
use crate::simd::{Floats, Ints, Lanes as _, Simd, each, greatest, inlined};
use crate::vector::TINY;
use crate::vector::ray_setup::{OF_DILATION, OF_ORIGIN, Rays, Slabs};
use geometry::{Aabb, Ray, Transform, Vec3, slab};
use machine::instance_dilation::InstanceDilation;

/// `2^-96`: dilates rays in scenes so small that relative terms underflow.
const SMALLEST_PAD: f32 = f32::from_bits(0x0F80_0000);

/// Rays in a space.
pub(super) struct View {
    /// Where the rays start.
    pub(super) origin: [Lanes; 3],
    /// Where they go.
    pub(super) direction: [Lanes; 3],
    /// `1/d`, with tiny directions replaced.
    pub(super) inverse: [Lanes; 3],
    /// `-oA/d`, where `oA` is the origin that near planes are seen from.
    pub(super) near_offset: [Lanes; 3],
    /// `-oB/d`, likewise for far planes.
    pub(super) far_offset: [Lanes; 3],
    /// The shear, and the reciprocal of the dominant direction.
    pub(super) shear: [Lanes; 3],
    /// The size of the dominant direction: depth is this times `t`.
    pub(super) speed: Lanes,
    /// Which rays take part: bit `i` for ray `i`.
    pub(super) members: u64,
    /// The axes as [`geometry::watertight`] takes them, the dominant one last.
    pub(super) axes: [usize; 3],
    /// Bit `k`: the directions on axis `k` are negative.
    pub(super) octant: usize,
    /// All of them as one.
    pub(super) beam: Beam,
    /// Whether they all start at one point.
    pub(super) is_common: bool,
    /// That point; of one of them otherwise.
    pub(super) point: [f32; 3],
    /// Where near planes, and far planes, are seen from, if it is one point.
    pub(super) seen_from: [[f32; 3]; 2],
    /// The instance whose space it is.
    pub(super) instance: u32,
}

/// Bounds of all rays, with depth along the dominant axis as parameter: `t` times the size of the
/// dominant direction. A box that any of the rays enters is entered by the beam, no later and left
/// no earlier.
#[derive(Clone, Copy)]
pub(super) struct Beam {
    /// For near planes: the reciprocal slope that reaches them first.
    pub(super) near_inverse: [f32; 3],
    /// Minus the origin that is farthest along, times that.
    pub(super) near_offset: [f32; 3],
    /// For far planes: the reciprocal slope that reaches them last.
    pub(super) far_inverse: [f32; 3],
    /// Minus the origin that is least far along, times that.
    pub(super) far_offset: [f32; 3],
    /// The smallest depth that matters.
    pub(super) nearest: f32,
    /// What is added to depths where boxes are left.
    pub(super) tiny: f32,
}

/// How much wider than a ray the reference test of a level is.
#[derive(Clone, Copy)]
pub(super) enum Dilation<'a> {
    /// By `7uR`.
    Blas,
    /// By what the instances of a TLAS ask for.
    Tlas(&'a InstanceDilation),
}

/// How far apart rays are.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    /// The largest differences of slopes against the dominant axis, the smaller first.
    pub(super) slopes: [f32; 2],
    /// The largest difference of origins, as a part of the reach of the level.
    pub(super) origins: f32,
}

impl View {
    /// No rays.
    pub(super) fn empty() -> Self {
        Self {
            origin: [Lanes::zero(); 3],
            direction: [Lanes::zero(); 3],
            inverse: [Lanes::zero(); 3],
            near_offset: [Lanes::zero(); 3],
            far_offset: [Lanes::zero(); 3],
            shear: [Lanes::zero(); 3],
            speed: Lanes::zero(),
            members: 0,
            axes: [0, 1, 2],
            octant: 0,
            beam: Beam {
                near_inverse: [0.0; 3],
                near_offset: [0.0; 3],
                far_inverse: [0.0; 3],
                far_offset: [0.0; 3],
                nearest: 0.0,
                tiny: 0.0,
            },
            is_common: false,
            point: [0.0; 3],
            seen_from: [[0.0; 3]; 2],
            instance: 0,
        }
    }

    /// One ray, with its bounds.
    pub(super) fn ray(&self, ray: usize, tmin: f32, tmax: f32) -> Ray {
        let vector =
            |lanes: &[Lanes; 3]| Vec3::from_array([0, 1, 2].map(|axis| lanes[axis].of(ray)));
        Ray::new(vector(&self.origin), vector(&self.direction)).between(tmin, tmax)
    }

    /// The rays of a vector.
    #[inline(always)]
    fn rays<F: Floats>(&self, vector: usize) -> Rays<F> {
        let of = inlined(
            #[inline(always)]
            |lanes: &[Lanes; 3]| {
                each(
                    [0, 1, 2],
                    #[inline(always)]
                    |axis: usize| lanes[axis].get(vector),
                )
            },
        );
        Rays::endless(of(&self.origin), of(&self.direction))
    }

    /// Takes over the rays `members` of another space, by the arithmetic of [`Transform::ray`].
    #[inline(always)]
    pub(super) fn transform<V: Simd>(&mut self, from: &Self, transform: &Transform, members: u64) {
        if !V::FUSED {
            for ray in (0..SIZE).filter(|ray| members >> ray & 1 == 1) {
                let Ray { origin, direction, .. } = transform.ray(&from.ray(ray, 0.0, 1.0));
                for axis in 0..3 {
                    self.origin[axis].set(ray, origin[axis]);
                    self.direction[axis].set(ray, direction[axis]);
                }
            }
            return;
        }
        for vector in 0..vectors::<V::Wide>() {
            if bits_of::<V::Wide>(members, vector) == 0 {
                continue;
            }
            let Rays { origin: [ox, oy, oz], direction: [dx, dy, dz], .. } =
                from.rays::<V::Wide>(vector);
            for (axis, row) in transform.rows.iter().enumerate() {
                let [m0, m1, m2] = each([row[0], row[1], row[2]], V::Wide::splat);
                let m3 = V::Wide::splat(row[3]);
                let origin = ox.mul_add(m0, oy.mul_add(m1, oz.mul_add(m2, m3)));
                let direction = dx.mul_add(m0, dy.mul_add(m1, dz * m2));
                self.origin[axis].put(vector, origin);
                self.direction[axis].put(vector, direction);
            }
        }
    }

    /// Which of `members` have ordinary origins and directions (see [`crate::ordinary`]).
    #[inline(always)]
    pub(super) fn ordinary<V: Simd>(&self, members: u64) -> u64 {
        let mut ordinary = 0;
        for vector in 0..vectors::<V::Wide>() {
            ordinary |= among::<V::Wide>(self.rays::<V::Wide>(vector).ordinary(), vector);
        }
        members & ordinary
    }

    /// Those of `members` that run along the same dominant axis in the same octant as the first of
    /// them. Sets the axes and the octant.
    #[inline(always)]
    pub(super) fn choose_class<V: Simd>(&mut self, members: u64) -> u64 {
        let first = members.trailing_zeros() as usize % SIZE;
        let direction = each(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| self.direction[axis].of(first),
        );
        let size = direction.map(f32::abs);
        let z = if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        };
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        self.axes = if direction[z] < 0.0 { [y, x, z] } else { [x, y, z] };
        let is_negative = direction.map(f32::is_sign_negative);
        self.octant = usize::from(is_negative[0])
            | usize::from(is_negative[1]) << 1
            | usize::from(is_negative[2]) << 2;
        let mut class = 0;
        for vector in 0..vectors::<V::Wide>() {
            let rays = self.rays::<V::Wide>(vector);
            let sizes = rays.sizes();
            let mut mask = u32::MAX;
            for axis in 0..3 {
                let negative = rays.direction[axis].to_bits().is_high();
                mask &= if is_negative[axis] { negative } else { !negative };
                // The lowest axis is dominant on a tie.
                mask &= if axis < z { sizes[z].gt(sizes[axis]) } else { sizes[z].ge(sizes[axis]) };
            }
            class |= among::<V::Wide>(mask & crate::simd::first_lanes(V::Wide::LANES), vector);
        }
        class & members
    }

    /// Prepares the rays `members`, all of the class that was chosen, for a level with these
    /// bounds.
    ///
    /// Near planes are seen from `o + e` where directions are positive, far ones from `o - e`;
    /// where they are negative the other way round. For the beam, `e` is that of the largest `|o|`
    /// and the largest reach.
    #[inline(always)]
    pub(super) fn prepare<V: Simd>(
        &mut self,
        members: u64,
        bounds: &Aabb,
        dilation: Dilation<'_>,
        tmin: &Lanes,
    ) -> Spread {
        self.members = members;
        let [x, y, z] = self.axes;
        let first = members.trailing_zeros() as usize % SIZE;
        self.point = each(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| self.origin[axis].of(first),
        );
        let mut others = 0;
        for vector in 0..vectors::<V::Wide>() {
            for axis in 0..3 {
                let origin = self.origin[axis].get::<V::Wide>(vector).to_bits();
                let is_other = !origin.eq(crate::simd::Lanes::splat(self.point[axis].to_bits()));
                others |= is_other & bits_of::<V::Wide>(members, vector);
            }
        }
        self.is_common = others == 0;
        let (low, high) =
            if self.is_common { (self.point, self.point) } else { self.origins::<V>() };
        let (low_corner, high_corner) = (Vec3::from_array(low), Vec3::from_array(high));
        let reach = slab::reach(low_corner, bounds).max(slab::reach(high_corner, bounds));
        let farthest = low_corner.abs().max(high_corner.abs());
        let dilation = match dilation {
            Dilation::Blas => slab::DILATION * reach,
            Dilation::Tlas(tlas) => tlas.dilation(farthest, reach),
        };
        let pad = farthest.max_element() * OF_ORIGIN + dilation * OF_DILATION + SMALLEST_PAD;

        let infinite = V::Wide::splat(f32::INFINITY);
        let (mut slope_low, mut slope_high) = ([infinite; 2], [infinite.minus(); 2]);
        let (mut steep, mut flat) = ([infinite; 3], [V::Wide::splat(0.0); 3]);
        let (mut nearest, mut fastest) = (infinite, V::Wide::splat(0.0));
        for vector in 0..vectors::<V::Wide>() {
            let mask = bits_of::<V::Wide>(members, vector);
            if mask == 0 {
                continue;
            }
            let lower = inlined(
                #[inline(always)]
                |best: V::Wide, new: V::Wide| V::Wide::select(mask, best.min(new), best),
            );
            let higher = inlined(
                #[inline(always)]
                |best: V::Wide, new: V::Wide| V::Wide::select(mask, best.max(new), best),
            );
            let rays = self.rays::<V::Wide>(vector);
            let speed = rays.direction[z].abs();
            self.speed.put(vector, speed);
            let inverse = if self.is_common {
                let smallest = greatest(rays.sizes()) * V::Wide::splat(SMALLEST);
                each(
                    [0, 1, 2],
                    #[inline(always)]
                    |axis: usize| rays.inverse(axis, smallest),
                )
            } else {
                let Slabs { inverse, low, high } = rays.slabs(V::Wide::splat(dilation));
                for axis in 0..3 {
                    let is_negative = self.octant >> axis & 1 == 1;
                    let (near, far) =
                        if is_negative { (high[axis], low[axis]) } else { (low[axis], high[axis]) };
                    self.near_offset[axis].put(vector, near);
                    self.far_offset[axis].put(vector, far);
                }
                inverse
            };
            for axis in 0..3 {
                let slope = speed * inverse[axis].abs();
                steep[axis] = lower(steep[axis], slope);
                flat[axis] = higher(flat[axis], slope);
                self.inverse[axis].put(vector, inverse[axis]);
            }
            for (minor, axis) in [x, y].into_iter().enumerate() {
                let slope = rays.direction[axis] / rays.direction[z];
                slope_low[minor] = lower(slope_low[minor], slope);
                slope_high[minor] = higher(slope_high[minor], slope);
                self.shear[minor].put(vector, slope);
            }
            self.shear[2].put(vector, inverse[z]);
            fastest = higher(fastest, speed);
            nearest = lower(nearest, speed * tmin.get(vector));
        }
        for axis in 0..3 {
            let is_negative = self.octant >> axis & 1 == 1;
            let sign = if is_negative { -1.0 } else { 1.0 };
            let (first, last) = if is_negative {
                (low[axis] - pad, high[axis] + pad)
            } else {
                (high[axis] + pad, low[axis] - pad)
            };
            self.seen_from[0][axis] = first;
            self.seen_from[1][axis] = last;
            let near_inverse = sign * steep[axis].least();
            let far_inverse = sign * flat[axis].greatest();
            self.beam.near_inverse[axis] = near_inverse;
            self.beam.far_inverse[axis] = far_inverse;
            self.beam.near_offset[axis] = -first * near_inverse;
            self.beam.far_offset[axis] = -last * far_inverse;
        }
        self.beam.nearest = nearest.least();
        self.beam.tiny = TINY * fastest.greatest().max(1.0);
        let slopes = [
            slope_high[0].greatest() - slope_low[0].least(),
            slope_high[1].greatest() - slope_low[1].least(),
        ];
        Spread {
            slopes: [slopes[0].min(slopes[1]), slopes[0].max(slopes[1])],
            origins: (high_corner - low_corner).max_element() / reach,
        }
    }

    /// The smallest and the largest origin of members, on each axis.
    #[inline(always)]
    fn origins<V: Simd>(&self) -> ([f32; 3], [f32; 3]) {
        let (mut least, mut greatest) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let mut low = V::Wide::splat(f32::INFINITY);
            let mut high = V::Wide::splat(f32::NEG_INFINITY);
            for vector in 0..vectors::<V::Wide>() {
                let mask = bits_of::<V::Wide>(self.members, vector);
                let origin = self.origin[axis].get::<V::Wide>(vector);
                low = V::Wide::select(mask, low.min(origin), low);
                high = V::Wide::select(mask, high.max(origin), high);
            }
            (least[axis], greatest[axis]) = (low.least(), high.greatest());
        }
        (least, greatest)
    }
}
