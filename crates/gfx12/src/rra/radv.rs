//! RADV's exporter: its memory as the structures of a file (G-44).
//!
//! Every structure is written anew: boxes from the root down, the boxes below one side by side;
//! primitive and instance nodes likewise, behind all boxes; then one sideband record for each
//! instance, in the order in which the nodes are met, or the geometry infos; then zeros where the
//! node pointers belong. Parents are written, the slots in them are not. A node that two boxes lead
//! to is copied for each. The child bases of instances lead to the new headers; the boxes in them
//! stay as they are, and return 0x05 although the root is 0x15 now.
//!
//! RADV leaves range lengths as they were, so that a pair that two boxes share is looked for in the
//! wrong node; here they lead to the copy.
//!
//! Source: Mesa's `radv_rra.c` and `radv_rra_gfx12.c`.

use super::structure::WriteError;
use super::{Level, Structure};
use crate::decode::Memory;
use crate::encode::MEMORY_ALIGNMENT;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::{
    BOX_TYPE, BasePointer, Bits, BoxNode, GeometryInfo, GpurtHeader, GpurtSideband, InstanceNode,
    NODE_BYTES, NodeBits, NodeKind, NodePointer, PrimitiveNode, RTIP_3_1, RadvGeometryInfo,
    RadvHeader, RadvInstanceData,
};
use crate::survey::{self, Header, RADV_FILE_VERSION, is_empty_slot};
use bvh4::rra::structure::{METADATA_BYTES, RADV_CHUNK_VERSION, USED_METADATA_BYTES};
use machine::{FilePlace, Image, Segment};
use std::collections::BTreeMap;

/// Bytes that RADV counts for the header of a structure.
const SHORT_HEADER_BYTES: u32 = 120;
const SIDEBAND_BYTES: usize = 64;
const GEOMETRY_INFO_BYTES: usize = 12;

/// The structures of a file, for an image that is RADV's memory.
///
/// # Errors
/// When a structure is no tree.
pub(super) fn export(image: &Image) -> Result<Vec<Structure>, WriteError> {
    let memory = Memory::new(image);
    let mut drafts = Vec::new();
    for segment in &image.segments {
        let Some(structure) = survey::Structure::of_segment(segment) else { continue };
        let Some(Header::Radv(header)) = structure.header else { continue };
        drafts.push((segment.address, Draft::new(&memory, structure, header)?));
    }
    // With tables behind its nodes a structure may need more room than it had.
    let mut bases = BTreeMap::new();
    let mut next = 0;
    for (address, draft) in &drafts {
        let base = next.max(*address) + u64::from(METADATA_BYTES);
        bases.insert(draft.from.box_base, base);
        next = (base + draft.offsets()[3] as u64).next_multiple_of(MEMORY_ALIGNMENT);
    }
    Ok(drafts.iter().map(|(_, draft)| draft.finish(&bases)).collect())
}

/// A structure whose nodes have their order, but no places yet.
struct Draft<'a> {
    memory: &'a Memory<'a>,
    from: survey::Structure,
    header: RadvHeader,
    boxes: Vec<DraftBox>,
    leaves: Vec<Leaf>,
    sidebands: Vec<GpurtSideband>,
    geometries: Vec<GeometryInfo>,
}

/// A box, its parent, and which boxes and leaves come first below it.
#[derive(Clone, Copy)]
struct DraftBox {
    node: BoxNode,
    parent: Option<usize>,
    first_box: usize,
    first_leaf: usize,
}

/// A leaf node, and the box above it.
#[derive(Clone, Copy)]
struct Leaf {
    bits: NodeBits,
    is_instance: bool,
    parent: usize,
}

/// A node on the way: where it was, its new number, and that of the box above it.
#[derive(Clone, Copy)]
struct Waiting {
    from: NodePointer,
    number: usize,
    parent: Option<usize>,
}

impl<'a> Draft<'a> {
    fn new(
        memory: &'a Memory<'a>,
        from: survey::Structure,
        header: RadvHeader,
    ) -> Result<Self, WriteError> {
        let start = from.box_base - u64::from(header.bvh_offset);
        let geometries = geometries(memory, start, &header);
        let (boxes, leaves, sidebands) = (Vec::new(), Vec::new(), Vec::new());
        let mut draft = Self { memory, from, header, boxes, leaves, sidebands, geometries };
        let most = header.compacted_size / NODE_BYTES;
        let mut waiting = draft.number(&[NodePointer::ROOT], None);
        while let Some(next) = waiting.pop() {
            let bits = memory.node(from.address_of(next.from));
            let bits = bits.filter(|_| draft.boxes.len() as u64 <= most);
            let bits = bits.ok_or(WriteError::NotATree { address: start })?;
            match next.from.kind() {
                NodeKind::Box => {
                    let children = draft.add_box(&bits, next);
                    waiting.extend(draft.number(&children, Some(next.number)).into_iter().rev());
                }
                _ => draft.add_leaf(bits, next),
            }
        }
        Ok(draft)
    }

    /// Gives new numbers to nodes that lie below one box.
    fn number(&mut self, nodes: &[NodePointer], parent: Option<usize>) -> Vec<Waiting> {
        let nothing = DraftBox {
            node: BoxNode::decode(&NodeBits::ZERO),
            parent,
            first_box: 0,
            first_leaf: 0,
        };
        let leaf = Leaf { bits: NodeBits::ZERO, is_instance: false, parent: parent.unwrap_or(0) };
        let mut waiting = Vec::with_capacity(nodes.len());
        for &from in nodes {
            let number = if from.is_box() {
                self.boxes.push(nothing);
                self.boxes.len() - 1
            } else {
                self.leaves.push(leaf);
                self.leaves.len() - 1
            };
            waiting.push(Waiting { from, number, parent });
        }
        waiting
    }

    /// Copies a box; the nodes below it, in the order of its slots, each once.
    fn add_box(&mut self, bits: &NodeBits, place: Waiting) -> Vec<NodePointer> {
        let mut node = BoxNode::decode(bits);
        let pointers = node.child_pointers();
        let mut children: Vec<NodePointer> = Vec::new();
        let mut last_leaf: Option<usize> = None;
        for slot in 0..node.used_children().len() {
            let from = pointers[slot];
            if is_empty_slot(&node.children[slot]) {
                continue;
            }
            if from.is_box() {
                children.push(from);
                continue;
            }
            self.count(from);
            // Pairs of one node follow each other.
            let is_new = last_leaf.is_none_or(|last| pointers[last].0 >> 4 != from.0 >> 4);
            if let Some(last) = last_leaf.replace(slot) {
                node.children[last].range_length = u8::from(is_new);
            }
            node.children[slot].range_length = 1;
            if is_new {
                children.push(from);
            }
        }
        let (first_box, first_leaf) = (self.boxes.len(), self.leaves.len());
        self.boxes[place.number] = DraftBox { node, parent: place.parent, first_box, first_leaf };
        children
    }

    /// Counts what a slot leads to, as often as slots lead to it.
    fn count(&mut self, leaf: NodePointer) {
        let Some(bits) = self.memory.node(self.from.address_of(leaf)) else { return };
        let mut count = |geometry: u32| {
            if let Some(info) = self.geometries.get_mut(geometry as usize) {
                info.primitive_count += 1;
            }
        };
        if leaf.is_instance() {
            return count(0);
        }
        let (node, pair) = (PrimitiveNode::decode(&bits), usize::from(leaf.pair()));
        for (n, triangle) in node.pair(pair).triangles.iter().enumerate() {
            if triangle.indices != [0; 3] {
                count(node.geometry_id(2 * pair + n));
            }
        }
    }

    /// Copies a leaf, and what RADV keeps behind an instance.
    fn add_leaf(&mut self, bits: NodeBits, place: Waiting) {
        let is_instance = place.from.is_instance();
        self.leaves[place.number].bits = bits;
        self.leaves[place.number].is_instance = is_instance;
        let behind = self.memory.node(self.from.address_of(place.from) + NODE_BYTES);
        if let Some(behind) = behind.filter(|_| is_instance) {
            let data = RadvInstanceData::decode(&behind);
            self.sidebands.push(GpurtSideband {
                instance_index: data.instance_index,
                instance_id: data.custom_index & 0x00FF_FFFF,
                flags: 0,
                blas_metadata_size: USED_METADATA_BYTES,
                reserved: 0,
                object_to_world: data.object_to_world,
            });
        }
    }

    /// Offsets of leaves, of what is behind them, of node pointers, and the end.
    fn offsets(&self) -> [usize; 4] {
        let leaves = NODE_BYTES as usize * (1 + self.boxes.len());
        let records = leaves + NODE_BYTES as usize * self.leaves.len();
        let record_bytes = match self.header.is_blas() {
            true => GEOMETRY_INFO_BYTES * self.geometries.len(),
            false => SIDEBAND_BYTES * self.sidebands.len(),
        };
        let pointers = records + record_bytes;
        [leaves, records, pointers, pointers + 4 * self.primitive_count()]
    }

    fn primitive_count(&self) -> usize {
        self.geometries.iter().map(|info| info.primitive_count as usize).sum()
    }

    /// The structure at the address that its own base leads to.
    fn finish(&self, bases: &BTreeMap<u64, u64>) -> Structure {
        let [leaves, records, pointers, end] = self.offsets();
        let address = bases.get(&self.from.box_base).copied().unwrap_or_default();
        let mut segment = Segment::zeroed(address, end);
        let bytes = segment.bytes_mut();
        self.file_header().encode().write_bytes(bytes);
        let units = |offset: usize, number: usize| (offset + NODE_BYTES as usize * number) >> 3;
        let pointer = |number: usize| {
            NodePointer(units(NODE_BYTES as usize, number) as u32 | u32::from(BOX_TYPE))
        };
        let nodes = bytes[NODE_BYTES as usize..].chunks_exact_mut(NODE_BYTES as usize);
        for (out, &DraftBox { node, parent, first_box, first_leaf }) in nodes.zip(&self.boxes) {
            let moved = BoxNode {
                internal_base: pointer(first_box).0 & !0xF,
                primitive_base: units(leaves, first_leaf) as u32,
                parent: parent.map_or(NodePointer::INVALID, pointer),
                ..node
            };
            moved.encode().write_bytes(out);
        }
        let nodes = bytes[leaves..records].chunks_exact_mut(NODE_BYTES as usize);
        for (out, leaf) in nodes.zip(&self.leaves) {
            let mut bits = leaf.bits;
            if leaf.is_instance {
                let mut node = InstanceNode::decode(&bits);
                let below = self.from.below(self.memory, &node).box_base;
                let moved = bases.get(&below).copied().unwrap_or(below);
                node.child_base = BasePointer(moved >> 3).with_flags(node.child_base.flags());
                node.parent = pointer(leaf.parent);
                bits = node.encode();
            }
            bits.write_bytes(out);
        }
        let behind = &mut bytes[records..pointers];
        if self.header.is_blas() {
            let infos = behind.chunks_exact_mut(GEOMETRY_INFO_BYTES).zip(&self.geometries);
            let mut first = 0;
            for (out, info) in infos {
                let info = GeometryInfo { primitive_pointer_offset: 4 * first, ..*info };
                info.encode().write_bytes(out);
                first += info.primitive_count;
            }
        } else {
            let records = behind.chunks_exact_mut(SIDEBAND_BYTES).zip(&self.sidebands);
            records.for_each(|(out, record)| record.encode().write_bytes(out));
        }
        self.chunk(segment)
    }

    fn file_header(&self) -> GpurtHeader {
        let [leaves, records, pointers, _] = self.offsets();
        let (is_blas, primitives) = (self.header.is_blas(), self.primitive_count() as u32);
        GpurtHeader {
            info: u32::from(is_blas) | self.header.build_flags << 16,
            metadata_size: METADATA_BYTES,
            total_size: METADATA_BYTES + SHORT_HEADER_BYTES + (records as u32 - NODE_BYTES as u32),
            primitive_count: primitives,
            active_primitive_count: primitives,
            obb_metadata_offset: 0,
            descriptor_count: self.geometries.len() as u32,
            geometry_type: self.header.geometry_type,
            internal_node_offset: NODE_BYTES as u32,
            leaf_node_offset: leaves as u32,
            geometry_info_offset: records as u32,
            primitive_pointer_offset: pointers as u32,
            internal_fp32_count: self.boxes.len() as u32,
            internal_fp16_count: 0,
            leaf_node_count: primitives,
            version: RADV_FILE_VERSION,
            uuid: [0; 2],
            rt_ip_level: RTIP_3_1,
            root_min: [0.0; 3],
            root_max: [0.0; 3],
            info2: 0,
            packed_flags: 0,
            compacted_size: 0,
            padding: [0; 4],
        }
    }

    fn chunk(&self, segment: Segment) -> Structure {
        let start = segment.address.wrapping_sub(METADATA_BYTES.into()) & ADDRESS_MASK;
        let [_, records, ..] = self.offsets();
        let bytes = SHORT_HEADER_BYTES + (records as u32 - NODE_BYTES as u32);
        let mut metadata = vec![0; METADATA_BYTES as usize];
        metadata[..8].copy_from_slice(&start.to_le_bytes());
        metadata[8..12].copy_from_slice(&bytes.to_le_bytes());
        Structure {
            version: RADV_CHUNK_VERSION,
            level: if self.header.is_blas() { Level::Blas } else { Level::Tlas },
            metadata,
            metadata_size: USED_METADATA_BYTES,
            segment,
            place: FilePlace::default(),
        }
    }
}

/// What is known of each geometry before its primitives are counted.
fn geometries(memory: &Memory<'_>, start: u64, header: &RadvHeader) -> Vec<GeometryInfo> {
    let infos = (0..u64::from(header.geometry_count)).map_while(|number| {
        let at = start + RadvHeader::BYTES + RadvGeometryInfo::BYTES * number;
        let bytes = memory.get(at, RadvGeometryInfo::BYTES as usize)?;
        let flags = RadvGeometryInfo::decode(&Bits::from_bytes(bytes)).flags as u8 & 7;
        Some(GeometryInfo { primitive_count: 0, flags, unknown: 0, primitive_pointer_offset: 0 })
    });
    infos.collect()
}
