//! Tree → image.

use super::flatten::{Flat, Name, flatten};
use super::header::{HEADER_ADDRESS, HEADER_BYTES, Header, MAGIC, NAME_BYTES};
use super::instance::{BLAS_BYTES, BlasRecord, INSTANCE_BYTES, InstanceRecord};
use super::margin::{blas_margin, margin, transform_margin, widen};
use super::precision::Registers;
use super::quantise::Quantiser;
use super::{Precision, Tiles};
use crate::layout::node::{Child, ChildKind, NodeShape};
use crate::layout::records::{TRI_RANGE_BYTES, TriRange, triangle_bytes};
use crate::numeric::ElementFormat;
use crate::offload::JobOptions;
use crate::readings::NodeLayout;
use geometry::Aabb;
use machine::{Image, Segment};
use tree::reshape::{narrow, split_leaves};
use tree::{Blas, Bvh, BvhError, Instance, Node, Tlas, Tree, UnsoundTree};

/// Why a tree has no image in this format.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TilesError {
    /// Only triangles can be stored.
    #[error("BLAS {level} has {count} procedural boxes; tiles hold triangles only")]
    Procedural {
        /// Position of the BLAS.
        level: usize,
        /// How many.
        count: usize,
    },
    /// A corner has no element.
    #[error(
        "instance {}, geometry {}, primitive {}: a corner lies outside the range of {format}",
        name.instance, name.geometry, name.primitive
    )]
    Range {
        /// Whose corner.
        name: Name,
        /// The format.
        format: &'static str,
    },
    /// Coordinates exceed the coarsest scale.
    #[error(
        "coordinates reach {largest}; {} holds at most {}",
        precision.name(),
        precision.largest()
    )]
    Scale {
        /// The largest coordinate.
        largest: f64,
        /// The precision.
        precision: Precision,
    },
    /// The scene has too many triangles.
    #[error("{count} triangles to store, at most {MOST_TRIANGLES} can be")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// An index does not fit.
    #[error("{nodes} nodes and {ranges} ranges: a child index has 24 bits")]
    TooLarge {
        /// Nodes needed.
        nodes: usize,
        /// Ranges needed.
        ranges: usize,
    },
    /// The levels do not fit together.
    #[error(transparent)]
    Unsound(#[from] UnsoundTree),
    /// The flattened hierarchy has too many nodes.
    #[error(transparent)]
    Hierarchy(#[from] BvhError),
}

/// Triangles that an image may have.
pub const MOST_TRIANGLES: usize = 1 << 28;

pub(super) fn encode(tree: &Tree, format: &Tiles) -> Result<Image, TilesError> {
    tree.check()?;
    for (level, blas) in tree.blases.iter().enumerate() {
        let count = blas.primitives.boxes.len();
        if count != 0 {
            return Err(TilesError::Procedural { level, count });
        }
    }
    let tlas = tree.tlas.as_ref().filter(|tlas| !tlas.instances.is_empty());
    if let Some(tlas) = tlas.filter(|_| format.keeps_instances()) {
        return encode_levels(&tree.blases, tlas, format);
    }
    let count = flattened_count(tree);
    if count > MOST_TRIANGLES {
        return Err(TilesError::TooMany { count });
    }
    let flat = flatten(tree)?;
    let coarse = flat.triangles.iter().map(|(_, triangle)| triangle.bounds());
    let coarse = coarse.fold(Aabb::EMPTY, Aabb::union);
    let registers = registers(format, &coarse)?;
    let quantiser = Quantiser::new(registers.policy().unwrap_or_default());
    let stored = Stored::new(&flat, 0, &quantiser, format)?;
    let bvh = fitted(&flat.bvh, &stored.bounds, usize::MAX, width(format))?;
    let by = if format.margin { margin(&bvh.root().bounds) } else { 0.0 };
    let level = Level { layout: Layout::new(&bvh, by), first_triangle: 0, triangles: 0 };
    let flattened = flat.instanced;
    Parts { format, registers, levels: vec![level], instances: &[], stored, flattened }.write()
}

/// A TLAS over BLASes.
fn encode_levels(blases: &[Blas], tlas: &Tlas, format: &Tiles) -> Result<Image, TilesError> {
    let registers = registers(format, &Aabb::EMPTY)?;
    let quantiser = Quantiser::new(registers.policy().unwrap_or_default());
    let count = blases.iter().map(|blas| blas.primitives.triangles.len()).sum();
    if count > MOST_TRIANGLES {
        return Err(TilesError::TooMany { count });
    }
    let mut stored = Stored::default();
    let mut spans = Vec::with_capacity(blases.len());
    let mut fits = Vec::with_capacity(blases.len());
    for (number, blas) in (0..).zip(blases) {
        let flat = flatten(&Tree { blases: vec![blas.clone()], tlas: None })?;
        let own = Stored::new(&flat, number, &quantiser, format)?;
        fits.push(fitted(&flat.bvh, &own.bounds, usize::MAX, width(format))?);
        spans.push((stored.elements.len() as u32, own.elements.len() as u32));
        stored.append(own);
    }
    let placed = |(instance, given): (usize, &Instance)| {
        let bounds = fits[given.blas as usize].root().bounds;
        given.world_bounds(&bounds).map_err(|source| UnsoundTree::Singular { instance, source })
    };
    let placed: Vec<Aabb> =
        tlas.instances.iter().enumerate().map(placed).collect::<Result<_, _>>()?;
    let world = placed.iter().fold(Aabb::EMPTY, |all, bounds| all.union(*bounds));
    let boxes: Vec<Aabb> = placed
        .iter()
        .zip(&tlas.instances)
        .map(|(bounds, instance)| match format.margin {
            true => widen(bounds, transform_margin(&world, instance)),
            false => *bounds,
        })
        .collect();
    let top = fitted(&tlas.bvh, &boxes, 1, width(format))?;
    let by = |margin: f32| if format.margin { margin } else { 0.0 };
    let layout = Layout::new(&top, by(margin(&top.root().bounds)));
    let mut levels = vec![Level { layout, first_triangle: 0, triangles: 0 }];
    for (number, (bvh, (first_triangle, triangles))) in fits.iter().zip(spans).enumerate() {
        let own = tlas.instances.iter().filter(|instance| instance.blas as usize == number);
        let layout = Layout::new(bvh, by(blas_margin(&world, own)));
        levels.push(Level { layout, first_triangle, triangles });
    }
    let (instances, flattened) = (&tlas.instances[..], false);
    Parts { format, registers, levels, instances, stored, flattened }.write()
}

fn flattened_count(tree: &Tree) -> usize {
    let triangles = |blas: usize| tree.blases[blas].primitives.triangles.len();
    match &tree.tlas {
        None => (0..tree.blases.len()).map(triangles).sum(),
        Some(tlas) => tlas.instances.iter().map(|p| triangles(p.blas as usize)).sum(),
    }
}

/// MODE and ALT for coordinates within `bounds`, the margin included.
fn registers(format: &Tiles, bounds: &Aabb) -> Result<Registers, TilesError> {
    let largest = if bounds.is_empty() {
        0.0
    } else {
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        f64::from(farthest) + 2.0 * f64::from(margin(bounds))
    };
    let precision = format.precision;
    precision.registers(largest).ok_or(TilesError::Scale { largest, precision })
}

/// Triangles as they are stored, in the order of their names.
#[derive(Default)]
struct Stored {
    names: Vec<Name>,
    elements: Vec<[u32; 9]>,
    bounds: Vec<Aabb>,
}

impl Stored {
    /// The triangles of a level; of a BLAS its number stands in their names.
    fn new(
        flat: &Flat,
        blas: u32,
        quantiser: &Quantiser,
        format: &Tiles,
    ) -> Result<Self, TilesError> {
        let mut stored = Self::default();
        for (name, triangle) in &flat.triangles {
            let name = Name { instance: name.instance + blas, ..*name };
            let out_of_range = TilesError::Range { name, format: format.precision.name() };
            let elements = quantiser.corners(triangle).ok_or(out_of_range)?;
            stored.names.push(name);
            stored.bounds.push(quantiser.triangle(&elements).bounds());
            stored.elements.push(elements);
        }
        Ok(stored)
    }

    fn append(&mut self, other: Self) {
        self.names.extend(other.names);
        self.elements.extend(other.elements);
        self.bounds.extend(other.bounds);
    }
}

/// Children of a node.
fn width(format: &Tiles) -> usize {
    format.shape(ElementFormat::Fp32).width()
}

/// Leaves that are runs of at most `longest` neighbouring items below nodes of at most `width`
/// children, in boxes around the boxes of the items.
fn fitted(bvh: &Bvh, boxes: &[Aabb], longest: usize, width: usize) -> Result<Bvh, BvhError> {
    let follow = |a: &u32, b: &u32| a + 1 == *b;
    let bvh = bvh.refitted(|item| boxes[item as usize]);
    let runs = split_leaves(
        &bvh,
        |items| items.len() <= longest && items.is_sorted_by(follow),
        |items, _| {
            let bounds = |run: &[u32]| {
                run.iter().fold(Aabb::EMPTY, |all, &item| all.union(boxes[item as usize]))
            };
            let runs = items.chunk_by(follow).flat_map(|run| run.chunks(longest));
            runs.map(|run| (run.to_vec(), bounds(run))).collect()
        },
    )?;
    Ok(narrow(&runs, width)?.into_owned())
}

/// Nodes in pre-order and ranges in the order of their nodes.
struct Layout {
    nodes: Vec<Vec<Planned>>,
    ranges: Vec<(u32, u32)>,
}

/// A place in a node: the node's number and the slot.
type Slot = (usize, usize);

/// A child before it is written.
struct Planned {
    bounds: Aabb,
    kind: ChildKind,
    index: u32,
}

impl Layout {
    fn new(bvh: &Bvh, by: f32) -> Self {
        let mut layout = Self { nodes: Vec::new(), ranges: Vec::new() };
        let root = match children(bvh, past_single(bvh, bvh.root())) {
            // One range, or nothing.
            none if none.is_empty() => {
                Some(bvh.root()).filter(|root| !root.bounds.is_empty()).into_iter().collect()
            }
            several => several,
        };
        let mut open: Vec<(Vec<&Node>, Option<Slot>)> = vec![(root, None)];
        while let Some((nodes, parent)) = open.pop() {
            let number = layout.nodes.len();
            if let Some((node, slot)) = parent {
                layout.nodes[node][slot].index = number as u32;
            }
            let mut planned = Vec::with_capacity(nodes.len());
            let mut groups = Vec::new();
            for (slot, child) in nodes.into_iter().enumerate() {
                let child = past_single(bvh, child);
                let bounds = widen(&child.bounds, by);
                let (kind, index) = if let [first, ..] = bvh.items(child) {
                    layout.ranges.push((*first, child.link.count() as u32));
                    (ChildKind::Leaf, layout.ranges.len() as u32 - 1)
                } else {
                    groups.push((children(bvh, child), Some((number, slot))));
                    (ChildKind::Node, 0)
                };
                planned.push(Planned { bounds, kind, index });
            }
            layout.nodes.push(planned);
            open.extend(groups.into_iter().rev());
        }
        layout
    }
}

/// The children with something in them.
fn children<'a>(bvh: &'a Bvh, node: &Node) -> Vec<&'a Node> {
    bvh.children(node).iter().filter(|child| !child.bounds.is_empty()).collect()
}

/// The first node from this one down that has not exactly one child.
fn past_single<'a>(bvh: &'a Bvh, mut node: &'a Node) -> &'a Node {
    while let [only] = children(bvh, node)[..] {
        node = only;
    }
    node
}

/// A level: the hierarchy, and the triangles of a BLAS.
struct Level {
    layout: Layout,
    first_triangle: u32,
    triangles: u32,
}

/// All that an image consists of.
struct Parts<'a> {
    format: &'a Tiles,
    registers: Registers,
    /// The only level, or the TLAS and the BLASes.
    levels: Vec<Level>,
    /// The instances of a TLAS.
    instances: &'a [Instance],
    stored: Stored,
    flattened: bool,
}

impl Parts<'_> {
    fn write(&self) -> Result<Image, TilesError> {
        let policy = self.registers.policy().unwrap_or_default();
        let shape = self.format.shape(policy.format);
        let (top, blases) = (&self.levels[0].layout, &self.levels[1..]);
        let has_instances = !blases.is_empty();
        for (number, Level { layout, .. }) in self.levels.iter().enumerate() {
            let (nodes, ranges) = (layout.nodes.len(), layout.ranges.len());
            let units = match has_instances && number == 0 {
                true => self.instances.len() * INSTANCE_BYTES / TRI_RANGE_BYTES,
                false => ranges,
            };
            if nodes * shape.stride() / TRI_RANGE_BYTES + units > 1 << 24 || nodes > 1 << 24 {
                return Err(TilesError::TooLarge { nodes, ranges });
            }
        }
        let base = HEADER_ADDRESS + HEADER_BYTES as u64;
        let (first, record) = match has_instances {
            true => (self.instances.len(), INSTANCE_BYTES),
            false => (top.ranges.len(), TRI_RANGE_BYTES),
        };
        let mut end = base + (top.nodes.len() * shape.stride() + first * record) as u64;
        end += (blases.len() * BLAS_BYTES) as u64;
        let mut records = Vec::with_capacity(blases.len());
        for Level { layout, first_triangle, triangles } in blases {
            let base = end.next_multiple_of(64);
            let (nodes, ranges) = (layout.nodes.len(), layout.ranges.len());
            end = base + (nodes * shape.stride() + ranges * TRI_RANGE_BYTES) as u64;
            records.push(BlasRecord {
                base,
                nodes: nodes as u32,
                ranges: ranges as u32,
                first_triangle: *first_triangle,
                triangles: *triangles,
            });
        }
        let count = self.stored.elements.len();
        let options = if self.format.wide { JobOptions::NODE8 } else { JobOptions::empty() };
        let names = (end + (count * triangle_bytes(policy.format)) as u64).next_multiple_of(4);
        let header = Header {
            magic: u64::from_le_bytes(*MAGIC),
            registers: self.registers,
            options: options.bits(),
            nodes: top.nodes.len() as u32,
            ranges: first as u32,
            triangles: count as u32,
            base,
            triangle_base: end,
            names,
            flattened: self.flattened,
            literal: self.format.layout == NodeLayout::Literal88,
            blases: blases.len() as u32,
        };
        let length = names + (count * NAME_BYTES) as u64 - HEADER_ADDRESS;
        let mut memory = Written {
            segment: Segment::zeroed(HEADER_ADDRESS, length as usize),
            shape,
            quantiser: Quantiser::new(policy),
        };
        memory.put(HEADER_ADDRESS, &header.to_bytes());
        memory.nodes(base, top, |item, number| match has_instances {
            true => item * (INSTANCE_BYTES / TRI_RANGE_BYTES) as u32,
            false => number,
        });
        let behind = base + (top.nodes.len() * shape.stride()) as u64;
        if has_instances {
            let bases = self.instances.iter().map(|it| records[it.blas as usize].base);
            for (number, (instance, base)) in self.instances.iter().zip(bases).enumerate() {
                let bytes = InstanceRecord::new(instance, base).encode().to_bytes();
                memory.put(behind + (number * INSTANCE_BYTES) as u64, &bytes);
            }
        } else {
            memory.ranges(behind, top, 0);
        }
        let table = behind + (first * record) as u64;
        for (number, (blas, level)) in records.iter().zip(blases).enumerate() {
            let mut bytes = [0; BLAS_BYTES];
            blas.encode().write_bytes(&mut bytes);
            memory.put(table + (number * BLAS_BYTES) as u64, &bytes);
            memory.nodes(blas.base, &level.layout, |_, number| number);
            let behind = blas.base + u64::from(blas.nodes) * shape.stride() as u64;
            memory.ranges(behind, &level.layout, blas.first_triangle);
        }
        let width = policy.format.bytes();
        for (k, element) in self.stored.elements.iter().flatten().enumerate() {
            memory.put(header.triangle_base + (k * width) as u64, &element.to_le_bytes()[..width]);
        }
        for (number, name) in self.stored.names.iter().enumerate() {
            let words = [name.instance, name.geometry, name.primitive].map(u32::to_le_bytes);
            memory.put(names + (number * NAME_BYTES) as u64, words.as_flattened());
        }
        let format = registers_name(self.registers);
        let segments = vec![memory.segment];
        Ok(Image { format, segments, bases: vec![base], root: HEADER_ADDRESS })
    }
}

/// An image under way.
struct Written {
    segment: Segment,
    shape: NodeShape,
    quantiser: Quantiser,
}

impl Written {
    fn put(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - HEADER_ADDRESS) as usize;
        self.segment.bytes_mut()[start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// The nodes of a level. A leaf's index follows from its first item and its number, in units
    /// behind the nodes.
    fn nodes(&mut self, base: u64, layout: &Layout, unit: impl Fn(u32, u32) -> u32) {
        let stride = self.shape.stride();
        let behind = (layout.nodes.len() * stride / TRI_RANGE_BYTES) as u32;
        for (number, node) in layout.nodes.iter().enumerate() {
            let mut tile = vec![0; stride];
            for (slot, planned) in node.iter().enumerate() {
                let index = match planned.kind {
                    ChildKind::Leaf => {
                        let (item, _) = layout.ranges[planned.index as usize];
                        behind + unit(item, planned.index)
                    }
                    _ => planned.index,
                };
                let bounds = self.quantiser.planes(&planned.bounds);
                let child = Child { kind: planned.kind, index, bounds };
                self.shape.set_child(&mut tile, slot, &child);
            }
            self.put(base + (number * stride) as u64, &tile);
        }
    }

    /// The ranges of a level, whose items count from its first triangle.
    fn ranges(&mut self, address: u64, layout: &Layout, first_triangle: u32) {
        for (number, &(first, count)) in layout.ranges.iter().enumerate() {
            let range = TriRange { first: first_triangle + first, count, base: 0 };
            self.put(address + (number * TRI_RANGE_BYTES) as u64, &range.to_bytes());
        }
    }
}

/// The name of the format that registers stand for.
pub(super) fn registers_name(registers: Registers) -> &'static str {
    let policy = registers.policy();
    policy.map_or("xphmg", |policy| Precision::of_elements(policy.format).name())
}
