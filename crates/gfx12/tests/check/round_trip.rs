//! Encode, check, decode, encode again.

use super::worlds::{KINDS, scene, tree};
use build::Preset;
use geometry::InstanceFlags;
use gfx12::decode::NodeBody;
use gfx12::encode::{Options, Policy, encode, encode_in_frames};
use gfx12::{Gfx12, check, decode};
use machine::{Checked, Fetches, TreeFormat};
use scene::builtin::Builtin;
use tree::{Blas, Tree};

type Fingerprint = (Vec<u32>, tree::PrimitiveId);

/// The primitives that the hierarchy refers to, each once, by their bits.
fn fingerprints(blas: &Blas) -> Vec<Fingerprint> {
    let mut referred: Vec<u32> = blas.bvh.indices().to_vec();
    referred.sort_unstable();
    referred.dedup();
    let primitives = &blas.primitives;
    let mut all: Vec<Fingerprint> = referred
        .into_iter()
        .map(|item| {
            let index = item as usize;
            let bits = match primitives.triangles.get(index) {
                Some(triangle) => triangle.to_bits().as_flattened().to_vec(),
                None => {
                    let bounds = primitives.boxes[index - primitives.triangles.len()];
                    [bounds.min.to_array(), bounds.max.to_array()]
                        .as_flattened()
                        .iter()
                        .map(|x| x.to_bits())
                        .collect()
                }
            };
            (bits, primitives.ids[index])
        })
        .collect();
    all.sort_by_key(|(bits, id)| (bits.clone(), id.geometry, id.primitive, id.flags.bits()));
    all.dedup(); // copies of a split triangle
    all
}

fn proved(tree: &Tree, options: &Options, may_warn: &[&str]) -> Checked<Gfx12> {
    let report = check::check(encode(tree, options).unwrap().image);
    let unexpected: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| !may_warn.contains(&finding.rule))
        .map(ToString::to_string)
        .collect();
    assert!(unexpected.is_empty(), "{options:?}: {unexpected:#?}");
    report.checked.expect("sound")
}

/// What is stored is what was given, to the bit, and encoding it again gives the same bytes.
fn round_trip(given: &Tree, options: &Options, may_warn: &[&str]) {
    let image = proved(given, options, may_warn);
    assert!(image.facts().lossless || !may_warn.is_empty());
    assert!(image.facts().parents && image.facts().finite);
    let decoded = image.tree();
    same_geometry(decoded, given);
    // What walks read is found without blocks, and is what the blocks say.
    let blocks = Gfx12::blocks(&image).unwrap();
    assert_eq!(Gfx12::fetches(&image), Fetches::of_blocks(decoded, &blocks));
    let (frames, decoded_options) = (decode::frames(&image), Options::decoded(options.policy));
    let again = encode_in_frames(decoded, &frames, &decoded_options).unwrap().image;
    assert_eq!(again.segments.len(), image.image().segments.len());
    for (again, first) in again.segments.iter().zip(&image.image().segments) {
        assert_eq!(again.address, first.address);
        let differs = again.bytes().iter().zip(first.bytes()).position(|(a, b)| a != b);
        assert_eq!((differs, again.bytes().len()), (None, first.bytes().len()), "{options:?}");
    }
    assert_eq!(&again, image.image());
}

fn same_geometry(decoded: &Tree, given: &Tree) {
    assert_eq!(decoded.blases.len(), given.blases.len());
    for (decoded, given) in decoded.blases.iter().zip(&given.blases) {
        assert_eq!(fingerprints(decoded), fingerprints(given));
    }
    match (&decoded.tlas, &given.tlas) {
        (Some(decoded), Some(given)) => {
            assert_eq!(decoded.instances.len(), given.instances.len());
            let mut referred = given.bvh.indices().to_vec();
            referred.sort_unstable();
            for item in referred {
                let (decoded, given) =
                    (decoded.instances[item as usize], given.instances[item as usize]);
                assert_eq!(decoded, given);
            }
        }
        (decoded, given) => assert_eq!(decoded.is_some(), given.is_some()),
    }
}

#[test]
fn random_scenes_come_back() {
    for seed in 0..8 {
        for kind in KINDS {
            for preset in [Preset::Fast, Preset::Balanced] {
                let tree = tree(&scene(kind, 100 + seed), preset);
                for policy in [Policy::Dense, Policy::Gpurt] {
                    round_trip(&tree, &Options::new(policy), &[]);
                }
            }
        }
    }
}

#[test]
fn builtin_scenes_come_back() {
    for builtin in [Builtin::Organic, Builtin::Interior, Builtin::Hairball, Builtin::Forest] {
        let tree = tree(&builtin.scene(3000), Preset::Balanced);
        for policy in [Policy::Dense, Policy::Gpurt] {
            round_trip(&tree, &Options::new(policy), &[]);
        }
    }
}

/// Spatial splits store a triangle in several leaves, whose boxes do not contain it.
#[test]
fn split_triangles_come_back() {
    for builtin in [Builtin::Hairball, Builtin::Interior] {
        let tree = tree(&builtin.scene(3000), Preset::Best);
        for policy in [Policy::Dense, Policy::Gpurt] {
            round_trip(&tree, &Options::new(policy), &["contained", "instance_box"]);
        }
    }
}

/// Oriented nodes, below a TLAS too.
#[test]
fn oriented_nodes_come_back() {
    for (builtin, triangles) in [(Builtin::Hairball, 4000), (Builtin::Forest, 3000)] {
        let tree = tree(&builtin.scene(triangles), Preset::Balanced);
        for policy in [Policy::Dense, Policy::Gpurt] {
            let options = Options { obb: true, ..Options::new(policy) };
            let image = encode(&tree, &options).unwrap().image;
            let oriented = decode::nodes(&image).filter(
                |node| matches!(&node.body, NodeBody::Box(node) if node.obb_matrix_index < 104),
            );
            assert!(oriented.count() > 10, "{builtin:?} {policy}");
            round_trip(&tree, &options, &[]);
        }
    }
}

/// RADV's planes lose slivers and do not survive a second rounding; its geometry is exact.
#[test]
fn radv_images_are_sound() {
    for seed in 0..8 {
        for kind in KINDS {
            let tree = tree(&scene(kind, 100 + seed), Preset::Balanced);
            let known = ["contained_ulp", "instance_box", "shared_pair"];
            let image = proved(&tree, &Options::new(Policy::Radv), &known);
            assert!(image.facts().parents && image.facts().finite);
            same_geometry(image.tree(), &as_radv_has_it(tree));
        }
    }
}

/// RADV switches face culling off where there is no face, and does not keep what was wanted.
fn as_radv_has_it(mut tree: Tree) -> Tree {
    for instance in tree.tlas.iter_mut().flat_map(|tlas| &mut tlas.instances) {
        if tree.blases[instance.blas as usize].primitives.triangles.is_empty() {
            instance.flags.remove(InstanceFlags::DISABLE_FACE_CULL);
        }
    }
    tree
}
