//! How the nodes of a structure are read, by generation and writer, for everything that 4-wide
//! formats share ([`bvh4::image`]).

use crate::layout::halves;
use crate::layout::{
    GpurtInstanceNode, GpurtTriangleNode, ProceduralNode, RadvInstanceNode, RadvProceduralNode,
    RadvTriangleNode,
};
use crate::{GFX11_NAME, Generation, Writer};
use bvh4::decode::instance::{Beside, instance_flags};
use bvh4::image::dialect::{BoxFields, ID_WORD_BITS, InstanceBits, field_bits};
use bvh4::image::examine::check_bases;
use bvh4::image::surveyor::collect;
use bvh4::image::{
    Dialect, Findings, HeaderKind, LeafNode, ParentPlace, Report, Rule, Shape, StoredHeader,
    StoredInstance, StoredPrimitive, check_triangles,
};
use bvh4::layout::base_pointer::{ADDRESS_MASK, flag_bits};
use bvh4::layout::triangle_info::{TriangleInfo, corners, own_triangle};
use bvh4::layout::{
    Bvh4Kind, Bvh4Pointer, CullFlags, Fp16BoxNode, GpurtHeader, PointerFlags, RadvHeader,
    parent_slot_address,
};
use bvh4::survey::{Memory, Space, records};
use bvh4::unit::FourBoxes;
use geometry::Aabb;
use machine::Image;
use machine::bits::HalfNodeBits;
use tree::{PrimitiveFlags, PrimitiveId};

/// A structure, as it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structure {
    /// Box pointers count from here.
    pub base: u64,
    /// Other pointers count from here; the same but for HIPRT.
    pub leaf_base: u64,
    /// The root pointer.
    pub root: Bvh4Pointer,
    /// Who wrote it.
    pub writer: Writer,
    /// Which hardware reads it.
    pub generation: Generation,
}

/// All structures of an image.
pub type Survey = records::Survey<Structure>;

/// What was reached in one structure. The root is a box; there are no boxes if it names none.
pub type Surveyed = records::Surveyed<Structure>;

/// The version in headers of files that RADV writes.
pub const RADV_FILE_VERSION: u32 = 0x0010_0001;

/// The levels of ray-tracing IP that headers of these generations name.
pub const RTIP_LEVELS: [u32; 2] = [2, 3];

impl Space for Structure {
    type Pointer = Bvh4Pointer;

    fn address_of(&self, pointer: Bvh4Pointer) -> u64 {
        let is_box = matches!(pointer.kind(), Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box);
        let base = if is_box { self.base } else { self.leaf_base };
        base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK
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

impl Structure {
    /// The writer that memory shows: two bases are HIPRT's, a header is its driver's, and what has
    /// neither is siliray's.
    #[must_use]
    pub fn detect(memory: &Memory<'_>, bases: [u64; 2], root: Bvh4Pointer) -> Writer {
        let [base, leaf_base] = bases;
        if base != leaf_base {
            return Writer::Hiprt;
        }
        if root == Bvh4Pointer::ROOT_BEHIND_HEADER
            && let Some(header) = gpurt_header(memory, base)
        {
            let is_radv = header.version == RADV_FILE_VERSION;
            return if is_radv { Writer::RadvFile } else { Writer::Gpurt };
        }
        if memory.radv_header(base).is_some() { Writer::Radv } else { Writer::Own }
    }

    /// Whether the hardware reads flags of pointers and of boxes here.
    #[must_use]
    pub const fn has_flags(&self) -> bool {
        matches!(self.generation, Generation::Gfx11) && !matches!(self.writer, Writer::Hiprt)
    }

    /// How many triangles a pointer reaches. HIPRT names pairs by type 0.
    fn triangle_count(&self, pointer: Bvh4Pointer, node: &GpurtTriangleNode) -> usize {
        let is_pair = match self.writer {
            Writer::Hiprt => node.primitive_ids[0] != node.primitive_ids[1],
            _ => pointer.kind() == Bvh4Kind::Triangle1,
        };
        1 + usize::from(is_pair)
    }

    /// A primitive of a triangle node, as its writer means it.
    #[must_use]
    pub fn triangle(&self, bits: &HalfNodeBits, which: usize) -> StoredPrimitive {
        let node = GpurtTriangleNode::decode(bits);
        let info = TriangleInfo::from_byte(node.id_word.to_le_bytes()[which & 1]);
        let tested = corners(&node.vertices, which);
        let (geometry, primitive, is_opaque) = match self.writer {
            Writer::Own | Writer::Gpurt => {
                let opaque = node.geometry_flags & 1 != 0;
                (node.geometry_id, node.primitive_ids[which & 1], opaque)
            }
            Writer::RadvFile => {
                let [geometry, opaque] = file_geometry(bits.word(12));
                (geometry, node.primitive_ids[which & 1], opaque != 0)
            }
            Writer::Radv => {
                let node = RadvTriangleNode::decode(bits);
                (node.geometry_id, node.primitive_id, node.geometry_flags & 8 != 0)
            }
            // HIPRT has no geometries and lets every hit count.
            Writer::Hiprt => (0, node.primitive_ids[which & 1], true),
        };
        let flags = primitive_flags(is_opaque, info.double_sided);
        StoredPrimitive {
            shape: Shape::Triangle(own_triangle(tested, info)),
            id: PrimitiveId { geometry, primitive, flags },
        }
    }

    /// A procedural below a slot with these planes: RADV keeps no other box.
    fn procedural(&self, bits: &HalfNodeBits, slot: &Aabb) -> StoredPrimitive {
        let node = ProceduralNode::decode(bits);
        let (bounds, geometry, primitive, is_opaque) = match self.writer {
            Writer::Radv => {
                let node = RadvProceduralNode::decode(bits);
                (*slot, node.geometry_id, node.primitive_id, node.geometry_flags & 8 != 0)
            }
            Writer::RadvFile => {
                let [geometry, opaque] = file_geometry(bits.word(12));
                (node.bounds, geometry, node.file_primitive_id, opaque != 0)
            }
            Writer::Own | Writer::Gpurt | Writer::Hiprt => {
                (node.bounds, node.geometry_id, node.primitive_id, node.geometry_flags & 1 != 0)
            }
        };
        let flags = primitive_flags(is_opaque, false);
        StoredPrimitive {
            shape: Shape::Box(bounds),
            id: PrimitiveId { geometry, primitive, flags },
        }
    }

    fn below(&self, base: u64, root: Bvh4Pointer) -> Self {
        Self { base, leaf_base: base, root, ..*self }
    }
}

/// RADV's exporter has 28 bits of id, and flags of which the last says opaque.
fn file_geometry(word: u32) -> [u32; 2] {
    [word & 0x0FFF_FFFF, word >> 31]
}

fn primitive_flags(is_opaque: bool, is_double_sided: bool) -> PrimitiveFlags {
    let mut flags = PrimitiveFlags::empty();
    flags.set(PrimitiveFlags::OPAQUE, is_opaque);
    flags.set(PrimitiveFlags::DOUBLE_SIDED, is_double_sided);
    flags
}

/// GPURT's header at a base, if it is one of these generations.
#[must_use]
pub fn gpurt_header(memory: &Memory<'_>, base: u64) -> Option<GpurtHeader> {
    let header = GpurtHeader::decode(&memory.node(base)?);
    RTIP_LEVELS.contains(&header.rt_ip_level).then_some(header)
}

/// The bits of an instance node whose fields have the names of these.
macro_rules! instance_bits {
    ($node:ident) => {
        InstanceBits {
            base: field_bits($node::child_base.bits()),
            flags: field_bits(flag_bits(&$node::child_base)),
            transform: field_bits($node::world_to_object.bits()),
            index: field_bits($node::instance_index.bits()),
            way_back: field_bits($node::object_to_world.bits()),
        }
    };
}

impl Dialect for Structure {
    const HALF_BOX: BoxFields = BoxFields { planes: &Fp16BoxNode::planes, ..BoxFields::FP32 };

    fn of_root(image: &Image, memory: &Memory<'_>) -> Self {
        let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
        let leaf_base = image.bases.get(1).map_or(base, |base| base & ADDRESS_MASK);
        let root = u32::try_from(image.root).map_or(Bvh4Pointer::INVALID, Bvh4Pointer);
        let named = image.bases.get(2).copied().and_then(Writer::of_code);
        let writer = named.unwrap_or_else(|| Self::detect(memory, [base, leaf_base], root));
        let is_gfx11 = image.format == GFX11_NAME;
        let generation = if is_gfx11 { Generation::Gfx11 } else { Generation::Gfx10 };
        Self { base, leaf_base, root, writer, generation }
    }

    fn check_image(image: &Image, memory: &Memory<'_>, findings: &mut Findings) {
        let structure = Self::of_root(image, memory);
        let bases = &image.bases[..image.bases.len().min(2)];
        if structure.writer == Writer::Hiprt {
            bases.chunks(1).for_each(|base| check_bases(image, memory, base, findings));
        } else {
            check_bases(image, memory, bases, findings);
        }
        let found = Self::detect(memory, [structure.base, structure.leaf_base], structure.root);
        let is_known = image.bases.get(2).is_none_or(|&code| Writer::of_code(code).is_some());
        if found != structure.writer || !is_known {
            findings.add_at(Rule::Writer, memory, structure.base, 0..0, || {
                let found = format!("what {} puts before nodes", found.name());
                [found, format!("that of {}", structure.writer.name()), "writer".into()]
            });
        }
        if structure.writer == Writer::Hiprt && structure.generation == Generation::Gfx11 {
            findings.add_at(Rule::CullFlagDword, memory, structure.base, 896..928, || {
                let found = "the index of a parent in each box".to_owned();
                [found, "T# bit 119 clear, as HIPRT has it".into(), "box nodes".into()]
            });
        }
    }

    fn base(&self) -> u64 {
        self.base
    }

    fn is_root(kind: Bvh4Kind) -> bool {
        kind == Bvh4Kind::Fp32Box
    }

    fn child_types(&self) -> &'static str {
        match self.writer {
            Writer::Hiprt => {
                "type 0, 4 or 5: HIPRT's instances and procedurals are not read (R-33)"
            }
            _ => "a node of type 0, 1, 4, 5, 6 or 7",
        }
    }

    fn is_child(&self, kind: Bvh4Kind) -> bool {
        match kind {
            Bvh4Kind::OldTriangle => false,
            Bvh4Kind::Instance | Bvh4Kind::User => self.writer != Writer::Hiprt,
            _ => true,
        }
    }

    fn keeps_parents(&self) -> bool {
        self.writer != Writer::Hiprt
    }

    fn half_box(bits: &HalfNodeBits) -> FourBoxes {
        FourBoxes::from(&Fp16BoxNode::decode(bits))
    }

    fn has_cull_flags(&self) -> bool {
        self.has_flags()
    }

    fn leaf(&self, memory: &Memory<'_>, pointer: Bvh4Pointer, slot: &Aabb) -> Option<LeafNode> {
        let bits = memory.half_node(self.address_of(pointer))?;
        if pointer.kind() == Bvh4Kind::User {
            return Some(LeafNode::one(self.procedural(&bits, slot)));
        }
        let count = self.triangle_count(pointer, &GpurtTriangleNode::decode(&bits));
        Some(match count {
            1 => LeafNode::one(self.triangle(&bits, 0)),
            _ => LeafNode::two([self.triangle(&bits, 0), self.triangle(&bits, 1)]),
        })
    }

    fn instance(&self, memory: &Memory<'_>, pointer: Bvh4Pointer) -> Option<StoredInstance<Self>> {
        let bits = memory.node(self.address_of(pointer))?;
        // RADV's exporter drops the flags of base pointers.
        let acts = self.has_flags() && self.writer != Writer::RadvFile;
        let base_flags = |flags: PointerFlags| if acts { flags } else { PointerFlags::empty() };
        let own = |flags: PointerFlags, stored| if acts { instance_flags(flags) } else { stored };
        if self.writer == Writer::Radv {
            let node = RadvInstanceNode::decode(&bits);
            let flags = base_flags(node.child_base.flags());
            return Some(StoredInstance {
                below: self.below(node.child_base.address(), Bvh4Pointer::ROOT),
                world_to_object: node.world_to_object,
                mask: node.mask,
                sbt_offset: node.sbt_offset,
                flags: own(flags, node.flags()),
                told: node.flags(),
                base_flags: flags,
                stray_flags: node.child_base.flags() - flags,
                stray_address: node.child_base.stray_address(),
                header_below: Some((
                    node.bvh_offset,
                    field_bits(RadvInstanceNode::bvh_offset.bits()),
                )),
                index: Some(node.instance_index),
                beside: Some(Beside {
                    custom_index: node.custom_index,
                    object_to_world: node.object_to_world,
                }),
                bits: instance_bits!(RadvInstanceNode),
            });
        }
        let node = GpurtInstanceNode::decode(&bits);
        let flags = base_flags(node.child_base.flags());
        let root = match self.writer {
            Writer::RadvFile => Bvh4Pointer::ROOT_BEHIND_HEADER,
            _ => node.child_root,
        };
        Some(StoredInstance {
            below: self.below(node.child_base.address(), root),
            world_to_object: node.world_to_object,
            mask: node.mask,
            sbt_offset: node.sbt_offset,
            flags: own(flags, node.flags()),
            told: node.flags(),
            base_flags: flags,
            // GPURT's loops drop them.
            stray_flags: PointerFlags::empty(),
            stray_address: node.child_base.stray_address(),
            header_below: (self.writer == Writer::Gpurt).then(|| {
                let bits = field_bits(GpurtInstanceNode::metadata_size.bits());
                (node.metadata_size, bits)
            }),
            index: Some(node.instance_index),
            beside: Some(Beside {
                custom_index: node.instance_id,
                object_to_world: node.object_to_world,
            }),
            bits: instance_bits!(GpurtInstanceNode),
        })
    }

    fn parent_place(&self, node: Bvh4Pointer, parent: Bvh4Pointer) -> ParentPlace {
        if self.writer != Writer::Hiprt {
            let slot = parent_slot_address(self.base, node, self.writer.first_unit());
            return ParentPlace::At(slot, parent.0);
        }
        if node.kind() != Bvh4Kind::Fp32Box {
            return ParentPlace::Nowhere;
        }
        let is_root = parent == Bvh4Pointer::INVALID;
        let index = if is_root { u32::MAX } else { parent.0 >> 4 };
        ParentPlace::At(Some(self.address_of(node) + 4 * 28), index)
    }

    fn said_flags(&self, pointer: Bvh4Pointer, is_top: bool) -> CullFlags {
        match self.writer {
            _ if !self.has_flags() || pointer.kind() != Bvh4Kind::Fp32Box => CullFlags::empty(),
            Writer::Radv => CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE,
            Writer::Own if is_top => CullFlags::empty(),
            Writer::Own | Writer::Gpurt => CullFlags::all(),
            Writer::Hiprt | Writer::RadvFile => CullFlags::empty(),
        }
    }

    fn half_with_boxes(bits: &HalfNodeBits, boxes: &[Option<Aabb>; 4]) -> Option<HalfNodeBits> {
        let mut node = Fp16BoxNode::decode(bits);
        for (slot, bounds) in boxes.iter().enumerate() {
            if let Some(bounds) = bounds {
                node.planes[slot] = halves::planes(bounds);
                if !node.child_box(slot).is_finite() {
                    return None;
                }
            }
        }
        Some(node.encode())
    }

    fn has_geometries(&self) -> bool {
        self.writer != Writer::Hiprt
    }

    fn keeps_procedural_boxes(&self) -> bool {
        self.writer != Writer::Radv
    }

    fn header(&self, memory: &Memory<'_>) -> Option<StoredHeader> {
        let segment = &memory.segments()[memory.segment_of(self.base)?];
        let end = segment.address + segment.bytes().len() as u64;
        if self.writer == Writer::Radv {
            let header = memory.radv_header(self.base)?;
            let start = self.base - u64::from(header.bvh_offset);
            return Some(StoredHeader {
                bytes: start..start + RadvHeader::BYTES,
                bounds: Some(start + u64::from(RadvHeader::root_min.bits().start / 8)),
                sizes: Some([end - start, header.compacted_size]),
                kind: HeaderKind::Radv,
            });
        }
        let header = gpurt_header(memory, self.base).filter(|_| self.writer.is_behind_header())?;
        let start = self.base + u64::from(GpurtHeader::root_min.bits().start / 8);
        let is_sized = header.compacted_size > 0;
        let sizes = [header.total_size, header.compacted_size].map(u64::from);
        Some(StoredHeader {
            bytes: self.base..self.base + 128,
            // RADV's exporter leaves the bounds out.
            bounds: (self.writer == Writer::Gpurt).then_some(start),
            sizes: Some(if is_sized { sizes } else { [end - segment.address; 2] }),
            kind: match self.writer {
                Writer::RadvFile => HeaderKind::RadvFile,
                _ => HeaderKind::Gpurt,
            },
        })
    }

    fn check_leaf(&self, memory: &Memory<'_>, pointer: Bvh4Pointer, report: Report<'_>) {
        if pointer.kind() == Bvh4Kind::User {
            return;
        }
        let Some(bits) = memory.half_node(self.address_of(pointer)) else { return };
        let node = GpurtTriangleNode::decode(&bits);
        let word = node.id_word;
        let has_second = word >> 8 & 0xFF != 0 && self.writer != Writer::Hiprt;
        let infos = word
            .to_le_bytes()
            .map(|byte| TriangleInfo { procedural: false, ..TriangleInfo::from_byte(byte) });
        let infos = &infos[..self.triangle_count(pointer, &node)];
        check_triangles(pointer, word, infos, has_second, report);
        for (which, info) in infos.iter().enumerate().filter(|_| self.has_flags()) {
            let is_opaque = self.triangle(&bits, which).is_opaque();
            if info.opaque != is_opaque && self.writer != Writer::RadvFile {
                let start = ID_WORD_BITS.start + 8 * which as u32;
                let texts = [
                    format!("bit 7 is {}", u8::from(info.opaque)),
                    format!("{}, as the geometry word has it", u8::from(is_opaque)),
                    format!("triangle {which} of node {pointer}"),
                ];
                report(Rule::Opacity, start + 7..start + 8, texts);
            }
        }
    }

    fn unused_planes(
        &self,
        _: &Memory<'_>,
        _: Bvh4Pointer,
        _: usize,
        bounds: &Aabb,
    ) -> Option<&'static str> {
        (!is_inert(bounds)).then_some("NaN, zero or inverted planes")
    }

    fn counts_triangles(&self) -> bool {
        self.writer == Writer::Own
    }
}

/// Planes that writers leave in unused slots: NaN, zero, inverted.
fn is_inert(bounds: &Aabb) -> bool {
    let planes = || bounds.min.to_array().into_iter().chain(bounds.max.to_array());
    planes().all(f32::is_nan) || planes().all(|plane| plane == 0.0) || bounds.is_empty()
}
