//! The gallery: bugs that drivers had, each made as an image, with the rules that name it.
//!
//! Rows and numbers are those of `docs/gallery.md`, whose table is made from [`ROWS`]. An image is
//! one that the encoder writes, with the bytes changed that the bug got wrong. The rules of a row
//! must be broken then and hold before.
//!
//! | file | concept |
//! |---|---|
//! | `images` | good images, and ways to spoil them |
//! | `builds` | bugs of builds |
//! | `updates` | bugs of updates |

mod builds;
mod images;
mod updates;

use super::worlds::scene;
use gfx12::check::check;
use gfx12::stats::statistics;
use gfx12::update::{Update, check_update};
use images::{mesh, radv, world};
use machine::source::{self, Geometry};
use machine::{AnyChecked, Image};
use scene::Scene;
use scene::builtin::Builtin;
use std::collections::BTreeSet;

/// One bug.
struct Row {
    /// Its number on the page.
    number: u32,
    /// What was wrong.
    fault: &'static str,
    /// Whether the driver's own validator tests for it, stumbles over it, or cannot see it.
    validator: &'static str,
    /// The rules that must be broken; none if `reason` says why there cannot be one.
    rules: &'static [&'static str],
    reason: &'static str,
    make: fn() -> Case,
}

/// A good image, the faulty one, and the scene that the faulty one should hold.
struct Case {
    good: Image,
    faulty: Image,
    scene: Option<Scene>,
    /// Whether the faulty one is what an update made of the good one.
    is_update: bool,
    /// The good one, read again after the update.
    old: Option<Image>,
}

const YES: &str = "yes";
const LUCK: &str = "by luck";
const NO: &str = "no";

/// A row whose rules name the fault.
const fn row(
    number: u32,
    fault: &'static str,
    validator: &'static str,
    rules: &'static [&'static str],
    make: fn() -> Case,
) -> Row {
    Row { number, fault, validator, rules, reason: "", make }
}

const ROWS: &[Row] = &[
    row(
        1,
        "a bit writer leaves bits of an id in a descriptor",
        LUCK,
        &["primitive_id"],
        builds::row_1,
    ),
    row(2, "vertices packed in too few bits", NO, &["source"], builds::row_2),
    row(3, "a node overwritten by the next batch", NO, &["lost_primitive"], builds::row_3),
    row(
        4,
        "bounds of an empty structure infinite",
        NO,
        &["plane_finite", "instance_box"],
        builds::row_4,
    ),
    row(5, "NaN vertices in the tree", NO, &["vertex_finite"], builds::row_5),
    row(6, "the opacity of a structure not known above", NO, &["missed_culling"], builds::row_6),
    row(7, "nodes allocated from 0 again", LUCK, &["reached_twice"], builds::row_7),
    row(8, "a tree larger than its allocation", YES, &["allocated_size"], builds::row_8),
    row(9, "the last primitive sorted away", LUCK, &["lost_primitive"], builds::row_9),
    row(10, "boxes over inactive primitives", LUCK, &["lost_primitive"], builds::row_10),
    row(11, "a subtree missing after a race", LUCK, &["lost_primitive"], builds::row_11),
    row(12, "an empty structure never written", LUCK, &["source"], builds::row_12),
    row(13, "a leaf behind an empty structure", NO, &["driver_header"], builds::row_13),
    row(14, "the second child of a root unwritten", LUCK, &["node_type"], builds::row_14),
    row(15, "a subtree below two boxes", LUCK, &["reached_twice"], builds::row_15),
    row(16, "a child that is never written", LUCK, &["parent", "lost_primitive"], builds::row_16),
    row(17, "parents of boxes that were collapsed", NO, &["parent"], builds::row_17),
    row(18, "leaves of another geometry type", LUCK, &["mixed_level"], builds::row_18),
    row(19, "infinite planes", NO, &["plane_finite"], builds::row_19),
    row(20, "null instances in the tree", LUCK, &["driver_header", "instance_box"], builds::row_20),
    row(21, "an offset into the wrong buffer", NO, &["source"], builds::row_21),
    row(22, "structures aligned to 16 bytes", YES, &["instance_base"], builds::row_22),
    row(23, "a size without the root", YES, &["allocated_size"], builds::row_23),
    row(24, "an update writes planes of random boxes", LUCK, &["contained"], updates::row_24),
    Row {
        number: 25,
        fault: "a poor order of primitives",
        validator: NO,
        rules: &[],
        reason: "every byte is legal; the cost shows, see `siliray stats`",
        make: builds::row_25,
    },
    row(26, "an update of an empty structure", NO, &["update_empty"], updates::row_26),
    row(27, "a parent fitted to bounds of before", NO, &["contained", "slack"], updates::row_27),
    row(
        28,
        "bases not copied by an update",
        LUCK,
        &["pointer_range", "update_same"],
        updates::row_28,
    ),
    row(29, "parents not copied by an update", NO, &["parent", "update_same"], updates::row_29),
    row(
        30,
        "cull flags not copied by an update",
        NO,
        &["cull_flags", "update_same"],
        updates::row_30,
    ),
    row(31, "an update leaves boxes as they were", NO, &["contained"], updates::row_31),
    row(32, "an update writes the first slot only", NO, &["contained"], updates::row_32),
    row(
        33,
        "an update writes its source",
        LUCK,
        &["parent", "update_same", "update_old"],
        updates::row_33,
    ),
    row(34, "an update of nothing", NO, &["source", "update_source"], updates::row_34),
    row(
        35,
        "an update that runs another shader",
        LUCK,
        &["parent", "update_same"],
        updates::row_35,
    ),
];

fn geometry(scene: &Scene) -> Geometry {
    let (objects, instances) = build::contents(scene).unwrap();
    Geometry { objects, instances }
}

/// The rules that an image breaks, by the scene that it should hold.
fn broken(image: &Image, scene: Option<&Scene>) -> BTreeSet<&'static str> {
    let report = check(image.clone());
    let mut rules: BTreeSet<_> = report.findings.iter().map(|finding| finding.rule).collect();
    if let (Some(checked), Some(scene)) = (report.checked, scene) {
        let differences = source::differences(&checked as &dyn AnyChecked, &geometry(scene));
        rules.extend(differences.iter().map(|finding| finding.rule));
    }
    rules
}

/// The rules that an update breaks.
fn broken_by_update(case: &Case) -> BTreeSet<&'static str> {
    let scene = case.scene.as_ref().map(geometry);
    let (before, after, scene) = (&case.good, &case.faulty, scene.as_ref());
    let update = Update { before, after, scene, old: case.old.as_ref(), twice: None };
    check_update(&update).unwrap().iter().map(|finding| finding.rule).collect()
}

#[test]
fn every_bug_is_named() {
    let mut failures = Vec::new();
    for row in ROWS {
        let case = (row.make)();
        let good = broken(&case.good, None);
        let mut faulty = broken(&case.faulty, case.scene.as_ref());
        if case.is_update {
            faulty.extend(broken_by_update(&case));
        }
        let new: Vec<_> = faulty.difference(&good).copied().collect();
        let is_named = row.rules.iter().all(|rule| new.contains(rule));
        if !is_named || row.rules.is_empty() == row.reason.is_empty() {
            failures.push(format!("row {}: {:?}, found {new:?}", row.number, row.rules));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// What no rule can name, since nothing is wrong, the driver's own figure shows.
#[test]
fn a_poor_order_costs() {
    let case = builds::row_25();
    assert_eq!(broken(&case.faulty, case.scene.as_ref()), broken(&case.good, None));
    let cost = |image: &Image| {
        let checked = check(image.clone()).checked.unwrap();
        statistics(&checked)[0].figure("sah").unwrap()
    };
    let (good, poor) = (cost(&case.good), cost(&case.faulty));
    assert!(poor > 3 * good, "sah {good}, with a poor order {poor}");
}

/// A fresh image of RADV's is free of warnings, whatever is in it.
#[test]
fn fresh_images_have_no_warnings() {
    let scenes = [mesh(), world(), scene("procedurals", 9), scene("empty", 1)];
    for scene in scenes.iter().chain(&[Builtin::Interior.scene(3_000), Builtin::Forest.scene(900)])
    {
        let findings = check(radv(scene)).findings;
        let warnings = findings.iter().filter(|f| f.severity != machine::Severity::Note);
        assert_eq!(warnings.count(), 0, "{findings:#?}");
        let checked = check(radv(scene)).checked.unwrap();
        assert_eq!(source::differences(&checked as &dyn AnyChecked, &geometry(scene)), []);
    }
}

/// The page shows these rows, and these answers.
#[test]
fn the_page_is_true() {
    let page = include_str!("../../../../../docs/gallery.md");
    let (first, _) = page.split_once("\n## ").unwrap();
    let shown: Vec<&str> = first.lines().filter(|line| line.starts_with("| ")).collect();
    let rows = ROWS.iter().map(|row| {
        let rules: Vec<String> = row.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let says = if rules.is_empty() { row.reason.to_owned() } else { rules.join(", ") };
        format!("| {} | {} | {} | {says} |", row.number, row.fault, row.validator)
    });
    let rows: Vec<String> = rows.collect();
    assert_eq!(shown[1..], rows, "{}", rows.join("\n"));
    assert_eq!(ROWS.iter().map(|row| row.number).collect::<Vec<_>>(), (1..=35).collect::<Vec<_>>());
}
