//! Updates: made, and each of their rules broken.

use super::edit::{boxes, edit_bits, instances, primitive_nodes};
use super::worlds::{scene, tree};
use build::Preset;
use geometry::Vec3;
use gfx12::check::check;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BoxNode, CullFlags};
use gfx12::refit::{RefitError, refit};
use gfx12::update::{Rule, Update, check_update};
use machine::source::Geometry;
use machine::{Image, Severity};
use scene::builtin::Builtin;
use scene::{Scene, Shape};
use std::collections::BTreeSet;

fn geometry(scene: &Scene) -> Geometry {
    let (objects, instances) = build::contents(scene).unwrap();
    Geometry { objects, instances }
}

/// Every corner somewhere else, no two alike.
fn moved(scene: &Scene) -> Scene {
    let mut moved = scene.clone();
    for geometry in moved.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        match &mut geometry.shape {
            Shape::Triangles { positions, .. } => {
                for corner in positions {
                    *corner += Vec3::new(corner.y * 0.25, (3.0 * corner.x).sin() * 0.125, 0.375);
                }
            }
            Shape::Boxes(boxes) => {
                for bounds in boxes {
                    (bounds.min, bounds.max) = (bounds.min + Vec3::X, bounds.max + Vec3::X);
                }
            }
        }
    }
    for instance in &mut moved.instances {
        instance.object_to_world.rows[0][3] += 0.5;
    }
    moved
}

fn updatable(scene: &Scene) -> Image {
    let options = Options { updatable: true, ..Options::new(Policy::Radv) };
    encode(&tree(scene, Preset::Balanced), &options).unwrap().image
}

fn updated(image: &Image, scene: &Scene) -> Image {
    let checked = check(image.clone()).checked.unwrap();
    refit(&checked, &geometry(scene)).unwrap()
}

fn broken(before: &Image, after: &Image, scene: Option<&Scene>) -> BTreeSet<&'static str> {
    let scene = scene.map(geometry);
    let update = Update { before, after, scene: scene.as_ref(), old: None, twice: None };
    let findings = check_update(&update).unwrap();
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.rule).collect()
}

/// An update of nothing changes nothing: boxes come out as the encoder wrote them.
#[test]
fn geometry_that_stays_gives_the_same_bytes() {
    for kind in ["triangles", "procedurals", "instanced", "empty"] {
        let scene = scene(kind, 9);
        let image = updatable(&scene);
        assert_eq!(updated(&image, &scene), image, "{kind}");
    }
    let scene = Builtin::Organic.scene(900);
    let gpurt = encode(&tree(&scene, Preset::Balanced), &Options::new(Policy::Gpurt));
    let gpurt = gpurt.unwrap().image;
    assert_eq!(updated(&gpurt, &scene), gpurt);
}

/// A real update keeps every rule, holds the new geometry, and is sound.
#[test]
fn geometry_that_moves_keeps_the_rules() {
    for kind in ["triangles", "procedurals", "instanced"] {
        let scene = scene(kind, 9);
        let (image, moved) = (updatable(&scene), moved(&scene));
        let after = updated(&image, &moved);
        assert_eq!(broken(&image, &after, Some(&moved)), BTreeSet::new(), "{kind}");
        assert_eq!(broken(&image, &after, None), BTreeSet::new(), "{kind}");
        let findings = check(after).findings;
        let notes = ["contained_ulp", "instance_box"];
        assert!(findings.iter().all(|found| notes.contains(&found.rule)), "{findings:#?}");
    }
}

/// The leaves of RADV's updates: one triangle, widths 32, ids where the shader looks for them.
#[test]
fn updatable_leaves_lie_as_radv_reads_them() {
    let image = updatable(&scene("triangles", 9));
    let leaves = primitive_nodes(&image, 0);
    assert_eq!(leaves.len(), 68);
    let last_leaf = leaves.iter().map(|leaf| leaf.0).max().unwrap();
    for (_, node) in &leaves {
        let header = node.header();
        assert_eq!((header.vertex_bits, header.midpoint, header.pair_count), ([32; 3], 384, 1));
        assert_eq!(node.bits().get(356..384), node.geometry_id(0));
        assert_eq!(node.bits().get(384..412), node.primitive_id(0));
    }
    let all = boxes(&image, 0);
    assert!(all[1..].iter().all(|(address, ..)| *address > last_leaf));
    assert_eq!(check(image).findings, []);
}

/// Breaks rules of an update that was sound.
fn breaks(rules: &[Rule], change: impl FnOnce(&mut Image)) {
    let scene = scene("triangles", 9);
    let (image, moved) = (updatable(&scene), moved(&scene));
    let mut after = updated(&image, &moved);
    change(&mut after);
    let expected: BTreeSet<_> = rules.iter().map(|rule| rule.name()).collect();
    assert_eq!(broken(&image, &after, Some(&moved)), expected);
}

fn edit_box(image: &mut Image, number: usize, change: impl FnOnce(&mut BoxNode)) {
    let (address, _, mut node) = boxes(image, 0)[number];
    change(&mut node);
    edit_bits(image, address, |bits| *bits = node.encode());
}

#[test]
fn each_rule_is_broken() {
    breaks(&[Rule::Same], |image| edit_box(image, 1, |node| node.parent.0 = 0));
    breaks(&[Rule::Same], |image| {
        edit_box(image, 1, |node| node.children[0].cull_flags.toggle(CullFlags::ONLY_PROCEDURAL));
    });
    breaks(&[Rule::Bytes], |image| {
        edit_box(image, 1, |node| node.ignored ^= 1);
    });
    breaks(&[Rule::Bytes], |image| edit_bits(image, 0, |bits| bits.set_word(31, 7)));
    breaks(&[Rule::Fit], |image| {
        edit_box(image, 1, |node| node.children[0].max[0] ^= 1);
    });
    breaks(&[Rule::Root], |image| edit_bits(image, 0, |bits| bits.set_float(2, -99.0)));
    breaks(&[Rule::Root], |image| edit_bits(image, 0, |bits| bits.set_word(1, 3)));
    breaks(&[Rule::Size], |image| edit_bits(image, 0, |bits| bits.set_word(8, 8)));
    // A vertex of before is not that of the scene, and boxes do not fit it.
    let scene = scene("triangles", 9);
    let (before, moved) = (updatable(&scene), moved(&scene));
    let mut after = updated(&before, &moved);
    let (address, old) = primitive_nodes(&before, 0)[0];
    edit_bits(&mut after, address, |bits| *bits = *old.bits());
    let found = broken(&before, &after, Some(&moved));
    assert!(found.contains(Rule::Source.name()) && found.contains(Rule::Fit.name()), "{found:?}");
}

/// An image that no driver updates has no boxes to compare, but what they lose is told.
#[test]
fn a_box_that_no_longer_holds_what_is_in_it_is_named_whoever_made_it() {
    let tree = tree(&Builtin::Organic.scene(900), Preset::Balanced);
    let before = encode(&tree, &Options::default()).unwrap().image;
    let mut after = before.clone();
    edit_box(&mut after, 0, |node| node.children[0].max[0] = node.children[0].min[0]);
    let (before, after) = (&before, &after);
    let update = Update { before, after, scene: None, old: None, twice: None };
    let found = check_update(&update).unwrap();
    assert!(found.iter().any(|it| it.rule == "contained"), "{found:#?}");
    let same = check_update(&Update { after: before, ..update }).unwrap();
    assert!(same.iter().all(|it| it.severity != Severity::Warning), "{same:#?}");
}

#[test]
fn nothing_that_moved_is_told() {
    let scene = scene("triangles", 9);
    let image = updatable(&scene);
    assert_eq!(broken(&image, &image, None), BTreeSet::from([Rule::Source.name()]));
    assert_eq!(broken(&image, &image, Some(&scene)), BTreeSet::new());
}

#[test]
fn empty_structures_stay() {
    let image = updatable(&scene("empty", 1));
    let mut after = image.clone();
    edit_bits(&mut after, 0, |bits| bits.set_float(2, 0.0));
    let found = broken(&image, &after, None);
    assert!(found.contains(Rule::Empty.name()), "{found:?}");
}

#[test]
fn what_is_active_stays_active() {
    let scene = scene("triangles", 9);
    let (image, moved) = (updatable(&scene), moved(&scene));
    let mut after = updated(&image, &moved);
    let (address, node) = primitive_nodes(&after, 0)[0];
    let id = node.primitive_id(0);
    edit_bits(&mut after, address, |bits| bits.set(384..412, id + 1));
    let found = broken(&image, &after, None);
    assert!(found.contains(Rule::Active.name()) && found.contains(Rule::Same.name()), "{found:?}");
}

#[test]
fn copies_that_should_be_equal() {
    let scene = scene("triangles", 9);
    let (before, moved) = (updatable(&scene), moved(&scene));
    let after = updated(&before, &moved);
    let mut other = after.clone();
    edit_bits(&mut other, 0, |bits| bits.set_float(2, 5.0));
    let rules = |old: &Image, twice: &Image| -> BTreeSet<&str> {
        let (before, after, old, twice) = (&before, &after, Some(old), Some(twice));
        let update = Update { before, after, scene: None, old, twice };
        check_update(&update).unwrap().iter().map(|finding| finding.rule).collect()
    };
    let cost = Rule::Cost.name();
    assert_eq!(rules(&before, &after), BTreeSet::from([cost]));
    assert!(rules(&after, &after).contains(Rule::Old.name()));
    assert!(rules(&before, &other).contains(Rule::Twice.name()));
}

#[test]
fn boxes_above_follow() {
    let scene = scene("instanced", 9);
    let (image, moved) = (updatable(&scene), moved(&scene));
    let mut after = updated(&image, &moved);
    let (address, _, mut node) = instances(&after)[0];
    node.children[0].max = [0; 3];
    edit_bits(&mut after, address, |bits| *bits = node.encode());
    assert!(broken(&image, &after, None).contains(Rule::Above.name()));
}

/// What cannot be updated says why.
#[test]
fn what_has_no_room_is_refused() {
    let scene = Builtin::Organic.scene(900);
    let dense = encode(&tree(&scene, Preset::Balanced), &Options::default()).unwrap().image;
    let checked = check(dense).checked.unwrap();
    let error = refit(&checked, &geometry(&moved(&scene))).unwrap_err();
    assert!(matches!(error, RefitError::Bits { .. }), "{error}");
    let error = refit(&checked, &Geometry::default()).unwrap_err();
    assert!(matches!(error, RefitError::Missing { .. }), "{error}");
}

/// One box with a margin before an update says nothing of the others.
#[test]
fn boxes_are_asked_one_by_one() {
    let scene = scene("triangles", 9);
    let (mut before, moved) = (updatable(&scene), moved(&scene));
    let mut after = updated(&before, &moved);
    edit_box(&mut before, 1, |node| node.children[0].max[0] ^= 1);
    assert_eq!(broken(&before, &after, Some(&moved)), BTreeSet::new());
    edit_box(&mut after, 2, |node| node.children[0].max[0] ^= 1);
    assert_eq!(broken(&before, &after, Some(&moved)), BTreeSet::from([Rule::Fit.name()]));
}

/// Several structures as one piece of memory, as it is copied from a GPU.
fn heap(image: &Image) -> Image {
    let bytes = gfx12::dump::write_memory(image).unwrap();
    Image { segments: vec![machine::Segment::new(0, &bytes)], ..image.clone() }
}

/// Boxes of a TLAS are held to what is below them, in one segment or several.
#[test]
fn a_tlas_is_asked_too() {
    let scene = scene("instanced", 9);
    let (before, moved) = (updatable(&scene), moved(&scene));
    let after = updated(&before, &moved);
    let mut loose = after.clone();
    edit_box(&mut loose, 0, |node| {
        (node.children[0].min, node.children[0].max) = ([0; 3], [4095; 3])
    });
    let mut short = after.clone();
    let (address, _, mut node) = instances(&after)[0];
    node.children[0].max = [0; 3];
    edit_bits(&mut short, address, |bits| *bits = node.encode());
    let cases = [(&after, None), (&loose, Some(Rule::Fit)), (&short, Some(Rule::Above))];
    for (after, rule) in cases {
        let expected = rule.iter().map(|rule| rule.name()).collect();
        assert_eq!(broken(&before, after, Some(&moved)), expected);
        assert_eq!(broken(&heap(&before), &heap(after), Some(&moved)), expected);
    }
    // What a TLAS did not hold before the update is no fault of the update.
    assert_eq!(broken(&short, &short, Some(&moved)), BTreeSet::new());
}

/// A triangle or an instance that became NaN keeps its planes, and its siblings get theirs.
#[test]
fn what_is_empty_keeps_no_sibling_from_its_box() {
    for kind in ["triangles", "instanced"] {
        let scene = scene(kind, 9);
        let mut moved = geometry(&moved(&scene));
        let image = updatable(&scene);
        let is_mesh = kind == "triangles";
        let object = moved.objects.iter_mut().find(|it| !it.triangles.is_empty()).unwrap();
        let gone = if is_mesh { 1 } else { object.triangles.len() };
        for triangle in &mut object.triangles[..gone] {
            triangle.vertices = [Vec3::NAN; 3];
        }
        let checked = check(image.clone()).checked.unwrap();
        let after = refit(&checked, &moved).unwrap();
        let rules: BTreeSet<_> = check(after).findings.iter().map(|it| it.rule).collect();
        assert!(!rules.contains("contained"), "{kind} {rules:?}");
    }
}
