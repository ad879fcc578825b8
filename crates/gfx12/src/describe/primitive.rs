//! The fields of a primitive node, where its header says that they lie.

use super::{AXES, set_value};
use crate::layout::{
    NodeBits, PairDescriptor, PrimitiveHeader, PrimitiveNode, ProceduralBox, ProceduralWriter,
    pair_descriptor_bits,
};
use machine::DescribedField;
use machine::fields::FieldList;

pub(super) fn fields(bits: &NodeBits) -> Vec<DescribedField> {
    let node = &PrimitiveNode::decode(bits);
    let mut list = FieldList::new(bits.words());
    list.add_structure::<PrimitiveHeader>("", 0);
    vertices(node, &mut list);
    ids(node, &mut list);
    for pair in (0..node.pair_count()).rev() {
        let name = format!("pairs[{pair}]");
        let start = pair_descriptor_bits(pair).start;
        list.add_structure::<PairDescriptor>(&format!("{name}."), start);
        if node.pair(pair).triangles[1].is_absent() {
            let name = format!("{name}.triangles[1].indices");
            set_value(&mut list.fields, &name, "absent".to_owned());
        }
    }
    list.fields
}

/// Prefixes and vertices that a triangle names, or the box of a procedural.
fn vertices(node: &PrimitiveNode, list: &mut FieldList<'_>) {
    let pairs = (0..node.pair_count()).flat_map(|pair| node.pair(pair).triangles);
    let triangles: Vec<_> = pairs.collect();
    if triangles[0].is_procedural() {
        return procedural_box(node, list);
    }
    let header = node.header();
    for (axis, letter) in AXES.iter().enumerate() {
        let range = header.prefix_range(axis);
        let value = format!("{} bits", range.len());
        let meaning = "High bits that all vertices share.";
        list.add_value(format!("prefix_{letter}"), range, value, (meaning, "bits"));
    }
    let named = triangles.iter().filter(|triangle| !triangle.is_procedural());
    let count = named.flat_map(|triangle| triangle.indices).max().map_or(0, |last| last + 1);
    for vertex in 0..usize::from(count) {
        for (axis, component) in node.position(vertex).to_array().into_iter().enumerate() {
            let name = format!("vertices[{vertex}].{}", AXES[axis]);
            let meaning = "The bits of a component between the prefix and the dropped zeros.";
            list.add_value(
                name,
                header.vertex_range(vertex, axis),
                format!("{component:?}"),
                (meaning, "scene units"),
            );
        }
    }
}

fn procedural_box(node: &PrimitiveNode, list: &mut FieldList<'_>) {
    let writer = ProceduralWriter::of(node);
    let bounds = ProceduralBox::read(node, writer).bounds;
    let planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
    for (k, plane) in planes.enumerate() {
        let name = format!("procedural_box.{}_{}", ["min", "max"][k / 3], AXES[k % 3]);
        let start = writer.first_box_bit() + 32 * k;
        let meaning = "A plane of the box, for software.";
        list.add_value(name, start..start + 32, format!("{plane:?}"), (meaning, "scene units"));
    }
}

fn ids(node: &PrimitiveNode, list: &mut FieldList<'_>) {
    let header = node.header();
    let about = ("The id of a triangle: the first in full, of others the low bits.", "");
    for n in 0..2 * node.pair_count() {
        let bits = header.geometry_id_bits(n);
        // A malformed header can place ids before the node.
        let bits = bits.start.max(0) as usize..bits.end.max(0) as usize;
        let value = node.geometry_id(n).to_string();
        list.add_value(format!("geometry_ids[{n}]"), bits, value, about);
    }
    for n in 0..2 * node.pair_count() {
        let value = node.primitive_id(n).to_string();
        list.add_value(format!("primitive_ids[{n}]"), header.primitive_id_bits(n), value, about);
    }
}
