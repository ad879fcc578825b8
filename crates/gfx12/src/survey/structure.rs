//! One acceleration structure inside an image: where its nodes count from, and where it starts.
//!
//! The structure of the root has the image's two bases; a structure below an instance has those
//! that the instance leads to. Headers are found where their writers put them:
//!
//! | writer | header | base | root |
//! |---|---|---|---|
//! | GPURT, and files of RADV | at the base; its level of ray-tracing IP is 6 | the header | 0x15 |
//! | RADV | before the base, to which its offset leads | the first node | 0x5 |
//! | HIPRT | at the start of the segment; its addresses are the bases | two of them | 0x5 |
//! | none of them | none | the first node | 0x5 below an instance |
//!
//! Of nodes without a header, an image may name the writer.

use super::memory::Memory;
use super::records::{Space, Survey, Surveyed};
use crate::findings::Findings;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::{
    Bits, GpurtHeader, HiprtHeader, InstanceNode, NODE_BYTES, Naming, NodeBits, NodePointer,
    PrimitiveNode, RTIP_3_1, RadvHeader,
};
use bvh4::writer::Writer;
use machine::{Image, Segment};

/// A structure, as it is entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Structure {
    /// Box pointers count from here.
    pub box_base: u64,
    /// Primitive and instance pointers count from here.
    pub primitive_base: u64,
    /// The first node.
    pub root: NodePointer,
    /// What stands before the nodes, where that is known.
    pub header: Option<Header>,
    /// Who wrote it, if nothing before the nodes shows it and the image names the writer.
    pub named_writer: Option<Writer>,
}

/// What a writer puts before the nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Header {
    /// GPURT's, or that of a file.
    Gpurt(GpurtHeader),
    /// RADV's.
    Radv(RadvHeader),
    /// HIPRT's.
    Hiprt(HiprtHeader),
}

/// The driver interface version in the headers of files that RADV writes.
pub const RADV_FILE_VERSION: u32 = 8 << 16;
/// Likewise, of Mesa after 26.0: a version that GPURT has had too.
const RADV_NEWER_VERSION: u32 = 16 << 16 | 1;

/// Whether RADV wrote the header of a file. It leaves out the box around everything.
const fn is_radv_file(header: &GpurtHeader) -> bool {
    let has_bounds =
        !matches!((header.root_min, header.root_max), ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]));
    match header.version {
        RADV_FILE_VERSION => true,
        RADV_NEWER_VERSION => !has_bounds,
        _ => false,
    }
}

impl Header {
    /// Whether it says BLAS.
    #[must_use]
    pub const fn is_blas(&self) -> bool {
        match self {
            Self::Gpurt(header) => header.is_blas(),
            Self::Radv(header) => header.is_blas(),
            Self::Hiprt(header) => header.scene.is_none(),
        }
    }
}

impl Structure {
    /// The structure that an image starts in. Missing bases are 0.
    #[must_use]
    pub fn of_root(image: &Image, memory: &Memory<'_>) -> Self {
        let box_base = image.bases.first().copied().unwrap_or(0);
        let primitive_base = image.bases.get(1).copied().unwrap_or(box_base);
        let root = NodePointer(u32::try_from(image.root).unwrap_or(NodePointer::INVALID.0));
        let known = Self::at(memory, box_base);
        let is_same = known.root == root && known.primitive_base == primitive_base;
        let header = known.header.filter(|_| is_same);
        let named_writer = image.bases.get(2).copied().and_then(Writer::of_code);
        Self { box_base, primitive_base, root, header, named_writer }
    }

    /// The structure whose nodes count from a base.
    #[must_use]
    pub fn at(memory: &Memory<'_>, base: u64) -> Self {
        let segment = memory.segment_of(base).map(|number| &memory.segments()[number]);
        let known = segment.and_then(Self::of_segment).filter(|known| known.box_base == base);
        known.unwrap_or_else(|| {
            let gpurt = memory.get(base, NODE_BYTES as usize).and_then(gpurt_header);
            let header = gpurt.or_else(|| memory.radv_header(base).map(Header::Radv));
            Self::new(base, header)
        })
    }

    /// The structure whose nodes count from a base, in the image of this one.
    #[must_use]
    pub fn beside(&self, memory: &Memory<'_>, base: u64) -> Self {
        Self { named_writer: self.named_writer, ..Self::at(memory, base) }
    }

    /// The structure below an instance of this one.
    #[must_use]
    pub fn below(&self, memory: &Memory<'_>, instance: &InstanceNode) -> Self {
        if !self.is_hiprt() {
            return self.beside(memory, instance.child_base.address());
        }
        let address = instance.child_base.0;
        let bytes = memory.get(address, HiprtHeader::BYTES as usize);
        let known = bytes.and_then(|bytes| Self::of_bytes(address, bytes));
        let found = known.unwrap_or_else(|| Self::new(address & ADDRESS_MASK, None));
        Self { named_writer: self.named_writer, ..found }
    }

    /// The structure whose header a segment begins with.
    #[must_use]
    pub fn of_segment(segment: &Segment) -> Option<Self> {
        Self::of_bytes(segment.address, segment.bytes())
    }

    /// The structure whose header some bytes begin with.
    #[must_use]
    pub(crate) fn of_bytes(address: u64, bytes: &[u8]) -> Option<Self> {
        if let Some(header) = bytes.get(..NODE_BYTES as usize).and_then(gpurt_header) {
            return Some(Self::new(address, Some(header)));
        }
        let start = bytes.first_chunk();
        if let Some(header) = start.and_then(|start| HiprtHeader::decode(address, start)) {
            return Some(Self::new(header.box_nodes, Some(Header::Hiprt(header))));
        }
        let header = RadvHeader::of_bytes(bytes)?;
        let base = address.checked_add(header.bvh_offset.into())?;
        Some(Self::new(base, Some(Header::Radv(header))))
    }

    fn new(base: u64, header: Option<Header>) -> Self {
        let root = match header {
            Some(Header::Gpurt(_)) => NodePointer::ROOT_BEHIND_HEADER,
            Some(Header::Radv(_) | Header::Hiprt(_)) | None => NodePointer::ROOT,
        };
        let primitive_base = match header {
            Some(Header::Hiprt(header)) => header.primitive_nodes,
            _ => base,
        };
        Self { box_base: base, primitive_base, root, header, named_writer: None }
    }

    /// GPURT's header, where there is one.
    #[must_use]
    pub const fn gpurt(&self) -> Option<&GpurtHeader> {
        match &self.header {
            Some(Header::Gpurt(header)) => Some(header),
            _ => None,
        }
    }

    /// Who wrote it, as far as its header or the image says.
    #[must_use]
    pub const fn writer(&self) -> Option<Writer> {
        match &self.header {
            Some(Header::Gpurt(header)) if is_radv_file(header) => Some(Writer::RadvFile),
            Some(Header::Gpurt(_)) => Some(Writer::Gpurt),
            Some(Header::Radv(_)) => Some(Writer::Radv),
            Some(Header::Hiprt(_)) => Some(Writer::Hiprt),
            None => self.named_writer,
        }
    }

    /// Whether RADV wrote it, to memory or to a file.
    #[must_use]
    pub const fn is_radv(&self) -> bool {
        matches!(self.writer(), Some(Writer::Radv | Writer::RadvFile))
    }

    /// Whether HIPRT wrote it.
    #[must_use]
    pub const fn is_hiprt(&self) -> bool {
        matches!(self.writer(), Some(Writer::Hiprt))
    }

    /// How instances name nodes of this structure.
    #[must_use]
    pub const fn naming(&self) -> Naming {
        match self.header {
            Some(Header::Gpurt(_)) => Naming::BehindHeader,
            _ if self.is_hiprt() => Naming::Root,
            _ => Naming::Pointers,
        }
    }

    /// The mask of an instance of this structure. HIPRT has the hardware test none, and keeps its
    /// own where others have the parent.
    #[must_use]
    pub const fn mask_of(&self, instance: &InstanceNode) -> u8 {
        if self.is_hiprt() { instance.parent.0 as u8 } else { instance.mask }
    }

    /// A primitive node of this structure.
    #[must_use]
    pub fn primitive_node(&self, bits: &NodeBits) -> PrimitiveNode {
        let node = PrimitiveNode::decode(bits);
        if self.is_hiprt() { node.without_geometry_ids() } else { node }
    }

    /// Where the node behind a pointer lies.
    #[must_use]
    pub fn address_of(&self, pointer: NodePointer) -> u64 {
        let base = if pointer.is_box() { self.box_base } else { self.primitive_base };
        base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK
    }

    /// The address of GPURT's sideband record of the instance node behind a pointer, if there is a
    /// header and the record would lie before the list of primitive node pointers.
    #[must_use]
    pub fn sideband_of(&self, pointer: NodePointer) -> Option<u64> {
        let leaves = self.gpurt()?.leaf_node_offset;
        let node = self.address_of(pointer).checked_sub(self.box_base)?;
        self.sideband(node.checked_sub(u64::from(leaves))? / NODE_BYTES)
    }

    /// The address of a sideband record, under the same conditions.
    pub(crate) fn sideband(&self, number: u64) -> Option<u64> {
        let header = self.gpurt()?;
        let start = u64::from(header.geometry_info_offset) + 64 * number;
        (start + 64 <= u64::from(header.primitive_pointer_offset)).then(|| self.box_base + start)
    }
}

impl Space for Structure {
    type Pointer = NodePointer;

    fn address_of(&self, pointer: NodePointer) -> u64 {
        Self::address_of(self, pointer)
    }

    fn root(&self) -> NodePointer {
        self.root
    }

    fn survey(image: &Image) -> Survey<Self> {
        super::collect(image, &Memory::new(image), &mut Findings::default())
    }

    /// One that holds nothing is what its header says.
    fn is_tlas(surveyed: &Surveyed<Self>) -> bool {
        let says_tlas = surveyed.structure.header.is_some_and(|header| !header.is_blas());
        !surveyed.instances.is_empty() || says_tlas && surveyed.leaves.is_empty()
    }
}

/// GPURT's header, if it is one of this format.
fn gpurt_header(bytes: &[u8]) -> Option<Header> {
    let header = GpurtHeader::decode(&Bits::from_bytes(bytes));
    (header.rt_ip_level == RTIP_3_1).then_some(Header::Gpurt(header))
}
