//! Kernels, and the one place where one is chosen.

use crate::ask::Ask;
use crate::kind::Kind;
use crate::simd::{HAS_WALKS, Simd};
use crate::vector::prepared::Prepared;
use crate::vector::rule::{MollerTrumbore, Watertight};
use crate::world::World;
use crate::{bundle, vector};
use geometry::{Ray, TriangleRule};
use machine::Counters;

/// The instructions that a tracer uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// Plain code, on any processor.
    Plain,
    /// The vectors of WebAssembly, if the module was compiled with them.
    Simd128,
    /// The vectors of 64-bit ARM processors.
    Neon,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 (F, VL and DQ).
    Avx512,
}

/// Evaluates an expression with `$vectors` as the vectors of a kernel: the one place where
/// instructions are chosen. It must be a kernel that this processor has.
macro_rules! with_kernel {
    ($kernel:expr, $vectors:ident => $work:expr) => {
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            $crate::Kernel::Avx512 => {
                type $vectors = $crate::simd::Avx512;
                $work
            }
            #[cfg(target_arch = "x86_64")]
            $crate::Kernel::Avx2 => {
                type $vectors = $crate::simd::Avx2;
                $work
            }
            #[cfg(target_arch = "aarch64")]
            $crate::Kernel::Neon => {
                type $vectors = $crate::simd::Neon;
                $work
            }
            #[cfg(all(target_family = "wasm", target_feature = "simd128"))]
            $crate::Kernel::Simd128 => {
                type $vectors = $crate::simd::Simd128;
                $work
            }
            _ => {
                type $vectors = $crate::simd::Plain;
                $work
            }
        }
    };
}
pub(crate) use with_kernel;

impl Kernel {
    /// All kernels, from the plainest to the fastest.
    pub const ALL: [Self; 5] = [Self::Plain, Self::Simd128, Self::Neon, Self::Avx2, Self::Avx512];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Simd128 => "simd128",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => crate::simd::Avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => crate::simd::Avx512::is_available(),
            // Part of what every such processor, or the module itself, has been compiled for.
            Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Simd128 => cfg!(all(target_family = "wasm", target_feature = "simd128")),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The fastest kernel of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        Self::ALL.into_iter().rev().find(|kernel| kernel.is_available()).unwrap_or(Self::Plain)
    }

    /// Itself, or the plain one where the processor lacks it.
    pub(crate) fn or_plain(self) -> Self {
        if self.is_available() { self } else { Self::Plain }
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
        debug_assert!(self.is_available(), "FEATURES-DETECTED");
        let is_bundled = HAS_WALKS
            && counters.is_none()
            && rays.len() > 1
            && ask.rule == TriangleRule::Watertight;
        with_kernel!(self, V => {
            // SAFETY: FEATURES-DETECTED.
            unsafe {
                if is_bundled {
                    with_bundles::<V, K>(world, ask, first, rays, answers);
                } else {
                    one_by_one::<V, K>(world, ask, first, rays, answers, counters);
                }
            }
        });
    }
}

/// Answers rays by themselves.
///
/// # Safety
/// The processor must have the instructions.
unsafe fn one_by_one<V: Simd, K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        match ask.rule {
            TriangleRule::Watertight => {
                let source = Prepared::<Watertight>::new(world);
                vector::answer::<V, K, _>(&source, ask, first, rays, answers, counters);
            }
            TriangleRule::MollerTrumbore => {
                let source = Prepared::<MollerTrumbore>::new(world);
                vector::answer::<V, K, _>(&source, ask, first, rays, answers, counters);
            }
        }
    }
}

/// Answers what runs together in bundles, and the rest ray by ray.
///
/// # Safety
/// As [`one_by_one`].
unsafe fn with_bundles<V: Simd, K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
) {
    // SAFETY: FEATURES-DETECTED.
    let left = unsafe { bundle::answer::<V, K>(world, ask, rays, answers) };
    if left.is_empty() {
        return;
    }
    if left.len() == rays.len() {
        // SAFETY: FEATURES-DETECTED.
        return unsafe { one_by_one::<V, K>(world, ask, first, rays, answers, None) };
    }
    let rays: Vec<Ray> = left.iter().map(|&position| rays[position as usize]).collect();
    let mut found: Vec<K::Answer> = rays.iter().map(|_| K::miss()).collect();
    // SAFETY: FEATURES-DETECTED. Positions matter only to filters and intersectors, and bundles
    // have neither.
    unsafe { one_by_one::<V, K>(world, ask, first, &rays, &mut found, None) };
    for (position, answer) in left.into_iter().zip(found) {
        answers[position as usize] = answer;
    }
}

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
