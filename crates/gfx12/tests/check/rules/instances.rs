//! Rules of instances and headers.

use super::{breaks, encoded, header, instanced, triangles};
use crate::check::edit::{edit_bits, edit_instance};
use crate::check::radv_files::{in_radv_order, unset_pointers};
use gfx12::check::Rule;
use gfx12::encode::Policy;
use gfx12::layout::{
    BasePointer, Bits, GpurtHeader, InstanceNode, NodeBits, NodePointer, PointerFlags, RadvHeader,
};
use machine::Image;

#[test]
fn instance_rules() {
    let any = |_: &InstanceNode| true;
    // Not one of two nodes that show an instance together.
    let alone = |node: &InstanceNode| node.child_base.address() == instanced().segments[1].address;
    breaks(Rule::InstanceBase, &[Rule::Sideband], instanced(), |image| {
        edit_instance(image, alone, |node| {
            node.child_base = BasePointer::new(0x7000_0000, node.child_base.flags()).unwrap();
        });
    });
    breaks(Rule::InstanceRoot, &[Rule::InstanceBox], instanced(), |image| {
        edit_instance(image, any, |node| node.children[1].node_type = 2);
    });
    breaks(Rule::InstanceRoot, &[Rule::InstanceBox], instanced(), |image| {
        edit_instance(image, any, |node| node.children[1].range_length = 13);
    });
    breaks(Rule::Transform, &[Rule::Contained], instanced(), |image| {
        edit_instance(image, alone, |node| {
            node.world_to_object.rows[1] = node.world_to_object.rows[0]
        });
    });
    let all_boxes = |max: u16| {
        move |node: &mut InstanceNode| {
            for child in &mut node.children {
                (child.min, child.max) = ([4095; 3], [max; 3]);
            }
        }
    };
    breaks(Rule::InstanceBox, &[], instanced(), |image| {
        edit_instance(image, any, all_boxes(4095));
    });
    breaks(Rule::InstancePart, &[], instanced(), |image| {
        edit_instance(image, alone, all_boxes(0));
    });
    breaks(Rule::InstanceFlags, &[], instanced(), |image| {
        edit_instance(image, alone, |node| {
            let flags = node.child_base.flags() | PointerFlags::CULL_OPAQUE;
            node.child_base = node.child_base.with_flags(flags);
        });
    });
    breaks(Rule::InstanceFlags, &[], instanced(), |image| {
        edit_instance(image, alone, |node| {
            let flags = node.child_base.flags() | PointerFlags::SKIP_TRIANGLES;
            node.child_base = node.child_base.with_flags(flags);
        });
    });
    breaks(Rule::Parent, &[], instanced(), |image| {
        edit_instance(image, any, |node| node.parent = NodePointer(5));
    });
    let sideband = |image: &mut Image, word: usize, value: u32| {
        let base = image.bases[0];
        let header = GpurtHeader::decode(&NodeBits::from_bytes(image.get(base, 128).unwrap()));
        let address = base + u64::from(header.geometry_info_offset);
        edit_bits(image, address, |bits| bits.set_word(word, value));
    };
    breaks(Rule::Sideband, &[Rule::InstanceFlags], instanced(), |image| sideband(image, 0, 900));
    breaks(Rule::SidebandOrder, &[], instanced(), in_radv_order);
    breaks(Rule::Sideband, &[], instanced(), |image| sideband(image, 7, 9e9f32.to_bits()));
}

#[test]
fn header_rules() {
    breaks(Rule::HeaderOffset, &[], triangles(), |image| {
        header(image, 0, |header| header.leaf_node_offset = 64);
    });
    breaks(Rule::HeaderOffset, &[], triangles(), |image| {
        header(image, 0, |header| header.primitive_count = 1 << 30);
    });
    breaks(Rule::HeaderCount, &[], triangles(), |image| {
        header(image, 0, |header| header.internal_fp32_count += 1);
    });
    breaks(Rule::HeaderCount, &[], instanced(), |image| {
        header(image, 2, |header| header.active_primitive_count = header.primitive_count + 1);
    });
    breaks(Rule::HeaderCount, &[], instanced(), |image| {
        header(image, 0, |header| header.leaf_node_count -= 1);
    });
    breaks(Rule::HeaderType, &[], triangles(), |image| header(image, 0, |header| header.info ^= 1));
    breaks(Rule::UnsetPointers, &[], triangles(), unset_pointers);
    // Words of RADV's header: the opacity, a bound, bytes, the kind of structure.
    for (word, value, rule) in [
        (1, 3, Rule::DriverHeader),
        (2, f32::INFINITY.to_bits(), Rule::DriverHeader),
        (22, 2, Rule::HeaderType),
    ] {
        let dragged = [Rule::Contained, Rule::InstanceBox, Rule::DriverHeader];
        breaks(rule, &dragged, encoded("triangles", Policy::Radv), |image| {
            edit_bits(image, 0, |bits| bits.set_word(word, value));
        });
    }
    // HIPRT's: the number of boxes.
    breaks(Rule::DriverHeader, &[], encoded("triangles", Policy::Hiprt), |image| {
        edit_bits(image, 0, |bits| bits.set_word(7, 99));
    });
    breaks(Rule::AllocatedSize, &[], encoded("triangles", Policy::Radv), |image| {
        let header = RadvHeader::decode(&Bits::from_bytes(image.segments[0].bytes()));
        let larger = header.with_sizes(header.compacted_size + 256, 0);
        larger.encode().write_bytes(image.segments[0].bytes_mut());
    });
    breaks(Rule::PrimitivePointer, &[], triangles(), |image| {
        let base = image.bases[0];
        let header = GpurtHeader::decode(&NodeBits::from_bytes(image.get(base, 128).unwrap()));
        let list = base + u64::from(header.primitive_pointer_offset);
        edit_bits(image, list, |bits| bits.set_word(0, 0x25));
    });
}
