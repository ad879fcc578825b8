//! The gallery: bugs that drivers had, each made as an image, with the rules that name it.
//!
//! Rows and numbers are those of `docs/gallery.md`, whose table is made from [`ROWS`]. An image is
//! one that the encoder writes, with the bytes changed that the bug got wrong. The rules of a row
//! must be broken then and hold before.

use super::edit::{boxes, edit_bits, instances, primitive_nodes};
use super::worlds::{scene, tree};
use build::Preset;
use gfx12::check::check;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{
    BOX_TYPE, Bits, BoxNode, ChildEntry, CullFlags, NodeBits, NodePointer, RadvHeader,
};
use gfx12::update::{Update, check_update};
use machine::source::{self, Geometry};
use machine::{AnyChecked, Image};
use scene::Scene;
use scene::builtin::Builtin;
use std::collections::BTreeSet;

/// One bug.
struct Row {
    /// Its number on the page.
    number: u32,
    /// What was wrong.
    fault: &'static str,
    /// Whether the driver's own validator tests for it, stumbles over it, or cannot see it.
    validator: &'static str,
    /// The rules that must be broken; none if `reason` says why there cannot be one.
    rules: &'static [&'static str],
    reason: &'static str,
    make: fn() -> Case,
}

/// A good image, the faulty one, and the scene that the faulty one should hold.
struct Case {
    good: Image,
    faulty: Image,
    scene: Option<Scene>,
    /// Whether the faulty one is what an update made of the good one.
    is_update: bool,
}

const YES: &str = "yes";
const LUCK: &str = "by luck";
const NO: &str = "no";

/// A row whose rules name the fault.
const fn row(
    number: u32,
    fault: &'static str,
    validator: &'static str,
    rules: &'static [&'static str],
    make: fn() -> Case,
) -> Row {
    Row { number, fault, validator, rules, reason: "", make }
}

const ROWS: &[Row] = &[
    row(1, "a bit writer leaves bits of an id in a descriptor", LUCK, &["primitive_id"], row_1),
    row(2, "vertices packed in too few bits", NO, &["source"], row_2),
    row(3, "a node overwritten by the next batch", NO, &["lost_primitive"], row_3),
    row(4, "bounds of an empty structure infinite", NO, &["plane_finite", "instance_box"], row_4),
    row(5, "NaN vertices in the tree", NO, &["vertex_finite"], row_5),
    row(6, "the opacity of a structure not known above", NO, &["missed_culling"], row_6),
    row(7, "nodes allocated from 0 again", LUCK, &["reached_twice"], row_7),
    row(8, "a tree larger than its allocation", YES, &["allocated_size"], row_8),
    row(9, "the last primitive sorted away", LUCK, &["lost_primitive"], row_9),
    row(10, "boxes over inactive primitives", LUCK, &["lost_primitive"], row_10),
    row(11, "a subtree missing after a race", LUCK, &["lost_primitive"], row_11),
    row(12, "an empty structure never written", LUCK, &["source"], row_12),
    row(13, "a leaf behind an empty structure", NO, &["driver_header"], row_13),
    row(14, "the second child of a root unwritten", LUCK, &["node_type"], row_14),
    row(15, "a subtree below two boxes", LUCK, &["reached_twice"], row_15),
    row(16, "a child that is never written", LUCK, &["parent", "lost_primitive"], row_16),
    row(17, "parents of boxes that were collapsed", NO, &["parent"], row_17),
    row(18, "leaves of another geometry type", LUCK, &["mixed_level"], row_18),
    row(19, "infinite planes", NO, &["plane_finite"], row_19),
    row(20, "null instances in the tree", LUCK, &["driver_header", "instance_box"], row_20),
    row(21, "an offset into the wrong buffer", NO, &["source"], row_21),
    row(22, "structures aligned to 16 bytes", YES, &["instance_base"], row_22),
    row(23, "a size without the root", YES, &["allocated_size"], row_23),
    row(24, "an update writes planes of random boxes", LUCK, &["contained"], row_24),
    Row {
        number: 25,
        fault: "a poor order of primitives",
        validator: NO,
        rules: &[],
        reason: "every byte is legal; the cost shows, see `siliray stats`",
        make: row_25,
    },
    row(26, "an update of an empty structure", NO, &["update_empty"], row_26),
    row(27, "a parent fitted to bounds of before", NO, &["contained", "slack"], row_27),
    row(28, "bases not copied by an update", LUCK, &["pointer_range", "update_same"], row_28),
    row(29, "parents not copied by an update", NO, &["parent", "update_same"], row_29),
    row(30, "cull flags not copied by an update", NO, &["cull_flags", "update_same"], row_30),
    row(31, "an update leaves boxes as they were", NO, &["contained"], row_31),
    row(32, "an update writes the first slot only", NO, &["contained"], row_32),
    row(33, "an update writes its source", LUCK, &["parent", "update_same"], row_33),
    row(34, "an update of nothing", NO, &["source", "update_source"], row_34),
    row(35, "an update that runs another shader", LUCK, &["parent", "update_same"], row_35),
];

fn radv(scene: &Scene) -> Image {
    let tree = tree(scene, Preset::Balanced);
    encode(&tree, &Options::new(Policy::Radv)).unwrap().image
}

fn mesh() -> Scene {
    Builtin::Organic.scene(900)
}

/// A change of RADV's memory of a mesh.
fn changed(change: impl FnOnce(&mut Image)) -> Case {
    changed_of(&mesh(), change)
}

fn changed_of(scene: &Scene, change: impl FnOnce(&mut Image)) -> Case {
    let good = radv(scene);
    let mut faulty = good.clone();
    change(&mut faulty);
    Case { good, faulty, scene: None, is_update: false }
}

/// The same, made by an update.
fn updated(change: impl FnOnce(&mut Image)) -> Case {
    Case { is_update: true, ..changed(change) }
}

fn world() -> Scene {
    scene("instanced", 9)
}

fn write_box(image: &mut Image, address: u64, node: &BoxNode) {
    edit_bits(image, address, |bits| *bits = node.encode());
}

/// Changes every box of the image's own structure.
fn each_box(image: &mut Image, mut change: impl FnMut(usize, &mut BoxNode)) {
    for (number, (address, _, mut node)) in boxes(image, 0).into_iter().enumerate() {
        change(number, &mut node);
        write_box(image, address, &node);
    }
}

/// Changes the first box that `fits`.
fn one_box(
    image: &mut Image,
    fits: impl Fn(usize, &BoxNode) -> bool,
    change: impl FnOnce(&mut BoxNode),
) {
    let found = boxes(image, 0).into_iter().enumerate();
    let mut found = found.filter(|(number, (.., node))| fits(*number, node));
    let (_, (address, _, mut node)) = found.next().expect("such a box");
    change(&mut node);
    write_box(image, address, &node);
}

fn last_slot(node: &BoxNode) -> &ChildEntry {
    &node.children[usize::from(node.child_count) - 1]
}

/// Forgets the last child.
fn drop_last(node: &mut BoxNode) {
    node.child_count -= 1;
    node.children[usize::from(node.child_count)] = ChildEntry::UNUSED;
}

/// Header and sizes of a structure that ends `bytes` earlier than it does.
fn shrink(image: &mut Image, bytes: u64) {
    let header = RadvHeader::decode(&Bits::from_bytes(&image.segments[0].bytes()[..136]));
    let smaller = header.with_sizes(header.compacted_size - bytes, 1);
    smaller.encode().write_bytes(image.segments[0].bytes_mut());
}

/// Zeros over all nodes: what memory holds that nobody wrote.
fn unwrite(image: &mut Image) {
    let base = (image.bases[0] - image.segments[0].address) as usize;
    image.segments[0].bytes_mut()[base..].fill(0);
}

fn row_1() -> Case {
    changed(|image| {
        let nodes = primitive_nodes(image, 0);
        let is_single = |node: &gfx12::layout::PrimitiveNode| {
            node.pair_count() == 1 && node.pair(0).triangles[1].is_absent()
        };
        let (address, _) = nodes.iter().find(|(_, node)| is_single(node)).expect("a single");
        // Bit 22 of an id: vertex 1 of the second triangle.
        edit_bits(image, *address, |bits| bits.set(998..1002, 1));
    })
}

fn row_2() -> Case {
    let case = changed(|image| {
        let nodes = primitive_nodes(image, 0);
        let (address, _) = nodes.iter().find(|(_, node)| node.header().vertex_bits[0] > 8).unwrap();
        edit_bits(image, *address, |bits| bits.set(0..5, bits.get(0..5) - 1));
    });
    Case { scene: Some(mesh()), ..case }
}

fn row_3() -> Case {
    changed(|image| {
        let mut nodes = primitive_nodes(image, 0);
        nodes.sort_by_key(|node| node.0);
        let is_same =
            |(a, b): &(usize, usize)| nodes[*a].1.pair_count() == nodes[*b].1.pair_count();
        let (a, b) = (1..nodes.len()).map(|n| (n - 1, n)).find(is_same).unwrap();
        let (overwritten, next) = (nodes[a].0, *nodes[b].1.bits());
        edit_bits(image, overwritten, |bits| *bits = next);
    })
}

fn row_4() -> Case {
    changed_of(&world(), |image| {
        let (address, _, mut node) = instances(image)[0];
        node.frame.origin = [f32::INFINITY; 3];
        edit_bits(image, address, |bits| *bits = node.encode());
        one_box(
            image,
            |_, node| last_slot(node).node_type == 6,
            |node| {
                node.frame.origin = [f32::NEG_INFINITY; 3];
                node.frame.exponents = [255; 3];
            },
        );
    })
}

fn row_5() -> Case {
    changed(|image| {
        let prefix = |node: &gfx12::layout::PrimitiveNode| {
            let header = node.header();
            32 - usize::from((header.vertex_bits[0] + header.trailing_zeros).min(32))
        };
        let nodes = primitive_nodes(image, 0);
        let (address, node) = nodes.iter().find(|(_, node)| prefix(node) > 9).expect("a prefix");
        let end = 52 + prefix(node);
        edit_bits(image, *address, |bits| bits.set(end - 10..end, 0x3FF));
    })
}

fn row_6() -> Case {
    changed_of(&world(), |image| {
        let is_known = |node: &BoxNode| {
            let last = last_slot(node);
            last.node_type == 6 && !last.cull_flags.is_empty()
        };
        one_box(
            image,
            |_, node| is_known(node),
            |node| {
                let last = usize::from(node.child_count) - 1;
                node.children[last].cull_flags = CullFlags::empty();
            },
        );
    })
}

fn row_7() -> Case {
    changed(|image| one_box(image, |number, _| number == 0, |node| node.internal_base = 0))
}

fn row_8() -> Case {
    changed(|image| shrink(image, 128))
}

fn row_9() -> Case {
    let is_leaf = |node: &BoxNode| last_slot(node).node_type != BOX_TYPE && node.child_count > 2;
    changed(|image| one_box(image, |_, node| is_leaf(node), drop_last))
}

fn row_10() -> Case {
    changed(|image| {
        one_box(
            image,
            |number, node| number > 0 && node.children[0].node_type != BOX_TYPE,
            |node| {
                node.children = [ChildEntry::UNUSED; 8];
                node.child_count = 1;
            },
        );
    })
}

fn row_11() -> Case {
    let is_box = |node: &BoxNode| last_slot(node).node_type == BOX_TYPE && node.child_count > 2;
    changed(|image| one_box(image, |_, node| is_box(node), drop_last))
}

fn row_12() -> Case {
    let good = radv(&mesh());
    Case { faulty: good.clone(), good, scene: Some(Scene::default()), is_update: false }
}

fn row_13() -> Case {
    changed_of(&world(), |image| {
        // The structure behind the empty one.
        let behind = image.segments[3].address;
        let (_, leaf) = primitive_nodes(image, 1)[0];
        edit_bits(image, behind, |bits| *bits = *leaf.bits());
    })
}

fn row_14() -> Case {
    changed(|image| {
        let base = image.bases[0];
        edit_bits(image, base, |bits| (11..14).for_each(|word| bits.set_word(word, 0xCDCD_CDCD)));
    })
}

fn row_15() -> Case {
    changed(|image| {
        let leads = |node: &BoxNode| node.children[0].node_type == BOX_TYPE;
        let root = boxes(image, 0)[0].2;
        one_box(
            image,
            |number, node| number > 0 && leads(node),
            |node| {
                node.internal_base = root.internal_base;
            },
        );
    })
}

fn row_16() -> Case {
    changed(|image| {
        let (address, ..) = boxes(image, 0)[3];
        edit_bits(image, address, |bits| *bits = NodeBits::ZERO);
    })
}

fn row_17() -> Case {
    changed(|image| {
        let all = boxes(image, 0);
        let wrong = all[1].1;
        each_box(image, |number, node| {
            if number > 8 {
                node.parent = wrong;
            }
        });
    })
}

fn row_18() -> Case {
    changed(|image| {
        one_box(
            image,
            |_, node| node.children[0].node_type == 0,
            |node| {
                node.children[0].node_type = 6;
            },
        );
    })
}

fn row_19() -> Case {
    changed(|image| {
        one_box(image, |number, _| number == 2, |node| node.frame.origin = [f32::NEG_INFINITY; 3]);
    })
}

fn row_20() -> Case {
    changed_of(&world(), |image| {
        let (address, ..) = instances(image)[0];
        edit_bits(image, address, |bits| {
            (12..14).for_each(|word| bits.set_word(word, 0));
        });
    })
}

fn row_21() -> Case {
    let good = radv(&mesh());
    let mut wanted = mesh();
    shift_indices(&mut wanted);
    Case { faulty: good.clone(), good, scene: Some(wanted), is_update: false }
}

/// Lets each triangle have the corners of the next.
fn shift_indices(scene: &mut Scene) {
    for geometry in scene.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        if let scene::Shape::Triangles { indices, .. } = &mut geometry.shape {
            indices.rotate_left(1);
        }
    }
}

fn row_22() -> Case {
    changed_of(&world(), |image| {
        let (address, ..) = instances(image)[0];
        edit_bits(image, address, |bits| bits.set_word(12, bits.word(12) + (16 >> 3)));
    })
}

fn row_23() -> Case {
    changed(|image| shrink(image, 256))
}

fn row_24() -> Case {
    updated(|image| {
        each_box(image, |number, node| {
            if number % 7 == 3 {
                node.children[0].max = node.children[0].min;
            }
        });
    })
}

fn row_25() -> Case {
    let good = radv(&mesh());
    Case { faulty: good.clone(), good, scene: Some(mesh()), is_update: false }
}

fn row_26() -> Case {
    let case = changed_of(&scene("empty", 1), |image| {
        let base = image.bases[0];
        edit_bits(image, 0, |bits| (2..8).for_each(|word| bits.set_word(word, 0)));
        edit_bits(image, base, |bits| {
            let mut node = BoxNode::decode(bits);
            for child in &mut node.children {
                (child.min, child.max) = ([0; 3], [0xFFF; 3]);
            }
            *bits = node.encode();
        });
    });
    Case { is_update: true, ..case }
}

fn row_27() -> Case {
    updated(|image| {
        one_box(
            image,
            |number, _| number == 1,
            |node| {
                (node.children[0].min, node.children[0].max) = ([0; 3], [0; 3]);
                (node.children[1].min, node.children[1].max) = ([0; 3], [0xFFF; 3]);
            },
        );
    })
}

fn row_28() -> Case {
    updated(|image| {
        each_box(image, |number, node| {
            if number < 5 {
                (node.internal_base, node.primitive_base) = (0xCDCD_CDC0, 0xCDCD_CDC0);
            }
        });
    })
}

fn row_29() -> Case {
    updated(|image| each_box(image, |_, node| node.parent = NodePointer(0)))
}

fn row_30() -> Case {
    updated(|image| {
        each_box(image, |_, node| node.children[0].cull_flags = CullFlags::ONLY_PROCEDURAL);
    })
}

fn row_31() -> Case {
    let good = radv(&mesh());
    let mut moved = mesh();
    for geometry in moved.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        if let scene::Shape::Triangles { positions, .. } = &mut geometry.shape {
            positions.iter_mut().for_each(|corner| corner.x += 0.5);
        }
    }
    // The same tree over moved vertices, under the boxes of before.
    let mut built = tree(&mesh(), Preset::Balanced);
    for triangle in &mut built.blases[0].primitives.triangles {
        triangle.vertices.iter_mut().for_each(|corner| corner.x += 0.5);
    }
    let faulty = encode(&built, &Options::new(Policy::Radv)).unwrap().image;
    Case { good, faulty, scene: Some(moved), is_update: true }
}

fn row_32() -> Case {
    changed_of(&scene("procedurals", 9), |image| {
        one_box(
            image,
            |_, node| node.child_count > 2 && node.children[0].node_type == 0,
            |node| {
                let last = *last_slot(node);
                (node.children[0].min, node.children[0].max) = (last.min, last.max);
            },
        );
    })
}

fn row_33() -> Case {
    updated(unwrite)
}

fn row_34() -> Case {
    let case = row_31();
    Case { faulty: case.good.clone(), ..case }
}

fn row_35() -> Case {
    updated(unwrite)
}

fn geometry(scene: &Scene) -> Geometry {
    let (objects, instances) = build::contents(scene).unwrap();
    Geometry { objects, instances }
}

/// The rules that an image breaks, by the scene that it should hold.
fn broken(image: &Image, scene: Option<&Scene>) -> BTreeSet<&'static str> {
    let report = check(image.clone());
    let mut rules: BTreeSet<_> = report.findings.iter().map(|finding| finding.rule).collect();
    if let (Some(checked), Some(scene)) = (report.checked, scene) {
        let differences = source::differences(&checked as &dyn AnyChecked, &geometry(scene));
        rules.extend(differences.iter().map(|finding| finding.rule));
    }
    rules
}

/// The rules that an update breaks.
fn broken_by_update(case: &Case) -> BTreeSet<&'static str> {
    let scene = case.scene.as_ref().map(geometry);
    let (before, after, scene) = (&case.good, &case.faulty, scene.as_ref());
    let update = Update { before, after, scene, old: None, twice: None };
    check_update(&update).unwrap().iter().map(|finding| finding.rule).collect()
}

#[test]
fn every_bug_is_named() {
    let mut failures = Vec::new();
    for row in ROWS {
        let case = (row.make)();
        let good = broken(&case.good, None);
        let mut faulty = broken(&case.faulty, case.scene.as_ref());
        if case.is_update {
            faulty.extend(broken_by_update(&case));
        }
        let new: Vec<_> = faulty.difference(&good).copied().collect();
        let is_named = row.rules.iter().all(|rule| new.contains(rule));
        if !is_named || row.rules.is_empty() == row.reason.is_empty() {
            failures.push(format!("row {}: {:?}, found {new:?}", row.number, row.rules));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// A fresh image of RADV's is free of warnings, whatever is in it.
#[test]
fn fresh_images_have_no_warnings() {
    let scenes = [mesh(), world(), scene("procedurals", 9), scene("empty", 1)];
    for scene in scenes.iter().chain(&[Builtin::Interior.scene(3_000), Builtin::Forest.scene(900)])
    {
        let findings = check(radv(scene)).findings;
        let warnings = findings.iter().filter(|f| f.severity != machine::Severity::Note);
        assert_eq!(warnings.count(), 0, "{findings:#?}");
        let checked = check(radv(scene)).checked.unwrap();
        assert_eq!(source::differences(&checked as &dyn AnyChecked, &geometry(scene)), []);
    }
}

/// The page shows these rows, and these answers.
#[test]
fn the_page_is_true() {
    let page = include_str!("../../../../docs/gallery.md");
    let shown: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    let rows = ROWS.iter().map(|row| {
        let rules: Vec<String> = row.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let says = if rules.is_empty() { row.reason.to_owned() } else { rules.join(", ") };
        format!("| {} | {} | {} | {says} |", row.number, row.fault, row.validator)
    });
    let rows: Vec<String> = rows.collect();
    assert_eq!(shown[1..], rows, "{}", rows.join("\n"));
    assert_eq!(ROWS.iter().map(|row| row.number).collect::<Vec<_>>(), (1..=35).collect::<Vec<_>>());
}
