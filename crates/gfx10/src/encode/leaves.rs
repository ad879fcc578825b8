//! Leaf and instance nodes of each policy, and the levels that they make.

use super::headers;
use super::write::{LeafBits, Level, Structure};
use super::{ID_LIMIT, Options, Policy, place};
use crate::Generation;
use crate::layout::instance_node::api_flags;
use crate::layout::{
    GpurtInstanceNode, GpurtTriangleNode, ProceduralNode, RadvInstanceNode, RadvProceduralNode,
    RadvTriangleNode,
};
use bvh4::EncodeError;
use bvh4::decode::instance::{instance_flags, own_flags};
use bvh4::encode::contents::Contents;
use bvh4::encode::draft::{Draft, Leaf};
use bvh4::encode::error::check_instances;
use bvh4::encode::instances::{instance_leaves, kind_flags, widen_for_transforms};
use bvh4::encode::leaves::{check_primitives, contents, kept_leaves, paired_leaves, single_leaves};
use bvh4::encode::margin::tlas_margin;
use bvh4::layout::{BasePointer, CullFlags, PointerFlags, TriangleInfo};
use geometry::{Aabb, InstanceFlags, Vec3};
use tree::primitives::Primitive;
use tree::{Blas, Instance, PrimitiveFlags, PrimitiveId, Primitives, Tlas};

/// Sources of a triangle in its own order.
const OWN_ORDER: u8 = 0x9;

/// What a TLAS must know of a BLAS.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlasFacts {
    /// The box around what it holds.
    pub(super) bounds: Aabb,
    pub(super) cull_flags: CullFlags,
    /// Where its base is.
    pub(super) base: u64,
    /// Bytes before the base.
    pub(super) base_offset: u64,
}

/// A BLAS with a place for each node.
pub(super) fn blas(
    level: usize,
    blas: &Blas,
    margin: f32,
    generation: Generation,
    options: &Options,
) -> Result<Structure, EncodeError> {
    let primitives = &blas.primitives;
    check_primitives(level, blas, ID_LIMIT)?;
    let draft = Draft::new(&blas.bvh, options.keep_leaves, |loose| {
        let are_single = loose.iter().all(|leaf| leaf.items.len() == 1);
        match (options.policy, options.keep_leaves) {
            (Policy::Radv, true) if are_single => kept_leaves(loose, primitives),
            (Policy::Radv, _) => single_leaves(loose, primitives),
            (_, true) => kept_leaves(loose, primitives),
            (_, false) => paired_leaves(loose, primitives),
        }
    });
    let level = Level {
        number: level,
        draft,
        margin,
        items: primitives.len(),
        is_blas: true,
        generation,
        options,
    };
    Structure::new(
        level,
        |leaf| contents(leaf, primitives),
        |draft, places, all, bounds| match options.policy {
            Policy::Own => headers::own(places),
            Policy::Radv => headers::radv_blas(places, blas, all, bounds),
            Policy::Gpurt => headers::gpurt_blas(draft, places, blas, bounds, generation),
        },
    )
}

/// A TLAS with a place for each node. The addresses in `blases` are not looked at.
pub(super) fn tlas(
    tlas: &Tlas,
    blases: &[BlasFacts],
    generation: Generation,
    options: &Options,
) -> Result<Structure, EncodeError> {
    check_instances(tlas, blases.len())?;
    let regrouped = EncodeError::regrouped(blases.len());
    let bvh = tree::reshape::gather(&tlas.bvh, |_| false).map_err(regrouped)?;
    let mut draft = Draft::new(&bvh, options.keep_leaves, |loose| {
        instance_leaves(loose, tlas, |blas| blases[blas as usize].bounds)
    });
    let margin = if options.margin {
        widen_for_transforms(&mut draft, tlas);
        tlas_margin(tlas).plain
    } else {
        0.0
    };
    let level = Level {
        number: blases.len(),
        draft,
        margin,
        items: tlas.instances.len(),
        is_blas: false,
        generation,
        options,
    };
    let of_instance = |leaf: &Leaf| {
        let instance = &tlas.instances[leaf.first_item() as usize];
        let below = blases[instance.blas as usize].cull_flags;
        // siliray's own boxes say nothing of instances, as on GFX12.
        let is_own = options.policy == Policy::Own;
        let cull_flags = if is_own { CullFlags::empty() } else { forced(below, instance.flags) };
        Contents { cull_flags, triangles: 0 }
    };
    Structure::new(level, of_instance, |draft, places, all, bounds| match options.policy {
        Policy::Own => headers::own(places),
        Policy::Radv => headers::radv_tlas(places, tlas, all, bounds),
        Policy::Gpurt => headers::gpurt_tlas(draft, places, tlas, bounds, generation),
    })
}

/// What can be said of a structure through an instance with these flags.
fn forced(below: CullFlags, flags: InstanceFlags) -> CullFlags {
    let opacity = CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE;
    if flags.contains(InstanceFlags::FORCE_OPAQUE) {
        (below - opacity) | CullFlags::ONLY_OPAQUE
    } else if flags.contains(InstanceFlags::FORCE_NON_OPAQUE) {
        (below - opacity) | CullFlags::ONLY_NON_OPAQUE
    } else {
        below
    }
}

/// The node of a leaf.
pub(super) fn leaf_bits(
    leaf: &Leaf,
    primitives: &Primitives,
    generation: Generation,
    policy: Policy,
) -> LeafBits {
    let id = |item: u32| primitives.ids[item as usize];
    LeafBits::Half(match *leaf {
        Leaf::Pair { items, edge } => {
            let [first, second] = items.map(|item| &primitives.triangles[item as usize]);
            let [low, high] = edge.nibbles();
            GpurtTriangleNode {
                vertices: edge.vertices(first, second),
                geometry_id: id(items[0]).geometry,
                geometry_flags: gpurt_flags(id(items[0])),
                primitive_ids: items.map(|item| id(item).primitive),
                id_word: u32::from(info_byte(low, id(items[0])))
                    | u32::from(info_byte(high, id(items[1]))) << 8,
            }
            .encode()
        }
        Leaf::Triangle(item) | Leaf::Procedural(item) | Leaf::Instance(item) => {
            match (primitives.get(item as usize), policy) {
                (Primitive::Triangle(triangle), Policy::Radv) => {
                    radv_triangle(triangle.vertices, id(item), generation)
                }
                (Primitive::Triangle(triangle), _) => {
                    let [v0, v1, v2] = triangle.vertices;
                    GpurtTriangleNode {
                        vertices: [v0, v1, v2, v2],
                        geometry_id: id(item).geometry,
                        geometry_flags: gpurt_flags(id(item)),
                        primitive_ids: [id(item).primitive; 2],
                        id_word: info_byte(OWN_ORDER, id(item)).into(),
                    }
                    .encode()
                }
                (Primitive::Box(_), Policy::Radv) => RadvProceduralNode {
                    primitive_id: id(item).primitive,
                    geometry_id: id(item).geometry,
                    geometry_flags: radv_flags(id(item)),
                    undefined: [0; 14],
                }
                .encode(),
                (Primitive::Box(bounds), _) => ProceduralNode {
                    bounds: *bounds,
                    undefined: [0; 6],
                    geometry_id: id(item).geometry,
                    geometry_flags: gpurt_flags(id(item)),
                    file_primitive_id: id(item).primitive,
                    primitive_id: id(item).primitive,
                    undefined_word: 0,
                }
                .encode(),
            }
        }
    })
}

/// RADV tells RDNA3 alone which triangles are opaque: RDNA2 reads no more than the sources.
fn radv_triangle(
    vertices: [Vec3; 3],
    id: PrimitiveId,
    generation: Generation,
) -> machine::bits::HalfNodeBits {
    let info = TriangleInfo::from_byte(info_byte(OWN_ORDER, id));
    let opaque = info.opaque && generation == Generation::Gfx11;
    RadvTriangleNode {
        vertices,
        undefined: [0; 3],
        primitive_id: id.primitive,
        geometry_id: id.geometry,
        geometry_flags: radv_flags(id),
        undefined_word: 0,
        id_word: TriangleInfo { opaque, ..info }.to_byte().into(),
    }
    .encode()
}

fn is_opaque(id: PrimitiveId) -> bool {
    id.flags.contains(PrimitiveFlags::OPAQUE)
}

fn gpurt_flags(id: PrimitiveId) -> u8 {
    is_opaque(id).into()
}

fn radv_flags(id: PrimitiveId) -> u8 {
    u8::from(is_opaque(id)) << 3
}

fn info_byte(sources: u8, id: PrimitiveId) -> u8 {
    TriangleInfo {
        double_sided: id.flags.contains(PrimitiveFlags::DOUBLE_SIDED),
        opaque: is_opaque(id),
        ..TriangleInfo::from_byte(sources)
    }
    .to_byte()
}

/// The node of an instance.
pub(super) fn instance_bits(
    number: u32,
    instance: &Instance,
    blas: &BlasFacts,
    generation: Generation,
    policy: Policy,
) -> LeafBits {
    let flags = match generation {
        Generation::Gfx11 => own_flags(instance.flags) | kind_flags(blas.cull_flags),
        Generation::Gfx10 => PointerFlags::empty(),
    };
    // As the pointer has them, with what the kind of the structure adds.
    let shown = match generation {
        Generation::Gfx11 => instance_flags(flags),
        Generation::Gfx10 => instance.flags,
    };
    // Addresses were aligned and checked when they were given out.
    let child_base = BasePointer(blas.base >> 3).with_flags(flags);
    let sbt_offset = instance.sbt_offset & (ID_LIMIT - 1);
    let custom_index = instance.custom_index & (ID_LIMIT - 1);
    let bits = match policy {
        Policy::Radv => RadvInstanceNode {
            child_base,
            custom_index,
            mask: instance.mask,
            sbt_offset,
            radv_flags: RadvInstanceNode::flag_byte(shown),
            world_to_object: instance.world_to_object,
            instance_index: number,
            bvh_offset: blas.base_offset as u32,
            undefined: [0; 2],
            object_to_world: instance.object_to_world,
        }
        .encode(),
        Policy::Own | Policy::Gpurt => GpurtInstanceNode {
            world_to_object: instance.world_to_object,
            instance_id: custom_index,
            mask: instance.mask,
            sbt_offset,
            api_flags: api_flags(shown),
            child_base,
            instance_index: number,
            child_root: place::root(policy),
            metadata_size: blas.base_offset as u32,
            reserved: 0,
            object_to_world: instance.object_to_world,
        }
        .encode(),
    };
    LeafBits::Whole(Box::new(bits))
}
