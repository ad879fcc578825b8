//! Rules that bugs of drivers ask for: what a header counts and states, boxes that fit, flags that
//! could be set.

use super::edit::{boxes, edit_bits, edit_box, instances, primitive_nodes};
use super::rules::{breaks, encoded, starts_with_leaf};
use build::Preset;
use gfx12::check::{Rule, check};
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BOX_TYPE, BoxNode, ChildEntry, CullFlags, HiprtGeometry, RadvHeader};
use machine::Image;
use scene::builtin::Builtin;

fn triangles() -> Image {
    encoded("triangles", Policy::Radv)
}

fn organic() -> Image {
    let tree = super::worlds::tree(&Builtin::Organic.scene(2_000), Preset::Balanced);
    encode(&tree, &Options::new(Policy::Radv)).unwrap().image
}

#[test]
fn lost_primitives() {
    for policy in [Policy::Radv, Policy::Gpurt] {
        let dragged = [Rule::Slack, Rule::MissedCulling, Rule::DriverHeader];
        breaks(Rule::LostPrimitive, &dragged, encoded("triangles", policy), |image| {
            let has_more = |node: &BoxNode| starts_with_leaf(node) && node.child_count > 2;
            edit_box(image, 0, has_more, |node| {
                node.child_count -= 1;
                node.children[usize::from(node.child_count)] = ChildEntry::UNUSED;
            });
        });
        let dragged = [Rule::MissedCulling, Rule::DriverHeader];
        breaks(Rule::LostPrimitive, &dragged, encoded("instanced", policy), |image| {
            edit_box(
                image,
                0,
                |node| node.child_count > 2,
                |node| {
                    node.child_count -= 1;
                    node.children[usize::from(node.child_count)] = ChildEntry::UNUSED;
                },
            );
        });
    }
}

#[test]
fn counts_of_children() {
    breaks(Rule::ChildCount, &[], triangles(), |image| {
        edit_box(image, 0, |_| true, |node| node.spare = true);
    });
    // An empty structure has the count, over slots that no ray enters.
    assert_eq!(check(encoded("empty", Policy::Radv)).findings, []);
}

#[test]
fn sizes() {
    for policy in [Policy::Radv, Policy::Hiprt] {
        breaks(Rule::AllocatedSize, &[], encoded("triangles", policy), |image| {
            let size = HiprtGeometry::size.bits().start as usize;
            edit_bits(image, 0, |bits| match policy {
                Policy::Radv => {
                    let bytes = bits.to_bytes();
                    let mut whole = [0; 136];
                    whole[..128].copy_from_slice(&bytes);
                    let header = RadvHeader::decode(&machine::bits::Bits::from_bytes(&whole));
                    let smaller = header.with_sizes(header.compacted_size - 128, 1_000).encode();
                    (0..32).for_each(|word| bits.set_word(word, smaller.word(word)));
                }
                _ => bits.set(size..size + 32, bits.get(size..size + 32) - 128),
            });
        });
    }
}

/// Words of a header that the rest of it, or the nodes, contradict: the kind of geometry and their
/// count, the place of the leaves, instances, the level; threads of an update, where there can be
/// one.
#[test]
fn what_a_header_must_not_say() {
    let cases = [
        ("triangles", 88, 1),
        ("triangles", 92, 0),
        ("triangles", 96, 0x40),
        ("triangles", 112, 5),
        ("triangles", 120, 0xA4),
        ("triangles", 128, 0),
        ("triangles", 144, 1),
        ("instanced", 92, 2),
        ("instanced", 104, 12),
        ("instanced", 112, 1),
    ];
    for (kind, at, value) in cases {
        let dragged = [Rule::LostPrimitive];
        breaks(Rule::DriverHeader, &dragged, encoded(kind, Policy::Radv), |image| {
            set_word(image, at, value);
        });
    }
    let tree = super::worlds::tree(&Builtin::Organic.scene(500), Preset::Balanced);
    let options = Options { updatable: true, ..Options::new(Policy::Radv) };
    let updatable = encode(&tree, &options).unwrap().image;
    breaks(Rule::DriverHeader, &[], updatable, |image| set_word(image, 32, 8));
}

/// Words of GPURT's header, of its infos and of its list: bounds, counts, the kind of geometry,
/// and the pair of a primitive.
#[test]
fn what_gpurts_header_must_not_say() {
    let image = || encoded("triangles", Policy::Gpurt);
    let word =
        |at: usize| u32::from_le_bytes(image().segments[0].bytes()[at..at + 4].try_into().unwrap());
    let list = word(44) as usize;
    let cases = [
        (Rule::DriverHeader, 76, 0.5f32.to_bits()),
        (Rule::DriverHeader, 96, 1e9f32.to_bits()),
        (Rule::DriverHeader, 28, 1),
        (Rule::HeaderCount, 16, 3),
        (Rule::HeaderCount, 24, 1),
        (Rule::HeaderCount, 52, 1),
        (Rule::AllocatedSize, 8, 0x400),
        (Rule::PrimitivePointer, list, word(list + 40)),
        (Rule::PrimitivePointer, list, u32::MAX),
    ];
    for (rule, at, value) in cases {
        let dragged = [Rule::LostPrimitive, Rule::HeaderCount];
        breaks(rule, &dragged, image(), |image| set_word(image, at, value));
    }
}

/// What GPURT keeps beside instances: flags, the metadata of their structures, their places in the
/// list.
#[test]
fn what_gpurt_keeps_of_instances() {
    let image = || encoded("instanced", Policy::Gpurt);
    let word =
        |at: usize| u32::from_le_bytes(image().segments[0].bytes()[at..at + 4].try_into().unwrap());
    let [sidebands, list] = [word(40), word(44)].map(|at| at as usize);
    breaks(Rule::Sideband, &[], image(), |image| {
        set_word(image, sidebands + 4, word(sidebands + 4) ^ 4 << 24);
    });
    breaks(Rule::Sideband, &[], image(), |image| {
        set_word(image, sidebands + 8, word(sidebands + 8) + 128);
    });
    breaks(Rule::PrimitivePointer, &[], image(), |image| {
        set_word(image, list, word(list + 8));
    });
}

/// One triangle that is not as opaque as its geometry.
#[test]
fn geometries_of_two_opacities() {
    let dragged = [Rule::CullFlags, Rule::MissedCulling, Rule::DriverHeader];
    breaks(Rule::Opacity, &dragged, organic(), |image| {
        let (address, _) = primitive_nodes(image, 0)[0];
        edit_bits(image, address, |bits| bits.set(1011..1012, 1 - bits.get(1011..1012)));
    });
}

/// Behind the nodes of instances is where the headers and leaves of their structures are, before
/// those of a TLAS where the nodes of instances are.
#[test]
fn what_is_kept_of_instances() {
    let image = || encoded("instanced", Policy::Radv);
    let behind = instances(&image())[0].0 as usize + 128;
    for at in [56, 60].map(|at| behind + at) {
        breaks(Rule::DriverHeader, &[], image(), |image| set_word(image, at, 0x40));
    }
    let word = |at: usize| {
        let image = image();
        u32::from_le_bytes(image.segments[0].bytes()[at..at + 4].try_into().unwrap())
    };
    let list = word(120) as usize;
    breaks(Rule::DriverHeader, &[], image(), |image| set_word(image, list, word(list) + 256));
}

/// A range that goes on where RADV's ends.
#[test]
fn ranges_of_several_pairs() {
    breaks(Rule::LongRange, &[Rule::Contained, Rule::SharedPair], organic(), |image| {
        let nodes = primitive_nodes(image, 0);
        let (address, _) = nodes.iter().find(|(_, node)| node.pair_count() > 1).unwrap();
        edit_bits(image, *address, |bits| bits.set(995..996, 0));
    });
}

fn set_word(image: &mut Image, at: usize, value: u32) {
    image.segments[0].bytes_mut()[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// A whole quantum away, or farther: a face that touches nothing.
#[test]
fn loose_faces() {
    breaks(Rule::Slack, &[], organic(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| {
            node.children[0].min = node.children[0].min.map(|code| code.saturating_sub(3));
            node.children[0].max = node.children[0].max.map(|code| (code + 3).min(0xFFF));
        });
    });
}

#[test]
fn flags_that_could_be_set() {
    breaks(Rule::MissedCulling, &[], encoded("triangles", Policy::Gpurt), |image| {
        edit_box(image, 0, starts_with_leaf, |node| {
            node.children[0].cull_flags = CullFlags::empty();
        });
    });
    breaks(Rule::MissedCulling, &[], encoded("instanced", Policy::Radv), |image| {
        edit_box(
            image,
            0,
            |node| node.children[0].mask != 0xFF,
            |node| {
                node.children[0].mask = 0xFF;
            },
        );
    });
    // The header's own.
    breaks(Rule::MissedCulling, &[], organic(), |image| {
        edit_bits(image, 0, |bits| bits.set_word(1, 0));
    });
}

/// The worst box comes first, wherever it lies, with its distance in quanta.
#[test]
fn the_farthest_outside_comes_first() {
    let mut image = organic();
    let leaves = boxes(&image, 0).into_iter().filter(|(.., node)| starts_with_leaf(node));
    for (rank, (address, _, mut node)) in leaves.take(5).enumerate() {
        let child = &mut node.children[0];
        child.max[0] -= (rank as u16 + 1).min(child.max[0] - child.min[0]);
        edit_bits(&mut image, address, |bits| *bits = node.encode());
    }
    let findings = check(image).findings;
    let outside: Vec<f64> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::Contained.name())
        .map(|finding| {
            let far = finding.found.split(", ").last().unwrap();
            far.split(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    assert!(outside.len() > 3, "{findings:#?}");
    assert!(outside.is_sorted_by(|a, b| a >= b), "{outside:?}");
    assert!(outside[0] > 2.0 && outside[0] < 6.0, "{outside:?}");
}

/// RADV rounds to nearest: its boxes may miss by one unit in the last place, which is a class of
/// its own.
#[test]
fn rounding_is_told_from_losses() {
    let tree = super::worlds::tree(&Builtin::Interior.scene(3_000), Preset::Balanced);
    breaks(Rule::ContainedUlp, &[Rule::SharedPair], encoded("empty", Policy::Radv), |image| {
        *image = encode(&tree, &Options::new(Policy::Radv)).unwrap().image;
    });
    let report = check(encode(&tree, &Options::new(Policy::Radv)).unwrap().image);
    assert!(!report.checked.unwrap().facts().lossless);
    assert!(boxes(&organic(), 0)[0].2.children[0].node_type == BOX_TYPE);
}
