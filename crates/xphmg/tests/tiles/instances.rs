//! Images of two levels.

use super::support::{checked, forest};
use geometry::random::Random;
use geometry::{Ray, Vec3};
use machine::{
    BlockImage, EntryState, Format, HitKind, Image, Machine, RayFlags, RayQuery, Severity,
    TreeFormat,
};
use std::sync::Arc;
use tree::Tree;
use xphmg::machines::{BruteForce, Offload, TilesImage};
use xphmg::readings::NodeLayout;
use xphmg::tiles::Rule;
use xphmg::tiles::contents::Contents;
use xphmg::tiles::describe::describe;
use xphmg::tiles::outline::outline;
use xphmg::{Precision, Tiles};

const FORMAT: Tiles = Tiles::new(Precision::Fp32);

fn formats() -> [Tiles; 4] {
    [
        FORMAT,
        Tiles { wide: true, ..FORMAT },
        Tiles { margin: false, ..FORMAT },
        Tiles { layout: NodeLayout::Literal88, ..FORMAT },
    ]
}

/// The triangles of each BLAS with their ids, in order.
fn geometry(tree: &Tree) -> Vec<Vec<(u32, u32, [u32; 9])>> {
    let list = |blas: &tree::Blas| {
        let ids = blas.primitives.ids.iter();
        let mut all: Vec<(u32, u32, [u32; 9])> = ids
            .zip(&blas.primitives.triangles)
            .map(|(id, triangle)| {
                let bits = triangle.vertices.map(|vertex| vertex.to_array().map(f32::to_bits));
                let corners = std::array::from_fn(|k| bits[k / 3][k % 3]);
                (id.geometry, id.primitive, corners)
            })
            .collect();
        all.sort_unstable();
        all
    };
    tree.blases.iter().map(list).collect()
}

#[test]
fn x65_an_instanced_scene_keeps_its_levels() {
    let source = forest();
    let instances = &source.tlas.as_ref().unwrap().instances;
    for format in formats() {
        let image = checked(&source, &format);
        let decoded = Tiles::decode(&image);
        assert_eq!(geometry(&decoded), geometry(&source), "{format:?}");
        let kept = &decoded.tlas.as_ref().unwrap().instances;
        assert_eq!(kept.len(), instances.len());
        for (ours, theirs) in kept.iter().zip(instances) {
            assert_eq!(ours.world_to_object, theirs.world_to_object);
            assert_eq!(ours.object_to_world, theirs.object_to_world);
            assert_eq!((ours.blas, ours.custom_index), (theirs.blas, theirs.custom_index));
        }
        assert_eq!(format.encode(&decoded).unwrap(), *image.image(), "{format:?}");
        assert!(image.facts().lossless && image.facts().finite);
        let flat = Tiles { flat: true, ..format }.encode(&source).unwrap();
        assert!(image.image().byte_count() < flat.byte_count(), "{format:?}");
        // Every structure is named once, and can be described; every node has a place.
        let outline = outline(image.image());
        assert_eq!(outline.total("instances"), instances.len() as u64);
        assert_eq!(outline.total("triangles") as usize, source.triangle_count());
        assert!(outline.entries.iter().all(|it| it.state != EntryState::Outside));
        for entry in outline.entries.iter().step_by(17) {
            let described = describe(image.image(), entry.node).unwrap();
            assert_eq!((described.kind, described.address), (entry.kind, entry.address));
        }
        let places = Tiles::node_places(&image).unwrap();
        let levels =
            decoded.blases.iter().map(|it| &it.bvh).chain(decoded.tlas.iter().map(|it| &it.bvh));
        for (places, bvh) in places.iter().zip(levels) {
            assert_eq!(places.len(), bvh.nodes().len());
        }
        let BlockImage { levels, items, .. } = Tiles::blocks(&image).unwrap();
        assert_eq!(levels.len(), decoded.blases.len() + 1);
        assert_eq!(items.len(), source.triangle_count() + instances.len());
    }
}

fn rays(bounds: &geometry::Aabb, count: usize) -> Vec<Ray> {
    let mut random = Random(77);
    let mut unit = || random.bits_below(1 << 24) as f32 / (1 << 24) as f32;
    let mut point = || bounds.min + (bounds.max - bounds.min) * Vec3::new(unit(), unit(), unit());
    (0..count)
        .map(|_| {
            let (from, to) = (point(), point());
            Ray::new(from, to - from).between(0.0, 1000.0)
        })
        .collect()
}

/// A job for each instance that the ray meets finds what brute force over all instances finds.
#[test]
fn x65_the_offload_enters_instances() {
    let source = forest();
    for format in formats() {
        let image = TilesImage::new(Arc::new(checked(&source, &format)));
        let (offload, truth) = (Offload::new(image.clone()), BruteForce::new(image.clone()));
        let (mut found, mut entered) = (0, 0);
        for (round, ray) in rays(&source.bounds(), 90).into_iter().enumerate() {
            let kind = HitKind::ALL[round % 3];
            let flags = if round % 4 == 0 { RayFlags::CULL_BACK } else { RayFlags::empty() };
            let query = RayQuery { flags, ..RayQuery::new(kind, ray) };
            let ours = offload.answer(&query.into()).unwrap();
            let theirs = truth.answer(&query.into()).unwrap().hits;
            if kind == HitKind::Any {
                assert_eq!(ours.hits.is_empty(), theirs.is_empty(), "{query:?}");
            } else {
                assert_eq!(ours.hits, theirs, "{query:?}");
            }
            found += theirs.len();
            entered += ours.counters.instances;
        }
        assert!(found > 60 && entered > 100, "{found} hits, {entered} instances");
    }
}

/// Narrow elements, and a format that asks for it, have one level.
#[test]
fn x66_narrow_elements_flatten() {
    let source = forest();
    let flat = Tiles { flat: true, ..FORMAT };
    for format in Precision::ALL[1..3].iter().map(|&it| Tiles::new(it)).chain([flat]) {
        assert!(!format.capabilities().instances);
        let image = checked(&source, &format);
        assert!(Tiles::decode(&image).tlas.is_none());
        assert!(Contents::new(image.image()).unwrap().header.flattened);
    }
    assert!(FORMAT.capabilities().instances);
}

#[test]
fn x65_every_rule_is_enforced_and_located() {
    let image = checked(&forest(), &FORMAT).image().clone();
    let contents = Contents::new(&image).unwrap();
    let at = |address| contents.offset(address) as usize;
    let instance = at(contents.range_address(contents.instance_index(1)));
    let blas = at(contents.blas_address(1));
    let blas_node = at(contents.level(2).node_address(0));
    let blas_range = at(contents.level(2).range_address(contents.level(2).first_range() as u32));
    // A leaf of the TLAS that is not child 3, which has its index elsewhere.
    let (nodes, width) = (contents.header.nodes, contents.shape.width() - 1);
    let slots = (0..nodes).flat_map(|node| (0..width).map(move |slot| (node, slot)));
    let mut leaves = slots.filter(|(node, slot)| contents.child(*node, *slot).kind.code() == 2);
    let (node, slot) = leaves.next().unwrap();
    let leaf = at(contents.node_address(node)) + contents.shape.index_offset(slot);
    let other = leaves.next().unwrap();
    let other = contents.child(other.0, other.1).index;
    let bounds = at(contents.node_address(node)) + contents.shape.element_offset(slot, 0);
    let word = |value: u32| value.to_le_bytes().to_vec();
    let changes: Vec<(Rule, usize, Vec<u8>, usize)> = vec![
        (Rule::Levels, 56, word(1), 60),
        (Rule::BlasRecord, blas, word(7), blas),
        (Rule::BlasRecord, blas + 16, word(u32::MAX), blas),
        (Rule::BlasRecord, blas + 8, word(0), blas),
        (Rule::InstanceIndex, leaf, word(other + 1), leaf),
        (Rule::ReachedTwice, leaf, word(other), leaf),
        (Rule::InstanceBlas, instance + 112, word(99), instance + 112),
        (Rule::InstanceBlas, instance + 120, word(64), instance + 112),
        (Rule::InstanceTransform, instance, vec![0; 48], instance),
        (Rule::InstanceTransform, instance + 60, word(2f32.to_bits()), instance),
        (Rule::NodeIndex, blas_node + 112, word(0xFF_FFFF), blas_node + 112),
        (Rule::RangeTriangles, blas_range, word(0), blas_range),
        (Rule::Contained, bounds, word(1000f32.to_bits()), bounds),
        (Rule::Orphan, at(contents.header.base) + 124, vec![0], instance - 128),
    ];
    for (rule, at, bytes, offset) in changes {
        let mut broken: Image = image.clone();
        broken.segments[0].bytes_mut()[at..at + bytes.len()].copy_from_slice(&bytes);
        let report = Tiles::check(broken);
        let found = report.findings.iter().find(|it| {
            it.rule == rule.name() && (it.offset == offset as u64 || rule == Rule::ReachedTwice)
        });
        let found = found.unwrap_or_else(|| panic!("{rule:?} at {offset}: {:?}", report.findings));
        assert_eq!(found.severity, rule.severity(), "{found}");
        assert_eq!(report.checked.is_none(), rule.severity() == Severity::Error, "{rule:?}");
    }
}
