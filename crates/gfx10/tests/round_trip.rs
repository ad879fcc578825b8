//! Tree → image → tree → image.

use crate::support::{check, image, layouts};
use geometry::{Aabb, Vec3};
use gfx10::encode::{Options, Policy, encode};
use gfx10::{Generation, Writer};
use std::collections::BTreeMap;
use testkit::worlds::{instanced, mixed, scenes};
use tree::{Blas, PrimitiveFlags, PrimitiveId};

/// Corners and flags by geometry and primitive id.
type Stored = BTreeMap<(u32, u32), (Vec<[u32; 3]>, PrimitiveFlags)>;

/// All triangles that are referred to, each once.
fn triangles(blas: &Blas) -> Stored {
    let bits = |v: Vec3| v.to_array().map(f32::to_bits);
    let items = blas.bvh.indices().iter().map(|&item| item as usize);
    items
        .filter_map(|item| {
            let PrimitiveId { geometry, primitive, flags } = blas.primitives.ids[item];
            let triangle = blas.primitives.triangles.get(item)?;
            Some(((geometry, primitive), (triangle.vertices.map(bits).to_vec(), flags)))
        })
        .collect()
}

fn boxes(blas: &Blas) -> BTreeMap<(u32, u32), Aabb> {
    let items = blas.bvh.indices().iter().map(|&item| item as usize);
    items
        .filter(|&item| blas.primitives.triangles.get(item).is_none())
        .map(|item| {
            let id = blas.primitives.ids[item];
            ((id.geometry, id.primitive), blas.primitives.bounds(item))
        })
        .collect()
}

#[test]
fn images_of_images_are_equal_and_nothing_is_lost() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    for tree in &trees {
        for (generation, options) in layouts() {
            let first = image(tree, generation, &options);
            let sound = check(first.clone()).unwrap_or_else(|found| panic!("{found:?}"));
            // A part of a split triangle lies in the box of that part.
            let odd: Vec<_> = sound.findings.iter().filter(|it| it.rule != "contained").collect();
            assert!(odd.is_empty(), "{generation:?} {options:?} {odd:?}");
            assert!(sound.facts.parents && sound.facts.finite);
            let decoded = &sound.tree;
            for (given, stored) in tree.blases.iter().zip(&decoded.blases) {
                assert_eq!(triangles(given), triangles(stored));
                for ((id, given), (stored_id, stored)) in boxes(given).iter().zip(boxes(stored)) {
                    // RADV keeps the planes above a procedural only, which may be wider.
                    assert_eq!(*id, stored_id);
                    let is_radv = options.policy == Policy::Radv;
                    assert!(if is_radv { stored.contains(given) } else { stored == *given });
                }
            }
            if let (Some(given), Some(stored)) = (&tree.tlas, &decoded.tlas) {
                for (given, stored) in given.instances.iter().zip(&stored.instances) {
                    let own = tree::Instance { flags: stored.flags, ..*given };
                    assert_eq!(own, *stored);
                    assert!(stored.flags.contains(given.flags));
                }
            }
            let again = Options::decoded(options.policy, options.half);
            let second = image(decoded, generation, &again);
            assert_eq!(first.root, second.root);
            for (number, (first, second)) in first.segments.iter().zip(&second.segments).enumerate()
            {
                let (a, b) = (first.bytes(), second.bytes());
                let differ: Vec<usize> =
                    (0..a.len().min(b.len())).filter(|&at| a[at] != b[at]).collect();
                let shown = &differ[..differ.len().min(8)];
                assert!(
                    first == second,
                    "{generation:?} {options:?} segment {number}: {} and {} bytes, {shown:x?}",
                    a.len(),
                    b.len()
                );
            }
        }
    }
}

#[test]
fn policies_name_their_writers() {
    for (policy, writer) in
        [(Policy::Own, Writer::Own), (Policy::Radv, Writer::Radv), (Policy::Gpurt, Writer::Gpurt)]
    {
        let mut image = image(&mixed(), Generation::Gfx11, &Options::new(policy));
        assert_eq!(image.bases[2], writer.code());
        // What stands before the nodes shows it as well.
        image.bases.truncate(2);
        assert!(check(image).unwrap().findings.iter().all(|found| found.rule != "writer"));
    }
}

#[test]
fn halves_make_images_smaller() {
    let tree = &scenes()[0];
    let bytes = |half| {
        let options = Options { half, ..Options::new(Policy::Own) };
        encode(tree, Generation::Gfx10, &options).unwrap().byte_count()
    };
    assert!(bytes(true) < bytes(false), "{} and {}", bytes(true), bytes(false));
}
