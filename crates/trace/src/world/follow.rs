//! A world that follows what it holds: the same tree, boxes formed anew.
//!
//! The nodes of a subtree are one range, and so are its leaves. Subtrees of some thousand nodes, of
//! all objects, are followed side by side, each from its last node to its first, which is from the
//! bottom up; then the nodes above them, and then the TLAS likewise.

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
    /// The numbers of the nodes of each level: of the BLASes, then of the TLAS.
    pub(crate) fn node_ranges(&self) -> Vec<Range<usize>> {
        let levels = self.blases.iter().chain(self.tlas.as_ref().map(|tlas| &tlas.level));
        let roots: Vec<Option<usize>> =
            levels.map(|level| level.root.is_node().then(|| level.root.node_number())).collect();
        let mut starts: Vec<usize> = roots.iter().copied().flatten().collect();
        starts.sort_unstable();
        let range = |root: Option<usize>| {
            let Some(first) = root else { return 0..0 };
            let next = starts.partition_point(|&start| start <= first);
            first..starts.get(next).copied().unwrap_or(self.arena.node_count())
        };
        roots.into_iter().map(range).collect()
    }

    /// The subtrees of a level that are followed side by side, as ranges of nodes that begin with
    /// their roots; none if there is but one.
    pub(crate) fn subtrees(&self, nodes: &Range<usize>) -> Vec<Range<usize>> {
        subtrees(self.arena.nodes(), nodes).filter(|all| all.len() > 1).unwrap_or_default()
    }

    /// The leaves and lists of boxes of a BLAS, whose nodes are these, that meet a condition: the
    /// first that is found.
    pub(crate) fn find_leaf<T: Send>(
        &self,
        level: &Level,
        nodes: &Range<usize>,
        find: impl Fn(Pointer) -> Option<T> + Sync,
    ) -> Option<T> {
        if !level.root.is_node() {
            return find(level.root);
        }
        nodes.clone().into_par_iter().find_map_first(|number| {
            let node = self.arena.node(Pointer::node(number)?);
            node.slots().find_map(|slot| find(node.children[slot]))
        })
    }

    /// Follows objects and instances, which have been found to be those that it holds.
    pub(crate) fn follow(&mut self, objects: &[Object], instances: Vec<Instance>) {
        let mut ranges = self.node_ranges();
        let of_tlas = ranges.split_off(self.blases.len()).pop();
        self.follow_boxes(objects, &ranges);
        let lists: Vec<Aabb> = (0..self.box_lists.len())
            .into_par_iter()
            .map(|list| around(self.box_list(list)))
            .collect();
        let below = Below { objects, ids: &self.primitive_ids, lists: &lists, placed: &[] };
        let levels: Vec<(Pointer, Range<usize>)> =
            self.blases.iter().map(|level| level.root).zip(ranges).take(objects.len()).collect();
        let bounds = below.levels(&mut self.arena, &levels);
        for (level, bounds) in self.blases.iter_mut().zip(bounds) {
            level.bounds = bounds;
        }
        if let (Some(level), Some(nodes)) = (self.tlas.as_ref().map(|tlas| tlas.level), of_tlas) {
            self.follow_instances(level, nodes, instances);
        }
        self.is_ordinary = self.has_ordinary_bounds();
    }

    fn follow_boxes(&mut self, objects: &[Object], ranges: &[Range<usize>]) {
        if self.box_lists.is_empty() {
            return;
        }
        for ((parts, level), nodes) in objects.iter().zip(&self.blases).zip(ranges) {
            let of_nodes = self.arena.nodes()[nodes.clone()].iter();
            let children = of_nodes.flat_map(|node| node.slots().map(|slot| node.children[slot]));
            for pointer in children.chain([level.root]) {
                let Target::Boxes(list) = pointer.target() else { continue };
                let Range { start, end } = self.box_lists[list];
                for (bounds, id) in &mut self.boxes[start as usize..end as usize] {
                    *bounds = procedural(parts, id).unwrap_or(*bounds);
                }
            }
        }
    }

    fn follow_instances(&mut self, level: Level, nodes: Range<usize>, instances: Vec<Instance>) {
        let placed: Vec<Aabb> = instances
            .par_iter()
            .map(|instance| {
                let below = self.blases[instance.blas as usize].bounds;
                instance.world_bounds(&below).map_or(Aabb::EMPTY, unbounded_unless_finite_or_empty)
            })
            .collect();
        let below = Below { objects: &[], ids: &[], lists: &[], placed: &placed };
        let bounds = below.levels(&mut self.arena, &[(level.root, nodes)]).pop();
        let tlas = tree::Tlas { instances, bvh: Bvh::empty() };
        let dilation = InstanceDilation::new(&tlas);
        let level = Level { bounds: bounds.unwrap_or(Aabb::EMPTY), ..level };
        self.tlas = Some(super::Tlas { level, instances: tlas.instances, dilation });
    }
}

/// What lies below the nodes of levels: of BLASes, one for each object, or of a TLAS.
struct Below<'a> {
    objects: &'a [Object],
    ids: &'a [PrimitiveIds],
    /// The box around each list of procedural boxes.
    lists: &'a [Aabb],
    /// The box around each instance.
    placed: &'a [Aabb],
}

/// A subtree, and the words of its leaves.
struct Cut {
    level: usize,
    nodes: Range<usize>,
    words: Range<usize>,
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
    /// Follows levels, given their roots and their nodes; returns the boxes around them.
    fn levels(&self, arena: &mut Arena, levels: &[(Pointer, Range<usize>)]) -> Vec<Aabb> {
        let (nodes, words) = arena.parts_mut();
        let leaves = size_of_val::<[Node]>(nodes);
        let cuts = cuts(nodes, levels, leaves).unwrap_or_default();
        let mut parts = Vec::with_capacity(cuts.len());
        let mut rest = Part { nodes, first_node: 0, words, first_word: 0, leaves };
        for cut in &cuts {
            let (part, behind) = rest.split(cut);
            parts.push((cut, part));
            rest = behind;
        }
        parts.into_par_iter().for_each(|(cut, mut part)| {
            cut.nodes.clone().rev().for_each(|number| self.node(cut.level, number, &mut part));
        });
        // What is above the subtrees.
        let (nodes, words) = arena.parts_mut();
        let mut all = Part { nodes, first_node: 0, words, first_word: 0, leaves };
        let mut cuts = &cuts[..];
        let follow = |(number, (root, range)): (usize, &(Pointer, Range<usize>))| {
            let (own, others) = cuts.split_at(cuts.partition_point(|cut| cut.level <= number));
            cuts = others;
            let mut end = range.end;
            for cut in own.iter().rev() {
                (cut.nodes.end..end).rev().for_each(|node| self.node(number, node, &mut all));
                end = cut.nodes.start;
            }
            (range.start..end).rev().for_each(|node| self.node(number, node, &mut all));
            self.bounds(number, *root, &mut all)
        };
        levels.iter().enumerate().map(follow).collect()
    }

    fn node(&self, level: usize, number: usize, part: &mut Part<'_>) {
        let mut node = part.nodes[number - part.first_node];
        for slot in 0..8 {
            if node.children[slot] != Pointer::DONE {
                let bounds = self.bounds(level, node.children[slot], part);
                node.set_bounds(slot, &bounds);
            }
        }
        node.set_orders();
        part.nodes[number - part.first_node] = node;
    }

    /// The box behind a pointer; writes the triangles of a leaf.
    fn bounds(&self, level: usize, pointer: Pointer, part: &mut Part<'_>) -> Aabb {
        match pointer.target() {
            Target::Node => whole(&part.nodes[pointer.node_number() - part.first_node]),
            Target::Leaf => {
                let start = (pointer.byte() - part.leaves) / 4 - part.first_word;
                let (parts, ids) = (&self.objects[level], &self.ids[level]);
                leaf(parts, ids, pointer.triangles(), &mut part.words[start..])
            }
            Target::Boxes(list) => self.lists[list],
            Target::Instance(number) => self.placed[number],
            Target::Leave | Target::Done => Aabb::EMPTY,
        }
    }
}

impl<'a> Part<'a> {
    /// What belongs to a cut, and what is behind it.
    fn split(self, cut: &Cut) -> (Self, Self) {
        let Self { nodes, first_node, words, first_word, leaves } = self;
        let nodes = nodes.split_at_mut(cut.nodes.start - first_node).1;
        let words = words.split_at_mut(cut.words.start - first_word).1;
        let (own_nodes, nodes) = nodes.split_at_mut(cut.nodes.len());
        let (own_words, words) = words.split_at_mut(cut.words.len());
        let part = |nodes: &'a mut [Node], first_node, words: &'a mut [u32], first_word| Self {
            nodes,
            first_node,
            words,
            first_word,
            leaves,
        };
        (
            part(own_nodes, cut.nodes.start, own_words, cut.words.start),
            part(nodes, cut.nodes.end, words, cut.words.end),
        )
    }
}

/// Writes the triangles of a leaf; returns the box around them.
fn leaf(parts: &Object, ids: &PrimitiveIds, count: usize, words: &mut [u32]) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    for column in 0..count {
        let id = ids.id(words[9 * count + column]);
        let Some(corners) = corners(parts, &id) else { continue };
        for (row, vertex) in corners.iter().enumerate() {
            bounds = bounds.union(Aabb::new(*vertex, *vertex));
            for axis in 0..3 {
                words[(3 * row + axis) * count + column] = vertex[axis].to_bits();
            }
        }
    }
    bounds
}

/// Subtrees of levels to be followed side by side, in order; none where nodes or leaves are not in
/// the order of a walk.
fn cuts(nodes: &[Node], levels: &[(Pointer, Range<usize>)], leaves: usize) -> Option<Vec<Cut>> {
    let mut of_levels = Vec::new();
    for (level, (_, range)) in levels.iter().enumerate() {
        of_levels.extend(subtrees(nodes, range)?.into_iter().map(|nodes| (level, nodes)));
    }
    let cut = |(level, range): (usize, Range<usize>)| {
        let words = words_below(nodes, &range, leaves)?;
        Some(Cut { level, nodes: range, words })
    };
    let mut cuts: Vec<Cut> = of_levels.into_par_iter().map(cut).collect::<Option<_>>()?;
    let (mut node, mut word) = (0, 0);
    for Cut { nodes, words, .. } in &mut cuts {
        if words.start >= words.end {
            *words = word..word;
        }
        if nodes.start < node || words.start < word {
            return None;
        }
        (node, word) = (nodes.end, words.end);
    }
    Some(cuts)
}

/// The largest subtrees of at most [`PART`] nodes, in order; `None` if the upper nodes are not in
/// the order of a walk, in which a subtree ends where the next one begins.
fn subtrees(nodes: &[Node], level: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let (mut found, mut open) = (Vec::new(), vec![level.clone()]);
    while let Some(range) = open.pop() {
        if range.len() <= PART {
            found.extend((!range.is_empty()).then_some(range));
            continue;
        }
        let node = &nodes[range.start];
        let below = node.slots().map(|slot| node.children[slot]).filter(|child| child.is_node());
        let mut starts: Vec<usize> = below.map(Pointer::node_number).collect();
        starts.sort_unstable();
        let is_walk = starts.first() == Some(&(range.start + 1))
            && starts.last().is_some_and(|&last| last < range.end);
        if !is_walk {
            return None;
        }
        // The first one is taken next.
        let mut end = range.end;
        for &start in starts.iter().rev() {
            open.push(start..end);
            end = start;
        }
    }
    Some(found)
}

/// The words of the leaves of a subtree; `None` if a node leads to one that is not behind it in the
/// subtree.
fn words_below(nodes: &[Node], range: &Range<usize>, leaves: usize) -> Option<Range<usize>> {
    let (mut first, mut end) = (usize::MAX, 0);
    for number in range.clone() {
        let node = &nodes[number];
        for child in node.slots().map(|slot| node.children[slot]) {
            match child.target() {
                Target::Node if !(number + 1..range.end).contains(&child.node_number()) => {
                    return None;
                }
                Target::Leaf => {
                    let start = (child.byte() - leaves) / 4;
                    (first, end) = (first.min(start), end.max(start + 10 * child.triangles()));
                }
                _ => (),
            }
        }
    }
    Some(first..end)
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::world::Boxes;
    use scene::builtin::Builtin;
    use std::ops::ControlFlow;

    /// The parts that threads follow are of all objects, and leave few nodes above them.
    #[test]
    fn subtrees_of_all_objects_are_found() {
        for builtin in [Builtin::Organic, Builtin::Forest] {
            let scene = builtin.scene(60_000);
            let keep_going = |_| ControlFlow::Continue(());
            let built = build::build(&scene, &build::Options::default(), &keep_going).unwrap();
            let world = World::new(&built.tree, Boxes::Anew).unwrap();
            let ranges = world.node_ranges();
            let roots = world.blases.iter().map(|level| level.root);
            let levels: Vec<(Pointer, Range<usize>)> = roots.zip(ranges).collect();
            let nodes = world.arena.nodes();
            let found = cuts(nodes, &levels, size_of_val(nodes)).unwrap();
            for (number, (_, range)) in levels.iter().enumerate() {
                let own: Vec<&Cut> = found.iter().filter(|cut| cut.level == number).collect();
                let followed: usize = own.iter().map(|cut| cut.nodes.len()).sum();
                assert!(20 * (range.len() - followed) <= range.len(), "{builtin:?} {number}");
                assert_eq!(own.len() > 1, range.len() > PART, "{builtin:?} {number}");
            }
            let in_order = |pair: &[Cut]| {
                pair[0].nodes.end <= pair[1].nodes.start && pair[0].words.end <= pair[1].words.start
            };
            assert!(found.windows(2).all(in_order));
        }
    }
}
