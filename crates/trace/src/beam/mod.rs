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
//! The kernels take boxes as structure of arrays, as many at a time as their vectors hold, and give
//! the bits of [`geometry::Beam::bounds`]: the same operations in the same order, `max` and `min`
//! with the candidate first so that a NaN candidate is dropped, multiplication and addition apart.
//!
//! ```
//! use geometry::{Aabb, Beam, Vec3};
//! use trace::Kernel;
//! use trace::beam::Boxes;
//!
//! let boxes: Vec<Aabb> = (0..100)
//!     .map(|n| Aabb::new(Vec3::splat(n as f32), Vec3::splat(n as f32 + 0.5)))
//!     .collect();
//! let boxes = Boxes::new(&boxes);
//! let start = Aabb::new(Vec3::splat(10.0), Vec3::splat(12.0));
//! let beam = Beam::swept(&start, Vec3::ONE, 3.0)?;
//! let mut met = vec![0; boxes.groups()];
//! Kernel::fastest().meets(&beam, &boxes, &mut met);
//! let count: u32 = met.iter().map(|group| group.count_ones()).sum();
//! assert_eq!(count, 6); // 10 to 15
//! # Ok::<(), geometry::beam::BeamError>(())
//! ```
//!
//! | file | concept |
//! |---|---|
//! | `boxes` | boxes as structure of arrays |
//! | `kernel` | the box test as kernels answer it |
//! | `box_test` | the box test in vectors |
//! | `bounds` | what beams need of a world beside its nodes |
//! | `walk` | the walk over a world |
//! | `ask` | one beam and what is asked of it |
//! | `visit` | what a visitor of hits wants next |
//! | `error` | why a tracer takes no beams |

mod ask;
mod bounds;
mod box_test;
mod boxes;
mod error;
mod kernel;
mod visit;
mod walk;

pub use ask::BeamAsk;
pub use boxes::{Boxes, GROUP};
pub use error::BeamsError;
pub use visit::Visit;
pub use walk::Beams;

pub(crate) use bounds::BeamBounds;
