//! A format that is added in one place is found by everything that iterates over the registry.
//!
//! The format is as small as one can be: triangles in a row, which decode to one leaf. Its entry
//! below is all that siliray is told of it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use siliray::build::Preset;
use siliray::compare::{Plan, Variant, compare};
use siliray::conformance::{self, ImageOptions, Options, run_image};
use siliray::geometry::{Aabb, Ray, Triangle, Vec3};
use siliray::input::{Input, InputError, Origin, Route, Source, format_of};
use siliray::machine::file::{is_container_of, read_container, write_container};
use siliray::machine::{
    ByteSplit, Capabilities, CheckReport, Checked, Description, EncodeError, Figures, Finding,
    Format, FormatEntry, Image, MachineOptions, NodeRef, Outline, OutlineEntry, ProvedFacts,
    Segment, Severity, TreeEntry, TreeFormat, TreeShape,
};
use siliray::registry::{install, registry, standard};
use siliray::scene::Camera;
use siliray::tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Once;

/// The format `list`: 44 bytes a triangle, its corners, geometry and primitive.
struct List;

#[derive(Debug)]
struct Proof(());

const NAME: &str = "list";
const TRIANGLE_BYTES: usize = 44;

static FORMATS: &[FormatEntry] = &[FormatEntry {
    name: NAME,
    summary: "triangles in a row",
    ending: "list",
    sniff: |start| is_container_of(NAME, start),
    read: |bytes, _| read_container(NAME, bytes),
    check: |image| List::check(image).erase(),
    outline: |image| {
        let entry = |(slot, _): (usize, _)| OutlineEntry {
            depth: 0,
            slot: slot as u32,
            node: NodeRef { base: 0, pointer: slot as u64 },
            kind: "triangle",
            address: (TRIANGLE_BYTES * slot) as u64,
            bytes: TRIANGLE_BYTES,
            state: siliray::machine::EntryState::Read,
            primitives: 0..0,
        };
        let entries = bytes(image).chunks_exact(TRIANGLE_BYTES).enumerate().map(entry).collect();
        Outline { entries, ..Outline::default() }
    },
    describe: |_, node| {
        let address = TRIANGLE_BYTES as u64 * node.pointer;
        let (fields, beside) = (Vec::new(), Vec::new());
        let (kind, bytes) = ("triangle", TRIANGLE_BYTES);
        Ok(Description { node, kind, address, bytes, fields, beside, frame: None })
    },
    trees: Some(TreeEntry {
        capabilities: |_| CAPABILITIES,
        settings: &[],
        shape: |_| TreeShape { width: 2, max_leaf: 64, leaf_test_width: 1, splits: false },
        encode: |tree, _| Ok(List.encode(tree)?.into()),
        figures: |image| {
            let triangles = (bytes(image).len() / TRIANGLE_BYTES) as u64;
            let bytes = ByteSplit::new(bytes(image).len() as u64, 36 * triangles, 8 * triangles);
            Figures { bytes, ..Figures::default() }
        },
        write: |image, _| Ok(write_container(image)),
        has_blocks: false,
    }),
    structures: &[],
    rules: &[],
    writers: &[],
}];

const CAPABILITIES: Capabilities =
    Capabilities { instances: false, masks: false, flags: false, procedural: false, ids: true };

fn bytes(image: &Image) -> &[u8] {
    image.segments[0].bytes()
}

impl Format for List {
    type Proof = Proof;

    fn check(image: Image) -> CheckReport<Self> {
        let length = bytes(&image).len();
        if length.is_multiple_of(TRIANGLE_BYTES) {
            let checked = Checked::new(image, ProvedFacts::default(), Proof(()));
            return CheckReport { checked: Some(checked), findings: Vec::new(), nodes: 1 };
        }
        let finding = Finding {
            severity: Severity::Error,
            rule: "length",
            offset: 0,
            bits: 0..8,
            found: format!("{length} bytes"),
            expected: format!("a multiple of {TRIANGLE_BYTES}"),
            place: "image".into(),
            count: 1,
            weight: 0,
        };
        CheckReport { checked: None, findings: vec![finding], nodes: 0 }
    }
}

impl TreeFormat for List {
    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn encode(&self, tree: &Tree) -> Result<Image, EncodeError> {
        let Tree { blases, tlas: None } = tree else { return Err("instances".into()) };
        let primitives = &blases[0].primitives;
        let words = primitives.triangles.iter().zip(&primitives.ids).flat_map(|(triangle, id)| {
            let corners = triangle.vertices.map(|vertex| vertex.to_array().map(f32::to_bits));
            [corners.as_flattened(), &[id.geometry, id.primitive]].concat()
        });
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let segments = vec![Segment::new(0, &bytes)];
        Ok(Image { format: NAME, segments, bases: vec![0], root: 0 })
    }

    fn decode(checked: &Checked<Self>) -> Tree {
        let mut primitives = Primitives::default();
        for record in bytes(checked.image()).chunks_exact(TRIANGLE_BYTES) {
            let word = |k: usize| u32::from_le_bytes(record[4 * k..][..4].try_into().unwrap());
            let corner =
                |k: usize| Vec3::from_array([0, 1, 2].map(|n| f32::from_bits(word(k + n))));
            primitives.triangles.push(Triangle { vertices: [0, 3, 6].map(corner) });
            let (geometry, primitive) = (word(9), word(10));
            let flags = PrimitiveFlags::OPAQUE;
            primitives.ids.push(PrimitiveId { geometry, primitive, flags });
        }
        let count = primitives.len();
        let bounds = (0..count).fold(Aabb::EMPTY, |sum, item| sum.union(primitives.bounds(item)));
        let root = Node { bounds, link: NodeLink::leaf(0, count) };
        let bvh = Bvh::new(vec![root], (0..count as u32).collect(), count).unwrap();
        Tree { blases: vec![Blas { primitives, bvh }], tlas: None }
    }
}

/// Before anything else is asked of the registry.
fn install_list() -> &'static FormatEntry {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| assert!(install(standard().with(FORMATS, &[]))));
    registry().format(NAME).unwrap()
}

fn route(format: Option<&'static FormatEntry>) -> Route {
    let machine = registry().machine("reference").unwrap();
    Route { format, ..Route::new(machine, siliray::build::Options::default()) }
}

/// A file of the format, written the way `build` does.
fn file(name: &str) -> PathBuf {
    let list = install_list();
    let scene = Source::new("organic", Some(400)).unwrap().open().unwrap();
    let built = route(Some(list)).prepare(&scene, &|_| ControlFlow::Continue(())).unwrap();
    assert_eq!((built.input.format(), built.origin), (NAME, Origin::Built));
    let siliray::machine::MachineInput::Image(image) = &built.input else { panic!("no image") };
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, (list.trees.as_ref().unwrap().write)(image.image(), None).unwrap())
        .unwrap();
    path
}

#[test]
fn its_files_are_known_by_their_bytes_and_by_their_ending() {
    let path = file("sniffed.bin");
    let Ok(Input::Image(image)) = Source::File(path).open() else { panic!("no image") };
    assert_eq!((image.format.name, image.findings.len()), (NAME, 0));
    assert_eq!(format_of("x.LIST".as_ref(), b"nothing").unwrap().name, NAME);
}

#[test]
fn damage_is_refused_by_its_check() {
    let path = file("damaged.list");
    let mut bytes = std::fs::read(&path).unwrap();
    // The length of the only segment, behind the header and one base.
    bytes[56] -= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = Source::File(path).open().unwrap_err();
    assert!(matches!(&error, InputError::Unsound { finding, .. } if finding.rule == "length"));
}

#[test]
fn its_structures_are_listed_and_described() {
    let path = file("outlined.list");
    let Ok(Input::Image(image)) = Source::File(path).open() else { panic!("no image") };
    let outline = (image.format.outline)(image.checked.image());
    assert_eq!(outline.entries.len(), image.checked.tree().triangle_count());
    let description = (image.format.describe)(image.checked.image(), outline.entries[7].node);
    assert_eq!(description.unwrap().address, 308);
}

#[test]
fn a_machine_walks_it_as_stored() {
    let path = file("walked.list");
    let input = Source::File(path).open().unwrap();
    let stored = route(None).prepare(&input, &|_| ControlFlow::Continue(())).unwrap();
    assert_eq!((stored.input.format(), stored.origin), (NAME, Origin::Stored));
    let center = stored.tree().bounds().center();
    let origin = center + Vec3::new(100.0, 3.0, 20.0);
    let machine = stored.make(&MachineOptions::default()).unwrap();
    assert!(machine.closest(&Ray::new(origin, center - origin)).unwrap().is_some());
}

#[test]
fn the_law_tries_it() {
    install_list();
    let only = ["format=list", "scene=mixed"].map(|filter| filter.parse().unwrap());
    let options = Options { rays: 40, only: only.to_vec(), ..Options::default() };
    let table = conformance::run(&options, &|_| ControlFlow::Continue(())).unwrap();
    assert!(!table.cells.is_empty() && table.mismatches() == 0);
    assert!(table.cells.iter().all(|cell| (cell.format, cell.machine) == (NAME, "reference")));
    let Ok(Input::Image(image)) = Source::File(file("law.list")).open() else { panic!("no image") };
    let options = ImageOptions { seed: 1, rays: 40, stack_size: 16, followed: 1 };
    let report = run_image(&image, &options, &|_| ControlFlow::Continue(())).unwrap();
    let machines: Vec<_> = report.machines.iter().map(|m| (m.machine, m.losses)).collect();
    assert_eq!((report.format, &machines[..]), (NAME, &[("reference", 0)][..]));
}

/// Nothing but its entry puts it into comparisons. The traversal unit does not run it, so the
/// reference walks: one leaf, and every triangle of it.
#[test]
fn it_is_compared() {
    install_list();
    let scene = Source::new("organic", Some(400)).unwrap().open().unwrap().into_scene().unwrap();
    let plan = Plan {
        presets: vec![Preset::Fast],
        variants: Variant::all().into_iter().filter(|one| one.name() == NAME).collect(),
        machines: Vec::new(),
        rays: 16,
    };
    let camera = Camera::framing(&scene.bounds().unwrap());
    let watch = |_| ControlFlow::Continue(());
    let rows = compare(&scene, &camera, &plan, None, &watch).unwrap().rows;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((row.key.machine.as_str(), row.bytes_per_triangle.total), ("reference", 44.0));
    assert_eq!((row.primary.boxes, row.primary.cycles, row.lost), (0.0, None, 0));
}
