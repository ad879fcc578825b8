//! What a benchmark asks of another library.

use crate::embree::{self, Version};
use geometry::Ray;
use machine::Hit;
use scene::Scene;

/// A library that may be here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Library {
    /// Embree 4.
    Embree4,
    /// Embree 3.
    Embree3,
    /// obvhs.
    Obvhs,
    /// tinybvh.
    Tinybvh,
}

/// What a library may use of the processor, where it can be told; others take what they like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// Whatever there is.
    All,
    /// Nothing beyond AVX2.
    Avx2,
}

/// A scene built in another library.
pub trait Peer: Sync {
    /// The library.
    fn library(&self) -> Library;

    /// How it is used.
    fn mode(&self) -> &'static str;

    /// Time from the scene in memory to a tree that can be traced.
    fn build_seconds(&self) -> f64;

    /// Memory that stays taken, without the scene's own vertices and indices where the library does
    /// not copy them.
    fn bytes(&self) -> u64;

    /// Lays rays out as the library wants them.
    fn load<'a>(&'a self, question: Question, rays: &[Ray]) -> Box<dyn Work + 'a>;
}

/// Some rays in the layout of a library, with room for its answers.
pub trait Work: Send {
    /// Forgets the answers.
    fn reset(&mut self);

    /// Answers every ray, on this thread. This is what is timed.
    fn run(&mut self);

    /// The answers, in the order of the rays.
    fn answers(&self) -> Vec<Answer>;
}

/// What is asked about every ray.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// The closest hit.
    Closest {
        /// Whether neighbouring rays run alike: a hint for libraries that take one.
        coherent: bool,
    },
    /// Whether there is any hit.
    Any,
}

/// What a library says about a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// It meets nothing.
    Miss,
    /// It meets something.
    Occluded,
    /// This is what it meets first.
    Closest(Hit),
}

/// A library that is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Which one.
    pub library: Library,
    /// The command that brings it.
    pub install: &'static str,
}

/// Why a library gives no peers.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// It is not installed.
    #[error("{} is not here; install it with: {}", .0.library.name(), .0.install)]
    Missing(Missing),
    /// It refuses the scene or fails.
    #[error("{library}: {message}")]
    Failed {
        /// The library.
        library: &'static str,
        /// What it says.
        message: String,
    },
}

impl Library {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 4] = [Self::Embree4, Self::Embree3, Self::Obvhs, Self::Tinybvh];

    /// The name in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embree4 => "embree4",
            Self::Embree3 => "embree3",
            Self::Obvhs => "obvhs",
            Self::Tinybvh => "tinybvh",
        }
    }

    /// The library of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|library| library.name() == name)
    }

    /// The command that brings it.
    #[must_use]
    pub const fn install(self) -> &'static str {
        match self {
            Self::Embree4 => "pip install embreex",
            Self::Embree3 => "apt-get install libembree-dev",
            Self::Obvhs | Self::Tinybvh => "cargo run --release --features peers -- bench trace",
        }
    }

    /// Builds `scene` in it, once for each mode that needs a tree of its own.
    ///
    /// # Errors
    /// When the library is not here, or refuses the scene.
    pub fn build(
        self,
        scene: &Scene,
        instructions: Instructions,
    ) -> Result<Vec<Box<dyn Peer>>, PeerError> {
        match self {
            Self::Embree4 => embree::peers(Version::Four, scene, instructions),
            Self::Embree3 => embree::peers(Version::Three, scene, instructions),
            #[cfg(feature = "obvhs")]
            Self::Obvhs => crate::cwbvh::peers(scene),
            #[cfg(not(feature = "obvhs"))]
            Self::Obvhs => Err(self.missing()),
            #[cfg(all(feature = "tinybvh", target_arch = "x86_64"))]
            Self::Tinybvh => crate::bvh8::peers(scene),
            #[cfg(not(all(feature = "tinybvh", target_arch = "x86_64")))]
            Self::Tinybvh => Err(self.missing()),
        }
    }

    /// The error of a library that is not here.
    pub(crate) const fn missing(self) -> PeerError {
        PeerError::Missing(Missing { library: self, install: self.install() })
    }

    /// The error of a library that fails.
    pub(crate) fn failed(self, message: impl ToString) -> PeerError {
        PeerError::Failed { library: self.name(), message: message.to_string() }
    }
}
