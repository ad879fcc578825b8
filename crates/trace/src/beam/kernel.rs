//! The box test of beams, by the kernels of the tracer.

use super::box_test;
use super::boxes::{Boxes, GROUP, Planes};
use crate::kernel::{Kernel, with_kernel};
use crate::simd::Simd;
use geometry::Beam;
use geometry::beam::Overlap;

impl Kernel {
    /// Which boxes `beam` meets: bit `i` of `met[g]` for box `i` of group `g`. Groups beyond the
    /// end of `met` are left out. A kernel that this processor lacks is replaced by the plain one.
    pub fn meets(self, beam: &Beam, boxes: &Boxes, met: &mut [u16]) {
        with_kernel!(self.or_plain(), V => {
            // SAFETY: FEATURES-DETECTED.
            unsafe {
                V::run(
                    #[inline(always)]
                    || box_test::meets::<V>(beam, boxes.as_groups(), met),
                );
            }
        });
    }

    /// When `beam` is inside each box of group `group`; the bits of [`Beam::bounds`].
    ///
    /// # Panics
    /// When there is no such group.
    #[must_use]
    pub fn bounds(self, beam: &Beam, boxes: &Boxes, group: usize) -> [Overlap; GROUP] {
        let group = &boxes.as_groups()[group];
        with_kernel!(self.or_plain(), V => {
            // SAFETY: FEATURES-DETECTED.
            unsafe {
                V::run(
                    #[inline(always)]
                    || box_test::overlaps::<<V as Simd>::F16, GROUP>(beam, &group.planes),
                )
            }
        })
    }

    /// The same for the eight boxes of a node.
    pub(super) fn node(self, beam: &Beam, planes: &Planes<8>) -> [Overlap; 8] {
        with_kernel!(self.or_plain(), V => {
            // SAFETY: FEATURES-DETECTED.
            unsafe {
                V::run(
                    #[inline(always)]
                    || box_test::overlaps::<<V as Simd>::F8, 8>(beam, planes),
                )
            }
        })
    }
}
