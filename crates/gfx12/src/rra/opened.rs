//! From a file to an image, and from bytes of the image back to the file.

use super::fault::Field;
use super::shown::is_for_viewer;
use super::{Level, Rra, RraError, Structure};
use crate::layout::NodePointer;
use crate::survey;
use machine::{FilePlace, Finding, Image, Segment, Severity};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// An image out of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The image: the chosen structure first, then the BLASes that it may refer to.
    pub image: Image,
    /// Where each segment comes from.
    pub places: Vec<FilePlace>,
    /// The number of the chosen structure.
    pub structure: usize,
    /// Structures that could not be part of the image.
    pub findings: Vec<Finding>,
}

impl Rra {
    /// The image of structure `number`; without a number, of the largest TLAS, or of the largest
    /// BLAS if there is no TLAS but one for the viewer.
    ///
    /// # Errors
    /// When there is no such structure.
    pub fn open(&self, number: Option<usize>) -> Result<Opened, RraError> {
        let chosen = number.unwrap_or_else(|| self.main_structure());
        let Some(root) = self.structures.get(chosen) else {
            let field = Field::new("index: structures", 16, 16);
            let found = format!("no structure {chosen}");
            let expected = format!("a number below {}", self.structures.len());
            return Err(field.error("structure_number", found, expected));
        };
        let base = root.segment.address;
        let mut opened = Opened {
            image: Image {
                format: "gfx12",
                segments: vec![root.segment.clone()],
                bases: vec![base, base],
                root: u64::from(NodePointer::ROOT_BEHIND_HEADER.0),
            },
            places: vec![root.place.clone()],
            structure: chosen,
            findings: Vec::new(),
        };
        if root.level == Level::Tlas {
            let mut taken = BTreeMap::from([(base, (end_of(&root.segment), 0))]);
            for blas in self.structures.iter().filter(|other| other.level == Level::Blas) {
                opened.add(blas, &mut taken);
            }
        }
        Ok(opened)
    }

    /// The largest TLAS, or else the largest BLAS; the first of equals.
    fn main_structure(&self) -> usize {
        let size = |structure: &Structure| {
            let is_top = structure.level == Level::Tlas;
            (is_top && !is_for_viewer(structure), !is_top, structure.header().primitive_count)
        };
        let numbered = self.structures.iter().enumerate().rev();
        numbered.max_by_key(|(_, structure)| size(structure)).map_or(0, |(number, _)| number)
    }
}

/// Memory in use: where it starts, where it ends, and which segment uses it.
type Taken = BTreeMap<u64, (u64, usize)>;

impl Opened {
    /// Adds a BLAS, unless its memory is taken: a capture may hold structures of several
    /// frames.
    fn add(&mut self, blas: &Structure, taken: &mut Taken) {
        let (start, len) = (blas.segment.address, blas.segment.bytes().len());
        let mut segment = blas.segment.clone();
        // Only the last segment that starts before this one's end can reach into it.
        while let Some((other_start, other)) = last_in(taken, start, end_of(&segment)) {
            let is_cut = match other_start.cmp(&start) {
                Ordering::Less => cut_list(&mut self.image.segments[other], start),
                Ordering::Greater => cut_list(&mut segment, other_start),
                Ordering::Equal => false,
            };
            let severity = if is_cut { Severity::Note } else { Severity::Warning };
            let place = format!("{}: address", blas.place.chunk);
            let field = Field::new(place, blas.place.offset(0), len as u64);
            let found = format!("{len:#x} bytes at address {start:#x}");
            let expected = format!("memory that {} does not use", self.places[other].chunk);
            self.findings.push(field.finding(severity, "structure_overlap", found, expected));
            if !is_cut {
                return;
            }
            taken.insert(other_start, (end_of(&self.image.segments[other]), other));
        }
        taken.insert(start, (end_of(&segment), self.places.len()));
        self.image.segments.push(segment);
        self.places.push(blas.place.clone());
    }
}

/// The last segment that uses memory from `start` to `end`, and where it starts.
fn last_in(taken: &Taken, start: u64, end: u64) -> Option<(u64, usize)> {
    let (&other_start, &(other_end, other)) = taken.range(..end).next_back()?;
    (other_end > start).then_some((other_start, other))
}

/// Cuts a structure of RADV's before an address, if nothing but its empty list of node pointers
/// lies behind. RADV dumps tables that memory does not hold, at addresses as close to each other
/// as in memory (G-44).
fn cut_list(segment: &mut Segment, address: u64) -> bool {
    let structure = survey::Structure::of_segment(segment).filter(survey::Structure::is_radv);
    let header = structure.as_ref().and_then(survey::Structure::gpurt);
    let (kept, cut) = segment.bytes().split_at((address - segment.address) as usize);
    let list = header.map_or(usize::MAX, |header| header.primitive_pointer_offset as usize);
    if kept.len() < list || cut.iter().any(|&byte| byte != 0) {
        return false;
    }
    *segment = Segment::new(segment.address, kept);
    true
}

fn end_of(segment: &Segment) -> u64 {
    segment.address.saturating_add(segment.bytes().len() as u64)
}
