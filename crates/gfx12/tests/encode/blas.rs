//! BLASes: everything stored once for each reference, bit for bit, inside its boxes.

use super::reader::{self, Found, Shape, Step};
use super::trees::{blas, single};
use geometry::exact::rational;
use geometry::random::Random;
use geometry::{Aabb, Triangle, Vec3};
use gfx12::encode::{Encoded, Options, Policy, encode};
use gfx12::layout::{CullFlags, NodePointer};
use gfx12::obb::rotation;
use num_rational::BigRational;
use proptest::prelude::*;
use tree::primitives::Primitive;
use tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives};

/// What a primitive is known by: ids, flags and the bits of its shape.
type Fingerprint = (u32, u32, bool, bool, Vec<u32>);

fn bits(shape: &Shape) -> Vec<u32> {
    let points = match shape {
        Shape::Triangle(triangle) => triangle.vertices.to_vec(),
        Shape::Box(bounds) => vec![bounds.min, bounds.max],
    };
    points.iter().flat_map(|point| point.to_array().map(f32::to_bits)).collect()
}

fn expected(blas: &Blas) -> Vec<Fingerprint> {
    let mut all: Vec<Fingerprint> = blas
        .bvh
        .indices()
        .iter()
        .map(|&item| {
            let id = blas.primitives.ids[item as usize];
            let shape = match blas.primitives.get(item as usize) {
                Primitive::Triangle(triangle) => Shape::Triangle(*triangle),
                Primitive::Box(bounds) => Shape::Box(*bounds),
            };
            let double_sided = id.flags.contains(PrimitiveFlags::DOUBLE_SIDED);
            let opaque = id.flags.contains(PrimitiveFlags::OPAQUE);
            (id.geometry, id.primitive, opaque, double_sided, bits(&shape))
        })
        .collect();
    all.sort();
    all
}

fn fingerprints(found: &[Found]) -> Vec<Fingerprint> {
    let mut all: Vec<Fingerprint> = found
        .iter()
        .map(|f| (f.geometry, f.primitive, f.opaque, f.double_sided, bits(&f.shape)))
        .collect();
    all.sort();
    all
}

/// Whether a primitive passes a box's flags.
fn agrees(flags: CullFlags, found: &Found) -> bool {
    let triangle = matches!(found.shape, Shape::Triangle(_));
    let denied = match (triangle, found.opaque) {
        (true, true) => CullFlags::ONLY_PROCEDURAL | CullFlags::ONLY_NON_OPAQUE,
        (true, false) => CullFlags::ONLY_PROCEDURAL | CullFlags::ONLY_OPAQUE,
        (false, true) => CullFlags::ONLY_TRIANGLES | CullFlags::ONLY_NON_OPAQUE,
        (false, false) => CullFlags::ONLY_TRIANGLES | CullFlags::ONLY_OPAQUE,
    };
    !flags.intersects(denied)
}

/// Whether a box contains a primitive in its own frame, in exact arithmetic.
fn holds(step: &Step, shape: &Shape) -> bool {
    let Some(matrix) = rotation(step.rotation) else {
        return step.bounds.contains(&shape.bounds());
    };
    let points = match shape {
        Shape::Triangle(triangle) => triangle.vertices.to_vec(),
        Shape::Box(bounds) => bounds.corners().to_vec(),
    };
    points.iter().all(|point| {
        (0..3).all(|axis| {
            let row = matrix.rows[axis];
            let exact: BigRational = (0..3).map(|k| rational(row[k]) * rational(point[k])).sum();
            rational(step.bounds.min[axis]) <= exact && exact <= rational(step.bounds.max[axis])
        })
    })
}

fn options() -> impl Strategy<Value = Options> {
    let flags = any::<[bool; 3]>();
    (0usize..3, flags).prop_map(|(policy, [margin, keep_leaves, obb])| Options {
        margin,
        keep_leaves,
        obb,
        ..Options::new(Policy::ALL[policy])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn everything_is_stored_inside_its_boxes(blas in blas(20), options in options()) {
        let Encoded { image, report } = encode(&single(blas.clone()), &options).unwrap();
        let base = image.bases[0];
        let (found, instances) = reader::read(&image, base);
        prop_assert!(instances.is_empty());
        let (mut stored, mut given) = (fingerprints(&found), expected(&blas));
        let merges = options.policy == Policy::Radv;
        if merges || options.policy == Policy::Dense && !options.keep_leaves {
            // Two references to one primitive may meet in a regrouped leaf, and two boxes of RADV's
            // may reach each other's single triangles.
            stored.dedup();
            given.dedup();
        }
        prop_assert_eq!(stored, given);
        for found in &found {
            for step in &found.path {
                prop_assert_eq!(step.mask, 0xFF);
                prop_assert!(merges || agrees(step.cull_flags, found));
                prop_assert!(merges || holds(step, &found.shape));
            }
        }
        prop_assert_eq!(report.bytes, image.byte_count() as u64);
        let triangles = found.iter().filter(|f| matches!(f.shape, Shape::Triangle(_))).count();
        prop_assert!(report.stored_triangles == triangles || merges);
    }

    /// The header's tables lead to every primitive by its ids.
    #[test]
    fn tables_lead_to_primitives(blas in blas(5)) {
        let image = encode(&single(blas.clone()), &Options::default()).unwrap().image;
        let base = image.bases[0];
        let header = reader::header(&image, base);
        let (found, _) = reader::read(&image, base);
        let word = |at: u64| {
            u32::from_le_bytes(image.get(base + at, 4).unwrap().try_into().unwrap())
        };
        let mut total = 0;
        for geometry in 0..header.descriptor_count {
            let info = u64::from(header.geometry_info_offset) + 12 * u64::from(geometry);
            let (count, offset) = (word(info) & 0x1FFF_FFFF, word(info + 8));
            total += count;
            for primitive in 0..count {
                let at = u64::from(header.primitive_pointer_offset + offset + 4 * primitive);
                let pointer = NodePointer(word(at));
                let places: Vec<NodePointer> = found
                    .iter()
                    .filter(|f| (f.geometry, f.primitive) == (geometry, primitive))
                    .map(|f| f.pointer)
                    .collect();
                let first = places.iter().min().copied().unwrap_or(NodePointer::INVALID);
                prop_assert_eq!(first, pointer);
            }
        }
        prop_assert_eq!(total, header.primitive_count);
        prop_assert_eq!(
            u64::from(header.total_size),
            image.byte_count() as u64 + u64::from(header.metadata_size)
        );
        prop_assert!(header.leaf_node_offset >= header.internal_node_offset);
        prop_assert!(header.geometry_info_offset >= header.leaf_node_offset);
        let root = Aabb::new(header.root_min.into(), header.root_max.into());
        prop_assert!(found.iter().all(|f| root.contains(&f.shape.bounds())));
    }

    #[test]
    fn threads_do_not_matter(blas in blas(9), options in options()) {
        let tree = single(blas);
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        prop_assert_eq!(alone.install(|| encode(&tree, &options)), encode(&tree, &options));
    }
}

/// Radeon Raytracing Analyzer has room for eight pairs of a range, however few triangles a node
/// holds.
#[test]
fn ranges_have_eight_pairs_at_most() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        let count = 12 + seed as u32 % 5;
        let mut point = || Vec3::from_array([3.0, 9.0, 1.7].map(|size| random.range(-size, size)));
        let triangles: Vec<Triangle> = (0..count)
            .map(|n| match (seed % 4, n % 3) {
                // Points, which may not come second everywhere.
                (1, 1) => Triangle { vertices: [point(); 3] },
                _ => Triangle::new(point(), point(), point()),
            })
            .collect();
        let flags = PrimitiveFlags::OPAQUE;
        let ids = (0..count).map(|n| PrimitiveId { geometry: 0, primitive: n * 1013, flags });
        let primitives = Primitives { triangles, ids: ids.collect(), ..Primitives::default() };
        let bounds = (0..primitives.len()).map(|n| primitives.bounds(n));
        let bounds = bounds.fold(Aabb::EMPTY, Aabb::union);
        let root = Node { bounds, link: NodeLink::leaf(0, count as usize) };
        let bvh = Bvh::new(vec![root], (0..count).collect(), count as usize).unwrap();
        let tree = single(Blas { primitives, bvh });
        for keep_leaves in [false, true] {
            let options = Options { keep_leaves, ..Options::default() };
            let image = encode(&tree, &options).unwrap().image;
            let report = gfx12::check::check(image.clone());
            assert_eq!(report.findings, [], "{seed}");
            let stored = fingerprints(&reader::read(&image, image.bases[0]).0);
            assert_eq!(stored, expected(&tree.blases[0]), "{seed}");
        }
    }
}

#[test]
fn boxes_that_a_file_stores_may_be_huge() {
    for plane in [1.0e30, f32::INFINITY] {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
        let ids = (0..40).map(|primitive| PrimitiveId {
            geometry: 0,
            primitive,
            flags: PrimitiveFlags::OPAQUE,
        });
        let triangles = vec![triangle; 40];
        let primitives = Primitives { triangles, ids: ids.collect(), ..Primitives::default() };
        let bounds = primitives.bounds(0);
        let mut odd = bounds;
        odd.max.x = plane;
        let root = Node { bounds, link: NodeLink::inner(1, 2) };
        let leaf = |bounds, first| Node { bounds, link: NodeLink::leaf(first, 20) };
        let nodes = vec![root, leaf(odd, 0), leaf(bounds, 20)];
        let bvh = Bvh::new(nodes, (0..40).collect(), 40).unwrap();
        let tree = single(Blas { primitives, bvh });
        let encoded = encode(&tree, &Options::default());
        assert_eq!(encoded.is_ok(), plane.is_finite());
        let sound = encoded.map(|it| gfx12::check::check(it.image).is_sound());
        assert!(sound.unwrap_or(true), "{plane}");
    }
}
