//! What HIPRT puts around the nodes of a geometry or a scene (G-45).

use super::blas::EncodedBlas;
use super::sections::Sections;
use crate::layout::hiprt::HIPRT_RTIP;
use crate::layout::{
    BOX_TYPE, BasePointer, BoxNode, ChildEntry, CullFlags, HiprtFrame, HiprtGeometry,
    HiprtInstance, HiprtScene, InstanceNode, NodePointer,
};
use crate::quantize::quantize;
use geometry::{Aabb, Transform};
use tree::Instance;
use tree::quality::half_area;

/// A slot that is not used: all planes the highest, and no mask.
pub(crate) const UNUSED_SLOT: ChildEntry = ChildEntry {
    min: [0xFFF; 3],
    max: [0xFFF; 3],
    cull_flags: CullFlags::empty(),
    unused: 0,
    mask: 0,
    node_type: 0,
    range_length: 0,
};

/// Most boxes of an instance node.
const INSTANCE_BOXES: usize = 4;
/// Bits beside the number of boxes: the instance does not move; its transform does nothing.
const STATIC: u8 = 0b010;
const IDENTITY: u8 = 0b100;

/// The header of a geometry at an address.
pub(crate) fn geometry(
    address: u64,
    sections: &Sections,
    boxes: usize,
    [pairs, primitive_nodes]: [usize; 2],
) -> HiprtGeometry {
    HiprtGeometry {
        box_nodes: address + sections.base,
        primitive_nodes: address + sections.primitive_base,
        size: sections.end,
        reference_count: pairs as u32,
        box_count: boxes as u32,
        primitive_node_count: primitive_nodes as u32,
        geometry_type: u32::MAX,
        rtip: HIPRT_RTIP,
        unused: [0; 5],
    }
}

/// The header of a scene at an address.
pub(crate) fn scene(
    address: u64,
    sections: &Sections,
    boxes: usize,
    [instances, instance_nodes]: [usize; 2],
) -> HiprtScene {
    HiprtScene {
        box_nodes: address + sections.base,
        primitive_nodes: address + sections.primitive_base,
        instances: address + sections.records,
        frames: address + sections.pointers,
        size: sections.end,
        reference_count: instance_nodes as u32,
        primitive_count: instances as u32,
        primitive_node_count: instance_nodes as u32,
        box_count: boxes as u32,
        frame_count: instances as u32,
        rtip: HIPRT_RTIP,
    }
}

/// The records of instance `number`.
pub(crate) fn records(
    instance: &Instance,
    number: usize,
    blas: &EncodedBlas,
) -> (HiprtInstance, HiprtFrame) {
    let placed = HiprtInstance {
        frame_index: number as u32,
        frame_count: 1,
        is_scene: false,
        geometry: blas.segment.address,
    };
    let frame = HiprtFrame {
        object_to_world: instance.object_to_world,
        time: 0.0,
        custom_index: instance.custom_index,
        sbt_offset: instance.sbt_offset,
        flags: instance.flags.bits().into(),
    };
    (placed, frame)
}

/// The node of instance `number`.
pub(crate) fn instance_node(instance: &Instance, number: u32, blas: &EncodedBlas) -> InstanceNode {
    let mut node = InstanceNode {
        world_to_object: instance.world_to_object,
        // The address of the header below, unshifted.
        child_base: BasePointer(blas.segment.address),
        // The mask that software tests; all ones if it is full.
        parent: NodePointer(match instance.mask {
            0xFF => u32::MAX,
            mask => mask.into(),
        }),
        user_data: number,
        mask: 0xFF,
        frame: blas.root.frame,
        disable_box_sort: false,
        child_count: 1,
        unused_low: STATIC,
        unused_high: 0,
        children: [UNUSED_SLOT; 4],
    };
    place(&mut node, instance, &blas.root, &blas.bounds);
    node
}

/// Writes where an instance is, and the boxes of the root, merged until there are four.
pub(crate) fn place(node: &mut InstanceNode, instance: &Instance, root: &BoxNode, bounds: &Aabb) {
    node.world_to_object = instance.world_to_object;
    let is_identity = instance.world_to_object == Transform::IDENTITY;
    node.unused_low = node.unused_low & !IDENTITY | if is_identity { IDENTITY } else { 0 };
    let boxes = instance_boxes(root, bounds);
    // Boxes of a root were quantized before.
    let Ok(quantized) = quantize(&boxes) else { return };
    (node.frame, node.child_count) = (quantized.frame, boxes.len() as u8);
    node.children = [UNUSED_SLOT; 4];
    let used = ChildEntry { mask: 0xFF, node_type: BOX_TYPE, range_length: 1, ..UNUSED_SLOT };
    for (slot, codes) in node.children.iter_mut().zip(&quantized.codes) {
        *slot = codes.entry(used);
    }
}

/// The boxes of a root's children; while there are too many, the two with the smallest box around
/// them become one. Those of an oriented root lie in another frame: then the whole.
fn instance_boxes(root: &BoxNode, whole: &Aabb) -> Vec<Aabb> {
    if root.obb_matrix_index != BoxNode::NO_ROTATION {
        return vec![*whole];
    }
    let used = (0..root.used_children().len()).filter(|&slot| root.children[slot].is_valid());
    let mut boxes: Vec<Aabb> = used.map(|slot| root.child_box(slot)).collect();
    while boxes.len() > INSTANCE_BOXES {
        let pairs = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| (i, j)));
        let area = |&(i, j): &(usize, usize)| half_area(&boxes[i].union(boxes[j]));
        let Some((i, j)) = pairs.min_by(|a, b| area(a).total_cmp(&area(b))) else { break };
        boxes[i] = boxes[i].union(boxes[j]);
        boxes.swap_remove(j);
    }
    boxes
}
