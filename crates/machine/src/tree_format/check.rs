//! The proof of an image: reading it is the proof of its structure; what is left is geometry.

use super::decode::{self, Record};
use super::{NODE_BYTES, PlainTree, Proof};
use crate::findings::Findings;
use crate::{CheckReport, Checked, Image, ProvedFacts};
use geometry::Aabb;
use std::cell::OnceCell;
use tree::{Bvh, Tree};

crate::rules! {
    Contained "contained" Warning "what is below a box lies inside it"
}

pub(super) fn check(image: Image) -> CheckReport<PlainTree> {
    match decode::read(&image) {
        Err(finding) => CheckReport { checked: None, findings: vec![finding], nodes: 0 },
        Ok(tree) => {
            let mut findings = Findings::default();
            escapes(&image, &tree, &mut findings);
            let facts = ProvedFacts {
                lossless: findings.holds(Rule::Contained),
                parents: false,
                finite: is_finite(&tree),
            };
            let nodes = levels(&tree).map(|(_, bvh)| bvh.nodes().len()).sum();
            let checked = Checked::with_tree(image, facts, Proof(()), tree);
            CheckReport { checked: Some(checked), findings: findings.into_sorted(), nodes }
        }
    }
}

fn levels(tree: &Tree) -> impl Iterator<Item = (usize, &Bvh)> {
    tree.blases.iter().map(|b| &b.bvh).chain(tree.tlas.as_ref().map(|t| &t.bvh)).enumerate()
}

/// A warning for each box that does not contain the primitives below it, or the world boxes of the
/// instances.
fn escapes(image: &Image, tree: &Tree, findings: &mut Findings<Rule>) {
    let records = decode::directory(image).unwrap_or_default();
    let mut blases = Vec::with_capacity(tree.blases.len());
    for ((level, bvh), record) in levels(tree).zip(&records) {
        let item = |index: u32| match (tree.blases.get(level), &tree.tlas) {
            (Some(blas), _) => blas.primitives.bounds(index as usize),
            (None, Some(tlas)) => {
                let instance = &tlas.instances[index as usize];
                let placed = instance.world_bounds(&blases[instance.blas as usize]);
                placed.unwrap_or(Aabb::EMPTY)
            }
            (None, None) => Aabb::EMPTY,
        };
        let (mut below, places) = (vec![Aabb::EMPTY; bvh.nodes().len()], OnceCell::new());
        // Children lie behind their parents.
        for (index, entry) in bvh.nodes().iter().enumerate().rev() {
            let children = bvh.children(entry).len();
            let first = if children > 0 { entry.link.range().start } else { 0 };
            let children = below[first..first + children].iter().copied();
            let all = children.chain(bvh.items(entry).iter().map(|&index| item(index)));
            let all = all.filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union);
            below[index] = all;
            if !entry.bounds.contains(&all) {
                let (offset, place) = &places.get_or_init(|| places_of(image, record))[index];
                findings.add_with(Rule::Contained, *offset, 0..192, || {
                    [entry.bounds.to_string(), format!("a box around {all}"), place.clone()]
                });
            }
        }
        blases.push(below[0]);
    }
}

/// Where the boxes of a level's entries lie, each with its place in words: a slot of a node that
/// `inspect` takes.
fn places_of(image: &Image, record: &Record) -> Vec<(u64, String)> {
    let level = image.root + record.offset;
    let mut places = vec![(record.offset + 24, format!("level {level:#x}, root"))];
    let nodes = image.get(record.nodes_address, NODE_BYTES * record.node_count);
    for (number, node) in (0..).zip(nodes.unwrap_or_default().chunks_exact(NODE_BYTES)) {
        let address = record.nodes_address + number * NODE_BYTES as u64;
        let start = offset(image, address) + 32;
        let slots = 0..decode::slots(node).len() as u64;
        let place = |slot| (start + 24 * slot, format!("node {address:#x}, child {slot}"));
        places.extend(slots.map(place));
    }
    places
}

/// How far an address lies behind the start of the first segment, over all segments.
fn offset(image: &Image, address: u64) -> u64 {
    let mut before = 0;
    for segment in &image.segments {
        if segment.get(address, 1).is_some() {
            return before + address - segment.address;
        }
        before += segment.bytes().len() as u64;
    }
    before
}

fn is_finite(tree: &Tree) -> bool {
    let corners_finite = tree.blases.iter().all(|blas| {
        let triangles = blas.primitives.triangles.iter();
        triangles.flat_map(|t| t.vertices).all(|v| v.is_finite())
            && blas.primitives.boxes.iter().all(Aabb::is_finite)
    });
    corners_finite
        && levels(tree).all(|(_, bvh)| bvh.nodes().iter().all(|entry| entry.bounds.is_finite()))
}
