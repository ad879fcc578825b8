//! The hierarchy of a structure as a [`Bvh`]: entries are the children of all boxes, behind a root.

use super::bounds::union;
use crate::survey::records::{BoxRecord, Space, Survey, Surveyed, Target};
use geometry::Aabb;
use machine::NodePlace;
use rayon::prelude::*;
use tree::{Blas, Bvh, Node, NodeLink, Tlas, Tree};

/// The tree of a survey, level by level.
pub fn tree<S: Space>(
    survey: &Survey<S>,
    blas: impl Fn(&Surveyed<S>) -> Blas,
    tlas: impl FnOnce(&Surveyed<S>, &[Blas]) -> Tlas,
) -> Tree {
    let (top, blases) = survey.levels();
    let blases: Vec<Blas> = blases.iter().map(blas).collect();
    let tlas = top.map(|top| tlas(top, &blases));
    Tree { blases, tlas }
}

/// Where the nodes of the tree of a survey lie, level by level as the tree has them: the root, then
/// the children of all boxes.
#[must_use]
pub fn node_places<S: Space>(survey: &Survey<S>) -> Vec<Vec<NodePlace>> {
    let places = |surveyed: &Surveyed<S>| {
        let place = |pointer: S::Pointer| {
            let address = surveyed.structure.address_of(pointer);
            NodePlace { pointer: pointer.into(), address }
        };
        let children = surveyed.boxes.iter().flat_map(|record| {
            let children = &surveyed.children[record.children()];
            children.iter().map(|child| surveyed.pointer(child.target))
        });
        [surveyed.structure.root()].into_iter().chain(children).map(place).collect()
    };
    let (tlas, blases) = survey.levels();
    blases.iter().chain(tlas).map(places).collect()
}

/// Items of leaves and instances, and the boxes around them.
pub struct Items<'a> {
    /// How many items there are.
    pub count: usize,
    /// Adds the items of a leaf, by its position.
    pub of_leaf: &'a (dyn Fn(usize, &mut Vec<u32>) + Sync),
    /// Item of an instance, by its position.
    pub of_instance: &'a (dyn Fn(u32) -> u32 + Sync),
    /// The box around an item.
    pub bounds: &'a (dyn Fn(u32) -> Aabb + Sync),
}

/// Says whether a node is oriented, and writes boxes along the axes around the decoded ones of its
/// children.
pub type ChildBoxes<'a, P> = dyn Fn(&BoxRecord<P>, &mut [Aabb]) -> bool + Sync + 'a;

/// Leaves or boxes in one task.
const CHUNK: usize = 1 << 10;

/// The hierarchy; one leaf without references if there is nothing in it.
#[must_use]
pub fn bvh<S: Space>(
    surveyed: &Surveyed<S>,
    items: &Items<'_>,
    boxes: &ChildBoxes<'_, S::Pointer>,
) -> Bvh {
    let (mut references, leaf_links) = leaf_items(surveyed.leaves.len(), items);
    let Some(root) = surveyed.boxes.first() else {
        let Some(&link) = leaf_links.first() else { return Bvh::empty() };
        let bounds = references.iter().fold(Aabb::EMPTY, |all, &n| union(all, (items.bounds)(n)));
        return proved(vec![Node { bounds, link }], references, items.count);
    };
    if root.child_count == 0 {
        return Bvh::empty();
    }
    let first_instance = references.len() as u32;
    references.extend((0..surveyed.instances.len() as u32).map(items.of_instance));
    let link = |target: Target| match target {
        Target::Leaf(number) => leaf_links[number as usize],
        Target::Instance(number) => NodeLink::leaf(first_instance + number, 1),
        Target::Box(number) => {
            let record = &surveyed.boxes[number as usize];
            match usize::from(record.child_count) {
                0 => NodeLink::leaf(0, 0),
                count => NodeLink::inner(record.first_child + 1, count),
            }
        }
    };
    let mut entries = Vec::with_capacity(surveyed.children.len() + 1);
    let targets = surveyed.children.iter().map(|child| child.target);
    entries.extend([Target::Box(0)].into_iter().chain(targets).map(|target| {
        // The boxes follow.
        Node { bounds: Aabb::EMPTY, link: link(target) }
    }));
    drop(leaf_links);
    let (first, children) = entries.split_at_mut(1);
    bound_children(surveyed, items, boxes, &references, children);
    let top = children[root.children()].iter();
    first[0].bounds = top.fold(Aabb::EMPTY, |all, child| union(all, child.bounds));
    proved(entries, references, items.count)
}

/// The items of all leaves one after the other, and where those of each leaf are.
fn leaf_items(leaves: usize, items: &Items<'_>) -> (Vec<u32>, Vec<NodeLink>) {
    let chunk = |first: usize| {
        let mut references = Vec::new();
        let count = |leaf: usize| {
            let before = references.len();
            (items.of_leaf)(leaf, &mut references);
            references.len() - before
        };
        let counts: Vec<usize> = (first..leaves.min(first + CHUNK)).map(count).collect();
        (references, counts)
    };
    let starts = (0..leaves.div_ceil(CHUNK)).into_par_iter().map(|number| number * CHUNK);
    let chunks: Vec<(Vec<u32>, Vec<usize>)> = starts.map(chunk).collect();
    let mut references = Vec::with_capacity(chunks.iter().map(|(items, _)| items.len()).sum());
    let mut links = Vec::with_capacity(leaves);
    for (items, counts) in chunks {
        let mut next = references.len();
        for count in counts {
            links.push(NodeLink::leaf(next as u32, count));
            next += count;
        }
        references.extend(items);
    }
    (references, links)
}

/// A survey is a tree, so this succeeds.
fn proved(entries: Vec<Node>, references: Vec<u32>, count: usize) -> Bvh {
    Bvh::new(entries, references, count).unwrap_or_else(|_| Bvh::empty())
}

/// Sets the decoded box of each child; below an oriented node, the part of its oriented box that
/// lies in the box around what the child holds.
fn bound_children<S: Space>(
    surveyed: &Surveyed<S>,
    items: &Items<'_>,
    boxes: &ChildBoxes<'_, S::Pointer>,
    references: &[u32],
    nodes: &mut [Node],
) {
    let mut tasks = Vec::with_capacity(surveyed.boxes.len().div_ceil(CHUNK));
    let mut rest = &mut *nodes;
    for records in surveyed.boxes.chunks(CHUNK) {
        // The children of boxes lie one behind the other, in the order of the boxes.
        let count = records.iter().map(|record| usize::from(record.child_count)).sum();
        let (own, others) = rest.split_at_mut(count);
        rest = others;
        tasks.push((records, own));
    }
    let decode = |(records, mut own): (&[BoxRecord<S::Pointer>], &mut [Node])| {
        let mut decoded = Vec::new();
        let decode = |record: &BoxRecord<S::Pointer>| {
            let (children, others) =
                std::mem::take(&mut own).split_at_mut(record.child_count.into());
            own = others;
            decoded.clear();
            decoded.resize(children.len(), Aabb::EMPTY);
            let is_oriented = boxes(record, &mut decoded);
            children.iter_mut().zip(&decoded).for_each(|(child, bounds)| child.bounds = *bounds);
            is_oriented
        };
        records.iter().map(decode).collect::<Vec<bool>>()
    };
    let are_oriented: Vec<bool> = tasks.into_par_iter().flat_map_iter(decode).collect();
    if are_oriented.contains(&true) {
        let contents = contents(surveyed, items, references, nodes);
        for (record, _) in surveyed.boxes.iter().zip(&are_oriented).filter(|(_, turned)| **turned) {
            for child in record.children() {
                let common = nodes[child].bounds.intersection(contents[child]);
                nodes[child].bounds = if common.is_empty() { Aabb::EMPTY } else { common };
            }
        }
    }
}

/// The box around everything below each child, from the bottom up.
fn contents<S: Space>(
    surveyed: &Surveyed<S>,
    items: &Items<'_>,
    references: &[u32],
    nodes: &[Node],
) -> Vec<Aabb> {
    let mut contents: Vec<Aabb> = nodes
        .par_iter()
        .with_min_len(1 << 8)
        .map(|node| match node.link.is_leaf() {
            false => Aabb::EMPTY,
            true => references[node.link.range()]
                .iter()
                .fold(Aabb::EMPTY, |all, &item| union(all, (items.bounds)(item))),
        })
        .collect();
    for position in (0..contents.len()).rev() {
        if let Target::Box(number) = surveyed.children[position].target {
            let below = surveyed.boxes[number as usize].children();
            contents[position] = contents[below].iter().fold(Aabb::EMPTY, |all, &b| union(all, b));
        }
    }
    contents
}
