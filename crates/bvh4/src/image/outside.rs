//! How far the contents of a box reach outside it.
//!
//! Distances are counted in quanta: the distance of two planes that the kind of box can store, at
//! the magnitude of the plane or of the distance. Arithmetic that rounds to the nearest plane is
//! off by one at most.

use geometry::Aabb;
use std::fmt;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The face of a box that its contents pass farthest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outside {
    /// In the units of the scene; infinite if the box is nowhere.
    distance: f32,
    /// The same in quanta.
    quanta: f64,
    axis: usize,
    /// Whether rounding by one unit in the last place explains all of it.
    pub(super) is_ulp: bool,
}

impl Outside {
    /// `None` if `inner` lies inside. `quantum` tells how far apart stored planes lie, on an axis
    /// and at a magnitude.
    pub(super) fn of(
        planes: &Aabb,
        inner: &Aabb,
        quantum: impl Fn(usize, f32) -> f64,
    ) -> Option<Self> {
        if planes.contains(inner) {
            return None;
        }
        let mut worst = Self { distance: 0.0, quanta: 0.0, axis: 0, is_ulp: true };
        for axis in 0..3 {
            let faces = [
                (planes.min[axis], planes.min[axis] - inner.min[axis]),
                (planes.max[axis], inner.max[axis] - planes.max[axis]),
            ];
            for (plane, distance) in
                faces.into_iter().filter(|face| face.1.is_nan() || face.1 > 0.0)
            {
                let distance = if distance.is_nan() { f32::INFINITY } else { distance };
                let quanta = f64::from(distance) / quantum(axis, plane.abs().max(distance));
                let quanta = if quanta.is_nan() { f64::INFINITY } else { quanta };
                worst.is_ulp &= quanta <= 1.0;
                if quanta > worst.quanta {
                    worst = Self { distance, quanta, axis, ..worst };
                }
            }
        }
        // What no face tells, such as an empty box, is outside altogether.
        if worst.quanta == 0.0 {
            (worst.distance, worst.quanta) = (f32::INFINITY, f64::INFINITY);
            worst.is_ulp = false;
        }
        Some(worst)
    }

    /// A weight for reports: thousandths of a quantum.
    pub(super) fn weight(&self) -> u64 {
        (self.quanta * 1000.0).ceil() as u64
    }
}

/// How far apart numbers with so many bits behind the first lie at a magnitude, if exponents begin
/// at `least`.
pub(super) fn unit_in_last_place(magnitude: f32, bits: i32, least: i32) -> f64 {
    let exponent = f64::from(magnitude).log2().floor().max(f64::from(least));
    (exponent - f64::from(bits)).exp2()
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = AXES[self.axis];
        if self.distance.is_infinite() {
            return write!(f, "anywhere outside on {axis}");
        }
        write!(f, "{:.3} quanta ({:?}) outside on {axis}", self.quanta, self.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    fn of(planes: &Aabb, inner: &Aabb) -> Option<Outside> {
        Outside::of(planes, inner, |_, magnitude| unit_in_last_place(magnitude, 23, -126))
    }

    fn planes(max_x: f32) -> Aabb {
        Aabb::new(Vec3::new(-1.0, 2.0, 0.5), Vec3::new(max_x, 3.0, 7.0))
    }

    #[test]
    fn the_farthest_face_is_named() {
        let inner = Aabb::new(Vec3::new(-1.25, 2.0, 0.5), Vec3::new(4.5, 3.0, 7.0));
        let outside = of(&planes(4.0), &inner).unwrap();
        assert_eq!(outside.to_string(), "2097152.000 quanta (0.25) outside on x");
        assert!(!outside.is_ulp);
        let more = of(&planes(3.0), &inner).unwrap();
        assert!(more.weight() > outside.weight());
        assert_eq!(of(&inner, &planes(4.0)), None);
    }

    #[test]
    fn one_unit_in_the_last_place_is_a_class_of_its_own() {
        let outside = of(&planes(4f32.next_down()), &planes(4.0)).unwrap();
        assert!(outside.is_ulp);
        assert!(!of(&planes(4f32.next_down().next_down()), &planes(4.0)).unwrap().is_ulp);
    }

    #[test]
    fn a_unit_is_one_of_the_stored_kind() {
        let half = |x| {
            let quantum = |_, magnitude| unit_in_last_place(magnitude, 10, -14);
            Outside::of(&planes(4.0), &planes(x), quantum).unwrap()
        };
        assert_eq!((half(4.003).is_ulp, half(4.005).is_ulp), (true, false));
        assert!(half(4.004).to_string().starts_with("1.0"));
        for plane in [1.0f32, 1.999, 4.0, 6.5e-39, 3e38] {
            let step = f64::from(plane.next_up()) - f64::from(plane);
            assert_eq!(unit_in_last_place(plane, 23, -126), step);
        }
    }

    #[test]
    fn a_box_that_is_nowhere_holds_nothing() {
        let outside = of(&Aabb::EMPTY, &planes(4.0)).unwrap();
        assert!(outside.to_string().starts_with("anywhere"));
        assert!(!outside.is_ulp);
    }
}
