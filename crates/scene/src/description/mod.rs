//! Scene descriptions: TOML files that place meshes of other files, and say what no mesh format
//! says: procedural boxes, opacity, masks, flags, custom indices, several cameras.
//!
//! ```toml
//! version = 1
//!
//! [[camera]]
//! name = "front"
//! eye = [0, 2, 9]
//! at = [0, 1, 0]
//!
//! [[object]]
//! name = "tree"
//!
//! [[object.geometry]]
//! mesh = "trunk.ply"
//!
//! [[object.geometry]]
//! name = "leaves"
//! boxes = [[-1, 2, -1, 1, 4, 1]]
//! opaque = false
//!
//! [[instance]]
//! object = "tree"
//! translate = [3, 0, 0]
//! mask = 0x0F
//! flags = ["force_opaque"]
//! ```
//!
//! A mesh is a file in the description's folder or below. A file with instances becomes one mesh in
//! its own world. Without instances the only object lies in world space.
//!
//! | file | concept |
//! |---|---|
//! | `read` | a description becomes a scene |
//! | `write` | a scene becomes a description and its meshes |

mod read;
mod write;

use geometry::InstanceFlags;

pub(crate) use read::read;
pub use write::{Description, MeshFile};

/// The ending of a description's name.
pub const ENDING: &str = ".scene.toml";

/// The version that is read and written.
const VERSION: u32 = 1;

/// The vertical field of view of a camera that has none, in degrees.
const FOV: f64 = 40.0;

/// The flags of instances by their names in a description.
fn flag_names() -> impl Iterator<Item = (String, InstanceFlags)> {
    InstanceFlags::all().iter_names().map(|(name, flag)| (name.to_ascii_lowercase(), flag))
}
