//! The box test, in vectors of any width: the operations of [`geometry::Beam::bounds`], in its
//! order.

use super::boxes::{BoxGroup, GROUP, Planes};
use crate::simd::{Floats, Lanes, Simd, of_floats};
use geometry::Beam;
use geometry::beam::{Axis, Case, Overlap};
use geometry::slab::{EXIT_BIAS, EXIT_SCALE};

/// Which boxes `beam` meets.
#[inline(always)]
pub(super) fn meets<V: Simd>(beam: &Beam, groups: &[BoxGroup], met: &mut [u16]) {
    for (group, met) in groups.iter().zip(met) {
        let (lo, hi) = narrowed::<V::F16, GROUP>(beam, &group.planes);
        // `lo <= fl(fl(hi * EXIT_SCALE) + EXIT_BIAS)`, not fused (B-2).
        let widened = hi * V::F16::splat(EXIT_SCALE) + V::F16::splat(EXIT_BIAS);
        *met = (lo.le(widened) & lo.lt(V::F16::splat(f32::INFINITY))) as u16;
    }
}

/// When `beam` is inside each of some boxes.
#[inline(always)]
pub(super) fn overlaps<F: Floats, const N: usize>(beam: &Beam, planes: &Planes<N>) -> [Overlap; N] {
    let (lo, hi) = narrowed::<F, N>(beam, planes);
    let (lo, hi): ([f32; N], [f32; N]) = (crate::simd::floats(lo), crate::simd::floats(hi));
    std::array::from_fn(|lane| Overlap { lo: lo[lane], hi: hi[lane] })
}

/// `lo` and `hi` of boxes.
#[inline(always)]
fn narrowed<F: Floats, const N: usize>(beam: &Beam, planes: &Planes<N>) -> (F, F) {
    let (mut lo, mut hi) = (F::splat(beam.tmin()), F::splat(beam.tmax()));
    for (axis, planes) in beam.axes().iter().zip(planes) {
        let (a, b) = products::<F, N>(axis, planes);
        // The candidate comes first: a NaN, and a zero of another sign, leaves the second operand.
        match axis.case {
            Case::Forward => (lo, hi) = (a.max(lo), b.min(hi)),
            Case::Backward => (lo, hi) = (b.max(lo), a.min(hi)),
            Case::Opening => lo = b.max(a.max(lo)),
            Case::Closing => hi = b.min(a.min(hi)),
        }
    }
    (lo, hi)
}

/// `(MIN - oA) * idA` and `(MAX - oB) * idB`.
#[inline(always)]
fn products<F: Floats, const N: usize>(axis: &Axis, [min, max]: &[[f32; N]; 2]) -> (F, F) {
    let a = of_floats::<F, N>(min) - F::splat(axis.upper_origin);
    let b = of_floats::<F, N>(max) - F::splat(axis.lower_origin);
    (a * F::splat(axis.upper_inverse), b * F::splat(axis.lower_inverse))
}
