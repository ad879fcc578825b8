//! What a sound image should hold besides: boxes around everything below them, masks and opacity
//! that agree.
//!
//! Sums are formed from the leaves up. Containment is decided on the planes as the traversal unit
//! sees them, `origin + q 2^e`, by exact comparison.

use super::block::{ALPHA_PRESENT, Block, Lead, OPAQUE_ONLY, unfold_mask};
use super::check::{LevelBlocks, axes_of, node_name};
use super::directory::{INSTANCE, LevelKind, LevelRecord, Parts};
use super::rule::{Findings, Rule};
use geometry::{Aabb, GridAxis};
use std::cmp::Ordering;
use std::collections::HashMap;
use tree::{Instance, PrimitiveFlags, Primitives};

/// Bytes of a corner.
const CORNER_BYTES: usize = 12;

/// What is below a node.
#[derive(Debug, Clone, Copy)]
struct Sum {
    bounds: Aabb,
    mask: u8,
    any_alpha: bool,
}

impl Sum {
    const NOTHING: Self = Self { bounds: Aabb::EMPTY, mask: 0, any_alpha: false };

    fn with(self, other: Self) -> Self {
        Self {
            bounds: self.bounds.union(other.bounds),
            mask: self.mask | other.mask,
            any_alpha: self.any_alpha | other.any_alpha,
        }
    }
}

/// The items of a level, summed up one by one.
enum Items<'a> {
    Primitives(&'a Primitives),
    Instances { instances: &'a [(Instance, u32)], below: &'a [Aabb] },
}

impl Items<'_> {
    fn sum(&self, reference: u32) -> Sum {
        match self {
            Self::Primitives(primitives) => {
                let item = reference as usize;
                let opaque = primitives.ids[item].flags.contains(PrimitiveFlags::OPAQUE);
                let bounds = primitives.bounds(item);
                Sum { bounds, mask: 0xFF, any_alpha: !opaque }
            }
            Self::Instances { instances, below } => {
                let (instance, _) = &instances[(reference & !INSTANCE) as usize];
                let bounds = instance.world_bounds(&below[instance.blas as usize]);
                let bounds = bounds.unwrap_or(Aabb::EMPTY);
                Sum { bounds, mask: instance.mask, any_alpha: true }
            }
        }
    }
}

/// Adds warnings; everything else has been proved.
pub(super) fn check(parts: &Parts<'_>, levels: &[LevelBlocks], findings: &mut Findings) {
    let instances = parts.instances();
    let mut bounds: Vec<Aabb> = Vec::new();
    for (record, blocks) in parts.directory.levels.iter().zip(levels) {
        let primitives = parts.primitives(record);
        let items = match record.kind {
            LevelKind::Tlas => Items::Instances { instances: &instances, below: &bounds },
            _ => Items::Primitives(&primitives),
        };
        check_finite(record, &primitives, findings);
        let sum = check_level(parts, blocks, &items, findings);
        bounds.push(sum.bounds);
    }
}

/// Looks at every coordinate of a level.
fn check_finite(record: &LevelRecord, primitives: &Primitives, findings: &mut Findings) {
    let triangles = primitives.triangles.iter().map(|triangle| triangle.vertices.to_vec());
    let boxes = primitives.boxes.iter().map(|bounds| vec![bounds.min, bounds.max]);
    let (of_triangles, of_boxes) = ((record.triangles, "triangle"), (record.boxes, "box"));
    let all = triangles.enumerate().map(|(number, corners)| (of_triangles, number, corners));
    let all = all.chain(boxes.enumerate().map(|(number, corners)| (of_boxes, number, corners)));
    for ((start, kind), number, corners) in all {
        let size = CORNER_BYTES * corners.len();
        if !corners.iter().all(|corner| corner.is_finite()) {
            let (at, place) = (start + (size * number) as u64, format!("{kind} {number}"));
            let found = format!("{:?}", corners.iter().map(|c| c.to_array()).collect::<Vec<_>>());
            let bits = 0..8 * size as u32;
            findings.add(Rule::VertexFinite, at, bits, &place, found, "finite coordinates");
        }
    }
}

/// Sums a level up, children before parents; gives what is below its root.
fn check_level(
    parts: &Parts<'_>,
    blocks: &LevelBlocks,
    items: &Items<'_>,
    findings: &mut Findings,
) -> Sum {
    let mut sums: HashMap<u32, Sum> = HashMap::with_capacity(blocks.len());
    let mut root = Sum::NOTHING;
    for &number in blocks.iter().rev() {
        let block = parts.block(number);
        let axes = axes_of(&block);
        let at = parts.directory.blocks + super::block::BLOCK_BYTES as u64 * u64::from(number);
        let mut below = [Sum::NOTHING; super::block::MAX_NODES];
        for (index, node) in block.nodes.iter().enumerate().rev() {
            let sum = match node.lead {
                Lead::Inside { first, count } => below[usize::from(first)..][..usize::from(count)]
                    .iter()
                    .fold(Sum::NOTHING, |sum, child| sum.with(*child)),
                Lead::Foreign { offset } => {
                    let child = block.block_base + u32::from(offset);
                    sums.remove(&child).unwrap_or(Sum::NOTHING)
                }
                Lead::Leaf { offset, count } => (0..u32::from(count))
                    .map(|k| parts.reference(block.reference_base + u32::from(offset) + k))
                    .fold(Sum::NOTHING, |sum, reference| sum.with(items.sum(reference))),
                Lead::Unused => Sum::NOTHING,
            };
            let (at, place) = (at + Block::node_offset(index) as u64, node_name(number, index));
            check_box(&axes, node.min, node.max, &sum.bounds, at, 0..48, &place, findings);
            if sum.mask & !unfold_mask(node.mask) != 0 {
                let found = format!("{:#05b}, which hides {:#04x}", node.mask, sum.mask);
                let expected = "a mask that hides nothing below";
                findings.add(Rule::Mask, at + 6, 5..8, &place, found, expected);
            }
            below[index] = sum;
        }
        root = below[..usize::from(block.root_children)]
            .iter()
            .fold(Sum::NOTHING, |sum, child| sum.with(*child));
        let place = format!("block {number}, root");
        check_box(&axes, [0; 3], block.root_max, &root.bounds, at, 0..216, &place, findings);
        let claims = (block.flags & OPAQUE_ONLY != 0, block.flags & ALPHA_PRESENT != 0);
        if root.any_alpha && claims != (false, true) {
            let found = format!("opaque only {}, alpha present {}", claims.0, claims.1);
            let expected = "alpha present, and not opaque only";
            findings.add(Rule::Opacity, at + 27, 0..2, &place, found, expected);
        }
        sums.insert(number, root);
    }
    root
}

#[allow(clippy::too_many_arguments, reason = "a box, what it should contain, and where it stands")]
fn check_box(
    axes: &[GridAxis; 3],
    min: [u8; 3],
    max: [u8; 3],
    inner: &Aabb,
    at: u64,
    bits: std::ops::Range<u32>,
    place: &str,
    findings: &mut Findings,
) {
    if inner.is_empty() {
        return;
    }
    for k in 0..3 {
        let below = axes[k].compare(inner.min[k], f64::from(min[k])) == Ordering::Less;
        let above = axes[k].compare(inner.max[k], f64::from(max[k])) == Ordering::Greater;
        if below || above {
            let axis = ["x", "y", "z"][k];
            let (low, high) = (axes[k].plane_below(min[k]), axes[k].plane_above(max[k]));
            let found = format!("{axis} from {low} to {high}");
            let expected =
                format!("around {} to {}, which is below it", inner.min[k], inner.max[k]);
            findings.add(Rule::Contained, at, bits, place, found, expected);
            return;
        }
    }
}
