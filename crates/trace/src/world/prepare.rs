//! A tree, laid out for the CPU.
//!
//! The boxes of the tree are kept as they are, or formed anew. Then the box of a leaf becomes the
//! union, over its triangles, of the triangle's own box; of a triangle that spatial splits have
//! cut, only what lies in the leaf's box in the image. An image stores such a triangle several
//! times, with the same ids. All others are therefore inside their boxes, even where the image's
//! boxes lost them. Boxes of nodes are unions of their children's.

use super::leaf::{Leaves, MAX_TRIANGLES};
use super::{Arena, Level, Node, Pointer, PrimitiveIds, Target, Tlas, World};
use crate::ordinary;
use geometry::{Aabb, Triangle, Vec3};
use machine::instance_dilation::InstanceDilation;
use rayon::prelude::*;
use std::ops::Range;
use tree::{Blas, Bvh, Instance, PrimitiveId, Primitives, Tree};

/// The world does not fit into 32-bit pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl World {
    /// Lays a tree out. Its boxes are kept, also where they do not contain what is below them, or
    /// formed anew.
    pub(crate) fn new(tree: &Tree, keeps_boxes: bool) -> Result<Self, TooLarge> {
        let mut writer = Writer { keeps_boxes, ..Writer::default() };
        let mut blases = Vec::with_capacity(tree.blases.len());
        let mut primitive_ids = Vec::with_capacity(tree.blases.len());
        for blas in &tree.blases {
            let own = PrimitiveIds::new(&blas.primitives);
            blases.push(writer.blas(blas, &own)?);
            primitive_ids.push(own);
        }
        let mut tlas = match &tree.tlas {
            None => None,
            Some(tlas) => Some(writer.tlas(tlas, &blases)?),
        };
        let Writer { mut nodes, leaves, boxes, box_lists, .. } = writer;
        let stack_size = stack_size(&nodes, &blases, tlas.as_ref());
        let shift = Arena::leaf_shift(nodes.len());
        let roots = blases.iter_mut().chain(tlas.as_mut().map(|tlas| &mut tlas.level));
        for pointer in nodes
            .iter_mut()
            .flat_map(|node| &mut node.children)
            .chain(roots.map(|level| &mut level.root))
            .filter(|pointer| pointer.target() == Target::Leaf)
        {
            *pointer = pointer.shifted(shift).ok_or(TooLarge)?;
        }
        let arena = Arena::new(&nodes, &leaves);
        let levels = blases.iter().chain(tlas.as_ref().map(|tlas| &tlas.level));
        let mut is_ordinary = levels.into_iter().all(|level| {
            let Aabb { min, max } = level.bounds;
            level.bounds.is_empty() || min.abs().max(max.abs()).max_element() <= ordinary::LARGEST
        });
        if keeps_boxes {
            // The box of a root says nothing of what it should contain.
            let vertices = tree.blases.iter().flat_map(|blas| &blas.primitives.triangles);
            let mut vertices = vertices.flat_map(|triangle| triangle.vertices);
            is_ordinary &= vertices.all(|v| v.abs().max_element() <= ordinary::LARGEST);
        }
        let triangles = tree.blases.iter().map(|blas| distinct(&blas.primitives)).sum();
        Ok(Self {
            arena,
            boxes,
            box_lists,
            blases,
            primitive_ids,
            tlas,
            stack_size,
            triangles,
            is_ordinary,
        })
    }
}

/// A world under construction.
#[derive(Default)]
struct Writer {
    keeps_boxes: bool,
    nodes: Vec<Node>,
    leaves: Leaves,
    boxes: Vec<(Aabb, PrimitiveId)>,
    box_lists: Vec<Range<u32>>,
}

/// A child to be written: its box and where it leads.
type Child = (Aabb, Pointer);

/// Adds the children that stand for the items of a leaf with the given box.
type LeafWriter<'a> =
    dyn FnMut(&mut Writer, &[u32], &Aabb, &mut Vec<Child>) -> Result<(), TooLarge> + 'a;

impl Writer {
    fn blas(&mut self, blas: &Blas, ids: &PrimitiveIds) -> Result<Level, TooLarge> {
        let Blas { primitives, bvh } = blas;
        let is_cut = if self.keeps_boxes { Vec::new() } else { cut_triangles(primitives, bvh) };
        let part = |item: u32, leaf: &Aabb| {
            let own = unbounded_unless_finite(primitives.bounds(item as usize));
            let common = own.intersection(*leaf);
            match is_cut.get(item as usize) {
                Some(false) => own,
                Some(true) if common.is_empty() => own,
                Some(true) | None => common,
            }
        };
        self.level(bvh, &part, &mut |writer, items, leaf, children| {
            writer.primitives(primitives, ids, items, &|item| part(item, leaf), children)
        })
    }

    fn tlas(&mut self, tlas: &tree::Tlas, blases: &[Level]) -> Result<Tlas, TooLarge> {
        let tree::Tlas { instances, bvh } = tlas;
        let references = reference_counts(bvh);
        let keeps_boxes = self.keeps_boxes;
        let part = |item: u32, leaf: &Aabb| {
            if keeps_boxes || references[item as usize] > 1 {
                *leaf
            } else {
                world_bounds(&instances[item as usize], blases)
            }
        };
        let level = self.level(bvh, &part, &mut |_, items, leaf, children| {
            for &item in items {
                let bounds = part(item, leaf);
                if !bounds.is_empty() {
                    children.push((bounds, Pointer::instance(item as usize).ok_or(TooLarge)?));
                }
            }
            Ok(())
        })?;
        Ok(Tlas { level, instances: instances.clone(), dilation: InstanceDilation::new(tlas) })
    }

    /// Writes a hierarchy from the top down. `part` gives the box of an item in a leaf, `leaf` the
    /// children that stand for the items of a leaf.
    fn level(
        &mut self,
        bvh: &Bvh,
        part: &dyn Fn(u32, &Aabb) -> Aabb,
        leaf: &mut LeafWriter<'_>,
    ) -> Result<Level, TooLarge> {
        let bounds = if self.keeps_boxes {
            let stored = bvh.nodes().iter().map(|node| node.bounds);
            stored.map(unbounded_unless_finite_or_empty).collect()
        } else {
            entry_bounds(bvh, part)
        };
        let mut root = Pointer::DONE;
        // Entries to be written, and the slot of the node that waits for each.
        let mut open: Vec<(usize, Option<(usize, usize)>)> = vec![(0, None)];
        let mut children = Vec::new();
        while let Some((index, parent)) = open.pop() {
            let entry = &bvh.nodes()[index];
            let pointer = if entry.link.is_leaf() {
                children.clear();
                leaf(self, bvh.items(entry), &entry.bounds, &mut children)?;
                self.gather(&children)?
            } else {
                let below: Vec<usize> =
                    entry.link.range().filter(|&child| !bounds[child].is_empty()).collect();
                // The last slots have the largest boxes: whoever asks for any hit looks there
                // first.
                let mut slots: Vec<(Aabb, usize)> =
                    below.iter().map(|&child| (bounds[child], child)).collect();
                slots.sort_by(|a, b| a.0.half_area().total_cmp(&b.0.half_area()));
                let boxes: Vec<Aabb> = slots.iter().map(|slot| slot.0).collect();
                let number = self.nodes.len();
                self.nodes.push(Node::of_boxes(&boxes));
                open.extend(below.iter().rev().map(|&child| {
                    let slot = slots.iter().position(|slot| slot.1 == child);
                    (child, slot.map(|slot| (number, slot)))
                }));
                Pointer::node(number).ok_or(TooLarge)?
            };
            match parent {
                Some((node, slot)) => self.nodes[node].children[slot] = pointer,
                None if !bounds[0].is_empty() => root = pointer,
                None => (),
            }
        }
        Ok(Level { root, bounds: bounds[0] })
    }

    /// Triangles in leaves of at most eight, then boxes.
    fn primitives(
        &mut self,
        primitives: &Primitives,
        ids: &PrimitiveIds,
        items: &[u32],
        part: &dyn Fn(u32) -> Aabb,
        children: &mut Vec<Child>,
    ) -> Result<(), TooLarge> {
        let is_triangle = |item: &u32| (*item as usize) < primitives.triangles.len();
        let (triangles, boxes): (Vec<u32>, Vec<u32>) =
            items.iter().partition(|item| is_triangle(item));
        for few in triangles.chunks(MAX_TRIANGLES) {
            let stored: Vec<(Triangle, u32)> = few
                .iter()
                .map(|&item| {
                    let number = item as usize;
                    (primitives.triangles[number], ids.name(&primitives.ids[number]))
                })
                .collect();
            let bounds = few.iter().fold(Aabb::EMPTY, |all, &item| all.union(part(item)));
            children.push((bounds, self.leaves.push(&stored).ok_or(TooLarge)?));
        }
        if !boxes.is_empty() {
            let bounds = boxes.iter().fold(Aabb::EMPTY, |all, &item| all.union(part(item)));
            let first = self.boxes.len();
            let stored = |&item: &u32| {
                let number = item as usize;
                (primitives.boxes[number - primitives.triangles.len()], primitives.ids[number])
            };
            self.boxes.extend(boxes.iter().map(stored));
            let end = u32::try_from(self.boxes.len()).map_err(|_| TooLarge)?;
            children.push((bounds, Pointer::boxes(self.box_lists.len()).ok_or(TooLarge)?));
            self.box_lists.push(first as u32..end);
        }
        Ok(())
    }

    /// One pointer to all of `children`: further nodes where there are several.
    fn gather(&mut self, children: &[Child]) -> Result<Pointer, TooLarge> {
        match children {
            [] => return Ok(Pointer::DONE),
            [(_, pointer)] => return Ok(*pointer),
            _ => (),
        }
        let number = self.nodes.len();
        self.nodes.push(Node::EMPTY);
        let mut size = 1;
        while size * 8 < children.len() {
            size *= 8;
        }
        let bounds =
            |group: &[Child]| group.iter().fold(Aabb::EMPTY, |all, child| all.union(child.0));
        let boxes: Vec<Aabb> = children.chunks(size).map(bounds).collect();
        let mut node = Node::of_boxes(&boxes);
        for (slot, group) in children.chunks(size).enumerate() {
            node.children[slot] = self.gather(group)?;
        }
        self.nodes[number] = node;
        Pointer::node(number).ok_or(TooLarge)
    }
}

/// Triangles with different ids.
pub(crate) fn distinct(primitives: &Primitives) -> usize {
    let mut ids: Vec<(u32, u32)> = primitives.ids[..primitives.triangles.len()]
        .iter()
        .map(|id| (id.geometry, id.primitive))
        .collect();
    ids.par_sort_unstable();
    ids.dedup();
    ids.len()
}

/// The box of each entry, from the bottom up.
fn entry_bounds(bvh: &Bvh, part: &dyn Fn(u32, &Aabb) -> Aabb) -> Vec<Aabb> {
    let mut bounds = vec![Aabb::EMPTY; bvh.nodes().len()];
    for (index, entry) in bvh.nodes().iter().enumerate().rev() {
        bounds[index] = if entry.link.is_leaf() {
            bvh.items(entry)
                .iter()
                .fold(Aabb::EMPTY, |all, &item| all.union(part(item, &entry.bounds)))
        } else {
            bounds[entry.link.range()].iter().fold(Aabb::EMPTY, |all, &child| all.union(child))
        };
    }
    bounds
}

/// Which primitives several leaves hold: under one number, or under several with the same ids.
fn cut_triangles(primitives: &Primitives, bvh: &Bvh) -> Vec<bool> {
    let mut is_cut: Vec<bool> = reference_counts(bvh).iter().map(|&count| count > 1).collect();
    let key = |item: u32| {
        let PrimitiveId { geometry, primitive, .. } = primitives.ids[item as usize];
        u64::from(geometry) << 32 | u64::from(primitive)
    };
    let mut sorted: Vec<(u64, u32)> =
        (0..primitives.triangles.len() as u32).map(|item| (key(item), item)).collect();
    sorted.par_sort_unstable();
    for same in sorted.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        for &(_, item) in same {
            is_cut[item as usize] = true;
        }
    }
    is_cut
}

/// How many leaves refer to each item.
fn reference_counts(bvh: &Bvh) -> Vec<u32> {
    let mut counts = vec![0; bvh.item_count()];
    for &item in bvh.indices() {
        counts[item as usize] += 1;
    }
    counts
}

/// The box, or all of space if a plane is not finite: whatever such a primitive does, it is
/// visited.
fn unbounded_unless_finite(bounds: Aabb) -> Aabb {
    if bounds.is_finite() { bounds } else { Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY) }
}

fn world_bounds(instance: &Instance, blases: &[Level]) -> Aabb {
    let below = blases.get(instance.blas as usize).map_or(Aabb::EMPTY, |level| level.bounds);
    instance.world_bounds(&below).map_or(Aabb::EMPTY, unbounded_unless_finite_or_empty)
}

fn unbounded_unless_finite_or_empty(bounds: Aabb) -> Aabb {
    if bounds.is_empty() { Aabb::EMPTY } else { unbounded_unless_finite(bounds) }
}

/// Most entries of a walk's stack: all children of a node are pushed and one is popped, again and
/// again; an instance adds the entry that leaves it.
fn stack_size(nodes: &[Node], blases: &[Level], tlas: Option<&Tlas>) -> usize {
    let mut needed = vec![1; nodes.len()];
    for (number, node) in nodes.iter().enumerate().rev() {
        let deepest = node.slots().map(|slot| match node.children[slot] {
            child if child.is_node() => needed[number_of(child)],
            _ => 1,
        });
        needed[number] = deepest.max().unwrap_or(1) + node.slots().count().saturating_sub(1);
    }
    let of_level =
        |level: &Level| if level.root.is_node() { needed[number_of(level.root)] } else { 1 };
    let below = blases.iter().map(of_level).max().unwrap_or(0);
    1 + below + tlas.map_or(0, |tlas| of_level(&tlas.level) + 1)
}

/// The number of the node behind a pointer to one.
fn number_of(node: Pointer) -> usize {
    node.byte() / size_of::<Node>()
}
