//! Meshes and scenes through ISBE memory and back.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::{Aabb, Transform, Vec3};
use isbe::container::check;
use isbe::mesh::capture::{CaptureError, CaptureOptions, capture_mesh, capture_scene};
use isbe::mesh::import::{ImportError, ImportOptions, import};
use isbe::mesh::position::PositionSlot;
use isbe::mesh::restore::{RestoreError, restore_mesh};
use isbe::{AttributeId, AttributeSet, AttributeTable, Dump, Limits, Mesh, Reader, WorkgroupView};
use proptest::prelude::*;
use scene::{Camera, Geometry, Instance, InstanceFlags, Object, Scene, Shape};

fn table(set: AttributeSet, rows: usize, mut word: impl FnMut() -> u32) -> AttributeTable {
    let mut table = AttributeTable::new(set, rows);
    for row in 0..rows {
        table.row_mut(row).iter_mut().for_each(|cell| *cell = word());
    }
    table
}

/// A generator of words, many of them NaN patterns as they are uniform.
fn words(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed | 1;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    }
}

fn through_a_file(dump: &Dump) -> Dump {
    let bytes = dump.to_bytes().unwrap();
    let report = check::check(&bytes, Limits::Driver);
    assert!(report.is_sound(), "{:?}", report.findings);
    let read = report.dump.unwrap();
    assert_eq!(read, *dump);
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Any active sets, any words, any order, repeated corners and unused vertices.
    #[test]
    fn any_mesh_comes_back_bit_for_bit(
        vertex in proptest::collection::btree_set(0usize..240, 1..60),
        primitive in proptest::collection::btree_set(0usize..240, 0..40),
        vertices in 1u32..700,
        triangles in proptest::collection::vec(proptest::array::uniform3(any::<u32>()), 0..600),
        max_vertices in 3u16..=256,
        max_triangles in 1u16..=256,
        seed: u64,
    ) {
        let set = |slots: std::collections::BTreeSet<usize>| -> AttributeSet {
            slots.into_iter().filter_map(AttributeId::from_slot).collect()
        };
        let mut word = words(seed);
        let mesh = Mesh {
            vertices: table(set(vertex), vertices as usize, &mut word),
            primitives: table(set(primitive), triangles.len(), &mut word),
            triangles: triangles.into_iter().map(|t| t.map(|index| index % vertices)).collect(),
        };
        let options = CaptureOptions { max_vertices, max_triangles, ..CaptureOptions::default() };
        let dump = capture_mesh(&mesh, &options).unwrap();
        let read = through_a_file(&dump);
        prop_assert_eq!(restore_mesh(&read, Limits::Driver), Ok(Some(mesh)));
    }
}

/// A bumpy grid, so that no two vertices are alike.
fn grid(side: u32, shift: f32) -> Shape {
    let across = side + 1;
    let positions = (0..across * across)
        .map(|i| {
            let (x, y) = ((i % across) as f32, (i / across) as f32);
            Vec3::new(x + shift, y * 0.7, (x * 0.37).sin() * (y * 0.81).cos())
        })
        .collect();
    let indices = (0..side * side)
        .flat_map(|i| {
            let corner = i / side * across + i % side;
            [
                [corner, corner + 1, corner + across],
                [corner + 1, corner + across + 1, corner + across],
            ]
        })
        .collect();
    Shape::Triangles { positions, indices }
}

fn rich_scene() -> Scene {
    let part = |opaque, shape| Geometry::new(format!("part {opaque} é"), opaque, shape);
    let object = |geometries: Vec<Geometry>| Object {
        name: "long ".repeat(600 * geometries.len()),
        geometries,
    };
    let boxes: Vec<Aabb> = (0..200)
        .map(|i| {
            let min = Vec3::new(i as f32, -0.5 * i as f32, 3.0);
            Aabb { min, max: min + Vec3::new(0.5, 0.25, 2.0) }
        })
        .collect();
    let transform = |i: usize| Transform {
        rows: [[1.0, 0.1, 0.0, i as f32], [0.0, 2.0, 0.3, -1.0], [0.2, 0.0, 0.5, 4.0]],
    };
    let instances = (0..50)
        .map(|i| Instance {
            mask: i as u8,
            custom_index: 1000 + i as u32,
            sbt_offset: 20 + i as u32,
            flags: InstanceFlags::from_bits_truncate(i as u8),
            ..Instance::new([0, 2][i % 2], transform(i))
        })
        .collect();
    let camera = Camera {
        eye: Vec3::new(1.0, 2.0, 3.5),
        target: Vec3::ZERO,
        up: Vec3::new(0.0, 1.0, -0.0),
        fov: 33.3,
    };
    Scene {
        name: String::new(),
        objects: vec![
            object(vec![part(true, grid(40, 0.0)), part(false, grid(3, 9.5))]),
            object(vec![]),
            object(vec![part(false, Shape::Boxes(boxes)), part(true, grid(21, -4.0))]),
        ],
        instances,
        cameras: vec![camera.into()],
        ..Scene::default()
    }
}

#[test]
fn a_scene_with_everything_comes_back() {
    let scene = rich_scene();
    for position in [PositionSlot::Position, PositionSlot::Generic(3)] {
        let options = CaptureOptions { position, ..CaptureOptions::default() };
        let dump = through_a_file(&capture_scene(&scene, &options).unwrap());
        for slot in [PositionSlot::Position, position] {
            let imported = import(&dump, &ImportOptions::from_slot(slot)).unwrap();
            assert_eq!(imported.scene, scene);
            assert_eq!(imported.triangle_clusters.len(), scene.triangle_count());
            assert_eq!(imported.report.triangles, scene.triangle_count());
        }
    }
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let options = CaptureOptions::default();
    let bytes = || capture_scene(&rich_scene(), &options).unwrap().to_bytes().unwrap();
    assert_eq!(bytes(), bytes());
}

/// Without notes the triangles are all there, with the same corners, in some order.
#[test]
fn a_dump_without_notes_gives_the_same_triangles() {
    let shape = grid(40, 0.25);
    let geometry = Geometry::new("", true, shape);
    let scene = Scene {
        objects: vec![Object { name: String::new(), geometries: vec![geometry] }],
        ..Scene::default()
    };
    let mut dump = capture_scene(&scene, &CaptureOptions::default()).unwrap();
    let base = dump.state.layout(Limits::Driver).unwrap().shared_base() as usize;
    dump.workgroups.iter_mut().for_each(|workgroup| workgroup.output.attr.truncate(base));
    let imported = import(&through_a_file(&dump), &ImportOptions::default()).unwrap();
    let triangles = |scene: &Scene| {
        let geometry = &scene.objects[0].geometries[0];
        let corners =
            geometry.triangles().map(|t| t.vertices.map(|v| v.to_array().map(f32::to_bits)));
        let mut sorted: Vec<_> = corners.collect();
        sorted.sort_unstable();
        sorted
    };
    assert_eq!(triangles(&imported.scene), triangles(&scene));
}

#[test]
fn wrong_captures_are_refused() {
    let scene = rich_scene();
    let refuse = |options: &CaptureOptions| capture_scene(&scene, options).unwrap_err();
    let options = CaptureOptions::default();
    let few = CaptureOptions { max_vertices: 2, ..options };
    assert!(matches!(refuse(&few), CaptureError::Size { what: "vertices", found: 2, .. }));
    let many = CaptureOptions { max_triangles: 257, ..options };
    assert!(matches!(refuse(&many), CaptureError::Size { what: "triangles", found: 257, .. }));
    let old = CaptureOptions { sm: 72, ..options };
    assert!(refuse(&old).to_string().contains("illegal_generation"));
    let mesh = Mesh {
        vertices: AttributeTable::new([AttributeId::POSITION_X].into_iter().collect(), 2),
        primitives: AttributeTable::new(AttributeSet::default(), 1),
        triangles: vec![[0, 1, 2]],
    };
    let error = capture_mesh(&mesh, &options).unwrap_err();
    assert_eq!(error.to_string(), "triangle 0, corner 2: found 2, expected a vertex below 2");
}

#[test]
fn notes_are_believed_only_as_far_as_they_agree() {
    let dump = capture_scene(&rich_scene(), &CaptureOptions::default()).unwrap();
    let base = dump.state.layout(Limits::Driver).unwrap().shared_base() as usize;
    let change = |workgroup: usize, word: usize, value: u32| {
        let mut dump = dump.clone();
        let at = base + 4 * word;
        dump.workgroups[workgroup].output.attr[at..at + 4].copy_from_slice(&value.to_le_bytes());
        import(&dump, &ImportOptions::default()).map(|imported| imported.report)
    };
    let last = dump.workgroups.len() - 1;
    // Names come first.
    let has_triangles = |workgroup: &isbe::Workgroup| workgroup.output.map[0] > 0;
    let first_meshlet = dump.workgroups.iter().position(has_triangles).unwrap();
    assert!(change(0, 32, 0xffff_ffff).unwrap_err().to_string().contains("utf-8"));
    assert!(change(0, 3, 9).unwrap_err().to_string().contains("the name of nothing"));
    let error = |workgroup, word, value| change(workgroup, word, value).unwrap_err();
    assert!(matches!(
        error(first_meshlet, 0, 7),
        ImportError::Restore(RestoreError::Disagreement { .. })
    ));
    assert!(matches!(error(first_meshlet, 2, 9), ImportError::Restore(RestoreError::Notes { .. })));
    assert!(matches!(
        error(first_meshlet, 6, u32::MAX),
        ImportError::Restore(RestoreError::Notes { .. })
    ));
    assert!(matches!(
        error(first_meshlet, 8, u32::MAX),
        ImportError::Restore(RestoreError::Disagreement { .. })
    ));
    assert!(matches!(
        error(first_meshlet, 32, 1 << 20),
        ImportError::Restore(RestoreError::Disagreement { .. })
    ));
    let [first, second] = [32, 33].map(|word| {
        let at = base + 4 * word;
        u32::from_le_bytes(*dump.workgroups[first_meshlet].output.attr[at..].first_chunk().unwrap())
    });
    assert_ne!(first, second);
    assert!(change(first_meshlet, 33, first).is_err());
    assert!(matches!(error(first_meshlet, 3, 7), ImportError::Restore(_)));
    assert!(matches!(error(last - 1, 32, 3), ImportError::Scene { .. }));
    assert!(matches!(
        error(last - 1, 33, 0x7fc0_0000),
        ImportError::Restore(RestoreError::Notes { .. })
    ));
    let no_position = import(&dump, &ImportOptions::from_slot(PositionSlot::Generic(0)));
    assert!(matches!(no_position, Err(ImportError::NoPosition(_))));
}

/// A vertex at infinity takes its triangles out, and nothing else.
#[test]
fn unplaceable_vertices_are_counted() {
    let scene = Scene {
        objects: vec![Object {
            name: String::new(),
            geometries: vec![Geometry::new("", true, grid(8, 0.0))],
        }],
        ..Scene::default()
    };
    let mut dump = capture_scene(&scene, &CaptureOptions::default()).unwrap();
    let reader = Reader::new(&dump, Limits::Driver).unwrap();
    let view = WorkgroupView::new(&reader, &dump.workgroups[0]);
    let uses = (0..view.primitive_count()).filter(|p| view.primitive(*p).any(|v| v == 5)).count();
    let w = PositionSlot::Position.ids()[3];
    let at = reader.layout.vertices.address(w, 5).unwrap() as usize;
    dump.workgroups[0].output.attr[at..at + 4].fill(0);
    let imported = import(&dump, &ImportOptions::default()).unwrap();
    assert_eq!(imported.report.unplaceable, uses);
    assert_eq!(imported.report.triangles, 2 * 64 - uses);
    assert!(imported.scene.bounds().unwrap().max.is_finite());
}
