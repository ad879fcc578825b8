//! Ray-tracing silicon, in software.
//!
//! siliray holds the memory formats, the intersection arithmetic and the traversal machines with
//! which hardware traces rays, as one toolkit that needs no GPU. This crate is the front door: it
//! re-exports the others and adds what needs all of them.
//!
//! ```
//! use siliray::prelude::*;
//!
//! // A file, or a scene made by code.
//! let scene = Source::new("interior", Some(5_000))?.open()?.into_scene()?;
//!
//! // Many rays, fast.
//! let camera = scene.camera().ok_or("this scene has no camera")?;
//! let rays: Vec<Ray> = (0..640).map(|x| camera.ray(x as f32, 240.0, 640, 480)).collect();
//! let hits = Tracer::new(&scene)?.closest(&rays);
//!
//! // One ray on any machine: the tree is built, encoded and checked as that machine needs it. An
//! // image that `Source::open` reads from a file is walked as it is stored.
//! let radv = registry().machine("gfx12-radv").ok_or("no such machine")?;
//! let route = Route::new(radv, build_options(radv, None, None));
//! let prepared = route.prepare(&Input::Scene(scene), &unwatched)?;
//! let machine = prepared.make(&MachineOptions::default())?;
//! let hit = machine.closest(&rays[320])?;
//!
//! // The law: both say the same, in every bit.
//! assert_eq!(hit.map(|hit| hit.t), Some(hits[320].t));
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
//! | [`machine`] | queries, hits, checked images, observers; oracle and reference machine |
//! | [`vectors`] | files of cases with known answers |
//! | [`gfx10`] | AMD GFX10.3 and GFX11: the intersection instruction, the stack |
//! | [`gfx12`] | AMD GFX12: formats, instructions, loops, files |
//! | [`cwbvh`] | the compressed wide BVH of Ylitie, Karras and Laine |
//! | [`trace`](mod@trace) | the fast tracer |
//! | [`xphmg`] | XPHMG_RT: numeric policy, instructions, tiles, queues, offload |
//! | [`riscv`] | a hart that runs programs |
//! | [`ttu`] | the tree traversal unit: 128-byte blocks, cycle by cycle |
//!
//! | module | concept |
//! |---|---|
//! | [`prelude`] | what most programs need, in one `use` |
//! | [`input`] | what a name or a path opens to, and the way from there to a machine |
//! | [`registry`] | every format and every machine |
//! | [`compare`] | formats side by side |
//! | [`cameras`] | views in a file beside a scene |
//! | [`workload`] | rays that benchmarks trace |
//! | [`ray_files`] | files of rays and hits |
//! | [`resume`] | rows of earlier runs |
//! | [`image_build`] | scene → trees → image |
//! | [`image_scene`] | the scene in an image |
//! | [`image_diff`] | how two images differ |
//! | [`find`] | where something is in an image |
//! | [`intersect`](mod@intersect) | one intersection instruction on a node |
//! | [`beam_vectors`] | vector files of kind `beam` |
//! | [`isbe_program`] | a program on ISBE memory |
//! | [`flat_scene`] | a scene without instances |
//! | [`generators`] | rays that need not be stored |
//! | [`locations`] | where rays meet triangles, in doubles |
//! | [`sweep`] | a part in straight motion through a scene |
//! | [`vector_files`] | vector files of every kind |
//! | [`extensions`] | extensions of the hart by name |
//! | [`walk`] | what a machine does for one query, step by step |
//! | [`render`] | pictures and heat maps |
//! | [`conformance`] | every machine against brute force, also on the user's own images |
//! | [`demo`] | one scene through everything |
//! | [`documents`] | what `--json` prints |
//! | [`report`] | what HTML pages share |
//! | [`sim`] | runs and sweeps of the traversal unit |
//! | [`stats`] | statistics of structures in the drivers' own words |
//! | [`updates`] | what must hold between an image before and after an update |

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

pub use {
    build, cwbvh, geometry, gfx10, gfx12, isbe, machine, riscv, scene, trace, tree, ttu, vectors,
    xphmg,
};

pub mod beam_vectors;
pub mod cameras;
pub mod compare;
pub mod conformance;
pub mod demo;
pub mod documents;
pub mod extensions;
pub mod find;
pub mod flat_scene;
pub mod generators;
pub mod image_build;
pub mod image_diff;
pub mod image_scene;
pub mod input;
pub mod intersect;
pub mod isbe_program;
pub mod locations;
pub mod prelude;
#[cfg(not(target_family = "wasm"))]
pub mod ray_files;
pub mod registry;
pub mod render;
pub mod report;
pub mod resume;
pub mod sim;
pub mod stats;
pub mod sweep;
pub mod updates;
pub mod vector_files;
pub mod walk;
pub mod workload;
