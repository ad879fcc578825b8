//! The fast tracer: closest, any and all hits, for batches of rays, over a checked GFX12 image.
//!
//! ```
//! use geometry::{Ray, Vec3};
//! use trace::Tracer;
//!
//! let scene = scene::builtin::Builtin::Interior.scene(5_000);
//! let tracer = Tracer::new(&scene)?;
//! let camera = scene.camera().ok_or("this scene has no camera")?;
//! let rays: Vec<Ray> = (0..640).map(|x| camera.ray(x as f32, 240.0, 640, 480)).collect();
//! let hits = tracer.closest(&rays);
//! let from_above: Vec<Ray> = hits
//!     .iter()
//!     .zip(&rays)
//!     .filter(|(hit, _)| !hit.is_miss())
//!     .map(|(hit, ray)| Ray::new(ray.at(hit.t), Vec3::Y).between(1.0e-3, f32::INFINITY))
//!     .collect();
//! let covered = tracer.any(&from_above);
//! assert_eq!(covered.len(), from_above.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every answer equals that of the brute-force oracle, bit for bit, for both triangle rules and
//! every kernel (`docs/trace.md` has the proof; `siliray conformance` runs it).
//!
//! | file | concept |
//! |---|---|
//! | [`tracer`](Tracer) | from a scene or an image to answers |
//! | `as_machine` | one query at a time, watched or not |
//! | [`batch`](Batch) | many rays, one question |
//! | `ask` | what a batch asks beside its rays |
//! | `kind` | closest, any, all, as types |
//! | [`kernel`](Kernel) | kernels, and the one place where one is chosen |
//! | `world` | the CPU's copy of an image |
//! | `in_place` | the image's own bytes |
//! | `source` | what a walk needs of either |
//! | `scalar` | the plain walk over either |
//! | [`beam`] | beams: queries, and many boxes at once |
//! | [`nearest`] | the nearest point of the surface, and the side on which one is |
//! | [`refit`] | tracers that follow a mesh which moves |
//! | `decay` | how much their trees have decayed |
//! | `rebuild` | building anew what has, and nothing else |
//! | [`stored`] | tracers in files |
//! | [`error`](TraceError) | why there is no tracer |
//! | `safety` | what `unsafe` rests on |
//! | `ordinary` | which rays and worlds the fast kernels take |
//! | `oriented` | how rays see oriented nodes |
//! | `simd` | the vectors of each kernel |
//! | `vector` | many rays in flight, and one alone |
//! | `bundle` | coherent rays answered together |
//!
//! This crate has `unsafe`: kernels use vector instructions, and read memory that was proved
//! without asking again. `safety` states every invariant that this rests on.

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

mod as_machine;
mod ask;
mod batch;
pub mod beam;
mod bundle;
mod decay;
mod error;
mod in_place;
mod kernel;
mod kind;
pub mod nearest;
mod ordinary;
mod oriented;
mod rebuild;
pub mod refit;
mod safety;
mod scalar;
mod simd;
mod source;
pub mod stored;
mod tracer;
mod vector;
mod world;

pub use ask::{BoxCandidate, Filter, Intersector};
pub use batch::Batch;
pub use error::TraceError;
pub use kernel::Kernel;
pub use machine::Hit;
pub use nearest::{NearestAsk, NearestPoint};
pub use refit::{Refit, RefitError};
pub use stored::StoredError;
pub use tracer::{MACHINES, Mode, NAME, Options, Tracer};
