//! Nodes as named fields: what people read and compare.

use crate::Writer;
use crate::layout::{
    GpurtInstanceNode, GpurtTriangleNode, ProceduralNode, RadvInstanceNode, RadvProceduralNode,
    RadvTriangleNode,
};
use crate::structure::Structure;
use bvh4::image::Dialect;
use bvh4::layout::triangle_info::IdWord;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, Fp16BoxNode, Fp32BoxNode};
use bvh4::survey::{Memory, Space as _};
use machine::bits::{HalfNodeBits, NodeBits};
use machine::fields::FieldList;
use machine::{DescribeError, DescribedField, Description, Image, NodeRef};

/// Describes the node behind a pointer.
///
/// # Errors
/// When the pointer leads to no memory.
pub fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let pointer = u32::try_from(node.pointer).map(Bvh4Pointer);
    let pointer = pointer.map_err(|_| DescribeError::NoStructure(node))?;
    let memory = Memory::new(image);
    let root = Structure::of_root(image, &memory);
    let structure = if node.base == root.base {
        root
    } else {
        Structure { base: node.base, leaf_base: node.base, ..root }
    };
    let (address, bytes) = (structure.address_of(pointer), pointer.node_bytes());
    let stored = memory.get(address, bytes).ok_or(DescribeError::Outside { node, address })?;
    let mut fields = fields(structure.writer, pointer, &NodeBits::from_bytes(stored));
    add_links(&memory, &structure, pointer, &mut fields);
    let kind = pointer.kind_name();
    Ok(Description { node, kind, address, bytes, fields, beside: Vec::new(), frame: None })
}

/// The fields of the node behind a pointer, as its writer names them. Of the bits, a node of 64
/// bytes has the first half.
#[must_use]
pub fn fields(writer: Writer, pointer: Bvh4Pointer, bits: &NodeBits) -> Vec<DescribedField> {
    let half: HalfNodeBits = bits.part(0);
    let is_radv = writer == Writer::Radv;
    match pointer.kind() {
        Bvh4Kind::Fp32Box => Fp32BoxNode::describe(bits),
        Bvh4Kind::HalfBox => Fp16BoxNode::describe(&half),
        Bvh4Kind::Instance if is_radv => RadvInstanceNode::describe(bits),
        Bvh4Kind::Instance => GpurtInstanceNode::describe(bits),
        Bvh4Kind::User if is_radv => RadvProceduralNode::describe(&half),
        Bvh4Kind::User => ProceduralNode::describe(&half),
        Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 | Bvh4Kind::OldTriangle => {
            let mut list = FieldList::new(half.words());
            if is_radv {
                list.add_structure::<RadvTriangleNode>("", 0);
            } else {
                list.add_structure::<GpurtTriangleNode>("", 0);
            }
            list.add_structure::<IdWord>("", GpurtTriangleNode::id_word.bits().start as usize);
            list.fields
        }
    }
}

/// Notes which fields lead to which nodes.
fn add_links(
    memory: &Memory<'_>,
    structure: &Structure,
    pointer: Bvh4Pointer,
    fields: &mut [DescribedField],
) {
    let mut link = |name: &str, base: u64, target: Bvh4Pointer| {
        let field = fields.iter_mut().find(|field| field.name == name);
        if let Some(field) = field.filter(|_| !target.is_special()) {
            field.link = Some(NodeRef { base, pointer: target.0.into() });
        }
    };
    match pointer.kind() {
        Bvh4Kind::Fp32Box | Bvh4Kind::HalfBox => {
            let children = structure.four_boxes(memory, pointer).map(|boxes| boxes.children);
            for (slot, child) in children.into_iter().flatten().enumerate() {
                link(&format!("children[{slot}]"), structure.base, child);
            }
        }
        Bvh4Kind::Instance => {
            if let Some(instance) = structure.instance(memory, pointer) {
                link("child_base", instance.below.base, instance.below.root);
            }
        }
        _ => (),
    }
}
