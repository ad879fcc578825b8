//! Files that hold images: `.rra` captures and raw memory.
//!
//! An `.rra` file names its structures itself, and so does siliray's own file for images of the
//! uncompressed format, a container of the same kind. Raw memory does not: its layout has to be given.
//! The file is then mapped at address 0, so that addresses are file offsets.

use gfx12::rra::container::Magic;
use gfx12::rra::{self, FilePlace, Opened, Rra, RraError};
use gfx12::uncompressed::file::{self as dual_file, File as DualFile};
use machine::{CheckReport, CheckedImage, Finding, Image, Segment};
use scene::{FileError, read_file};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tree::Tree;
use xphmg::Precision;

/// What is in raw memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLayout {
    /// The format.
    pub format: RawFormat,
    /// Where box nodes count from.
    pub base: u64,
    /// Where other nodes count from; the same if there is one base only.
    pub primitive_base: Option<u64>,
    /// The first node's pointer.
    pub root: u32,
}

/// Formats that raw memory can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawFormat {
    /// Compressed 8-wide nodes.
    Gfx12,
    /// Uncompressed 4-wide nodes, which the dual instruction reads.
    Gfx12Bvh4x2,
}

impl RawFormat {
    /// The name used in options and images.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gfx12 => "gfx12",
            Self::Gfx12Bvh4x2 => "gfx12-bvh4x2",
        }
    }
}

/// An image, with the way back to its file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageFile {
    /// The image.
    pub image: Image,
    /// Where each segment comes from.
    pub places: Vec<FilePlace>,
    /// What is odd about the file around the image.
    pub findings: Vec<Finding>,
    /// The structures of a container, by number; empty for raw memory.
    pub structures: Vec<StructureSummary>,
    /// Which structure the image starts in.
    pub structure: usize,
}

/// One structure of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureSummary {
    /// "TLAS" or "BLAS".
    pub level: &'static str,
    /// Where it lies in memory.
    pub address: u64,
    /// Where it lies in the file.
    pub offset: u64,
    /// Its bytes, from the header or the parent table on.
    pub bytes: usize,
    /// Primitives or instances, as its header says.
    pub primitives: u32,
    /// Box nodes and leaf nodes, as its header says.
    pub nodes: [u32; 2],
}

/// Why a file holds no image.
#[derive(Debug, thiserror::Error)]
pub enum ImageFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// A container has no structure of that number.
    #[error("{}: found no structure {number}, expected {}", path.display(), valid_numbers(*count))]
    NoStructure {
        /// The file.
        path: PathBuf,
        /// The number that was asked for.
        number: usize,
        /// How many structures there are.
        count: usize,
    },
    /// The file is broken.
    #[error("{}: {error}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        error: Box<RraError>,
    },
}

/// Whether a file is a container of structures, by its first bytes. A pipe is not asked: what is read from it is gone.
#[must_use]
pub fn is_container(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut start = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let own = [ttu::tb12::directory::MAGIC, *xphmg::tiles::header::MAGIC];
    read.is_ok() && (Magic::of(&start).is_some() || own.contains(&start))
}

/// Opens an image: raw memory if a layout is given, else a structure of a container. Without a number,
/// the largest TLAS is chosen, or the largest BLAS if there is none.
///
/// # Errors
/// When the file cannot be read, or is broken.
pub fn open(
    path: &Path,
    raw: Option<&RawLayout>,
    structure: Option<usize>,
) -> Result<ImageFile, ImageFileError> {
    let bytes = read_file(path)?;
    if let Some(layout) = raw {
        return Ok(open_raw(&bytes, layout));
    }
    if bytes.starts_with(&ttu::tb12::directory::MAGIC) {
        return Ok(open_blocks(&bytes));
    }
    if bytes.starts_with(xphmg::tiles::header::MAGIC) {
        return Ok(open_whole(xphmg::tiles::header::image_of_file(&bytes)));
    }
    let broken = |error| ImageFileError::Broken { path: path.to_owned(), error: Box::new(error) };
    let missing = |count| ImageFileError::NoStructure {
        path: path.to_owned(),
        number: structure.unwrap_or(0),
        count,
    };
    if let Some(file) = dual_file::read(&bytes).map_err(broken)? {
        let count = file.structures.len();
        return open_dual(file, structure.unwrap_or(0)).ok_or_else(|| missing(count));
    }
    let rra = rra::read(&bytes).map_err(broken)?;
    let count = rra.structures.len();
    if structure.is_some_and(|number| number >= count) {
        return Err(missing(count));
    }
    open_rra(&rra, structure).map_err(broken)
}

/// The tree of a proved image, whichever format it has.
#[must_use]
pub fn decode(image: &CheckedImage) -> Tree {
    match image.image().format {
        gfx12::uncompressed::NAME => gfx12::uncompressed::decode::decode(image),
        ttu::tb12::NAME => ttu::tb12::decode::decode(image),
        format if is_tiles(format) => xphmg::tiles::decode::decode(image),
        _ => gfx12::decode::decode(image),
    }
}

/// Whether a format is one of XPHMG_RT's.
fn is_tiles(format: &str) -> bool {
    Precision::ALL.iter().any(|precision| precision.name() == format)
}

fn valid_numbers(count: usize) -> String {
    match count {
        0 => "a file with structures".to_owned(),
        1 => "0, the only one".to_owned(),
        _ => format!("0 to {}", count - 1),
    }
}

fn open_raw(bytes: &[u8], layout: &RawLayout) -> ImageFile {
    let bases = vec![layout.base, layout.primitive_base.unwrap_or(layout.base)];
    open_whole(Image {
        format: layout.format.name(),
        segments: vec![Segment::new(0, bytes)],
        bases,
        root: u64::from(layout.root),
    })
}

/// A file of blocks is the image as it is.
fn open_blocks(bytes: &[u8]) -> ImageFile {
    open_whole(Image {
        format: ttu::tb12::NAME,
        segments: vec![Segment::new(0, bytes)],
        bases: vec![0],
        root: 0,
    })
}

/// A file that is one segment and nothing else.
fn open_whole(image: Image) -> ImageFile {
    ImageFile {
        image,
        places: vec![FilePlace::whole_file()],
        findings: Vec::new(),
        structures: Vec::new(),
        structure: 0,
    }
}

fn open_rra(rra: &Rra, structure: Option<usize>) -> Result<ImageFile, RraError> {
    let opened = rra.open(structure)?;
    let summary = |structure: &rra::Structure| {
        let header = structure.header();
        StructureSummary {
            level: structure.level.name(),
            address: structure.segment.address,
            offset: structure.place.offset(0),
            bytes: structure.segment.bytes().len(),
            primitives: header.primitive_count,
            nodes: [header.internal_fp32_count, header.leaf_node_count],
        }
    };
    let structures = rra.structures.iter().map(summary).collect();
    Ok(ImageFile::new(opened, rra.findings.clone(), structures))
}

fn open_dual(file: DualFile, structure: usize) -> Option<ImageFile> {
    let summary = |stored: &dual_file::StoredStructure| StructureSummary {
        level: stored.level.name(),
        address: stored.segment.address,
        offset: stored.place.offset(0),
        bytes: stored.segment.bytes().len(),
        primitives: stored.primitive_count,
        nodes: [stored.box_count, stored.leaf_count],
    };
    let structures = file.structures.iter().map(summary).collect();
    Some(ImageFile::new(file.open(structure)?, Vec::new(), structures))
}

impl ImageFile {
    fn new(opened: Opened, mut findings: Vec<Finding>, structures: Vec<StructureSummary>) -> Self {
        let Opened { image, places, structure, findings: others } = opened;
        findings.extend(others);
        Self { image, places, findings, structures, structure }
    }

    /// The file offset of an address; `None` if no segment holds it.
    #[must_use]
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let (segment, place) = self.segment_of(address)?;
        Some(place.offset(address - segment.address))
    }

    /// The place in words of an address in compressed or named memory.
    #[must_use]
    pub fn describe(&self, address: u64) -> Option<String> {
        let (segment, place) = self.segment_of(address)?;
        Some(place.describe(address - segment.address))
    }

    fn segment_of(&self, address: u64) -> Option<(&Segment, &FilePlace)> {
        let mut both = self.image.segments.iter().zip(&self.places);
        both.find(|(segment, _)| segment.get(address, 1).is_some())
    }

    /// Proves the image. Findings have the offsets of the file, and those about the file around the
    /// image are among them.
    #[must_use]
    pub fn check(mut self) -> CheckReport {
        let around = std::mem::take(&mut self.findings);
        let mut report = self.check_image();
        report.findings.extend(around);
        report.findings.sort_by_key(Finding::report_order);
        report
    }

    /// Proves the image, whatever the file around it is like.
    #[must_use]
    pub fn check_image(self) -> CheckReport {
        let lengths: Vec<u64> =
            self.image.segments.iter().map(|segment| segment.bytes().len() as u64).collect();
        let mut report = match self.image.format {
            gfx12::uncompressed::NAME => gfx12::uncompressed::check::check(self.image),
            ttu::tb12::NAME => ttu::tb12::check::check(self.image),
            format if is_tiles(format) => xphmg::tiles::check::check(self.image),
            _ => gfx12::check::check(self.image),
        };
        for finding in &mut report.findings {
            to_file(finding, &lengths, &self.places);
        }
        report
    }
}

/// Turns an offset over all segments into one of the file.
fn to_file(finding: &mut Finding, lengths: &[u64], places: &[FilePlace]) {
    let mut byte = finding.offset;
    for (&length, place) in lengths.iter().zip(places) {
        if byte < length {
            finding.offset = place.offset(byte);
            let chunk = place.describe(byte);
            if !chunk.is_empty() {
                finding.place = format!("{chunk}: {}", finding.place);
            }
            return;
        }
        byte -= length;
    }
}
