//! Dumps of RADV's memory on RDNA2 and RDNA3: what [`bvh4::dump`] finds in a file, as an image.
//!
//! | file | concept |
//! |---|---|
//! | [`signs`] | what tells the generations apart |

pub mod signs;

use crate::format::Bvh4;
use crate::structure::{Structure, Survey};
use crate::{Generation, Writer};
use bvh4::dump::gamma::{self, Geometries, Nodes, RootSummary};
use bvh4::dump::memory::{self, Extent};
use bvh4::dump::{Reader, Stored, Width, open, serialized};
use bvh4::image::outline::outline;
use bvh4::layout::{Bvh4Pointer, Fp32BoxNode, RadvHeader, parent_slot_address};
use bvh4::rra::fault::Field;
use geometry::Aabb;
use machine::bits::NodeBits;
use machine::{Finding, Image, ImageFile, PrimitiveRef, ReadError, Segment, Severity};
use signs::Told;

/// Opacity, the part of cull flags that RADV writes.
const OPACITY: u8 = 0b11;

/// Which generation wrote the memory in a file; `None` if it is no dump of 4-wide nodes.
#[must_use]
pub fn generation(bytes: &[u8]) -> Option<Told> {
    let (width, areas) = node_areas(bytes)?;
    (width == Width::Four).then(|| Told::by(&areas))
}

/// Whether a file is a dump, of whatever nodes.
pub(crate) fn is_file(bytes: &[u8]) -> bool {
    gamma::is_file(bytes)
        || RadvHeader::of_bytes(bytes).is_some()
        || serialized::start_of(bytes).is_some()
}

/// The nodes of the structures of a dump, and how many children they have.
fn node_areas(bytes: &[u8]) -> Option<(Width, Vec<&[u8]>)> {
    if gamma::is_file(bytes) {
        let (width, areas) = gamma::node_areas(bytes);
        return Some((width?, areas));
    }
    let is_memory = RadvHeader::of_bytes(bytes).is_some();
    let start = if is_memory { 0 } else { serialized::start_of(bytes)? };
    let memory = &bytes[start..];
    let width = Width::of_structure(memory, &RadvHeader::of_bytes(memory)?);
    let places = memory::places(memory, |_, bytes| Extent::of_radv(bytes));
    let areas = places.into_iter().filter_map(|(range, _)| {
        let structure = &memory[range];
        structure.get(RadvHeader::of_bytes(structure)?.bvh_offset as usize..)
    });
    Some((width, areas.collect()))
}

/// The image of structure `number` of a dump, as [`open`] chooses it.
///
/// # Errors
/// When the file is broken, or there is no such structure.
pub(crate) fn read<const GFX11: bool>(
    bytes: &[u8],
    number: Option<usize>,
) -> Result<ImageFile, ReadError> {
    let reader = Reader { image_of: image_of::<GFX11>, outline: outline::<Structure> };
    let (structures, mut findings) = if gamma::is_file(bytes) {
        let nodes =
            Nodes { least_before: |_| RadvHeader::BYTES, root: root_summary, restore: put_parents };
        gamma::structures(bytes, &nodes)?
    } else {
        (stored(bytes), Vec::new())
    };
    findings.extend(doubt(bytes, Bvh4::<GFX11>::GENERATION));
    Ok(ImageFile { findings, ..open(structures, number, &reader)? })
}

/// The structures of raw memory, or the one that was serialized.
fn stored(bytes: &[u8]) -> Vec<Stored> {
    match serialized::structure(bytes) {
        Some(structure) if RadvHeader::of_bytes(bytes).is_none() => vec![structure],
        _ => memory::structures(bytes, |_, bytes| Extent::of_radv(bytes)),
    }
}

/// The file of RADV's memory that Mesa writes; `None` if a structure has no header of RADV's.
pub(crate) fn write_gamma(image: &Image) -> Option<Vec<u8>> {
    gamma::write(image, Width::Four, |segment, header| {
        if !header.is_blas() {
            return Some(vec![u32::try_from(header.primitive_count).ok()?]);
        }
        let alone = outline::<Structure>(&image_of::<false>(vec![segment.clone()]));
        let most = alone.primitives.len();
        let mut counts = vec![0; most.min(header.geometry_count as usize)];
        for PrimitiveRef { geometry, .. } in &alone.primitives {
            *counts.get_mut(*geometry as usize)? += 1;
        }
        Some(counts)
    })
}

/// The image of memory that starts with RADV's header.
fn image_of<const GFX11: bool>(segments: Vec<Segment>) -> Image {
    let header = segments.first().and_then(|first| RadvHeader::of_bytes(first.bytes()));
    let start = segments.first().map_or(0, |first| first.address);
    let base = start.wrapping_add(header.map_or(0, |header| header.bvh_offset.into()));
    let bases = vec![base, base, Writer::Radv.code()];
    Image { format: Bvh4::<GFX11>::NAME, segments, bases, root: Bvh4Pointer::ROOT.0.into() }
}

fn root_summary(node: &[u8]) -> RootSummary {
    let root = Fp32BoxNode::decode(&NodeBits::from_bytes(node));
    let used = (0..4).filter(|&slot| root.children[slot] != Bvh4Pointer::INVALID);
    let used: Vec<usize> = used.collect();
    let bounds = used.iter().fold(Aabb::EMPTY, |all, &slot| all.union(root.boxes[slot]));
    let flags = used.iter().fold(OPACITY, |all, &slot| all & root.flag_bytes[slot]);
    RootSummary { bounds, flags: if used.is_empty() { 0 } else { flags.into() } }
}

/// A dump has no table of parents: they follow from the children.
fn put_parents(segment: &mut Segment, _: &Geometries<'_>) {
    let image = image_of::<false>(vec![segment.clone()]);
    let base = image.bases[0];
    let survey = Survey::new(&image);
    let (top, start) = (&survey.structures[0], segment.address + RadvHeader::BYTES);
    let root = top.boxes.first().map(|root| (root.pointer, Bvh4Pointer::INVALID));
    let below = top.boxes.iter().flat_map(|record| {
        let children = top.children[record.children()].iter();
        children.map(|child| (top.pointer(child.target), record.pointer))
    });
    for (node, parent) in root.into_iter().chain(below) {
        let place = parent_slot_address(base, node, Writer::Radv.first_unit());
        let Some(place) = place.filter(|place| *place >= start) else { continue };
        let at = (place - segment.address) as usize;
        segment.bytes_mut()[at..at + 4].copy_from_slice(&parent.0.to_le_bytes());
    }
}

/// What is unsure about the generation that a dump is read as.
fn doubt(bytes: &[u8], own: Generation) -> Option<Finding> {
    let told = generation(bytes)?;
    let field = Field::new("dump of RADV's memory", 0, bytes.len() as u64);
    let other = Generation::ALL.into_iter().find(|other| *other != own)?;
    let option = |generation: Generation| match generation {
        Generation::Gfx10 => "--raw-format gfx10-bvh4",
        Generation::Gfx11 => "--raw-format gfx11-bvh4",
    };
    match told {
        Told::Is(generation) if generation == own => None,
        Told::Is(_) => {
            let found = format!("what RADV writes on {}", other.name());
            let expected = format!("memory of {}, or {}", own.name(), option(other));
            Some(field.finding(Severity::Warning, "generation", found, expected))
        }
        Told::Unsure => {
            let found = "nothing that RDNA2 and RDNA3 write differently";
            let expected = format!("{}; {} if it is that", option(own), option(other));
            Some(field.finding(Severity::Note, "generation", found, expected))
        }
    }
}
