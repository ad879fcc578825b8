//! The proof of an image: reading it is the proof of its structure; what is left is geometry.

use super::decode;
use super::{PlainTree, Proof};
use crate::{CheckReport, Checked, Finding, Image, ProvedFacts, Severity};
use geometry::Aabb;
use tree::{Bvh, Tree};

pub(super) fn check(image: Image) -> CheckReport<PlainTree> {
    match decode::read(&image) {
        Err(finding) => CheckReport { checked: None, findings: vec![finding], nodes: 0 },
        Ok(tree) => {
            let findings = escapes(&tree);
            let facts = ProvedFacts {
                lossless: findings.is_empty(),
                parents: false,
                finite: is_finite(&tree),
            };
            let nodes = levels(&tree).map(|(_, bvh)| bvh.nodes().len()).sum();
            let checked = Checked::with_tree(image, facts, Proof(()), tree);
            CheckReport { checked: Some(checked), findings, nodes }
        }
    }
}

fn levels(tree: &Tree) -> impl Iterator<Item = (usize, &Bvh)> {
    tree.blases.iter().map(|b| &b.bvh).chain(tree.tlas.as_ref().map(|t| &t.bvh)).enumerate()
}

/// A warning for each level with an entry, or a primitive, that its parent's box does not contain.
fn escapes(tree: &Tree) -> Vec<Finding> {
    levels(tree)
        .filter_map(|(level, bvh)| {
            let item = |index: u32| match tree.blases.get(level) {
                Some(blas) => blas.primitives.bounds(index as usize),
                None => Aabb::EMPTY,
            };
            let escaped = bvh.nodes().iter().position(|entry| {
                let children = bvh.children(entry).iter().map(|child| child.bounds);
                let items = bvh.items(entry).iter().map(|&index| item(index));
                children.chain(items).any(|bounds| !entry.bounds.contains(&bounds))
            })?;
            Some(Finding {
                severity: Severity::Warning,
                rule: "contained",
                offset: (super::HEADER_BYTES + super::RECORD_BYTES * level) as u64,
                bits: 384..448,
                found: format!("entry {escaped}, whose box does not contain what is below it"),
                expected: "boxes that contain what is below them".into(),
                place: format!("level {level}"),
                count: 1,
            })
        })
        .collect()
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
