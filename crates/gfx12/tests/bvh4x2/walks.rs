//! The machine against the oracle, on the geometry of the image.

use geometry::TriangleRule;
use gfx12::bvh4x2::survey::Survey;
use gfx12::bvh4x2::{BoxPrecision, Gfx12Bvh4x2, Options};
use gfx12::walk::{self, Dual, WalkError};
use machine::{
    Answer, Checked, Format, Hit, HitKind, Machine, MachineInput, MachineOptions, Oracle,
    PlainTree, RayQuery, Reference, TreeFormat,
};
use std::sync::Arc;
use testkit::walks::{agrees, answer};
use testkit::worlds::{instanced, mixed, rays, scenes};
use tree::Tree;

fn checked(tree: &Tree, precision: BoxPrecision) -> Arc<Checked<Gfx12Bvh4x2>> {
    let format = Gfx12Bvh4x2 { options: Options::new(precision) };
    let report = Gfx12Bvh4x2::check(format.encode(tree).unwrap());
    Arc::new(report.checked.unwrap_or_else(|| panic!("{:?}", report.findings)))
}

#[test]
fn both_machines_agree_with_the_oracle_for_every_stack_size() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    let mut hits = 0;
    for (number, tree) in trees.iter().enumerate() {
        for precision in [BoxPrecision::Fp32, BoxPrecision::High] {
            let image = checked(tree, precision);
            let decoded = &**image.tree();
            for rule in TriangleRule::ALL {
                if rule == TriangleRule::MollerTrumbore && !image.facts().lossless {
                    continue; // its hits may lie outside the parts of a split triangle
                }
                let oracle = Oracle::new(decoded, rule);
                let reference = Reference::new(decoded, rule);
                let duals = [2, 4, 8, 16].map(|stack_size| {
                    let options = walk::Options { stack_size, ..walk::Options::dual(rule) };
                    Dual::new(Arc::clone(&image), options).unwrap()
                });
                for query in rays(&decoded.bounds(), 11 + number as u64, 150) {
                    let got = answer(&reference, &query);
                    assert!(agrees(&oracle, &query, &got), "tree {number}: {query:?} {got:?}");
                    for (dual, size) in duals.iter().zip([2, 4, 8, 16]) {
                        let got = answer(dual, &query);
                        hits += got.len();
                        assert!(
                            agrees(&oracle, &query, &got),
                            "tree {number}, {precision:?}, {rule}, {size} entries: {query:?} gives \
                             {got:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(hits > 5_000, "{hits}");
}

/// An instance that names a box below the root which others name shows what is below it.
#[test]
fn instances_may_name_a_box_below_the_root() {
    let plain = Gfx12Bvh4x2::default().encode(&instanced()).unwrap();
    let survey = Survey::new(&plain);
    let child = |number: u32| {
        let below = &survey.structures[number as usize];
        let boxes = below.boxes.get(1..)?;
        let shared = survey.structures[0].instances.iter().filter(|i| i.below == Some(number));
        boxes.first().filter(|_| shared.count() > 1).map(|record| record.pointer)
    };
    let tlas = &survey.structures[0];
    let named = tlas.instances.iter().find_map(|i| Some((i.pointer, child(i.below?)?)));
    let (instance, pointer) = named.unwrap();
    let mut image = plain.clone();
    let at = tlas.structure.base + instance.byte_offset() + 56 - image.segments[0].address;
    let at = at as usize;
    image.segments[0].bytes_mut()[at..at + 4].copy_from_slice(&pointer.0.to_le_bytes());
    let report = Gfx12Bvh4x2::check(image);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let image = Arc::new(report.checked.unwrap());
    let tree = &**image.tree();
    assert_eq!(tree.blases.len(), instanced().blases.len() + 1);
    let rule = TriangleRule::Watertight;
    let oracle = Oracle::new(tree, rule);
    for stack_size in [2, 16] {
        let options = walk::Options { stack_size, ..walk::Options::dual(rule) };
        let dual = Dual::new(Arc::clone(&image), options).unwrap();
        for query in rays(&tree.bounds(), 19, 300) {
            let got = answer(&dual, &query);
            assert!(agrees(&oracle, &query, &got), "{stack_size} entries: {query:?} {got:?}");
        }
    }
}

/// Entering only what the mask shows, counted.
#[test]
fn masks_cull_instances() {
    let tree = instanced();
    let image = checked(&tree, BoxPrecision::Fp32);
    let dual =
        Dual::new(Arc::clone(&image), walk::Options::dual(TriangleRule::Watertight)).unwrap();
    let entered = |mask: u8| {
        let mut done = Answer::default();
        for query in rays(&tree.bounds(), 3, 100) {
            let query = RayQuery { mask, kind: HitKind::All, ..query };
            dual.answer_into(&query.into(), &mut done).unwrap();
        }
        done.counters.instances
    };
    assert!(entered(0xFF) > entered(0x80) && entered(0x80) > 0);
    assert_eq!(entered(0), 0);
}

#[test]
fn a_budget_that_ends_leaves_no_hits() {
    let tree = mixed();
    let image = checked(&tree, BoxPrecision::Fp32);
    let base = walk::Options::dual(TriangleRule::Watertight);
    let dual =
        Dual::new(Arc::clone(&image), walk::Options { step_limit: Some(2), ..base }).unwrap();
    let mut ended = 0;
    for query in rays(&tree.bounds(), 5, 40) {
        let mut answer = Answer { hits: vec![Hit::MISS], ..Answer::default() };
        if dual.answer_into(&query.into(), &mut answer).is_err() {
            assert_eq!(answer.hits, []);
            ended += 1;
        }
    }
    assert!(ended > 5);
}

#[test]
fn what_cannot_be_walked_is_refused() {
    let tree = mixed();
    let format = Gfx12Bvh4x2::default();
    let mut image = format.encode(&tree).unwrap();
    // The last dword of the table: the root's parent.
    let table_end = (image.bases[0] - image.segments[0].address) as usize;
    image.segments[0].bytes_mut()[table_end - 4] ^= 1;
    let report = Gfx12Bvh4x2::check(image);
    assert!(report.findings.iter().all(|finding| finding.rule == "parent"));
    let image = Arc::new(report.checked.unwrap());
    let options = walk::Options::dual(TriangleRule::Watertight);
    assert!(matches!(
        Dual::new(Arc::clone(&image), options),
        Err(WalkError::Parents { size: 16, .. })
    ));
    let image = checked(&tree, BoxPrecision::Fp32);
    let none = walk::Options { stack_size: 0, ..options };
    assert!(matches!(
        Dual::new(Arc::clone(&image), none),
        Err(WalkError::StackSize { found: 0, .. })
    ));
    let other = PlainTree::check(PlainTree.encode(&tree).unwrap()).checked.unwrap();
    let entry = gfx12::registry::MACHINES.iter().find(|machine| machine.name == "gfx12-dual");
    let input = MachineInput::Image(Arc::new(other));
    let refused = (entry.unwrap().make)(&input, &MachineOptions::default()).err().unwrap();
    assert_eq!(refused.to_string(), "the machine gfx12-dual does not read the format tree");
}
