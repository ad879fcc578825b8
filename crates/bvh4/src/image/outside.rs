//! How far the contents of a box reach outside it.

use geometry::Aabb;
use std::fmt;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The face of a box that its contents pass farthest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outside {
    /// In the units of the scene; infinite if the box is nowhere.
    distance: f32,
    axis: usize,
    /// Whether rounding by one unit in the last place explains all of it.
    pub(super) is_ulp: bool,
}

impl Outside {
    /// `None` if `inner` lies inside.
    pub(super) fn of(planes: &Aabb, inner: &Aabb) -> Option<Self> {
        if planes.contains(inner) {
            return None;
        }
        let mut worst = Self { distance: 0.0, axis: 0, is_ulp: true };
        for axis in 0..3 {
            let faces = [
                (inner.min[axis], planes.min[axis], planes.min[axis] - inner.min[axis]),
                (inner.max[axis], planes.max[axis], inner.max[axis] - planes.max[axis]),
            ];
            for (own, plane, distance) in
                faces.into_iter().filter(|face| face.2.is_nan() || face.2 > 0.0)
            {
                let distance = if distance.is_nan() { f32::INFINITY } else { distance };
                worst.is_ulp &= own == plane.next_down() || own == plane.next_up();
                if distance > worst.distance {
                    (worst.distance, worst.axis) = (distance, axis);
                }
            }
        }
        // What no face tells, such as an empty box, is outside altogether.
        if worst.distance == 0.0 {
            (worst.distance, worst.is_ulp) = (f32::INFINITY, false);
        }
        Some(worst)
    }

    /// A weight for reports: larger for larger distances.
    pub(super) fn weight(&self) -> u64 {
        self.distance.to_bits().into()
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = AXES[self.axis];
        if self.distance.is_infinite() {
            return write!(f, "anywhere outside on {axis}");
        }
        write!(f, "{:?} outside on {axis}", self.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    fn planes(max_x: f32) -> Aabb {
        Aabb::new(Vec3::new(-1.0, 2.0, 0.5), Vec3::new(max_x, 3.0, 7.0))
    }

    #[test]
    fn the_farthest_face_is_named() {
        let inner = Aabb::new(Vec3::new(-1.25, 2.0, 0.5), Vec3::new(4.5, 3.0, 7.0));
        let outside = Outside::of(&planes(4.0), &inner).unwrap();
        assert_eq!(outside.to_string(), "0.5 outside on x");
        assert!(!outside.is_ulp);
        let more = Outside::of(&planes(3.0), &inner).unwrap();
        assert!(more.weight() > outside.weight());
        assert_eq!(Outside::of(&inner, &planes(4.0)), None);
    }

    #[test]
    fn one_unit_in_the_last_place_is_a_class_of_its_own() {
        let outside = Outside::of(&planes(4f32.next_down()), &planes(4.0)).unwrap();
        assert!(outside.is_ulp);
        assert!(!Outside::of(&planes(4f32.next_down().next_down()), &planes(4.0)).unwrap().is_ulp);
    }

    #[test]
    fn a_box_that_is_nowhere_holds_nothing() {
        let outside = Outside::of(&Aabb::EMPTY, &planes(4.0)).unwrap();
        assert!(outside.to_string().starts_with("anywhere"));
        assert!(!outside.is_ulp);
    }
}
