//! What RADV's loop loses as shipped (G-35).

use crate::support::{Questions, Random, World, across, soup};
use geometry::{Aabb, TriangleRule};
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::layout::SortHeuristic;
use gfx12::walk::{Options, Radv, RadvLiteral};
use tree::{Bottom, Bvh, Entry, Link, Tree};

/// Wrong closest hits among 1,500 rays through boxes that overlap at random: hundreds with 2 entries, tens
/// with 4, few or none with 8 and 16. The same loop with the ray's own extent in steps that walk back has none.
#[test]
fn closest_hits_are_lost_when_the_stack_overflows() {
    let one_pair = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Radv) };
    let world = World::of_tree(&random_tree(300, 8), &one_pair);
    let rule = TriangleRule::MollerTrumbore;
    let questions = Questions::new(&world.tree, rule, 21, 1500, across);
    for heuristic in [SortHeuristic::Closest, SortHeuristic::Midpoint] {
        let losses = [2, 4, 8, 16].map(|stack_size| {
            let options = Options { stack_size, heuristic, ..Options::radv(rule) };
            let repaired = Radv::new(&world.image, options).unwrap();
            assert_eq!(questions.losses(&repaired), [0; 3]);
            let literal = RadvLiteral::new(&world.image, options).unwrap();
            let [closest, any, all] = questions.losses(&literal);
            assert_eq!((any, all), (0, 0), "their extent does not shrink");
            closest
        });
        println!("{heuristic:?}: {losses:?}");
        let [two, four, eight, sixteen] = losses;
        assert!((50..500).contains(&two) && two > four && four > eight, "{losses:?}");
        assert!(eight < 50 && sixteen < 5, "{losses:?}");
    }
}

/// A tree whose nodes divide their triangles at random, boxes and leaves side by side.
fn random_tree(triangles: usize, seed: u64) -> Tree {
    let mut random = Random(seed);
    let Tree { mut bottoms, .. } = crate::support::built(&soup(triangles, seed));
    let primitives = bottoms.remove(0).primitives;
    let bounds = |items: &[u32]| {
        let own = items.iter().map(|&item| primitives.bounds(item as usize));
        own.fold(Aabb::EMPTY, Aabb::union)
    };
    let all: Vec<u32> = (0..triangles as u32).collect();
    let mut entries = vec![Entry { bounds: bounds(&all), link: Link::leaf(0, 0) }];
    let (mut references, mut open) = (Vec::new(), vec![(0, all)]);
    while let Some((index, items)) = open.pop() {
        if items.len() <= 2 {
            entries[index].link = Link::leaf(references.len() as u32, items.len());
            references.extend(items);
            continue;
        }
        let mut parts = vec![Vec::new(); 8];
        // Half of the slots get one item each, so that leaves stand beside boxes.
        for (n, item) in items.into_iter().enumerate() {
            parts[if n < 4 { n } else { 4 + random.below(4) }].push(item);
        }
        parts.retain(|part: &Vec<u32>| !part.is_empty());
        entries[index].link = Link::node(entries.len() as u32, parts.len());
        for part in parts {
            open.push((entries.len(), part.clone()));
            entries.push(Entry { bounds: bounds(&part), link: Link::leaf(0, 0) });
        }
    }
    let bvh = Bvh::new(entries, references, triangles).unwrap();
    Tree { bottoms: vec![Bottom { primitives, bvh }], top: None }
}
