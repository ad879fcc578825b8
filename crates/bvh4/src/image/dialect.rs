//! How the nodes of a structure are read.

use super::outside::unit_in_last_place;
use super::{Findings, Rule, box_text};
use crate::decode::instance::Beside;
use crate::layout::{Bvh4Kind, Bvh4Pointer, CullFlags, Fp32BoxNode, PointerFlags, TriangleInfo};
use crate::survey::{Memory, Space};
use crate::unit::FourBoxes;
use geometry::{Aabb, InstanceFlags, Transform, Triangle, Vec3};
use machine::Image;
use machine::bits::HalfNodeBits;
use machine::fields::Field;
use std::ops::Range;
use tree::{PrimitiveFlags, PrimitiveId};

/// What a check tells of a node: a rule, bits, and three texts: found, expected, place.
pub type Report<'a> = &'a mut dyn FnMut(Rule, Range<u32>, [String; 3]);

/// A structure of some generation, laid out by some writer. Nodes are read from any memory; those
/// that a survey has listed are there.
pub trait Dialect: Space<Pointer = Bvh4Pointer> + Copy + Send {
    /// Where the fields of a box node of type 4 are.
    const HALF_BOX: BoxFields;

    /// The structure that an image starts in.
    fn of_root(image: &Image, memory: &Memory<'_>) -> Self;

    /// What is wrong with an image before any node is read.
    fn check_image(image: &Image, memory: &Memory<'_>, findings: &mut Findings);

    /// Where box pointers count from.
    fn base(&self) -> u64;

    /// Whether a root may be of a kind.
    fn is_root(kind: Bvh4Kind) -> bool;

    /// Whether a child may be of a kind.
    fn is_child(&self, kind: Bvh4Kind) -> bool;

    /// The types that [`Dialect::is_child`] allows, in words.
    fn child_types(&self) -> &'static str;

    /// A box node of type 4.
    fn half_box(bits: &HalfNodeBits) -> FourBoxes;

    /// How far apart planes of a box node of type 4 lie, on an axis and at a magnitude.
    fn half_quantum(_bits: &HalfNodeBits, _axis: usize, magnitude: f32) -> f64 {
        unit_in_last_place(magnitude, 10, -14)
    }

    /// Whether the hardware reads the cull flags of boxes.
    fn has_cull_flags(&self) -> bool {
        true
    }

    /// A box node. Cull flags that the hardware does not read are empty.
    #[inline]
    fn four_boxes(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> Option<FourBoxes> {
        let mut boxes = four_boxes::<Self>(memory, self.address_of(pointer), pointer)?;
        if !self.has_cull_flags() {
            boxes.cull_flags = [CullFlags::empty(); 4];
        }
        Some(boxes)
    }

    /// A leaf that can be reached within these planes, if it is a procedural.
    fn leaf(&self, memory: &Memory<'_>, pointer: Bvh4Pointer, slot: &Aabb) -> Option<LeafNode>;

    /// An instance.
    fn instance(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> Option<StoredInstance<Self>>;

    /// Where the parent of a node is written down, and how.
    fn parent_place(&self, node: Bvh4Pointer, parent: Bvh4Pointer) -> ParentPlace;

    /// Whether the parents of all nodes are written down.
    fn keeps_parents(&self) -> bool {
        true
    }

    /// The bits of a box node that name the child of a slot.
    fn pointer_bits(&self, pointer: Bvh4Pointer, slot: u8) -> Range<u32> {
        BoxFields::of::<Self>(pointer).children.element_bits(slot.into())
    }

    /// The bits of a box node that hold the planes of a slot.
    fn plane_bits(&self, pointer: Bvh4Pointer, slot: u8) -> Range<u32> {
        BoxFields::of::<Self>(pointer).planes.element_bits(slot.into())
    }

    /// The bits of a box node that hold the cull flags of a slot.
    fn cull_flag_bits(&self, pointer: Bvh4Pointer, slot: u8) -> Range<u32> {
        let Range { start, end } =
            BoxFields::of::<Self>(pointer).cull_flags.element_bits(slot.into());
        start..end.min(start + 4)
    }

    /// The cull flags that the writer sets in a box node wherever they are true.
    fn said_flags(&self, _pointer: Bvh4Pointer, _is_top: bool) -> CullFlags {
        CullFlags::empty()
    }

    /// The bits of a box node that an update may write: all planes, and what they count in.
    fn fitted_bits(&self, pointer: Bvh4Pointer) -> Range<u32> {
        let BoxFields { planes, steps, .. } = BoxFields::of::<Self>(pointer);
        steps.unwrap_or(planes).bits().start..planes.bits().end
    }

    /// A box node of type 4 with other planes in the slots that have some; `None` where it cannot
    /// hold them.
    fn half_with_boxes(bits: &HalfNodeBits, boxes: &[Option<Aabb>; 4]) -> Option<HalfNodeBits>;

    /// The bytes of a box node with other planes in the slots that have some; `None` where its kind
    /// cannot hold them.
    fn with_boxes(
        &self,
        memory: &Memory<'_>,
        pointer: Bvh4Pointer,
        boxes: &[Option<Aabb>; 4],
    ) -> Option<Vec<u8>> {
        if !boxes.iter().flatten().all(Aabb::is_finite) {
            return None;
        }
        let address = self.address_of(pointer);
        if pointer.kind() == Bvh4Kind::HalfBox {
            let node = Self::half_with_boxes(&memory.half_node(address)?, boxes)?;
            return Some(node.to_bytes().to_vec());
        }
        let mut node = Fp32BoxNode::decode(&memory.node(address)?);
        for (own, fresh) in node.boxes.iter_mut().zip(boxes) {
            *own = fresh.unwrap_or(*own);
        }
        Some(node.encode().to_bytes().to_vec())
    }

    /// Whether primitives have ids of geometries.
    fn has_geometries(&self) -> bool {
        true
    }

    /// Whether procedural nodes hold their boxes, in the first six dwords.
    fn keeps_procedural_boxes(&self) -> bool {
        true
    }

    /// The header of the structure, if there is one.
    fn header(&self, memory: &Memory<'_>) -> Option<StoredHeader> {
        let _ = memory;
        None
    }

    /// The bounds that the header has, if it has some.
    fn header_bounds(&self, memory: &Memory<'_>) -> Option<Aabb> {
        let place = self.header(memory)?.bounds?;
        let words = memory.get(place, 24)?.chunks_exact(4);
        let planes: Vec<f32> =
            words.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        Some(Aabb::new(Vec3::from_slice(&planes[..3]), Vec3::from_slice(&planes[3..])))
    }

    /// Bytes that were allocated and those after compaction, if the header says so.
    fn sizes(&self, memory: &Memory<'_>) -> Option<[u64; 2]> {
        self.header(memory)?.sizes
    }

    /// What is wrong with a leaf, apart from its coordinates.
    fn check_leaf(&self, memory: &Memory<'_>, pointer: Bvh4Pointer, report: Report<'_>);

    /// What the planes of an unused slot should be, where they are not.
    fn unused_planes(
        &self,
        memory: &Memory<'_>,
        pointer: Bvh4Pointer,
        slot: usize,
        bounds: &Aabb,
    ) -> Option<&'static str>;

    /// Whether fp32 boxes count the triangles below.
    fn counts_triangles(&self) -> bool {
        true
    }

    /// What is odd about the fields of a box that belong to no used slot.
    fn check_box(
        &self,
        memory: &Memory<'_>,
        pointer: Bvh4Pointer,
        triangles: u32,
        report: Report<'_>,
    ) {
        let Some(node) = self.four_boxes(memory, pointer) else { return };
        for slot in (0u8..4).filter(|&k| node.children[usize::from(k)] == Bvh4Pointer::INVALID) {
            let bounds = &node.boxes[usize::from(slot)];
            if let Some(expected) = self.unused_planes(memory, pointer, slot.into(), bounds) {
                let name = format!("box {pointer}, slot {slot}");
                let texts = [box_text(bounds), expected.to_owned(), name];
                report(Rule::UnusedSlot, self.plane_bits(pointer, slot), texts);
            }
        }
        if self.counts_triangles()
            && pointer.kind() == Bvh4Kind::Fp32Box
            && let Some(bits) = memory.node(self.address_of(pointer))
        {
            let count = Fp32BoxNode::decode(&bits).primitive_count;
            if count != triangles {
                let texts = [count.to_string(), triangles.to_string(), format!("box {pointer}")];
                report(Rule::TriangleCount, Fp32BoxNode::primitive_count.bits(), texts);
            }
        }
    }
}

/// Where the fields of a box node are.
#[derive(Debug, Clone, Copy)]
pub struct BoxFields {
    /// What names the children, slot by slot.
    pub children: &'static Field,
    /// Their planes.
    pub planes: &'static Field,
    /// Their cull flags, in the low four bits of each element.
    pub cull_flags: &'static Field,
    /// What the planes count in, if that is stored: it stands before them.
    pub steps: Option<&'static Field>,
}

impl BoxFields {
    /// Those of an fp32 box node.
    pub const FP32: Self = Self {
        children: &Fp32BoxNode::children,
        planes: &Fp32BoxNode::boxes,
        cull_flags: &Fp32BoxNode::flag_bytes,
        steps: None,
    };

    fn of<D: Dialect>(pointer: Bvh4Pointer) -> Self {
        if pointer.kind() == Bvh4Kind::HalfBox { D::HALF_BOX } else { Self::FP32 }
    }
}

/// The box node at an address, if there is memory for it.
#[inline]
pub fn four_boxes<D: Dialect>(
    memory: &Memory<'_>,
    address: u64,
    pointer: Bvh4Pointer,
) -> Option<FourBoxes> {
    if pointer.kind() == Bvh4Kind::HalfBox {
        return Some(D::half_box(&memory.half_node(address)?));
    }
    Some(FourBoxes::from(&Fp32BoxNode::decode(&memory.node(address)?)))
}

/// The header of a structure.
#[derive(Debug, Clone)]
pub struct StoredHeader {
    /// Where it lies.
    pub bytes: Range<u64>,
    /// Where it has the bounds of everything: six `f32`.
    pub bounds: Option<u64>,
    /// Bytes allocated, and after compaction.
    pub sizes: Option<[u64; 2]>,
    /// Whose it is.
    pub kind: HeaderKind,
}

/// Whose header it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderKind {
    /// RADV's.
    Radv,
    /// GPURT's.
    Gpurt,
    /// GPURT's, as RADV's exporter fills it.
    RadvFile,
}

/// The primitives that a pointer reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafNode {
    /// How many there are.
    pub count: usize,
    /// The primitives.
    pub primitives: [StoredPrimitive; 2],
}

/// A primitive as a node stores it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredPrimitive {
    /// What it is.
    pub shape: Shape,
    /// Who it is.
    pub id: PrimitiveId,
}

/// What a primitive is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A triangle in its own order of corners.
    Triangle(Triangle),
    /// The box of a procedural.
    Box(Aabb),
}

/// An instance as a node stores it.
#[derive(Debug, Clone, Copy)]
pub struct StoredInstance<S> {
    /// The structure below.
    pub below: S,
    /// Takes world-space rays to object space.
    pub world_to_object: Transform,
    /// Which rays see it.
    pub mask: u8,
    /// The offset into the shader binding table.
    pub sbt_offset: u32,
    /// Its own flags.
    pub flags: InstanceFlags,
    /// The flags of its base pointer, where they act.
    pub base_flags: PointerFlags,
    /// Its own flags as software keeps them beside those of the base pointer.
    pub told: InstanceFlags,
    /// Flags in a base pointer that is an address and no more.
    pub stray_flags: PointerFlags,
    /// Low bits of the base pointer, which no address of a structure has.
    pub stray_address: u64,
    /// What the instance says of the header of its structure, and in which bits: how far before the
    /// nodes RADV's begins, or how much is before GPURT's.
    pub header_below: Option<(u32, (u32, u32))>,
    /// Position in the list of instances, where that is known.
    pub index: Option<u32>,
    /// What software keeps beside it.
    pub beside: Option<Beside>,
    /// Bits of base pointer and its flags, transform, index, way back.
    pub bits: InstanceBits,
}

/// Where the fields of an instance node are.
#[derive(Debug, Clone, Copy)]
pub struct InstanceBits {
    /// The base pointer.
    pub base: (u32, u32),
    /// The flags of the base pointer.
    pub flags: (u32, u32),
    /// The transform.
    pub transform: (u32, u32),
    /// The index.
    pub index: (u32, u32),
    /// The way back to the world.
    pub way_back: (u32, u32),
}

/// Where a parent is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParentPlace {
    /// The writer does not keep it.
    Nowhere,
    /// At an address, if there is one, with this value.
    At(Option<u64>, u32),
}

impl LeafNode {
    /// One primitive.
    #[must_use]
    pub const fn one(primitive: StoredPrimitive) -> Self {
        Self { count: 1, primitives: [primitive; 2] }
    }

    /// Two primitives.
    #[must_use]
    pub const fn two(primitives: [StoredPrimitive; 2]) -> Self {
        Self { count: 2, primitives }
    }

    /// The primitives.
    #[must_use]
    pub fn all(&self) -> &[StoredPrimitive] {
        &self.primitives[..self.count.min(2)]
    }

    /// Whether it is a procedural.
    #[must_use]
    pub fn is_procedural(&self) -> bool {
        matches!(self.primitives[0].shape, Shape::Box(_))
    }
}

impl StoredPrimitive {
    /// Whether it counts as opaque.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.id.flags.contains(PrimitiveFlags::OPAQUE)
    }
}

/// The bits of a field as [`InstanceBits`] keeps them.
#[must_use]
pub const fn field_bits(bits: Range<u32>) -> (u32, u32) {
    (bits.start, bits.end)
}

/// Where a leaf describes its triangles: a dword that all writers have in one place.
pub const ID_WORD_BITS: Range<u32> = 480..512;

/// What is wrong with the descriptions of triangles in the id word of a leaf; `has_second` says
/// whether it describes one that a pointer of type 1 reaches. What does not exist in a generation
/// is not set in `infos`.
pub fn check_triangles(
    pointer: Bvh4Pointer,
    word: u32,
    infos: &[TriangleInfo],
    has_second: bool,
    report: Report<'_>,
) {
    let mut add = |rule: Rule, which: usize, expected: &str| {
        let start = ID_WORD_BITS.start + 8 * which as u32;
        let texts = [
            format!("id word {word:#010x}"),
            expected.to_owned(),
            format!("triangle node {pointer}"),
        ];
        report(rule, start..start + 8, texts);
    };
    match (pointer.kind(), has_second) {
        (Bvh4Kind::Triangle1, false) => {
            return add(
                Rule::AbsentTriangle,
                1,
                "a description of triangle 1, for type 1 names it",
            );
        }
        (Bvh4Kind::Triangle0, true) => {
            add(Rule::LostPrimitive, 1, "a pointer of type 1, for triangle 1 is described");
        }
        _ => (),
    }
    let procedural = infos.iter().rposition(|info| info.procedural);
    if let Some(which) = procedural.filter(|_| infos.len() == 2) {
        add(Rule::ProceduralPair, which, "no procedural in a pair");
    }
    for (which, info) in infos.iter().enumerate().filter(|(_, info)| !info.procedural) {
        if !info.has_sources() {
            add(Rule::Sources, which, "two different sources of 0, 1 and 2");
        } else if !info.keeps_winding() {
            add(Rule::Winding, which, "sources 1 2, 2 0 or 0 1 and no flipped winding");
        }
    }
}
