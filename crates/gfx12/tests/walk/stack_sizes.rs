//! Whatever the stack loses, parents bring back: every size gives the answers of brute force.

use super::support::{Questions, World, aimed, soup};
use geometry::TriangleRule;
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::layout::SortHeuristic;
use gfx12::walk::{Gpurt, Options, Radv, WalkError};
use machine::{Answer, Machine};
use scene::Scene;
use scene::builtin::Builtin;
use std::sync::Arc;

const SIZES: [u8; 5] = [1, 2, 4, 8, 16];
const HEURISTICS: [SortHeuristic; 2] = [SortHeuristic::Closest, SortHeuristic::Midpoint];

fn every_size_agrees(scene: &Scene, seed: u64, rays: usize) {
    let one_pair = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Radv) };
    for options in [EncodeOptions::default(), one_pair] {
        let world = World::new(scene, &options);
        for rule in TriangleRule::ALL {
            let questions = Questions::new(&world.tree, rule, seed, rays, aimed);
            assert!(questions.hitting() > rays / 3);
            for stack_size in SIZES {
                for heuristic in HEURISTICS {
                    let gpurt = Options { stack_size, heuristic, ..Options::gpurt(rule) };
                    let radv = Options { stack_size, heuristic, ..Options::radv(rule) };
                    let gpurt = Gpurt::new(Arc::clone(&world.image), gpurt).unwrap();
                    let losses = questions.losses(&gpurt);
                    assert_eq!(losses, [0; 3], "{rule} {stack_size} {heuristic:?}");
                    match Radv::new(Arc::clone(&world.image), radv) {
                        Ok(radv) => {
                            let losses = questions.losses(&radv);
                            assert_eq!(losses, [0; 3], "{rule} {stack_size} {heuristic:?}");
                        }
                        Err(WalkError::LongRange { pairs, .. }) => {
                            assert!(pairs > 1 && options.policy == Policy::Dense);
                        }
                        Err(refused) => panic!("{refused}"),
                    }
                }
            }
        }
    }
}

#[test]
fn interior() {
    every_size_agrees(&Builtin::Interior.scene(2000), 11, 150);
}

#[test]
fn forest() {
    every_size_agrees(&Builtin::Forest.scene(2000), 12, 150);
}

#[test]
fn overlapping_boxes() {
    every_size_agrees(&soup(400, 5), 13, 150);
}

/// The same hits, but a shorter stack costs steps: entries were lost and found again.
#[test]
fn short_stacks_walk_back() {
    let world = World::new(&soup(400, 5), &EncodeOptions::default());
    let rule = TriangleRule::MollerTrumbore;
    let questions = Questions::new(&world.tree, rule, 14, 100, aimed);
    let nodes = |stack_size| {
        let options = Options { stack_size, ..Options::gpurt(rule) };
        let machine = Gpurt::new(Arc::clone(&world.image), options).unwrap();
        let mut answer = Answer::default();
        for (query, _) in &questions.asked {
            machine.answer_into(&(*query).into(), &mut answer).unwrap();
        }
        let counters = answer.counters;
        assert_eq!(counters.queries, 100);
        assert!(counters.box_tests >= counters.nodes && counters.triangle_tests >= counters.leaves);
        counters.nodes
    };
    let [short, long, longest] = [2, 16, 31].map(nodes);
    assert!(short > 2 * long && long >= longest, "{short} {long} {longest}");
}

#[test]
fn sizes_and_orders_that_no_stack_has() {
    let world = World::new(&soup(20, 5), &EncodeOptions::default());
    let options = Options::gpurt(TriangleRule::Watertight);
    for found in [0, 32, 255] {
        let error = Gpurt::new(Arc::clone(&world.image), Options { stack_size: found, ..options });
        assert_eq!(error.unwrap_err(), WalkError::StackSize { found, most: 31 });
    }
    let largest = Options { heuristic: SortHeuristic::Largest, ..options };
    assert_eq!(Gpurt::new(Arc::clone(&world.image), largest).unwrap_err(), WalkError::Heuristic);
}
