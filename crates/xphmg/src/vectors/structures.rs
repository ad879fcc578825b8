//! Structures: offsets, operand addresses, rings.

use crate::layout::node::NodeShape;
use crate::layout::records::{Queue, ray_entry_bytes, ray_record_bytes, triangle_bytes};
use crate::numeric::ElementFormat;
use crate::readings::{NodeLayout, Readings};
use crate::unit::Unit;
use serde_json::{Value, json};
use vectors::{Case, Comparison, VectorError};

/// A layout of the file against the same object made from the code's own offsets. Members that are
/// prose are left out.
pub(super) fn layout(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    match own_layout(case.key()) {
        Some(own) => comparison.check("layout", case.value(), &own),
        None if case.key() == "node4_flags_word" => (),
        None => return Err(case.wrong("a known layout")),
    }
    Ok(())
}

/// A format of each element width.
const WIDTHS: [ElementFormat; 3] = [ElementFormat::Int8, ElementFormat::Fp16, ElementFormat::Fp32];

fn own_layout(key: &str) -> Option<Value> {
    let by_width = |object: fn(ElementFormat) -> Value| Value::Array(WIDTHS.map(object).to_vec());
    Some(match key {
        "node4" => by_width(node4),
        "node8" => by_width(|format| {
            let shape = NodeShape::new(format, NodeLayout::Packed, true);
            json!({"ew": format.bits(), "bytes": shape.bytes(), "lo": 0, "hi": shape.tile_stride()})
        }),
        "literal88" => {
            let shape = NodeShape::new(ElementFormat::Fp32, NodeLayout::Literal88, false);
            json!({"bytes": shape.bytes(), "stride": shape.stride(), "boxes": boxes(shape),
                "child0_idx": shape.index_offset(0), "child1_idx": shape.index_offset(1),
                "child2_idx": shape.index_offset(2), "child_flags": shape.flags_offset(0)})
        }
        "ray_record" => by_width(|format| {
            let names = ["ox", "oy", "oz", "dx", "dy", "dz", "tmin", "tmax", "w"];
            let offset = |k: usize| (names[k].to_owned(), json!(k * format.bytes()));
            let offsets: serde_json::Map<String, Value> = (0..9).map(offset).collect();
            json!({"ew": format.bits(), "bytes": ray_record_bytes(format), "offsets": offsets})
        }),
        "tri" => by_width(|format| json!({"ew": format.bits(), "bytes": triangle_bytes(format)})),
        "ray_entry" => by_width(|format| {
            let record = ray_record_bytes(format);
            json!({"ew": format.bits(), "bytes": ray_entry_bytes(format), "record": 0,
                "ray_id": record, "zero": record + 4})
        }),
        "tri_range" => json!({"bytes": 16, "first": 0, "count": 4, "base": 8}),
        "queue" => json!({"bytes": 24, "head": 0, "tail": 4, "cap": 8, "rsv": 12, "base": 16}),
        "memctl" => json!({"bytes": 24, "dom": 0, "l1_hint": 1, "l2_hint": 2, "lds_hint": 3,
            "line_sz": 4, "qos": 6, "lds_softpin": 8, "mclass": 16, "sprof_id": 17, "hyb": 18,
            "sec": 19, "rsv0": 20}),
        "rt_desc" => json!({"bytes": 72, "bvh_base": 0, "rayq_desc": 8, "hitq_desc": 16,
            "missq_desc": 24, "tri_buf": 32, "opts": 40, "rsv": 44, "memctl": 48}),
        "hit_entry" => json!({"bytes": 32, "ray_id": 0, "prim": 4, "leaf_idx": 8, "flags": 12,
            "t": 16, "u": 20, "v": 24, "zero": 28}),
        "miss_entry" => json!({"bytes": 8, "ray_id": 0, "zero": 4}),
        _ => return None,
    })
}

fn node4(format: ElementFormat) -> Value {
    let shape = NodeShape::new(format, NodeLayout::Packed, false);
    let (used, metadata) = (shape.element_offset(4, 0) % shape.stride(), shape.index_offset(0));
    let used = if used == 0 { 24 * format.bytes() } else { used };
    let reserved = if used < metadata { vec![[used, metadata - 1]] } else { Vec::new() };
    json!({"ew": format.bits(), "bytes": shape.bytes(), "align": 64, "boxes": boxes(shape),
        "reserved": reserved, "child0_idx": shape.index_offset(0),
        "child1_idx": shape.index_offset(1), "child2_idx": shape.index_offset(2),
        "flags_word": shape.flags_offset(0)})
}

fn boxes(shape: NodeShape) -> Value {
    let corner = |child, first: usize| [0, 1, 2].map(|k| shape.element_offset(child, first + k));
    let object = |child| json!({"child": child, "min": corner(child, 0), "max": corner(child, 3)});
    Value::Array((0..shape.tile_width()).map(object).collect())
}

/// Operand addresses.
pub(super) fn svmem(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let mut unit = Unit::new(Readings::default());
    for (key, register) in [("svm.base", 0x7F0), ("svm.scl", 0x7F2), ("rtbase", 0x8A3)] {
        unit.csr_write(register, case.field(key)?.integer()?);
    }
    let index = case.field("idx")?.integer()?;
    let address = unit.svmem.operand_address(index, unit.rt.base);
    comparison.check("address", &case.field("address")?.integer::<u64>()?, &address);
    Ok(())
}

/// Indices of rings.
pub(super) fn rings(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let [head, tail, cap] = ["head", "tail", "cap"].map(|key| case.field(key));
    let queue =
        Queue { head: head?.integer()?, tail: tail?.integer()?, cap: cap?.integer()?, base: 0 };
    let known = queue.is_valid();
    let got = json!({
        "valid": known,
        "empty": known.then(|| queue.is_empty()),
        "full": known.then(|| queue.is_full()),
        "count": known.then(|| queue.count()),
    });
    let mut expected = json!({});
    for key in ["valid", "empty", "full", "count"] {
        expected[key] = case.field(key)?.value().clone();
    }
    comparison.check("queue", &expected, &got);
    Ok(())
}
