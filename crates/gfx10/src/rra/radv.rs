//! RADV's exporter: its memory as the structures of a file.
//!
//! Every structure is written anew, depth first and slot by slot: boxes packed from the root on,
//! leaf nodes behind all boxes; then the infos of geometries and one pointer for each leaf, those
//! of a geometry side by side. Metadata is 128 bytes and the table of parents, without padding, so
//! that the header lies 128 bytes behind the address of the structure. Instances name that place,
//! without flags. Triangles and procedurals have GPURT's places with RADV's geometry word; a
//! procedural gets the planes of its slot. The level is 2 whatever the generation.
//!
//! Where a structure would reach into the next one, as memory that was packed tightly does, the
//! next one moves. The flags of a geometry, which memory does not have unless it was traced, say
//! whether all of its primitives are opaque. Source: Mesa's `radv_rra.c` and `radv_rra_gfx10_3.c`.

use super::structure;
use crate::layout::{
    GpurtInstanceNode, ProceduralNode, RadvInstanceNode, RadvProceduralNode, RadvTriangleNode,
};
use crate::structure::{RADV_FILE_VERSION, RTIP_LEVELS, Survey, Surveyed};
use bvh4::image::Dialect;
use bvh4::layout::base_pointer::ADDRESS_MASK;
use bvh4::layout::pointer::UNIT_BYTES;
use bvh4::layout::{
    BasePointer, Bvh4Kind, Bvh4Pointer, Fp16BoxNode, Fp32BoxNode, GeometryInfo, GpurtHeader,
    RadvHeader, parent_slot_address,
};
use bvh4::rra::Structure;
use bvh4::survey::Memory;
use geometry::Aabb;
use machine::bits::{Bits, HalfNodeBits, NodeBits};
use machine::{EncodeError, Image, Segment};
use std::collections::BTreeMap;

const METADATA_BYTES: u64 = 128;
/// Bytes that RADV counts for a header; offsets count as if it had 128.
const SHORT_HEADER_BYTES: u32 = 120;
const HEADER_BYTES: u64 = 128;
const GEOMETRY_INFO_BYTES: usize = 12;
/// The units before the root.
const FIRST_UNIT: u32 = 2;
const OPAQUE: u8 = 8;

/// The structures of a file, for an image that is RADV's memory.
///
/// # Errors
/// When a structure has no header, or a geometry that its header does not count.
pub(super) fn export(image: &Image, survey: &Survey) -> Result<Vec<Structure>, EncodeError> {
    let memory = Memory::new(image);
    let wholes = survey.structures.iter().filter(|surveyed| !surveyed.is_part);
    let drafts: Vec<Draft<'_>> =
        wholes.map(|surveyed| Draft::new(&memory, surveyed)).collect::<Result<_, _>>()?;
    let mut order: Vec<&Draft<'_>> = drafts.iter().collect();
    order.sort_by_key(|draft| draft.address);
    let mut bases = BTreeMap::new();
    let mut next = 0;
    for draft in order {
        let base = (draft.address + METADATA_BYTES)
            .max(next + METADATA_BYTES + draft.table_bytes())
            .next_multiple_of(UNIT_BYTES);
        bases.insert(draft.surveyed.structure.base, base);
        next = (base + draft.offsets()[3] as u64).next_multiple_of(UNIT_BYTES);
    }
    drafts.iter().map(|draft| draft.finish(&bases)).collect()
}

/// A structure whose nodes have new places.
struct Draft<'a> {
    memory: &'a Memory<'a>,
    surveyed: &'a Surveyed,
    address: u64,
    header: RadvHeader,
    nodes: Vec<Placed>,
    /// Bytes of boxes, and of leaves.
    sizes: [u64; 2],
    /// The leaves of each geometry, and whether all are opaque.
    geometries: Vec<(Vec<Bvh4Pointer>, bool)>,
}

/// A node: where it was, where it is, and which slot of which node leads to it.
#[derive(Clone, Copy)]
struct Placed {
    from: Bvh4Pointer,
    /// Counted from the first box or leaf.
    offset: u64,
    above: Option<(usize, usize)>,
    bounds: Aabb,
}

impl<'a> Draft<'a> {
    fn new(memory: &'a Memory<'a>, surveyed: &'a Surveyed) -> Result<Self, EncodeError> {
        let base = surveyed.structure.base;
        let header = memory
            .radv_header(base)
            .ok_or_else(|| format!("no header of RADV's leads to the nodes at {base:#x}"))?;
        let address = base - u64::from(header.bvh_offset);
        // A header cannot ask for more than a list as long as its nodes.
        let most = surveyed.leaves.len().max(surveyed.instances.len()).max(1);
        let geometries = (header.geometry_count as usize).min(most.max(1 << 16));
        let mut draft = Self {
            memory,
            surveyed,
            address,
            header,
            nodes: Vec::new(),
            sizes: [0; 2],
            geometries: vec![(Vec::new(), true); geometries],
        };
        draft.place();
        draft.list()?;
        Ok(draft)
    }

    /// Gives every node its place, depth first.
    fn place(&mut self) {
        let structure = &self.surveyed.structure;
        let mut open = vec![(structure.root, None, Aabb::EMPTY)];
        while let Some((from, above, bounds)) = open.pop() {
            let is_box = is_box(from);
            let size = &mut self.sizes[usize::from(!is_box)];
            let (number, offset) = (self.nodes.len(), *size);
            *size += from.node_bytes() as u64;
            self.nodes.push(Placed { from, offset, above, bounds });
            if !is_box {
                continue;
            }
            let Some(boxes) = structure.four_boxes(self.memory, from) else { continue };
            let slots = boxes.children.into_iter().zip(boxes.boxes).enumerate();
            let used = slots.filter(|(_, (child, _))| *child != Bvh4Pointer::INVALID);
            let children =
                used.map(|(slot, (child, bounds))| (child, Some((number, slot)), bounds));
            open.extend(children.collect::<Vec<_>>().into_iter().rev());
        }
    }

    /// Lists the leaves of each geometry.
    fn list(&mut self) -> Result<(), EncodeError> {
        for placed in self.nodes.iter().filter(|placed| !is_box(placed.from)) {
            let (geometry, is_opaque) = self.geometry(placed.from);
            let count = self.geometries.len();
            let Some((leaves, all_opaque)) = self.geometries.get_mut(geometry as usize) else {
                return Err(format!(
                    "node {} is of geometry {geometry}, of which its structure has {count}",
                    placed.from
                )
                .into());
            };
            leaves.push(moved(placed, self.sizes[0]));
            *all_opaque &= is_opaque;
        }
        Ok(())
    }

    /// The geometry of a leaf, and whether the leaf is opaque.
    fn geometry(&self, leaf: Bvh4Pointer) -> (u32, bool) {
        let word = match leaf.kind() {
            Bvh4Kind::Instance => return (0, false),
            Bvh4Kind::User => {
                let node = RadvProceduralNode::decode(&self.half(leaf));
                (node.geometry_id, node.geometry_flags)
            }
            _ => {
                let node = RadvTriangleNode::decode(&self.half(leaf));
                (node.geometry_id, node.geometry_flags)
            }
        };
        (word.0, word.1 & OPAQUE != 0)
    }

    fn half(&self, pointer: Bvh4Pointer) -> HalfNodeBits {
        self.surveyed.node(self.memory, pointer)
    }

    fn whole(&self, pointer: Bvh4Pointer) -> NodeBits {
        self.surveyed.node(self.memory, pointer)
    }

    fn table_bytes(&self) -> u64 {
        4 * ((self.sizes[0] + self.sizes[1]) / UNIT_BYTES)
    }

    fn leaf_count(&self) -> usize {
        self.geometries.iter().map(|(leaves, _)| leaves.len()).sum()
    }

    /// Offsets of leaves, of what is behind them, of node pointers, and the end.
    fn offsets(&self) -> [usize; 4] {
        let leaves = HEADER_BYTES + self.sizes[0];
        let infos = leaves + self.sizes[1];
        let info_bytes = match self.header.is_blas() {
            true => GEOMETRY_INFO_BYTES * self.geometries.len(),
            false => 0,
        };
        let pointers = infos as usize + info_bytes;
        [leaves as usize, infos as usize, pointers, pointers + 4 * self.leaf_count()]
    }

    fn finish(&self, bases: &BTreeMap<u64, u64>) -> Result<Structure, EncodeError> {
        let [_, infos, pointers, end] = self.offsets();
        let base = bases.get(&self.surveyed.structure.base).copied().unwrap_or_default();
        let mut segment = Segment::zeroed(base, end);
        let bytes = segment.bytes_mut();
        self.file_header().encode().write_bytes(&mut bytes[..HEADER_BYTES as usize]);
        let before = METADATA_BYTES + self.table_bytes();
        let mut metadata = vec![0; before as usize];
        let start = base.wrapping_sub(before) & ADDRESS_MASK;
        metadata[..8].copy_from_slice(&start.to_le_bytes());
        let size = SHORT_HEADER_BYTES + (self.sizes[0] + self.sizes[1]) as u32;
        metadata[8..12].copy_from_slice(&size.to_le_bytes());
        let pointer_of = |number: usize| moved(&self.nodes[number], self.sizes[0]);
        for (number, placed) in self.nodes.iter().enumerate() {
            let pointer = pointer_of(number);
            let out = &mut bytes[pointer.byte_offset() as usize..];
            self.write_node(placed, bases, out);
            let parent = placed.above.map_or(Bvh4Pointer::INVALID, |(above, _)| pointer_of(above));
            if let Some(slot) = parent_slot_address(before, pointer, FIRST_UNIT) {
                let slot = slot as usize;
                metadata[slot..slot + 4].copy_from_slice(&parent.0.to_le_bytes());
            }
        }
        // The parents of children are known by now, and so are the children of parents.
        for (number, placed) in self.nodes.iter().enumerate() {
            if let Some((above, slot)) = placed.above {
                let at = pointer_of(above).byte_offset() as usize + 4 * slot;
                bytes[at..at + 4].copy_from_slice(&pointer_of(number).0.to_le_bytes());
            }
        }
        let mut first = 0;
        let listed = bytes[infos..pointers].chunks_exact_mut(GEOMETRY_INFO_BYTES);
        for (out, (leaves, all_opaque)) in listed.zip(&self.geometries) {
            let info = GeometryInfo {
                primitive_count: leaves.len() as u32,
                flags: u8::from(*all_opaque && !leaves.is_empty()),
                unknown: 0,
                primitive_pointer_offset: 4 * first,
            };
            info.encode().write_bytes(out);
            first += leaves.len() as u32;
        }
        let all = self.geometries.iter().flat_map(|(leaves, _)| leaves);
        for (out, leaf) in bytes[pointers..].chunks_exact_mut(4).zip(all) {
            out.copy_from_slice(&leaf.0.to_le_bytes());
        }
        structure(segment, metadata)
    }

    /// Writes a node; the children of a box are not known yet.
    fn write_node(&self, placed: &Placed, bases: &BTreeMap<u64, u64>, out: &mut [u8]) {
        let from = placed.from;
        let children = [Bvh4Pointer::INVALID; 4];
        match from.kind() {
            Bvh4Kind::Fp32Box => {
                let node = Fp32BoxNode::decode(&self.whole(from));
                let (flag_bytes, primitive_count, unused) = ([0; 4], 0, [0; 2]);
                Fp32BoxNode { children, flag_bytes, primitive_count, unused, ..node }
                    .encode()
                    .write_bytes(&mut out[..128]);
            }
            Bvh4Kind::HalfBox => {
                let node = Fp16BoxNode { children, ..Fp16BoxNode::decode(&self.half(from)) };
                node.encode().write_bytes(&mut out[..64]);
            }
            Bvh4Kind::Instance => {
                let node = RadvInstanceNode::decode(&self.whole(from));
                let below = node.child_base.address();
                let below = bases.get(&below).copied().unwrap_or(below);
                let written = GpurtInstanceNode {
                    world_to_object: node.world_to_object,
                    instance_id: node.custom_index,
                    mask: node.mask,
                    sbt_offset: node.sbt_offset,
                    api_flags: node.radv_flags,
                    child_base: BasePointer(below >> 3),
                    instance_index: node.instance_index,
                    child_root: Bvh4Pointer(0),
                    metadata_size: METADATA_BYTES as u32,
                    reserved: 0,
                    object_to_world: node.object_to_world,
                };
                written.encode().write_bytes(&mut out[..128]);
            }
            Bvh4Kind::User => {
                let node = RadvProceduralNode::decode(&self.half(from));
                let bits = ProceduralNode {
                    bounds: placed.bounds,
                    undefined: [0; 6],
                    geometry_id: 0,
                    geometry_flags: 0,
                    file_primitive_id: node.primitive_id,
                    primitive_id: 0,
                    undefined_word: 0,
                }
                .encode();
                with_geometry(bits, node.geometry_id, node.geometry_flags)
                    .write_bytes(&mut out[..64]);
            }
            _ => {
                let node = RadvTriangleNode::decode(&self.half(from));
                let mut words = [0; 16];
                for (vertex, place) in node.vertices.iter().zip(words.chunks_exact_mut(3)) {
                    place.copy_from_slice(&vertex.to_array().map(f32::to_bits));
                }
                (words[13], words[15]) = (node.primitive_id, node.id_word);
                let bits = HalfNodeBits::from_words(words);
                with_geometry(bits, node.geometry_id, node.geometry_flags)
                    .write_bytes(&mut out[..64]);
            }
        }
    }

    fn file_header(&self) -> GpurtHeader {
        let [leaves, infos, pointers, _] = self.offsets().map(|offset| offset as u32);
        let count = self.leaf_count() as u32;
        let boxes = |kind| self.surveyed.boxes.iter().filter(move |it| it.pointer.kind() == kind);
        let metadata_size = (METADATA_BYTES + self.table_bytes()) as u32;
        let nodes = (self.sizes[0] + self.sizes[1]) as u32;
        GpurtHeader {
            info: u32::from(self.header.is_blas()) | self.header.build_flags << 16,
            metadata_size,
            total_size: metadata_size + SHORT_HEADER_BYTES + nodes,
            primitive_count: count,
            active_primitive_count: count,
            descriptor_count: self.header.geometry_count,
            geometry_type: self.header.geometry_type,
            internal_node_offset: HEADER_BYTES as u32,
            leaf_node_offset: leaves,
            geometry_info_offset: infos,
            primitive_pointer_offset: pointers,
            internal_fp32_count: boxes(Bvh4Kind::Fp32Box).count() as u32,
            internal_fp16_count: boxes(Bvh4Kind::HalfBox).count() as u32,
            leaf_node_count: count,
            version: RADV_FILE_VERSION,
            rt_ip_level: RTIP_LEVELS[0],
            ..GpurtHeader::decode(&Bits::ZERO)
        }
    }
}

/// RADV's geometry word: 28 bits of id, four flags.
fn with_geometry(bits: HalfNodeBits, geometry: u32, flags: u8) -> HalfNodeBits {
    let mut words = *bits.words();
    words[12] = geometry & 0x0FFF_FFFF | u32::from(flags) << 28;
    HalfNodeBits::from_words(words)
}

fn is_box(pointer: Bvh4Pointer) -> bool {
    matches!(pointer.kind(), Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box)
}

/// The pointer to a node at its new place; boxes take so many bytes.
fn moved(placed: &Placed, box_bytes: u64) -> Bvh4Pointer {
    let start = HEADER_BYTES + if is_box(placed.from) { 0 } else { box_bytes };
    Bvh4Pointer(((start + placed.offset) >> 3) as u32 | u32::from(placed.from.node_type()))
}
