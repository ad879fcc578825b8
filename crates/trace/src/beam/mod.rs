//! Beams: many boxes at once, and the walk over a tree.
//!
//! The kernels take boxes as structure of arrays, 8 (AVX2) or 16 (AVX-512) at a time, and give the bits of
//! [`geometry::Beam::bounds`]: the same operations in the same order, `max` and `min` with the candidate
//! first so that a NaN candidate is dropped, multiplication and addition apart.
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
//! | `walk` | the walk over a tree |

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod boxes;
mod kernel;
mod plain;
mod walk;

pub use boxes::{Boxes, GROUP};
pub use kernel::BeamKernel;
pub use walk::BeamTracer;
