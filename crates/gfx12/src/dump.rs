//! Files of memory as drivers leave it ([`bvh4::dump`]): structures of RADV and HIPRT one after
//! another, dumps of Mesa's, and structures that programs serialized.

use crate::encode::image_of;
use crate::layout::{BoxNode, NODE_BYTES, NodeBits, RadvGeometryInfo, RadvHeader};
use crate::outline::outline;
use crate::survey::{Header, Structure, is_empty_slot};
use bvh4::dump::gamma::{self, Geometries, Nodes, RootSummary};
use bvh4::dump::memory::{self, Extent};
use bvh4::dump::{Reader, Width, open, serialized};
use geometry::Aabb;
use machine::{Image, ImageFile, ReadError, Segment};

pub use memory::{Scattered, write as write_memory};

const READER: Reader = Reader { image_of, outline };

const NODES: Nodes = Nodes { least_before: tables, root: root_summary, restore: restore_infos };

/// Whether bytes are such a file, of nodes with eight children.
pub(crate) fn is_file(bytes: &[u8]) -> bool {
    if gamma::is_file(bytes) {
        return gamma::node_areas(bytes).0 != Some(Width::Four);
    }
    let start = if extent(0, bytes).is_some() { Some(0) } else { serialized::start_of(bytes) };
    let Some(memory) = start.map(|start| &bytes[start..]) else { return false };
    let radv = RadvHeader::of_bytes(memory);
    radv.is_none_or(|header| Width::of_structure(memory, &header) == Width::Eight)
}

/// Whether an image is a driver's memory.
pub(crate) fn is_memory(image: &Image) -> bool {
    let first = image.segments.first();
    first.is_some_and(|first| extent(first.address, first.bytes()).is_some())
}

/// The image of structure `number`, as [`open`] chooses it.
///
/// # Errors
/// When the file is broken, or there is no such structure.
pub fn read(bytes: &[u8], number: Option<usize>) -> Result<ImageFile, ReadError> {
    if gamma::is_file(bytes) {
        let (structures, findings) = gamma::structures(bytes, &NODES)?;
        return Ok(ImageFile { findings, ..open(structures, number, &READER)? });
    }
    let structures = match serialized::structure(bytes) {
        Some(structure) if extent(0, bytes).is_none() => vec![structure],
        _ => memory::structures(bytes, extent),
    };
    open(structures, number, &READER)
}

/// The file of RADV's memory that Mesa writes; `None` if a structure has no header of RADV's.
#[must_use]
pub fn write_gamma(image: &Image) -> Option<Vec<u8>> {
    gamma::write(image, Width::Eight, |segment, header| {
        let infos = segment.bytes().get(RadvHeader::BYTES as usize..)?;
        let infos = infos.chunks_exact(RadvGeometryInfo::BYTES as usize);
        let counts = infos.take(header.geometry_count as usize);
        Some(counts.map(|info| u32::from_le_bytes([info[0], info[1], info[2], info[3]])).collect())
    })
}

/// A structure of a driver's memory; GPURT's headers do not say where theirs end.
fn extent(address: u64, bytes: &[u8]) -> Option<Extent> {
    let header = Structure::of_bytes(address, bytes)?.header?;
    let is_blas = header.is_blas();
    match header {
        Header::Gpurt(_) => None,
        Header::Radv(_) => Extent::of_radv(bytes),
        Header::Hiprt(header) => {
            let primitives = match (header.scene, header.geometry) {
                (Some(scene), _) => scene.primitive_count.into(),
                (None, Some(geometry)) => geometry.reference_count.into(),
                (None, None) => 0,
            };
            Some(Extent { bytes: header.size, is_blas, primitives })
        }
    }
}

/// Bytes of the header and of what it notes of geometries.
const fn tables(geometries: u64) -> u64 {
    RadvHeader::BYTES + RadvGeometryInfo::BYTES * geometries
}

fn root_summary(node: &[u8]) -> RootSummary {
    let root = BoxNode::decode(&NodeBits::from_bytes(&node[..NODE_BYTES as usize]));
    let used = root.used_children().iter().enumerate();
    let used: Vec<_> = used.filter(|(_, child)| !is_empty_slot(child)).collect();
    let bounds = used.iter().fold(Aabb::EMPTY, |all, (slot, _)| all.union(root.child_box(*slot)));
    let flags = used.iter().fold(0b11, |all, (_, child)| all & child.cull_flags.bits());
    RootSummary { bounds, flags: if used.is_empty() { 0 } else { flags.into() } }
}

fn restore_infos(segment: &mut Segment, geometries: &Geometries<'_>) {
    let infos = &mut segment.bytes_mut()[RadvHeader::BYTES as usize..];
    let infos = infos.chunks_exact_mut(RadvGeometryInfo::BYTES as usize);
    for (out, primitive_count) in infos.zip(geometries.primitive_counts()) {
        let geometry_type = geometries.geometry_type;
        let info = RadvGeometryInfo { primitive_count, flags: 0, geometry_type };
        info.encode().write_bytes(out);
    }
}
