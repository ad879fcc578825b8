//! The boxes of structures, and what they say about the tree.

use crate::document::Document;
use crate::hierarchy::Hierarchy;
use siliray::find::child_boxes;
use siliray::geometry::Aabb;
use siliray::machine::{EntryState, NodePlace};
use siliray::tree::quality::half_area;
use siliray::tree::{Bvh, Tree};
use std::collections::HashMap;

/// As many structures are described one by one, where an image cannot say which of its boxes is
/// whose.
const MOST_DESCRIBED: usize = 20_000;

/// The box of each entry, in the space of its level.
pub(crate) struct Boxes {
    /// Lower and upper corner; NaN where unknown.
    pub(crate) bounds: Vec<[f32; 6]>,
    /// The number of the BLAS, or how many BLASes there are for the TLAS.
    pub(crate) levels: Vec<u32>,
    /// The largest area of a box, by level.
    largest: HashMap<u32, f64>,
}

impl Boxes {
    pub(crate) fn new(document: &Document) -> Self {
        let places = document
            .checked
            .as_ref()
            .and_then(|checked| Some((checked.node_places()?, checked.tree())));
        let mut boxes = match places {
            Some((places, tree)) => Self::of_tree(document, &places, tree),
            None => Self::described(document),
        };
        for entry in 0..boxes.levels.len() {
            let area = boxes.get(entry).map_or(0.0, |bounds| half_area(&bounds));
            let most = boxes.largest.entry(boxes.levels[entry]).or_default();
            *most = most.max(area);
        }
        boxes
    }

    fn unknown(count: usize) -> Self {
        let bounds = vec![[f32::NAN; 6]; count];
        Self { bounds, levels: vec![0; count], largest: HashMap::new() }
    }

    /// Of nodes that the tree has too.
    fn of_tree(document: &Document, places: &[Vec<NodePlace>], tree: &Tree) -> Self {
        let nodes = PlacedNodes::new(places);
        let entries = &document.outline.entries;
        let mut boxes = Self::unknown(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            if entry.state == EntryState::Outside {
                continue;
            }
            let same = nodes.at(entry.address, entry.node.pointer);
            let Some(first) = same.first() else { continue };
            let bounds = |placed: &Placed| {
                let bvh = bvh(tree, placed.level as usize)?;
                Some(bvh.nodes().get(placed.node as usize)?.bounds)
            };
            let all = same.iter().filter_map(bounds).fold(Aabb::EMPTY, Aabb::union);
            boxes.bounds[number] = corners(&all);
            boxes.levels[number] = first.level;
        }
        boxes
    }

    /// Of nodes whose parents hold their boxes.
    fn described(document: &Document) -> Self {
        let entries = &document.outline.entries;
        let hierarchy = document.hierarchy();
        let mut boxes = Self::unknown(entries.len());
        if entries.len() > MOST_DESCRIBED {
            return boxes;
        }
        for (number, entry) in entries.iter().enumerate() {
            let described = (document.format.describe)(&document.file.image, entry.node);
            let Ok(described) = described else { continue };
            let known = child_boxes(&described);
            for child in hierarchy.children(number) {
                let node = entries[child].node;
                let own = known.iter().filter(|(link, _)| *link == node);
                let own = own.fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds));
                if !own.is_empty() {
                    boxes.bounds[child] = corners(&own);
                }
            }
        }
        // The root has a box if its children have.
        for root in hierarchy.siblings(0).filter(|_| !entries.is_empty()) {
            let below = hierarchy.children(root).filter_map(|child| boxes.get(child));
            if let Some(all) = below.reduce(Aabb::union) {
                boxes.bounds[root] = corners(&all);
            }
        }
        boxes
    }

    /// The box of an entry, if it is known.
    pub(crate) fn get(&self, entry: usize) -> Option<Aabb> {
        let [a, b, c, d, e, f] = self.bounds[entry];
        let bounds = Aabb { min: [a, b, c].into(), max: [d, e, f].into() };
        (!a.is_nan()).then_some(bounds)
    }

    /// The area of a box as a share of the largest of its level: how likely a ray is to come there.
    pub(crate) fn cost(&self, entry: usize) -> f32 {
        let area = self.get(entry).map_or(f64::NAN, |bounds| half_area(&bounds));
        let largest = self.largest.get(&self.levels[entry]).copied();
        (area / largest.filter(|most| *most > 0.0).unwrap_or(1.0)) as f32
    }

    /// The largest share of a box that lies in the box of a sibling, by area.
    pub(crate) fn overlap(&self, hierarchy: &Hierarchy, entry: usize) -> f32 {
        let Some(own) = self.get(entry) else { return 0.0 };
        let area = half_area(&own);
        if area <= 0.0 {
            return 0.0;
        }
        let others = hierarchy.siblings(entry).filter(|other| *other != entry);
        let shared = others.filter_map(|other| {
            let common = own.intersection(self.get(other)?);
            Some(if common.is_empty() { 0.0 } else { half_area(&common) / area })
        });
        shared.fold(0.0, f64::max).min(1.0) as f32
    }
}

/// A node of the tree.
#[derive(Clone, Copy)]
struct Placed {
    level: u32,
    node: u32,
}

/// The nodes of a tree by where they lie in the image.
struct PlacedNodes {
    /// Address and pointer, sorted.
    keys: Vec<(u64, u64)>,
    nodes: Vec<Placed>,
}

impl PlacedNodes {
    fn new(places: &[Vec<NodePlace>]) -> Self {
        let all = (0..).zip(places).flat_map(|(level, places)| {
            let nodes = (0..).zip(places);
            nodes.map(move |(node, place)| ((place.address, place.pointer), Placed { level, node }))
        });
        let mut all: Vec<((u64, u64), Placed)> = all.collect();
        // Stable: the first of several nodes is that of the first level.
        all.sort_by_key(|(key, _)| *key);
        Self {
            keys: all.iter().map(|(key, _)| *key).collect(),
            nodes: all.into_iter().map(|(_, node)| node).collect(),
        }
    }

    /// The nodes of one place.
    fn at(&self, address: u64, pointer: u64) -> &[Placed] {
        let key = (address, pointer);
        let first = self.keys.partition_point(|other| *other < key);
        let count = self.keys[first..].iter().take_while(|other| **other == key).count();
        &self.nodes[first..first + count]
    }
}

fn corners(bounds: &Aabb) -> [f32; 6] {
    let ([a, b, c], [d, e, f]) = (bounds.min.to_array(), bounds.max.to_array());
    [a, b, c, d, e, f]
}

/// A level of a tree; the TLAS lies behind the BLASes.
fn bvh(tree: &Tree, level: usize) -> Option<&Bvh> {
    let blas = tree.blases.get(level).map(|blas| &blas.bvh);
    blas.or_else(|| tree.tlas.as_ref().map(|tlas| &tlas.bvh))
}
