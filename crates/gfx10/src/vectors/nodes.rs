//! Nodes of every writer, pointers and halves.

use super::flat::Flat;
use crate::instruction::triangle::CORNERS;
use crate::layout::{
    GpurtInstanceNode, GpurtTriangleNode, HiprtInstanceNode, ProceduralNode, RadvInstanceNode,
    RadvProceduralNode, RadvTriangleNode, halves,
};
use bvh4::layout::{
    BasePointer, Bvh4Kind, Bvh4Pointer, Fp16BoxNode, Fp32BoxNode, GeometryInfo, GpurtHeader,
    RadvHeader, TriangleInfo, parent_slot_address,
};
use geometry::{Aabb, Transform};
use machine::bits::Bits;
use vectors::{Case, Comparison, VectorError};

/// Where a pointer leads, and where its parent is written down.
pub(super) fn pointer(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let pointer = Bvh4Pointer(case.field("pointer")?.integer()?);
    comparison.check("offset", &case.field("offset")?.integer()?, &pointer.byte_offset());
    let kind = match (pointer.kind(), pointer.node_type()) {
        (Bvh4Kind::HalfBox, _) => "box16".to_owned(),
        (Bvh4Kind::Fp32Box, _) => "box32".to_owned(),
        (Bvh4Kind::Instance | Bvh4Kind::User, number) => format!("user{number}"),
        (_, number) => format!("triangle{number}"),
    };
    comparison.check("kind", &case.field("kind")?.text()?.to_owned(), &kind);
    let base = 1 << 40;
    for (name, first) in [("parent_radv", 0), ("parent_gpurt", 2)] {
        let Some(below) = case.optional(name)? else { continue };
        let expected = if below.value().is_null() { None } else { Some(below.integer::<u64>()?) };
        let got = parent_slot_address(base, pointer, first).map(|slot| base - slot);
        comparison.check(name, &expected, &got);
    }
    Ok(())
}

/// An f32 plane as a half, rounded both ways.
pub(super) fn half(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let value = f32::from_bits(case.field("value")?.integer()?);
    comparison.check("down", &case.field("down")?.integer()?, &halves::round_down(value));
    comparison.check("up", &case.field("up")?.integer()?, &halves::round_up(value));
    Ok(())
}

/// A node, decoded as its writer means it.
pub(super) fn node(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let mut words = [0; 34];
    for (word, json) in words.iter_mut().zip(case.field("dwords")?.elements()?) {
        // Undefined dwords may hold anything.
        *word = if json.value().is_null() { 0xDEAD_BEEF } else { json.integer()? };
    }
    let (layout, writer) = (case.field("layout")?, case.field("writer")?);
    let writer = writer.text()?;
    let mut flat = Flat::default();
    match layout.text()? {
        "box32" => box32(&words, writer, &mut flat),
        "box16" => {
            let node = Fp16BoxNode::decode(&first(&words));
            flat.list("children", node.children.map(|child| child.0));
            (0..4).for_each(|slot| {
                aabb(&format!("boxes[{slot}]."), &node.child_box(slot), &mut flat)
            });
        }
        "triangle" => triangle(&words, writer, &mut flat),
        "procedural" => procedural(&words, writer, &mut flat),
        "instance" => instance(&words, writer, &mut flat),
        "radv_header" => radv_header(&RadvHeader::decode(&first(&words)), &mut flat),
        "gpurt_header" => gpurt_header(&GpurtHeader::decode(&first(&words)), &mut flat),
        "geometry_info" => {
            let info = GeometryInfo::decode(&first(&words));
            flat.add("primitive_count", info.primitive_count);
            flat.add("flags", info.flags);
            flat.add("pointers_offset", info.primitive_pointer_offset);
        }
        _ => return Err(layout.wrong("a layout")),
    }
    flat.compare(&case.field("fields")?, comparison)
}

fn first<const WORDS: usize>(words: &[u32; 34]) -> Bits<WORDS> {
    Bits::from_words(std::array::from_fn(|k| words[k]))
}

fn aabb(path: &str, bounds: &Aabb, flat: &mut Flat) {
    flat.list(&format!("{path}min"), bounds.min.to_array().map(f32::to_bits));
    flat.list(&format!("{path}max"), bounds.max.to_array().map(f32::to_bits));
}

fn transform(path: &str, transform: &Transform, flat: &mut Flat) {
    flat.list(path, transform.rows.into_iter().flatten().map(f32::to_bits));
}

fn box32(words: &[u32; 34], writer: &str, flat: &mut Flat) {
    let node = Fp32BoxNode::decode(&first(words));
    flat.list("children", node.children.map(|child| child.0));
    for (slot, bounds) in node.boxes.iter().enumerate() {
        aabb(&format!("boxes[{slot}]."), bounds, flat);
    }
    if writer == "hiprt" {
        flat.add("parent_index", words[28]);
        flat.add("update_counter", words[29]);
        flat.add("child_count", words[30]);
    } else {
        flat.list("flags", node.flag_bytes);
        flat.add("primitive_count", node.primitive_count);
    }
}

fn triangle(words: &[u32; 34], writer: &str, flat: &mut Flat) {
    for k in 0..5 {
        flat.list(&format!("vertices[{k}]"), words[3 * k..3 * k + 3].iter().copied());
    }
    flat.add("id_word", words[15]);
    for (which, byte) in words[15].to_le_bytes().into_iter().enumerate() {
        let (path, info) = (format!("triangles[{which}]"), TriangleInfo::from_byte(byte));
        flat.list(&format!("{path}.corners"), CORNERS[which].map(|k| k as u64));
        for (name, value) in [
            ("type", which as u8),
            ("i_source", info.i_source),
            ("j_source", info.j_source),
            ("double_sided", info.double_sided.into()),
            ("flip_winding", info.flip_winding.into()),
            ("procedural", info.procedural.into()),
            ("opaque", info.opaque.into()),
        ] {
            flat.add(format!("{path}.{name}"), value);
        }
    }
    if writer.starts_with("radv") {
        let node = RadvTriangleNode::decode(&first(words));
        flat.list("primitives", [node.primitive_id]);
        flat.add("geometry", node.geometry_id);
        flat.add("geometry_opaque", node.geometry_flags >> 3);
    } else if writer == "gfx12" {
        flat.list("primitives", [words[12], words[13]]);
        flat.add("geometry", words[14]);
    } else {
        let node = GpurtTriangleNode::decode(&first(words));
        flat.list("primitives", node.primitive_ids);
        flat.add("geometry", node.geometry_id);
        flat.add("geometry_flags", node.geometry_flags);
    }
}

fn procedural(words: &[u32; 34], writer: &str, flat: &mut Flat) {
    if writer.starts_with("radv") {
        let node = RadvProceduralNode::decode(&first(words));
        flat.add("primitive", node.primitive_id);
        flat.add("geometry", node.geometry_id);
        flat.add("geometry_opaque", node.geometry_flags >> 3);
        return;
    }
    let node = ProceduralNode::decode(&first(words));
    aabb("", &node.bounds, flat);
    let is_rra = writer == "rra";
    flat.add("primitive", if is_rra { node.file_primitive_id } else { node.primitive_id });
    flat.add("geometry", node.geometry_id);
    // In files of RADV the flags are the top four bits.
    flat.add("geometry_opaque", node.geometry_flags >> 7 | node.geometry_flags & 1);
    flat.add("geometry_flags", node.geometry_flags);
}

fn instance(words: &[u32; 34], writer: &str, flat: &mut Flat) {
    if writer == "hiprt" {
        let node = HiprtInstanceNode::decode(&first(words));
        transform("world_to_object", &node.world_to_object, flat);
        flat.add("geometry_address", node.geometry_address);
        flat.add("mask", node.mask);
        flat.add("instance_index", node.instance_index);
        flat.add("type", node.is_scene);
        flat.add("static", node.is_static);
        flat.add("identity", node.is_identity);
        return;
    }
    let base = |base: BasePointer, flat: &mut Flat| {
        flat.add("base", base.0);
        flat.add("address", base.address());
        flat.add("flags", base.flags().bits());
    };
    if writer.starts_with("radv") {
        let node = RadvInstanceNode::decode(&first(words));
        base(node.child_base, flat);
        flat.add("custom_index", node.custom_index);
        flat.add("mask", node.mask);
        flat.add("sbt_offset", node.sbt_offset);
        flat.add("api_flags", node.flags().bits());
        transform("world_to_object", &node.world_to_object, flat);
        transform("object_to_world", &node.object_to_world, flat);
        flat.add("instance_index", node.instance_index);
        flat.add("bvh_offset", node.bvh_offset);
    } else {
        let node = GpurtInstanceNode::decode(&first(words));
        base(node.child_base, flat);
        flat.add("custom_index", node.instance_id);
        flat.add("mask", node.mask);
        flat.add("sbt_offset", node.sbt_offset);
        flat.add("api_flags", node.api_flags);
        transform("world_to_object", &node.world_to_object, flat);
        transform("object_to_world", &node.object_to_world, flat);
        flat.add("instance_index", node.instance_index);
        flat.add("metadata_size", node.metadata_size);
        flat.add("root", node.child_root.0);
    }
}

/// The fields of RADV's header.
pub(super) fn radv_header(header: &RadvHeader, flat: &mut Flat) {
    flat.add("bvh_offset", header.bvh_offset);
    flat.add("root_flags", header.root_flags);
    flat.list("min", header.root_min.map(f32::to_bits));
    flat.list("max", header.root_max.map(f32::to_bits));
    flat.list("update_dispatch", header.update_dispatch);
    flat.add("compacted_size", header.compacted_size);
    flat.add("serialization_size", header.serialization_size);
    flat.list("copy_dispatch", header.copy_dispatch);
    flat.add("size", header.size);
    flat.add("geometry_type", header.geometry_type);
    flat.add("geometry_count", header.geometry_count);
    flat.add("leaf_nodes_offset", header.leaf_offset);
    flat.add("primitive_count", header.primitive_count);
    flat.add("instance_count", header.instance_count);
    flat.add("leaf_node_offsets_offset", header.leaf_node_offsets_offset);
    flat.add("build_flags", header.build_flags);
    flat.add("type", header.structure_type);
}

/// The fields of GPURT's header.
pub(super) fn gpurt_header(header: &GpurtHeader, flat: &mut Flat) {
    flat.add("info", header.info);
    let bits = |name: &str, start: u32, count: u32, flat: &mut Flat| {
        flat.add(format!("info_fields.{name}"), header.info >> start & ((1 << count) - 1));
    };
    for (name, start, count) in [
        ("blas", 0, 1),
        ("cpu", 1, 1),
        ("mode", 2, 4),
        ("triangle_compression", 6, 3),
        ("fp16_mode", 9, 2),
        ("rebraid", 12, 1),
        ("fused", 13, 1),
        ("build_flags", 16, 16),
    ] {
        bits(name, start, count, flat);
    }
    for (name, value) in [
        ("metadata_size", header.metadata_size),
        ("total_size", header.total_size),
        ("primitive_count", header.primitive_count),
        ("active_primitive_count", header.active_primitive_count),
        ("reserved", header.obb_metadata_offset),
        ("descriptor_count", header.descriptor_count),
        ("geometry_type", header.geometry_type),
        ("internal_node_offset", header.internal_node_offset),
        ("leaf_node_offset", header.leaf_node_offset),
        ("geometry_info_offset", header.geometry_info_offset),
        ("primitive_pointer_offset", header.primitive_pointer_offset),
        ("internal_fp32_count", header.internal_fp32_count),
        ("internal_fp16_count", header.internal_fp16_count),
        ("leaf_node_count", header.leaf_node_count),
        ("version", header.version),
        ("uuid_lo", header.uuid[0]),
        ("uuid_hi", header.uuid[1]),
        ("rt_ip_level", header.rt_ip_level),
        ("info2", header.info2),
        ("packed_flags", header.packed_flags),
        ("compacted_size", header.compacted_size),
    ] {
        flat.add(name, value);
    }
    flat.list("root_min", header.root_min.map(f32::to_bits));
    flat.list("root_max", header.root_max.map(f32::to_bits));
}
