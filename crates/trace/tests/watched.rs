//! Watching a tracer: the same hits as unwatched, over the copy and in place, whose nodes have the
//! names that the image's outline gives them.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::Preset;
use common::{bits, checked_with, kernels, world};
use geometry::{Aabb, Beam};
use gfx12::Gfx12;
use machine::{Checked, HitKind, LeafRule, Machine, Query, Step, Verdict};
use scene::builtin::Builtin;
use std::collections::HashSet;
use std::sync::Arc;
use testkit::walks::{out_of_order, watched};
use testkit::worlds::rays;
use trace::{Hit, Kernel, Mode, Options, Tracer};

fn worlds() -> Vec<Arc<Checked<Gfx12>>> {
    vec![
        world(Builtin::Organic, 700, Preset::Balanced).0,
        world(Builtin::Interior, 900, Preset::Best).0, // with splits
        world(Builtin::Forest, 900, Preset::Balanced).0, // with instances
        checked_with(&Builtin::Hairball.scene(700), Preset::Balanced, true).0, // oriented
    ]
}

fn tracer(image: &Arc<Checked<Gfx12>>, mode: Mode, kernel: Kernel) -> Tracer {
    let options = Options { mode, kernel: Some(kernel), ..Options::default() };
    Tracer::from_image(Arc::clone(image), options).unwrap()
}

fn same(found: &[Hit], expected: &[Hit]) -> bool {
    found.iter().map(bits).eq(expected.iter().map(bits))
}

#[test]
fn watching_changes_no_hit() {
    let mut hits = 0;
    for image in worlds() {
        for mode in Mode::ALL {
            let plain = tracer(&image, mode, Kernel::Plain);
            let others = kernels().into_iter().map(|kernel| tracer(&image, mode, kernel));
            let others: Vec<Tracer> = others.collect();
            for query in rays(&image.tree().bounds(), 11, 200) {
                let query = Query::from(query);
                let (_, answer) = watched(&plain, &query);
                hits += answer.hits.len();
                for other in &others {
                    let unwatched = other.answer(&query).unwrap().hits;
                    if query.kind == HitKind::Any {
                        assert_eq!(unwatched.is_empty(), answer.hits.is_empty(), "{query:?}");
                    } else {
                        assert!(same(&unwatched, &answer.hits), "{query:?}");
                    }
                }
            }
        }
    }
    assert!(hits > 1000, "{hits}");
}

/// The nodes that are visited in place, and the children that lead to them, are the image's own.
#[test]
fn in_place_nodes_have_the_names_of_the_outline() {
    for image in worlds() {
        let outline = gfx12::outline::outline(image.image());
        let entries = outline.entries.iter();
        let named: HashSet<(u64, u64)> = entries.map(|e| (e.node.pointer, e.address)).collect();
        let machine = tracer(&image, Mode::InPlace, Kernel::Plain);
        let (mut verdicts, mut instances) = (HashSet::new(), 0);
        for query in rays(&image.tree().bounds(), 12, 300) {
            let (steps, _) = watched(&machine, &Query::from(query));
            for step in &steps {
                match step {
                    Step::Node { pointer, address, .. } => {
                        assert!(named.contains(&(*pointer, address.unwrap())), "{step:?}");
                    }
                    Step::Instance { pointer, address, ray, instance, world_to_object } => {
                        instances += 1;
                        assert!(named.contains(&(*pointer, address.unwrap())), "{step:?}");
                        let tlas = image.tree().tlas.as_ref().unwrap();
                        let placed = &tlas.instances[*instance as usize];
                        assert_eq!(placed.world_to_object, *world_to_object);
                        assert_eq!(*ray, Some(world_to_object.ray(&query.shape)));
                    }
                    Step::Child(child) => {
                        verdicts.insert(child.verdict);
                    }
                    _ => (),
                }
            }
        }
        assert_eq!(instances > 0, image.tree().tlas.is_some());
        for verdict in [Verdict::Visit, Verdict::Miss, Verdict::Behind] {
            assert!(verdicts.contains(&verdict), "{verdict:?}");
        }
    }
}

#[test]
fn watching_changes_no_contact_of_a_beam() {
    for image in worlds() {
        let bounds = image.tree().bounds();
        let part = |from: f32, to: f32| {
            Aabb::new(bounds.min + bounds.extent() * from, bounds.min + bounds.extent() * to)
        };
        let beam = Beam::from_aabbs_shrinking(&part(0.0, 0.6), &part(0.5, 0.9)).unwrap();
        for mode in Mode::ALL {
            let machine = tracer(&image, mode, Kernel::fastest());
            for (kind, leaf) in HitKind::ALL
                .into_iter()
                .flat_map(|kind| [LeafRule::Conservative, LeafRule::Exact].map(|leaf| (kind, leaf)))
            {
                let (steps, answer) = watched(&machine, &Query::beam(kind, beam, leaf));
                assert!(!answer.hits.is_empty());
                let nodes = steps.iter().filter(|step| matches!(step, Step::Node { .. }));
                assert!(nodes.count() > 1);
            }
        }
    }
}

/// A ray that the law forbids still ends.
#[test]
fn a_hidden_world_ends_at_once() {
    let (image, tree) = world(Builtin::Organic, 300, Preset::Balanced);
    let query = rays(&tree.bounds(), 13, 1)[0];
    let mut steps = Vec::new();
    let machine = tracer(&image, Mode::InPlace, Kernel::fastest());
    let query = Query::from(machine::RayQuery { mask: 0, ..query });
    machine.watch(&query, &mut machine::Answer::default(), &mut steps).unwrap();
    assert_eq!(steps, [Step::End]);
    assert_eq!(out_of_order(&steps), None);
}
