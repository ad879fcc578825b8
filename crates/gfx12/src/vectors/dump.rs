//! A real image: a binary file, and what every node of it decodes to.
//!
//! | section | one case for each |
//! |---|---|
//! | `bytes`, `sha256` | size and digest of the binary |
//! | `header` | its offsets and `words` |
//! | `boxes` | box node: fields, child pointers, codes, planes, the pairs of every range |
//! | `primitive_nodes` | primitive node: header, descriptors, ids, vertices |
//!
//! Box nodes lie at `header.box_offset`, primitive nodes at `header.primitive_offset`; the two
//! kinds of pointers count from those two bases (HIPRT). Values that a section leaves out are not
//! tested; members that carry no bits of the format (decimals, notes) are not looked at.

use crate::layout::{BoxNode, NODE_BYTES, NodeBits, NodePointer, PrimitiveNode};
use std::rc::Rc;
use vectors::fields::{number, numbers, whole_list, words};
use vectors::{Case, Comparison, Json, VectorError};

/// The binary and where its two arrays start.
struct Dump {
    bytes: Rc<[u8]>,
    box_offset: usize,
    primitive_offset: usize,
}

/// The words of the header.
pub(super) fn header(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let Some(list) = case.tested("words")? else { return Ok(()) };
    let bytes = case.attachment()?;
    words(comparison, "words", &list.elements()?, |k| word_at(&bytes, 4 * k))
}

/// A box node.
pub(super) fn box_node(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    Dump::of(case)?.box_case(index(case)?, case, comparison)
}

/// A primitive node.
pub(super) fn primitive_node(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    Dump::of(case)?.primitive_case(index(case)?, case, comparison)
}

/// Which node of its array a case is about: its position unless it says otherwise.
fn index(case: &Case<'_>) -> Result<usize, VectorError> {
    Ok(match case.tested("index")? {
        Some(index) => index.integer::<u32>()? as usize,
        None => case.position(),
    })
}

/// A slot or pair of a node: the position of its case unless that says otherwise.
fn one_of_eight(json: &Json<'_>, name: &str, position: usize) -> Result<usize, VectorError> {
    let Some(number) = json.tested(name)? else { return Ok(position.min(7)) };
    number.integer().ok().filter(|n| *n < 8).ok_or_else(|| number.wrong("a number from 0 to 7"))
}

impl Dump {
    /// The binary of the file that a case stands in.
    fn of(case: &Case<'_>) -> Result<Self, VectorError> {
        let header = case.root().tested("header")?;
        let offset = |name| -> Result<usize, VectorError> {
            let Some(header) = &header else { return Ok(0) };
            header.tested(name)?.map_or(Ok(0), |json| Ok(json.integer::<u32>()? as usize))
        };
        let (box_offset, primitive_offset) = (offset("box_offset")?, offset("primitive_offset")?);
        Ok(Self { bytes: case.attachment()?, box_offset, primitive_offset })
    }

    /// The node at an index of an array; zeros where the binary ends.
    fn node(&self, array: usize, index: usize) -> NodeBits {
        let start = index.checked_mul(NODE_BYTES as usize).and_then(|at| at.checked_add(array));
        NodeBits::from_bytes(start.and_then(|at| self.bytes.get(at..)).unwrap_or_default())
    }

    fn primitive_node(&self, index: usize) -> PrimitiveNode {
        PrimitiveNode::decode(&self.node(self.primitive_offset, index))
    }

    fn box_case(
        &self,
        index: usize,
        json: &Json<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        let bits = self.node(self.box_offset, index);
        let node = BoxNode::decode(&bits);
        if let Some(dwords) = json.tested("dwords")? {
            words(comparison, "dwords", &dwords.elements()?, |k| Some(bits.word(k)))?;
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
            number(comparison, name, json, got)?;
        }
        numbers(comparison, "origin", json, node.frame.origin.map(f32::to_bits))?;
        numbers(comparison, "exponents", json, node.frame.exponents.map(u32::from))?;
        if let Some(children) = json.tested("children")? {
            for (position, child) in children.elements()?.iter().enumerate() {
                let slot = one_of_eight(child, "slot", position)?;
                comparison.within(&format!("child {slot}"), |part| {
                    self.child_case(&node, slot, child, part)
                })?;
            }
        }
        Ok(())
    }

    fn child_case(
        &self,
        node: &BoxNode,
        slot: usize,
        json: &Json<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        let (entry, pointer) = (node.children[slot], node.child_pointers()[slot]);
        let bounds = node.child_box(slot);
        let used = slot < usize::from(node.child_count);
        if let Some(valid) = json.tested("valid")? {
            comparison.check("valid", &valid.boolean()?, &(used && entry.is_valid()));
        }
        for (name, got) in [
            ("pointer", pointer.0),
            ("type", u32::from(entry.node_type)),
            ("range", u32::from(entry.range_length)),
            ("mask", u32::from(entry.mask)),
            ("cull_flags", u32::from(entry.cull_flags.bits())),
        ] {
            number(comparison, name, json, got)?;
        }
        numbers(comparison, "qmin", json, entry.min.map(u32::from))?;
        numbers(comparison, "qmax", json, entry.max.map(u32::from))?;
        numbers(comparison, "min", json, bounds.min.to_array().map(f32::to_bits))?;
        numbers(comparison, "max", json, bounds.max.to_array().map(f32::to_bits))?;
        if used && pointer.is_primitive() {
            self.range_case(pointer, json, comparison)?;
        }
        Ok(())
    }

    /// The pairs and primitive ids of the range behind a child.
    fn range_case(
        &self,
        first: NodePointer,
        json: &Json<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        if let Some(pairs) = json.tested("range_pairs")? {
            let expected = pairs.elements()?;
            // One more than expected is enough to see that there are too many.
            let range = self.range(first, expected.len() + 1);
            comparison.check("range length", &expected.len(), &range.len());
            for (k, (json, pair)) in expected.iter().zip(&range).enumerate() {
                comparison.within(&format!("range pair {k}"), |part| pair.compare(json, part))?;
            }
        }
        if let Some(prims) = json.tested("prims")? {
            let expected = prims.elements()?;
            let range = self.range(first, expected.len() + 1);
            let all: Vec<u32> = range.into_iter().flat_map(|pair| pair.primitives).collect();
            whole_list(comparison, "prims", &expected, &all)?;
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

    fn primitive_case(
        &self,
        index: usize,
        json: &Json<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), VectorError> {
        let node = self.primitive_node(index);
        if let Some(dwords) = json.tested("dwords")? {
            words(comparison, "dwords", &dwords.elements()?, |k| Some(node.bits().word(k)))?;
        }
        if let Some(header) = json.tested("header")? {
            comparison.within("header", |part| header_case(&node, &header, part))?;
        }
        if let Some(pairs) = json.tested("pairs")? {
            for (position, pair) in pairs.elements()?.iter().enumerate() {
                let number = one_of_eight(pair, "pair", position)?;
                comparison.within(&format!("pair {number}"), |part| {
                    pair_case(&node, number, pair, part)
                })?;
            }
        }
        Ok(())
    }
}

/// One pair of a range, and the ids of its triangles.
struct RangePair {
    node: usize,
    pair: usize,
    stop: bool,
    primitives: Vec<u32>,
}

impl RangePair {
    fn compare(&self, json: &Json<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
        number(comparison, "node", json, self.node as u32)?;
        number(comparison, "pair", json, self.pair as u32)?;
        number(comparison, "stop", json, u32::from(self.stop))?;
        match json.tested("prims")? {
            Some(prims) => whole_list(comparison, "prims", &prims.elements()?, &self.primitives),
            None => Ok(()),
        }
    }
}

/// Triangle 0, and triangle 1 unless it is absent.
fn present_triangles(node: &PrimitiveNode, pair: usize) -> impl Iterator<Item = usize> + use<> {
    let absent = node.pair(pair).triangles[1].is_absent();
    0..if absent { 1 } else { 2 }
}

fn header_case(
    node: &PrimitiveNode,
    json: &Json<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let header = node.header();
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
        number(comparison, name, json, got)?;
    }
    Ok(())
}

fn pair_case(
    node: &PrimitiveNode,
    pair: usize,
    json: &Json<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let descriptor = node.pair(pair);
    number(comparison, "descriptor", json, descriptor.to_raw())?;
    number(comparison, "stop", json, u32::from(descriptor.prim_range_stop))?;
    numbers(comparison, "prim_ids", json, [0, 1].map(|which| node.primitive_id(2 * pair + which)))?;
    if let Some(triangles) = json.tested("triangles")? {
        let triangles = triangles.elements()?;
        comparison.check(
            "triangle count",
            &triangles.len(),
            &present_triangles(node, pair).count(),
        );
        for (which, triangle) in triangles.iter().enumerate().take(2) {
            comparison.within(&format!("triangle {which}"), |part| {
                triangle_case(node, pair, which, triangle, part)
            })?;
        }
    }
    Ok(())
}

fn triangle_case(
    node: &PrimitiveNode,
    pair: usize,
    which: usize,
    json: &Json<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let indices = node.pair(pair).triangles[which].indices.map(u32::from);
    numbers(comparison, "indices", json, indices)?;
    let Some(vertices) = json.tested("vertices")? else { return Ok(()) };
    let corners = node.triangle(pair, which).vertices;
    for (k, vertex) in vertices.exactly::<3>()?.iter().enumerate() {
        let got = corners[k].to_array().map(f32::to_bits);
        let name = format!("vertex {k}");
        words(comparison, &name, &vertex.exactly::<3>()?, |axis| got.get(axis).copied())?;
    }
    Ok(())
}

/// The little-endian word at a byte position.
fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}
