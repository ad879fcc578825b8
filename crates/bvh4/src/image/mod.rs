//! Images of 4-wide nodes, whatever generation and writer they belong to.
//!
//! A [`Dialect`] says how a structure's nodes are read; the rest is the same for all of them.
//!
//! | file | concept |
//! |---|---|
//! | [`dialect`] | how boxes, leaves and instances of a structure are read |
//! | [`rule`] | the rules that an image is checked against |
//! | [`surveyor`] | every node that can be reached, total over any bytes |
//! | `contents` | what is odd or lossy about a structure that is sound |
//! | `headers` | what a driver's header says of its structure |
//! | `ids` | ids that tell primitives apart, and lists of them |
//! | `lost` | what a driver counts or lists and no box leads to |
//! | `outside` | how far the contents of a box reach outside it |
//! | [`examine`](mod@examine) | the proof of an untrusted image |
//! | [`decode`](mod@decode) | image → tree |
//! | [`blocks`](mod@blocks) | the image as a traversal unit sees it |
//! | [`stats`] | the figures that RADV writes |
//! | [`outline`](mod@outline) | every node from the root down, sound or not |

pub mod blocks;
mod contents;
pub mod decode;
pub mod dialect;
pub mod examine;
mod headers;
mod ids;
mod lost;
pub mod outline;
mod outside;
pub mod rule;
pub mod stats;
pub mod surveyor;

pub use dialect::{
    Dialect, HeaderKind, LeafNode, ParentPlace, Report, Shape, StoredHeader, StoredInstance,
    StoredPrimitive, check_triangles,
};
pub use examine::{Examined, examine};
pub use outline::outline;
pub use rule::Rule;

/// A box in words.
#[must_use]
pub fn box_text(bounds: &geometry::Aabb) -> String {
    let geometry::Aabb { min, max } = bounds;
    format!("[{:?}, {:?}, {:?}]..[{:?}, {:?}, {:?}]", min.x, min.y, min.z, max.x, max.y, max.z)
}

/// Findings about the rules of these formats.
pub type Findings = crate::survey::Findings<Rule>;
