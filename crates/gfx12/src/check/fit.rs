//! How well a quantised box fits what is below it: how far that reaches outside, and how far the
//! box reaches beyond it.
//!
//! Distances are counted in quanta, the steps of the node's own grid, and compared with one unit in
//! the last place of the sum that decodes a plane: arithmetic that rounds to nearest, as RADV's
//! does (G-22), is off by as much and no more.

use crate::layout::BoxFrame;
use geometry::Aabb;

/// How far something reaches outside a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outside {
    /// Quanta of the node's grid; infinite where a plane is not a number or a grid has no extent.
    pub(super) quanta: f64,
    /// On which axis, 0 to 2.
    pub(super) axis: usize,
    /// Whether rounding explains all of it.
    pub(super) is_ulp: bool,
}

impl Outside {
    /// A weight for the report: thousandths of a quantum.
    pub(super) fn weight(&self) -> u64 {
        (self.quanta * 1000.0).ceil() as u64
    }

    /// The distance in words.
    pub(super) fn text(&self) -> String {
        let axis = ["x", "y", "z"][self.axis];
        match self.quanta {
            quanta if quanta.is_finite() => format!("{quanta:.3} quanta outside on {axis}"),
            _ => format!("outside on {axis}, where the grid has no quantum"),
        }
    }
}

/// How far `inner` reaches outside `planes`, a box of this frame; `None` if it does not.
pub(super) fn outside(frame: &BoxFrame, planes: &Aabb, inner: &Aabb) -> Option<Outside> {
    if planes.contains(inner) {
        return None;
    }
    let mut worst = Outside { quanta: 0.0, axis: 0, is_ulp: true };
    for axis in 0..3 {
        let sides = [
            (planes.min[axis], planes.min[axis], inner.min[axis]),
            (planes.max[axis], inner.max[axis], planes.max[axis]),
        ];
        for (plane, above, below) in sides {
            if above <= below {
                continue;
            }
            let distance = f64::from(above) - f64::from(below);
            let quanta = distance / quantum(frame, axis);
            let quanta = if quanta.is_nan() { f64::INFINITY } else { quanta };
            worst.is_ulp &= distance <= ulp(frame.origin[axis], plane);
            if quanta > worst.quanta {
                (worst.quanta, worst.axis) = (quanta, axis);
            }
        }
    }
    // Only NaN is neither inside nor beyond a plane.
    if worst.quanta == 0.0 {
        (worst.quanta, worst.is_ulp) = (f64::INFINITY, false);
    }
    Some(worst)
}

/// The face of a box that reaches farthest beyond `inner`: how many quanta, and on which axis. A
/// face is allowed one quantum and its rounding. RADV writes the highest code where an upper plane
/// is the origin (G-22): that is no slack.
pub(crate) fn slack(
    frame: &BoxFrame,
    codes: &[u16; 3],
    planes: &Aabb,
    inner: &Aabb,
) -> Option<(f64, usize)> {
    let mut worst: Option<(f64, usize)> = None;
    for (axis, &code) in codes.iter().enumerate() {
        let (quantum, origin) = (quantum(frame, axis), frame.origin[axis]);
        let is_wrapped = code == 0xFFF && inner.max[axis] == origin;
        let faces = [
            (planes.min[axis], inner.min[axis], planes.min[axis], false),
            (planes.max[axis], planes.max[axis], inner.max[axis], is_wrapped),
        ];
        for (plane, above, below, is_exempt) in faces {
            let beyond = f64::from(above) - f64::from(below);
            let is_slack = beyond > quantum + ulp(origin, plane);
            if is_slack && !is_exempt && worst.is_none_or(|(most, _)| beyond / quantum > most) {
                worst = Some((beyond / quantum, axis));
            }
        }
    }
    worst
}

/// One step of the grid.
fn quantum(frame: &BoxFrame, axis: usize) -> f64 {
    match frame.exponents[axis] {
        0 => 0.0,
        exponent => (f64::from(exponent) - 139.0).exp2(),
    }
}

/// One unit in the last place of the largest number in `origin + (plane - origin)`.
fn ulp(origin: f32, plane: f32) -> f64 {
    let largest = origin.abs().max(plane.abs()).max((plane - origin).abs());
    f64::from(largest.next_up()) - f64::from(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    fn frame() -> BoxFrame {
        BoxFrame { origin: [1.0, -8.0, 0.0], exponents: [130, 139, 0] }
    }

    fn around(min: [f32; 3], max: [f32; 3]) -> Aabb {
        Aabb::new(Vec3::from_array(min), Vec3::from_array(max))
    }

    #[test]
    fn distances_are_in_quanta_of_the_worst_axis() {
        let planes = around([1.0, -8.0, 0.0], [2.0, 0.0, 0.0]);
        let inner = around([1.5, -8.5, 0.0], [2.0 + 3.0 / 512.0, -1.0, 0.0]);
        let found = outside(&frame(), &planes, &inner).unwrap();
        assert_eq!((found.quanta, found.axis, found.is_ulp), (3.0, 0, false));
        assert_eq!(found.weight(), 3000);
        assert_eq!(outside(&frame(), &planes, &planes), None);
        let flat = around([1.5, -2.0, 0.0], [2.0, -1.0, 1.0]);
        assert_eq!(outside(&frame(), &planes, &flat).unwrap().quanta, f64::INFINITY);
    }

    #[test]
    fn one_unit_in_the_last_place_is_rounding() {
        let planes = around([1.0, -8.0, 0.0], [2.0, 0.0, 0.0]);
        let high = |x: f32| outside(&frame(), &planes, &around([1.0, -8.0, 0.0], [x, 0.0, 0.0]));
        assert!(high(2f32.next_up()).unwrap().is_ulp);
        assert!(!high(2f32.next_up().next_up()).unwrap().is_ulp);
        let nan = around([1.0, -8.0, 0.0], [f32::NAN, 0.0, 0.0]);
        assert!(!outside(&frame(), &nan, &planes).unwrap().is_ulp);
    }

    #[test]
    fn a_face_may_be_one_quantum_away() {
        let quantum = 1.0 / 512.0;
        let planes = around([1.0, -8.0, 0.0], [2.0, 0.0, 0.0]);
        let slack = |inner: &Aabb| slack(&frame(), &[511, 7, 0], &planes, inner);
        let tight = around([1.0 + quantum, -7.0, 0.0], [2.0, -1.0, 0.0]);
        assert_eq!(slack(&tight), None);
        let loose = around([1.0 + 3.0 * quantum, -6.5, 0.0], [2.0, -1.0, 0.0]);
        assert_eq!(slack(&loose), Some((3.0, 0)));
    }
}
