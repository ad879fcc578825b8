//! TLASes: every instance has its nodes, inside its boxes, with what its structure needs.

use super::reader::{self, FoundInstance};
use super::trees::blas;
use geometry::{Aabb, InstanceFlags, Transform, Vec3};
use gfx12::decode::Structure;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::PointerFlags;
use proptest::prelude::*;
use tree::{Blas, Bvh, Instance, Node, NodeLink, Tlas, Tree};

fn instance() -> impl Strategy<Value = Instance> {
    let rows = prop::array::uniform3(prop::array::uniform4(-2.0f32..2.0));
    let numbers = [0u32..1 << 24, 0u32..1 << 24];
    let mask = prop_oneof![3 => any::<u8>(), 1 => Just(0)];
    (rows, 0u32..3, mask, numbers, 0u8..16).prop_filter_map(
        "invertible",
        |(rows, blas, mask, [custom_index, sbt_offset], flags)| {
            let mut object_to_world = Transform { rows };
            for (axis, row) in object_to_world.rows.iter_mut().enumerate() {
                row[axis] += 3.0;
                row[3] *= 50.0;
            }
            Some(Instance {
                blas,
                world_to_object: object_to_world.inverse().ok()?,
                object_to_world,
                mask,
                custom_index,
                sbt_offset,
                flags: InstanceFlags::from_bits_truncate(flags),
            })
        },
    )
}

/// Three BLASes of moderate size, the last one empty, and instances under one wide node.
fn instanced() -> impl Strategy<Value = Tree> {
    let moderate = |blas: &Blas| {
        let bounds = blas.bvh.root().bounds;
        bounds.is_empty() || bounds.max.abs().max(bounds.min.abs()).max_element() < 1e5
    };
    let level = move || blas(6).prop_filter("moderate", moderate);
    (level(), level(), prop::collection::vec(instance(), 1..20)).prop_map(|(a, b, instances)| {
        let empty = Blas { primitives: tree::Primitives::default(), bvh: Bvh::empty() };
        let blases = vec![a, b, empty];
        let around = |item: usize| {
            let instance: &Instance = &instances[item];
            instance.world_bounds(&blases[instance.blas as usize].bvh.root().bounds).unwrap()
        };
        let parts: Vec<Vec<usize>> =
            (0..instances.len()).collect::<Vec<_>>().chunks(3).map(<[usize]>::to_vec).collect();
        let union =
            |items: &[usize]| items.iter().fold(Aabb::EMPTY, |all, &i| all.union(around(i)));
        let all: Vec<usize> = (0..instances.len()).collect();
        let mut entries = vec![Node { bounds: union(&all), link: NodeLink::inner(1, parts.len()) }];
        for (k, part) in parts.iter().enumerate() {
            entries
                .push(Node { bounds: union(part), link: NodeLink::leaf(3 * k as u32, part.len()) });
        }
        let references = (0..instances.len() as u32).collect();
        let bvh = Bvh::new(entries, references, instances.len()).unwrap();
        Tree { blases, tlas: Some(Tlas { instances, bvh }) }
    })
}

fn skips(found: &FoundInstance) -> (bool, bool) {
    let flags = found.node.child_base.flags();
    (flags.contains(PointerFlags::SKIP_TRIANGLES), flags.contains(PointerFlags::SKIP_PROCEDURAL))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_instance_has_its_nodes(tree in instanced(), policy in 0usize..3) {
        let policy = Policy::ALL[policy];
        let image = encode(&tree, &Options::new(policy)).unwrap().image;
        let tlas = tree.tlas.as_ref().unwrap();
        let (primitives, found) = reader::read(&image, image.bases[0]);
        prop_assert!(primitives.is_empty());
        prop_assert_eq!(image.segments.len(), 4);
        for (number, instance) in tlas.instances.iter().enumerate() {
            let own: Vec<&FoundInstance> =
                found.iter().filter(|f| f.sideband.instance_index as usize == number).collect();
            let blas = &tree.blases[instance.blas as usize];
            // no ray sees a mask of 0.
            let is_seen = instance.mask != 0;
            let triangles = is_seen && !blas.primitives.triangles.is_empty();
            let boxes = is_seen && !blas.primitives.boxes.is_empty();
            let mut expected = Vec::new();
            if triangles {
                expected.push((false, true));
            }
            if boxes {
                expected.push((true, false));
            }
            prop_assert_eq!(own.iter().map(|f| skips(f)).collect::<Vec<_>>(), expected);
            for f in own {
                prop_assert_eq!(f.node.world_to_object, instance.world_to_object);
                prop_assert_eq!(f.sideband.object_to_world, instance.object_to_world);
                prop_assert_eq!(f.node.user_data, instance.sbt_offset);
                prop_assert_eq!(f.node.mask, instance.mask);
                prop_assert!(f.path.iter().all(|step| step.mask & instance.mask == instance.mask));
                let segment = &image.segments[1 + instance.blas as usize];
                let base = Structure::of_segment(segment).unwrap().box_base;
                prop_assert_eq!(reader::child_base(&f.node), base);
                let world = instance.world_bounds(&blas.bvh.root().bounds).unwrap();
                let lossy = policy == Policy::Radv;
                prop_assert!(lossy || f.path.iter().all(|step| step.bounds.contains(&world)));
                // The embedded boxes name the root and cover the structure.
                let named = f.node.child_pointers()[0];
                let root = if lossy { named.0 } else { named.0 << 4 | 5 };
                prop_assert_eq!(u64::from(root), image.root);
                if !lossy {
                    let (below, _) = reader::read(&image, segment.address);
                    let boxes: Vec<Aabb> = (0..4).map(|slot| f.node.child_box(slot)).collect();
                    let is_covered = |bounds| boxes.iter().any(|b| b.contains(bounds));
                    prop_assert!(below.iter().all(|p| is_covered(&p.path[0].bounds)));
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let instance = Instance {
        blas: 1,
        world_to_object: Transform::IDENTITY,
        object_to_world: Transform::IDENTITY,
        mask: 0xFF,
        custom_index: 0,
        sbt_offset: 0,
        flags: InstanceFlags::empty(),
    };
    let empty = Blas { primitives: tree::Primitives::default(), bvh: Bvh::empty() };
    let root = Node { bounds: Aabb::new(Vec3::ZERO, Vec3::ONE), link: NodeLink::leaf(0, 1) };
    let tlas = Tlas { instances: vec![instance], bvh: Bvh::new(vec![root], vec![0], 1).unwrap() };
    let mut tree = Tree { blases: vec![empty], tlas: Some(tlas) };
    let refused = encode(&tree, &Options::default()).unwrap_err();
    assert_eq!(refused.to_string(), "instance 0 names BLAS 1 of 1");
    let tlas = tree.tlas.as_mut().unwrap();
    tlas.instances[0].blas = 0;
    tlas.instances[0].world_to_object.rows[1] = [0.0; 4];
    let refused = encode(&tree, &Options::default()).unwrap_err();
    assert!(refused.to_string().starts_with("instance 0: "), "{refused}");
    tree.tlas = None;
    tree.blases.clear();
    let refused = encode(&tree, &Options::default()).unwrap_err();
    assert_eq!(refused.to_string(), "0 BLASes without a TLAS, expected 1");
}
