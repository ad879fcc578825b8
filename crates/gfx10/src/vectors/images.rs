//! Small images of drivers, and a real one of HIPRT, node by node.

use super::flat::Flat;
use super::instruction::memory;
use super::nodes::{gpurt_header, radv_header};
use bvh4::layout::{
    Bvh4Kind, Bvh4Pointer, Fp16BoxNode, Fp32BoxNode, GpurtHeader, RadvHeader, parent_slot_address,
};
use machine::Segment;
use machine::bits::Bits;
use vectors::fields::words;
use vectors::{Case, Comparison, Json, VectorError};

/// An image of a driver: its header, and every node with its children and its parent.
pub(super) fn image(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let memory = memory(&case.field("memory")?)?;
    let Some(segment) = memory.first() else { return Ok(()) };
    let base: u64 = case.field("base")?.integer()?;
    let writer = case.field("writer")?;
    let is_radv = writer.text()?.starts_with("radv");
    let mut header = Flat::default();
    let first = if is_radv {
        radv_header(&RadvHeader::decode(&node(segment, segment.address)), &mut header);
        0
    } else {
        gpurt_header(&GpurtHeader::decode(&node(segment, base)), &mut header);
        2
    };
    header.compare(&case.field("header")?, comparison)?;
    for json in case.field("nodes")?.elements()? {
        let pointer = Bvh4Pointer(json.field("pointer")?.integer()?);
        comparison.within(&format!("node {pointer}"), |part| -> Result<(), VectorError> {
            let address = base + pointer.byte_offset();
            let offset = json.field("offset")?.integer()?;
            part.check("offset", &offset, &(address - segment.address));
            let slot = parent_slot_address(base, pointer, first);
            let slot_offset = slot.map(|slot| slot - segment.address);
            part.check("parent_slot", &Some(json.field("parent_slot")?.integer()?), &slot_offset);
            let parent = slot.map(|slot| node::<1>(segment, slot).word(0));
            part.check("parent", &Some(json.field("parent")?.integer()?), &parent);
            let (layout, children) = match pointer.kind() {
                Bvh4Kind::Fp32Box => {
                    ("box32", Some(Fp32BoxNode::decode(&node(segment, address)).children))
                }
                Bvh4Kind::HalfBox => {
                    ("box16", Some(Fp16BoxNode::decode(&node(segment, address)).children))
                }
                Bvh4Kind::Instance => ("instance", None),
                Bvh4Kind::User => ("procedural", None),
                _ => ("triangle", None),
            };
            part.check("layout", &json.field("layout")?.text()?, &layout);
            if let (Some(expected), Some(got)) = (json.tested("children")?, children) {
                let expected: [u32; 4] = expected.integers()?;
                part.check("children", &expected, &got.map(|child| child.0));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The bits at an address; zeros where there is no memory.
fn node<const WORDS: usize>(segment: &Segment, address: u64) -> Bits<WORDS> {
    segment.get(address, 4 * WORDS).map_or(Bits::ZERO, Bits::from_bytes)
}

/// The words and members of HIPRT's header.
pub(super) fn header(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let bytes = case.attachment()?;
    let header: Bits<16> = Bits::from_bytes(&bytes);
    let mut flat = Flat::default();
    flat.list("words", header.words().iter().copied());
    for (k, name) in ["box_offset", "primitive_offset", "end_offset"].into_iter().enumerate() {
        flat.add(name, header.word(2 * k));
    }
    let counts = ["reference_count", "box_count", "primitive_node_count", "geometry_type", "rtip"];
    for (k, name) in counts.into_iter().enumerate() {
        flat.add(name, header.word(6 + k));
    }
    flat.compare(case, comparison)
}

/// A box of HIPRT's array.
pub(super) fn hiprt_box(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let index: u64 = case.field("index")?.integer()?;
    let bits = array_node::<32>(case, 0, 128 * index)?;
    words(comparison, "dwords", &case.field("dwords")?.elements()?, |k| Some(bits.word(k)))?;
    let pointer = Bvh4Pointer::new(128 * index, 5);
    let expected = Some(Bvh4Pointer(case.field("pointer")?.integer()?));
    comparison.check("pointer", &expected, &pointer);
    let node = Fp32BoxNode::decode(&bits);
    let mut flat = Flat::default();
    flat.list("children", node.children.map(|child| child.0));
    for (slot, bounds) in node.boxes.iter().enumerate() {
        flat.list(&format!("boxes[{slot}].min"), bounds.min.to_array().map(f32::to_bits));
        flat.list(&format!("boxes[{slot}].max"), bounds.max.to_array().map(f32::to_bits));
    }
    flat.add("parent_index", bits.word(28));
    flat.add("update_counter", bits.word(29));
    flat.add("child_count", bits.word(30));
    compare_members(case, &flat, comparison)
}

/// A triangle node of HIPRT's array.
pub(super) fn hiprt_triangle(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let index: u64 = case.field("index")?.integer()?;
    let bits = array_node::<16>(case, 2, 64 * index)?;
    words(comparison, "dwords", &case.field("dwords")?.elements()?, |k| Some(bits.word(k)))?;
    let pointer = Bvh4Pointer::new(64 * index, 0);
    let expected = Some(Bvh4Pointer(case.field("pointer")?.integer()?));
    comparison.check("pointer", &expected, &pointer);
    let mut flat = Flat::default();
    for k in 0..4 {
        flat.list(&format!("vertices[{k}]"), [0, 1, 2].map(|x| bits.word(3 * k + x)));
    }
    flat.list("primitives", [bits.word(13), bits.word(14)]);
    flat.add("id_word", bits.word(15));
    flat.add("single", bits.word(13) == bits.word(14));
    compare_members(case, &flat, comparison)
}

/// A node in the array whose offset is a dword of the header.
fn array_node<const WORDS: usize>(
    case: &Case<'_>,
    header_word: usize,
    offset: u64,
) -> Result<Bits<WORDS>, VectorError> {
    let bytes = case.attachment()?;
    let start = u64::from(Bits::<16>::from_bytes(&bytes).word(header_word)) + offset;
    let segment = Segment::new(0, &bytes);
    Ok(node(&segment, start))
}

/// The members that carry bits of the format.
fn compare_members(
    case: &Json<'_>,
    flat: &Flat,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    for (name, member) in case.members()? {
        if !["index", "pointer", "dwords"].contains(&name) {
            flat.compare_at(&member, name, comparison)?;
        }
    }
    Ok(())
}
