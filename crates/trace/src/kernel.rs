//! Kernels, and the one place where one is chosen.

use crate::ask::Ask;
use crate::kind::Kind;
use crate::scalar;
use crate::world::World;
use geometry::Ray;
use machine::Counters;

/// The instructions that a tracer uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// Plain code, on any processor.
    Scalar,
}

impl Kernel {
    /// All kernels, from the plainest to the fastest.
    pub const ALL: [Self; 1] = [Self::Scalar];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
        }
    }

    /// Whether this processor can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
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
        counters: &mut Counters,
    ) {
        match self {
            Self::Scalar => {
                for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
                    scalar::answer::<K>(world, ask, first + offset, ray, answer, counters);
                }
            }
        }
    }
}

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
