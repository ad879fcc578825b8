//! Other ray tracers, as benchmarks see them.
//!
//! A [`Peer`] is another library with a scene built in it. Benchmarks give it rays, time it, and
//! compare its answers. It is measured at its best: rays and hits are in the library's own layout
//! before the clock starts, trees are built at the highest quality that the library offers, and a
//! library without instances gets a flat copy of the scene.
//!
//! | peer | library | how it gets here | modes |
//! |---|---|---|---|
//! | `embree4` | Embree 4 (Apache 2.0) | loaded at run time | `single`, `robust`, packets |
//! | `embree3` | Embree 3 (Apache 2.0) | loaded at run time: Debian's `libembree-dev` | the same |
//! | `obvhs` | obvhs (MIT or Apache 2.0) | cargo feature `obvhs` | `cwbvh` |
//! | `tinybvh` | tinybvh (MIT), through tinybvh-rs | cargo feature `tinybvh` | `bvh8` |
//!
//! Embree 4 is looked for inside PyPI's `embreex` and among installed libraries.
//!
//! | file | concept |
//! |---|---|
//! | [`peer`] | what a benchmark asks of a library |
//! | [`flat`] | a scene without instances |
//! | [`embree`] | both versions of Embree |
//! | `cwbvh` | obvhs |
//! | `bvh8` | tinybvh |

#[cfg(all(feature = "tinybvh", target_arch = "x86_64"))]
mod bvh8;
#[cfg(feature = "obvhs")]
mod cwbvh;
pub mod embree;
pub mod flat;
pub mod peer;

pub use peer::{Answer, Instructions, Library, Missing, Peer, PeerError, Question, Work};
