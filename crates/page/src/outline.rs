//! Every structure, as arrays: one element for each entry of the outline.

use crate::Response;
use crate::document::Document;
use crate::structure::Places;
use crate::summary::kinds;
use serde_json::json;
use siliray::find::child_boxes;
use siliray::geometry::Aabb;
use siliray::machine::{EntryState, NodePlace, Outline, Severity};
use siliray::tree::quality::half_area;
use siliray::tree::{Bvh, Tree};
use std::collections::HashMap;

/// The parent of the root.
const NONE: u32 = u32::MAX;

/// As many structures are described one by one, where an image cannot say which of its boxes is
/// whose.
const MOST_DESCRIBED: usize = 20_000;

/// The arrays.
pub(crate) fn outline(document: &Document) -> Response {
    let outline = &document.outline;
    let entries = &outline.entries;
    let kinds = kinds(document);
    let kind = |name: &str| kinds.iter().position(|kind| *kind == name).unwrap_or(0) as u8;
    let (parents, sizes) = family(outline);
    let boxes = Boxes::of(document, &parents);
    let offset = |address: u64, state: EntryState| {
        let offset = document.file.offset_of(address).filter(|_| state != EntryState::Outside);
        offset.map_or(f64::NAN, |offset| offset as f64)
    };
    let state = |state: EntryState| match state {
        EntryState::Read => 0u8,
        EntryState::Again => 1,
        EntryState::Outside => 2,
    };
    macro_rules! each {
        ($entry:ident => $value:expr) => {
            &entries.iter().map(|$entry| $value).collect::<Vec<_>>()
        };
    }
    Response::new(json!({"entries": entries.len(), "kinds": kinds}))
        .with("depth", each!(entry => entry.depth.min(u16::MAX.into()) as u16))
        .with("slot", each!(entry => entry.slot.min(u16::MAX.into()) as u16))
        .with("kind", each!(entry => kind(entry.kind)))
        .with("state", each!(entry => state(entry.state)))
        .with("parent", &parents)
        .with("size", &sizes)
        .with("pointer", each!(entry => entry.node.pointer))
        .with("base", each!(entry => entry.node.base))
        .with("address", each!(entry => entry.address))
        .with("offset", each!(entry => offset(entry.address, entry.state)))
        .with("bytes", each!(entry => entry.bytes as u32))
        .with("primitives", each!(entry => entry.primitives.len() as u32))
        .with("bounds", boxes.bounds.as_flattened())
        .with("level", &boxes.levels)
        .with("cost", &boxes.costs(&parents))
        .with("overlap", &boxes.overlaps(&parents))
        .with("fill", &fills(outline, &parents))
        .with("severity", &severities(document))
}

/// The parent of each entry, and how many entries its subtree has.
fn family(outline: &Outline) -> (Vec<u32>, Vec<u32>) {
    let count = outline.entries.len();
    let (mut parents, mut sizes) = (vec![NONE; count], vec![1; count]);
    let mut above: Vec<usize> = Vec::new();
    for (number, entry) in outline.entries.iter().enumerate() {
        above.truncate(entry.depth as usize);
        parents[number] = above.last().map_or(NONE, |&parent| parent as u32);
        above.push(number);
    }
    for number in (1..count).rev() {
        if let Some(parent) = index(parents[number]) {
            sizes[parent] += sizes[number];
        }
    }
    (parents, sizes)
}

fn index(parent: u32) -> Option<usize> {
    (parent != NONE).then_some(parent as usize)
}

/// The box of each entry, in the space of its level.
struct Boxes {
    /// Lower and upper corner; NaN where unknown.
    bounds: Vec<[f32; 6]>,
    /// The number of the BLAS, or how many BLASes there are for the TLAS.
    levels: Vec<u32>,
}

impl Boxes {
    fn of(document: &Document, parents: &[u32]) -> Self {
        let places = document
            .checked
            .as_ref()
            .and_then(|checked| Some((checked.node_places()?, checked.tree())));
        match places {
            Some((places, tree)) => Self::of_tree(document, &places, tree),
            None => Self::described(document, parents),
        }
    }

    fn unknown(count: usize) -> Self {
        Self { bounds: vec![[f32::NAN; 6]; count], levels: vec![0; count] }
    }

    /// Of nodes that the tree has too.
    fn of_tree(document: &Document, places: &[Vec<NodePlace>], tree: &Tree) -> Self {
        let mut nodes: HashMap<(u64, u64), (u32, Aabb)> = HashMap::new();
        for (level, places) in places.iter().enumerate() {
            let Some(bvh) = bvh(tree, level) else { continue };
            for (place, node) in places.iter().zip(bvh.nodes()) {
                let known = nodes.entry((place.address, place.pointer));
                let known = known.or_insert((level as u32, Aabb::EMPTY));
                known.1 = known.1.union(node.bounds);
            }
        }
        let entries = &document.outline.entries;
        let mut boxes = Self::unknown(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            let node = nodes.get(&(entry.address, entry.node.pointer));
            if let Some((level, bounds)) = node.filter(|_| entry.state != EntryState::Outside) {
                boxes.bounds[number] = corners(bounds);
                boxes.levels[number] = *level;
            }
        }
        boxes
    }

    /// Of nodes whose parents hold their boxes.
    fn described(document: &Document, parents: &[u32]) -> Self {
        let entries = &document.outline.entries;
        let mut boxes = Self::unknown(entries.len());
        if entries.len() > MOST_DESCRIBED {
            return boxes;
        }
        for (number, entry) in entries.iter().enumerate() {
            let described = (document.format.describe)(&document.file.image, entry.node);
            let Ok(described) = described else { continue };
            let known = child_boxes(&described);
            for child in document.outline.children(number) {
                let node = document.outline.entries[child].node;
                let own = known.iter().filter(|(link, _)| *link == node);
                let own = own.fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds));
                if !own.is_empty() {
                    boxes.bounds[child] = corners(&own);
                }
            }
        }
        // The root has a box if its children have.
        for number in (1..entries.len()).rev() {
            if let Some(parent) = index(parents[number])
                && index(parents[parent]).is_none()
                && let Some(own) = boxes.get(number)
            {
                let all = boxes.get(parent).unwrap_or(Aabb::EMPTY).union(own);
                boxes.bounds[parent] = corners(&all);
            }
        }
        boxes
    }

    fn get(&self, entry: usize) -> Option<Aabb> {
        let [a, b, c, d, e, f] = self.bounds[entry];
        let bounds = Aabb { min: [a, b, c].into(), max: [d, e, f].into() };
        (!a.is_nan()).then_some(bounds)
    }

    /// The area of each box as a share of the largest of its level: how likely a ray is to come
    /// there.
    fn costs(&self, parents: &[u32]) -> Vec<f32> {
        let mut largest: HashMap<u32, f64> = HashMap::new();
        for (entry, level) in self.levels.iter().enumerate().take(parents.len()) {
            let area = self.get(entry).map_or(0.0, |bounds| half_area(&bounds));
            let most = largest.entry(*level).or_default();
            *most = most.max(area);
        }
        let cost = |(entry, level): (usize, &u32)| {
            let area = self.get(entry).map_or(f64::NAN, |bounds| half_area(&bounds));
            (area / largest.get(level).copied().filter(|most| *most > 0.0).unwrap_or(1.0)) as f32
        };
        self.levels.iter().enumerate().map(cost).collect()
    }

    /// The largest share of each box that lies in the box of a sibling, by area.
    fn overlaps(&self, parents: &[u32]) -> Vec<f32> {
        let mut siblings: HashMap<u32, Vec<usize>> = HashMap::new();
        for (entry, parent) in parents.iter().enumerate() {
            siblings.entry(*parent).or_default().push(entry);
        }
        let mut overlaps = vec![0.0f32; parents.len()];
        for family in siblings.values() {
            for &entry in family {
                let Some(own) = self.get(entry) else { continue };
                let area = half_area(&own);
                let others = family.iter().filter(|other| **other != entry);
                let shared = others.filter_map(|&other| {
                    let common = own.intersection(self.get(other)?);
                    Some(if common.is_empty() { 0.0 } else { half_area(&common) / area })
                });
                let most = shared.fold(0.0, f64::max);
                overlaps[entry] = if area > 0.0 { most.min(1.0) as f32 } else { 0.0 };
            }
        }
        overlaps
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

/// How full each structure is: children or primitives, as a share of the most that one of its kind
/// has.
fn fills(outline: &Outline, parents: &[u32]) -> Vec<f32> {
    let mut held: Vec<usize> = outline.entries.iter().map(|e| e.primitives.len()).collect();
    for parent in parents.iter().filter_map(|parent| index(*parent)) {
        held[parent] += 1;
    }
    let mut most: HashMap<&str, usize> = HashMap::new();
    for (entry, held) in outline.entries.iter().zip(&held) {
        let most = most.entry(entry.kind).or_default();
        *most = (*most).max(*held);
    }
    let fill = |(entry, held): (&siliray::machine::OutlineEntry, &usize)| {
        let most = most.get(entry.kind).copied().unwrap_or(0).max(1);
        *held as f32 / most as f32
    };
    outline.entries.iter().zip(&held).map(fill).collect()
}

/// The worst finding at each structure: 0 for none, then note, warning and error.
fn severities(document: &Document) -> Vec<u8> {
    let mut worst = vec![0u8; document.outline.entries.len()];
    let places = Places::new(document);
    for finding in &document.findings {
        let severity = match finding.severity {
            Severity::Note => 1,
            Severity::Warning => 2,
            Severity::Error => 3,
        };
        if let Some(entry) = places.entry(finding) {
            worst[entry] = worst[entry].max(severity);
        }
    }
    worst
}
