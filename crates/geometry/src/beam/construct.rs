//! Constructors. Whatever goes into a beam lies inside it: every sum is rounded outward, and
//! directions too small to divide by are snapped outward.

use super::error::{LARGEST, LARGEST_TMAX, Part};
use super::{Axis, Beam, BeamError};
use crate::expansion::Expansion;
use crate::rounding::{add_down, add_up, sub_down, sub_up};
use crate::{Aabb, Ray};
use glam::Vec3;

/// A beam as given: corner rays and range, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corners {
    /// `oA`.
    pub upper_origin: Vec3,
    /// `oB`.
    pub lower_origin: Vec3,
    /// `dA`.
    pub upper_direction: Vec3,
    /// `dB`.
    pub lower_direction: Vec3,
    /// First parameter.
    pub tmin: f32,
    /// Last parameter; infinite for "no limit".
    pub tmax: f32,
}

impl Beam {
    /// The beam with the given corner rays, whose box never shrinks.
    ///
    /// # Errors
    /// The first rule that the numbers break.
    pub fn new(corners: &Corners) -> Result<Self, BeamError> {
        corners.check_all_but_directions()?;
        match corners.shrinking_axes().next() {
            Some(axis) => Err(corners.direction_inverted(axis)),
            None => Ok(corners.snapped()),
        }
    }

    /// The beam with the given corner rays, whose box may shrink but has all its points at `tmax`,
    /// which is then finite (B-6).
    ///
    /// # Errors
    /// The first rule that the numbers break.
    pub fn new_shrinking(corners: &Corners) -> Result<Self, BeamError> {
        corners.check_all_but_directions()?;
        match corners.shrinking_axes().find(|&axis| !corners.ends_in_order(axis)) {
            Some(axis) => Err(corners.direction_inverted(axis)),
            None => Ok(corners.snapped()),
        }
    }

    /// From the box `a0` at `t = 0` to the box `a1` at `t = 1`.
    ///
    /// # Errors
    /// `direction_inverted` if `a1` is smaller than `a0` on an axis, or another rule.
    pub fn from_aabbs(a0: &Aabb, a1: &Aabb) -> Result<Self, BeamError> {
        Self::new(&Corners::between(a0, a1))
    }

    /// The same for a box that may shrink on the way.
    ///
    /// # Errors
    /// The first rule that the boxes break.
    pub fn from_aabbs_shrinking(a0: &Aabb, a1: &Aabb) -> Result<Self, BeamError> {
        Self::new_shrinking(&Corners::between(a0, a1))
    }

    /// The box `start`, moving with `velocity` from `t = 0` to `t = duration`.
    ///
    /// # Errors
    /// The first rule that the numbers break.
    pub fn swept(start: &Aabb, velocity: Vec3, duration: f32) -> Result<Self, BeamError> {
        Self::new(&Corners {
            upper_origin: start.max,
            lower_origin: start.min,
            upper_direction: velocity,
            lower_direction: velocity,
            tmin: 0.0,
            tmax: duration,
        })
    }

    /// The smallest beam around some rays that share the scale of `t`: every point of a ray within
    /// its range lies in `Box(t)`. Scaling the rays of a camera tile so that one common axis has
    /// direction 1 gives far tighter beams than unit lengths.
    ///
    /// # Errors
    /// `empty_set`, or the first rule that the numbers break.
    pub fn from_rays(rays: &[Ray]) -> Result<Self, BeamError> {
        Self::new(&Corners::enclosing(rays)?)
    }

    /// A ray that is `2e` wide on every axis. With `e = 7uR` ([`crate::slab::DILATION`]) no
    /// triangle that the watertight rule accepts within reach `R` is lost (B-9).
    ///
    /// # Errors
    /// The first rule that the numbers break; a negative `e` is `origin_inverted`.
    pub fn dilated_ray(ray: &Ray, e: f32) -> Result<Self, BeamError> {
        Self::new(&Corners::around(ray).with_faces_moved(e, -e))
    }

    /// A ray that is `2 (e + f t)` wide on every axis: the footprint of a cone.
    ///
    /// # Errors
    /// The first rule that the numbers break.
    pub fn cone_like(ray: &Ray, e: f32, f: f32) -> Result<Self, BeamError> {
        Self::new(&Corners {
            upper_direction: ray.direction.map(|d| add_up(d, f)),
            lower_direction: ray.direction.map(|d| add_down(d, -f)),
            ..Corners::around(ray).with_faces_moved(e, -e)
        })
    }

    /// The same beam over another range of parameters.
    ///
    /// # Errors
    /// When the range is invalid, or a shrinking box turns inside out within it.
    pub fn with_range(&self, tmin: f32, tmax: f32) -> Result<Self, BeamError> {
        let ((upper_origin, upper_direction), (lower_origin, lower_direction)) =
            (self.upper(), self.lower());
        Self::new_shrinking(&Corners {
            upper_origin,
            lower_origin,
            upper_direction,
            lower_direction,
            tmin,
            tmax,
        })
    }
}

impl Corners {
    /// From one box at `t = 0` to another at `t = 1`.
    #[must_use]
    pub fn between(a0: &Aabb, a1: &Aabb) -> Self {
        let each = |from: Vec3, to: Vec3, subtract: fn(f32, f32) -> f32| {
            Vec3::from_array(std::array::from_fn(|k| subtract(to[k], from[k])))
        };
        Self {
            upper_origin: a0.max,
            lower_origin: a0.min,
            upper_direction: each(a0.max, a1.max, sub_up),
            lower_direction: each(a0.min, a1.min, sub_down),
            tmin: 0.0,
            tmax: 1.0,
        }
    }

    /// One ray.
    #[must_use]
    pub fn around(ray: &Ray) -> Self {
        Self {
            upper_origin: ray.origin,
            lower_origin: ray.origin,
            upper_direction: ray.direction,
            lower_direction: ray.direction,
            tmin: ray.tmin,
            tmax: ray.tmax,
        }
    }

    /// Some rays, as [`Beam::from_rays`] has them.
    ///
    /// # Errors
    /// `empty_set`, or the first rule that the numbers of a ray break.
    pub fn enclosing(rays: &[Ray]) -> Result<Self, BeamError> {
        let (first, rest) = rays.split_first().ok_or(BeamError::EmptySet)?;
        let mut corners = Self::around(first);
        corners.check_all_but_directions()?;
        for ray in rest {
            // Each for itself: a minimum would drop a NaN.
            Self::around(ray).check_all_but_directions()?;
            corners.upper_origin = corners.upper_origin.max(ray.origin);
            corners.lower_origin = corners.lower_origin.min(ray.origin);
            corners.upper_direction = corners.upper_direction.max(ray.direction);
            corners.lower_direction = corners.lower_direction.min(ray.direction);
            corners.tmin = corners.tmin.min(ray.tmin);
            corners.tmax = corners.tmax.max(ray.tmax);
        }
        Ok(corners)
    }

    /// The faces of the first box moved by signed amounts, each sum rounded outward.
    #[must_use]
    pub fn with_faces_moved(self, upper: f32, lower: f32) -> Self {
        self.dilated(&Aabb::new(Vec3::splat(lower), Vec3::splat(upper)))
    }

    /// The first box grown by another, whose planes are moves of its faces, each sum rounded
    /// outward.
    #[must_use]
    pub fn dilated(self, by: &Aabb) -> Self {
        let each = |origin: Vec3, by: Vec3, add: fn(f32, f32) -> f32| {
            Vec3::from_array(std::array::from_fn(|k| add(origin[k], by[k])))
        };
        Self {
            upper_origin: each(self.upper_origin, by.max, add_up),
            lower_origin: each(self.lower_origin, by.min, add_down),
            ..self
        }
    }

    /// Every rule but `direction_inverted`, in the order of the specification, lowest axis first.
    fn check_all_but_directions(&self) -> Result<(), BeamError> {
        let parts = self.parts();
        if let Some(&(part, value)) = parts.iter().find(|(_, value)| !value.is_finite()) {
            return Err(BeamError::NotFinite { part, value });
        }
        if !self.tmin.is_finite() {
            return Err(BeamError::NotFinite { part: Part::Tmin, value: self.tmin });
        }
        if self.tmax.is_nan() {
            return Err(BeamError::NotFinite { part: Part::Tmax, value: self.tmax });
        }
        if let Some(&(part, value)) = parts.iter().find(|(_, value)| value.abs() > LARGEST) {
            return Err(BeamError::Magnitude { part, value, limit: LARGEST });
        }
        let (tmin, tmax) = (self.tmin, self.tmax);
        if tmax > LARGEST_TMAX && tmax != f32::INFINITY {
            let part = Part::Tmax;
            return Err(BeamError::Magnitude { part, value: tmax, limit: LARGEST_TMAX });
        }
        if tmin < 0.0 {
            return Err(BeamError::TminNegative { tmin });
        }
        if tmax < tmin {
            return Err(BeamError::TmaxBelowTmin { tmin, tmax });
        }
        match (0..3).find(|&axis| self.upper_origin[axis] < self.lower_origin[axis]) {
            Some(axis) => Err(BeamError::OriginInverted {
                axis,
                upper: self.upper_origin[axis],
                lower: self.lower_origin[axis],
            }),
            None => Ok(()),
        }
    }

    /// Origins and directions, lowest axis first.
    fn parts(&self) -> [(Part, f32); 12] {
        std::array::from_fn(|index| {
            let axis = index / 4;
            match index % 4 {
                0 => (Part::UpperOrigin(axis), self.upper_origin[axis]),
                1 => (Part::LowerOrigin(axis), self.lower_origin[axis]),
                2 => (Part::UpperDirection(axis), self.upper_direction[axis]),
                _ => (Part::LowerDirection(axis), self.lower_direction[axis]),
            }
        })
    }

    fn shrinking_axes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&axis| self.upper_direction[axis] < self.lower_direction[axis])
    }

    /// Whether `hi(tmax) >= lo(tmax)`, decided exactly.
    fn ends_in_order(&self, axis: usize) -> bool {
        if !self.tmax.is_finite() {
            return false;
        }
        let exact = |x: f32| Expansion::from(x);
        let width = &exact(self.upper_origin[axis]) - &exact(self.lower_origin[axis]);
        let growth = &exact(self.upper_direction[axis]) - &exact(self.lower_direction[axis]);
        !(&width + &(&growth * &exact(self.tmax))).sign().is_lt()
    }

    fn direction_inverted(&self, axis: usize) -> BeamError {
        let (upper, lower) = (self.upper_direction[axis], self.lower_direction[axis]);
        BeamError::DirectionInverted { axis, upper, lower }
    }

    /// The beam itself; `-0.0` as `tmin` becomes `+0.0`.
    fn snapped(&self) -> Beam {
        self.prepared(snap_upper, snap_lower)
    }

    /// The beam with directions as they are, which the rounding theorem does not cover. For
    /// comparisons of snapping with its absence.
    #[must_use]
    pub fn unsnapped(&self) -> Beam {
        self.prepared(|direction| direction, |direction| direction)
    }

    fn prepared(&self, upper: fn(f32) -> f32, lower: fn(f32) -> f32) -> Beam {
        let axis = |k: usize| {
            Axis::new(
                self.upper_origin[k],
                self.lower_origin[k],
                upper(self.upper_direction[k]),
                lower(self.lower_direction[k]),
            )
        };
        Beam { axes: std::array::from_fn(axis), tmin: self.tmin + 0.0, tmax: self.tmax }
    }
}

/// `dA` moved up to the next value that can be divided by, or zero.
#[must_use]
pub fn snap_upper(direction: f32) -> f32 {
    if direction > 0.0 && direction < f32::MIN_POSITIVE {
        f32::MIN_POSITIVE
    } else if direction < 0.0 && direction > -f32::MIN_POSITIVE {
        0.0
    } else {
        direction
    }
}

/// `dB` moved down likewise.
#[must_use]
pub fn snap_lower(direction: f32) -> f32 {
    if direction < 0.0 && direction > -f32::MIN_POSITIVE {
        -f32::MIN_POSITIVE
    } else if direction > 0.0 && direction < f32::MIN_POSITIVE {
        0.0
    } else {
        direction
    }
}
