//! A real image: a binary file, and what every node of it decodes to.
//!
//! | section | one case for each |
//! |---|---|
//! | `bytes`, `sha256` | size and digest of the binary |
//! | `header` | its offsets and `words` |
//! | `boxes` | box node: fields, child pointers, codes, planes, the pairs of every range |
//! | `primitive_nodes` | primitive node: header, descriptors, ids, vertices |
//!
//! Box nodes lie at `header.box_offset`, primitive nodes at `header.primitive_offset`; the two kinds of
//! pointers count from those two bases (HIPRT). Values that a section leaves out are not tested; members that
//! carry no bits of the format (decimals, notes) are not looked at.

use super::VectorReport;
use super::fields::Fields;
use super::place::{Place, VectorError};
use crate::layout::{BoxNode, NODE_BYTES, NodeBits, NodePointer, PrimitiveNode};
use serde_json::json;
use sha2::{Digest, Sha256};

/// What a file may hold.
pub(super) const SECTIONS: &[&str] = &["bytes", "sha256", "header", "boxes", "primitive_nodes"];

/// The binary and where its two arrays start.
struct Dump {
    bytes: Vec<u8>,
    box_offset: usize,
    primitive_offset: usize,
}

/// Compares a binary with its decode, node by node.
pub(super) fn run(
    root: &Place<'_>,
    attachment: impl FnOnce(&str) -> std::io::Result<Vec<u8>>,
) -> Result<VectorReport, VectorError> {
    let file = root.field("file")?;
    let bytes = attachment(file.text()?).map_err(|error| VectorError::Attachment {
        place: file.path(),
        file: file.text().unwrap_or_default().to_owned(),
        error,
    })?;
    let mut report = VectorReport::default();
    if let Some(size) = root.optional("bytes")? {
        let expected = size.number(u64::MAX)?;
        report.record("bytes".to_owned(), json!(expected), json!(bytes.len()));
    }
    if let Some(digest) = root.optional("sha256")? {
        let got: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        report.record("sha256".to_owned(), json!(digest.text()?.to_lowercase()), json!(got));
    }
    let dump = read_header(root, bytes, &mut report)?;
    run_section(root, "boxes", &mut report, |index, node| dump.box_case(index, node))?;
    run_section(root, "primitive_nodes", &mut report, |index, node| {
        dump.primitive_case(index, node)
    })?;
    Ok(report)
}

/// Finds the two arrays, and compares the header's words with the binary.
fn read_header(
    root: &Place<'_>,
    bytes: Vec<u8>,
    report: &mut VectorReport,
) -> Result<Dump, VectorError> {
    let (mut box_offset, mut primitive_offset) = (0, 0);
    if let Some(header) = root.optional("header")? {
        let offset = |name| -> Result<usize, VectorError> {
            header.optional(name)?.map_or(Ok(0), |place| Ok(place.word()? as usize))
        };
        (box_offset, primitive_offset) = (offset("box_offset")?, offset("primitive_offset")?);
        if let Some(words) = header.optional("words")? {
            let places = words.elements()?;
            let mut fields = Fields::default();
            fields.list("words", &places, |k| word_at(&bytes, 4 * k))?;
            let (expected, got) = fields.finish();
            report.record("header".to_owned(), expected, got);
        }
    }
    Ok(Dump { bytes, box_offset, primitive_offset })
}

/// Runs every element of a section; its `index` is its position unless it says otherwise.
fn run_section(
    root: &Place<'_>,
    section: &str,
    report: &mut VectorReport,
    case: impl Fn(usize, &Place<'_>) -> Result<Fields, VectorError>,
) -> Result<(), VectorError> {
    let Some(nodes) = root.optional(section)? else { return Ok(()) };
    for (position, node) in nodes.elements()?.iter().enumerate() {
        let index = match node.optional("index")? {
            Some(index) => index.number(u64::from(u32::MAX))? as usize,
            None => position,
        };
        let (expected, got) = case(index, node)?.finish();
        report.record(format!("{section}/{index}"), expected, got);
    }
    Ok(())
}

impl Dump {
    /// The node at an index of an array; zeros where the binary ends.
    fn node(&self, array: usize, index: usize) -> NodeBits {
        let start = index.checked_mul(NODE_BYTES as usize).and_then(|at| at.checked_add(array));
        NodeBits::from_bytes(start.and_then(|at| self.bytes.get(at..)).unwrap_or_default())
    }

    fn primitive_node(&self, index: usize) -> PrimitiveNode {
        PrimitiveNode::decode(&self.node(self.primitive_offset, index))
    }

    fn box_case(&self, index: usize, place: &Place<'_>) -> Result<Fields, VectorError> {
        let bits = self.node(self.box_offset, index);
        let node = BoxNode::decode(&bits);
        let mut fields = Fields::default();
        if let Some(dwords) = place.optional("dwords")? {
            fields.list("dwords", &dwords.elements()?, |k| Some(bits.word(k)))?;
        }
        let pointer = NodePointer::new(index as u64 * NODE_BYTES, 5);
        for (name, got) in [
            ("pointer", pointer.map_or(u32::MAX, |p| p.0)),
            ("internal_base", node.internal_base),
            ("primitive_base", node.primitive_base),
            ("parent", node.parent.0),
            ("index_in_parent", u32::from(node.index_in_parent)),
            ("child_count", u32::from(node.child_count)),
            ("obb_index", u32::from(node.obb_matrix_index)),
        ] {
            fields.number(name, place, got)?;
        }
        fields.numbers("origin", place, node.frame.origin.map(f32::to_bits))?;
        fields.numbers("exponents", place, node.frame.exponents.map(u32::from))?;
        if let Some(children) = place.optional("children")? {
            for (position, child) in children.elements()?.iter().enumerate() {
                let slot = match child.optional("slot")? {
                    Some(slot) => slot.number(7)? as usize,
                    None => position.min(7),
                };
                fields.nested(format!("child {slot}"), self.child_case(&node, slot, child)?);
            }
        }
        Ok(fields)
    }

    fn child_case(
        &self,
        node: &BoxNode,
        slot: usize,
        place: &Place<'_>,
    ) -> Result<Fields, VectorError> {
        let (entry, pointer) = (node.children[slot], node.child_pointers()[slot]);
        let bounds = node.child_box(slot);
        let used = slot < usize::from(node.child_count);
        let mut fields = Fields::default();
        if let Some(valid) = place.optional("valid")? {
            fields.put("valid", valid.value().clone(), json!(used && entry.is_valid()));
        }
        for (name, got) in [
            ("pointer", pointer.0),
            ("type", u32::from(entry.node_type)),
            ("range", u32::from(entry.range_length)),
            ("mask", u32::from(entry.mask)),
            ("cull_flags", u32::from(entry.cull_flags.bits())),
        ] {
            fields.number(name, place, got)?;
        }
        fields.numbers("qmin", place, entry.min.map(u32::from))?;
        fields.numbers("qmax", place, entry.max.map(u32::from))?;
        fields.numbers("min", place, bounds.min.to_array().map(f32::to_bits))?;
        fields.numbers("max", place, bounds.max.to_array().map(f32::to_bits))?;
        if used && pointer.is_primitive() {
            self.range_case(pointer, place, &mut fields)?;
        }
        Ok(fields)
    }

    /// The pairs and primitive ids of the range behind a child.
    fn range_case(
        &self,
        first: NodePointer,
        place: &Place<'_>,
        fields: &mut Fields,
    ) -> Result<(), VectorError> {
        if let Some(pairs) = place.optional("range_pairs")? {
            let expected = pairs.elements()?;
            // One more than expected is enough to see that there are too many.
            let range = self.range(first, expected.len() + 1);
            fields.put("range length", json!(expected.len()), json!(range.len()));
            for (k, (place, pair)) in expected.iter().zip(&range).enumerate() {
                let mut inner = Fields::default();
                inner.number("node", place, pair.node as u32)?;
                inner.number("pair", place, pair.pair as u32)?;
                inner.number("stop", place, u32::from(pair.stop))?;
                if let Some(prims) = place.optional("prims")? {
                    inner.whole_list("prims", &prims.elements()?, &pair.primitives)?;
                }
                fields.nested(format!("range pair {k}"), inner);
            }
        }
        if let Some(prims) = place.optional("prims")? {
            let expected = prims.elements()?;
            let range = self.range(first, expected.len() + 1);
            let all: Vec<u32> = range.into_iter().flat_map(|pair| pair.primitives).collect();
            fields.whole_list("prims", &expected, &all)?;
        }
        Ok(())
    }

    /// The first pairs of a range, up to its stop bit, a limit, or the end of the binary.
    fn range(&self, first: NodePointer, limit: usize) -> Vec<RangePair> {
        let node_count = self.bytes.len().saturating_sub(self.primitive_offset) as u64 / NODE_BYTES;
        let mut pairs = Vec::new();
        let mut pointer = first;
        while pairs.len() < limit && pointer.byte_offset() / NODE_BYTES < node_count {
            let index = (pointer.byte_offset() / NODE_BYTES) as usize;
            let node = self.primitive_node(index);
            let pair = usize::from(pointer.pair());
            let stop = node.pair(pair).prim_range_stop;
            let primitives = present_triangles(&node, pair)
                .map(|which| node.primitive_id(2 * pair + which))
                .collect();
            pairs.push(RangePair { node: index, pair, stop, primitives });
            if stop {
                break;
            }
            pointer = pointer.advance(pair + 1 >= node.pair_count());
        }
        pairs
    }

    fn primitive_case(&self, index: usize, place: &Place<'_>) -> Result<Fields, VectorError> {
        let node = self.primitive_node(index);
        let mut fields = Fields::default();
        if let Some(dwords) = place.optional("dwords")? {
            fields.list("dwords", &dwords.elements()?, |k| Some(node.bits().word(k)))?;
        }
        if let Some(header) = place.optional("header")? {
            fields.nested("header".to_owned(), header_case(&node, &header)?);
        }
        if let Some(pairs) = place.optional("pairs")? {
            for (position, pair) in pairs.elements()?.iter().enumerate() {
                let number = match pair.optional("pair")? {
                    Some(number) => number.number(7)? as usize,
                    None => position.min(7),
                };
                fields.nested(format!("pair {number}"), pair_case(&node, number, pair)?);
            }
        }
        Ok(fields)
    }
}

/// One pair of a range, and the ids of its triangles.
struct RangePair {
    node: usize,
    pair: usize,
    stop: bool,
    primitives: Vec<u32>,
}

/// Triangle 0, and triangle 1 unless it is absent.
fn present_triangles(node: &PrimitiveNode, pair: usize) -> impl Iterator<Item = usize> + use<> {
    let absent = node.pair(pair).triangles[1].is_absent();
    0..if absent { 1 } else { 2 }
}

fn header_case(node: &PrimitiveNode, place: &Place<'_>) -> Result<Fields, VectorError> {
    let header = node.header();
    let mut fields = Fields::default();
    for (name, got) in [
        ("x_bits", u32::from(header.vertex_bits[0])),
        ("y_bits", u32::from(header.vertex_bits[1])),
        ("z_bits", u32::from(header.vertex_bits[2])),
        ("trailing_zeros", u32::from(header.trailing_zeros)),
        ("raw_20_27", node.bits().get(20..28)),
        ("geom_base_bits", u32::from(header.geometry_base_bits)),
        ("geom_payload_bits", u32::from(header.geometry_payload_bits)),
        ("pair_count", u32::from(header.pair_count)),
        ("vertex_type", u32::from(header.vertex_type)),
        ("prim_base_bits", u32::from(header.primitive_base_bits)),
        ("prim_payload_bits", u32::from(header.primitive_payload_bits)),
        ("midpoint", u32::from(header.midpoint)),
    ] {
        fields.number(name, place, got)?;
    }
    Ok(fields)
}

fn pair_case(node: &PrimitiveNode, pair: usize, place: &Place<'_>) -> Result<Fields, VectorError> {
    let descriptor = node.pair(pair);
    let mut fields = Fields::default();
    fields.number("descriptor", place, descriptor.encode())?;
    fields.number("stop", place, u32::from(descriptor.prim_range_stop))?;
    fields.numbers("prim_ids", place, [0, 1].map(|which| node.primitive_id(2 * pair + which)))?;
    if let Some(triangles) = place.optional("triangles")? {
        let places = triangles.elements()?;
        let present = present_triangles(node, pair).count();
        fields.put("triangle count", json!(places.len()), json!(present));
        for (which, triangle) in places.iter().enumerate().take(2) {
            let corners = node.triangle(pair, which);
            let mut inner = Fields::default();
            let indices = descriptor.triangles[which].indices.map(u32::from);
            inner.numbers("indices", triangle, indices)?;
            if let Some(vertices) = triangle.optional("vertices")? {
                for (k, vertex) in vertices.exactly::<3>()?.iter().enumerate() {
                    let words = corners.vertices[k].to_array().map(f32::to_bits);
                    inner.list(&format!("vertex {k}"), &vertex.exactly::<3>()?, |axis| {
                        words.get(axis).copied()
                    })?;
                }
            }
            fields.nested(format!("triangle {which}"), inner);
        }
    }
    Ok(fields)
}

/// The little-endian word at a byte position.
fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}
