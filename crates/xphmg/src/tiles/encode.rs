//! Tree → image.

use super::flatten::{Flat, Name, flatten};
use super::header::{HEADER_ADDRESS, HEADER_BYTES, Header, MAGIC, NAME_BYTES};
use super::margin::{margin, widen};
use super::precision::Registers;
use super::quantise::Quantiser;
use super::{Precision, Tiles};
use crate::layout::node::{Child, ChildKind, NodeShape};
use crate::layout::records::{TRI_RANGE_BYTES, TriRange, triangle_bytes};
use crate::numeric::ElementFormat;
use crate::offload::JobOptions;
use crate::policy::Policy;
use crate::readings::NodeLayout;
use geometry::Aabb;
use machine::{Image, Segment};
use tree::reshape::{narrow, split_leaves};
use tree::{Bvh, BvhError, Node, Tree};

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
    /// Flattened, the scene has too many triangles.
    #[error("{count} triangles without instances, at most {MOST_TRIANGLES} can be stored")]
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
    /// The flattened hierarchy has too many nodes.
    #[error(transparent)]
    Hierarchy(#[from] BvhError),
}

/// Triangles that an image may have.
pub const MOST_TRIANGLES: usize = 1 << 28;

pub(super) fn encode(tree: &Tree, format: &Tiles) -> Result<Image, TilesError> {
    for (level, blas) in tree.blases.iter().enumerate() {
        let count = blas.primitives.boxes.len();
        if count != 0 {
            return Err(TilesError::Procedural { level, count });
        }
    }
    let count = flattened_count(tree);
    if count > MOST_TRIANGLES {
        return Err(TilesError::TooMany { count });
    }
    let flat = flatten(tree)?;
    let coarse = flat.triangles.iter().map(|(_, triangle)| triangle.bounds());
    let coarse = coarse.fold(Aabb::EMPTY, Aabb::union);
    let registers = registers(format, &coarse)?;
    let policy = registers.policy().unwrap_or_default();
    let quantiser = Quantiser::new(policy);
    let triangles = store_triangles(&flat, &quantiser, format)?;
    let bounds = triangles.iter().map(|elements| quantiser.triangle(elements).bounds());
    let shape = format.shape(policy.format);
    let bvh = fitted(&flat.bvh, &bounds.collect::<Vec<_>>(), shape.width())?;
    let layout = Layout::new(&bvh, format);
    let (nodes, ranges) = (layout.nodes.len(), layout.ranges.len());
    let first_range = nodes * shape.stride() / TRI_RANGE_BYTES;
    if first_range + ranges > 1 << 24 || nodes > 1 << 24 {
        return Err(TilesError::TooLarge { nodes, ranges });
    }
    let header = header(&flat, registers, &layout, &shape, policy, format);
    Ok(write(&flat, &triangles, &layout, &header, shape, &quantiser))
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

fn store_triangles(
    flat: &Flat,
    quantiser: &Quantiser,
    format: &Tiles,
) -> Result<Vec<[u32; 9]>, TilesError> {
    let store = |(name, triangle): &(Name, geometry::Triangle)| {
        let out_of_range = TilesError::Range { name: *name, format: format.precision.name() };
        quantiser.corners(triangle).ok_or(out_of_range)
    };
    flat.triangles.iter().map(store).collect()
}

/// Leaves that are runs of neighbouring triangles below nodes of at most `width` children, in boxes
/// around the triangles as they are stored.
fn fitted(bvh: &Bvh, triangles: &[Aabb], width: usize) -> Result<Bvh, BvhError> {
    let follow = |a: &u32, b: &u32| a + 1 == *b;
    let bvh = bvh.refitted(|triangle| triangles[triangle as usize]);
    let runs = split_leaves(
        &bvh,
        |items| items.is_sorted_by(follow),
        |items, _| {
            let bounds = |run: &[u32]| {
                run.iter().fold(Aabb::EMPTY, |all, &item| all.union(triangles[item as usize]))
            };
            items.chunk_by(follow).map(|run| (run.to_vec(), bounds(run))).collect()
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
    fn new(bvh: &Bvh, format: &Tiles) -> Self {
        let by = if format.margin { margin(&bvh.root().bounds) } else { 0.0 };
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

fn header(
    flat: &Flat,
    registers: Registers,
    layout: &Layout,
    shape: &NodeShape,
    policy: Policy,
    format: &Tiles,
) -> Header {
    let base = HEADER_ADDRESS + HEADER_BYTES as u64;
    let tiles = layout.nodes.len() * shape.stride() + layout.ranges.len() * TRI_RANGE_BYTES;
    let triangle_base = base + tiles as u64;
    let buffer = flat.triangles.len() * triangle_bytes(policy.format);
    let options = if format.wide { JobOptions::NODE8 } else { JobOptions::empty() };
    Header {
        magic: u64::from_le_bytes(*MAGIC),
        registers,
        options: options.bits(),
        nodes: layout.nodes.len() as u32,
        ranges: layout.ranges.len() as u32,
        triangles: flat.triangles.len() as u32,
        base,
        triangle_base,
        names: (triangle_base + buffer as u64).next_multiple_of(4),
        flattened: flat.instanced,
        literal: format.layout == NodeLayout::Literal88,
    }
}

fn write(
    flat: &Flat,
    triangles: &[[u32; 9]],
    layout: &Layout,
    header: &Header,
    shape: NodeShape,
    quantiser: &Quantiser,
) -> Image {
    let end = header.names + (flat.triangles.len() * NAME_BYTES) as u64;
    let mut segment = Segment::zeroed(HEADER_ADDRESS, (end - HEADER_ADDRESS) as usize);
    let bytes = segment.bytes_mut();
    bytes[..HEADER_BYTES].copy_from_slice(&header.to_bytes());
    let at = |address: u64| (address - HEADER_ADDRESS) as usize;
    let first_range = layout.nodes.len() * shape.stride();
    for (number, node) in layout.nodes.iter().enumerate() {
        let start = at(header.base) + number * shape.stride();
        let tile = &mut bytes[start..start + shape.stride()];
        for (slot, planned) in node.iter().enumerate() {
            let index = match planned.kind {
                ChildKind::Leaf => (first_range / TRI_RANGE_BYTES) as u32 + planned.index,
                _ => planned.index,
            };
            let bounds = quantiser.planes(&planned.bounds);
            shape.set_child(tile, slot, &Child { kind: planned.kind, index, bounds });
        }
    }
    for (number, (first, count)) in layout.ranges.iter().enumerate() {
        let start = at(header.base) + first_range + number * TRI_RANGE_BYTES;
        let range = TriRange { first: *first, count: *count, base: 0 };
        bytes[start..start + TRI_RANGE_BYTES].copy_from_slice(&range.to_bytes());
    }
    let width = element_bytes(header.registers);
    for (k, element) in triangles.iter().flatten().enumerate() {
        let start = at(header.triangle_base) + k * width;
        bytes[start..start + width].copy_from_slice(&element.to_le_bytes()[..width]);
    }
    for (number, (name, _)) in flat.triangles.iter().enumerate() {
        let start = at(header.names) + number * NAME_BYTES;
        let words = [name.instance, name.geometry, name.primitive];
        for (chunk, word) in bytes[start..].chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
    }
    let format = registers_name(header.registers);
    Image { format, segments: vec![segment], bases: vec![header.base], root: HEADER_ADDRESS }
}

fn element_bytes(registers: Registers) -> usize {
    registers.policy().map_or(ElementFormat::Fp32, |policy| policy.format).bytes()
}

/// The name of the format that registers stand for.
pub(super) fn registers_name(registers: Registers) -> &'static str {
    let policy = registers.policy();
    policy.map_or("xphmg", |policy| Precision::of_elements(policy.format).name())
}
