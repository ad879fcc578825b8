//! Kernels of the box test, and the one place where one is chosen.

use super::boxes::{Boxes, GROUP, Planes};
use super::plain;
use geometry::Beam;
use geometry::beam::Overlap;

/// The instructions that test boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BeamKernel {
    /// Plain code, on any processor.
    Scalar,
    /// AVX2, 8 boxes at a time.
    Avx2,
    /// AVX-512 F, 16 boxes at a time.
    Avx512,
}

impl BeamKernel {
    /// All kernels, from the plainest to the fastest.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && Self::Avx2.is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The fastest kernel of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        Self::ALL.into_iter().rev().find(|kernel| kernel.is_available()).unwrap_or(Self::Scalar)
    }

    /// Which boxes `beam` meets: bit `i` of `met[g]` for box `i` of group `g`. Groups beyond the
    /// end of `met` are left out. A kernel that this processor lacks is replaced by the plain one.
    pub fn meets(self, beam: &Beam, boxes: &Boxes, met: &mut [u16]) {
        let groups = boxes.as_groups();
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.is_available() => {
                // SAFETY: FEATURES-DETECTED: AVX-512 F.
                unsafe { super::avx512::meets(beam, groups, met) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => {
                // SAFETY: FEATURES-DETECTED: AVX2.
                unsafe { super::avx2::meets(beam, groups, met) }
            }
            _ => plain::meets(beam, groups, met),
        }
    }

    /// When `beam` is inside each box of group `group`; the bits of [`Beam::bounds`].
    ///
    /// # Panics
    /// When there is no such group.
    #[must_use]
    pub fn bounds(self, beam: &Beam, boxes: &Boxes, group: usize) -> [Overlap; GROUP] {
        let group = &boxes.as_groups()[group];
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.is_available() => {
                // SAFETY: FEATURES-DETECTED: AVX-512 F.
                unsafe { super::avx512::overlaps(beam, &group.planes, 0) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => {
                // SAFETY: FEATURES-DETECTED: AVX2.
                unsafe { super::avx2::bounds(beam, group) }
            }
            _ => plain::overlaps(beam, &group.planes),
        }
    }
}

impl BeamKernel {
    /// The same for the eight boxes of a node.
    pub(super) fn node(self, beam: &Beam, planes: &Planes<8>) -> [Overlap; 8] {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Avx512 if self.is_available() => {
                // SAFETY: FEATURES-DETECTED: AVX2, which the AVX-512 kernel asks for too.
                unsafe { super::avx2::overlaps(beam, planes, 0) }
            }
            _ => plain::overlaps(beam, planes),
        }
    }
}

impl std::fmt::Display for BeamKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
