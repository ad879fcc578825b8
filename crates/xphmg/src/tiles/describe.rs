//! One structure of an image in words. The image may be unsound.

use super::contents::Contents;
use super::header::{HEADER_BYTES, Header};
use super::instance::{BlasRecord, InstanceRecord};
use super::target::Target;
use crate::layout::node::ChildKind;
use crate::layout::records::TriRange;
use crate::numeric::widen;
use machine::bits::{Bits, HalfNodeBits};
use machine::description::linked;
use machine::fields::FieldList;
use machine::{DescribeError, DescribedField, Description, Image, NodeRef};
use std::ops::Range;

/// Where tiles and triangles come from.
const SOURCE: &str = "XPHMG_RT 0.1.1";

/// Describes the structure that a pointer names ([`Target`]). Without a header that makes sense
/// there is only the header.
///
/// # Errors
/// When the pointer names nothing, or what it names does not lie in memory.
pub fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let target = Target::from_pointer(node.pointer).ok_or(DescribeError::NoStructure(node))?;
    let contents = Contents::new(image);
    let (address, length) = match (target, &contents) {
        (Target::Header, _) => (image.root, HEADER_BYTES),
        (target, Some(contents)) => target.place(image, contents),
        (_, None) => return Err(DescribeError::NoStructure(node)),
    };
    let bytes = image.get(address, length).ok_or(DescribeError::Outside { node, address })?;
    let fields = match (target, &contents) {
        (Target::Node(level, _), Some(contents)) => node_fields(image, contents, level, bytes),
        (Target::Triangle(number), Some(contents)) => triangle_fields(contents, number, bytes),
        (Target::Range(..), _) => {
            let bits = Bits::from_bytes(bytes);
            let first = Target::Triangle(TriRange::decode(&bits).first);
            linked(TriRange::describe(&bits), "first", |_| Some(first.reference(image)))
        }
        (Target::Instance(_), _) => {
            let bits = Bits::from_bytes(bytes);
            let blas = Target::Blas(InstanceRecord::decode(&bits).blas);
            linked(InstanceRecord::describe(&bits), "blas", |_| Some(blas.reference(image)))
        }
        (Target::Blas(number), _) => {
            let root = Target::Node(number.wrapping_add(1), 0);
            linked(BlasRecord::describe(&Bits::from_bytes(bytes)), "base", |_| {
                Some(root.reference(image))
            })
        }
        _ => Header::describe(&HalfNodeBits::from_bytes(bytes)),
    };
    let kind = target.kind();
    Ok(Description { node, kind, address, bytes: length, fields, beside: Vec::new(), frame: None })
}

/// The dwords of some bytes.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|bytes| Bits::<1>::from_bytes(bytes).word(0)).collect()
}

/// The bits of some bytes.
const fn bits(offset: usize, bytes: usize) -> Range<usize> {
    8 * offset..8 * (offset + bytes)
}

fn node_fields(
    image: &Image,
    contents: &Contents<'_>,
    level: u32,
    bytes: &[u8],
) -> Vec<DescribedField> {
    let words = words(bytes);
    let (shape, element) = (contents.shape, contents.policy.format.bytes());
    let mut list = FieldList::new(&words);
    list.source = SOURCE;
    for slot in 0..shape.width() {
        let child = shape.child(bytes, slot);
        for (k, &code) in child.bounds.iter().enumerate() {
            let plane = widen(code, &contents.policy).value;
            let name = format!("children[{slot}].{}_{}", ["min", "max"][k / 3], AXES[k % 3]);
            let (place, value) =
                (bits(shape.element_offset(slot, k), element), format!("{plane:?}"));
            list.add_value(name, place, value, ("A plane of the child's box.", "scene units"));
        }
    }
    for slot in 0..shape.width() {
        let child = shape.child(bytes, slot);
        let (tile, in_tile) = (slot / shape.tile_width(), slot % shape.tile_width());
        let flags = 8 * shape.flags_offset(tile);
        let target = Target::of_child(contents, level, &child);
        let leads = match target {
            Some(target) => format!("{} {}", target.kind(), child.index),
            None if child.kind == ChildKind::Empty => "slot not used".to_owned(),
            None => "reserved".to_owned(),
        };
        let meaning = "00 empty, 01 node, 10 leaf, 11 reserved.";
        let place = flags + 2 * in_tile..flags + 2 * in_tile + 2;
        list.add_value(format!("children[{slot}].node_type"), place, leads, (meaning, ""));
        if let Some(field) = list.fields.last_mut() {
            field.link = target.map(|target| target.reference(image));
        }
        let index = match shape.has_short_index(slot) {
            true => flags + 8..flags + 32,
            false => bits(shape.index_offset(slot), 4),
        };
        let meaning =
            "Number of a node, or of a TriRange or an instance in units of 16 bytes from node 0.";
        list.add_value(
            format!("children[{slot}].index"),
            index,
            child.index.to_string(),
            (meaning, ""),
        );
    }
    list.fields
}

fn triangle_fields(contents: &Contents<'_>, number: u32, bytes: &[u8]) -> Vec<DescribedField> {
    let words = words(bytes);
    let width = contents.policy.format.bytes();
    let mut list = FieldList::new(&words);
    list.source = SOURCE;
    for (k, element) in contents.elements(number).into_iter().enumerate() {
        let name = format!("vertices[{}].{}", k / 3, AXES[k % 3]);
        let value = format!("{:?}", widen(element, &contents.policy).value);
        list.add_value(
            name,
            bits(k * width, width),
            value,
            ("A coordinate of a corner.", "scene units"),
        );
    }
    list.fields
}

const AXES: [&str; 3] = ["x", "y", "z"];
