//! Each rule of the check broken once, and by nothing else.

use gfx12::bvh4x2::check::{check, check_resource};
use gfx12::bvh4x2::encode::encode;
use gfx12::bvh4x2::survey::Survey;
use gfx12::bvh4x2::{BoxPrecision, Options, Rule};
use gfx12::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use gfx12::layout::{PointerFlags, Resource, SortHeuristic};
use machine::{Image, Severity};
use testkit::damage::{get, set};
use testkit::worlds::{instanced, mixed};

fn image(is_instanced: bool, precision: BoxPrecision) -> Image {
    let tree = if is_instanced { instanced() } else { mixed() };
    encode(&tree, &Options::new(precision)).unwrap()
}

/// A single level of fp32 boxes.
fn single() -> Image {
    image(false, BoxPrecision::Fp32)
}

/// Where things lie in the first segment.
struct Anatomy {
    base: usize,
    boxes: Vec<Bvh4Pointer>,
    pair: usize,
    triangle: usize,
    procedural: usize,
    instance: usize,
    /// A box above leaves only, and a slot of it.
    last_box: usize,
}

fn anatomy(image: &Image) -> Anatomy {
    let base = (image.bases[0] - image.segments[0].address) as usize;
    let survey = Survey::new(image);
    let tlas = &survey.structures[0];
    let byte = |pointer: Bvh4Pointer| base + pointer.byte_offset() as usize;
    let leaf = |wanted: &dyn Fn(Bvh4Pointer, u32) -> bool| {
        let found = tlas.leaves.iter().find(|leaf| {
            let at = byte(leaf.pointer) + 60;
            let id_word = &image.segments[0].bytes()[at..at + 4];
            wanted(leaf.pointer, u32::from_le_bytes(id_word.try_into().unwrap()))
        });
        found.map_or(0, |leaf| byte(leaf.pointer))
    };
    Anatomy {
        base,
        boxes: tlas.boxes.iter().map(|record| record.pointer).collect(),
        pair: leaf(&|pointer, _| pointer.kind() == Bvh4Kind::Triangle1),
        triangle: leaf(&|pointer, word| pointer.kind() == Bvh4Kind::Triangle0 && word & 0x40 == 0),
        procedural: leaf(&|_, word| word & 0x40 != 0),
        instance: tlas.instances.first().map_or(0, |instance| byte(instance.pointer)),
        last_box: byte(tlas.boxes.last().unwrap().pointer),
    }
}

/// The rules that a report names, each once.
fn broken(image: Image) -> Vec<&'static str> {
    let report = check(image);
    let mut rules: Vec<_> = report.findings.iter().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    assert_eq!(report.checked.is_some(), report.is_sound());
    rules
}

#[test]
fn what_siliray_writes_keeps_every_rule() {
    for precision in [BoxPrecision::Fp32, BoxPrecision::High] {
        for is_instanced in [false, true] {
            assert_eq!(broken(image(is_instanced, precision)), [""; 0]);
        }
    }
}

/// One change to a sound image.
type Break = fn(&mut Image, &Anatomy);

#[test]
fn every_rule_is_enforced() {
    let single_level: &[(Rule, Break)] = &[
        (Rule::Segment, |image, _| {
            let copy = machine::Segment::new(image.segments[0].address + 64, &[0; 64]);
            image.segments.push(copy);
        }),
        (Rule::Base, |image, _| image.bases[1] += 64),
        (Rule::Root, |image, _| image.root = 0x8),
        (Rule::NodeType, |image, at| {
            let old = get(image, at.last_box);
            set(image, at.last_box, old & !7 | 3);
        }),
        (Rule::PointerRange, |image, at| set(image, at.last_box, 0x7FFF_FFF8)),
        (Rule::ReachedTwice, |image, at| {
            // The second child of the root again, in place of a leaf.
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
        (Rule::ProceduralPair, |image, at| {
            let word = get(image, at.pair + 60);
            set(image, at.pair + 60, word | 0x4000);
        }),
        (Rule::Contained, |image, at| {
            let x = f32::from_bits(get(image, at.triangle));
            set(image, at.triangle, (x - 90.0).to_bits());
        }),
        (Rule::ContainedUlp, |image, at| {
            let child = Bvh4Pointer(get(image, at.last_box));
            let node = at.base + child.byte_offset() as usize;
            let x = |corner: usize| f32::from_bits(get(image, node + 12 * corner));
            let low = (0..3).map(x).fold(f32::INFINITY, f32::min);
            set(image, at.last_box + 16, low.next_up().to_bits());
        }),
        (Rule::Parent, |image, at| {
            let word = get(image, at.base - 12);
            set(image, at.base - 12, word ^ 0x10);
        }),
        (Rule::LooseBox, |image, at| set(image, at.last_box + 16, (-1e9f32).to_bits())),
        (Rule::PlaneFinite, |image, at| set(image, at.last_box + 16, f32::NEG_INFINITY.to_bits())),
        (Rule::VertexFinite, |image, at| set(image, at.triangle + 4, f32::NAN.to_bits())),
        (Rule::ProceduralBox, |image, at| {
            let max = get(image, at.procedural + 12);
            let min = get(image, at.procedural);
            set(image, at.procedural, max);
            set(image, at.procedural + 12, min);
        }),
        (Rule::Winding, |image, at| {
            let word = get(image, at.triangle + 60);
            set(image, at.triangle + 60, word | 0x20);
        }),
        (Rule::CullFlags, |image, at| {
            let flags = get(image, at.last_box + 112);
            set(image, at.last_box + 112, flags | 0xF);
        }),
        (Rule::TriangleCount, |image, at| {
            let count = get(image, at.base + 116);
            set(image, at.base + 116, count + 1);
        }),
    ];
    let two_levels: &[(Rule, Break)] = &[
        (Rule::InstanceBase, |image, at| set(image, at.instance + 48, 0x7000_0000)),
        (Rule::Transform, |image, at| (0..4).for_each(|k| set(image, at.instance + 4 * k, 0))),
        (Rule::InstanceFlags, |image, at| {
            let high = get(image, at.instance + 52);
            let cull = u64::from(PointerFlags::CULL_OPAQUE.bits()) << 54;
            set(image, at.instance + 52, high | (cull >> 32) as u32);
        }),
        (Rule::Sideband, |image, at| set(image, at.instance + 64, u32::MAX)),
    ];
    let mut seen = Vec::new();
    for (cases, is_instanced) in [(single_level, false), (two_levels, true)] {
        for (rule, change) in cases {
            let mut image = image(is_instanced, BoxPrecision::Fp32);
            let at = anatomy(&image);
            change(&mut image, &at);
            let rules = broken(image);
            assert!(rules.contains(&rule.name()), "{} gives {rules:?}", rule.name());
            if !may_cascade(*rule) {
                assert_eq!(rules, [rule.name()]);
            }
            seen.push(*rule);
        }
    }
    // The rest have tests of their own below.
    let own = [
        Rule::MixedLevel,
        Rule::NestedInstance,
        Rule::Resource,
        Rule::UnusedSlot,
        Rule::Opacity,
        Rule::LostPrimitive,
        Rule::PrimitiveId,
    ];
    let of_older_parts = [
        Rule::Writer,
        Rule::CullFlagDword,
        Rule::DriverHeader,
        Rule::AllocatedSize,
        Rule::StackBase,
        Rule::MissedCulling,
        Rule::Slack,
    ];
    let all = Rule::ALL.iter().filter(|it| !own.contains(it) && !of_older_parts.contains(it));
    assert!(all.clone().all(|rule| seen.contains(rule)));
}

/// What is cut off leaves counts, parents and containment behind.
fn may_cascade(rule: Rule) -> bool {
    rule.severity() == Severity::Error
        || rule == Rule::VertexFinite
        || rule == Rule::PlaneFinite
        || rule == Rule::ProceduralBox
}

#[test]
fn instances_stay_at_the_top_and_primitives_below() {
    let image = image(true, BoxPrecision::Fp32);
    let at = anatomy(&image);
    // A leaf slot of the TLAS that names a "triangle" where an instance lies.
    let mut mixed = image.clone();
    let old = get(&mixed, at.last_box + 4);
    assert_eq!(old & 7, 6);
    set(&mut mixed, at.last_box + 4, old & !7);
    assert!(broken(mixed).contains(&"mixed_level"));
    // An instance of the TLAS itself.
    let mut nested = image.clone();
    set(&mut nested, at.instance + 48, (image.bases[0] >> 3) as u32);
    let rules = broken(nested);
    assert!(rules.contains(&"root"), "its units are taken: {rules:?}");
    // An instance below an instance: a BLAS whose first leaf pointer becomes type 6.
    let mut below = image;
    let survey = Survey::new(&below);
    let blas = &survey.structures[1];
    let segment =
        below.segments.iter().position(|s| s.get(blas.structure.base, 1).is_some()).unwrap();
    let start = (blas.structure.base - below.segments[segment].address) as usize;
    let last = start + blas.boxes.last().unwrap().pointer.byte_offset() as usize;
    let pointer = &mut below.segments[segment].bytes_mut()[last];
    *pointer = *pointer & !7 | 6;
    assert!(broken(below).contains(&"nested_instance"));
}

#[test]
fn unused_slots_are_inert_in_both_formats() {
    for precision in [BoxPrecision::Fp32, BoxPrecision::High] {
        let mut image = image(false, precision);
        let at = anatomy(&image);
        let survey = Survey::new(&image);
        let record = survey.structures[0].boxes.iter().find(|record| record.child_count < 4);
        let node = at.base + record.unwrap().pointer.byte_offset() as usize;
        // A plane of slot 3.
        let byte = if precision == BoxPrecision::Fp32 { node + 92 } else { node + 60 };
        image.segments[0].bytes_mut()[byte] ^= 1;
        assert_eq!(broken(image), ["unused_slot"]);
    }
    assert!(anatomy(&single()).boxes.len() > 10);
}

#[test]
fn a_compressed_resource_is_an_error() {
    let dual = Resource::dual(SortHeuristic::Closest, 6, false);
    assert_eq!(check_resource(&dual), None);
    let finding = check_resource(&Resource { compressed_format: true, ..dual }).unwrap();
    assert_eq!((finding.severity, finding.bits), (Severity::Error, 115..116));
    let both =
        check_resource(&Resource { compressed_format: true, box_node_64b: true, ..dual }).unwrap();
    assert_eq!(both.bits, 115..117);
}

#[test]
fn findings_are_located() {
    let mut image = single();
    let at = anatomy(&image);
    let count = get(&image, at.base + 116);
    set(&mut image, at.base + 116, count + 7);
    let report = check(image);
    assert_eq!(
        report.findings[0].to_string(),
        format!(
            "warning[triangle_count] at byte {:#x}, bits 928..960: box 0x5: found {}, expected \
             {count}",
            at.base,
            count + 7
        )
    );
}

/// A pair of which one triangle is named, an id that two have, and another opacity.
#[test]
fn what_ids_tell_is_there() {
    let sound = single();
    let at = anatomy(&sound);
    let cases = [
        (Rule::LostPrimitive, 60, get(&sound, at.triangle + 60) | 0x0900),
        (Rule::PrimitiveId, 48, get(&sound, at.triangle + 48) + 1),
        (Rule::Opacity, 60, get(&sound, at.triangle + 60) ^ 0x80),
    ];
    for (rule, place, word) in cases {
        let mut image = sound.clone();
        set(&mut image, at.triangle + place, word);
        let rules = broken(image);
        assert!(rules.contains(&rule.name()), "{} gives {rules:?}", rule.name());
    }
}
