//! Updates and figures.

use crate::support::{image, layouts};
use bvh4::update::{RefitError, Update};
use geometry::{Transform, Vec3};
use gfx10::encode::{Options, Policy};
use gfx10::format::Bvh4;
use gfx10::update::{check_update, refit, statistics};
use gfx10::{GFX10_NAME, GFX11_NAME, Generation, Writer};
use machine::source::Geometry;
use machine::{Checked, Finding, Format, Image, Segment, Severity};
use testkit::damage::{get, set};
use testkit::worlds::{instanced, mixed, scenes};
use tree::Tree;

fn checked<const GFX11: bool>(image: &Image) -> Checked<Bvh4<GFX11>> {
    let report = Bvh4::<GFX11>::check(image.clone());
    report.checked.unwrap_or_else(|| panic!("{:?}", report.findings))
}

fn refitted(image: &Image, scene: &Geometry) -> Result<Image, RefitError> {
    match image.format == GFX11_NAME {
        true => refit(&checked::<true>(image), scene),
        false => refit(&checked::<false>(image), scene),
    }
}

fn decoded(image: &Image) -> Tree {
    match image.format == GFX11_NAME {
        true => (**checked::<true>(image).tree()).clone(),
        false => (**checked::<false>(image).tree()).clone(),
    }
}

fn geometry(tree: &Tree) -> Geometry {
    Geometry {
        objects: tree.blases.iter().map(|blas| blas.primitives.clone()).collect(),
        instances: tree.tlas.iter().flat_map(|tlas| tlas.instances.clone()).collect(),
    }
}

/// The same, turned and blown up; instances move too.
fn moved(tree: &Tree) -> Geometry {
    let mut geometry = geometry(tree);
    let at = |v: Vec3| Vec3::new(1.25 * v.x + 0.5 * v.y, v.y - 3.0, 2.0 * v.z - 0.25 * v.x);
    for primitives in &mut geometry.objects {
        for triangle in &mut primitives.triangles {
            triangle.vertices = triangle.vertices.map(at);
        }
        for bounds in &mut primitives.boxes {
            bounds.min -= Vec3::splat(0.25);
            bounds.max += Vec3::splat(0.5);
        }
    }
    for instance in &mut geometry.instances {
        let mut rows = instance.object_to_world.rows;
        rows[1][3] += 7.5;
        instance.object_to_world = Transform { rows };
        instance.world_to_object = instance.object_to_world.inverse().unwrap();
    }
    geometry
}

fn errors(findings: &[Finding]) -> Vec<&'static str> {
    let errors = findings.iter().filter(|found| found.severity == Severity::Error);
    let mut rules: Vec<_> = errors.map(|found| found.rule).collect();
    rules.dedup();
    rules
}

fn update<'a>(before: &'a Image, after: &'a Image, scene: Option<&'a Geometry>) -> Update<'a> {
    Update { before, after, scene, old: None, twice: None }
}

#[test]
fn refits_hold_the_new_geometry_and_break_no_rule() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    for tree in &trees {
        for (generation, options) in layouts() {
            let before = image(tree, generation, &options);
            let stored = decoded(&before);
            let scene = moved(&stored);
            let after = match refitted(&before, &scene) {
                Ok(after) => after,
                // Halves end early.
                Err(RefitError::Boxes(_)) if options.half => continue,
                Err(error) => panic!("{generation:?} {options:?}: {error}"),
            };
            let fresh = decoded(&after);
            for (wanted, got) in scene.objects.iter().zip(&fresh.blases) {
                assert_eq!(wanted.triangles, got.primitives.triangles);
                if options.policy != Policy::Radv {
                    assert_eq!(wanted.boxes, got.primitives.boxes);
                }
            }
            for (wanted, got) in
                scene.instances.iter().zip(fresh.tlas.iter().flat_map(|t| &t.instances))
            {
                assert_eq!(wanted.world_to_object, got.world_to_object);
            }
            // RADV's memory has no box of a procedural but that of its slot.
            let scene = (options.policy != Policy::Radv).then_some(&scene);
            let found = check_update(&update(&before, &after, scene)).unwrap();
            assert_eq!(errors(&found), [""; 0], "{generation:?} {options:?} {found:?}");
            // The same update once more changes nothing.
            let again = refitted(&after, &geometry(&fresh)).unwrap();
            assert!(again == after, "{generation:?} {options:?}");
        }
    }
}

/// HIPRT's memory, which keeps no parents and describes its boxes in words of its own.
#[test]
fn a_real_image_of_hiprt_is_updated() {
    let bytes = include_bytes!("vectors/hiprt-cornell-bvh4.bin");
    let before = Image {
        format: GFX10_NAME,
        segments: vec![Segment::new(0, bytes)],
        bases: vec![0x40, 0xBC0, Writer::Hiprt.code()],
        root: 5,
    };
    let stored = decoded(&before);
    assert!(refitted(&before, &geometry(&stored)).unwrap() == before, "nothing moved");
    let scene = moved(&stored);
    let after = refitted(&before, &scene).unwrap();
    assert_ne!(after, before);
    let fresh = decoded(&after);
    assert_eq!(fresh.blases[0].primitives.triangles, scene.objects[0].triangles);
    assert_eq!(fresh.blases[0].primitives.ids, stored.blases[0].primitives.ids);
    let found = check_update(&update(&before, &after, Some(&scene))).unwrap();
    assert_eq!(errors(&found), [""; 0], "{found:?}");
    let report = Bvh4::<false>::check(after.clone());
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    // The box of the root no longer holds everything.
    let mut stale = after;
    stale.segments[0].bytes_mut()[0x50..0x54].copy_from_slice(&900f32.to_le_bytes());
    let found = check_update(&update(&before, &stale, None)).unwrap();
    assert!(found.iter().any(|found| found.rule == "contained"), "{found:?}");
}

#[test]
fn what_an_update_must_not_do_is_named() {
    for policy in [Policy::Radv, Policy::Gpurt] {
        let options = Options { half: false, ..Options::new(policy) };
        let before = image(&mixed(), Generation::Gfx11, &options);
        let scene = moved(&decoded(&before));
        let after = refitted(&before, &scene).unwrap();
        let base = (after.bases[0] - after.segments[0].address) as usize;
        let root = base + (after.root as usize >> 3) * 64;
        let rules = |image: &Image| errors(&check_update(&update(&before, image, None)).unwrap());
        assert_eq!(rules(&after), [""; 0]);
        assert_eq!(rules(&before), ["update_source"]);
        let broken = |at: usize, value: u32| {
            let mut image = after.clone();
            image.segments[0].bytes_mut()[at..at + 4].copy_from_slice(&value.to_le_bytes());
            rules(&image)
        };
        // A plane farther out than what is below; a flag; a parent; a byte of a table.
        assert!(broken(root + 16, (-1000f32).to_bits()).contains(&"update_fit"));
        assert!(broken(root + 112, 0x0303_0303).contains(&"update_same"));
        assert!(broken(base - 12, 0x77).contains(&"update_same"));
        let (bounds, size) = match policy {
            Policy::Radv => (8, 48),
            _ => (base + 76, base + 8),
        };
        assert!(broken(bounds, (-1000f32).to_bits()).contains(&"update_root"));
        assert!(broken(size, 12_345).contains(&"update_size"));
        // The last pointer of GPURT's list; the build flags in RADV's header.
        let table = if policy == Policy::Radv { 124 } else { after.segments[0].bytes().len() - 4 };
        assert!(broken(table, 0x77).contains(&"update_bytes"), "{:?}", broken(table, 0x77));
        // Another primitive in the first leaf.
        let survey = bvh4::image::examine::<gfx10::structure::Structure>(&after).survey;
        let leaf = base + (survey.structures[0].leaves[0].pointer.0 as usize >> 3) * 64;
        let id = if policy == Policy::Radv { 48 } else { 52 };
        assert!(broken(leaf + id, 0x7777).contains(&"update_active"));
        let copies =
            Update { old: Some(&after), twice: Some(&before), ..update(&before, &after, None) };
        let rules = errors(&check_update(&copies).unwrap());
        assert!(rules.contains(&"update_old") && rules.contains(&"update_twice"), "{rules:?}");
    }
}

/// Boxes with margins are not compared with a driver's, but what they lose is told.
#[test]
fn a_box_that_no_longer_holds_what_is_in_it_is_named_whoever_made_it() {
    for policy in Policy::ALL {
        let options = Options { half: false, ..Options::new(policy) };
        let before = image(&mixed(), Generation::Gfx11, &options);
        let mut after = refitted(&before, &moved(&decoded(&before))).unwrap();
        let rules = |image: &Image| -> Vec<&str> {
            let found = check_update(&update(&before, image, None)).unwrap();
            found.iter().map(|found| found.rule).collect()
        };
        let usual = rules(&after);
        assert!(!usual.contains(&"contained"), "{policy:?} {usual:?}");
        assert_eq!(usual.contains(&"update_unasked"), policy == Policy::Own, "{policy:?}");
        let base = (after.bases[0] - after.segments[0].address) as usize;
        let plane = base + (after.root as usize >> 3) * 64 + 16;
        let bytes = after.segments[0].bytes_mut();
        bytes.copy_within(plane + 12..plane + 16, plane);
        let broken = rules(&after);
        assert!(broken.contains(&"contained"), "{policy:?} {broken:?}");
    }
}

#[test]
fn empty_structures_stay() {
    let blas = tree::Blas { bvh: tree::Bvh::empty(), primitives: tree::Primitives::default() };
    let empty = Tree { blases: vec![blas], tlas: None };
    for policy in [Policy::Radv, Policy::Gpurt] {
        let before = image(&empty, Generation::Gfx10, &Options::new(policy));
        let mut after = before.clone();
        let base = (after.bases[0] - after.segments[0].address) as usize;
        let bounds = if policy == Policy::Radv { 8 } else { base + 76 };
        after.segments[0].bytes_mut()[bounds..bounds + 4].copy_from_slice(&1f32.to_le_bytes());
        let rules = errors(&check_update(&update(&before, &after, None)).unwrap());
        assert!(rules.contains(&"update_empty"), "{policy:?} {rules:?}");
    }
}

/// A TLAS that was left as it was while its structures grew, and what that costs.
#[test]
fn boxes_above_follow() {
    for policy in Policy::ALL {
        let before = image(&instanced(), Generation::Gfx11, &Options::new(policy));
        let mut scene = geometry(&decoded(&before));
        // Vertices at one place stay together.
        for triangle in scene.objects.iter_mut().flat_map(|it| &mut it.triangles) {
            let apart = |plane: f32| plane + 5.0 * (37.0 * plane).sin();
            triangle.vertices = triangle
                .vertices
                .map(|vertex| geometry::Vec3::from_array(vertex.to_array().map(apart)));
        }
        let after = refitted(&before, &scene).unwrap();
        let found = check_update(&update(&before, &after, None)).unwrap();
        assert_eq!(errors(&found), [""; 0], "{policy:?} {found:?}");
        assert!(found.iter().any(|it| it.rule == "update_cost"), "{policy:?} {found:?}");
        let mut stale = after.clone();
        stale.segments[0] = before.segments[0].clone();
        let rules = errors(&check_update(&update(&before, &stale, None)).unwrap());
        assert!(rules.contains(&"update_above"), "{policy:?} {rules:?}");
    }
}

#[test]
fn scenes_that_do_not_fit_are_refused() {
    let before = image(&mixed(), Generation::Gfx10, &Options::default());
    let mut scene = moved(&decoded(&before));
    scene.objects[0].ids[0].primitive = 77_777;
    assert!(matches!(refitted(&before, &scene), Err(RefitError::Missing { .. })));
    let mut scene = moved(&decoded(&before));
    for (number, triangle) in scene.objects[0].triangles.iter_mut().enumerate() {
        triangle.vertices[0].x += number as f32;
    }
    assert!(matches!(refitted(&before, &scene), Err(RefitError::Leaf { .. })));
    let before = image(&instanced(), Generation::Gfx10, &Options::default());
    let mut scene = moved(&decoded(&before));
    scene.instances.pop();
    assert!(matches!(refitted(&before, &scene), Err(RefitError::Instances { .. })));
}

/// RADV's formula, read from raw memory.
struct Raw<'a> {
    nodes: &'a [u8],
    sah: f32,
    counts: [u64; 5],
    depth: u64,
}

impl Raw<'_> {
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.nodes[at..at + 4].try_into().unwrap())
    }

    fn area(&self, planes: [f32; 6]) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| planes[3 + axis] - planes[axis]);
        2.0 * (x * y + x * z + y * z)
    }

    fn walk(&mut self, pointer: u32, depth: u64, area: f32) {
        let (at, kind) = (((pointer & !7) << 3) as usize, pointer & 7);
        self.depth = self.depth.max(depth);
        let (weight, place) = match kind {
            4 => (1.0, 0),
            5 => (1.5, 1),
            0 => (2.0, 2),
            6 => (2.0, 3),
            _ => (4.0, 4),
        };
        self.counts[place] += 1;
        self.sah = (f64::from(self.sah) + weight * f64::from(area)) as f32;
        if !(4..6).contains(&kind) {
            return;
        }
        for slot in 0..4 {
            let child = self.word(at + 4 * slot);
            if child == u32::MAX {
                continue;
            }
            let planes: [f32; 6] = std::array::from_fn(|k| match kind {
                5 => f32::from_bits(self.word(at + 16 + 24 * slot + 4 * k)),
                _ => {
                    let at = at + 16 + 12 * slot + 2 * k;
                    half::f16::from_le_bytes([self.nodes[at], self.nodes[at + 1]]).to_f32()
                }
            });
            self.walk(child, depth + 1, self.area(planes));
        }
    }
}

#[test]
fn figures_are_the_drivers() {
    let mut trees = scenes();
    trees.push(mixed());
    for tree in trees {
        let image = image(&tree, Generation::Gfx11, &Options::new(Policy::Radv));
        let memory = image.segments[0].bytes();
        let word = |at: usize| u32::from_le_bytes(memory[at..at + 4].try_into().unwrap());
        let mut raw =
            Raw { nodes: &memory[word(0) as usize..], sah: 0.0, counts: [0; 5], depth: 0 };
        let area = raw.area([8, 12, 16, 20, 24, 28].map(|at| f32::from_bits(word(at))));
        raw.walk(5, 1, area);
        let all = statistics(&checked::<true>(&image));
        // The structure of the first segment comes last.
        let figure = |name: &str| all.last().unwrap().figure(name).unwrap();
        let names = ["box16", "box32", "triangle", "instance", "procedural"];
        let counts = names.map(|name| figure(&format!("{name}_node_count")));
        assert_eq!((counts, figure("max_depth")), (raw.counts, raw.depth));
        assert_eq!(figure("sah"), u64::from((raw.sah / area * 1_000_000.0) as u32));
        assert_eq!(figure("allocated_size"), memory.len() as u64);
        assert_eq!(figure("compacted_size"), u64::from(word(48)));
        assert_eq!(figure("scene_sah") > 0, tree.tlas.is_some());
    }
    let two = image(&instanced(), Generation::Gfx10, &Options::new(Policy::Radv));
    let all = statistics(&checked::<false>(&two));
    let tlas = all.last().unwrap();
    assert!(tlas.is_tlas && tlas.figure("scene_sah") > tlas.figure("sah"));
    assert!(tlas.figure("instance_node_count") > Some(1));
}

/// One box with a margin before an update says nothing of the others.
#[test]
fn boxes_are_asked_one_by_one() {
    let options = Options { half: false, ..Options::new(Policy::Radv) };
    let mut before = image(&mixed(), Generation::Gfx11, &options);
    let mut after = refitted(&before, &moved(&decoded(&before))).unwrap();
    let survey = bvh4::image::examine::<gfx10::structure::Structure>(&before).survey;
    let last = survey.structures[0].boxes.last().unwrap().pointer;
    let base = (before.bases[0] - before.segments[0].address) as usize;
    let plane = base + last.byte_offset() as usize + 16;
    set(&mut before, plane, (-50f32).to_bits());
    let found = check_update(&update(&before, &after, None)).unwrap();
    assert_eq!(errors(&found), [""; 0], "{found:?}");
    assert!(found.iter().any(|it| it.rule == "update_unasked"), "{found:?}");
    let root = base + (after.root as usize >> 3) * 64;
    set(&mut after, root + 16, (-1000f32).to_bits());
    let rules = errors(&check_update(&update(&before, &after, None)).unwrap());
    assert!(rules.contains(&"update_fit"), "{rules:?}");
}

/// Several structures as one piece of memory, as it is copied from a GPU.
fn heap(image: &Image) -> Image {
    let bytes = bvh4::dump::memory::write(image).unwrap();
    Image { segments: vec![Segment::new(0, &bytes)], ..image.clone() }
}

/// Boxes of a TLAS are held to what is below them, in one segment or several.
#[test]
fn a_tlas_is_asked_too() {
    for generation in Generation::ALL {
        let before = image(&instanced(), generation, &Options::new(Policy::Radv));
        let after = refitted(&before, &moved(&decoded(&before))).unwrap();
        let mut stale = after.clone();
        stale.segments[0] = before.segments[0].clone();
        let plane = (after.bases[0] - after.segments[0].address) as usize + 16;
        let with_plane = |value: f32| {
            let mut image = after.clone();
            set(&mut image, plane, value.to_bits());
            image
        };
        let cases = [
            (after.clone(), None),
            (stale, Some("update_above")),
            (with_plane(-1000.0), Some("update_fit")),
            (with_plane(f32::NEG_INFINITY), Some("update_active")),
        ];
        for (after, rule) in cases {
            for [before, after] in
                [[&before, &after].map(Clone::clone), [&before, &after].map(heap)]
            {
                let rules = errors(&check_update(&update(&before, &after, None)).unwrap());
                assert!(rule.is_none_or(|rule| rules.contains(&rule)), "{rule:?} {rules:?}");
                assert!(rule.is_some() || rules.is_empty(), "{rules:?}");
            }
        }
        // What a TLAS did not hold before the update is no fault of the update.
        let mut short = before.clone();
        let x = f32::from_bits(get(&short, plane));
        set(&mut short, plane, (x + 0.5).to_bits());
        let rules = errors(&check_update(&update(&short, &short, None)).unwrap());
        assert_eq!(rules, ["update_source"]);
    }
}
