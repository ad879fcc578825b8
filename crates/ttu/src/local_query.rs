//! The query as the setup unit and the traversal units hold it, and the box test of a group of
//! four.
//!
//! Rays and beams look alike: two corner rays that share `t` ([`geometry::beam`]). A ray becomes
//! a beam that is dilated by `24 u R`, where `R` is its reach into the level. `7 u R` of that is
//! what the watertight rule needs (B-9). The rest makes the test of the machine, which rounds in a
//! block's own coordinates, a superset of the reference slab test of a primitive's own box: a
//! computed interval there that is not empty bounds the exact one to within `14 u` of `t`, hence of
//! the reach.
//!
//! **Setup transform.** `oA' = sub_up(oA, origin) 2^-e`, `oB' = sub_down(oB, origin) 2^-e`; the
//! inverses are multiplied by `2^e` and `t` is unchanged. Scaling by a power of two is exact, so
//! that the only rounding is outward. Where it is not exact, because a value leaves the range of
//! normal numbers with a margin, the launch is *global* (T-9): planes are decoded outward to `f32`
//! and tested against the query as it came.

use geometry::beam::axis::{Axis, Case};
use geometry::beam::construct::{snap_lower, snap_upper};
use geometry::rounding::{add_down, add_up, sub_down, sub_up};
use geometry::slab::{self, widen};
use geometry::{Aabb, Beam, Ray, Vec3};

/// `24 u`, the dilation of a ray for each unit of reach.
const DILATION: f32 = 24.0 / 16_777_216.0;

/// Values between this and its reciprocal scale exactly.
const LARGEST: f32 = f32::from_bits((126 + 127) << 23);

/// Origins in cells are 0 or at least this large.
const SMALLEST_ORIGIN: f32 = f32::from_bits((127 - 100) << 23);

/// A query in the coordinates of its level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalQuery {
    pub(crate) axes: [Axis; 3],
    /// Where boxes begin to matter.
    pub(crate) tmin: f32,
}

/// Four boxes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planes {
    pub(crate) min: [[f32; 4]; 3],
    pub(crate) max: [[f32; 4]; 3],
}

impl Planes {
    /// Boxes that nothing meets.
    pub(crate) const NONE: Self =
        Self { min: [[f32::INFINITY; 4]; 3], max: [[f32::NEG_INFINITY; 4]; 3] };
}

impl LocalQuery {
    /// A ray in a level whose box is `bounds`.
    pub(crate) fn ray(ray: &Ray, bounds: &Aabb) -> Self {
        Self::dilated(ray, DILATION * slab::reach(ray.origin, bounds))
    }

    /// A ray with the dilation itself.
    pub(crate) fn dilated(ray: &Ray, dilation: f32) -> Self {
        let axis = |k: usize| {
            let (origin, direction) = (ray.origin[k], ray.direction[k]);
            Axis::new(
                add_up(origin, dilation),
                add_down(origin, -dilation),
                snap_upper(direction),
                snap_lower(direction),
            )
        };
        Self { axes: [axis(0), axis(1), axis(2)], tmin: lowered(ray.tmin) }
    }

    /// A beam in a level whose box is `bounds`; widened by `overhang`, then dilated like a ray, and
    /// for the same reason. Without a beam, everything is met.
    pub(crate) fn beam(beam: Option<&Beam>, bounds: &Aabb, tmin: f32, overhang: Vec3) -> Self {
        let Some(beam) = beam else {
            let everywhere = Axis::new(f32::MAX, f32::MIN, 0.0, 0.0);
            return Self { axes: [everywhere; 3], tmin };
        };
        let [upper, lower] = [beam.upper().0, beam.lower().0];
        let bounds = Aabb::new(bounds.min - overhang, bounds.max + overhang);
        let dilation = DILATION * slab::reach(upper, &bounds).max(slab::reach(lower, &bounds));
        let mut axes = *beam.axes();
        for (axis, overhang) in axes.iter_mut().zip(overhang.to_array()) {
            axis.upper_origin = add_up(add_up(axis.upper_origin, overhang), dilation);
            axis.lower_origin = add_down(add_down(axis.lower_origin, -overhang), -dilation);
        }
        Self { axes, tmin: lowered(beam.tmin()) }
    }

    /// The query in the coordinates of a block; `None` where scaling is not exact (T-9).
    pub(crate) fn local(&self, origin: &[f32; 3], down: &[f32; 3], up: &[f32; 3]) -> Option<Self> {
        let mut local = *self;
        for (k, axis) in local.axes.iter_mut().enumerate() {
            axis.upper_origin = sub_up(axis.upper_origin, origin[k]) * down[k];
            axis.lower_origin = sub_down(axis.lower_origin, origin[k]) * down[k];
            axis.upper_inverse *= up[k];
            axis.lower_inverse *= up[k];
            let scales = |origin: f32, inverse: f32, direction: f32| {
                let (origin, inverse) = (origin.abs(), inverse.abs());
                (origin == 0.0 || (SMALLEST_ORIGIN..=LARGEST).contains(&origin))
                    && (direction == 0.0 || (1.0 / LARGEST..=LARGEST).contains(&inverse))
            };
            if !(scales(axis.upper_origin, axis.upper_inverse, axis.upper_direction)
                && scales(axis.lower_origin, axis.lower_inverse, axis.lower_direction))
            {
                return None;
            }
        }
        Some(local)
    }

    /// Which of four boxes are met up to `tmax`, as bits, and where each is entered.
    pub(crate) fn test(&self, planes: &Planes, tmax: f32) -> (u16, [f32; 4]) {
        let (lo, hi) = self.ranges(planes, tmax);
        let hits =
            (0..4).fold(0, |hits, lane| hits | u16::from(is_met(lo[lane], hi[lane])) << lane);
        (hits, lo)
    }

    /// Where each of four boxes is entered and left, if it is met ([`is_met`]).
    #[inline]
    pub(crate) fn ranges(&self, planes: &Planes, tmax: f32) -> ([f32; 4], [f32; 4]) {
        let (mut lo, mut hi) = ([self.tmin; 4], [tmax; 4]);
        for ((axis, min), max) in self.axes.iter().zip(&planes.min).zip(&planes.max) {
            let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
            for lane in 0..4 {
                a[lane] = (min[lane] - axis.upper_origin) * axis.upper_inverse;
                b[lane] = (max[lane] - axis.lower_origin) * axis.lower_inverse;
            }
            match axis.case {
                Case::Forward => {
                    later(&a, &mut lo);
                    earlier(&b, &mut hi);
                }
                Case::Backward => {
                    later(&b, &mut lo);
                    earlier(&a, &mut hi);
                }
                Case::Opening => {
                    later(&a, &mut lo);
                    later(&b, &mut lo);
                }
                Case::Closing => {
                    earlier(&a, &mut hi);
                    earlier(&b, &mut hi);
                }
            }
        }
        (lo, hi)
    }
}

/// Whether a box that is entered and left so is met.
#[inline]
pub(crate) fn is_met(enter: f32, leave: f32) -> bool {
    enter <= widen(leave) && enter < f32::INFINITY
}

/// `tmin` as far down as rounding can place a hit behind it.
fn lowered(tmin: f32) -> f32 {
    (tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0)
}

/// The larger of each two; a NaN candidate is a touch and is dropped.
fn later(candidate: &[f32; 4], best: &mut [f32; 4]) {
    for lane in 0..4 {
        best[lane] = if candidate[lane] > best[lane] { candidate[lane] } else { best[lane] };
    }
}

/// The smaller of each two; a NaN candidate is a touch and is dropped.
fn earlier(candidate: &[f32; 4], best: &mut [f32; 4]) {
    for lane in 0..4 {
        best[lane] = if candidate[lane] < best[lane] { candidate[lane] } else { best[lane] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::block::EXPONENTS;
    use geometry::GridAxis;
    use geometry::beam::generate::{Encounter, Generator};
    use geometry::grid::outer_box;
    use geometry::random::Random;
    use machine::blocks::{Block, BlockImage, BlockLead, BlockNode, CellBox, Frame};

    /// The test of a box as a node of a `ttu` block whose root is `root`, as the machine makes it;
    /// `None` if such a block cannot be written.
    fn meets_in_a_block(beam: &Beam, root: &Aabb, child: &Aabb) -> Option<bool> {
        let axis = |k: usize| GridAxis::spanning(root.min[k], root.max[k], EXPONENTS);
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        let (mut cells, mut root_cells) = ([[0; 3]; 2], [0; 3]);
        for k in 0..3 {
            cells[0][k] = axes[k].floor(child.min[k]);
            cells[1][k] = axes[k].ceil(child.max[k])?;
            root_cells[k] = axes[k].ceil(root.max[k])?;
        }
        assert!(outer_box(&axes, cells[0], cells[1]).contains(child));
        let cell_box =
            |[min, max]: [[u8; 3]; 2]| CellBox { min: min.map(f32::from), max: max.map(f32::from) };
        let lead = BlockLead::NOTHING;
        let frame = Frame {
            origin: axes.map(|axis| axis.origin),
            exponents: axes.map(|axis| axis.exponent),
            rotation: None,
        };
        let image = BlockImage {
            blocks: vec![Block {
                address: 0,
                bytes: 128,
                frame,
                root: Some(cell_box([[0; 3], root_cells])),
                first_node: 0,
                node_count: 1,
                root_children: 1,
            }],
            nodes: vec![BlockNode { cells: cell_box(cells), mask: 0xFF, lead }],
            ..BlockImage::default()
        };
        let program = crate::program::Program::new(&image).unwrap();
        let query = LocalQuery::beam(Some(beam), root, beam.tmin(), Vec3::ZERO);
        let test =
            crate::program::BlockTest { query: &query, tmax: widen(beam.tmax()), mask: 0xFF };
        let tested = program.test(0, &test);
        Some(tested.root && tested.hits & 1 == 1)
    }

    /// The chain of B-12: what is met exactly is met by the `f32` test, and what that meets is met
    /// in a block.
    #[test]
    fn exact_hits_are_f32_hits_and_these_are_hits_in_a_block() {
        let mut random = Random(77);
        for generator in Generator::ALL {
            let (mut exact, mut met, mut in_blocks, mut cases) = (0, 0, 0, 0);
            for _ in 0..60_000 {
                let Encounter { corners, bounds } = generator.encounter(&mut || random.bits());
                let beam = Beam::new(&corners).unwrap();
                let size = bounds.extent();
                let grown = [random.vector(0.0, 3.0), random.vector(0.0, 3.0)];
                let root = Aabb::new(bounds.min - size * grown[0], bounds.max + size * grown[1]);
                let Some(in_a_block) = meets_in_a_block(&beam, &root, &bounds) else { continue };
                let is_met = beam.overlap(&bounds).is_some();
                let case = || format!("{} {corners:?} {bounds:?} in {root:?}", generator.name());
                assert!(is_met || !beam.decide(&bounds).is_hit(), "{}", case());
                assert!(in_a_block || !is_met, "{}", case());
                cases += 1;
                exact += usize::from(beam.meets_exactly(&bounds));
                met += usize::from(is_met);
                in_blocks += usize::from(in_a_block);
            }
            let name = generator.name();
            assert!(exact <= met && met <= in_blocks, "{name}");
            // Few boxes with extreme exponents fit into a block (T-8).
            let least = if generator == Generator::Gx { 500 } else { 5_000 };
            assert!(exact > least && cases > 2 * least, "{name}: {exact} of {cases}");
            // Cells are one 255th of a block, here of up to seven boxes: few boxes more are met.
            let more = (in_blocks - met) as f64 / cases as f64;
            assert!(generator != Generator::G0 || more < 0.02, "{more}");
        }
    }
}
