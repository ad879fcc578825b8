//! How the nodes of this format are read, for everything that 4-wide formats share
//! ([`bvh4::image`]).

use super::decode::{own_triangle, primitive_id, triangle_count};
use super::write::{UNUSED_PLANE, with_planes};
use crate::instruction::dual_box::FourBoxes;
use crate::layout::base_pointer::{ADDRESS_MASK, flag_bits};
use crate::layout::bvh4x2::{
    Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, HighPrecisionBoxNode, TriangleNode,
    parent_slot_address,
};
use crate::layout::{GpurtSideband, HalfNodeBits};
use bvh4::decode::instance::instance_flags;
use bvh4::image::dialect::{BoxFields, InstanceBits, field_bits};
use bvh4::image::examine::check_bases;
use bvh4::image::surveyor::collect;
use bvh4::image::{
    Dialect, Findings, LeafNode, ParentPlace, Report, Shape, StoredInstance, StoredPrimitive,
    check_triangles,
};
use bvh4::survey::{Memory, Space, records};
use geometry::{Aabb, InstanceFlags};
use machine::Image;

/// A structure, as it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structure {
    /// Byte address of the base.
    pub base: u64,
    /// The root pointer.
    pub root: Bvh4Pointer,
}

/// All structures of an image.
pub type Survey = records::Survey<Structure>;

/// What was reached in one structure. The root is a box; there are no boxes if it names none.
pub type Surveyed = records::Surveyed<Structure>;

impl Space for Structure {
    type Pointer = Bvh4Pointer;

    fn address_of(&self, pointer: Bvh4Pointer) -> u64 {
        self.base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK
    }

    fn root(&self) -> Bvh4Pointer {
        self.root
    }

    fn survey(image: &Image) -> Survey {
        collect(image, &Memory::new(image), &mut Findings::default())
    }

    fn is_tlas(surveyed: &Surveyed) -> bool {
        !surveyed.instances.is_empty()
    }
}

/// The sideband record of a node; records of inactive instances and zeros are none.
fn sideband(node: &Bvh4x2InstanceNode) -> Option<GpurtSideband> {
    let record = GpurtSideband::decode(&HalfNodeBits::from_words(node.software));
    (record.blas_metadata_size != 0).then_some(record)
}

impl Dialect for Structure {
    const HALF_BOX: BoxFields = BoxFields {
        children: &HighPrecisionBoxNode::child_types,
        planes: &HighPrecisionBoxNode::planes,
        cull_flags: &HighPrecisionBoxNode::cull_flags,
        steps: Some(&HighPrecisionBoxNode::exponents),
    };

    fn of_root(image: &Image, _: &Memory<'_>) -> Self {
        let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
        let root = u32::try_from(image.root).map_or(Bvh4Pointer::INVALID, Bvh4Pointer);
        Self { base, root }
    }

    fn check_image(image: &Image, memory: &Memory<'_>, findings: &mut Findings) {
        check_bases(image, memory, &image.bases, findings);
    }

    fn base(&self) -> u64 {
        self.base
    }

    fn is_root(kind: Bvh4Kind) -> bool {
        matches!(kind, Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box)
    }

    fn child_types(&self) -> &'static str {
        "a node of type 0, 1, 4, 5 or 6"
    }

    fn is_child(&self, kind: Bvh4Kind) -> bool {
        !matches!(kind, Bvh4Kind::OldTriangle | Bvh4Kind::User)
    }

    fn half_box(bits: &HalfNodeBits) -> FourBoxes {
        FourBoxes::from(&HighPrecisionBoxNode::decode(bits))
    }

    fn half_quantum(bits: &HalfNodeBits, axis: usize, _: f32) -> f64 {
        let exponent = HighPrecisionBoxNode::decode(bits).exponents[axis];
        (f64::from(exponent) - 143.0).exp2()
    }

    fn leaf(&self, memory: &Memory<'_>, pointer: Bvh4Pointer, _: &Aabb) -> Option<LeafNode> {
        let node = TriangleNode::decode(&memory.half_node(self.address_of(pointer))?);
        if node.info(0).procedural {
            let shape = Shape::Box(node.procedural_box());
            return Some(LeafNode::one(StoredPrimitive { shape, id: primitive_id(&node, 0) }));
        }
        let triangle = |which: usize| StoredPrimitive {
            shape: Shape::Triangle(own_triangle(&node, which)),
            id: primitive_id(&node, which),
        };
        Some(match triangle_count(pointer) {
            1 => LeafNode::one(triangle(0)),
            _ => LeafNode::two([triangle(0), triangle(1)]),
        })
    }

    fn instance(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> Option<StoredInstance<Self>> {
        let node = Bvh4x2InstanceNode::decode(&memory.node(self.address_of(pointer))?);
        let software = Bvh4x2InstanceNode::software.bits().start as usize;
        let record = sideband(&node);
        let flags = node.child_base.flags();
        Some(StoredInstance {
            below: Self { base: node.child_base.address(), root: node.child_root },
            world_to_object: node.world_to_object,
            mask: node.mask,
            sbt_offset: node.user_data,
            flags: instance_flags(flags),
            told: record.map_or(instance_flags(flags), |record| {
                InstanceFlags::from_bits_truncate(record.flags)
            }),
            base_flags: flags,
            stray_flags: bvh4::layout::PointerFlags::empty(),
            stray_address: node.child_base.stray_address(),
            header_below: None,
            index: record.map(|record| record.instance_index),
            beside: record.as_ref().map(Into::into),
            bits: InstanceBits {
                base: field_bits(Bvh4x2InstanceNode::child_base.bits()),
                flags: field_bits(flag_bits(&Bvh4x2InstanceNode::child_base)),
                transform: field_bits(Bvh4x2InstanceNode::world_to_object.bits()),
                index: field_bits(GpurtSideband::instance_index.bits_from(software)),
                way_back: field_bits(GpurtSideband::object_to_world.bits_from(software)),
            },
        })
    }

    fn parent_place(&self, node: Bvh4Pointer, parent: Bvh4Pointer) -> ParentPlace {
        ParentPlace::At(parent_slot_address(self.base, node, 0), parent.0)
    }

    fn half_with_boxes(bits: &HalfNodeBits, boxes: &[Option<Aabb>; 4]) -> Option<HalfNodeBits> {
        Some(with_planes(HighPrecisionBoxNode::decode(bits), boxes).encode())
    }

    fn check_leaf(&self, memory: &Memory<'_>, pointer: Bvh4Pointer, report: Report<'_>) {
        let Some(bits) = memory.half_node(self.address_of(pointer)) else { return };
        let node = TriangleNode::decode(&bits);
        let has_second = node.id_word >> 8 & 0xFF != 0 && !node.info(0).procedural;
        let infos = &[node.info(0), node.info(1)][..triangle_count(pointer)];
        check_triangles(pointer, node.id_word, infos, has_second, report);
    }

    fn unused_planes(
        &self,
        memory: &Memory<'_>,
        pointer: Bvh4Pointer,
        slot: usize,
        bounds: &Aabb,
    ) -> Option<&'static str> {
        if pointer.kind() == Bvh4Kind::HalfBox {
            let node = HighPrecisionBoxNode::decode(&memory.half_node(self.address_of(pointer))?);
            let is_inert = node.planes[slot] == HighPrecisionBoxNode::NO_PLANES;
            return (!is_inert).then_some("min codes 0x1ffff and max codes 0x3ffff");
        }
        let mut planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
        let is_inert = planes.all(|plane| plane.to_bits() == UNUSED_PLANE);
        (!is_inert).then_some("six planes 0x7fc00000")
    }
}
