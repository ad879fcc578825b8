//! What a sound image should hold besides: finite corners, and boxes around everything below them.
//!
//! Sums are formed from the leaves up. Containment is decided on the planes as stored, by exact
//! comparison.

use crate::check::{Check, node_name};
use crate::directory::{Level, TRIANGLE_BYTES};
use crate::node::{Child, Node};
use crate::rule::Rule;
use geometry::Aabb;
use std::cmp::Ordering;
use std::collections::HashMap;
use tree::Instance;

/// Adds warnings; everything else has been proved. `orders` are the nodes of each level, parents
/// before children.
pub(crate) fn check(check: &mut Check<'_>, levels: &[Level<'_>], orders: &[Vec<u64>]) {
    let mut bounds: Vec<Aabb> = Vec::with_capacity(levels.len());
    for (number, (level, order)) in levels.iter().zip(orders).enumerate() {
        if !level.record.is_tlas() {
            check_finite(check, level, number);
        }
        let instances: Vec<Instance> =
            if level.record.is_tlas() { level.instances().collect() } else { Vec::new() };
        let item = |item: u64| item_bounds(level, &instances, &bounds, item);
        let sum = check_level(check, level, number, order, &item);
        bounds.push(sum);
    }
}

fn check_finite(check: &mut Check<'_>, level: &Level<'_>, level_number: usize) {
    for number in 0..u64::from(level.record.item_count) {
        let Some(triangle) = level.triangle(number) else { continue };
        if !triangle.vertices.iter().all(|vertex| vertex.is_finite()) {
            let found = format!("{:?}", triangle.vertices.map(|vertex| vertex.to_array()));
            let place = format!("level {level_number}, triangle {number}");
            let (at, bits) = (level.item_address(number), 0..8 * TRIANGLE_BYTES as u32);
            check.find(Rule::VertexFinite, at, bits, place, found, "finite coordinates");
        }
    }
}

/// The box of a triangle, or of an instance in the world.
fn item_bounds(level: &Level<'_>, instances: &[Instance], below: &[Aabb], item: u64) -> Aabb {
    if !level.record.is_tlas() {
        return level.triangle(item).map_or(Aabb::EMPTY, |triangle| triangle.bounds());
    }
    let instance = level.reference(item).and_then(|number| instances.get(number as usize));
    let bounds = instance.map(|instance| {
        instance.world_bounds(&below[instance.blas as usize]).unwrap_or(Aabb::EMPTY)
    });
    bounds.unwrap_or(Aabb::EMPTY)
}

/// Sums a level up, children before parents; gives what is below its root.
fn check_level(
    check: &mut Check<'_>,
    level: &Level<'_>,
    level_number: usize,
    order: &[u64],
    item: &dyn Fn(u64) -> Aabb,
) -> Aabb {
    let mut sums: HashMap<u64, Aabb> = HashMap::new();
    for &number in order.iter().rev() {
        let Some(node) = level.node(number) else { continue };
        let mut sum = Aabb::EMPTY;
        for (slot, child) in node.children() {
            let below = match child {
                Child::Node(child) => sums.remove(&child).unwrap_or(Aabb::EMPTY),
                Child::Leaf { first, count } => (first..first + u64::from(count))
                    .fold(Aabb::EMPTY, |sum, number| sum.union(item(number))),
                Child::Empty => Aabb::EMPTY,
            };
            if let Some(k) = escape(&node, slot, &below) {
                let place = format!("{}, slot {slot}", node_name(level_number, number));
                let field = [Node::qlo_x, Node::qlo_y, Node::qlo_z][k];
                let (low, high) = (node.low(slot)[k], node.high(slot)[k]);
                let (axis, name) = (node.axes()[k], ["x", "y", "z"][k]);
                let planes = format!("{} to {}", axis.plane_below(low), axis.plane_above(high));
                let found = format!("{name} from {planes} (cells {low} to {high})");
                let expected = format!("around {} to {}", below.min[k], below.max[k]);
                let (at, bits) = (level.node_address(number), field.element_bits(slot));
                check.find(Rule::Contained, at, bits, place, found, expected);
            }
            sum = sum.union(below);
        }
        sums.insert(number, sum);
    }
    sums.remove(&0).unwrap_or(Aabb::EMPTY)
}

/// The first axis on which a child's box does not contain what is below it.
fn escape(node: &Node, slot: usize, below: &Aabb) -> Option<usize> {
    if below.is_empty() {
        return None;
    }
    let (axes, low, high) = (node.axes(), node.low(slot), node.high(slot));
    (0..3).find(|&k| {
        axes[k].compare(below.min[k], low[k].into()) == Ordering::Less
            || axes[k].compare(below.max[k], high[k].into()) == Ordering::Greater
    })
}
