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
        self.add_of(Rule::DriverHeader, bits, found, expected);
    }

    fn add_of(
        &mut self,
        rule: Rule,
        bits: Range<u32>,
        found: impl ToString,
        expected: impl ToString,
    ) {
        let base = self.surveyed.structure.base();
        let place = format!("header of the structure at address {base:#x}");
        let texts = [found.to_string(), expected.to_string(), place];
        let address = self.header.bytes.start;
        self.findings.add_at(rule, self.memory, address, bits, || texts);
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
        let size = header.compacted_size;
        self.size(RadvHeader::compacted_size.bits(), size);
        let start = self.header.bytes.start;
        let segment = self.memory.segment_of(start).map(|it| &self.memory.segments()[it]);
        let room = segment.map_or(0, |it| it.address + it.bytes().len() as u64 - start);
        if size > room {
            let expected = format!("{room:#x} at most, which memory has");
            let bits = RadvHeader::compacted_size.bits();
            self.add_of(Rule::AllocatedSize, bits, format!("{size:#x}"), expected);
        }
    }

    /// The size that a header states, from its first byte on, holds all nodes.
    fn size(&mut self, bits: Range<u32>, stated: u64) {
        let structure = &self.surveyed.structure;
        let ends = self.surveyed.pointers().map(|pointer| {
            structure.address_of(pointer).saturating_add(pointer.node_bytes() as u64)
        });
        let end = ends.max().unwrap_or(0).saturating_sub(self.header.bytes.start);
        if stated < end {
            let expected = format!("{end:#x} at least, where the last node ends");
            self.add_of(Rule::AllocatedSize, bits, format!("{stated:#x}"), expected);
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
        self.kind(header.geometry_type, RadvHeader::geometry_type.bits());
    }

    /// Leaves of one kind are what a header says that all are.
    fn kind(&mut self, told: u32, bits: Range<u32>) {
        let leaf = self.surveyed.leaves.first().map(|leaf| leaf.pointer.kind());
        let held = match leaf {
            _ if !self.surveyed.instances.is_empty() => Some((2, "instances")),
            Some(Bvh4Kind::User) => Some((1, "boxes")),
            Some(_) => Some((0, "triangles")),
            None => None,
        };
        let is_box = |kind| kind == Some(Bvh4Kind::User);
        let mut kinds = self.surveyed.leaves.iter().map(|it| Some(it.pointer.kind()));
        let is_mixed = kinds.any(|kind| is_box(kind) != is_box(leaf));
        if let Some((kind, name)) = held.filter(|(kind, _)| *kind != told)
            && !is_mixed
        {
            self.add(bits, told, format!("{kind}: the structure holds {name}"));
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
            let is_exact = field.bits().start < GpurtHeader::leaf_node_count.bits().start
                && self.header.kind == HeaderKind::Gpurt;
            if found < reached || is_exact && found != reached {
                let expected = match is_exact {
                    true => format!("{reached}, which can be reached"),
                    false => format!("{reached} at least, which can be reached"),
                };
                self.add(field.bits(), found, expected);
            }
        }
        if self.header.kind == HeaderKind::Gpurt {
            let size = header.total_size.saturating_sub(header.metadata_size);
            self.size(GpurtHeader::total_size.bits(), size.into());
            self.gpurt_counts(header);
            self.gpurt_offsets(header);
        }
    }

    fn gpurt_counts(&mut self, header: &GpurtHeader) {
        let is_blas = self.surveyed.instances.is_empty();
        if header.is_blas() != is_blas && self.surveyed.pointers().nth(1).is_some() {
            let names = ["a TLAS", "a BLAS"];
            let [found, expected] = [header.is_blas(), is_blas].map(|it| names[usize::from(it)]);
            self.add(0..1, found, expected);
        }
        if is_blas {
            self.kind(header.geometry_type, GpurtHeader::geometry_type.bits());
        }
        let of_leaf = |leaf| leaf_node(self.memory, self.surveyed, leaf).map_or(0, |it| it.count);
        let primitives: usize = (0..self.surveyed.leaves.len()).map(of_leaf).sum();
        let reached = primitives.max(self.surveyed.instances.len()) as u32;
        let active = header.active_primitive_count;
        if !(reached..=header.primitive_count.max(reached)).contains(&active) {
            let expected =
                format!("{reached}, which can be reached, to {}", header.primitive_count);
            self.add(GpurtHeader::active_primitive_count.bits(), active, expected);
        }
    }

    /// Boxes, leaves, infos of geometries and the list of leaves lie one behind another.
    fn gpurt_offsets(&mut self, header: &GpurtHeader) {
        let is_box =
            |pointer: &Bvh4Pointer| matches!(pointer.kind(), Bvh4Kind::Fp32Box | Bvh4Kind::HalfBox);
        let ends = |kind: bool| {
            let own = self.surveyed.pointers().filter(|it| is_box(it) == kind);
            own.fold([u64::MAX, 0], |[start, end], it| {
                let offset = it.byte_offset();
                [start.min(offset), end.max(offset + it.node_bytes() as u64)]
            })
        };
        let ([first_box, last_box], [first_leaf, last_leaf]) = (ends(true), ends(false));
        let [internal, leaf, infos, list, size] = [
            header.internal_node_offset,
            header.leaf_node_offset,
            header.geometry_info_offset,
            header.primitive_pointer_offset,
            header.total_size.saturating_sub(header.metadata_size),
        ]
        .map(u64::from);
        let is_blas = self.surveyed.instances.is_empty();
        let infos_end = infos + 12 * u64::from(header.descriptor_count);
        let list_start = if is_blas { infos_end } else { last_leaf };
        let list_end = list + 4 * u64::from(header.primitive_count);
        let holds = [
            (&GpurtHeader::internal_node_offset, internal, 0..=first_box, "boxes begin"),
            (&GpurtHeader::leaf_node_offset, leaf, last_box..=first_leaf, "leaves begin"),
            (&GpurtHeader::geometry_info_offset, infos, last_leaf..=u64::MAX, "leaves end"),
            (&GpurtHeader::primitive_pointer_offset, list, list_start..=u64::MAX, "infos end"),
            (&GpurtHeader::total_size, size, list_end..=u64::MAX, "the list of leaves ends"),
        ];
        for (field, found, range, what) in holds {
            let is_asked = is_blas || field.bits() != GpurtHeader::geometry_info_offset.bits();
            if is_asked && !range.contains(&found) {
                let end = if *range.end() == u64::MAX { range.start() } else { range.end() };
                let expected = format!("{end:#x}, where {what}, or with room between");
                self.add(field.bits(), format!("{found:#x}"), expected);
            }
        }
    }
}
