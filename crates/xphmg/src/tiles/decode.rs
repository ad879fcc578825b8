//! Image → tree: the hierarchy with its decoded boxes and the geometry as stored.

use super::contents::Contents;
use super::target::Target;
use geometry::Aabb;
use std::collections::VecDeque;
use tree::{Blas, Bvh, Instance, Node, NodeLink, Primitives, Tlas, Tree};

/// Reads a proved image back.
pub(super) fn decode(contents: &Contents<'_>) -> Tree {
    if !contents.has_instances() {
        return Tree { blases: vec![blas(contents, 0)], tlas: None };
    }
    let blases = (1..=contents.header.blases).map(|level| blas(contents, level)).collect();
    let records = (0..contents.header.ranges).filter_map(|number| contents.instance(number));
    let instances: Vec<Instance> = records.map(|record| record.instance()).collect();
    let Hierarchy { entries, references, .. } = Hierarchy::new(contents, 0);
    let bvh = Bvh::new(entries, references, instances.len()).unwrap_or_else(|_| Bvh::empty());
    Tree { blases, tlas: Some(Tlas { instances, bvh }) }
}

fn blas(contents: &Contents<'_>, level: u32) -> Blas {
    let numbers = contents.level_triangles(level);
    let primitives = Primitives {
        triangles: numbers.clone().map(|number| contents.triangle(number)).collect(),
        boxes: Vec::new(),
        ids: numbers.map(|number| contents.id(number)).collect(),
    };
    let Hierarchy { entries, references, .. } = Hierarchy::new(contents, level);
    let bvh = Bvh::new(entries, references, primitives.len()).unwrap_or_else(|_| Bvh::empty());
    Blas { primitives, bvh }
}

/// The structures that the nodes of the decoded tree are, for each BLAS and then for the TLAS.
pub(super) fn targets(contents: &Contents<'_>) -> Vec<Vec<Target>> {
    let levels = (1..=contents.header.blases).chain([0]);
    levels.map(|level| Hierarchy::new(contents, level).targets).collect()
}

/// The nodes of a tree, what they are in the image, and the triangles of its leaves.
struct Hierarchy {
    entries: Vec<Node>,
    targets: Vec<Target>,
    references: Vec<u32>,
}

impl Hierarchy {
    fn new(image: &Contents<'_>, level: u32) -> Self {
        let contents = image.level(level);
        let first_triangle = image.level_triangles(level).start;
        let unknown = Node { bounds: Aabb::EMPTY, link: NodeLink::leaf(0, 0) };
        let (mut entries, mut references) = (vec![unknown], Vec::new());
        let mut targets = vec![Target::Node(level, 0)];
        let mut open = VecDeque::from([(0u32, 0usize)]);
        while let Some((node, entry)) = open.pop_front() {
            let first = entries.len();
            for slot in 0..contents.shape.width() {
                let child = contents.child(node, slot);
                let bounds = contents.bounds(&child);
                let Some(target) = Target::of_child(image, level, &child) else { continue };
                let link = match target {
                    Target::Instance(index) => {
                        references.push(contents.instance_number(index).unwrap_or(0));
                        NodeLink::leaf(references.len() as u32 - 1, 1)
                    }
                    Target::Range(_, index) => {
                        let range = contents.range(index);
                        let first = range.first - first_triangle;
                        let link = NodeLink::leaf(references.len() as u32, range.count as usize);
                        references.extend(first..first + range.count);
                        link
                    }
                    _ => {
                        open.push_back((child.index, entries.len()));
                        unknown.link
                    }
                };
                entries.push(Node { bounds, link });
                targets.push(target);
            }
            let children = entries.len() - first;
            if children != 0 {
                entries[entry].link = NodeLink::inner(first as u32, children);
            }
            if entry == 0 {
                entries[0].bounds = entries[first..]
                    .iter()
                    .fold(Aabb::EMPTY, |bounds, child| bounds.union(child.bounds));
            }
        }
        Self { entries, targets, references }
    }
}
