//! What becomes of a primitive in a walk of the fast tracer: in place the image's own nodes say it.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use siliray::build::{self, Preset};
use siliray::geometry::{Ray, Vec3};
use siliray::gfx12::Gfx12;
use siliray::gfx12::encode::{Options, Policy};
use siliray::machine::registry::NodeNames;
use siliray::machine::{Format, HitKind, MachineInput, MachineOptions, Query, TreeFormat};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::walk::hierarchy::{Wanted, ways};
use siliray::walk::watch_over;
use siliray::walk::why::{Reason, why};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A forest, as an image and as the tree that it holds.
fn inputs() -> [MachineInput; 2] {
    let options = build::Options::preset(Preset::Balanced);
    let keep_going = |_| ControlFlow::Continue(());
    let tree = build::build(&Builtin::Forest.scene(900), &options, &keep_going).unwrap().tree;
    let format = Gfx12 { options: Options::new(Policy::Dense) };
    let image = Gfx12::check(format.encode(&tree).unwrap()).checked.unwrap();
    let tree = Arc::clone(image.tree());
    [MachineInput::Image(Arc::new(image)), MachineInput::Tree(tree)]
}

fn reason(input: &MachineInput, query: &Query, wanted: &Wanted) -> (Reason, NodeNames) {
    let entry = registry().machine("fast").unwrap();
    let machine = (entry.make)(input, &MachineOptions::default()).unwrap();
    let (walk, names) = watch_over(entry, input, &*machine, query);
    let format = registry().format(input.format()).unwrap();
    (why(&walk, ways(input, format, names, wanted).as_deref(), wanted), names)
}

/// Every primitive of the forest is found, or left out at a node of the image that can be named.
#[test]
fn the_fast_tracer_says_where_it_leaves_primitives() {
    let [image, tree] = inputs();
    assert!(tree.tree().tlas.is_some());
    let bounds = tree.tree().bounds();
    let (mut accepted, mut lost) = (0, 0);
    for column in 0..5 {
        let aside = Vec3::new(column as f32 - 2.0, 0.3, 0.0) * 0.15 * bounds.extent();
        let from = bounds.center() + Vec3::Z * bounds.extent().z + aside;
        let query = Query::ray(HitKind::All, Ray::new(from, Vec3::new(0.05, 0.02, -1.0)));
        for id in tree.tree().blases.iter().flat_map(|blas| blas.primitives.ids.iter().step_by(7)) {
            let geometry = Some(id.geometry);
            let wanted = Wanted { instance: None, geometry, primitive: id.primitive };
            let (reason, names) = reason(&image, &query, &wanted);
            assert_eq!(names, NodeNames::Image);
            accepted += usize::from(reason.accepted);
            if let Some(child) = reason.child {
                lost += 1;
                assert!(reason.text.contains(&format!("{:#x}", child.pointer)), "{}", reason.text);
                assert!(reason.node.is_none_or(|node| node.address.is_some()));
            }
            let text = &reason.text;
            assert!(!text.contains("never visited") && !text.contains("no such"), "{text}");
        }
    }
    assert!(accepted + lost > 10, "{accepted} accepted, {lost} lost");
}

/// The tracer's copy has pointers of its own, so nothing is said about places.
#[test]
fn a_copy_does_not_say_where() {
    let [_, tree] = inputs();
    let away = Ray::new(tree.tree().bounds().max + Vec3::ONE, Vec3::ONE);
    let wanted = Wanted { instance: None, geometry: None, primitive: 0 };
    let (reason, names) = reason(&tree, &Query::ray(HitKind::Closest, away), &wanted);
    assert_eq!(names, NodeNames::Own);
    assert!(reason.text.contains("in a way of its own"), "{}", reason.text);
}
