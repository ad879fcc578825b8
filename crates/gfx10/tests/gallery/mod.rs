//! The gallery of driver bugs, as far as they are of RDNA2 and RDNA3: each made as an image of
//! RADV's, with the rules that name it.
//!
//! Numbers are those of `docs/gallery.md`, whose second table is made from [`ROWS`].

mod faults;

use crate::support::image;
use bvh4::update::Update;
use gfx10::encode::{Options, Policy};
use gfx10::format::Bvh4;
use gfx10::update::check_update;
use gfx10::{GFX11_NAME, Generation};
use machine::source::{self, Geometry};
use machine::{AnyChecked, Finding, Format, Image};
use std::collections::BTreeSet;
use std::sync::Arc;
use tree::Tree;

/// One bug.
struct Row {
    number: u32,
    generations: &'static [Generation],
    /// The rules that must be broken.
    rules: &'static [&'static str],
    make: fn(Generation) -> Case,
}

/// A good image, the faulty one, and what the faulty one should hold.
struct Case {
    good: Image,
    faulty: Image,
    scene: Option<Geometry>,
    is_update: bool,
    /// The good one, read again after the update.
    old: Option<Image>,
}

const BOTH: &[Generation] = &Generation::ALL;
const RDNA3: &[Generation] = &[Generation::Gfx11];

const fn row(
    number: u32,
    generations: &'static [Generation],
    rules: &'static [&'static str],
    make: fn(Generation) -> Case,
) -> Row {
    Row { number, generations, rules, make }
}

const ROWS: &[Row] = &[
    row(4, BOTH, &["plane_finite"], faults::row_4),
    row(5, BOTH, &["vertex_finite"], faults::row_5),
    row(6, RDNA3, &["missed_culling"], faults::row_6),
    row(8, BOTH, &["allocated_size"], faults::row_8),
    row(9, BOTH, &["lost_primitive"], faults::row_9),
    row(10, BOTH, &["lost_primitive"], faults::row_10),
    row(11, BOTH, &["lost_primitive"], faults::row_11),
    row(12, BOTH, &["source"], faults::row_12),
    row(13, BOTH, &["driver_header"], faults::row_13),
    row(14, BOTH, &["pointer_range"], faults::row_14),
    row(15, BOTH, &["reached_twice"], faults::row_15),
    row(16, BOTH, &["reached_twice"], faults::row_16),
    row(17, BOTH, &["parent"], faults::row_17),
    row(18, BOTH, &["driver_header"], faults::row_18),
    row(19, RDNA3, &["plane_finite"], faults::row_19),
    row(20, BOTH, &["driver_header"], faults::row_20),
    row(21, BOTH, &["source"], faults::row_21),
    row(22, BOTH, &["instance_base"], faults::row_22),
    row(23, BOTH, &["allocated_size"], faults::row_23),
    row(24, BOTH, &["contained", "update_fit"], faults::row_24),
    row(30, RDNA3, &["cull_flags", "update_same"], faults::row_30),
    row(31, BOTH, &["contained", "update_fit"], faults::row_31),
    row(32, BOTH, &["source", "update_source"], faults::row_32),
    row(33, BOTH, &["reached_twice", "update_same", "update_old"], faults::row_33),
    row(34, BOTH, &["source", "update_source"], faults::row_34),
    row(35, BOTH, &["reached_twice", "update_same"], faults::row_35),
];

fn radv(tree: &Tree, generation: Generation) -> Image {
    image(tree, generation, &Options { half: false, ..Options::new(Policy::Radv) })
}

/// What an image breaks, and what it holds if it is sound.
fn examined(image: &Image) -> (Vec<Finding>, Option<Arc<dyn AnyChecked>>) {
    if image.format == GFX11_NAME {
        let report = Bvh4::<true>::check(image.clone());
        return (report.findings, report.checked.map(|it| Arc::new(it) as Arc<dyn AnyChecked>));
    }
    let report = Bvh4::<false>::check(image.clone());
    (report.findings, report.checked.map(|it| Arc::new(it) as Arc<dyn AnyChecked>))
}

/// The rules that an image breaks, by the scene that it should hold.
fn broken(image: &Image, scene: Option<&Geometry>) -> BTreeSet<&'static str> {
    let (mut findings, checked) = examined(image);
    if let (Some(checked), Some(scene)) = (checked, scene) {
        findings.extend(source::differences(&*checked, scene));
    }
    findings.iter().map(|finding| finding.rule).collect()
}

fn broken_by_update(case: &Case) -> BTreeSet<&'static str> {
    let Case { good: before, faulty: after, .. } = case;
    let (scene, old) = (case.scene.as_ref(), case.old.as_ref());
    let update = Update { before, after, scene, old, twice: None };
    check_update(&update).unwrap().iter().map(|finding| finding.rule).collect()
}

#[test]
fn every_bug_is_named() {
    let mut failures = Vec::new();
    for row in ROWS {
        for &generation in row.generations {
            let case = (row.make)(generation);
            let good = broken(&case.good, None);
            let mut faulty = broken(&case.faulty, case.scene.as_ref());
            if case.is_update {
                faulty.extend(broken_by_update(&case));
            }
            let new: Vec<_> = faulty.difference(&good).copied().collect();
            if !row.rules.iter().all(|rule| new.contains(rule)) {
                let number = row.number;
                failures
                    .push(format!("row {number} {generation:?}: {:?}, found {new:?}", row.rules));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The page shows these rows, and these answers.
#[test]
fn the_page_is_true() {
    let page = include_str!("../../../../docs/gallery.md");
    let section = page.split_once("\n## ").unwrap().1;
    let shown: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).collect();
    let rows = ROWS.iter().map(|row| {
        let rules: Vec<String> = row.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let of = if row.generations.len() == 2 { "both" } else { "RDNA3" };
        format!("| {} | {of} | {} |", row.number, rules.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    assert_eq!(shown[1..], rows, "{}", rows.join("\n"));
}
