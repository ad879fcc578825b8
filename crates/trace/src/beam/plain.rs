//! The box test in plain code: loops that a compiler turns into the vectors of any processor.

use super::boxes::{BoxGroup, Planes};
use geometry::Beam;
use geometry::beam::{Case, Overlap};

/// Which boxes `beam` meets.
pub(super) fn meets(beam: &Beam, groups: &[BoxGroup], met: &mut [u16]) {
    for (group, met) in groups.iter().zip(met) {
        let hits = overlaps(beam, &group.planes).map(|overlap| u16::from(overlap.is_hit()));
        *met = hits.iter().enumerate().fold(0, |mask, (lane, hit)| mask | hit << lane);
    }
}

/// When `beam` is inside each box.
pub(super) fn overlaps<const N: usize>(beam: &Beam, planes: &Planes<N>) -> [Overlap; N] {
    let (mut lo, mut hi) = ([beam.tmin(); N], [beam.tmax(); N]);
    for (axis, [min, max]) in beam.axes().iter().zip(planes) {
        let a = products(min, axis.upper_origin, axis.upper_inverse);
        let b = products(max, axis.lower_origin, axis.lower_inverse);
        match axis.case {
            Case::Forward => {
                raise(&mut lo, &a);
                lower(&mut hi, &b);
            }
            Case::Backward => {
                raise(&mut lo, &b);
                lower(&mut hi, &a);
            }
            Case::Opening => {
                raise(&mut lo, &a);
                raise(&mut lo, &b);
            }
            Case::Closing => {
                lower(&mut hi, &a);
                lower(&mut hi, &b);
            }
        }
    }
    std::array::from_fn(|lane| Overlap { lo: lo[lane], hi: hi[lane] })
}

fn products<const N: usize>(planes: &[f32; N], origin: f32, inverse: f32) -> [f32; N] {
    planes.map(|plane| (plane - origin) * inverse)
}

/// The larger in each lane; a NaN candidate is dropped.
fn raise(best: &mut [f32], candidates: &[f32]) {
    for (best, &candidate) in best.iter_mut().zip(candidates) {
        *best = if candidate > *best { candidate } else { *best };
    }
}

/// The smaller in each lane; a NaN candidate is dropped.
fn lower(best: &mut [f32], candidates: &[f32]) {
    for (best, &candidate) in best.iter_mut().zip(candidates) {
        *best = if candidate < *best { candidate } else { *best };
    }
}
