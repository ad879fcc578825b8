//! Tree → image.
//!
//! Each level becomes one structure, as `sections` shows it: behind GPURT's header, with room for
//! a file's metadata before it, or as RADV or HIPRT has it in memory. The image has the TLAS first,
//! if there is one, and then the BLASes in order.
//!
//! | file | step |
//! |---|---|
//! | `leaves` | leaves become what one range or one instance node can hold |
//! | `triangle_pairs` | which triangles go together |
//! | `regroup` | leaves chosen for density, at a bounded loss |
//! | `flatten` | the order of nodes in memory |
//! | `pool` | an order of leaves in which neighbours share vertices |
//! | [`triangle_fill`] | how many bits a set of triangles takes in a primitive node |
//! | `run` | primitive nodes, filled one range after another |
//! | `families`, `radv_node`, `hiprt_node` | primitive nodes as drivers fill them |
//! | `boxes` | box nodes with quantised children |
//! | `obb_fit` | rotations of oriented nodes |
//! | `blas`, `tlas`, `instance` | the levels |
//! | `rebraid` | instances that are entered below the roots of their structures |
//! | `sections` | where the parts of a structure lie |
//! | [`tables`], `radv_memory`, `hiprt_memory` | headers, and what else stands around the nodes |
//! | [`report`], [`error`] | figures; why a tree cannot be laid out |
//!
//! The same tree gives the same bytes, whatever the number of threads. A tree that was decoded from
//! an image of siliray's, encoded with [`Options::decoded`], gives the bytes of that image; nodes
//! that are oriented need their frames as well ([`encode_in_frames`]).

mod blas;
mod boxes;
pub mod error;
mod families;
mod flatten;
pub(crate) mod hiprt_memory;
mod hiprt_node;
pub(crate) mod instance;
mod leaves;
pub(crate) mod obb_fit;
mod pool;
mod radv_memory;
mod radv_node;
mod rebraid;
mod regroup;
pub mod report;
mod run;
pub(crate) mod sections;
pub mod tables;
mod tlas;
pub mod triangle_fill;
mod triangle_pairs;

pub use error::EncodeError;
pub(crate) use radv_memory::{ALLOW_UPDATE, OPACITY};
pub use report::Report;
pub use triangle_fill::TriangleFill;

use crate::decode::Frames;
use crate::format::NAME;
use crate::layout::NodePointer;
use crate::survey::Structure;
use blas::EncodedBlas;
use bvh4::EncodeError as TreeError;
use bvh4::encode::levels::blas_levels;
use machine::{Image, Segment};
use std::fmt;
use std::str::FromStr;
use tree::{Quality, Tree};

/// Structures behind GPURT's headers lie at multiples of this, from the second address on.
const STRUCTURE_ALIGNMENT: u64 = 4096;
const FIRST_ADDRESS: u64 = 0x1_0000;
/// Structures of drivers' memory lie at multiples of this, from address 0 on, so that addresses are
/// offsets of the file. Vulkan asks for as much.
pub(crate) use bvh4::dump::memory::ALIGNMENT as MEMORY_ALIGNMENT;
const ADDRESS_LIMIT: u64 = 1 << 48;
/// Levels of at most so many references are small: there, density counts more than the time it
/// takes.
const SMALL_LEVEL: usize = 1 << 18;

/// How primitives are packed and planes are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// siliray's own: ranges of up to 16 triangles fill primitive nodes.
    #[default]
    Dense,
    /// As RADV: one pair a range, planes rounded to nearest (G-22).
    Radv,
    /// As GPURT: one pair a range.
    Gpurt,
    /// As HIPRT: its memory, with ranges of up to four pairs (G-45).
    Hiprt,
}

impl Policy {
    /// All policies, in the order in which tables show them.
    pub const ALL: [Self; 4] = [Self::Dense, Self::Radv, Self::Gpurt, Self::Hiprt];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Radv => "radv",
            Self::Gpurt => "gpurt",
            Self::Hiprt => "hiprt",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No policy has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no policy is called {0:?}, expected dense, radv, gpurt or hiprt")]
pub struct PolicyError(String);

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(name: &str) -> Result<Self, PolicyError> {
        let found = Self::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| PolicyError(name.to_owned()))
    }
}

/// The knobs of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How primitives are packed and planes are rounded.
    pub policy: Policy,
    /// Whether boxes are widened so that the hardware loses no hit (G-36).
    pub margin: bool,
    /// Whether nodes may be oriented.
    pub obb: bool,
    /// Whether leaves stay as they are wherever the format can hold them.
    pub keep_leaves: bool,
    /// Whether instances may name nodes below the roots of their structures.
    pub rebraid: bool,
    /// Whether triangles lie as updates need them: nothing compressed, one a node with RADV, whose
    /// leaves come before the boxes, one pair a node with GPURT. siliray's own policy goes on
    /// filling nodes, with vertices of its own for each triangle. HIPRT knows no difference.
    pub updatable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Policy::Dense)
    }
}

impl Options {
    /// The options that go with a policy: siliray's own has a margin, those that copy a driver do
    /// not.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        let margin = matches!(policy, Policy::Dense);
        Self { policy, margin, obb: false, keep_leaves: false, rebraid: false, updatable: false }
    }

    /// The options for a tree that was decoded from an image: its boxes are already as wide as they
    /// should be, and its leaves are ranges.
    #[must_use]
    pub const fn decoded(policy: Policy) -> Self {
        Self { margin: false, keep_leaves: true, ..Self::new(policy) }
    }
}

/// An image and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The image.
    pub image: Image,
    /// What it came to.
    pub report: Report,
}

/// Lays a tree out.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode(tree: &Tree, options: &Options) -> Result<Encoded, EncodeError> {
    encode_in_frames(tree, &Frames::default(), options)
}

/// Lays a decoded tree out, and orients its nodes as they were: with [`Options::decoded`], an image
/// of siliray's comes back to the bit.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode_in_frames(
    tree: &Tree,
    frames: &Frames,
    options: &Options,
) -> Result<Encoded, EncodeError> {
    let mut blases = blas_levels(tree, options.margin, |level, blas, margin| {
        blas::encode(blas, level, margin, frames.levels.get(level), options)
    })?;
    let mut report = blas_report(tree, &blases);
    let (first, metadata, alignment) = match options.policy {
        Policy::Radv | Policy::Hiprt => (0, 0, MEMORY_ALIGNMENT),
        Policy::Dense | Policy::Gpurt => {
            (FIRST_ADDRESS, u64::from(tables::METADATA_BYTES), STRUCTURE_ALIGNMENT)
        }
    };
    let mut next = first;
    let mut place = |bytes: u64| {
        let address = next;
        next = (address + bytes + metadata).next_multiple_of(alignment);
        address
    };
    let tlas = tree.tlas.as_ref().map(|tlas| tlas::plan(tlas, &blases, options)).transpose()?;
    let tlas_address = tlas.as_ref().map_or(first, |tlas| place(tlas.byte_count()));
    for blas in &mut blases {
        blas.place(place(blas.segment.bytes().len() as u64), options.policy);
    }
    if next > ADDRESS_LIMIT {
        return Err(TreeError::Addresses { end: next, limit: ADDRESS_LIMIT }.into());
    }
    let mut segments = Vec::with_capacity(blases.len() + 1);
    if let Some(tlas) = tlas {
        let encoded = tlas.write(&blases, tlas_address, options)?;
        report.box_nodes += encoded.box_count;
        report.instance_nodes = encoded.instance_count;
        report.opened_instances = encoded.opened_instances;
        report.tlas_cost = encoded.cost;
        report.node_bytes += encoded.node_bytes;
        segments.push(encoded.segment);
    }
    segments.extend(blases.into_iter().map(|blas| blas.segment));
    let image = image_of(segments);
    report.bytes = image.byte_count() as u64;
    Ok(Encoded { image, report })
}

/// The image of structures that begin with their headers; it starts in the first.
pub(crate) fn image_of(segments: Vec<Segment>) -> Image {
    let first = segments.first().and_then(Structure::of_segment);
    let (bases, root) = first.map_or(([0; 2], NodePointer::INVALID), |first| {
        ([first.box_base, first.primitive_base], first.root)
    });
    Image { format: NAME, segments, bases: bases.to_vec(), root: root.0.into() }
}

fn blas_report(tree: &Tree, blases: &[EncodedBlas]) -> Report {
    let mut report = Report::default();
    let mut weight = 0.0;
    for (given, encoded) in tree.blases.iter().zip(blases) {
        report.node_bytes += encoded.node_bytes;
        report.box_nodes += encoded.box_count;
        report.triangle_nodes += encoded.stored.triangle_nodes;
        report.procedural_nodes += encoded.stored.procedurals;
        report.triangles += given.primitives.triangles.len();
        report.stored_triangles += encoded.stored.triangles;
        report.pairs += encoded.stored.pairs;
        report.vertices += encoded.stored.vertices;
        report.vertex_bits += encoded.stored.vertex_bits;
        let primitives = given.primitives.len() as f64;
        weight += primitives;
        report.sah_given += primitives * Quality::of(&given.bvh).sah_cost;
        report.sah_encoded += primitives * encoded.sah_cost;
        report.sah_oriented += primitives * (encoded.sah_cost + encoded.oriented_cost_change);
        report.oriented_nodes += encoded.oriented_nodes;
    }
    if weight > 0.0 {
        report.sah_given /= weight;
        report.sah_encoded /= weight;
        report.sah_oriented /= weight;
    }
    report
}
