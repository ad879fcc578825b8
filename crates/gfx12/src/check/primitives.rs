//! Rules of primitive nodes: every node that a range reaches, and every pair in it, once.

use super::boxes::text;
use super::{Findings, Place, Rule};
use crate::decode::{Pairs, Stored, split_key, stored};
use crate::layout::primitive_header::ID_FIELDS;
use crate::layout::{
    NodePointer, PairDescriptor, PrimitiveHeader, PrimitiveNode, TriangleDescriptor,
    pair_descriptor_bits,
};
use crate::survey::{Memory, Survey, Surveyed};
use rayon::prelude::*;
use std::ops::Range;

/// Pairs in one task.
const CHUNK: usize = 1 << 12;

/// Checks the primitive nodes of a structure.
pub(super) fn check(
    memory: &Memory<'_>,
    survey: &Survey,
    surveyed: &Surveyed,
    pairs: &Pairs,
    findings: &mut Findings,
) {
    let chunks: Vec<Findings> = pairs
        .keys()
        .par_chunks(CHUNK)
        .map(|keys| {
            let mut findings = Findings::default();
            for same_node in keys.chunk_by(|a, b| a / 8 == b / 8) {
                check_node(memory, survey, surveyed, same_node, &mut findings);
            }
            findings
        })
        .collect();
    chunks.into_iter().for_each(|chunk| findings.merge(chunk));
}

fn check_node(
    memory: &Memory<'_>,
    survey: &Survey,
    surveyed: &Surveyed,
    keys: &[u64],
    findings: &mut Findings,
) {
    let Some(pointer) = NodePointer::new(split_key(keys[0]).0, 0) else { return };
    let node = PrimitiveNode::decode(&surveyed.node(memory, pointer));
    let name = || format!("primitive node {pointer}");
    let address = surveyed.structure.address_of(pointer);
    let place = Place { memory, address, name: &name };
    if survey.visited.is_claimed(memory, address) {
        findings.add(Rule::NodeKind, &place, 0..1024, || {
            ("a box or instance node as well".into(), "a primitive node only".into())
        });
    }
    if node.header().vertex_type {
        findings.add(Rule::VertexType, &place, PrimitiveHeader::vertex_type.bits(), || {
            ("vertex type 1".into(), "vertex type 0, f32".into())
        });
    }
    let mut end_of_vertices = 0;
    for &key in keys {
        let pair = split_key(key).1;
        for which in 0..2 {
            let triangle = node.pair(pair).triangles[which];
            if which == 1 && triangle.is_absent() {
                continue;
            }
            if triangle.is_procedural() {
                check_procedural(&node, pair, which, &place, findings);
            } else {
                let end = check_triangle(&node, pair, which, &triangle, &place, findings);
                end_of_vertices = end_of_vertices.max(end);
            }
        }
    }
    if end_of_vertices > 0 {
        check_widths(node.header(), &place, findings);
    }
    check_ids(&node, keys, end_of_vertices, &place, findings);
}

/// The bits of a triangle's three indices.
fn index_bits(pair: usize, which: usize) -> Range<u32> {
    let triangle = PairDescriptor::triangles.element(which).start;
    TriangleDescriptor::indices.bits_from(pair_descriptor_bits(pair).start + triangle)
}

/// Checks a triangle and returns where its last vertex ends.
fn check_triangle(
    node: &PrimitiveNode,
    pair: usize,
    which: usize,
    triangle: &TriangleDescriptor,
    place: &Place<'_>,
    findings: &mut Findings,
) -> usize {
    let header = node.header();
    let highest = triangle.indices.iter().copied().max().unwrap_or(0);
    let end = header.vertex_range(usize::from(highest), 2).end;
    let descriptors = descriptor_start(header);
    if end > descriptors {
        findings.add(Rule::VertexIndex, place, index_bits(pair, which), || {
            let found =
                format!("pair {pair}, triangle {which}: vertex {highest} ends at bit {end}");
            (found, format!("bit {descriptors}, where the descriptors begin, at most"))
        });
    }
    for index in triangle.indices.map(usize::from) {
        if !node.position(index).is_finite() {
            let bits = header.vertex_range(index, 0).start..header.vertex_range(index, 2).end;
            findings.add(Rule::VertexFinite, place, narrow(bits), || {
                (format!("vertex {index}: {:08x?}", node.vertex(index)), "finite numbers".into())
            });
        }
    }
    end
}

fn check_procedural(
    node: &PrimitiveNode,
    pair: usize,
    which: usize,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let is_alone = node.pair_count() == 1 && node.pair(0).triangles[1].is_absent();
    if pair != 0 || which != 0 || !is_alone {
        findings.add(Rule::ProceduralPair, place, index_bits(pair, which), || {
            let found = format!("a procedural in pair {pair}, triangle {which}, beside others");
            (found, "a procedural as triangle 0 of the only pair".into())
        });
    }
    for stored in stored(node, pair).into_iter().flatten() {
        if let Stored::Box(bounds, _) = stored
            && (!bounds.is_finite() || bounds.is_empty())
        {
            findings.add(Rule::ProceduralBox, place, 52..352, || {
                (text(&bounds), "a finite box that is not inverted".into())
            });
        }
    }
}

/// Payload, and trailing zeros above it, that exceed a component lose bits.
fn check_widths(header: &PrimitiveHeader, place: &Place<'_>, findings: &mut Findings) {
    for (axis, bits) in (0..).zip(header.vertex_bits) {
        if bits + header.trailing_zeros > 32 {
            findings.add(Rule::VertexWidth, place, 5 * axis..5 * axis + 5, || {
                let zeros = header.trailing_zeros;
                (format!("{bits} bits and {zeros} trailing zeros"), "32 bits at most".into())
            });
        }
    }
}

/// The primitive ids of present triangles have bits of their own. Geometry ids may not: RADV lets
/// those of absent triangles overlap vertices, and HIPRT writes none.
fn check_ids(
    node: &PrimitiveNode,
    keys: &[u64],
    end_of_vertices: usize,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let header = node.header();
    let descriptors = descriptor_start(header);
    for &key in keys {
        let pair = split_key(key).1;
        for which in 0..2 {
            if which == 1 && node.pair(pair).triangles[1].is_absent() {
                continue;
            }
            let bits = header.primitive_id_bits(2 * pair + which);
            if !bits.is_empty() && (bits.end > descriptors || bits.start < end_of_vertices) {
                findings.add(Rule::IdField, place, ID_FIELDS, || {
                    let found = format!("primitive id {} at bits {bits:?}", 2 * pair + which);
                    (found, format!("bits within {end_of_vertices}..{descriptors}"))
                });
            }
        }
    }
}

/// Where the descriptors of a node begin.
fn descriptor_start(header: &PrimitiveHeader) -> usize {
    pair_descriptor_bits(usize::from(header.pair_count) - 1).start
}

/// Bits of a node, cut at its end.
fn narrow(bits: Range<usize>) -> Range<u32> {
    bits.start.min(1024) as u32..bits.end.min(1024) as u32
}
