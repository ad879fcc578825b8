//! Changing images: by node, by field, by bit.

use gfx12::decode::{NodeBody, nodes};
use gfx12::layout::{BoxNode, InstanceNode, NodeBits, NodePointer, PrimitiveNode};
use machine::Image;

/// Changes the bits of the node or record at an address.
pub(crate) fn edit_bits(image: &mut Image, address: u64, change: impl FnOnce(&mut NodeBits)) {
    let segment = image.segments.iter_mut().find(|s| s.get(address, 1).is_some()).unwrap();
    let at = (address - segment.address) as usize;
    let bytes = segment.bytes_mut();
    let end = bytes.len().min(at + 128);
    let mut bits = NodeBits::from_bytes(&bytes[at..end]);
    change(&mut bits);
    bits.write_bytes(&mut bytes[at..end]);
}

/// Box nodes of a structure (0 is the root's), with addresses.
pub(crate) fn boxes(image: &Image, structure: u32) -> Vec<(u64, NodePointer, BoxNode)> {
    let found = nodes(image).filter(|node| node.structure == structure);
    found
        .filter_map(|node| match node.body {
            NodeBody::Box(body) => Some((node.address, node.pointer, *body)),
            _ => None,
        })
        .collect()
}

/// Primitive nodes of a structure, with addresses.
pub(crate) fn primitive_nodes(image: &Image, structure: u32) -> Vec<(u64, PrimitiveNode)> {
    let found = nodes(image).filter(|node| node.structure == structure);
    found
        .filter_map(|node| match node.body {
            NodeBody::Primitive { node: body, .. } => Some((node.address, *body)),
            _ => None,
        })
        .collect()
}

/// Instance nodes, with addresses.
pub(crate) fn instances(image: &Image) -> Vec<(u64, NodePointer, InstanceNode)> {
    nodes(image)
        .filter_map(|node| match node.body {
            NodeBody::Instance(body) => Some((node.address, node.pointer, *body)),
            _ => None,
        })
        .collect()
}

/// Changes the first box node of a structure that `fits`.
pub(crate) fn edit_box(
    image: &mut Image,
    structure: u32,
    fits: impl Fn(&BoxNode) -> bool,
    change: impl FnOnce(&mut BoxNode),
) {
    let (address, _, mut node) =
        boxes(image, structure).into_iter().find(|(_, _, node)| fits(node)).expect("such a box");
    change(&mut node);
    edit_bits(image, address, |bits| *bits = node.encode());
}

/// Changes the first instance node that `fits`.
pub(crate) fn edit_instance(
    image: &mut Image,
    fits: impl Fn(&InstanceNode) -> bool,
    change: impl FnOnce(&mut InstanceNode),
) {
    let (address, _, mut node) =
        instances(image).into_iter().find(|(_, _, node)| fits(node)).expect("such an instance");
    change(&mut node);
    edit_bits(image, address, |bits| *bits = node.encode());
}

/// Flips one bit of the image, counted over all segments.
pub(crate) fn flip(image: &mut Image, bit: u64) {
    let mut left = bit;
    for segment in &mut image.segments {
        let bits = 8 * segment.bytes().len() as u64;
        if left < bits {
            segment.bytes_mut()[(left / 8) as usize] ^= 1 << (left % 8);
            return;
        }
        left -= bits;
    }
}
