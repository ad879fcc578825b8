//! Beams: the queries of a tracer, and many boxes at once.
//!
//! [`crate::Tracer::beam`] asks what a moving box meets.
//!
//! ```
//! use geometry::{Aabb, Beam, Vec3};
//! use trace::Tracer;
//!
//! let scene = scene::builtin::Builtin::Interior.scene(5_000);
//! let tracer = Tracer::new(&scene)?;
//! let all = scene.bounds()?;
//! let start = Aabb::new(all.min, all.center());
//! let ask = tracer.beam(Beam::swept(&start, Vec3::ONE, 1.0)?)?;
//! assert!(ask.any());
//! let (by_boxes, by_triangles) = (ask.first(), ask.exact().first());
//! assert!(by_boxes.map(|hit| hit.t) <= by_triangles.map(|hit| hit.t));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The kernels take boxes as structure of arrays, 8 (AVX2) or 16 (AVX-512) at a time, and give the
//! bits of [`geometry::Beam::bounds`]: the same operations in the same order, `max` and `min` with
//! the candidate first so that a NaN candidate is dropped, multiplication and addition apart.
//!
//! ```
//! use geometry::{Aabb, Beam, Vec3};
//! use trace::beam::{BeamKernel, Boxes};
//!
//! let boxes: Vec<Aabb> = (0..100)
//!     .map(|n| Aabb::new(Vec3::splat(n as f32), Vec3::splat(n as f32 + 0.5)))
//!     .collect();
//! let boxes = Boxes::new(&boxes);
//! let start = Aabb::new(Vec3::splat(10.0), Vec3::splat(12.0));
//! let beam = Beam::swept(&start, Vec3::ONE, 3.0)?;
//! let mut met = vec![0; boxes.groups()];
//! BeamKernel::fastest().meets(&beam, &boxes, &mut met);
//! let count: u32 = met.iter().map(|group| group.count_ones()).sum();
//! assert_eq!(count, 6); // 10 to 15
//! # Ok::<(), geometry::beam::BeamError>(())
//! ```
//!
//! | file | concept |
//! |---|---|
//! | `boxes` | boxes as structure of arrays |
//! | `kernel` | the kernels, and the one place where one is chosen |
//! | `plain`, `avx2`, `avx512` | the box test in plain code, 8 at a time, 16 at a time |
//! | `vector` | what the last two have in common |
//! | `bounds` | what beams need of a world beside its nodes |
//! | `walk` | the walk over a world |
//! | `ask` | one beam and what is asked of it |
//! | `visit` | what a visitor of hits wants next |
//! | `error` | why a tracer takes no beams |

mod ask;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bounds;
mod boxes;
mod error;
mod kernel;
mod plain;
#[cfg(target_arch = "x86_64")]
mod vector;
mod visit;
mod walk;

pub use ask::BeamAsk;
pub use boxes::{Boxes, GROUP};
pub use error::BeamsError;
pub use kernel::BeamKernel;
pub use visit::Visit;
pub use walk::Beams;

pub(crate) use bounds::BeamBounds;
