//! A world that follows what it holds: the same tree, boxes formed anew.
//!
//! The nodes of a subtree are one range, and so are its leaves. Subtrees of some thousand nodes are
//! followed side by side, each from its last node to its first, which is from the bottom up; then
//! the nodes above them.

use super::node::Node;
use super::pointer::{Pointer, Target};
use super::prepare::unbounded_unless_finite_or_empty;
use super::{Arena, Level, PrimitiveIds, World};
use geometry::{Aabb, Vec3};
use machine::instance_dilation::InstanceDilation;
use rayon::prelude::*;
use scene::{Object, Shape};
use std::ops::Range;
use tree::{Bvh, Instance, PrimitiveId};

/// Subtrees of at most so many nodes are followed by one thread.
const PART: usize = 1 << 11;

/// Where the corners of a triangle are, if it is there.
#[inline]
pub(crate) fn corners(parts: &Object, id: &PrimitiveId) -> Option<[Vec3; 3]> {
    match &parts.geometries.get(id.geometry as usize)?.shape {
        Shape::Triangles { positions, indices } => {
            let [a, b, c] = *indices.get(id.primitive as usize)?;
            let corner = |index: u32| positions.get(index as usize).copied();
            Some([corner(a)?, corner(b)?, corner(c)?])
        }
        Shape::Boxes(_) => None,
    }
}

/// Where a procedural box is, if it is there.
pub(crate) fn procedural(parts: &Object, id: &PrimitiveId) -> Option<Aabb> {
    match &parts.geometries.get(id.geometry as usize)?.shape {
        Shape::Boxes(boxes) => boxes.get(id.primitive as usize).copied(),
        Shape::Triangles { .. } => None,
    }
}

impl World {
    /// The numbers of a level's nodes.
    pub(crate) fn nodes_of(&self, level: &Level) -> Range<usize> {
        if !level.root.is_node() {
            return 0..0;
        }
        let first = level.root.node_number();
        let levels = self.blases.iter().chain(self.tlas.as_ref().map(|tlas| &tlas.level));
        let roots =
            levels.filter(|level| level.root.is_node()).map(|level| level.root.node_number());
        let end = roots.filter(|&root| root > first).min();
        first..end.unwrap_or(self.arena.node_count())
    }

    /// The subtrees of a level that are followed side by side, as ranges of nodes that begin with
    /// their roots; none if there is but one.
    pub(crate) fn subtrees(&self, level: &Level) -> Vec<Range<usize>> {
        let nodes = self.arena.nodes();
        let cuts = cuts(nodes, &self.nodes_of(level), size_of_val(nodes)).unwrap_or_default();
        cuts.into_iter().map(|cut| cut.nodes).collect()
    }

    /// The leaves and lists of boxes of a BLAS that meet a condition: the first that is found.
    pub(crate) fn find_leaf<T: Send>(
        &self,
        blas: usize,
        find: impl Fn(Pointer) -> Option<T> + Sync,
    ) -> Option<T> {
        let level = &self.blases[blas];
        if !level.root.is_node() {
            return find(level.root);
        }
        self.nodes_of(level).into_par_iter().find_map_first(|number| {
            let node = self.arena.node(Pointer::node(number)?);
            node.slots().find_map(|slot| find(node.children[slot]))
        })
    }

    /// Follows objects and instances, which have been found to be those that it holds.
    pub(crate) fn follow(&mut self, objects: &[Object], instances: Vec<Instance>) {
        let nodes: Vec<Range<usize>> =
            self.blases.iter().map(|level| self.nodes_of(level)).collect();
        for (object, (parts, nodes)) in objects.iter().zip(nodes).enumerate() {
            self.follow_boxes(object, parts);
            let Some(ids) = self.primitive_ids.get(object) else { continue };
            let lists: Vec<Aabb> =
                (0..self.box_lists.len()).map(|list| around(self.box_list(list))).collect();
            let below = Below { parts, ids, lists: &lists };
            let Some(level) = self.blases.get_mut(object) else { continue };
            level.bounds = below.level(&mut self.arena, level, nodes);
        }
        self.follow_instances(instances);
        self.is_ordinary = self.has_ordinary_bounds();
    }

    fn follow_boxes(&mut self, object: usize, parts: &Object) {
        let mut lists = Vec::new();
        let found = std::sync::Mutex::new(&mut lists);
        self.find_leaf(object, |pointer| {
            if let (Target::Boxes(list), Ok(mut found)) = (pointer.target(), found.lock()) {
                found.push(list);
            }
            None::<()>
        });
        for list in lists {
            let Range { start, end } = self.box_lists[list];
            for (bounds, id) in &mut self.boxes[start as usize..end as usize] {
                *bounds = procedural(parts, id).unwrap_or(*bounds);
            }
        }
    }

    fn follow_instances(&mut self, instances: Vec<Instance>) {
        let Some(level) = self.tlas.as_ref().map(|tlas| tlas.level) else { return };
        let placed: Vec<Aabb> = instances
            .par_iter()
            .map(|instance| {
                let below = self.blases[instance.blas as usize].bounds;
                instance.world_bounds(&below).map_or(Aabb::EMPTY, unbounded_unless_finite_or_empty)
            })
            .collect();
        let nodes = self.nodes_of(&level);
        let (all, _) = self.arena.parts_mut();
        let leaf = |pointer: Pointer| match pointer.target() {
            Target::Instance(number) => placed[number],
            _ => Aabb::EMPTY,
        };
        for number in nodes.rev() {
            let bounds = |pointer: Pointer, all: &[Node]| match pointer.is_node() {
                true => whole(&all[pointer.node_number()]),
                false => leaf(pointer),
            };
            let mut node = all[number];
            for slot in 0..8 {
                if node.children[slot] != Pointer::DONE {
                    let bounds = bounds(node.children[slot], all);
                    node.set_bounds(slot, &bounds);
                }
            }
            node.set_orders();
            all[number] = node;
        }
        let bounds = match level.root.is_node() {
            true => whole(&all[level.root.node_number()]),
            false => leaf(level.root),
        };
        let tlas = tree::Tlas { instances, bvh: Bvh::empty() };
        let dilation = InstanceDilation::new(&tlas);
        let level = Level { bounds, ..level };
        self.tlas = Some(super::Tlas { level, instances: tlas.instances, dilation });
    }
}

/// An object, and what a BLAS knows of it.
struct Below<'a> {
    parts: &'a Object,
    ids: &'a PrimitiveIds,
    /// The box around each list of procedural boxes.
    lists: &'a [Aabb],
}

/// A part of the nodes and of the words of leaves.
struct Part<'a> {
    nodes: &'a mut [Node],
    first_node: usize,
    words: &'a mut [u32],
    first_word: usize,
    /// The byte at which words begin.
    leaves: usize,
}

impl Below<'_> {
    /// Follows a level; returns the box around it.
    fn level(&self, arena: &mut Arena, level: &Level, range: Range<usize>) -> Aabb {
        let (nodes, words) = arena.parts_mut();
        let leaves = size_of_val::<[Node]>(nodes);
        let cuts = cuts(nodes, &range, leaves).unwrap_or_default();
        let mut parts = Vec::with_capacity(cuts.len());
        let (mut nodes_rest, mut words_rest) = (&mut *nodes, &mut *words);
        let (mut first_node, mut first_word) = (0, 0);
        for Cut { nodes, words } in &cuts {
            let (_, rest) = std::mem::take(&mut nodes_rest).split_at_mut(nodes.start - first_node);
            let (own_nodes, rest) = rest.split_at_mut(nodes.len());
            nodes_rest = rest;
            let (_, rest) = std::mem::take(&mut words_rest).split_at_mut(words.start - first_word);
            let (own_words, rest) = rest.split_at_mut(words.len());
            words_rest = rest;
            (first_node, first_word) = (nodes.end, words.end);
            let (first_node, first_word) = (nodes.start, words.start);
            parts.push(Part { nodes: own_nodes, first_node, words: own_words, first_word, leaves });
        }
        parts.into_par_iter().for_each(|mut part| {
            let first = part.first_node;
            for number in (first..first + part.nodes.len()).rev() {
                self.node(number, &mut part);
            }
        });
        let mut all = Part { nodes, first_node: 0, words, first_word: 0, leaves };
        let mut end = range.end;
        for cut in cuts
            .iter()
            .map(|cut| cut.nodes.clone())
            .rev()
            .chain(std::iter::once(range.start..range.start))
        {
            for number in (cut.end..end).rev() {
                self.node(number, &mut all);
            }
            end = cut.start;
        }
        self.bounds(level.root, &mut all)
    }

    fn node(&self, number: usize, part: &mut Part<'_>) {
        let mut node = part.nodes[number - part.first_node];
        for slot in 0..8 {
            if node.children[slot] != Pointer::DONE {
                let bounds = self.bounds(node.children[slot], part);
                node.set_bounds(slot, &bounds);
            }
        }
        node.set_orders();
        part.nodes[number - part.first_node] = node;
    }

    /// The box behind a pointer; writes the triangles of a leaf.
    fn bounds(&self, pointer: Pointer, part: &mut Part<'_>) -> Aabb {
        match pointer.target() {
            Target::Node => whole(&part.nodes[pointer.node_number() - part.first_node]),
            Target::Leaf => {
                let start = (pointer.byte() - part.leaves) / 4 - part.first_word;
                self.leaf(pointer.triangles(), &mut part.words[start..])
            }
            Target::Boxes(list) => self.lists[list],
            Target::Instance(_) | Target::Leave | Target::Done => Aabb::EMPTY,
        }
    }

    fn leaf(&self, count: usize, words: &mut [u32]) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for column in 0..count {
            let id = self.ids.id(words[9 * count + column]);
            let Some(corners) = corners(self.parts, &id) else { continue };
            for (row, vertex) in corners.iter().enumerate() {
                bounds = bounds.union(Aabb::new(*vertex, *vertex));
                for axis in 0..3 {
                    words[(3 * row + axis) * count + column] = vertex[axis].to_bits();
                }
            }
        }
        bounds
    }
}

/// A range of nodes, and the words of their leaves.
struct Cut {
    nodes: Range<usize>,
    words: Range<usize>,
}

/// Subtrees to be followed side by side, in order; none where nodes or leaves are not in the order
/// of a walk.
fn cuts(nodes: &[Node], range: &Range<usize>, leaves: usize) -> Option<Vec<Cut>> {
    if range.len() <= PART {
        return None;
    }
    // For each node, where its subtree ends, and the words of its leaves.
    let mut below: Vec<(u32, Range<u32>)> = vec![(0, no_words()); range.len()];
    for number in range.clone().rev() {
        let (mut end, mut words, mut count) = (number as u32 + 1, no_words(), 1);
        for child in nodes[number].slots().map(|slot| nodes[number].children[slot]) {
            let of_child = match child.target() {
                Target::Node => {
                    let (child_end, child_words) = &below[child.node_number() - range.start];
                    (end, count) =
                        (end.max(*child_end), count + child_end - child.node_number() as u32);
                    child_words.clone()
                }
                Target::Leaf => {
                    let start = (child.byte() - leaves) as u32 / 4;
                    start..start + 10 * child.triangles() as u32
                }
                _ => continue,
            };
            words = words.start.min(of_child.start)..words.end.max(of_child.end);
        }
        if count != end - number as u32 {
            return None;
        }
        below[number - range.start] = (end, words);
    }
    let (mut cuts, mut number): (Vec<Cut>, usize) = (Vec::new(), range.start);
    while number < range.end {
        let (end, words) = below[number - range.start].clone();
        if end as usize - number > PART {
            number += 1;
            continue;
        }
        if words.start < words.end {
            let words = words.start as usize..words.end as usize;
            if cuts.last().is_some_and(|last| last.words.end > words.start) {
                return None;
            }
            cuts.push(Cut { nodes: number..end as usize, words });
        }
        number = end as usize;
    }
    Some(cuts)
}

/// A range that any other makes larger.
fn no_words() -> Range<u32> {
    Range { start: u32::MAX, end: 0 }
}

/// The box around all of a node's.
pub(crate) fn whole(node: &Node) -> Aabb {
    // Slots without a child are NaN, which loses.
    let least = |axis: usize| node.planes[axis][0].iter().copied().fold(f32::INFINITY, f32::min);
    let most = |axis: usize| node.planes[axis][1].iter().copied().fold(f32::NEG_INFINITY, f32::max);
    Aabb::new(
        Vec3::from_array(std::array::from_fn(least)),
        Vec3::from_array(std::array::from_fn(most)),
    )
}

/// The box around procedural boxes; those that are empty cannot be met.
fn around(boxes: &[(Aabb, PrimitiveId)]) -> Aabb {
    let bounds = boxes.iter().map(|(bounds, _)| unbounded_unless_finite_or_empty(*bounds));
    bounds.fold(Aabb::EMPTY, Aabb::union)
}
