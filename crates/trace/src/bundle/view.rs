//! The rays of a bundle in one space, and what walks over that space need.

use super::lanes::{Lanes, SIZE, VECTORS};
use crate::ordinary::{LARGEST, SMALLEST};
use crate::vector::active_ray::U;
use crate::vector::boxes::TINY;
use geometry::{Aabb, Ray, Transform, Vec3, slab};
use machine::instance_dilation::InstanceDilation;
use std::arch::x86_64::*;

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
    /// `oA/d`, where `oA` is the origin that near planes are seen from.
    pub(super) near_offset: [Lanes; 3],
    /// `oB/d`, likewise for far planes.
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
    /// The origin that is farthest along, times that.
    pub(super) near_offset: [f32; 3],
    /// For far planes: the reciprocal slope that reaches them last.
    pub(super) far_inverse: [f32; 3],
    /// The origin that is least far along, times that.
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

    /// The members among rays `16 vector ..`.
    #[inline(always)]
    pub(super) fn members_of(&self, vector: usize) -> u16 {
        (self.members >> (16 * vector)) as u16
    }

    /// Takes over the rays `members` of another space, by the arithmetic of [`Transform::ray`].
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) fn transform(&mut self, from: &Self, transform: &Transform, members: u64) {
        for vector in 0..VECTORS {
            if members >> (16 * vector) & 0xFFFF == 0 {
                continue;
            }
            let [ox, oy, oz] = [0, 1, 2].map(|axis: usize| from.origin[axis].0[vector]);
            let [dx, dy, dz] = [0, 1, 2].map(|axis: usize| from.direction[axis].0[vector]);
            for (axis, row) in transform.rows.iter().enumerate() {
                let [m0, m1, m2, m3] = row.map(|m| _mm512_set1_ps(m));
                let origin = _mm512_fmadd_ps(oz, m2, m3);
                let origin = _mm512_fmadd_ps(oy, m1, origin);
                self.origin[axis].0[vector] = _mm512_fmadd_ps(ox, m0, origin);
                let direction = _mm512_mul_ps(dz, m2);
                let direction = _mm512_fmadd_ps(dy, m1, direction);
                self.direction[axis].0[vector] = _mm512_fmadd_ps(dx, m0, direction);
            }
        }
    }

    /// Which of `members` have ordinary origins and directions (see [`crate::ordinary`]).
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) fn ordinary(&self, members: u64) -> u64 {
        let largest = _mm512_set1_ps(LARGEST);
        let mut ordinary = 0;
        for vector in 0..VECTORS {
            let mut mask = (members >> (16 * vector)) as u16;
            let mut longest = _mm512_setzero_ps();
            for axis in 0..3 {
                let origin = _mm512_abs_ps(self.origin[axis].0[vector]);
                let size = _mm512_abs_ps(self.direction[axis].0[vector]);
                mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, origin, largest);
                mask = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, size, largest);
                let is_zero = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(size, _mm512_setzero_ps());
                let normal = _mm512_set1_ps(f32::MIN_POSITIVE);
                mask &= is_zero | _mm512_cmp_ps_mask::<_CMP_GE_OQ>(size, normal);
                longest = _mm512_max_ps(longest, size);
            }
            let smallest = _mm512_set1_ps(SMALLEST);
            mask = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, longest, smallest);
            ordinary |= u64::from(mask) << (16 * vector);
        }
        ordinary
    }

    /// Those of `members` that run along the same dominant axis in the same octant as the first of
    /// them. Sets the axes and the octant.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) fn choose_class(&mut self, members: u64) -> u64 {
        let first = members.trailing_zeros() as usize % SIZE;
        let direction = [0, 1, 2].map(|axis: usize| self.direction[axis].of(first));
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
        for vector in 0..VECTORS {
            let sizes = [0, 1, 2].map(|axis: usize| _mm512_abs_ps(self.direction[axis].0[vector]));
            let mut mask = (members >> (16 * vector)) as u16;
            for axis in 0..3 {
                let bits = _mm512_castps_si512(self.direction[axis].0[vector]);
                let negative = _mm512_movepi32_mask(bits);
                mask &= if is_negative[axis] { negative } else { !negative };
                // The lowest axis is dominant on a tie.
                mask = if axis < z {
                    _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(mask, sizes[z], sizes[axis])
                } else {
                    _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, sizes[z], sizes[axis])
                };
            }
            class |= u64::from(mask) << (16 * vector);
        }
        class
    }

    /// Aims the rays `members`, all of the class that was chosen, at a level with these bounds.
    ///
    /// Near planes are seen from `o + e` where directions are positive, far ones from `o - e`;
    /// where they are negative the other way round. `e` exceeds what the level asks for by `3u|o|`
    /// and more, which covers the rounding of `o/d` (see `docs/trace.md`).
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) fn aim(
        &mut self,
        members: u64,
        bounds: &Aabb,
        dilation: Dilation<'_>,
        tmin: &Lanes,
    ) -> Spread {
        self.members = members;
        let [x, y, z] = self.axes;
        let infinite = _mm512_set1_ps(f32::INFINITY);
        let first = members.trailing_zeros() as usize % SIZE;
        self.point = [0, 1, 2].map(|axis: usize| self.origin[axis].of(first));
        let mut others = 0;
        for vector in 0..VECTORS {
            let mask = self.members_of(vector);
            for axis in 0..3 {
                let origin = _mm512_castps_si512(self.origin[axis].0[vector]);
                let point = _mm512_set1_epi32(self.point[axis].to_bits() as i32);
                others |= _mm512_mask_cmpneq_epi32_mask(mask, origin, point);
            }
        }
        self.is_common = others == 0;
        let (low, high) = if self.is_common { (self.point, self.point) } else { self.origins() };
        let (low_corner, high_corner) = (Vec3::from_array(low), Vec3::from_array(high));
        let reach = slab::reach(low_corner, bounds).max(slab::reach(high_corner, bounds));
        let farthest = low_corner.abs().max(high_corner.abs());
        let dilation = match dilation {
            Dilation::Blas => slab::DILATION * reach,
            Dilation::Tlas(tlas) => tlas.dilation(farthest, reach),
        };
        let pad = farthest.max_element() * (4.0 * U) + dilation * (1.0 + 1.0 / 7.0) + SMALLEST_PAD;

        let sign = _mm512_castsi512_ps(_mm512_set1_epi32(i32::MIN));
        let (mut slope_low, mut slope_high) =
            ([infinite; 2], [_mm512_sub_ps(_mm512_setzero_ps(), infinite); 2]);
        let (mut steep, mut flat) = ([infinite; 3], [_mm512_setzero_ps(); 3]);
        let (mut nearest, mut fastest) = (infinite, _mm512_setzero_ps());
        for vector in 0..VECTORS {
            let mask = self.members_of(vector);
            if mask == 0 {
                continue;
            }
            let direction = [0, 1, 2].map(|axis: usize| self.direction[axis].0[vector]);
            let speed = _mm512_abs_ps(direction[z]);
            let smallest = _mm512_mul_ps(speed, _mm512_set1_ps(SMALLEST));
            self.speed.0[vector] = speed;
            for axis in 0..3 {
                let origin = self.origin[axis].0[vector];
                let signs = _mm512_and_ps(sign, direction[axis]);
                // Replaces components that are tiny beside the largest: see `ordinary`.
                let size = _mm512_max_ps(_mm512_abs_ps(direction[axis]), smallest);
                let inverse = _mm512_div_ps(_mm512_set1_ps(1.0), size);
                let slope = _mm512_mul_ps(speed, inverse);
                steep[axis] = _mm512_mask_min_ps(steep[axis], mask, steep[axis], slope);
                flat[axis] = _mm512_mask_max_ps(flat[axis], mask, flat[axis], slope);
                let inverse = _mm512_or_ps(inverse, signs);
                self.inverse[axis].0[vector] = inverse;
                if self.is_common {
                    continue;
                }
                // The pad with the sign of the direction: near planes are seen from farther along.
                let along = _mm512_or_ps(_mm512_set1_ps(pad), signs);
                self.near_offset[axis].0[vector] =
                    _mm512_mul_ps(_mm512_add_ps(origin, along), inverse);
                self.far_offset[axis].0[vector] =
                    _mm512_mul_ps(_mm512_sub_ps(origin, along), inverse);
            }
            for (minor, axis) in [x, y].into_iter().enumerate() {
                let slope = _mm512_div_ps(direction[axis], direction[z]);
                slope_low[minor] =
                    _mm512_mask_min_ps(slope_low[minor], mask, slope_low[minor], slope);
                slope_high[minor] =
                    _mm512_mask_max_ps(slope_high[minor], mask, slope_high[minor], slope);
                self.shear[minor].0[vector] = slope;
            }
            self.shear[2].0[vector] = self.inverse[z].0[vector];
            fastest = _mm512_mask_max_ps(fastest, mask, fastest, speed);
            let start = _mm512_mul_ps(speed, tmin.0[vector]);
            nearest = _mm512_mask_min_ps(nearest, mask, nearest, start);
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
            let near_inverse = sign * _mm512_reduce_min_ps(steep[axis]);
            let far_inverse = sign * _mm512_reduce_max_ps(flat[axis]);
            self.beam.near_inverse[axis] = near_inverse;
            self.beam.far_inverse[axis] = far_inverse;
            self.beam.near_offset[axis] = first * near_inverse;
            self.beam.far_offset[axis] = last * far_inverse;
        }
        self.beam.nearest = _mm512_reduce_min_ps(nearest);
        self.beam.tiny = TINY * _mm512_reduce_max_ps(fastest).max(1.0);
        let slopes = [0, 1].map(|minor: usize| {
            _mm512_reduce_max_ps(slope_high[minor]) - _mm512_reduce_min_ps(slope_low[minor])
        });
        Spread {
            slopes: [slopes[0].min(slopes[1]), slopes[0].max(slopes[1])],
            origins: (high_corner - low_corner).max_element() / reach,
        }
    }

    /// The smallest and the largest origin of members, on each axis.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    fn origins(&self) -> ([f32; 3], [f32; 3]) {
        let (mut least, mut greatest) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let mut low = _mm512_set1_ps(f32::INFINITY);
            let mut high = _mm512_set1_ps(f32::NEG_INFINITY);
            for vector in 0..VECTORS {
                let mask = self.members_of(vector);
                let origin = self.origin[axis].0[vector];
                low = _mm512_mask_min_ps(low, mask, low, origin);
                high = _mm512_mask_max_ps(high, mask, high, origin);
            }
            least[axis] = _mm512_reduce_min_ps(low);
            greatest[axis] = _mm512_reduce_max_ps(high);
        }
        (least, greatest)
    }
}
