//! Primitives and their ids: whether ids tell primitives apart, whether all that a build was given
//! is there, and whether lists name the leaves that hold it.

use super::decode::{leaf_node, stored_numbers};
use super::dialect::{Dialect, HeaderKind, Shape};
use super::{Findings, Rule};
use crate::layout::pointer::NODE_BYTES;
use crate::layout::{Bvh4Pointer, GeometryInfo, GpurtHeader};
use crate::survey::{Memory, Surveyed};
use machine::bits::Bits;
use std::ops::Range;

/// Where every writer has ids and what goes with them.
const ID_BITS: Range<u32> = 384..512;

/// Checks the ids of a structure, and the list of GPURT's header.
pub(super) fn check<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    findings: &mut Findings,
) {
    if !surveyed.structure.has_geometries() {
        return;
    }
    let header = surveyed.structure.header(memory);
    let gpurt = header.as_ref().filter(|it| it.kind == HeaderKind::Gpurt);
    let gpurt = gpurt.and_then(|it| memory.node(it.bytes.start));
    let gpurt = gpurt.map(|bits| GpurtHeader::decode(&bits));
    let mut check = IdCheck { memory, surveyed, findings };
    if !surveyed.instances.is_empty() {
        let is_radv = header.is_some_and(|it| it.kind == HeaderKind::Radv);
        return check.instances(gpurt.as_ref(), is_radv);
    }
    let mut held = references(memory, surveyed);
    held.sort_by_key(|it| (it.geometry, it.primitive, it.pointer));
    check.copies(&held);
    check.opacity(&held);
    match (gpurt, header.map(|it| it.kind)) {
        (Some(gpurt), _) => check.listed(&gpurt, &held),
        // RADV has a place for each.
        (None, Some(HeaderKind::Radv)) => (),
        // What was given is not told: only holes are known, where most ids are there.
        (None, _) => {
            for own in held.chunk_by(|a, b| a.geometry == b.geometry) {
                let address = surveyed.structure.base();
                let there = own.chunk_by(|a, b| a.primitive == b.primitive).count() as u64;
                if highest(own) <= 2 * there {
                    check.holes(own, highest(own), address, 0..0, |_| false);
                }
            }
        }
    }
}

/// A primitive, as a pointer reaches it.
struct Reference {
    geometry: u32,
    primitive: u32,
    pointer: Bvh4Pointer,
    is_opaque: bool,
    /// What two primitives share if they are one.
    bits: [[u32; 3]; 3],
}

fn references<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>) -> Vec<Reference> {
    let mut all = Vec::with_capacity(surveyed.leaves.len());
    for (number, leaf) in surveyed.leaves.iter().enumerate() {
        let Some(node) = leaf_node(memory, surveyed, number) else { continue };
        for (which, stored) in node.all().iter().enumerate() {
            let is_first_of_two = which == 0 && node.count == 2;
            let bits = match stored.shape {
                Shape::Triangle(triangle) => triangle.to_bits(),
                // A copy has the planes of another slot.
                Shape::Box(_) if !surveyed.structure.keeps_procedural_boxes() => [[0; 3]; 3],
                Shape::Box(bounds) => [bounds.min, bounds.max, bounds.max]
                    .map(|corner| corner.to_array().map(f32::to_bits)),
            };
            all.push(Reference {
                geometry: stored.id.geometry,
                primitive: stored.id.primitive,
                pointer: if is_first_of_two { leaf.pointer.partner() } else { leaf.pointer },
                is_opaque: stored.is_opaque(),
                bits,
            });
        }
    }
    all
}

/// One more than the highest id.
fn highest(own: &[Reference]) -> u64 {
    own.last().map_or(0, |it| u64::from(it.primitive) + 1)
}

struct IdCheck<'a, 'm, D: Dialect> {
    memory: &'a Memory<'m>,
    surveyed: &'a Surveyed<D>,
    findings: &'a mut Findings,
}

impl<D: Dialect> IdCheck<'_, '_, D> {
    fn add(&mut self, rule: Rule, address: u64, bits: Range<u32>, texts: [String; 3]) {
        self.findings.add_at(rule, self.memory, address, bits, || texts);
    }

    fn address_of(&self, pointer: Bvh4Pointer) -> u64 {
        self.surveyed.structure.address_of(pointer)
    }

    /// Primitives that share their ids are one, in several leaves.
    fn copies(&mut self, held: &[Reference]) {
        let is_same =
            |a: &Reference, b: &Reference| (a.geometry, a.primitive) == (b.geometry, b.primitive);
        for same in held.chunk_by(is_same) {
            let [first, others @ ..] = same else { continue };
            let differs =
                |it: &&Reference| (it.bits, it.is_opaque) != (first.bits, first.is_opaque);
            for other in others.iter().filter(differs) {
                let Reference { geometry, primitive, pointer, .. } = other;
                let found = format!("geometry {geometry}, primitive {primitive} again");
                let expected = format!("the primitive that leaf {} holds", first.pointer);
                let texts = [found, expected, format!("leaf {pointer}")];
                self.add(Rule::PrimitiveId, self.address_of(*pointer), ID_BITS, texts);
            }
        }
    }

    /// A geometry is opaque or not; the rarer of both is wrong.
    fn opacity(&mut self, held: &[Reference]) {
        for own in held.chunk_by(|a, b| a.geometry == b.geometry) {
            let opaque = own.iter().filter(|it| it.is_opaque).count();
            let rarer = 2 * opaque <= own.len();
            let odd = own.iter().filter(|it| it.is_opaque == rarer && opaque != own.len());
            for it in odd {
                let name = |is_opaque| if is_opaque { "opaque" } else { "not opaque" };
                let geometry = it.geometry;
                let expected = format!("{}, as most of geometry {geometry}", name(!rarer));
                let texts = [name(rarer).to_owned(), expected, format!("leaf {}", it.pointer)];
                self.add(Rule::Opacity, self.address_of(it.pointer), ID_BITS, texts);
            }
        }
    }

    /// The geometries of GPURT's header, and the leaf that its list has for each primitive.
    fn listed(&mut self, header: &GpurtHeader, held: &[Reference]) {
        let base = self.surveyed.structure.base();
        let start = base + u64::from(header.geometry_info_offset);
        let bytes = (header.descriptor_count as usize).checked_mul(12);
        let infos = bytes.and_then(|bytes| self.memory.get(start, bytes)).unwrap_or(&[]);
        let place = || "geometry infos".to_owned();
        if let Some(last) = held.last().filter(|it| it.geometry >= header.descriptor_count) {
            let expected = format!("more than {}, a geometry that some leaf names", last.geometry);
            let texts = [header.descriptor_count.to_string(), expected, place()];
            self.add(Rule::DriverHeader, base, GpurtHeader::descriptor_count.bits(), texts);
        }
        let mut given = 0;
        for (geometry, bytes) in (0u32..).zip(infos.chunks_exact(12)) {
            let info = GeometryInfo::decode(&Bits::from_bytes(bytes));
            given += u64::from(info.primitive_count);
            let own = &held[held.partition_point(|it| it.geometry < geometry)..];
            let own = &own[..own.partition_point(|it| it.geometry == geometry)];
            let list = base + u64::from(header.primitive_pointer_offset);
            let list = list + u64::from(info.primitive_pointer_offset);
            self.geometry(&info, own, start + 12 * u64::from(geometry), list);
        }
        if given != u64::from(header.primitive_count) {
            let expected = format!("{given}, as the geometries have");
            let texts = [header.primitive_count.to_string(), expected, place()];
            self.add(Rule::DriverHeader, base, GpurtHeader::primitive_count.bits(), texts);
        }
    }

    /// A geometry whose count stands at `address`, and whose pointers begin at `list`.
    fn geometry(&mut self, info: &GeometryInfo, own: &[Reference], address: u64, list: u64) {
        let count = u64::from(info.primitive_count);
        let bits = GeometryInfo::primitive_count.bits();
        let has_copies = own.windows(2).any(|two| two[0].primitive == two[1].primitive);
        let is_told = match has_copies {
            // The list then has them, too.
            true => count == own.len() as u64,
            false => count >= highest(own),
        };
        if !is_told {
            let expected = match has_copies {
                true => format!("{}, as leaves hold them", own.len()),
                false => format!("{} at least, for a leaf has the last", highest(own)),
            };
            let texts = [format!("{count} primitives"), expected, "geometry info".into()];
            self.add(Rule::DriverHeader, address, bits.clone(), texts);
        }
        if has_copies {
            return self.holes(own, highest(own), address, bits, |_| false);
        }
        let memory = self.memory;
        let entry = |primitive: u64| {
            let word = memory.get(list.saturating_add(4 * primitive), 4)?;
            Some(Bvh4Pointer(u32::from_le_bytes([word[0], word[1], word[2], word[3]])))
        };
        let is_meant = |primitive| entry(primitive) == Some(Bvh4Pointer::INVALID);
        self.holes(own, count, address, bits, is_meant);
        for it in own.iter().filter(|it| u64::from(it.primitive) < count) {
            let found = entry(it.primitive.into());
            if found != Some(it.pointer) {
                let found = found.map_or("no memory".into(), |pointer| pointer.to_string());
                let expected = format!("{}, which holds primitive {}", it.pointer, it.primitive);
                let place = list + 4 * u64::from(it.primitive);
                let texts = [found, expected, "list of leaves".into()];
                self.add(Rule::DriverHeader, place, 0..32, texts);
            }
        }
    }

    /// Ids below `count` that no leaf has, unless somebody means that.
    fn holes(
        &mut self,
        own: &[Reference],
        count: u64,
        address: u64,
        bits: Range<u32>,
        is_meant: impl Fn(u64) -> bool,
    ) {
        let mut next = 0;
        let ids = own.iter().map(|it| u64::from(it.primitive)).filter(|&id| id < count);
        for id in ids.chain([count]) {
            let mut lost = next..id;
            next = id + 1;
            let Some(first) = lost.find(|&id| !is_meant(id)) else { continue };
            let last = lost.rev().find(|&id| !is_meant(id)).unwrap_or(first);
            let texts = [
                match first == last {
                    true => format!("primitive {first} in no leaf"),
                    false => format!("primitives {first}..={last} in no leaf"),
                },
                format!("all {count} in leaves, unless inactive"),
                own.first().map_or("geometry".into(), |it| format!("geometry {}", it.geometry)),
            ];
            self.add(Rule::LostPrimitive, address, bits.clone(), texts);
        }
    }

    /// Each instance lies where GPURT's list has it, or where RADV places it.
    fn instances(&mut self, gpurt: Option<&GpurtHeader>, is_radv: bool) {
        let Some(numbers) = stored_numbers(self.memory, self.surveyed) else { return };
        let base = self.surveyed.structure.base();
        let pointers = self.surveyed.instances.iter().map(|instance| instance.pointer);
        let gpurt = gpurt.filter(|it| !it.has_rebraid());
        // Where some have no node, the list is shorter.
        let is_whole = |it: &&GpurtHeader| numbers.iter().all(|&n| n < it.primitive_count);
        for (&number, pointer) in numbers.iter().zip(pointers) {
            let (place, found, expected) = if let Some(header) = gpurt.filter(is_whole) {
                let list = base + u64::from(header.primitive_pointer_offset);
                let place = list + 4 * u64::from(number);
                let word = self.memory.get(place, 4);
                let word = word.map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                (place, word.map(Bvh4Pointer), pointer)
            } else if is_radv {
                // Behind the root, in the order of the application.
                let slot = u64::from(number) + 1;
                let expected = Bvh4Pointer((NODE_BYTES / 8 * slot) as u32 | 6);
                (self.address_of(pointer), Some(pointer), expected)
            } else {
                return;
            };
            if found != Some(expected) {
                let found = found.map_or("no memory".into(), |pointer| pointer.to_string());
                let texts = [found, expected.to_string(), format!("place of instance {number}")];
                self.add(Rule::DriverHeader, place, 0..32, texts);
            }
        }
    }
}
