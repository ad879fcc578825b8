//! Packing a run of leaves into primitive nodes, one range after another.
//!
//! Each leaf is one range: consecutive pairs, the last with a stop bit. A range starts where the
//! one before it ended, in the same node if it fits there as a whole, else in the next. A range too
//! large for a node starts a node and continues in those behind. A pair lacks its second triangle
//! at the end of the range, or where a node has no room for it, as long as the range has
//! [`RANGE_PAIRS`] at most. Whatever order the leaves come in is kept, so packing what was decoded
//! gives the same nodes.

use super::error::EncodeError;
use super::leaves::{RANGE_PAIRS, pairs_needed};
use super::triangle_fill::{ALL_VERTICES, DENSE_VERTICES, Footprint, TriangleFill};
use super::{Options, Policy};
use crate::layout::{
    NodeBits, PackError, PrimitiveNode, ProceduralBox, ProceduralWriter, type_of_pair,
};
use geometry::Triangle;
use tree::{Bvh, PrimitiveFlags, PrimitiveId, Primitives};

/// The nodes of a run, and where its ranges begin.
#[derive(Debug, Default)]
pub(crate) struct PackedRun {
    /// The nodes.
    pub(crate) nodes: Vec<NodeBits>,
    /// For each leaf of the run, where its range begins.
    pub(crate) starts: Vec<RangeStart>,
    /// For each reference of the run's leaves, node and type as in a pointer: `node << 4 | type`.
    pub(crate) pointers: Vec<u32>,
    /// What was stored.
    pub(crate) stored: Stored,
}

/// Where a range begins and how many nodes end in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RangeStart {
    /// Node of the run.
    pub(crate) node: u32,
    /// Four type bits: the pair.
    pub(crate) node_type: u8,
    /// Nodes that end inside the range.
    pub(crate) length: u8,
}

/// Counts of what primitive nodes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stored {
    /// Nodes with triangles.
    pub(crate) triangle_nodes: usize,
    /// Triangles in them, absent ones not counted.
    pub(crate) triangles: usize,
    /// Pairs in them.
    pub(crate) pairs: usize,
    /// Vertices in them.
    pub(crate) vertices: usize,
    /// Bits that vertices and prefixes take.
    pub(crate) vertex_bits: usize,
    /// Nodes with a procedural.
    pub(crate) procedurals: usize,
}

impl Stored {
    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            triangle_nodes: self.triangle_nodes + other.triangle_nodes,
            triangles: self.triangles + other.triangles,
            pairs: self.pairs + other.pairs,
            vertices: self.vertices + other.vertices,
            vertex_bits: self.vertex_bits + other.vertex_bits,
            procedurals: self.procedurals + other.procedurals,
        }
    }

    /// Counts a node with so many triangles; none means a procedural.
    pub(crate) fn add_node(&mut self, node: &NodeBits, triangles: usize) {
        if triangles == 0 {
            self.procedurals += 1;
            return;
        }
        let node = PrimitiveNode::decode(node);
        let descriptors = (0..node.pair_count()).flat_map(|pair| node.pair(pair).triangles);
        let highest = descriptors.flat_map(|triangle| triangle.indices).max().unwrap_or(0);
        let vertices = usize::from(highest) + 1;
        self.triangle_nodes += 1;
        self.triangles += triangles;
        self.pairs += node.pair_count();
        self.vertices += vertices;
        let header = node.header();
        let prefixes: usize = (0..3).map(|axis| header.prefix_bits(axis)).sum();
        self.vertex_bits += prefixes + vertices * header.vertex_stride();
    }
}

/// Packs runs of one BLAS.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunPacker<'a> {
    /// The level, for messages.
    level: usize,
    /// Its hierarchy, whose leaves are ranges.
    bvh: &'a Bvh,
    /// Its primitives.
    primitives: &'a Primitives,
    /// Most vertices of a node.
    vertex_limit: usize,
    /// Whether dense nodes have room for vertices that move.
    is_updatable: bool,
    /// Whose procedural nodes to write.
    procedural_writer: ProceduralWriter,
}

impl<'a> RunPacker<'a> {
    /// The packer of a policy.
    pub(crate) fn new(
        level: usize,
        bvh: &'a Bvh,
        primitives: &'a Primitives,
        options: &Options,
    ) -> Self {
        let (vertex_limit, procedural_writer) = match options.policy {
            Policy::Dense => (DENSE_VERTICES, ProceduralWriter::Gpurt),
            Policy::Gpurt => (ALL_VERTICES, ProceduralWriter::Gpurt),
            Policy::Radv | Policy::Hiprt => (DENSE_VERTICES, ProceduralWriter::Radv),
        };
        let is_updatable = options.updatable;
        Self { level, bvh, primitives, vertex_limit, is_updatable, procedural_writer }
    }

    /// Adds ranges to the open node as [`RunPacker::pack`] does; returns the nodes in which they
    /// start, counted from the open one.
    pub(crate) fn simulate(&self, leaves: &[u32], open: &mut Footprint) -> Vec<u32> {
        let mut closed = 0;
        let mut starts = Vec::with_capacity(leaves.len());
        for &leaf in leaves {
            let items = self.items(leaf);
            if let Some(extended) = self.extend(items, open) {
                *open = extended;
                starts.push(closed);
                continue;
            }
            let mut close = |open: &mut Footprint| {
                closed += u32::from(!open.is_empty());
                *open = self.empty_node();
                closed
            };
            starts.push(close(open));
            if items.iter().all(|&item| self.is_triangle(item)) {
                for part in self.divided(items) {
                    close(open);
                    *open = self.extend(part, open).unwrap_or(*open);
                }
            }
        }
        starts
    }

    /// A range of triangles cut where nodes end that it does not fit into as a whole.
    fn divided<'i>(&self, items: &'i [u32]) -> Vec<&'i [u32]> {
        let (mut parts, mut rest, mut pairs) = (Vec::new(), items, 0);
        while !rest.is_empty() {
            let mut node = self.empty_node();
            let pairs_after: Vec<usize> = rest
                .iter()
                .map_while(|&item| {
                    let (triangle, id) = self.triangle(item);
                    node.push(triangle, id).map(|_| node.pair_count())
                })
                .collect();
            // Cut behind an even number of triangles, the range never needs more pairs.
            let is_short = |&count: &usize| {
                let needed = pairs_needed(&rest[count..], self.primitives);
                pairs + pairs_after[count - 1] + needed <= RANGE_PAIRS
            };
            let most = pairs_after.len();
            let count = (1..=most).rev().find(is_short).unwrap_or(most).max(1);
            pairs += pairs_after.get(count - 1).copied().unwrap_or(1);
            let (part, others) = rest.split_at(count);
            parts.push(part);
            rest = others;
        }
        parts
    }

    /// A node with a whole range of triangles added, if it fits.
    pub(crate) fn extend(&self, items: &[u32], open: &Footprint) -> Option<Footprint> {
        let mut extended = *open;
        for &item in items {
            if !self.is_triangle(item) {
                return None;
            }
            let (triangle, id) = self.triangle(item);
            extended.push(triangle, id)?;
        }
        extended.close_pair();
        Some(extended)
    }

    /// An empty node.
    pub(crate) fn empty_node(&self) -> Footprint {
        match self.is_updatable {
            true => Footprint::updatable(self.vertex_limit),
            false => Footprint::new(self.vertex_limit),
        }
    }

    /// References in all leaves of the level.
    pub(crate) fn reference_count(&self) -> usize {
        self.bvh.indices().len()
    }

    /// The primitives.
    pub(crate) fn primitives(&self) -> &'a Primitives {
        self.primitives
    }

    /// Most vertices of a node.
    pub(crate) fn vertex_limit(&self) -> usize {
        self.vertex_limit
    }

    /// The items of a leaf entry.
    pub(crate) fn items(&self, leaf: u32) -> &'a [u32] {
        self.bvh.items(&self.bvh.nodes()[leaf as usize])
    }

    /// Whether an item is a triangle.
    pub(crate) fn is_triangle(&self, item: u32) -> bool {
        (item as usize) < self.primitives.triangles.len()
    }

    /// Packs a run of leaf entries.
    pub(crate) fn pack(&self, leaves: &[u32]) -> Result<PackedRun, EncodeError> {
        let mut open = OpenNode::new(self.empty_node());
        let mut run = PackedRun::default();
        for &leaf in leaves {
            let items = self.items(leaf);
            if let [item] = *items
                && !self.is_triangle(item)
            {
                self.close(&mut open, &mut run)?;
                let node = run.nodes.len();
                run.starts.push(RangeStart { node: node as u32, node_type: 0, length: 1 });
                run.pointers.push((node as u32) << 4);
                let packed = *self.named(node, self.procedural(item))?.bits();
                run.stored.add_node(&packed, 0);
                run.nodes.push(packed);
            } else {
                self.add_range(items, &mut open, &mut run)?;
            }
        }
        self.close(&mut open, &mut run)?;
        for k in 0..run.starts.len() {
            let next = run.starts.get(k + 1).map_or(run.nodes.len() as u32, |start| start.node);
            run.starts[k].length = (next - run.starts[k].node) as u8;
        }
        Ok(run)
    }

    fn add_range(
        &self,
        items: &[u32],
        open: &mut OpenNode,
        run: &mut PackedRun,
    ) -> Result<(), EncodeError> {
        // Either everything fits behind what is there, or the node is a fresh one.
        let parts = if self.extend(items, open.fill.footprint()).is_some() {
            vec![items]
        } else {
            self.close(open, run)?;
            self.divided(items)
        };
        let node_type = type_of_pair(open.fill.pair_count() as u8);
        run.starts.push(RangeStart { node: run.nodes.len() as u32, node_type, length: 0 });
        for (number, part) in parts.into_iter().enumerate() {
            if number > 0 {
                self.close(open, run)?;
            }
            for &item in part {
                if !open.push(self.triangle(item)) {
                    return Err(self.id_error(item));
                }
                let node_type = type_of_pair(open.fill.pair_count() as u8 - 1);
                run.pointers.push((run.nodes.len() as u32) << 4 | u32::from(node_type));
            }
        }
        open.stop();
        Ok(())
    }

    pub(crate) fn triangle(&self, item: u32) -> (&'a Triangle, PrimitiveId) {
        (&self.primitives.triangles[item as usize], self.primitives.ids[item as usize])
    }

    /// One triangle always fits, unless an id is wider than its field; ids were checked before.
    fn id_error(&self, item: u32) -> EncodeError {
        let id = self.primitives.ids[item as usize];
        let (level, primitive) = (self.level, item as usize);
        bvh4::EncodeError::Id {
            level,
            primitive,
            which: "primitive",
            found: id.primitive,
            limit: 1 << 29,
        }
        .into()
    }

    fn close(&self, open: &mut OpenNode, run: &mut PackedRun) -> Result<(), EncodeError> {
        if !open.fill.is_empty() {
            let packed = open.fill.pack(&open.stops[..open.fill.pair_count()]);
            let packed = *self.named(run.nodes.len(), packed)?.bits();
            run.stored.add_node(&packed, open.triangles);
            run.nodes.push(packed);
            *open = OpenNode::new(self.empty_node());
        }
        Ok(())
    }

    /// The node of a procedural.
    pub(crate) fn procedural(&self, item: u32) -> Result<PrimitiveNode, PackError> {
        let id = self.primitives.ids[item as usize];
        let procedural = ProceduralBox {
            bounds: self.primitives.bounds(item as usize),
            primitive_id: id.primitive,
            geometry_id: id.geometry,
            opaque: id.flags.contains(PrimitiveFlags::OPAQUE),
        };
        procedural.write(self.procedural_writer)
    }

    /// Names the node that could not be packed.
    pub(crate) fn named<T>(
        &self,
        node: usize,
        packed: Result<T, PackError>,
    ) -> Result<T, EncodeError> {
        packed.map_err(|source| EncodeError::Pack { level: self.level, node, source })
    }
}

/// The node that is being filled, and which of its pairs end a range.
#[derive(Clone, Copy)]
struct OpenNode {
    fill: TriangleFill,
    stops: [bool; 8],
    triangles: usize,
}

impl OpenNode {
    fn new(empty: Footprint) -> Self {
        let fill = TriangleFill::starting(empty);
        Self { fill, stops: [false; 8], triangles: 0 }
    }

    fn push(&mut self, (triangle, id): (&Triangle, PrimitiveId)) -> bool {
        let pushed = self.fill.push(triangle, id);
        self.triangles += usize::from(pushed);
        pushed
    }

    /// Ends the range with the last pair.
    fn stop(&mut self) {
        if let Some(last) = self.fill.pair_count().checked_sub(1) {
            self.stops[last] = true;
            self.fill.close_pair();
        }
    }
}
