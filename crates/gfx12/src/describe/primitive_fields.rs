//! The fields of a primitive node, where its header says that they lie.

use super::{List, float};
use crate::layout::{PrimitiveNode, ProceduralBox, ProceduralWriter, pair_descriptor_bits};

pub(super) fn list(node: &PrimitiveNode, list: &mut List<'_>) {
    header(node, list);
    vertices(node, list);
    ids(node, list);
    for pair in (0..node.pair_count()).rev() {
        descriptor(node, pair, list);
    }
}

fn header(node: &PrimitiveNode, list: &mut List<'_>) {
    let header = node.header();
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        let width = format!("{} bits", header.vertex_bits[axis]);
        list.add(format!("{letter}_bits"), 5 * axis..5 * axis + 5, width);
    }
    list.add("trailing_zeros", 15..20, format!("{} bits dropped", header.trailing_zeros));
    list.add("geometry_base_bits", 20..24, format!("{} bits", header.geometry_base_bits));
    list.add("geometry_payload_bits", 24..28, format!("{} bits", header.geometry_payload_bits));
    let pairs = header.pair_count;
    list.add(
        "pair_count",
        28..31,
        format!("{pairs} {}", if pairs == 1 { "pair" } else { "pairs" }),
    );
    list.add("vertex_type", 31..32, if header.vertex_type { "unorm16" } else { "f32" });
    list.add("primitive_base_bits", 32..37, format!("{} bits", header.primitive_base_bits));
    list.add("primitive_payload_bits", 37..42, format!("{} bits", header.primitive_payload_bits));
    list.add("midpoint", 42..52, format!("bit {}", header.midpoint));
}

/// Prefixes and vertices that a triangle names, or the box of a procedural.
fn vertices(node: &PrimitiveNode, list: &mut List<'_>) {
    let pairs = (0..node.pair_count()).flat_map(|pair| node.pair(pair).triangles);
    let triangles: Vec<_> = pairs.collect();
    if triangles[0].is_procedural() {
        let writer = ProceduralWriter::of(node);
        let bounds = ProceduralBox::read(node, writer).bounds;
        let planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
        for (k, plane) in planes.enumerate() {
            let name = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"][k];
            list.add_float(
                format!("procedural_box.{name}"),
                writer.first_box_bit() + 32 * k,
                plane,
            );
        }
        return;
    }
    let header = node.header();
    for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
        let range = header.prefix_range(axis);
        let text = format!("{} bits", range.len());
        list.add(format!("prefix_{letter}"), range, text);
    }
    let named = triangles.iter().filter(|triangle| !triangle.is_procedural());
    let count = named.flat_map(|triangle| triangle.indices).max().map_or(0, |last| last + 1);
    for vertex in 0..usize::from(count) {
        let position = node.position(vertex).to_array();
        for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
            let name = format!("vertices[{vertex}].{letter}");
            list.add(name, header.vertex_range(vertex, axis), float(position[axis]));
        }
    }
}

fn ids(node: &PrimitiveNode, list: &mut List<'_>) {
    let header = node.header();
    for n in 0..2 * node.pair_count() {
        let bits = header.geometry_id_bits(n);
        // A malformed header can place ids before the node.
        let bits = bits.start.max(0) as usize..bits.end.max(0) as usize;
        list.add(format!("geometry_ids[{n}]"), bits, node.geometry_id(n));
    }
    for n in 0..2 * node.pair_count() {
        let bits = header.primitive_id_bits(n);
        list.add(format!("primitive_ids[{n}]"), bits, node.primitive_id(n));
    }
}

fn descriptor(node: &PrimitiveNode, pair: usize, list: &mut List<'_>) {
    let at = pair_descriptor_bits(pair).start;
    let descriptor = node.pair(pair);
    let name = format!("pairs[{pair}]");
    list.add(format!("{name}.prim_range_stop"), at..at + 1, descriptor.prim_range_stop);
    for (number, start) in [(1, 1), (0, 15)] {
        let triangle = &descriptor.triangles[number];
        let name = format!("{name}.triangles[{number}]");
        let indices = at + start + 2..at + start + 14;
        list.add(format!("{name}.double_sided"), at + start..at + start + 1, triangle.double_sided);
        list.add(format!("{name}.opaque"), at + start + 1..at + start + 2, triangle.opaque);
        let [v0, v1, v2] = triangle.indices;
        let text = if number == 1 && triangle.is_absent() {
            "absent".to_owned()
        } else if triangle.is_procedural() {
            "procedural".to_owned()
        } else {
            format!("vertices {v0}, {v1}, {v2}")
        };
        list.add(format!("{name}.indices"), indices, text);
    }
}
