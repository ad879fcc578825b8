//! One structure of an image in words. The image may be unsound.

use super::block::{Block, BlockFields, Node, NodeFields};
use super::directory::{HeaderFields, INSTANCE, InstanceFields, LevelFields};
use super::outline::below;
use super::target::Target;
use machine::bits::{Bits, NodeBits};
use machine::description::linked;
use machine::fields::FieldList;
use machine::{DescribeError, DescribedField, Description, Image, NodeRef};

/// Describes the structure that a pointer names ([`Target`]).
///
/// # Errors
/// When the pointer names nothing, or what it names does not lie in memory.
pub fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let target = Target::from_pointer(node.pointer).ok_or(DescribeError::NoStructure(node))?;
    let address = target.address(image).ok_or(DescribeError::NoStructure(node))?;
    let bytes = target.read(image).ok_or(DescribeError::Outside { node, address })?;
    let fields = match target {
        Target::Block(number) => block_fields(image, number, bytes),
        Target::Node { block, .. } => node_fields(image, block, bytes),
        Target::Level(_) => {
            let fields = LevelFields::describe(&Bits::from_bytes(bytes));
            linked(fields, "root", |root| link(image, Target::Block(root as u32)))
        }
        Target::References { .. } => references(image, bytes),
        Target::Instance(_) => {
            let fields = InstanceFields::describe(&Bits::from_bytes(bytes));
            linked(fields, "root", |root| link(image, Target::Block(root as u32)))
        }
        Target::Directory => HeaderFields::describe(&Bits::from_bytes(bytes)),
    };
    let (kind, bytes) = (target.kind(), target.bytes());
    Ok(Description { node, kind, address, bytes, fields, beside: Vec::new(), frame: None })
}

/// The reference to a structure that memory has.
fn link(image: &Image, target: Target) -> Option<NodeRef> {
    target.read(image).map(|_| target.reference(image))
}

fn block_fields(image: &Image, number: u32, bytes: &[u8]) -> Vec<DescribedField> {
    let bits = NodeBits::from_bytes(bytes);
    let block = Block::from_bytes(&bits.to_bytes());
    let mut fields = BlockFields::describe(&bits);
    add_planes(&block, &mut fields);
    let mut fields = linked(fields, "parent", |parent| link(image, Target::Block(parent as u32)));
    for (slot, node) in (0u8..).zip(BlockFields::decode(&bits).nodes) {
        let name = format!("nodes[{slot}].kind");
        let used = usize::from(slot) < block.nodes.len();
        for field in fields.iter_mut().filter(|field| field.name == name) {
            field.value = match used {
                true => lead_text(&block, &node),
                false => "slot not used".to_owned(),
            };
            let lead = Node::from_fields(&node).lead;
            let target = below(&block, number, slot, lead).filter(|_| used);
            field.link = target.and_then(|target| link(image, target));
        }
    }
    fields
}

fn node_fields(image: &Image, number: u32, bytes: &[u8]) -> Vec<DescribedField> {
    let bits: Bits<2> = Bits::from_bytes(bytes);
    let mut fields = NodeFields::describe(&bits);
    let block = Target::Block(number).read(image).and_then(|bytes| bytes.first_chunk());
    if let Some(block) = block.map(Block::from_bytes) {
        add_planes(&block, &mut fields);
        let value = lead_text(&block, &NodeFields::decode(&bits));
        fields.iter_mut().filter(|field| field.name == "kind").for_each(|field| {
            field.value.clone_from(&value);
        });
    }
    fields
}

/// Says where the planes of nodes lie.
fn add_planes(block: &Block, fields: &mut [DescribedField]) {
    for field in fields {
        let name = field.name.rsplit('.').next().unwrap_or_default();
        let axis = ["min_x", "max_x", "min_y", "max_y", "min_z", "max_z"];
        if let Some(axis) = axis.iter().position(|plane| *plane == name).map(|k| k / 2) {
            let cell = f32::from(block.exponents[axis]).exp2();
            let plane = block.origin[axis] + field.raw as f32 * cell;
            field.value = format!("{} → {plane:?}", field.raw);
        }
    }
}

/// What a node leads to, in words.
fn lead_text(block: &Block, node: &NodeFields) -> String {
    let NodeFields { kind, count, offset, .. } = *node;
    let from = |base: u32| u64::from(base) + u64::from(offset);
    match kind {
        0 => format!("inside: nodes {offset}..{}", u16::from(offset) + u16::from(count)),
        1 => format!("foreign: block {}", from(block.block_base)),
        2 => {
            let first = from(block.reference_base);
            format!("leaf: references {first}..{}", first + u64::from(count))
        }
        _ => "unused".to_owned(),
    }
}

fn references(image: &Image, bytes: &[u8]) -> Vec<DescribedField> {
    let words: Vec<u32> =
        bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    let mut list = FieldList::new(&words);
    list.source = "siliray's own (T-16)";
    for (k, &reference) in words.iter().enumerate() {
        let number = reference & !INSTANCE;
        let is_instance = reference & INSTANCE != 0;
        let value = format!("{} {number}", if is_instance { "instance" } else { "primitive" });
        let meaning = "The number of a primitive of the level, or, with bit 31, of an instance.";
        list.add_value(format!("references[{k}]"), 32 * k..32 * k + 32, value, (meaning, ""));
        if let Some(field) = list.fields.last_mut().filter(|_| is_instance) {
            field.link = link(image, Target::Instance(number));
        }
    }
    list.fields
}
