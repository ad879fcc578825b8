//! ISBE, the staging memory of NVIDIA's vertex, task and mesh shaders.
//!
//! ISBE ("inter-stage buffer entry") carries attributes between the primitive engine and the
//! streaming multiprocessors. It cannot be read from a host, its published description has errors,
//! and compilers must address every byte of it by hand. This crate is a model of it that runs:
//! where each attribute of each vertex lies, what each instruction does to it, which generation has
//! which instruction, and how a dump of it becomes a mesh again.
//!
//! Facts come from Mesa (the NVK driver, the NAK compiler and their documentation) and from
//! NVIDIA's public class headers; nothing was run on hardware. Where the sources are silent the
//! model decides; the number of the decision, I-1 to I-20 of `docs/spec/isbe.md`, stands beside the
//! code.
//!
//! | module | concept |
//! |---|---|
//! | [`attribute`], [`attribute_set`] | attribute ids by name; sets of them |
//! | [`layout`] | where attributes lie in ATTR, and the inverse |
//! | [`memory`] | spaces, regions, views, the downward output MAP |
//! | [`fault`] | faults and warnings |
//! | [`limits`], [`topology`], [`generation`] | limits; topologies; what SM numbers mean |
//! | [`sph`] | shader program headers, versions 3 and 4 |
//! | [`methods`] | the method words that size the regions |
//! | [`stage`] | the stages whose units can be dumped |
//! | [`unit_state`] | headers and methods together: all that sizes the memory of a unit |
//! | [`task`] | the hand-over from a task to its mesh workgroups |
//! | [`instruction`] | the instructions, their legality, words and text |
//! | [`warp`] | their semantics for 32 lanes |
//! | [`hazard`] | the check for shared spaces |
//! | [`program`] | programs of instructions, run on the memory of a unit |
//! | [`container`] | dumps: `.isbe` files, checked and explained |
//! | [`kernel`] | mesh workgroups written in Rust |
//! | [`mesh`] | meshes and scenes to dumps and back |
//! | [`registry`] | dumps as a format, which any command about images opens |
//! | `bits` | bit fields, named where they are used |
//! | [`vectors`] | runs vector files of kind `isbe` |
//! | [`workgroup_view`] | one workgroup's memory, read as a meshlet |

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

pub mod attribute;
pub mod attribute_set;
mod bits;
pub mod container;
pub mod fault;
pub mod generation;
pub mod hazard;
pub mod instruction;
pub mod kernel;
pub mod layout;
pub mod limits;
pub mod memory;
pub mod mesh;
pub mod methods;
pub mod program;
pub mod registry;
pub mod sph;
pub mod stage;
pub mod task;
pub mod topology;
pub mod unit_state;
pub mod vectors;
pub mod warp;
pub mod workgroup_view;

pub use attribute::{AttributeId, UnknownAttribute};
pub use attribute_set::AttributeSet;
pub use container::{Dump, Workgroup};
pub use fault::{Fault, Warning};
pub use layout::{Area, Element, Layout, LayoutError, Location};
pub use limits::Limits;
pub use memory::{Access, MapOrder, Memory, Region, Size, Space, View};
pub use mesh::{AttributeTable, Mesh};
pub use sph::{ShaderType, Sph, SphError, SphVersion};
pub use stage::Stage;
pub use topology::Topology;
pub use unit_state::{StateError, UnitState};
pub use warp::{LaneFault, LaneMask, Lanes, Warp};
pub use workgroup_view::{Reader, WorkgroupView};
