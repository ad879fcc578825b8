//! Tree → image.
//!
//! Nodes stand in the order of a walk level by level, triangles in the order of the nodes. A
//! triangle that spatial splits put into several leaves is stored once for each of them.

use crate::NAME;
use crate::directory::{
    HEADER_BYTES, HeaderFields, IdFields, InstanceFields, LevelFields, RECORD_BYTES,
    ReferenceFields, TriangleFields,
};
use crate::fit::{Below, Part, fit};
use crate::node::{BIAS, Child, EXPONENTS, Node};
use crate::slots::{Cells, assign};
use geometry::{Aabb, GridAxis};
use machine::bits::Bits;
use machine::{Image, Segment};
use tree::{Blas, Bvh, Instance, Tlas, Tree, UnsoundTree};

const DIRECTORY_ADDRESS: u64 = 0x1000;

/// Why a tree has no image in this format. The TLAS counts as the level behind the last BLAS.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CwbvhEncodeError {
    /// The format holds triangles only.
    #[error("level {level} has {boxes} procedural boxes, which the format cannot hold")]
    Procedural {
        /// The level.
        level: usize,
        /// How many there are.
        boxes: usize,
    },
    /// A box is empty or not finite.
    #[error("level {level}, node {node}: the box is empty or not finite")]
    Box {
        /// The level.
        level: usize,
        /// Position in the hierarchy.
        node: usize,
    },
    /// A level is too wide.
    #[error("level {level} is wider than 255 cells of 2^127")]
    Extent {
        /// The level.
        level: usize,
    },
    /// More nodes or items than 32 bits count.
    #[error("level {level} has {count} nodes or items; at most 2^32 - 1 have a number")]
    Count {
        /// The level.
        level: usize,
        /// How many there are.
        count: usize,
    },
    /// The levels do not fit together.
    #[error(transparent)]
    Unsound(#[from] UnsoundTree),
}

/// Lays a tree out.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode(tree: &Tree) -> Result<Image, CwbvhEncodeError> {
    tree.check()?;
    let blases = tree.blases.len();
    let level_count = blases + usize::from(tree.tlas.is_some());
    let mut writer = Writer::new(level_count);
    for (level, blas) in tree.blases.iter().enumerate() {
        writer.blas(level, blas)?;
    }
    if let Some(tlas) = &tree.tlas {
        writer.tlas(blases, tlas)?;
    }
    let segments = writer.segments;
    Ok(Image { format: NAME, segments, bases: vec![DIRECTORY_ADDRESS], root: DIRECTORY_ADDRESS })
}

/// Segments so far; the first one is the directory.
struct Writer {
    segments: Vec<Segment>,
    next_address: u64,
}

impl Writer {
    fn new(level_count: usize) -> Self {
        let mut directory =
            Segment::zeroed(DIRECTORY_ADDRESS, HEADER_BYTES + RECORD_BYTES * level_count);
        let header = HeaderFields { level_count: level_count as u32, zeros: [0; 15] };
        header.encode().write_bytes(directory.bytes_mut());
        let end = DIRECTORY_ADDRESS + directory.bytes().len() as u64;
        Self { segments: vec![directory], next_address: end.next_multiple_of(128) }
    }

    fn blas(&mut self, level: usize, blas: &Blas) -> Result<(), CwbvhEncodeError> {
        let primitives = &blas.primitives;
        if !primitives.boxes.is_empty() {
            let boxes = primitives.boxes.len();
            return Err(CwbvhEncodeError::Procedural { level, boxes });
        }
        let bounds = |item: u32| Some(primitives.bounds(item as usize));
        let Nodes { nodes, items } = Nodes::new(level, &blas.bvh, &bounds)?;
        let triangles = items.iter().map(|&item| {
            TriangleFields { vertices: primitives.triangles[item as usize].vertices }.encode()
        });
        let triangles = bytes_of(triangles);
        let ids = items.iter().map(|&item| {
            let id = primitives.ids[item as usize];
            let (geometry, primitive, flags) = (id.geometry, id.primitive, id.flags.bits());
            IdFields { geometry, primitive, flags, zero: 0 }.encode()
        });
        let ids = bytes_of(ids);
        self.level(level, 0, &nodes, items.len(), &triangles, 0, &ids);
        Ok(())
    }

    fn tlas(&mut self, level: usize, tlas: &Tlas) -> Result<(), CwbvhEncodeError> {
        let Nodes { nodes, items } = Nodes::new(level, &tlas.bvh, &|_| None)?;
        let references = items.iter().map(|&instance| ReferenceFields { instance }.encode());
        let references = bytes_of(references);
        let instances = bytes_of(tlas.instances.iter().map(instance_bits));
        let count = tlas.instances.len();
        self.level(level, 1, &nodes, items.len(), &references, count, &instances);
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the arrays of a level and their sizes")]
    fn level(
        &mut self,
        level: usize,
        kind: u32,
        nodes: &[Node],
        item_count: usize,
        items: &[u8],
        instance_count: usize,
        side_table: &[u8],
    ) {
        let node_bytes: Vec<u8> = nodes.iter().flat_map(Node::to_bytes).collect();
        let record = LevelFields {
            kind,
            node_count: nodes.len() as u32,
            item_count: item_count as u32,
            instance_count: instance_count as u32,
            nodes: self.array(&node_bytes),
            items: self.array(items),
            side_table: self.array(side_table),
            zeros: [0; 6],
        };
        let at = HEADER_BYTES + RECORD_BYTES * level;
        record.encode().write_bytes(&mut self.segments[0].bytes_mut()[at..]);
    }

    /// Writes an array into a segment of its own and returns its address.
    fn array(&mut self, bytes: &[u8]) -> u64 {
        let address = self.next_address;
        self.segments.push(Segment::new(address, bytes));
        self.next_address = (address + bytes.len() as u64 + 1).next_multiple_of(128);
        address
    }
}

fn bytes_of<const WORDS: usize>(records: impl Iterator<Item = Bits<WORDS>>) -> Vec<u8> {
    records.flat_map(|record| *record.words()).flat_map(u32::to_le_bytes).collect()
}

fn instance_bits(instance: &Instance) -> Bits<28> {
    let Instance { blas, world_to_object, object_to_world, .. } = *instance;
    let Instance { mask, custom_index, sbt_offset, flags, .. } = *instance;
    let flags = flags.bits();
    InstanceFields {
        world_to_object,
        object_to_world,
        blas,
        mask,
        flags,
        zero: 0,
        custom_index,
        sbt_offset,
    }
    .encode()
}

/// The nodes of a level, and its items in the order in which leaves name them.
struct Nodes {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

impl Nodes {
    fn new(
        level: usize,
        bvh: &Bvh,
        item_bounds: &dyn Fn(u32) -> Option<Aabb>,
    ) -> Result<Self, CwbvhEncodeError> {
        let fitted = fit(level, bvh, item_bounds)?;
        let mut sum = Self { nodes: Vec::new(), items: Vec::new() };
        let mut open: Vec<usize> = fitted.root.into_iter().collect();
        while let Some(&group) = open.get(sum.nodes.len()) {
            let node = sum.node(&fitted.groups[group], &mut open);
            sum.nodes.push(node.ok_or(CwbvhEncodeError::Extent { level })?);
        }
        let count = sum.nodes.len().max(sum.items.len());
        match u32::try_from(count) {
            Ok(_) => Ok(sum),
            Err(_) => Err(CwbvhEncodeError::Count { level, count }),
        }
    }

    /// The node over a group; its child nodes are queued.
    fn node(&mut self, group: &[Part], open: &mut Vec<usize>) -> Option<Node> {
        let bounds = group.iter().fold(Aabb::EMPTY, |sum, part| sum.union(part.bounds));
        let axis = |k: usize| GridAxis::spanning(bounds.min[k], bounds.max[k], EXPONENTS);
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        let cells: Vec<Cells> = group.iter().map(|part| cells_of(&axes, &part.bounds)).collect();
        let slots = assign(&axes, &cells);
        let mut in_slots: Vec<usize> = (0..group.len()).collect();
        in_slots.sort_by_key(|&part| slots[part]);
        let exponents = axes.map(|axis| (axis.exponent + BIAS) as u8);
        let mut node = Node::empty(axes.map(|axis| axis.origin), exponents);
        node.child_base = open.len() as u32;
        node.triangle_base = self.items.len() as u32;
        for part in in_slots {
            let child = match &group[part].below {
                Below::Group(below) => {
                    open.push(*below);
                    Child::Node(open.len() as u64 - 1)
                }
                Below::Items(items) => {
                    let first = self.items.len() as u64;
                    self.items.extend(items);
                    Child::Leaf { first, count: items.len() as u8 }
                }
            };
            let (low, high) = cells[part];
            node.set(slots[part], child, low, high);
        }
        Some(node)
    }
}

fn cells_of(axes: &[GridAxis; 3], bounds: &Aabb) -> Cells {
    let low = std::array::from_fn(|k| axes[k].floor(bounds.min[k]));
    let high = std::array::from_fn(|k| axes[k].ceil(bounds.max[k]).unwrap_or(255));
    (low, high)
}
