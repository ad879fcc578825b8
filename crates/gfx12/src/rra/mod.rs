//! `.rra` files: acceleration structures as Radeon Raytracing Analyzer reads them.
//!
//! An `.rra` file is an RDF container ([`container`]) of named chunks. Every acceleration structure
//! is one chunk ([`structure`]): metadata, GPURT's header, nodes, and what software keeps beside
//! them. AMD's driver writes such files, and so does RADV, with quirks of its own:
//!
//! | quirk of RADV | what siliray does |
//! |---|---|
//! | the header has 120 bytes, but offsets count as if it had 128 | pads it, maps offsets back |
//! | a chunk's header is counted as data, up into the next chunk | reads the true length |
//! | chunk version 0xF0005 | accepted, as any major version up to 16 |
//! | the uncompressed size of a chunk is 0 | accepted where nothing is compressed |
//! | instance ranges are rewritten from 2 to 1, driver data is left out | read as they are |
//!
//! | file | concept |
//! |---|---|
//! | [`container`] | RDF: header, index, chunks |
//! | [`unpack`] | zstd, bounded |
//! | [`structure`] | structures of the compressed format as chunks |
//! | [`header_rules`] | what the viewer asks of a structure's header |
//! | [`info`] | ApiInfo and AsicInfo: which API, which card |
//! | [`opened`] | from a file to an image, and from bytes of the image back to the file |
//! | [`shown`] | a TLAS for a structure that has none, so that the viewer shows it |
//! | `radv` | RADV's memory, as its exporter writes it |
//! | [`behind_header`](mod@behind_header) | a raw structure, moved behind a header |
//! | [`fault`] | what is wrong with a file, and where |
//!
//! A file that cannot be taken apart is an [`RraError`]. A file that can, but that the viewer would
//! refuse or misread, has [`Rra::findings`]: users of the viewer are told only that a scene failed
//! to load. Sources: libamdrdf, Radeon Raytracing Analyzer 1.9, Mesa's `radv_rra.c`.

pub mod behind_header;
pub mod opened;
mod radv;
pub mod shown;
pub mod structure;

pub use behind_header::{RebaseError, behind_header};
pub(crate) use bvh4::rra::structure::place_of;
use bvh4::rra::structure::{IDS, METADATA_BYTES};
pub use bvh4::rra::{
    ApiInfo, AsicInfo, Level, RraError, Structure, container, fault, header_rules, info, unpack,
};
pub use opened::Opened;
pub use structure::WriteError;

use crate::survey;
use container::{Container, Magic, StoredChunk};
use machine::{Finding, Image};

/// A file, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Rra {
    /// How the container introduces itself.
    pub magic: Magic,
    /// The acceleration structures, in the order of the file.
    pub structures: Vec<Structure>,
    /// All other chunks, as they are stored.
    pub others: Vec<StoredChunk>,
    /// What the viewer would refuse or misread, by offset.
    pub findings: Vec<Finding>,
}

/// Takes a file apart.
///
/// # Errors
/// The first thing that keeps the file from being read: the place, what was found, what was
/// expected.
pub fn read(bytes: &[u8]) -> Result<Rra, RraError> {
    let container = Container::parse(bytes)?;
    let mut rra = Rra {
        magic: container.magic,
        structures: Vec::new(),
        others: Vec::new(),
        findings: container.findings.clone(),
    };
    for chunk in &container.chunks {
        if IDS.contains(&chunk.name().as_str()) {
            let number = rra.structures.len();
            let structure = structure::parse(chunk, number)?;
            header_rules::check(&structure, structure::INACTIVE, &mut rra.findings);
            rra.structures.push(structure);
        } else {
            info::check(chunk, &mut rra.findings);
            rra.others.push(chunk.to_stored());
        }
    }
    if rra.structures.is_empty() {
        return Err(fault::no_structures(bytes, &container));
    }
    rra.findings.sort_by_key(|finding| finding.offset);
    Ok(rra)
}

/// The file that shows an image: every segment a structure, the root first; RADV's memory as its
/// exporter writes it, a geometry of HIPRT's moved behind a header. A single BLAS gets a TLAS for
/// the viewer ([`shown`]).
///
/// # Errors
/// When a segment is not a structure that the viewer opens: see [`behind_header()`] for images
/// without headers.
pub fn write(image: &Image) -> Result<Vec<u8>, WriteError> {
    let header = image.segments.first().and_then(survey::Structure::of_segment);
    let mut structures = match header.and_then(|structure| structure.header) {
        Some(survey::Header::Radv(_)) => radv::export(image)?,
        Some(survey::Header::Hiprt(_)) => {
            let moved = behind_header(image, METADATA_BYTES.into());
            vec![structure::of_segment(&moved.map_err(WriteError::Hiprt)?)?]
        }
        _ => image.segments.iter().map(structure::of_segment).collect::<Result<_, _>>()?,
    };
    if let [blas] = structures.as_slice()
        && blas.level == Level::Blas
        && let Some(tlas) = shown::tlas_for_viewer(blas)
    {
        structures.push(structure::of_segment(&tlas)?);
    }
    let others = vec![ApiInfo::VULKAN.to_chunk()];
    Ok(Rra { magic: Magic::Rdf, structures, others, findings: Vec::new() }.to_bytes())
}

impl Rra {
    /// Puts the file together again: other chunks as they were stored, then the structures,
    /// uncompressed and with whole headers.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let structures = self.structures.iter().map(Structure::to_chunk);
        let chunks: Vec<StoredChunk> = self.others.iter().cloned().chain(structures).collect();
        container::write(self.magic, &chunks)
    }

    /// The API that the file was captured from, if it says so.
    #[must_use]
    pub fn api(&self) -> Option<ApiInfo> {
        self.others.iter().find_map(ApiInfo::of_chunk)
    }

    /// The card that the file was captured on, if it says so.
    #[must_use]
    pub fn asic(&self) -> Option<AsicInfo> {
        self.others.iter().find_map(AsicInfo::of_chunk)
    }
}
