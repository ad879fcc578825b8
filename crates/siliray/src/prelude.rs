//! What most programs need, in one `use`.
//!
//! ```
//! use siliray::prelude::*;
//!
//! // Vertices and triangles of one's own.
//! let vertices = vec![Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0)];
//! let scene = Scene::from_mesh(vertices, vec![[0, 1, 2]])?;
//! let ray = Ray::new(Vec3::new(0.5, 0.5, 4.0), Vec3::new(0.0, 0.0, -1.0));
//!
//! // Many rays, fast.
//! let hits = Tracer::new(&scene)?.closest(&[ray]);
//!
//! // One ray on any machine.
//! let radv = registry().machine("gfx12-radv").ok_or("no such machine")?;
//! let route = Route::new(radv, build_options(radv, None, None));
//! let prepared = route.prepare(&Input::Scene(scene), &unwatched)?;
//! let machine = prepared.make(&MachineOptions::default())?;
//! let hit = machine.closest(&ray)?.ok_or("nothing was hit")?;
//! assert_eq!((hit.t, hit.primitive), (4.0, 0));
//! assert_eq!(hits[0].t, hit.t);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::input::{Input, Route, Source, build_options};
pub use crate::registry::registry;
pub use build::{Preset, unwatched};
pub use geometry::{Ray, Vec3};
pub use machine::{Hit, Machine, MachineOptions, Query};
pub use scene::{Camera, Scene};
pub use trace::Tracer;
