//! What becomes of a primitive in a walk: the nodes of the image say it.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use siliray::build::{self, Preset};
use siliray::geometry::{Ray, Vec3};
use siliray::gfx12::Gfx12;
use siliray::gfx12::encode::{Options, Policy};
use siliray::input::encode_checked;
use siliray::machine::registry::NodeNames;
use siliray::machine::{
    Format, FormatEntry, HitKind, Machine, MachineEntry, MachineInput, MachineOptions, Query,
    Settings, TreeFormat, Verdict,
};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::tree::Tree;
use siliray::walk::hierarchy::Wanted;
use siliray::walk::watch_over;
use siliray::walk::why::{Reason, why};
use std::collections::HashSet;
use std::sync::Arc;

/// A forest, as an image and as the tree that it holds.
fn inputs() -> [MachineInput; 2] {
    let options = build::Options::preset(Preset::Balanced);
    let tree = options.build(&Builtin::Forest.scene(900)).unwrap();
    let format = Gfx12 { options: Options::new(Policy::Dense) };
    let image = Gfx12::check(format.encode(&tree).unwrap()).checked.unwrap();
    let tree = Arc::clone(image.tree());
    [MachineInput::Image(Arc::new(image)), MachineInput::Tree(tree)]
}

fn reason(input: &MachineInput, query: &Query, wanted: &Wanted) -> (Reason, NodeNames) {
    let entry = registry().machine("fast").unwrap();
    let machine = (entry.make)(input, &MachineOptions::default()).unwrap();
    let (walk, names) = watch_over(entry, input, &*machine, query);
    (why(&walk, input, names, wanted).unwrap_or_else(Reason::missing), names)
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

/// Several instances have one BLAS, which the image has once; each has ways of its own.
#[test]
fn every_instance_has_its_own_way() {
    let [image, tree] = inputs();
    let tlas = tree.tree().tlas.as_ref().unwrap();
    let mut inside = 0;
    for (number, instance) in (0u32..).zip(&tlas.instances) {
        let blas = &tree.tree().blases[instance.blas as usize];
        let id = blas.primitives.ids[0];
        let wanted =
            Wanted { instance: Some(number), geometry: Some(id.geometry), primitive: id.primitive };
        let bounds = instance.object_to_world.bounds(&blas.bvh.root().bounds);
        let from = bounds.center() + Vec3::new(0.1, 40.0, 0.2);
        let query = Query::ray(HitKind::All, Ray::new(from, bounds.center() - from));
        let (reason, _) = reason(&image, &query, &wanted);
        let text = &reason.text;
        assert!(!text.contains("never visited") && !text.contains("no such"), "{number}: {text}");
        let found_in = reason.node.and_then(|node| node.instance);
        assert!(found_in.is_none_or(|found| found == number), "{number}: {reason:?}");
        let is_first = tlas.instances[..number as usize].iter().all(|i| i.blas != instance.blas);
        inside += usize::from(found_in.is_some() && !is_first);
    }
    assert!(inside > 3, "{inside}");
}

/// The tracer's copy has pointers of its own, so the reference walk says where its boxes lose.
#[test]
fn of_a_copy_the_reference_says_where() {
    let [_, tree] = inputs();
    let away = Ray::new(tree.tree().bounds().max + Vec3::ONE, Vec3::ONE);
    let wanted = Wanted { instance: None, geometry: None, primitive: 0 };
    let (reason, names) = reason(&tree, &Query::ray(HitKind::Closest, away), &wanted);
    assert_eq!(names, NodeNames::Own);
    assert!(reason.text.contains("of the reference walk: lost at"), "{}", reason.text);
    assert!(reason.child.is_some_and(|child| child.verdict == Verdict::Miss));
    let unknown = Wanted { primitive: u32::MAX, ..wanted };
    let (reason, _) = self::reason(&tree, &Query::ray(HitKind::Closest, away), &unknown);
    assert!(reason.text.contains("no such primitive"), "{}", reason.text);
}

/// A forest in every format, with every machine that walks it.
fn for_each_machine(
    mut each: impl FnMut(&'static FormatEntry, &MachineInput, &'static MachineEntry, &dyn Machine),
) {
    let tree = build::Options::preset(Preset::Balanced).build(&Builtin::Forest.scene(300)).unwrap();
    for format in registry().formats().iter().copied().filter(|format| format.holds_trees()) {
        for machine in registry().readers(format) {
            let liked = if format.name == machine.format { machine.settings } else { &[] };
            let settings = liked.iter().fold(Settings::default(), |all, (k, v)| all.with(*k, *v));
            let input = MachineInput::Image(encode_checked(&tree, format, &settings).unwrap());
            if let Ok(made) = (machine.make)(&input, &MachineOptions::default()) {
                each(format, &input, machine, &*made);
            }
        }
    }
}

/// A ray across the forest.
fn across(tree: &Tree, aside: f32) -> Ray {
    let bounds = tree.bounds();
    let from = bounds.center() + bounds.extent() * Vec3::new(aside, 0.1, 1.0);
    Ray::new(from, Vec3::new(0.05, -0.1, -1.0) * bounds.extent())
}

/// Whatever a ray misses, every machine says at which node and child, by names that the image has;
/// and what it hits has the ids of the image.
#[test]
fn every_machine_names_nodes_of_the_image() {
    let mut named = 0;
    for_each_machine(|format, input, entry, machine| {
        let MachineInput::Image(image) = input else { return };
        let outline = (format.outline)(image.image());
        let pointers: HashSet<u64> = outline.entries.iter().map(|e| e.node.pointer).collect();
        let query = Query::ray(HitKind::All, across(input.tree(), 0.07));
        let (walk, names) = watch_over(entry, input, machine, &query);
        let is_copy = (entry.name, format.name) == ("fast", "tree");
        assert_eq!(names == NodeNames::Own, is_copy, "{} on {}", entry.name, format.name);
        for hit in &walk.answer.as_ref().unwrap().hits {
            let is_listed = outline
                .primitives
                .iter()
                .any(|id| (id.geometry, id.primitive) == (hit.geometry, hit.primitive));
            assert!(is_listed, "{} on {}: {hit:?}", entry.name, format.name);
        }
        let tlas = input.tree().tlas.as_ref();
        let instance = tlas.map(|tlas| tlas.instances.len() as u32 - 1);
        let blas = tlas.map_or(0, |tlas| tlas.instances[tlas.instances.len() - 1].blas);
        let ids = &input.tree().blases[blas as usize].primitives.ids;
        for id in ids.iter().step_by(41) {
            let geometry = Some(id.geometry);
            let wanted = Wanted { instance, geometry, primitive: id.primitive };
            let reason = why(&walk, input, names, &wanted).unwrap();
            let text = format!("{} on {}: {}", entry.name, format.name, reason.text);
            let by_reference = text.contains("of the reference walk");
            assert!(reason.node.is_none() || by_reference == is_copy, "{text}");
            assert!(!text.contains("never visited") && !text.contains("no such"), "{text}");
            if let Some(node) = reason.node {
                named += 1;
                let pointer = node.in_image.unwrap_or(node.pointer);
                assert!(pointers.contains(&pointer), "{text}");
            }
        }
    });
    assert!(named > 50, "{named}");
}

/// Of several instances, the one in the answer is named; a query that can hit nothing says so.
#[test]
fn the_answer_counts() {
    for_each_machine(|format, input, entry, machine| {
        let name = format!("{} on {}", entry.name, format.name);
        let said = |query: &Query, wanted: &Wanted| {
            let (walk, names) = watch_over(entry, input, machine, query);
            why(&walk, input, names, wanted).unwrap_or_else(Reason::missing)
        };
        let anything = Wanted { instance: None, geometry: None, primitive: 0 };
        for aside in [-0.2, 0.0, 0.07, 0.2] {
            let query = Query::ray(HitKind::Closest, across(input.tree(), aside));
            let Some(hit) = machine.answer(&query).unwrap().hits.pop() else { continue };
            let geometry = Some(hit.geometry);
            let reason = said(&query, &Wanted { geometry, primitive: hit.primitive, ..anything });
            let is_named = reason.text.contains(&format!("instance {}, ", hit.instance));
            assert!(reason.accepted && is_named, "{name}: {}", reason.text);
        }
        let ray = across(input.tree(), 0.0);
        let masked = Query { mask: 0, ..Query::ray(HitKind::All, ray) };
        let nowhere = Ray { direction: Vec3::NAN, ..ray };
        for query in [masked, Query::ray(HitKind::All, nowhere)] {
            let text = said(&query, &anything).text;
            assert!(text.contains("nothing can be hit"), "{name}: {text}");
        }
    });
}
