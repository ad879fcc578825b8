//! Ray-tracing silicon, in software.
//!
//! siliray holds the memory formats, the intersection arithmetic and the traversal machines with
//! which hardware traces rays, as one toolkit that needs no GPU. This crate is the front door: it
//! re-exports the others and adds what needs all of them.
//!
//! ```
//! use siliray::build::{Options, Preset};
//! use siliray::geometry::TriangleRule;
//! use siliray::machine::Reference;
//! use siliray::open::Source;
//! use siliray::render::{Settings, Style, render};
//! use std::ops::ControlFlow;
//!
//! // A scene: a file, or one made by code.
//! let scene = Source::new("interior", Some(5_000))?.open()?;
//!
//! // Its tree. The closures are told about progress and could break to cancel.
//! let keep_going = |_| ControlFlow::Continue(());
//! let built = siliray::build::build(&scene, &Options::preset(Preset::Balanced), &keep_going)?;
//!
//! // A machine that walks the tree, and what it sees.
//! let machine = Reference::new(&built.tree, TriangleRule::Watertight);
//! let camera = scene.camera.ok_or("this scene has no camera")?;
//! let settings = Settings { width: 64, height: 48, style: Style::Shaded { samples: 1 } };
//! let rendering = render(&scene, &machine, &camera, &settings, &keep_going)?;
//!
//! let png = rendering.picture.to_png()?;
//! assert!(png.starts_with(b"\x89PNG"));
//! assert!(rendering.counters.queries >= 64 * 48);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | crate | concept |
//! |---|---|
//! | [`geometry`] | boxes, rays, triangles, transforms; the definition of a hit |
//! | [`scene`] | meshes, instances, cameras; file readers; scenes made by code |
//! | [`tree`] | the tree that belongs to no format |
//! | [`build`](mod@build) | scene → tree |
//! | [`isbe`] | the staging memory of mesh shaders; dumps of it as scenes |
//! | [`machine`] | queries, hits, the oracle, the reference machine |
//! | [`gfx12`] | AMD GFX12: formats, instructions, files |
//! | [`trace`](mod@trace) | the fast tracer |
//! | [`xphmg`] | XPHMG_RT: numeric policy, instructions, tiles, queues, offload |
//! | [`riscv`] | a hart that runs programs |
//! | [`ttu`] | the tree traversal unit: 128-byte blocks, cycle by cycle |
//!
//! | module | concept |
//! |---|---|
//! | [`input`] | what a name or a path opens to, and the way from there to a machine |
//! | [`registry`] | every format and every machine |
//! | [`cameras`] | views in a file beside a scene |
//! | [`workload`] | rays that benchmarks trace |
//! | [`ray_files`] | files of rays and hits |
//! | [`image_scene`] | the scene in an image |
//! | [`beam_vectors`] | vector files of kind `beam` |
//! | [`flat_scene`] | a scene without instances |
//! | [`sweep`] | a part in straight motion through a scene |
//! | [`vector_files`] | vector files of every kind |
//! | [`extensions`] | extensions of the hart by name |
//! | [`walk`] | what a machine does for one query, step by step |
//! | [`render`] | pictures and heat maps |
//! | [`conformance`] | every machine against brute force |
//! | [`report`] | all of it as one HTML file |
//! | [`sim`] | runs and sweeps of the traversal unit |

pub use {build, geometry, gfx12, isbe, machine, riscv, scene, trace, tree, ttu, vectors, xphmg};

pub mod beam_vectors;
pub mod cameras;
pub mod conformance;
pub mod extensions;
pub mod flat_scene;
pub mod image_scene;
pub mod input;
pub mod ray_files;
pub mod registry;
pub mod render;
pub mod report;
pub mod sim;
pub mod sweep;
pub mod vector_files;
pub mod walk;
pub mod workload;
