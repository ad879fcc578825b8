//! Aimed rays lose nothing where boxes have a margin, and something where they have none (G-36).
//! A sample; `cargo run --release -p siliray --example gfx12_losses` runs millions.

use super::support::{Questions, World, aimed};
use geometry::TriangleRule;
use gfx12::decode::{NodeBody, nodes};
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::walk::{Gpurt, Options, Radv};
use machine::Promise;
use scene::builtin::Builtin;
use std::sync::Arc;

#[test]
fn the_margin_makes_hardware_lossless() {
    let mut lost_without = 0;
    for (builtin, seed) in [(Builtin::Interior, 31), (Builtin::Forest, 32)] {
        for margin in [true, false] {
            let options = EncodeOptions { margin, ..EncodeOptions::new(Policy::Radv) };
            let world = World::new(&builtin.scene(2500), &options);
            let rule = TriangleRule::Watertight;
            let questions = Questions::new(&world.tree, rule, seed, 1500, aimed);
            let promise = Promise::new(&world.tree.bounds());
            assert!(questions.asked.iter().all(|(query, _)| promise.holds_for(&query.shape)));
            let radv = Radv::new(Arc::clone(&world.image), Options::radv(rule)).unwrap();
            let gpurt = Options { box_grow: 0, ..Options::gpurt(rule) };
            let gpurt = Gpurt::new(Arc::clone(&world.image), gpurt).unwrap();
            let losses = [questions.losses(&radv), questions.losses(&gpurt)];
            if margin {
                assert_eq!(losses, [[0; 3]; 2], "{}", builtin.name());
            } else {
                lost_without += losses[0][2];
            }
        }
    }
    assert!(lost_without > 10, "{lost_without}");
}

/// The rotation of the ray rounds too, and the margin of oriented nodes covers it.
#[test]
fn oriented_nodes_lose_nothing() {
    for (builtin, seed) in [(Builtin::Hairball, 33), (Builtin::Organic, 34)] {
        let options = EncodeOptions { obb: true, ..EncodeOptions::default() };
        let world = World::new(&builtin.scene(2500), &options);
        let oriented = nodes(world.image.image()).filter(
            |node| matches!(&node.body, NodeBody::Box(node) if node.obb_matrix_index < 104),
        );
        assert!(oriented.count() > 20);
        for rule in TriangleRule::ALL {
            let questions = Questions::new(&world.tree, rule, seed, 700, aimed);
            let gpurt = Options { box_grow: 0, ..Options::gpurt(rule) };
            let gpurt = Gpurt::new(Arc::clone(&world.image), gpurt).unwrap();
            assert_eq!(questions.losses(&gpurt), [0; 3], "{}", builtin.name());
        }
    }
}
