//! The image as the simulated memory holds it: blocks decoded once, boxes in groups of four.
//!
//! The contents of memory do not change during a run (T-13), so a block is decoded when the program
//! is made and not each time that the simulated machine fetches it.

use crate::local_query::{LocalQuery, Planes, is_met};
use geometry::beam::error::LARGEST_TMAX;
use geometry::rounding::{add_down, add_up, narrow_down, narrow_up};
use geometry::{Aabb, Beam, Ray, Transform, Vec3};
use machine::blocks::{Block, BlockImage, BlockLead, BlockLevel, CellBox, MemoryRange};

/// Most nodes of a block.
pub(crate) const MAX_NODES: usize = 16;

/// An image that the machine runs.
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) blocks: Vec<ProgramBlock>,
    pub(crate) planes: Vec<Planes>,
    pub(crate) nodes: Vec<ProgramNode>,
    pub(crate) items: Vec<u32>,
    item_memory: Vec<MemoryRange>,
    pub(crate) levels: Vec<BlockLevel>,
    rotations: Vec<[[f32; 3]; 3]>,
}

/// A block, ready to be tested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramBlock {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) origin: [f32; 3],
    pub(crate) exponents: [i16; 3],
    /// `2^-e` and `2^e`; 0 where that is no normal number, which makes every launch global.
    down: [f32; 3],
    up: [f32; 3],
    pub(crate) rotation: Option<u8>,
    root: Option<CellBox>,
    pub(crate) first_planes: u32,
    pub(crate) first_node: u32,
    pub(crate) node_count: u8,
    pub(crate) root_children: u8,
}

/// What a node is besides its box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramNode {
    pub(crate) mask: u8,
    pub(crate) lead: BlockLead,
}

/// What the tests of a block give, all at once: the machine reveals them cycle by cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    /// Whether the root is met.
    pub(crate) root: bool,
    /// Which nodes are met.
    pub(crate) hits: u16,
    /// Where each is entered.
    pub(crate) entries: [f32; MAX_NODES],
}

/// Why an image cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The format has no blocks.
    #[error("the format {format} has no blocks for a traversal unit")]
    NoBlocks {
        /// Its name.
        format: &'static str,
    },
    /// A block has more nodes than a unit's local store holds.
    #[error("block {block} has {nodes} nodes, expected at most {MAX_NODES}")]
    Nodes {
        /// The block.
        block: usize,
        /// Its nodes.
        nodes: usize,
    },
}

impl Program {
    /// Decodes an image.
    ///
    /// # Errors
    /// When a block is too large for the machine.
    pub fn new(image: &BlockImage) -> Result<Self, ProgramError> {
        let mut planes = Vec::with_capacity(image.nodes.len() / 3);
        let mut blocks = Vec::with_capacity(image.blocks.len());
        for (number, block) in image.blocks.iter().enumerate() {
            let nodes = &image.nodes[block.first_node as usize..][..usize::from(block.node_count)];
            if nodes.len() > MAX_NODES {
                return Err(ProgramError::Nodes { block: number, nodes: nodes.len() });
            }
            blocks.push(ProgramBlock::new(block, planes.len()));
            planes.extend(nodes.chunks(4).map(|four| {
                let mut planes = Planes::NONE;
                for (lane, node) in four.iter().enumerate() {
                    for k in 0..3 {
                        planes.min[k][lane] = node.cells.min[k];
                        planes.max[k][lane] = node.cells.max[k];
                    }
                }
                planes
            }));
        }
        let node =
            |node: &machine::blocks::BlockNode| ProgramNode { mask: node.mask, lead: node.lead };
        Ok(Self {
            blocks,
            planes,
            nodes: image.nodes.iter().map(node).collect(),
            items: image.items.clone(),
            item_memory: image.item_memory.clone(),
            levels: image.levels.clone(),
            rotations: image.rotations.clone(),
        })
    }

    /// Number of lines that the largest block takes.
    pub(crate) fn most_lines(&self, line_bytes: u32) -> u64 {
        let lines = |block: &ProgramBlock| block.lines(line_bytes).count() as u64;
        self.blocks.iter().map(lines).max().unwrap_or(0)
    }

    /// Where the items of a leaf lie that its own memory only names.
    pub(crate) fn item_memory(&self, first: u32, count: u32) -> &[MemoryRange] {
        let end = (first as usize + count as usize).min(self.item_memory.len());
        self.item_memory.get(first as usize..end).unwrap_or_default()
    }

    /// Whether the block is in rotated coordinates, which costs setup cycles (T-11).
    pub(crate) fn is_oriented(&self, block: u32) -> bool {
        self.blocks[block as usize].rotation.is_some()
    }

    /// The map into the coordinates of an oriented block.
    pub(crate) fn frame(&self, block: u32) -> Option<Transform> {
        let rows = self.rotations[usize::from(self.blocks[block as usize].rotation?)];
        Some(Transform { rows: rows.map(|[x, y, z]| [x, y, z, 0.0]) })
    }

    /// How many of the boxes that a test reported are missed exactly up to `tmax`. The boxes are
    /// taken as decoded to `f32`, outward; in an oriented block the beam is turned, outward.
    pub(crate) fn false_hits(&self, number: u32, beam: &Beam, tmax: f32, hits: u16) -> u64 {
        let block = &self.blocks[number as usize];
        // The same range as the test's; one that is no range has no exact hit.
        let range = beam.with_range(beam.tmin(), tmax.min(LARGEST_TMAX));
        let Ok(beam) = &range.or_else(|_| beam.with_range(beam.tmin(), beam.tmin())) else {
            return 0;
        };
        let turned = match block.rotation {
            None => Some(*beam),
            Some(rotation) => {
                let rows = self.rotations[usize::from(rotation)];
                let rows = rows.map(|[x, y, z]| [x, y, z, 0.0]);
                Transform { rows }.beam(beam).ok()
            }
        };
        let Some(beam) = turned else { return 0 };
        let is_false = |&index: &usize| {
            let planes = block.decoded(&self.planes[block.first_planes as usize + index / 4]);
            let corner =
                |cells: &[[f32; 4]; 3]| Vec3::from_array(cells.map(|lanes| lanes[index % 4]));
            hits >> index & 1 == 1
                && !beam.meets_exactly(&Aabb::new(corner(&planes.min), corner(&planes.max)))
        };
        (0..usize::from(block.node_count)).filter(is_false).count() as u64
    }

    /// The box of a node, decoded outward, and when a query is inside it, however far.
    pub(crate) fn node_test(
        &self,
        number: u32,
        node: usize,
        query: &LocalQuery,
    ) -> (Aabb, Option<[f32; 2]>) {
        let block = &self.blocks[number as usize];
        let planes = &self.planes[block.first_planes as usize + node / 4];
        let decoded = block.decoded(planes);
        let test = BlockTest { query, tmax: f32::INFINITY, mask: 0 };
        let rows = block.rotation.map(|rotation| self.rotations[usize::from(rotation)]);
        let query = rows.map_or(*query, |rows| test.rotated(&rows));
        let (enter, leave) = match query.local(&block.origin, &block.down, &block.up) {
            Some(local) => local.ranges(planes, test.tmax),
            None => query.ranges(&decoded, test.tmax),
        };
        let lane = node % 4;
        let corner = |cells: &[[f32; 4]; 3]| Vec3::from_array(cells.map(|lanes| lanes[lane]));
        let interval = is_met(enter[lane], leave[lane]).then_some([enter[lane], leave[lane]]);
        (Aabb::new(corner(&decoded.min), corner(&decoded.max)), interval)
    }

    /// Tests every box of a block against a query up to `tmax`.
    pub(crate) fn test(&self, number: u32, test: &BlockTest<'_>) -> Tested {
        let block = &self.blocks[number as usize];
        let rotated;
        let query = match block.rotation {
            None => test.query,
            Some(rotation) => {
                rotated = test.rotated(&self.rotations[usize::from(rotation)]);
                &rotated
            }
        };
        let groups = usize::from(block.node_count).div_ceil(4);
        let planes = &self.planes[block.first_planes as usize..][..groups];
        let mut tested = Tested::NONE;
        match query.local(&block.origin, &block.down, &block.up) {
            Some(local) => {
                tested.root = block.root.is_none_or(|root| {
                    local.test(&single(&root.min, &root.max), test.tmax).0 & 1 != 0
                });
                for (group, planes) in planes.iter().enumerate() {
                    tested.add(group, local.test(planes, test.tmax));
                }
            }
            // T-9: outward-decoded planes in global coordinates.
            None => {
                tested.root = block.root.is_none_or(|root| {
                    let decoded = block.decoded(&single(&root.min, &root.max));
                    query.test(&decoded, test.tmax).0 & 1 != 0
                });
                for (group, planes) in planes.iter().enumerate() {
                    tested.add(group, query.test(&block.decoded(planes), test.tmax));
                }
            }
        }
        let nodes = &self.nodes[block.first_node as usize..][..usize::from(block.node_count)];
        for (index, node) in nodes.iter().enumerate() {
            if node.mask & test.mask == 0 {
                tested.hits &= !(1 << index);
            }
        }
        tested
    }
}

/// A query as it enters a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockTest<'a> {
    pub(crate) query: &'a LocalQuery,
    /// How far boxes matter.
    pub(crate) tmax: f32,
    pub(crate) mask: u8,
}

impl BlockTest<'_> {
    /// The query in rotated coordinates: every row in interval arithmetic, outward (T-11).
    fn rotated(&self, rows: &[[f32; 3]; 3]) -> LocalQuery {
        let axes = &self.query.axes;
        let row_of = |row: &[f32; 3], upper: [f64; 3], lower: [f64; 3]| {
            let (mut high, mut low, mut size) = (0.0f64, 0.0f64, 0.0f64);
            for k in 0..3 {
                let entry = f64::from(row[k]);
                let (a, b) = if entry >= 0.0 { (upper[k], lower[k]) } else { (lower[k], upper[k]) };
                high += entry * a;
                low += entry * b;
                size += (entry * a).abs().max((entry * b).abs());
            }
            // Five roundings of f64 at most, far below one of f32.
            let slack = size * 8.0 * f64::EPSILON;
            (narrow_up(high + slack), narrow_down(low - slack))
        };
        let origins = (
            axes.map(|axis| f64::from(axis.upper_origin)),
            axes.map(|axis| f64::from(axis.lower_origin)),
        );
        let directions = (
            axes.map(|axis| f64::from(axis.upper_direction)),
            axes.map(|axis| f64::from(axis.lower_direction)),
        );
        let axis = |k: usize| {
            let (upper_origin, lower_origin) = row_of(&rows[k], origins.0, origins.1);
            let (upper, lower) = row_of(&rows[k], directions.0, directions.1);
            geometry::beam::Axis::new(
                upper_origin,
                lower_origin,
                geometry::beam::construct::snap_upper(upper),
                geometry::beam::construct::snap_lower(lower),
            )
        };
        LocalQuery { axes: [axis(0), axis(1), axis(2)], tmin: self.query.tmin }
    }
}

impl Tested {
    /// Nothing but the root is met.
    pub(crate) const NONE: Self = Self { root: true, hits: 0, entries: [f32::INFINITY; MAX_NODES] };

    fn add(&mut self, group: usize, (hits, entries): (u16, [f32; 4])) {
        self.hits |= hits << (4 * group);
        self.entries[4 * group..][..4].copy_from_slice(&entries);
    }
}

impl ProgramBlock {
    fn new(block: &Block, first_planes: usize) -> Self {
        let frame = &block.frame;
        let scale = |exponent: i32| {
            let is_normal = (-126..=126).contains(&exponent);
            if is_normal { f32::from_bits(((127 + exponent) as u32) << 23) } else { 0.0 }
        };
        Self {
            address: block.address,
            bytes: block.bytes,
            origin: frame.origin,
            exponents: frame.exponents,
            down: frame.exponents.map(|e| scale(-i32::from(e))),
            up: frame.exponents.map(|e| scale(i32::from(e))),
            rotation: frame.rotation,
            root: block.root,
            first_planes: first_planes as u32,
            first_node: block.first_node,
            node_count: block.node_count,
            root_children: block.root_children,
        }
    }

    /// The numbers of the lines that it takes.
    pub(crate) fn lines(&self, line_bytes: u32) -> std::ops::Range<u64> {
        MemoryRange { address: self.address, bytes: self.bytes }.lines(line_bytes)
    }

    /// Planes of the level, rounded outward.
    fn decoded(&self, planes: &Planes) -> Planes {
        let mut decoded = *planes;
        for k in 0..3 {
            let (origin, cell) = (f64::from(self.origin[k]), f64::from(self.exponents[k]).exp2());
            for lane in 0..4 {
                let sum = |cells: f32| {
                    let offset = cells * self.up[k];
                    if offset * self.down[k] == cells {
                        return (add_down(self.origin[k], offset), add_up(self.origin[k], offset));
                    }
                    // Cells beyond the normal numbers of f32.
                    let offset = f64::from(cells) * cell;
                    let sum = origin + offset;
                    let slack = (origin.abs() + offset.abs()) * f64::EPSILON;
                    (narrow_down(sum - slack), narrow_up(sum + slack))
                };
                decoded.min[k][lane] = sum(planes.min[k][lane]).0;
                decoded.max[k][lane] = sum(planes.max[k][lane]).1;
            }
        }
        decoded
    }
}

/// One box in the first lane.
fn single(min: &[f32; 3], max: &[f32; 3]) -> Planes {
    let mut planes = Planes::NONE;
    for k in 0..3 {
        planes.min[k][0] = min[k];
        planes.max[k][0] = max[k];
    }
    planes
}

/// A ray seen through an instance, or in the world.
pub(crate) fn moved(ray: &Ray, world_to_object: Option<&Transform>) -> Ray {
    world_to_object.map_or(*ray, |transform| transform.ray(ray))
}

/// The box of a level; a point for a level without items, which has no root to be tested.
pub(crate) fn bounds_of(level: &BlockLevel) -> Aabb {
    if level.root.is_some() { level.bounds } else { Aabb::new(Vec3::ZERO, Vec3::ZERO) }
}
