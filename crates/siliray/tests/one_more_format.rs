//! A format that is added in one place is found by everything that iterates over the registry.
//!
//! The format is as small as one can be: triangles in a row, which decode to one leaf. Its entry
//! below is all that siliray is told of it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use siliray::build::{Preset, unwatched};
use siliray::compare::{Plan, Variant, compare};
use siliray::conformance::{self, ImageOptions, Options, run_image};
use siliray::find::{Wanted, find};
use siliray::geometry::{Aabb, Ray, Triangle, Vec3};
use siliray::image_build::BuildPlan;
use siliray::image_diff::diff;
use siliray::input::{Input, InputError, Origin, Route, Source, format_of};
use siliray::machine::blocks::{Block, BlockLevel, BlockNode, Frame, MemoryRange};
use siliray::machine::file::{is_container_of, read_container, write_container};
use siliray::machine::{
    BlockImage, BlockLead, ByteSplit, Capabilities, CheckReport, Checked, Description, EncodeError,
    Figures, Finding, Format, FormatEntry, HitKind, Image, ImageFile, MachineInput, MachineOptions,
    NodeRef, Outline, OutlineEntry, PrimitiveRef, ProvedFacts, Query, ReadOptions, Segment,
    Settings, Severity, TreeEntry, TreeFormat, TreeShape,
};
use siliray::registry::{install, registry, standard};
use siliray::render::{self, Measure, Style, View};
use siliray::scene::{Camera, Scene};
use siliray::sim::{Workload, simulate_image};
use siliray::tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree};
use siliray::ttu::Config;
use siliray::walk::hierarchy::Wanted as Followed;
use siliray::walk::{text, watch_over, why::why};
use std::collections::BTreeSet;
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
        let entry = |slot: usize| OutlineEntry {
            depth: 0,
            slot: slot as u32,
            node: NodeRef { base: 0, pointer: slot as u64 },
            kind: "triangle",
            address: (TRIANGLE_BYTES * slot) as u64,
            bytes: TRIANGLE_BYTES,
            state: siliray::machine::EntryState::Read,
            primitives: slot..slot + 1,
        };
        let primitives: Vec<PrimitiveRef> = records(image)
            .map(|[.., geometry, primitive]| PrimitiveRef { geometry, primitive })
            .collect();
        let entries = (0..primitives.len()).map(entry).collect();
        Outline { entries, primitives, ..Outline::default() }
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
        keeps_boxes: true,
        has_blocks: true,
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

/// Nine coordinates, geometry, primitive.
fn records(image: &Image) -> impl Iterator<Item = [u32; TRIANGLE_BYTES / 4]> {
    bytes(image).chunks_exact(TRIANGLE_BYTES).map(|record| {
        std::array::from_fn(|k| u32::from_le_bytes(record[4 * k..][..4].try_into().unwrap()))
    })
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
        for words in records(checked.image()) {
            let corner =
                |k: usize| Vec3::from_array([0, 1, 2].map(|n| f32::from_bits(words[k + n])));
            primitives.triangles.push(Triangle { vertices: [0, 3, 6].map(corner) });
            let (geometry, primitive) = (words[9], words[10]);
            let flags = PrimitiveFlags::OPAQUE;
            primitives.ids.push(PrimitiveId { geometry, primitive, flags });
        }
        let count = primitives.len();
        let bounds = (0..count).fold(Aabb::EMPTY, |sum, item| sum.union(primitives.bounds(item)));
        let root = Node { bounds, link: NodeLink::leaf(0, count) };
        let bvh = Bvh::new(vec![root], (0..count as u32).collect(), count).unwrap();
        Tree { blases: vec![Blas { primitives, bvh }], tlas: None }
    }

    /// One block with one leaf: the triangles as they lie.
    fn blocks(checked: &Checked<Self>) -> Option<BlockImage> {
        let (image, bounds) = (checked.image(), checked.tree().bounds());
        let items: Vec<u32> = (0..records(image).count() as u32).collect();
        let memory = MemoryRange { address: 0, bytes: bytes(image).len() as u32 };
        let lead = BlockLead::Items { first: 0, count: items.len() as u32, memory };
        let block = Block {
            address: 0,
            bytes: TRIANGLE_BYTES as u32,
            frame: Frame::GLOBAL,
            root: None,
            first_node: 0,
            node_count: 1,
            root_children: 1,
        };
        Some(BlockImage {
            levels: vec![BlockLevel { root: Some(0), bounds }],
            blocks: vec![block],
            nodes: vec![BlockNode { cells: (&bounds).into(), mask: 0xFF, lead }],
            items,
            ..BlockImage::default()
        })
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

fn scene() -> Scene {
    Source::new("organic", Some(400)).unwrap().open().unwrap().into_scene().unwrap()
}

/// A file of the format, written the way `build` does.
fn file(name: &str) -> PathBuf {
    let list = install_list();
    let built = route(Some(list)).prepare(&Input::Scene(scene()), &unwatched).unwrap();
    assert_eq!((built.input.format(), built.origin), (NAME, Origin::Built));
    let MachineInput::Image(image) = &built.input else { panic!("no image") };
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
    let stored = route(None).prepare(&input, &unwatched).unwrap();
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
    let table = conformance::run(&options, &unwatched).unwrap();
    assert!(!table.cells.is_empty() && table.mismatches() == 0);
    let machines: BTreeSet<_> =
        table.cells.iter().map(|cell| (cell.format, cell.machine)).collect();
    assert_eq!(machines, BTreeSet::from([(NAME, "reference"), (NAME, "ttu")]));
    let Ok(Input::Image(image)) = Source::File(file("law.list")).open() else { panic!("no image") };
    let options = ImageOptions { seed: 1, rays: 40, stack_size: 16, followed: 1 };
    let report = run_image(&image, &options, &unwatched).unwrap();
    let machines: Vec<_> = report.machines.iter().map(|m| (m.machine, m.losses)).collect();
    assert_eq!((report.format, &machines[..]), (NAME, &[("reference", 0), ("ttu", 0)][..]));
}

/// Nothing but its entry puts it into comparisons. The traversal unit runs its blocks: one box, and
/// every triangle below it.
#[test]
fn it_is_compared() {
    install_list();
    let scene = scene();
    let plan = Plan {
        presets: vec![Preset::Fast],
        variants: Variant::all().into_iter().filter(|one| one.name() == NAME).collect(),
        machines: Vec::new(),
        rays: 16,
    };
    let camera = Camera::framing(&scene.bounds().unwrap());
    let rows = compare(&scene, &camera, &plan, None, &unwatched).unwrap().rows;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((row.key.machine.as_str(), row.bytes_per_triangle.total), ("ttu", 44.0));
    assert_eq!((row.primary.boxes, row.lost), (1.0, 0));
    assert!(row.primary.cycles.is_some());
}

/// The bytes of a file, and the image in them.
fn read(name: &str) -> (Vec<u8>, ImageFile) {
    let bytes = std::fs::read(file(name)).unwrap();
    let read = read_container(NAME, &bytes).unwrap();
    (bytes, read)
}

#[test]
fn a_change_is_found_and_said() {
    let list = install_list();
    let (mut bytes, before) = read("compared.list");
    assert!(diff(list, [&before, &before], 9).is_empty());
    // A coordinate of the sixth triangle.
    let offset = before.offset_of(5 * TRIANGLE_BYTES as u64 + 4).unwrap();
    bytes[offset as usize] ^= 1;
    let after = (list.read)(&bytes, &ReadOptions::default()).unwrap();
    assert_eq!(diff(list, [&before, &after], 9).count(), 1);
    let outline = (list.outline)(&after.image);
    let ways = find(list, &after, &outline, &Wanted::Offset(offset));
    assert_eq!(ways.iter().map(|way| way.entries.clone()).collect::<Vec<_>>(), [[5]]);
    let PrimitiveRef { geometry, primitive } = outline.primitives[5];
    let wanted = Wanted::Primitive { geometry: Some(geometry), primitive };
    assert_eq!(find(list, &after, &outline, &wanted), ways);
}

#[test]
fn walks_over_it_are_shown_and_explained() {
    let input = Source::File(file("followed.list")).open().unwrap();
    for name in ["reference", "ttu"] {
        let entry = registry().machine(name).unwrap();
        let prepared = Route { machine: entry, ..route(None) }.prepare(&input, &unwatched).unwrap();
        let machine = prepared.make(&MachineOptions::default()).unwrap();
        let [a, b, c] = prepared.tree().blases[0].primitives.triangles[0].vertices;
        let middle = (a + b + c) / 3.0;
        let normal = (b - a).cross(c - a).normalize();
        let ray = Ray::new(middle + normal, -normal);
        let query = Query::ray(HitKind::All, ray);
        let (walk, names) = watch_over(entry, &prepared.input, &*machine, &query);
        assert!(text::table(&walk, 0..usize::MAX).contains("primitive"), "{name}");
        let id = prepared.tree().blases[0].primitives.ids[0];
        let (geometry, primitive) = (Some(id.geometry), id.primitive);
        let wanted = Followed { instance: None, geometry, primitive };
        let reason = why(&walk, &prepared.input, names, &wanted).unwrap();
        assert!(reason.accepted, "{name}: {}", reason.text);
    }
}

#[test]
fn it_is_simulated_and_drawn() {
    let Ok(Input::Image(image)) = Source::File(file("drawn.list")).open() else {
        panic!("no image")
    };
    let tree = image.checked.tree();
    let camera = Camera::framing(&tree.bounds());
    let queries = Workload::ALL[0].queries("list", tree, &camera, 16).unwrap();
    let run = simulate_image(&*image.checked, &Config::default(), &queries).unwrap();
    assert!(run.cycles > 0 && run.counters.sm_fetch_bytes > 0);
    let machine = registry().machine("ttu").unwrap();
    let input = MachineInput::Image(image.checked.clone());
    let walker = (machine.make)(&input, &MachineOptions::default()).unwrap();
    for style in [Style::Shaded { samples: 1 }, Style::HeatMap(Measure::Triangles)] {
        let settings = render::Settings { width: 8, height: 6, style };
        let picture = render::render(&View::of(tree), &*walker, &camera, &settings, &unwatched);
        let colours: BTreeSet<_> = picture.unwrap().picture.pixels.into_iter().collect();
        assert!(colours.len() > 1);
    }
}

#[test]
fn build_writes_it() {
    let list = install_list();
    let format = Some((list, Settings::default()));
    let plan = BuildPlan::new(&[Preset::Fast], format, [None, None]).unwrap();
    let built = plan.run(&scene(), Origin::Built, Some("list"), &unwatched).unwrap();
    let (document, bytes) = (built.document, built.file.unwrap());
    assert!((list.sniff)(&bytes));
    assert_eq!(document.image.unwrap().format, NAME);
    let image = (list.read)(&bytes, &ReadOptions::default()).unwrap().image;
    assert_eq!(records(&image).count(), document.triangles);
}
