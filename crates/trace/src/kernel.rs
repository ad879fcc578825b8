//! Kernels, and the one place where one is chosen.

use crate::ask::Ask;
use crate::kind::Kind;
use crate::scalar;
use crate::world::World;
use geometry::{Ray, TriangleRule};
use machine::Counters;

/// The instructions that a tracer uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// Plain code, on any processor.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 (F, VL and DQ).
    Avx512,
}

impl Kernel {
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
            Self::Avx2 => crate::avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => crate::avx512::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The fastest kernel of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        Self::ALL.into_iter().rev().find(|kernel| kernel.is_available()).unwrap_or(Self::Scalar)
    }

    /// Answers the rays of a part of a batch; `first` is the position of its first ray.
    pub(crate) fn answer<K: Kind>(
        self,
        world: &World,
        ask: &Ask<'_>,
        first: usize,
        rays: &[Ray],
        answers: &mut [K::Answer],
        counters: Option<&mut Counters>,
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                // SAFETY: FEATURES-DETECTED.
                unsafe {
                    let is_bundled = counters.is_none() && rays.len() > 1;
                    if is_bundled && ask.rule == TriangleRule::Watertight {
                        with_bundles::<K>(world, ask, first, rays, answers);
                    } else {
                        crate::avx512::answer::<K>(world, ask, first, rays, answers, counters);
                    }
                }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                // SAFETY: FEATURES-DETECTED.
                unsafe { crate::avx2::answer::<K>(world, ask, first, rays, answers, counters) }
            }
            _ => {
                let mut uncounted = Counters::default();
                let counters = counters.unwrap_or(&mut uncounted);
                for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
                    scalar::answer::<K, _>(world, ask, first + offset, ray, answer, counters);
                }
            }
        }
    }
}

/// Answers what runs together in bundles, and the rest ray by ray.
///
/// # Safety
/// The AVX-512 kernel must be available.
#[cfg(target_arch = "x86_64")]
unsafe fn with_bundles<K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
) {
    // SAFETY: FEATURES-DETECTED.
    let left = unsafe { crate::bundle::answer::<K>(world, ask, rays, answers) };
    if left.len() == rays.len() {
        // SAFETY: FEATURES-DETECTED.
        return unsafe { crate::avx512::answer::<K>(world, ask, first, rays, answers, None) };
    }
    let rays: Vec<Ray> = left.iter().map(|&position| rays[position as usize]).collect();
    let mut found: Vec<K::Answer> = rays.iter().map(|_| K::miss()).collect();
    // SAFETY: FEATURES-DETECTED. Positions matter only to filters and intersectors, and bundles
    // have neither.
    unsafe { crate::avx512::answer::<K>(world, ask, first, &rays, &mut found, None) };
    for (position, answer) in left.into_iter().zip(found) {
        answers[position as usize] = answer;
    }
}

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
