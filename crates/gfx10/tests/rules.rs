//! Each rule of the check broken once, and by nothing else.

use crate::support::{check, image};
use bvh4::image::Rule;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, PointerFlags, RadvHeader};
use bvh4::survey::Survey;
use gfx10::Generation;
use gfx10::encode::{Options, Policy};
use gfx10::structure::Structure;
use machine::{Image, Severity};
use testkit::damage::{get, set};
use testkit::worlds::{instanced, mixed, scenes};
use tree::Tree;

/// Where things lie in the first segment.
struct Anatomy {
    base: usize,
    pair: usize,
    triangle: usize,
    procedural: usize,
    instance: usize,
    last_box: usize,
}

fn anatomy(image: &Image) -> Anatomy {
    let base = (image.bases[0] - image.segments[0].address) as usize;
    let survey: Survey<Structure> = Survey::new(image);
    let top = &survey.structures[0];
    let byte = |pointer: Bvh4Pointer| base + pointer.byte_offset() as usize;
    let leaf = |kind: Bvh4Kind| {
        let found = top.leaves.iter().find(|leaf| leaf.pointer.kind() == kind);
        found.map_or(0, |leaf| byte(leaf.pointer))
    };
    Anatomy {
        base,
        pair: leaf(Bvh4Kind::Triangle1),
        triangle: leaf(Bvh4Kind::Triangle0),
        procedural: leaf(Bvh4Kind::User),
        instance: top.instances.first().map_or(0, |instance| byte(instance.pointer)),
        last_box: byte(top.boxes.last().unwrap().pointer),
    }
}

/// The rules that a report names, each once.
fn broken(image: Image) -> Vec<&'static str> {
    let findings = match check(image) {
        Ok(sound) => sound.findings,
        Err(findings) => findings,
    };
    let mut rules: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// One change to a sound image.
type Break = fn(&mut Image, &Anatomy);

#[test]
fn rules_are_enforced() {
    let single_level: &[(Rule, Break)] = &[
        (Rule::Segment, |image, _| {
            let copy = machine::Segment::new(image.segments[0].address + 64, &[0; 64]);
            image.segments.push(copy);
        }),
        (Rule::Base, |image, _| {
            image.bases[0] += 32;
            image.bases[1] += 32;
        }),
        (Rule::Writer, |image, _| image.bases[2] = 9),
        (Rule::Root, |image, _| image.root = 0x4),
        (Rule::NodeType, |image, at| {
            let old = get(image, at.last_box);
            set(image, at.last_box, old & !7 | 3);
        }),
        (Rule::PointerRange, |image, at| set(image, at.last_box, 0x7FFF_FFF8)),
        (Rule::ReachedTwice, |image, at| {
            let again = get(image, at.base + 4);
            set(image, at.last_box, again);
        }),
        (Rule::AbsentTriangle, |image, at| {
            let word = get(image, at.pair + 60);
            set(image, at.pair + 60, word & 0xFF);
        }),
        (Rule::Sources, |image, at| {
            let word = get(image, at.triangle + 60);
            set(image, at.triangle + 60, word & !0xF | 0xB);
        }),
        (Rule::Winding, |image, at| {
            let word = get(image, at.triangle + 60);
            set(image, at.triangle + 60, word | 0x20);
        }),
        (Rule::Contained, |image, at| {
            let x = f32::from_bits(get(image, at.triangle));
            set(image, at.triangle, (x + 1000.0).to_bits());
        }),
        (Rule::VertexFinite, |image, at| set(image, at.triangle, f32::INFINITY.to_bits())),
        (Rule::ProceduralBox, |image, at| set(image, at.procedural, f32::INFINITY.to_bits())),
        (Rule::PlaneFinite, |image, at| set(image, at.last_box + 16, 0xFF80_0000)),
        (Rule::LooseBox, |image, at| set(image, at.last_box + 16, (-1e9f32).to_bits())),
        (Rule::Parent, |image, at| set(image, at.base - 12, 0x35)),
        (Rule::CullFlags, |image, at| {
            let flags = get(image, at.base + 112);
            set(image, at.base + 112, flags | 0x0F);
        }),
        (Rule::MissedCulling, |image, at| set(image, at.base + 112, 0)),
        (Rule::Opacity, |image, at| {
            let word = get(image, at.triangle + 60);
            set(image, at.triangle + 60, word ^ 0x80);
        }),
        (Rule::LostPrimitive, |image, at| {
            let word = get(image, at.triangle + 60);
            set(image, at.triangle + 60, word | 0x9900);
        }),
        (Rule::TriangleCount, |image, at| set(image, at.base + 116, 77)),
    ];
    let two_levels: &[(Rule, Break)] = &[
        (Rule::InstanceBase, |image, at| set(image, at.instance + 56, 0x7000_0000)),
        (Rule::InstanceBase, |image, at| {
            let base = get(image, at.instance + 56);
            set(image, at.instance + 56, base + 2);
        }),
        (Rule::Transform, |image, at| (0..4).for_each(|k| set(image, at.instance + 4 * k, 0))),
        (Rule::InstanceFlags, |image, at| {
            let high = get(image, at.instance + 60);
            let cull = u64::from(PointerFlags::CULL_OPAQUE.bits()) << 54;
            set(image, at.instance + 60, high | (cull >> 32) as u32);
        }),
        (Rule::InstanceFlags, |image, at| {
            let told = get(image, at.instance + 52);
            set(image, at.instance + 52, told ^ 1 << 25);
        }),
        (Rule::Sideband, |image, at| set(image, at.instance + 64, u32::MAX)),
    ];
    for (cases, tree) in [(single_level, mixed()), (two_levels, instanced())] {
        for (rule, change) in cases {
            let mut image = image(&tree, Generation::Gfx11, &Options::default());
            let at = anatomy(&image);
            assert_eq!(broken(image.clone()), [""; 0]);
            change(&mut image, &at);
            let rules = broken(image);
            assert!(rules.contains(&rule.name()), "{} gives {rules:?}", rule.name());
            let may_cascade = rule.severity() == Severity::Error
                || [Rule::VertexFinite, Rule::PlaneFinite, Rule::ProceduralBox].contains(rule);
            if !may_cascade {
                assert_eq!(rules, [rule.name()]);
            }
        }
    }
}

#[test]
fn gfx10_reads_no_flags() {
    let mut image = image(&mixed(), Generation::Gfx10, &Options::default());
    let at = anatomy(&image);
    set(&mut image, at.base + 112, 0x0F0F_0F0F);
    assert_eq!(broken(image), [""; 0]);
}

#[test]
fn a_header_of_another_writer_is_named() {
    for (policy, other) in [(Policy::Radv, 0), (Policy::Gpurt, 0), (Policy::Own, 2)] {
        let mut image = image(&mixed(), Generation::Gfx11, &Options::new(policy));
        image.bases[2] = other;
        assert!(broken(image).contains(&"writer"));
    }
}

/// A subtree that a race lost, with planes as of an unused slot: nothing points there any more.
#[test]
fn lost_primitives_are_named() {
    for generation in Generation::ALL {
        for policy in [Policy::Radv, Policy::Gpurt] {
            let sound =
                image(&mixed(), generation, &Options { half: false, ..Options::new(policy) });
            let memory = [sound.clone(), exported(&sound)];
            for mut image in memory {
                let before = broken(image.clone());
                assert!(!before.contains(&"lost_primitive"), "{policy:?} {before:?}");
                let node = anatomy(&image).last_box;
                let mut slots = (0..4).filter(|slot| get(&image, node + 4 * slot) != u32::MAX);
                let last = slots.next_back().unwrap();
                set(&mut image, node + 4 * last, u32::MAX);
                for plane in 0..6 {
                    set(&mut image, node + 16 + 24 * last + 4 * plane, f32::NAN.to_bits());
                }
                let rules = broken(image);
                assert!(rules.contains(&"lost_primitive"), "{generation:?} {policy:?} {rules:?}");
            }
        }
    }
}

/// An instance that no box leads to, though its node is there.
#[test]
fn lost_instances_are_named() {
    for generation in Generation::ALL {
        let mut image = radv(generation, &instanced());
        assert!(!broken(image.clone()).contains(&"lost_primitive"));
        let node = anatomy(&image).last_box;
        set(&mut image, node, u32::MAX);
        for plane in 0..6 {
            set(&mut image, node + 16 + 4 * plane, f32::NAN.to_bits());
        }
        assert!(broken(image).contains(&"lost_primitive"), "{generation:?}");
    }
}

/// The image of the file for the viewer.
fn exported(image: &Image) -> Image {
    let bytes = gfx10::rra::write(image).unwrap();
    gfx10::rra::read(image.format, &bytes, None).unwrap().image
}

#[test]
fn headers_that_lie_are_named() {
    let options = |policy| Options { half: false, ..Options::new(policy) };
    // Flags, bounds, counts.
    let cases = [
        (Policy::Radv, 4, 3),
        (Policy::Radv, 8, 0x7F00_0000),
        (Policy::Radv, 20, 1e9f32.to_bits()),
        (Policy::Radv, 92, 2),
        (Policy::Radv, 96, 0x40),
        (Policy::Radv, 104, 1),
        (Policy::Radv, 112, 5),
        (Policy::Radv, 128, 0),
        (Policy::Gpurt, 0, 0x0004_0000),
        (Policy::Gpurt, 12, 7),
        (Policy::Gpurt, 16, 3),
        (Policy::Gpurt, 24, 2),
        (Policy::Gpurt, 32, 0x1000),
        (Policy::Gpurt, 36, 0x80),
        (Policy::Gpurt, 48, 0),
        (Policy::Gpurt, 52, 9),
        (Policy::Gpurt, 56, 0),
        (Policy::Gpurt, 76, 0x7F00_0000),
        (Policy::Gpurt, 88, 1e9f32.to_bits()),
    ];
    for (policy, at, value) in cases {
        let mut image = image(&mixed(), Generation::Gfx11, &options(policy));
        assert_eq!(broken(image.clone()), [""; 0]);
        let base = anatomy(&image).base;
        let start = if policy == Policy::Gpurt { base } else { 0 };
        set(&mut image, start + at, value);
        assert_eq!(broken(image), ["driver_header"], "{policy:?} {at}");
    }
}

/// A size that was computed without some nodes.
#[test]
fn nodes_beyond_the_stated_size_are_named() {
    for generation in Generation::ALL {
        let mut image = radv(generation, &mixed());
        let header = RadvHeader::of_bytes(image.segments[0].bytes()).unwrap();
        let smaller = header.with_sizes(u64::from(header.bvh_offset) + 256, 0);
        let smaller = RadvHeader { update_dispatch: header.update_dispatch, ..smaller };
        smaller.encode().write_bytes(image.segments[0].bytes_mut());
        assert_eq!(broken(image.clone()), ["allocated_size"]);
        let more = header.with_sizes(header.compacted_size + 64, 0);
        let more = RadvHeader { update_dispatch: header.update_dispatch, ..more };
        more.encode().write_bytes(image.segments[0].bytes_mut());
        assert_eq!(broken(image), ["allocated_size"]);
    }
    let options = Options { half: false, ..Options::new(Policy::Gpurt) };
    let mut image = image(&mixed(), Generation::Gfx11, &options);
    let size = anatomy(&image).base + 8;
    set(&mut image, size, 0x400);
    assert_eq!(broken(image), ["allocated_size", "driver_header"]);
}

/// Of a box in halves, one unit in the last place is that of a half.
#[test]
fn what_rounding_explains_is_said_in_units_of_the_stored_planes() {
    let sound = image(&mixed(), Generation::Gfx10, &Options::new(Policy::Radv));
    let survey: Survey<Structure> = Survey::new(&sound);
    let mut halves = survey.structures[0].boxes.iter().map(|record| record.pointer);
    let half = halves.find(|pointer| pointer.kind() == Bvh4Kind::HalfBox).unwrap();
    // Max y and max z of slot 0; the upper half is y's or z's.
    let at = anatomy(&sound).base + half.byte_offset() as usize + 16 + 8;
    for (steps, rules) in [(1, ["contained_ulp"]), (4, ["contained"])] {
        let mut image = sound.clone();
        let word = get(&image, at);
        let max_z = (word >> 16) as u16;
        let inward = if max_z >> 15 == 0 { max_z - steps } else { max_z + steps };
        set(&mut image, at, word & 0xFFFF | u32::from(inward) << 16);
        assert_eq!(broken(image), rules);
    }
}

/// Pairs and single triangles are of one kind of geometry, which no box is.
#[test]
fn geometries_of_another_kind_are_named() {
    let [triangles, ..] = &scenes()[..] else { panic!("scenes") };
    for policy in [Policy::Radv, Policy::Gpurt] {
        let options = Options { half: false, ..Options::new(policy) };
        let mut image = image(triangles, Generation::Gfx10, &options);
        let kind = if policy == Policy::Radv { 88 } else { anatomy(&image).base + 28 };
        set(&mut image, kind, 1);
        assert_eq!(broken(image), ["driver_header"], "{policy:?}");
    }
}

/// Ids that no geometry has, or two primitives; a list that names another leaf.
#[test]
fn ids_and_lists_of_gpurts_are_held_to_its_counts() {
    for generation in Generation::ALL {
        let sound = image(&mixed(), generation, &Options::new(Policy::Gpurt));
        let at = anatomy(&sound);
        assert_eq!(broken(sound.clone()), [""; 0]);
        let list = at.base + get(&sound, at.base + 44) as usize;
        let infos = at.base + get(&sound, at.base + 40) as usize;
        let cases = [
            (at.triangle + 52, get(&sound, at.triangle + 52) + 1, "primitive_id"),
            (at.triangle + 52, 1 << 20, "lost_primitive"),
            (at.triangle + 48, get(&sound, at.triangle + 48) + 100, "driver_header"),
            (at.triangle + 48, get(&sound, at.triangle + 48) ^ 1 << 24, "opacity"),
            (list + 4, get(&sound, list + 400), "driver_header"),
            (list + 4, u32::MAX, "driver_header"),
            (infos, get(&sound, infos) + 1, "lost_primitive"),
            (infos, get(&sound, infos) - 1, "driver_header"),
        ];
        for (place, word, rule) in cases {
            let mut image = sound.clone();
            set(&mut image, place, word);
            let rules = broken(image);
            assert!(rules.contains(&rule), "{generation:?} {rule}: {rules:?}");
        }
    }
}

/// Memory of RADV's over triangles alone, all of it in full boxes.
fn radv(generation: Generation, tree: &Tree) -> Image {
    image(tree, generation, &Options { half: false, ..Options::new(Policy::Radv) })
}

/// The ids of a leaf are those of its place; its box is no wider than it.
#[test]
fn leaves_out_of_place_and_loose_boxes_are_named() {
    let [triangles, ..] = &scenes()[..] else { panic!("scenes") };
    for generation in Generation::ALL {
        let sound = radv(generation, triangles);
        let at = anatomy(&sound);
        assert_eq!(broken(sound.clone()), [""; 0]);
        let changed = |place: usize, word: u32| {
            let mut image = sound.clone();
            set(&mut image, place, word);
            broken(image)
        };
        let id = at.triangle + 48;
        assert_eq!(changed(id, get(&sound, id) + 1), ["primitive_id"]);
        let plane = at.last_box + 16 + 12;
        let wider = f32::from_bits(get(&sound, plane)) + 0.25;
        let rules = changed(plane, wider.to_bits());
        assert!(rules.contains(&"slack"), "{rules:?}");
    }
}

/// What an instance says of its structure: how far before the nodes its header is, and flags only
/// where there are some, as the driver's own; and it lies where the driver looks for it.
#[test]
fn stale_instances_are_named() {
    for generation in Generation::ALL {
        let sound = radv(generation, &instanced());
        let node = anatomy(&sound).instance;
        let before = broken(sound.clone());
        for (place, word, rule) in [
            (node + 68, get(&sound, node + 68) + 64, "driver_header"),
            (node + 4, get(&sound, node + 4) | 1 << 28, "instance_flags"),
            (node, get(&sound, node) + 2, "instance_base"),
            (node + 64, 29, "sideband"),
        ] {
            let mut image = sound.clone();
            set(&mut image, place, word);
            let rules = broken(image);
            assert!(rules.contains(&rule) && !before.contains(&rule), "{generation:?} {rules:?}");
        }
    }
}

/// Two instances that trade places, in RADV's order and in GPURT's list; and metadata that the
/// structure below does not have.
#[test]
fn instances_out_of_place_are_named() {
    for policy in [Policy::Radv, Policy::Gpurt] {
        let mut image = image(&instanced(), Generation::Gfx11, &Options::new(policy));
        let survey: Survey<Structure> = Survey::new(&image);
        let base = anatomy(&image).base;
        let nodes = survey.structures[0].instances.iter();
        let nodes: Vec<usize> =
            nodes.map(|it| base + it.pointer.byte_offset() as usize + 64).collect();
        let before = broken(image.clone());
        assert!(!before.contains(&"driver_header"), "{before:?}");
        let [a, b] = [nodes[2], nodes[7]].map(|at| get(&image, at));
        set(&mut image, nodes[2], b);
        set(&mut image, nodes[7], a);
        assert!(broken(image.clone()).contains(&"driver_header"), "{policy:?}");
        set(&mut image, nodes[2], a);
        set(&mut image, nodes[7], b);
        let place = nodes[2] + if policy == Policy::Radv { 4 } else { 8 };
        let word = get(&image, place);
        set(&mut image, place, word + 64);
        assert!(broken(image).contains(&"driver_header"), "{policy:?}");
    }
}
