//! A raw structure, moved behind a header, so that it can stand in a file.
//!
//! HIPRT and RADV place the root at the base; HIPRT even keeps boxes and primitives apart, above
//! two bases. Here the boxes move to byte 128 behind a [`GpurtHeader`], the primitive nodes follow,
//! and bases and parents are rewritten. The structure counts as one geometry. HIPRT, which alone
//! has two bases, stores no geometry ids but other bits in their place: these become zeros. Nothing
//! else in a node changes.

use crate::layout::{
    BOX_TYPE, BoxNode, GeometryInfo, GpurtHeader, NODE_BYTES, NodeBits, NodePointer, PrimitiveNode,
    RTIP_3_1, type_of_pair,
};
use crate::outline::{outline, range_pairs};
use geometry::Aabb;
use machine::{EntryState, Image, Outline, OutlineEntry, Segment};
use std::collections::BTreeMap;
use std::ops::Range;

/// The bits of a primitive node that say how wide geometry ids are.
const GEOMETRY_WIDTHS: Range<usize> = 20..28;

/// Why a structure cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RebaseError {
    /// The root is no box.
    #[error("the root {0} is no box node in memory")]
    Root(NodePointer),
    /// A pointer leads nowhere or back.
    #[error("{pointer} at address {address:#x} {fault}")]
    Node {
        /// The pointer.
        pointer: NodePointer,
        /// Where it leads.
        address: u64,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// More bytes than offsets can count.
    #[error("{0} bytes of nodes, more than a header can describe")]
    TooLarge(u64),
}

/// The nodes of a single-level image, as a structure at `address` with a header in front.
///
/// # Errors
/// When the image is not a tree of boxes and primitives.
pub fn behind_header(image: &Image, address: u64) -> Result<Segment, RebaseError> {
    let outline = outline(image);
    check(image, &outline)?;
    let boxes = outline.entries.iter().filter(|entry| pointer_of(entry).is_box());
    let root = outline.entries.first().map_or(0, |entry| entry.address);
    let ranges = outline.entries.iter().filter(|entry| pointer_of(entry).is_primitive());
    let pairs: Vec<(u64, u8)> = ranges
        .flat_map(|entry| range_pairs(image, entry.address, pointer_of(entry).pair()))
        .collect();
    let moved = Move::plan(root, boxes.map(|entry| entry.address), &pairs)?;
    let mut segment = Segment::zeroed(address, moved.end as usize);
    let is_hiprt = image.bases.windows(2).any(|bases| bases[0] != bases[1]);
    for &(from, to) in &moved.nodes {
        if let Some(bytes) = image.get(from, NODE_BYTES as usize) {
            let to_bytes = &mut segment.bytes_mut()[to as usize..][..NODE_BYTES as usize];
            to_bytes.copy_from_slice(bytes);
            if is_hiprt && to >= moved.primitives {
                let mut bits = NodeBits::from_bytes(bytes);
                bits.set(GEOMETRY_WIDTHS, 0);
                bits.write_bytes(to_bytes);
            }
        }
    }
    let bounds = rewrite_boxes(&mut segment, image, &outline, &moved);
    Ok(append_software_data(&segment, &outline, &moved, &pairs, &bounds))
}

/// Proves that the outline holds a tree of boxes and primitives only.
fn check(image: &Image, outline: &Outline) -> Result<(), RebaseError> {
    let root = NodePointer(image.root as u32);
    let is_root =
        |entry: &OutlineEntry| pointer_of(entry).is_box() && entry.state == EntryState::Read;
    if !outline.entries.first().is_some_and(is_root) {
        return Err(RebaseError::Root(root));
    }
    for entry in &outline.entries {
        let pointer = pointer_of(entry);
        let fault = match entry.state {
            EntryState::Outside => "leads outside memory",
            EntryState::Again => "leads to a box that has another parent",
            EntryState::Read if pointer.is_instance() => "is an instance, and this is a TLAS",
            EntryState::Read => continue,
        };
        return Err(RebaseError::Node { pointer, address: entry.address, fault });
    }
    Ok(())
}

fn pointer_of(entry: &OutlineEntry) -> NodePointer {
    NodePointer(entry.node.pointer as u32)
}

/// Where nodes go. Boxes keep their distances, and so do primitive nodes: ranges depend on them.
struct Move {
    /// From address to offset.
    nodes: Vec<(u64, u64)>,
    first_box: u64,
    first_primitive: u64,
    /// Offset of the first primitive node.
    primitives: u64,
    /// Where the nodes end.
    end: u64,
}

impl Move {
    fn plan(
        root: u64,
        boxes: impl Iterator<Item = u64>,
        pairs: &[(u64, u8)],
    ) -> Result<Self, RebaseError> {
        let boxes: Vec<u64> = boxes.collect();
        if let Some(&early) = boxes.iter().find(|&&address| address < root) {
            let fault = "lies before the root, which comes first behind a header";
            return Err(RebaseError::Node { pointer: NodePointer::INVALID, address: early, fault });
        }
        let last_box = boxes.iter().copied().max().unwrap_or(root);
        let primitives = NODE_BYTES + (last_box - root) + NODE_BYTES;
        let first_primitive = pairs.iter().map(|&(address, _)| address).min().unwrap_or(0);
        let last_primitive = pairs.iter().map(|&(address, _)| address).max();
        let end = last_primitive
            .map_or(primitives, |last| primitives + last - first_primitive + NODE_BYTES);
        if end > u64::from(u32::MAX) / 2 {
            return Err(RebaseError::TooLarge(end));
        }
        let mut nodes: Vec<(u64, u64)> =
            boxes.iter().map(|&address| (address, NODE_BYTES + address - root)).collect();
        nodes.extend(
            pairs.iter().map(|&(address, _)| (address, primitives + address - first_primitive)),
        );
        Ok(Self { nodes, first_box: root, first_primitive, primitives, end })
    }

    /// Where a byte among the boxes goes; below 0, wrapped, for a base before them.
    fn box_offset(&self, address: u64) -> u64 {
        NODE_BYTES.wrapping_add(address).wrapping_sub(self.first_box)
    }

    /// Where a byte among the primitive nodes goes.
    fn primitive_offset(&self, address: u64) -> u64 {
        self.primitives.wrapping_add(address).wrapping_sub(self.first_primitive)
    }
}

/// Points every box to its moved children and parent; returns the box around everything.
fn rewrite_boxes(segment: &mut Segment, image: &Image, outline: &Outline, moved: &Move) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    let mut above: Vec<NodePointer> = Vec::new();
    for entry in outline.entries.iter().filter(|entry| pointer_of(entry).is_box()) {
        above.truncate(entry.depth as usize);
        let at = moved.box_offset(entry.address) as usize;
        let bytes = &mut segment.bytes_mut()[at..at + NODE_BYTES as usize];
        let mut node = BoxNode::decode(&NodeBits::from_bytes(bytes));
        if above.is_empty() {
            let children = (0..node.used_children().len()).map(|slot| node.child_box(slot));
            bounds = children.fold(Aabb::EMPTY, Aabb::union);
        }
        let [boxes, others] = [image.bases[0], *image.bases.last().unwrap_or(&0)];
        let units = |base: u32, offset: u64| base.wrapping_add((offset as i64 >> 3) as u32);
        node.internal_base = units(node.internal_base, moved.box_offset(boxes));
        node.primitive_base = units(node.primitive_base, moved.primitive_offset(others));
        node.parent = above.last().copied().unwrap_or(NodePointer::INVALID);
        node.index_in_parent = entry.slot as u8;
        node.encode().write_bytes(bytes);
        above.push(NodePointer((at >> 3) as u32 | u32::from(BOX_TYPE)));
    }
    bounds
}

/// Adds the header, one geometry info and the list of primitive node pointers.
fn append_software_data(
    nodes: &Segment,
    outline: &Outline,
    moved: &Move,
    pairs: &[(u64, u8)],
    bounds: &Aabb,
) -> Segment {
    let pointers = primitive_pointers(nodes, moved, pairs);
    let active = pointers.iter().filter(|&&pointer| pointer != NodePointer::INVALID).count();
    let infos = moved.end;
    let list = infos + 12;
    let len = list + 4 * pointers.len() as u64;
    let mut segment = Segment::zeroed(nodes.address, len as usize);
    segment.bytes_mut()[..nodes.bytes().len()].copy_from_slice(nodes.bytes());
    let info = GeometryInfo {
        primitive_count: pointers.len() as u32,
        flags: 0,
        unknown: 0,
        primitive_pointer_offset: 0,
    };
    info.encode().write_bytes(&mut segment.bytes_mut()[infos as usize..list as usize]);
    for (pointer, slot) in
        pointers.iter().zip(segment.bytes_mut()[list as usize..].chunks_exact_mut(4))
    {
        slot.copy_from_slice(&pointer.0.to_le_bytes());
    }
    let metadata_size = bvh4::rra::structure::METADATA_BYTES;
    let header = GpurtHeader {
        info: 1,
        metadata_size,
        total_size: metadata_size + len as u32,
        primitive_count: pointers.len() as u32,
        active_primitive_count: active as u32,
        obb_metadata_offset: 0,
        descriptor_count: 1,
        geometry_type: 0,
        internal_node_offset: NODE_BYTES as u32,
        leaf_node_offset: moved.primitives as u32,
        geometry_info_offset: infos as u32,
        primitive_pointer_offset: list as u32,
        internal_fp32_count: outline.total("boxes") as u32,
        internal_fp16_count: 0,
        leaf_node_count: outline.total("primitive_nodes") as u32,
        version: 16 << 16 | 3,
        uuid: [0; 2],
        rt_ip_level: RTIP_3_1,
        root_min: bounds.min.to_array(),
        root_max: bounds.max.to_array(),
        info2: 0b10,
        packed_flags: 0,
        compacted_size: metadata_size + len as u32,
        padding: [0; 4],
    };
    header.encode().write_bytes(segment.bytes_mut());
    segment
}

/// For every primitive id up to the largest, the pair that holds it. A list as long as ids are
/// large would trust the nodes: ids that leave large gaps are numbered by their order instead.
fn primitive_pointers(nodes: &Segment, moved: &Move, pairs: &[(u64, u8)]) -> Vec<NodePointer> {
    let mut by_id: BTreeMap<u32, NodePointer> = BTreeMap::new();
    for &(address, pair) in pairs {
        let offset = moved.primitive_offset(address);
        let node = PrimitiveNode::decode(&NodeBits::from_bytes(&nodes.bytes()[offset as usize..]));
        let descriptor = node.pair(pair.into());
        for (number, triangle) in descriptor.triangles.iter().enumerate() {
            if number == 0 || !triangle.is_absent() {
                let id = node.primitive_id(2 * usize::from(pair) + number);
                let pointer = (offset >> 3) as u32 | u32::from(type_of_pair(pair));
                by_id.entry(id).or_insert(NodePointer(pointer));
            }
        }
    }
    let highest = by_id.last_key_value().map_or(0, |(&id, _)| id as usize);
    if highest >= 4 * by_id.len() {
        return by_id.into_values().collect();
    }
    let mut list = vec![NodePointer::INVALID; highest + 1];
    by_id.into_iter().for_each(|(id, pointer)| list[id as usize] = pointer);
    list
}
