//! The machines against the oracle, on the geometry of the image.

use crate::support::{check, image};
use geometry::TriangleRule;
use gfx10::Generation;
use gfx10::encode::{Options, Policy};
use gfx10::walk::Loop;
use machine::{HitKind, Oracle, RayQuery};
use testkit::walks::{agrees, answer};
use testkit::worlds::{instanced, mixed, rays, scenes};

/// The machine of a name, the generation it is for, and the policy it likes.
fn kinds() -> Vec<(Loop, Generation, Policy)> {
    let of = |kind: Loop| {
        let is_10 = kind.name.starts_with("gfx10");
        let generation = if is_10 { Generation::Gfx10 } else { Generation::Gfx11 };
        let policies: &[Policy] =
            if kind.name.contains("radv") { &[Policy::Radv] } else { &Policy::ALL };
        policies.iter().map(move |&policy| (kind, generation, policy)).collect::<Vec<_>>()
    };
    Loop::ALL.into_iter().flat_map(of).collect()
}

#[test]
fn repaired_loops_agree_with_the_oracle_for_every_stack_size() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    let mut hits = 0;
    for (number, tree) in trees.iter().enumerate() {
        for (kind, generation, policy) in kinds() {
            if kind.name.ends_with("literal") {
                continue;
            }
            for half in [false, true] {
                let options = Options { half, margin: true, ..Options::new(policy) };
                let image = check(image(tree, generation, &options)).ok().unwrap();
                for rule in TriangleRule::ALL {
                    if rule == TriangleRule::MollerTrumbore && !image.facts.lossless {
                        continue; // its hits may lie outside the parts of a split triangle
                    }
                    let oracle = Oracle::new(&*image.tree, rule);
                    let sizes: &[u8] =
                        if generation == Generation::Gfx10 { &[2, 4, 16] } else { &[8, 16] };
                    for &size in sizes {
                        let machine = image.machine(kind, rule, size).unwrap();
                        for query in rays(&image.tree.bounds(), 11 + number as u64, 60) {
                            let got = answer(&*machine, &query);
                            hits += got.len();
                            assert!(
                                agrees(&oracle, &query, &got),
                                "tree {number}, {}, {}, half {half}, {rule}, {size} entries: \
                                 {query:?} gives {got:?}",
                                kind.name,
                                policy.name(),
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(hits > 5_000, "{hits}");
}

/// A loop as shipped may lose hits, and never makes one up.
#[test]
fn literal_loops_only_lose() {
    for tree in scenes() {
        for (kind, generation, policy) in kinds() {
            if !kind.name.ends_with("literal") {
                continue;
            }
            let options = Options { margin: true, ..Options::new(policy) };
            let image = check(image(&tree, generation, &options)).ok().unwrap();
            let rule = TriangleRule::Watertight;
            let oracle = Oracle::new(&*image.tree, rule);
            let machine = image.machine(kind, rule, 8).unwrap();
            for query in rays(&image.tree.bounds(), 3, 100) {
                let all = answer(&oracle, &RayQuery { kind: HitKind::All, ..query });
                assert!(answer(&*machine, &query).iter().all(|hit| all.contains(hit)));
            }
        }
    }
}

#[test]
fn what_cannot_be_walked_is_refused() {
    let of_name = |name| Loop::of_name(name).unwrap();
    let rule = TriangleRule::Watertight;
    let own = image(&scenes()[0], Generation::Gfx11, &Options::default());
    let own = check(own).ok().unwrap();
    let error = own.machine(of_name("gfx11-radv"), rule, 16).err().unwrap().to_string();
    assert!(error.contains("holds a pair"), "{error}");
    let error = own.machine(of_name("gfx11-gpurt"), rule, 7).err().unwrap().to_string();
    assert!(error.contains("8, 16, 32 or 64"), "{error}");
    let mut broken = image(&scenes()[0], Generation::Gfx11, &Options::default());
    let at = (broken.bases[0] - broken.segments[0].address) as usize - 12;
    broken.segments[0].bytes_mut()[at] ^= 1;
    let broken = check(broken).ok().unwrap();
    assert!(broken.findings.iter().any(|found| found.rule == "parent"));
    let error = broken.machine(of_name("gfx11-gpurt"), rule, 16).err().unwrap().to_string();
    assert!(error.contains("parents disagree"), "{error}");
}
