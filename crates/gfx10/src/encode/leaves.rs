//! Leaf and instance nodes of each policy, and the levels that they make.

use super::headers;
use super::write::{Level, Structure};
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
use bvh4::encode::instances::kind_flags;
use bvh4::encode::leaves::contents;
use bvh4::encode::levels::BlasFacts;
use bvh4::encode::places::NodeBytes;
use bvh4::layout::triangle_info::id_word;
use bvh4::layout::{BasePointer, CullFlags, PointerFlags, TriangleInfo};
use geometry::{InstanceFlags, Vec3};
use tree::primitives::Primitive;
use tree::{Blas, Instance, PrimitiveFlags, PrimitiveId, Primitives, Tlas};

/// A BLAS with a place for each node.
pub(super) fn blas(
    level: usize,
    blas: &Blas,
    draft: Draft,
    margin: f32,
    generation: Generation,
    options: &Options,
) -> Result<Structure, EncodeError> {
    let primitives = &blas.primitives;
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

/// A TLAS with a place for each node.
pub(super) fn tlas(
    tlas: &Tlas,
    blases: &[BlasFacts],
    draft: Draft,
    margin: f32,
    generation: Generation,
    options: &Options,
) -> Result<Structure, EncodeError> {
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
pub(super) fn leaf_bytes(
    leaf: &Leaf,
    primitives: &Primitives,
    generation: Generation,
    policy: Policy,
) -> NodeBytes {
    let id = |item: u32| primitives.ids[item as usize];
    NodeBytes::Half(match *leaf {
        Leaf::Pair { items, edge } => {
            let [first, second] = items.map(|item| &primitives.triangles[item as usize]);
            GpurtTriangleNode {
                vertices: edge.vertices(first, second),
                geometry_id: id(items[0]).geometry,
                geometry_flags: gpurt_flags(id(items[0])),
                primitive_ids: items.map(|item| id(item).primitive),
                id_word: id_word(&edge.nibbles(), &items.map(|item| id(item).flags)),
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
                        id_word: id_word(&[TriangleInfo::OWN_ORDER], &[id(item).flags]),
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
    let mut flags = id.flags;
    flags.remove(match generation {
        Generation::Gfx10 => PrimitiveFlags::OPAQUE,
        Generation::Gfx11 => PrimitiveFlags::empty(),
    });
    RadvTriangleNode {
        vertices,
        undefined: [0; 3],
        primitive_id: id.primitive,
        geometry_id: id.geometry,
        geometry_flags: radv_flags(id),
        undefined_word: 0,
        id_word: id_word(&[TriangleInfo::OWN_ORDER], &[flags]),
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

/// The node of an instance.
pub(super) fn instance_bytes(
    number: u32,
    instance: &Instance,
    blas: &BlasFacts,
    generation: Generation,
    policy: Policy,
) -> NodeBytes {
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
    NodeBytes::Whole(Box::new(bits))
}
