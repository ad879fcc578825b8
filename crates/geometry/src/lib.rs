//! Boxes, rays, triangles, transforms, and what it means for a ray to hit something.
//!
//! Everything here is scalar and plain `f32`: these functions *are* the semantics of siliray. Fast
//! kernels elsewhere must give the same bits; every machine and the brute-force oracle call
//! [`triangle_hit`] and [`procedural_hit`], so that "a hit" has one definition.
//!
//! | file | concept |
//! |---|---|
//! | [`aabb`] | axis-aligned boxes |
//! | [`random`] | a reproducible source of numbers |
//! | [`ray`] | rays, and which rays are traceable |
//! | [`triangle`] | triangles and the names of the two triangle rules |
//! | [`transform`] | 3x4 affine transforms, and the one arithmetic that moves a ray |
//! | [`beam`] | boxes that move and grow, against boxes and triangles |
//! | [`volume`] | spheres and frusta, against boxes and triangles |
//! | [`translation`] | a triangle in straight motion against another |
//! | [`touch_point`] | where two triangles touch |
//! | [`instance_flags`] | how an instance treats its triangles |
//! | [`rounding`] | sums and differences rounded up or down |
//! | [`grid`] | planes to 8-bit cells of a power of two, exactly |
//! | [`slab`] | the conservative ray-box test |
//! | [`moller_trumbore`] | the triangle rule of the GFX12 unit |
//! | [`watertight`] | the triangle rule of Woop, Benthin and Wald |
//! | [`hit`] | the definition of a hit |
//! | `expansion` | exact sums of floats |
//! | `dyadic` | exact numbers of any size |
//! | `half_lines` | systems of linear inequalities in one unknown, decided exactly |
//! | `exact` | the same questions answered in rational arithmetic (feature `exact`) |
//!
//! Compiler options must not change results: nothing here may be contracted into fused operations
//! except where `mul_add` is written, and flush-to-zero modes are unsupported (B-14).

pub mod aabb;
pub mod beam;
mod dyadic;
#[cfg(feature = "exact")]
pub mod exact;
mod expansion;
pub mod grid;
mod half_lines;
pub mod hit;
pub mod instance_flags;
pub mod moller_trumbore;
pub mod random;
pub mod ray;
pub mod rounding;
pub mod slab;
pub mod touch_point;
pub mod transform;
pub mod translation;
pub mod triangle;
pub mod volume;
pub mod watertight;

pub use aabb::Aabb;
pub use beam::Beam;
pub use glam::Vec3;
pub use grid::GridAxis;
pub use hit::{SurfaceHit, procedural_hit, triangle_hit};
pub use instance_flags::InstanceFlags;
pub use ray::Ray;
pub use slab::{Interval, SlabRay};
pub use transform::{SingularTransform, Transform};
pub use triangle::{RawHit, Triangle, TriangleRule};
pub use volume::{Frustum, Sphere, Volume};
