//! What a driver's header says of its structure, and whether that is so.

use super::contents::Held;
use super::decode::leaf_node;
use super::dialect::{Dialect, HeaderKind, StoredHeader};
use super::{Findings, Rule, box_text};
use crate::decode::bounds::union;
use crate::layout::{Bvh4Kind, Bvh4Pointer, CullFlags, GpurtHeader, RadvHeader};
use crate::survey::{Memory, Surveyed};
use geometry::Aabb;
use machine::bits::Bits;
use std::ops::Range;

/// Compares a header with what its structure holds.
pub(super) fn check<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    held: &Held,
    findings: &mut Findings,
) {
    let Some(header) = surveyed.structure.header(memory) else { return };
    let length = (header.bytes.end - header.bytes.start) as usize;
    let Some(bytes) = memory.get(header.bytes.start, length) else { return };
    let mut check = HeaderCheck { memory, surveyed, header: &header, findings };
    check.bounds(held);
    match header.kind {
        HeaderKind::Radv => check.radv(&RadvHeader::decode(&Bits::from_bytes(bytes)), held),
        HeaderKind::Gpurt | HeaderKind::RadvFile => {
            check.gpurt(&GpurtHeader::decode(&Bits::from_bytes(bytes)));
        }
    }
    super::lost::check(memory, surveyed, &header, bytes, findings);
}

struct HeaderCheck<'a, 'm, D: Dialect> {
    memory: &'a Memory<'m>,
    surveyed: &'a Surveyed<D>,
    header: &'a StoredHeader,
    findings: &'a mut Findings,
}

impl<D: Dialect> HeaderCheck<'_, '_, D> {
    fn add(&mut self, bits: Range<u32>, found: impl ToString, expected: impl ToString) {
        let base = self.surveyed.structure.base();
        let place = format!("header of the structure at address {base:#x}");
        let texts = [found.to_string(), expected.to_string(), place];
        let address = self.header.bytes.start;
        self.findings.add_at(Rule::DriverHeader, self.memory, address, bits, || texts);
    }

    /// Bounds hold everything, and reach no farther than the root's boxes.
    fn bounds(&mut self, held: &Held) {
        let structure = &self.surveyed.structure;
        let (Some(place), Some(bounds)) =
            (self.header.bounds, structure.header_bounds(self.memory))
        else {
            return;
        };
        if held.bounds.is_empty() {
            return;
        }
        let root = structure.four_boxes(self.memory, structure.root());
        let slots = root.iter().flat_map(|root| root.children.iter().zip(root.boxes));
        let used = slots.filter(|(child, _)| **child != Bvh4Pointer::INVALID);
        let widest = used.fold(Aabb::EMPTY, |all, (_, slot)| union(all, slot));
        // What is known of instances in the world is up to rounding.
        let is_top = !self.surveyed.instances.is_empty();
        let holds = is_top || bounds.contains(&held.bounds);
        if !holds || !widest.contains(&bounds) {
            let start = (place - self.header.bytes.start) as u32 * 8;
            let expected = format!(
                "all of {}, and no more than {}",
                box_text(&held.bounds),
                box_text(&widest)
            );
            self.add(start..start + 192, box_text(&bounds), expected);
        }
    }

    fn radv(&mut self, header: &RadvHeader, held: &Held) {
        let claimed = CullFlags::from_bits_truncate(header.root_flags as u8);
        let truth = held.cull_flags.unwrap_or(CullFlags::all());
        if !truth.contains(claimed) {
            let expected = format!("at most {truth:?}");
            self.add(RadvHeader::root_flags.bits(), format!("{claimed:?}"), expected);
        }
        let leaves = self.surveyed.leaves.len().max(self.surveyed.instances.len()) as u64;
        if header.primitive_count < leaves {
            let expected = format!("{leaves} at least, which can be reached");
            self.add(RadvHeader::primitive_count.bits(), header.primitive_count, expected);
        }
        for (bits, found, expected) in header.contradictions() {
            self.add(bits, found, expected);
        }
        self.radv_kind(header);
        let structure = &self.surveyed.structure;
        let ends = self.surveyed.pointers().map(|pointer| {
            structure.address_of(pointer).saturating_add(pointer.node_bytes() as u64)
        });
        let end = ends.max().unwrap_or(0).saturating_sub(self.header.bytes.start);
        if header.compacted_size < end {
            let expected = format!("{end:#x} at least, where the last node ends");
            let found = format!("{:#x}", header.compacted_size);
            self.add(RadvHeader::compacted_size.bits(), found, expected);
        }
    }

    /// Leaves are of the kind that the header tells, and of geometries that it counts.
    fn radv_kind(&mut self, header: &RadvHeader) {
        let numbers = (0..self.surveyed.leaves.len())
            .filter_map(|leaf| leaf_node(self.memory, self.surveyed, leaf))
            .flat_map(|node| node.all().iter().map(|it| it.id.geometry).collect::<Vec<_>>());
        if let Some(highest) = numbers.max().filter(|it| *it >= header.geometry_count) {
            let expected = format!("more than {highest}, a geometry that some leaf names");
            self.add(RadvHeader::geometry_count.bits(), header.geometry_count, expected);
        }
        let leaf = self.surveyed.leaves.first().map(|leaf| leaf.pointer.kind());
        let held = match leaf {
            _ if !self.surveyed.instances.is_empty() => Some((2, "instances")),
            Some(Bvh4Kind::User) => Some((1, "boxes")),
            Some(_) => Some((0, "triangles")),
            None => None,
        };
        let is_mixed = self.surveyed.leaves.iter().any(|it| Some(it.pointer.kind()) != leaf);
        if let Some((kind, name)) = held.filter(|(kind, _)| *kind != header.geometry_type)
            && !is_mixed
        {
            let expected = format!("{kind}: the structure holds {name}");
            self.add(RadvHeader::geometry_type.bits(), header.geometry_type, expected);
        }
    }

    fn gpurt(&mut self, header: &GpurtHeader) {
        let boxes = |kind| {
            let of_kind = self.surveyed.boxes.iter().filter(|it| it.pointer.kind() == kind);
            of_kind.count() as u32
        };
        let leaves = self.surveyed.leaves.len().max(self.surveyed.instances.len()) as u32;
        let counts = [
            (
                &GpurtHeader::internal_fp32_count,
                header.internal_fp32_count,
                boxes(Bvh4Kind::Fp32Box),
            ),
            (
                &GpurtHeader::internal_fp16_count,
                header.internal_fp16_count,
                boxes(Bvh4Kind::HalfBox),
            ),
            (&GpurtHeader::leaf_node_count, header.leaf_node_count, leaves),
        ];
        for (field, found, reached) in counts {
            if found < reached {
                let expected = format!("{reached} at least, which can be reached");
                self.add(field.bits(), found, expected);
            }
        }
    }
}
