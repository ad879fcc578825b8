//! Primitives and instances that a driver's header or list has, and no box leads to.

use super::decode::leaf_node;
use super::dialect::{Dialect, HeaderKind, StoredHeader};
use super::{Findings, Rule};
use crate::layout::pointer::{NODE_BYTES, UNIT_BYTES};
use crate::layout::{Bvh4Pointer, GpurtHeader, RadvHeader};
use crate::survey::{Memory, Surveyed};
use machine::bits::Bits;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Compares what was given to a build with what can be reached.
pub(super) fn check<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    stored: &StoredHeader,
    header: &[u8],
    findings: &mut Findings,
) {
    let mut lost = Lost { memory, surveyed, findings };
    match stored.kind {
        HeaderKind::Radv => {
            lost.in_slots(stored.bytes.start, &RadvHeader::decode(&Bits::from_bytes(header)))
        }
        HeaderKind::Gpurt => lost.in_list(&GpurtHeader::decode(&Bits::from_bytes(header))),
        // It counts and lists what it reaches.
        HeaderKind::RadvFile => (),
    }
}

struct Lost<'a, 'm, D: Dialect> {
    memory: &'a Memory<'m>,
    surveyed: &'a Surveyed<D>,
    findings: &'a mut Findings,
}

impl<D: Dialect> Lost<'_, '_, D> {
    fn add(&mut self, address: u64, bits: Range<u32>, found: String, expected: &str) {
        let place = || format!("structure at {:#x}", self.surveyed.structure.base());
        self.findings.add_at(Rule::LostPrimitive, self.memory, address, bits, || {
            [found, expected.to_owned(), place()]
        });
    }

    /// Where the leaves that can be reached lie.
    fn reached(&self) -> BTreeSet<u64> {
        let leaves = self.surveyed.leaves.iter().map(|leaf| leaf.pointer);
        let instances = self.surveyed.instances.iter().map(|instance| instance.pointer);
        leaves.chain(instances).map(|it| self.surveyed.structure.address_of(it)).collect()
    }

    /// RADV has a place for each primitive, in order.
    fn in_slots(&mut self, start: u64, header: &RadvHeader) {
        let first = start.saturating_add(header.leaf_offset);
        let room = self.memory.get(first, 1).map_or(0, |_| self.rest(first) / UNIT_BYTES);
        let is_there = header.leaf_offset == u64::from(header.bvh_offset) + NODE_BYTES;
        if header.primitive_count > room || !is_there {
            return;
        }
        if !self.surveyed.instances.is_empty() {
            return self.of_nodes(start, first, header);
        }
        let mut kinds = self.surveyed.leaves.iter().map(|leaf| leaf.pointer.kind());
        let kind = kinds.next();
        if kinds.all(|other| Some(other) == kind) {
            self.in_order(first);
        }
        let mut next = 0;
        let ends = [first + UNIT_BYTES * header.primitive_count];
        let reached = self.reached();
        for &address in reached.range(first..ends[0]).chain(&ends) {
            let slot = (address - first) / UNIT_BYTES;
            if slot > next {
                let bits = RadvHeader::primitive_count.bits();
                let expected = "all that the header counts in boxes, unless inactive";
                self.add(start, bits, numbers("primitive", next..slot), expected);
            }
            next = slot + 1;
        }
    }

    /// A node that was written for an active instance knows its place, and leads to a structure.
    fn of_nodes(&mut self, start: u64, first: u64, header: &RadvHeader) {
        let (structure, reached) = (self.surveyed.structure, self.reached());
        let room = self.rest(first) / NODE_BYTES;
        let places = (first..).step_by(NODE_BYTES as usize).take(room as usize);
        for (number, address) in (0..header.primitive_count).zip(places) {
            let offset = address.saturating_sub(structure.base());
            let pointer = Bvh4Pointer::new(offset, 6).filter(|_| !reached.contains(&address));
            let node = pointer.and_then(|pointer| structure.instance(self.memory, pointer));
            let is_active = node.is_some_and(|node| {
                node.mask != 0
                    && node.index.map(u64::from) == Some(number)
                    && node.below.header(self.memory).is_some()
            });
            if is_active {
                let bits = RadvHeader::primitive_count.bits();
                let expected = "all whose nodes are written in boxes, unless inactive";
                self.add(start, bits, format!("instance {number} in no box"), expected);
            }
        }
    }

    /// Where RADV places a primitive: as many leaves behind the first of its geometry as its id.
    /// Copies of primitives that spatial splits put into several leaves stand behind all.
    fn in_order(&mut self, origin: u64) {
        let leaves = (0..self.surveyed.leaves.len()).filter_map(|leaf| {
            let id = leaf_node(self.memory, self.surveyed, leaf)?.all().first()?.id;
            let pointer = self.surveyed.leaves[leaf].pointer;
            Some((self.surveyed.structure.address_of(pointer), id.geometry, id.primitive))
        });
        let mut leaves: Vec<(u64, u32, u32)> = leaves.collect();
        leaves.sort_unstable();
        // The geometry of the leaf before, its first place, and the place behind that leaf.
        let mut before = (0, 0, 0);
        let mut seen = HashMap::new();
        for (address, geometry, primitive) in leaves {
            let vertices = self.memory.get(address, 36);
            let first = seen.entry((geometry, primitive)).or_insert((address, vertices));
            if first.0 != address && first.1 == vertices {
                continue;
            }
            let slot = address.saturating_sub(origin) / UNIT_BYTES;
            let start = slot.checked_sub(primitive.into());
            let follows = start.is_some_and(|start| match geometry.cmp(&before.0) {
                Ordering::Less => false,
                Ordering::Equal => start == before.1,
                Ordering::Greater => start >= before.2,
            });
            if !follows {
                self.findings.add_at(Rule::PrimitiveId, self.memory, address, 384..448, || {
                    let found = format!("geometry {geometry}, primitive {primitive}");
                    let place = format!("leaf {slot} at address {address:#x}");
                    [found, "the primitive of the leaf's place".into(), place]
                });
            }
            before = (geometry, start.unwrap_or(before.1), slot + 1);
        }
    }

    /// GPURT lists the node of each.
    fn in_list(&mut self, header: &GpurtHeader) {
        let structure = self.surveyed.structure;
        let list = structure.base() + u64::from(header.primitive_pointer_offset);
        let bytes = 4 * header.primitive_count as usize;
        let Some(pointers) = self.memory.get(list, bytes) else { return };
        let reached = self.reached();
        let listed = pointers.chunks_exact(4).enumerate().map(|(number, bytes)| {
            let word = u32::from_le_bytes(std::array::from_fn(|k| bytes[k]));
            (list + 4 * number as u64, Bvh4Pointer(word))
        });
        for (place, pointer) in listed.filter(|(_, it)| *it != Bvh4Pointer::INVALID) {
            if !reached.contains(&structure.address_of(pointer)) {
                let found = format!("{pointer}, a node in no box");
                self.add(place, 0..32, found, "a leaf of the tree, or 0xffffffff");
            }
        }
    }

    /// Bytes from an address to the end of its segment.
    fn rest(&self, address: u64) -> u64 {
        let segment = self.memory.segment_of(address).map(|it| &self.memory.segments()[it]);
        segment.map_or(0, |it| (it.address + it.bytes().len() as u64).saturating_sub(address))
    }
}

fn numbers(what: &str, lost: Range<u64>) -> String {
    match lost.end - lost.start {
        1 => format!("{what} {} in no box", lost.start),
        _ => format!("{what}s {}..={} in no box", lost.start, lost.end - 1),
    }
}
