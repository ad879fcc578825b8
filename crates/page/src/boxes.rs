//! The boxes of structures, and what they say about the tree.

use crate::document::Document;
use siliray::find::child_boxes;
use siliray::geometry::Aabb;
use siliray::machine::{EntryState, NodePlace};
use siliray::tree::quality::{half_area, overlaps};
use siliray::tree::{Bvh, Node, NodeLink, Tree};
use std::collections::HashMap;
use std::sync::Arc;

/// As many structures are described one by one, where an image cannot say which of its boxes is
/// whose.
const MOST_DESCRIBED: usize = 20_000;

/// A structure that the tree does not have.
const NOWHERE: u32 = u32::MAX;

/// The box of each entry, in the space of its level.
pub(crate) struct Boxes {
    source: Source,
    /// The number of the BLAS, or how many BLASes there are for the TLAS.
    pub(crate) levels: Vec<u32>,
    /// The largest area of a box of each level.
    largest: Vec<f64>,
    /// The largest share of each box that lies in the box of a sibling, by area.
    pub(crate) overlaps: Vec<f32>,
}

/// Where boxes come from.
enum Source {
    /// Which node of its level each entry is, or [`NOWHERE`].
    Tree(Arc<Tree>, Vec<u32>),
    /// The boxes that are known.
    Described(HashMap<usize, Aabb>),
}

impl Boxes {
    pub(crate) fn new(document: &Document) -> Self {
        let places = document
            .checked
            .as_ref()
            .and_then(|checked| Some((checked.node_places()?, checked.tree())));
        let (source, levels) = match places {
            Some((places, tree)) => {
                let placed = placed(document, &places, tree);
                (Source::Tree(Arc::clone(tree), placed.nodes), placed.levels)
            }
            None => (Source::Described(described(document)), vec![0; document.entries.len()]),
        };
        let count = levels.len();
        let largest = vec![0.0; levels.iter().max().map_or(0, |&level| level as usize + 1)];
        let mut boxes = Self { source, levels, largest, overlaps: vec![0.0; count] };
        for entry in 0..count {
            let area = boxes.get(entry).map_or(0.0, |bounds| half_area(&bounds));
            let most = &mut boxes.largest[boxes.levels[entry] as usize];
            *most = most.max(area);
        }
        let hierarchy = document.hierarchy();
        boxes.compare(hierarchy.roots());
        (0..count).for_each(|entry| boxes.compare(hierarchy.children(entry)));
        boxes
    }

    /// Finds how much siblings overlap.
    fn compare(&mut self, siblings: impl Iterator<Item = usize>) {
        let known = siblings.filter_map(|entry| Some((entry, self.get(entry)?)));
        let (entries, boxes): (Vec<usize>, Vec<Aabb>) = known.unzip();
        for (entry, overlap) in entries.into_iter().zip(overlaps(&boxes)) {
            self.overlaps[entry] = overlap;
        }
    }

    /// The box of an entry, if it is known.
    pub(crate) fn get(&self, entry: usize) -> Option<Aabb> {
        match &self.source {
            Source::Tree(tree, nodes) => {
                let bvh = bvh(tree, self.levels[entry] as usize)?;
                bvh.nodes().get(nodes[entry] as usize).map(|node| node.bounds)
            }
            Source::Described(known) => known.get(&entry).copied(),
        }
    }

    /// The level and the node of each entry that the tree has; nothing if boxes are not the tree's.
    pub(crate) fn of_tree(&self) -> Option<impl Iterator<Item = Option<(usize, usize)>>> {
        let Source::Tree(_, nodes) = &self.source else { return None };
        let place = |(&level, &node): (&u32, &u32)| {
            (node != NOWHERE).then_some((level as usize, node as usize))
        };
        Some(self.levels.iter().zip(nodes).map(place))
    }

    /// Lower and upper corner of a box; NaN where it is unknown.
    pub(crate) fn corners(&self, entry: usize) -> [[f32; 3]; 2] {
        let bounds = self.get(entry);
        bounds.map_or([[f32::NAN; 3]; 2], |bounds| [bounds.min, bounds.max].map(|c| c.to_array()))
    }

    /// The area of a box as a share of the largest of its level: how likely a ray is to come there.
    pub(crate) fn cost(&self, entry: usize) -> f32 {
        let area = self.get(entry).map_or(f64::NAN, |bounds| half_area(&bounds));
        let largest = self.largest[self.levels[entry] as usize];
        (area / if largest > 0.0 { largest } else { 1.0 }) as f32
    }
}

/// Boxes of nodes whose parents hold them.
fn described(document: &Document) -> HashMap<usize, Aabb> {
    let hierarchy = document.hierarchy();
    let mut boxes: HashMap<usize, Aabb> = HashMap::new();
    let count = document.entries.len();
    if count > MOST_DESCRIBED {
        return boxes;
    }
    for (number, entry) in document.entries.iter().enumerate() {
        let described = (document.format.describe)(&document.file.image, entry.node);
        let Ok(described) = described else { continue };
        let known = child_boxes(&described);
        for child in hierarchy.children(number) {
            let node = document.entries.node(child);
            let own = known.iter().filter(|(link, _)| Some(*link) == node);
            let own = own.fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds));
            if !own.is_empty() {
                boxes.insert(child, own);
            }
        }
    }
    // The root has a box if its children have.
    for root in hierarchy.roots() {
        let below = hierarchy.children(root).filter_map(|child| boxes.get(&child).copied());
        if let Some(all) = below.reduce(Aabb::union) {
            boxes.insert(root, all);
        }
    }
    boxes
}

/// Which node of the tree each entry is: its level, and its number there or [`NOWHERE`].
struct Placed {
    levels: Vec<u32>,
    nodes: Vec<u32>,
}

/// Goes down the outline and the tree at once, and looks for the rest by place.
fn placed(document: &Document, places: &[Vec<NodePlace>], tree: &Tree) -> Placed {
    let (entries, hierarchy) = (&document.entries, document.hierarchy());
    let count = entries.len();
    let mut placed = Placed { levels: vec![0; count], nodes: vec![NOWHERE; count] };
    let is_at = |entry: usize, level: u32, node: u32| {
        let place = places.get(level as usize).and_then(|places| places.get(node as usize));
        place.is_some_and(|place| {
            place.address == entries.addresses[entry] && place.pointer == entries.pointers[entry]
        })
    };
    let top = if tree.tlas.is_some() { tree.blases.len() as u32 } else { 0 };
    for entry in hierarchy.roots() {
        if is_at(entry, top, 0) {
            (placed.levels[entry], placed.nodes[entry]) = (top, 0);
        }
    }
    let mut has_rest = false;
    for entry in 0..count {
        let (level, node) = (placed.levels[entry], placed.nodes[entry]);
        let Some(found) = bvh(tree, level as usize).and_then(|b| b.nodes().get(node as usize))
        else {
            has_rest |= entries.states[entry] != EntryState::Outside;
            continue;
        };
        let (level, below) = below(tree, level, found);
        for child in hierarchy.children(entry) {
            if let Some(node) = below.clone().find(|node| is_at(child, level, *node)) {
                (placed.levels[child], placed.nodes[child]) = (level, node);
            }
        }
    }
    if has_rest {
        placed.find_rest(document, places);
    }
    placed
}

/// The level and the nodes below a node: its children, or the root of the BLAS that an instance
/// places.
fn below(tree: &Tree, level: u32, node: &Node) -> (u32, std::ops::Range<u32>) {
    let range = |link: NodeLink| link.range().start as u32..link.range().end as u32;
    match &tree.tlas {
        _ if !node.link.is_leaf() => (level, range(node.link)),
        Some(tlas) if level as usize == tree.blases.len() => {
            let instance = tlas.bvh.items(node).first().map(|&item| item as usize);
            let blas = instance.and_then(|item| tlas.instances.get(item)).map(|it| it.blas);
            blas.map_or((level, 0..0), |blas| (blas, 0..1))
        }
        _ => (level, 0..0),
    }
}

impl Placed {
    /// Finds entries by where they lie: an instance may name a node inside of its BLAS.
    fn find_rest(&mut self, document: &Document, places: &[Vec<NodePlace>]) {
        let all = (0..).zip(places).flat_map(|(level, places)| {
            (0..).zip(places).map(move |(node, at)| ((at.address, at.pointer), (level, node)))
        });
        let mut known: HashMap<(u64, u64), (u32, u32)> = HashMap::new();
        for (place, node) in all {
            known.entry(place).or_insert(node);
        }
        for (number, entry) in document.entries.iter().enumerate() {
            if self.nodes[number] == NOWHERE && entry.state != EntryState::Outside {
                let found = known.get(&(entry.address, entry.node.pointer));
                (self.levels[number], self.nodes[number]) = found.copied().unwrap_or((0, NOWHERE));
            }
        }
    }
}

/// A level of a tree; the TLAS lies behind the BLASes.
fn bvh(tree: &Tree, level: usize) -> Option<&Bvh> {
    let blas = tree.blases.get(level).map(|blas| &blas.bvh);
    blas.or_else(|| tree.tlas.as_ref().map(|tlas| &tlas.bvh))
}
