//! `.rra` files: acceleration structures as Radeon Raytracing Analyzer reads them.
//!
//! Container and chunks are those of GFX12 ([`bvh4::rra`]). A structure is metadata, whose end is
//! the parent table, GPURT's header, nodes and lists, as the policy `gpurt` lays them out. An image
//! that already lies behind headers is written as it is, RADV's memory as its exporter writes it
//! (`radv`), and everything else is laid out by that policy first.
//!
//! A header's level of ray-tracing IP is 2 or 3. RADV says 2 on RDNA3 too, so that the device in
//! AsicInfo decides; files without one are what their level says. RADV writes 120 bytes of
//! the header, and ids in its own way: its files are known by that size, or by a chunk version
//! below 16.
//!
//! | file | concept |
//! |---|---|
//! | [`opened`] | from a file to an image |
//! | [`device`] | which generation a card is of |
//! | `radv` | RADV's memory, as its exporter writes it |
//! | [`shown`] | a TLAS for a structure that has none, so that the viewer shows it |

pub mod device;
pub mod opened;
mod radv;
pub mod shown;

pub use device::generation;
pub use opened::read;

use crate::Writer;
use crate::encode::{Options, Policy, encode};
use crate::layout::GpurtInstanceNode;
use crate::structure::{RADV_FILE_VERSION, RTIP_LEVELS, Structure as Root};
use bvh4::image::{Dialect, decode, examine};
use bvh4::layout::{Bvh4Kind, GpurtHeader};
use bvh4::rra::header_rules::{Excluded, Inactive};
use bvh4::rra::structure::RADV_CHUNK_VERSION;
use bvh4::rra::{ApiInfo, Level, Structure, container};
use bvh4::survey::Memory;
use container::{Magic, StoredChunk};
use machine::bits::NodeBits;
use machine::{EncodeError, Image, Segment};
use tree::Tree;

const HEADER_BYTES: usize = 128;
const INSTANCE_BYTES: usize = 128;

/// What the levels of these files are, in words.
const LEVELS_TEXT: &str = "2 (RTIP 1.1, GFX10.3) or 3 (RTIP 2.0, GFX11)";

/// Which instances the viewer leaves out.
const INACTIVE: Inactive = inactive;

/// The file that shows an image.
///
/// # Errors
/// When the image is not sound, or cannot be laid out as the viewer reads it.
pub fn write(image: &Image) -> Result<Vec<u8>, EncodeError> {
    let root = Root::of_root(image, &Memory::new(image));
    let examined = examine::<Root>(image);
    if !examined.is_sound() {
        return Err("the image is not sound: see `siliray check`".into());
    }
    let (mut structures, is_radv) = match root.writer {
        Writer::Radv => (radv::export(image, &examined.survey)?, true),
        Writer::RadvFile => (stored(image)?, true),
        Writer::Gpurt => (stored(image)?, false),
        Writer::Own | Writer::Hiprt => {
            let tree: Tree = decode::decode(image, &examined.survey);
            let mut boxes = examined.survey.structures.iter().flat_map(|it| &it.boxes);
            let half = boxes.any(|record| record.pointer.kind() == Bvh4Kind::HalfBox);
            let options = Options::decoded(Policy::Gpurt, half);
            (stored(&encode(&tree, root.generation, &options)?)?, false)
        }
    };
    if let [blas] = structures.as_slice()
        && blas.level == Level::Blas
        && let Some((segment, metadata)) = shown::tlas(blas, is_radv)
    {
        structures.push(structure(segment, metadata)?);
    }
    let mut chunks = vec![ApiInfo::VULKAN.to_chunk(), device::asic_info(root.generation)];
    chunks.extend(structures.iter().map(Structure::to_chunk));
    Ok(container::write(Magic::Rdf, &chunks))
}

/// The structures of an image that lies behind headers, as they are.
fn stored(image: &Image) -> Result<Vec<Structure>, EncodeError> {
    let behind = image.segments.iter().map(|segment| {
        let (before, nodes) = header_place(segment)?;
        let bytes = segment.bytes();
        let address = segment.address + nodes as u64;
        let metadata = bytes[before..nodes].to_vec();
        Some((Segment::new(address, &bytes[nodes..]), metadata))
    });
    let behind: Option<Vec<_>> = behind.collect();
    let behind = behind.ok_or("a segment holds no GPURT header behind its metadata")?;
    behind.into_iter().map(|(segment, metadata)| structure(segment, metadata)).collect()
}

/// Where metadata and header begin in a segment. Metadata may lie behind a few bytes that only
/// align it.
fn header_place(segment: &Segment) -> Option<(usize, usize)> {
    let bytes = segment.bytes();
    let places = (HEADER_BYTES..bytes.len().saturating_sub(HEADER_BYTES)).step_by(64);
    places.map(|place| (place, header_at(&bytes[place..]))).find_map(|(place, header)| {
        let before = place.checked_sub(header.metadata_size as usize)?;
        (RTIP_LEVELS.contains(&header.rt_ip_level) && before < 64).then_some((before, place))
    })
}

fn header_at(bytes: &[u8]) -> GpurtHeader {
    GpurtHeader::decode(&NodeBits::from_bytes(&bytes[..HEADER_BYTES]))
}

/// A structure for a file; one of RADV's with its version.
fn structure(segment: Segment, metadata: Vec<u8>) -> Result<Structure, EncodeError> {
    let is_radv = header_at(segment.bytes()).version == RADV_FILE_VERSION;
    let mut structure = Structure::new(segment, metadata, INACTIVE)
        .map_err(|finding| format!("the viewer would refuse the file: {finding}"))?;
    if is_radv {
        structure.version = RADV_CHUNK_VERSION;
    }
    Ok(structure)
}

/// A node says by its mask, its child and the metadata size whether an instance is there.
fn inactive(structure: &Structure) -> Vec<Excluded> {
    let header = structure.header();
    let first = header.leaf_node_offset as usize;
    let Some(nodes) = structure.segment.bytes().get(first..) else { return Vec::new() };
    let nodes = nodes.chunks_exact(INSTANCE_BYTES).take(header.active_primitive_count as usize);
    let excluded = nodes.enumerate().filter_map(|(number, node)| {
        let node = GpurtInstanceNode::decode(&NodeBits::from_bytes(node));
        let why = if node.mask == 0 {
            "a mask of 0"
        } else if node.child_base.address() == 0 {
            "no child"
        } else if node.metadata_size == 0 {
            "a metadata size of 0"
        } else {
            return None;
        };
        let start = (first + INSTANCE_BYTES * number) as u64;
        Some(Excluded { number, bytes: start..start + INSTANCE_BYTES as u64, why })
    });
    excluded.collect()
}

/// The chunk of an id whose data is all there is.
fn plain_chunk(id: &str, version: u32, data: Vec<u8>) -> StoredChunk {
    let mut bytes = [0; 16];
    bytes[..id.len()].copy_from_slice(id.as_bytes());
    StoredChunk {
        id: bytes,
        version,
        compression: container::Compression::None,
        header: Vec::new(),
        unpacked_size: data.len() as u64,
        counts_header: false,
        data,
    }
}
