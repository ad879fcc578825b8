//! One acceleration structure inside an image: where its nodes count from, and where it starts.
//!
//! The structure of the root has the image's two bases; a structure below an instance has one, its
//! address. A GPURT header lies at the base if the root pointer is 0x15 and the header's level of
//! ray-tracing IP is 6. Below an instance nothing states the root, so there the header decides:
//! with one the root is 0x15, without one 0x5.

use super::memory::Memory;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::{GpurtHeader, NODE_BYTES, NodePointer, RTIP_3_1};
use machine::Image;

/// A structure, as it is entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Structure {
    /// Box pointers count from here.
    pub box_base: u64,
    /// Primitive and instance pointers count from here.
    pub primitive_base: u64,
    /// The first node.
    pub root: NodePointer,
    /// GPURT's header at [`Structure::box_base`], where there is one.
    pub header: Option<GpurtHeader>,
}

impl Structure {
    /// The structure that an image starts in. Missing bases are 0.
    #[must_use]
    pub fn of_root(image: &Image, memory: &Memory<'_>) -> Self {
        let box_base = image.bases.first().copied().unwrap_or(0);
        let primitive_base = image.bases.get(1).copied().unwrap_or(box_base);
        let root = NodePointer(u32::try_from(image.root).unwrap_or(NodePointer::INVALID.0));
        let is_behind_header = root == NodePointer::ROOT_BEHIND_HEADER;
        let header = header_at(memory, box_base).filter(|_| is_behind_header);
        Self { box_base, primitive_base, root, header }
    }

    /// The structure at the child base of an instance.
    #[must_use]
    pub fn at(memory: &Memory<'_>, base: u64) -> Self {
        let header = header_at(memory, base);
        let root = match header {
            Some(_) => NodePointer::ROOT_BEHIND_HEADER,
            None => NodePointer::ROOT,
        };
        Self { box_base: base, primitive_base: base, root, header }
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
        let header = self.header?;
        let node = self.address_of(pointer).checked_sub(self.box_base)?;
        self.sideband(node.checked_sub(u64::from(header.leaf_node_offset))? / NODE_BYTES)
    }

    /// The address of a sideband record, under the same conditions.
    pub(crate) fn sideband(&self, number: u64) -> Option<u64> {
        let header = self.header?;
        let start = u64::from(header.geometry_info_offset) + 64 * number;
        (start + 64 <= u64::from(header.primitive_pointer_offset)).then(|| self.box_base + start)
    }
}

/// The header at an address, if it is one of this format.
fn header_at(memory: &Memory<'_>, base: u64) -> Option<GpurtHeader> {
    let header = GpurtHeader::decode(&memory.node(base)?);
    (header.rt_ip_level == RTIP_3_1).then_some(header)
}
