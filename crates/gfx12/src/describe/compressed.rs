//! The fields of box and instance nodes.

use super::{AXES, dwords, field, primitive, set_value};
use crate::layout::{
    BoxNode, ChildEntry, GpurtHeader, GpurtSideband, HiprtGeometry, HiprtHeader, HiprtScene,
    InstanceNode, NODE_BYTES, NamedNode, NodeBits, NodeKind, NodePointer, PrimitiveNode,
    RadvHeader, RadvInstanceData,
};
use crate::obb::rotation;
use crate::survey::{Header, Memory, Structure};
use bvh4::writer::Writer;
use geometry::Aabb;
use machine::fields::FieldValue;
use machine::{DescribeError, DescribedField, Description, Image, NodeRef};

/// Further nodes of a range that stand beside its first: an unsound range may never end.
const MOST_FURTHER_NODES: usize = 15;

/// Describes the node behind a pointer of an image. Software's records stand beside it: the header
/// beside the root, GPURT's sideband or RADV's data beside an instance; and the further nodes of a
/// range.
///
/// # Errors
/// When the pointer leads to no memory.
pub fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let memory = &Memory::new(image);
    let root = Structure::of_root(image, memory);
    let structure = if node.base == root.box_base { root } else { root.beside(memory, node.base) };
    let pointer = u32::try_from(node.pointer).map(NodePointer);
    let pointer = pointer.map_err(|_| DescribeError::NoStructure(node))?;
    let address = structure.address_of(pointer);
    let bits = memory.node(address).ok_or(DescribeError::Outside { node, address })?;
    let mut fields = fields(pointer, &bits);
    add_links(memory, &structure, pointer, &bits, &mut fields);
    let part = |kind, address, bytes, fields| Description {
        node,
        kind,
        address,
        bytes,
        fields,
        beside: Vec::new(),
        frame: None,
    };
    let mut description = part(pointer.kind_name(), address, NODE_BYTES as usize, fields);
    if pointer.kind() == NodeKind::Box {
        description.frame = rotation(BoxNode::decode(&bits).obb_matrix_index).copied();
    }
    if let Some(header) = structure.header.filter(|_| pointer == structure.root) {
        let (address, bytes, fields) = header_part(memory, &structure, &header);
        description.beside.push(part("header", address, bytes, fields));
    }
    if pointer.kind() == NodeKind::Instance
        && let Some(address) = structure.sideband_of(pointer)
        && let Some(bits) = memory.half_node(address)
    {
        let fields = GpurtSideband::describe(&bits);
        description.beside.push(part("sideband", address, NODE_BYTES as usize / 2, fields));
    }
    if pointer.kind() == NodeKind::Instance
        && structure.writer() == Some(Writer::Radv)
        && let Some(bits) = memory.node(address + NODE_BYTES)
    {
        let fields = RadvInstanceData::describe(&bits);
        let address = address + NODE_BYTES;
        description.beside.push(part("driver data", address, NODE_BYTES as usize, fields));
    }
    for (address, bits) in further_nodes(memory, pointer, address, &bits) {
        let distance = (address.wrapping_sub(description.address) / NODE_BYTES) << 4;
        let pointer = u64::from(pointer.0 & !0xF).wrapping_add(distance);
        let fields = primitive::fields(&bits);
        let further = part(description.kind, address, NODE_BYTES as usize, fields);
        let node = NodeRef { pointer, ..node };
        description.beside.push(Description { node, ..further });
    }
    Ok(description)
}

/// Where a header lies, its bytes and its fields.
fn header_part(
    memory: &Memory<'_>,
    structure: &Structure,
    header: &Header,
) -> (u64, usize, Vec<DescribedField>) {
    let segment = memory.segment_of(structure.box_base);
    let start = segment.map_or(0, |number| memory.segments()[number].address);
    match header {
        Header::Gpurt(header) => {
            let fields = GpurtHeader::describe(&header.encode());
            (structure.box_base, NODE_BYTES as usize, fields)
        }
        Header::Radv(header) => {
            let fields = RadvHeader::describe(&header.encode());
            (start, RadvHeader::BYTES as usize, fields)
        }
        Header::Hiprt(header) => {
            let fields = match (&header.scene, &header.geometry) {
                (Some(scene), _) => HiprtScene::describe(&scene.encode()),
                (None, Some(geometry)) => HiprtGeometry::describe(&geometry.encode()),
                (None, None) => Vec::new(),
            };
            (start, HiprtHeader::BYTES as usize, fields)
        }
    }
}

/// The nodes behind the first one of a primitive range.
fn further_nodes(
    memory: &Memory<'_>,
    pointer: NodePointer,
    mut address: u64,
    bits: &NodeBits,
) -> Vec<(u64, NodeBits)> {
    let NodeKind::Primitive { pair } = pointer.kind() else { return Vec::new() };
    let goes_on = |bits: &NodeBits, first: usize| {
        let node = PrimitiveNode::decode(bits);
        (first..node.pair_count()).all(|pair| !node.pair(pair).prim_range_stop)
    };
    let mut further = Vec::new();
    let mut on = goes_on(bits, pair.into());
    while on && further.len() < MOST_FURTHER_NODES {
        address = address.wrapping_add(NODE_BYTES);
        let Some(bits) = memory.node(address) else { break };
        on = goes_on(&bits, 0);
        further.push((address, bits));
    }
    further
}

/// The fields of the node behind a pointer. A pointer of an unused type has 32 dwords.
#[must_use]
pub fn fields(pointer: NodePointer, bits: &NodeBits) -> Vec<DescribedField> {
    match pointer.kind() {
        NodeKind::Box => box_fields(bits),
        NodeKind::Instance => instance_fields(bits),
        NodeKind::Primitive { .. } => primitive::fields(bits),
        NodeKind::Unused => dwords(bits, 32),
    }
}

fn box_fields(bits: &NodeBits) -> Vec<DescribedField> {
    let node = BoxNode::decode(bits);
    let mut fields = BoxNode::describe(bits);
    let pointers = node.child_pointers();
    for (slot, entry) in node.children.iter().enumerate() {
        let is_used = slot < node.used_children().len();
        let leads = is_used.then(|| NodePointer::text(pointers[slot].0.into()));
        describe_entry(&mut fields, slot, entry, &node.child_box(slot), leads);
    }
    fields
}

fn instance_fields(bits: &NodeBits) -> Vec<DescribedField> {
    let node = InstanceNode::decode(bits);
    let mut fields = InstanceNode::describe(bits);
    let pointers = node.child_pointers();
    for (slot, entry) in node.children.iter().enumerate() {
        let is_used = slot < node.used_children().len();
        let leads = is_used.then(|| format!("result {:#04x}", pointers[slot].0));
        describe_entry(&mut fields, slot, entry, &node.child_box(slot), leads);
    }
    fields
}

/// Says where the planes of a child lie and where it leads.
fn describe_entry(
    fields: &mut [DescribedField],
    slot: usize,
    entry: &ChildEntry,
    bounds: &Aabb,
    leads: Option<String>,
) {
    let sides = [("min", entry.min, bounds.min), ("max", entry.max, bounds.max)];
    for (side, codes, planes) in sides {
        for ((axis, code), plane) in AXES.iter().zip(codes).zip(planes.to_array()) {
            let name = format!("children[{slot}].{side}_{axis}");
            set_value(fields, &name, format!("{code} → {plane:?}"));
        }
    }
    let leads = leads.unwrap_or_else(|| "slot not used".to_owned());
    set_value(fields, &format!("children[{slot}].node_type"), leads);
}

/// Notes which fields lead to which nodes.
fn add_links(
    memory: &Memory<'_>,
    structure: &Structure,
    pointer: NodePointer,
    bits: &NodeBits,
    fields: &mut [DescribedField],
) {
    let mut link = |name: &str, base: u64, target: NodePointer| {
        if let Some(field) = field(fields, name).filter(|_| !target.is_special()) {
            field.link = Some(NodeRef { base, pointer: target.0.into() });
        }
    };
    let base = structure.box_base;
    match pointer.kind() {
        NodeKind::Box => {
            let node = BoxNode::decode(bits);
            link("parent", base, node.parent);
            for (slot, target) in node.child_pointers().into_iter().enumerate() {
                link(&format!("children[{slot}].node_type"), base, target);
            }
        }
        NodeKind::Instance => {
            let node = InstanceNode::decode(bits);
            link("parent", base, node.parent);
            let below = structure.below(memory, &node);
            link("child_base", below.box_base, below.root);
            for NamedNode { slots, pointer } in node.named_nodes(below.naming()) {
                for slot in (0..4).filter(|slot| slots >> slot & 1 == 1) {
                    link(&format!("children[{slot}].node_type"), below.box_base, pointer);
                }
            }
        }
        NodeKind::Primitive { .. } | NodeKind::Unused => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any bits have fields, and each field holds the bits that it names.
        #[test]
        fn fields_hold_their_bits(words in any::<[u32; 32]>(), node_type in 0u32..16) {
            let bits = NodeBits::from_words(words);
            for field in fields(NodePointer(node_type), &bits) {
                let place = field.bits.start as usize..field.bits.end as usize;
                prop_assert_eq!(bits.get_wide(place), field.raw, "{}", field.name);
            }
        }

        /// The fields of a box or an instance cover the node, each bit once, so that no difference
        /// between two nodes goes unnamed.
        #[test]
        fn boxes_and_instances_are_covered(words in any::<[u32; 32]>()) {
            for node_type in [5, 6] {
                let mut covered = [0u8; 1024];
                for field in fields(NodePointer(node_type), &NodeBits::from_words(words)) {
                    for bit in field.bits {
                        covered[bit as usize] += 1;
                    }
                }
                prop_assert_eq!(covered, [1; 1024], "type {}", node_type);
            }
        }
    }

    /// A rotation is shown with its matrix.
    #[test]
    fn rotations_have_their_matrix() {
        let node = BoxNode { obb_matrix_index: 6, ..BoxNode::decode(&NodeBits::ZERO) };
        let fields = box_fields(&node.encode());
        let shown = fields.iter().find(|field| field.name == "obb_matrix_index").unwrap();
        assert_eq!(shown.value, "rotation 6: (1, 0, 0), (0, 0, -1), (0, 1, 0)");
    }
}
