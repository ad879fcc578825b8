//! Typed access to an image. Everything is total: what is not there reads as empty or zero, so that
//! the check can look at anything; on a proved image nothing is missing.

use super::flatten::Name;
use super::header::{HEADER_BYTES, Header, NAME_BYTES};
use super::instance::{BLAS_BYTES, BlasRecord, INSTANCE_BYTES, InstanceRecord};
use super::quantise::Quantiser;
use crate::layout::node::{Child, NodeShape};
use crate::layout::records::{TRI_RANGE_BYTES, TriRange, triangle_bytes};
use crate::memory::{element_at, u32_at};
use crate::offload::JobOptions;
use crate::policy::Policy;
use geometry::{Aabb, Triangle};
use machine::bits::Bits;
use machine::{Image, Segment};
use std::ops::Range;
use tree::{PrimitiveFlags, PrimitiveId};

/// Units of 16 bytes in an instance's record.
const INSTANCE_UNITS: u32 = (INSTANCE_BYTES / TRI_RANGE_BYTES) as u32;

/// An image with its header understood.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    segment: &'a Segment,
    /// The header.
    pub header: Header,
    /// The policy that it puts in force.
    pub policy: Policy,
    /// Where things are in a node.
    pub shape: NodeShape,
}

/// A header that makes sense, and where it lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parsed {
    /// The number of its segment.
    segment: usize,
    header: Header,
    policy: Policy,
    shape: NodeShape,
}

impl Parsed {
    pub(crate) fn new(image: &Image) -> Option<Self> {
        let holds = |segment: &Segment| segment.get(image.root, HEADER_BYTES).is_some();
        let segment = image.segments.iter().position(holds)?;
        let header = Header::from_bytes(image.segments[segment].get(image.root, HEADER_BYTES)?)?;
        let policy = header.registers.policy()?;
        let wide = header.options & JobOptions::NODE8.bits() != 0;
        let shape = NodeShape::new(policy.format, header.node_layout(), wide);
        Some(Self { segment, header, policy, shape })
    }

    /// The contents of the image that it was parsed from.
    pub(crate) fn contents<'a>(&self, image: &'a Image) -> Contents<'a> {
        let Self { segment, header, policy, shape } = *self;
        Contents { segment: &image.segments[segment], header, policy, shape }
    }
}

impl<'a> Contents<'a> {
    /// The contents of an image; `None` without a header that makes sense.
    #[must_use]
    pub fn new(image: &'a Image) -> Option<Self> {
        Parsed::new(image).map(|parsed| parsed.contents(image))
    }

    /// The bytes at an address.
    #[must_use]
    pub fn bytes(&self, address: u64, length: usize) -> Option<&'a [u8]> {
        self.segment.get(address, length)
    }

    /// How far an address lies from the start of the segment.
    #[must_use]
    pub fn offset(&self, address: u64) -> u64 {
        address.wrapping_sub(self.segment.address)
    }

    /// Whether node 0 is the root of a TLAS.
    #[must_use]
    pub const fn has_instances(&self) -> bool {
        self.header.blases != 0
    }

    /// The contents as one of its levels: 0 is the tree of node 0, `n + 1` is BLAS `n`.
    #[must_use]
    pub fn level(&self, level: u32) -> Self {
        let Some(number) = level.checked_sub(1) else { return *self };
        let BlasRecord { base, nodes, ranges, .. } = self.blas(number);
        Self { header: Header { base, nodes, ranges, blases: 0, ..self.header }, ..*self }
    }

    /// The triangles that the ranges of a level may name.
    #[must_use]
    pub fn level_triangles(&self, level: u32) -> Range<u32> {
        let Some(number) = level.checked_sub(1) else { return 0..self.header.triangles };
        let BlasRecord { first_triangle, triangles, .. } = self.blas(number);
        first_triangle..first_triangle.saturating_add(triangles)
    }

    /// Address of a BLAS's record: they follow those of the instances.
    #[must_use]
    pub fn blas_address(&self, number: u32) -> u64 {
        let nodes = self.first_range() * TRI_RANGE_BYTES as u64;
        let instances = u64::from(self.header.ranges) * INSTANCE_BYTES as u64;
        let table = self.header.base.wrapping_add(nodes).wrapping_add(instances);
        table.wrapping_add(u64::from(number) * BLAS_BYTES as u64)
    }

    /// A BLAS.
    #[must_use]
    pub fn blas(&self, number: u32) -> BlasRecord {
        let bytes = self.bytes(self.blas_address(number), BLAS_BYTES);
        bytes.map_or(BlasRecord::default(), |bytes| BlasRecord::decode(&Bits::from_bytes(bytes)))
    }

    /// The index by which a leaf names an instance.
    #[must_use]
    pub fn instance_index(&self, number: u32) -> u32 {
        (self.first_range() as u32).wrapping_add(number.wrapping_mul(INSTANCE_UNITS))
    }

    /// The instance that a leaf's index names.
    #[must_use]
    pub fn instance_number(&self, index: u32) -> Option<u32> {
        let offset = index.checked_sub(u32::try_from(self.first_range()).ok()?)?;
        let number = offset / INSTANCE_UNITS;
        (offset % INSTANCE_UNITS == 0 && number < self.header.ranges).then_some(number)
    }

    /// The record of an instance; `None` if it is not there.
    #[must_use]
    pub fn instance(&self, number: u32) -> Option<InstanceRecord> {
        let address = self.range_address(self.instance_index(number));
        let bytes = self.bytes(address, INSTANCE_BYTES)?;
        Some(InstanceRecord::decode(&Bits::from_bytes(bytes)))
    }

    /// Address of a node.
    #[must_use]
    pub fn node_address(&self, node: u32) -> u64 {
        self.header.base.wrapping_add(u64::from(node) * self.shape.stride() as u64)
    }

    /// The bytes of a node; none if it is not there.
    #[must_use]
    pub fn node(&self, node: u32) -> &'a [u8] {
        self.bytes(self.node_address(node), self.shape.bytes()).unwrap_or_default()
    }

    /// A child of a node.
    #[must_use]
    pub fn child(&self, node: u32, slot: usize) -> Child {
        self.shape.child(self.node(node), slot)
    }

    /// Index of the first TriRange, in units of 16 bytes from node 0.
    #[must_use]
    pub fn first_range(&self) -> u64 {
        u64::from(self.header.nodes) * self.shape.stride() as u64 / TRI_RANGE_BYTES as u64
    }

    /// Address of the TriRange that a leaf's index names.
    #[must_use]
    pub fn range_address(&self, index: u32) -> u64 {
        self.header.base.wrapping_add(u64::from(index) * TRI_RANGE_BYTES as u64)
    }

    /// The TriRange that a leaf's index names.
    #[must_use]
    pub fn range(&self, index: u32) -> TriRange {
        let bytes = self.bytes(self.range_address(index), TRI_RANGE_BYTES);
        let bytes = bytes.and_then(|bytes| bytes.first_chunk());
        bytes.map_or(TriRange { first: 0, count: 0, base: 0 }, TriRange::from_bytes)
    }

    /// Address of a triangle.
    #[must_use]
    pub fn triangle_address(&self, number: u32) -> u64 {
        let bytes = triangle_bytes(self.policy.format) as u64;
        self.header.triangle_base.wrapping_add(u64::from(number) * bytes)
    }

    /// The elements of a triangle.
    #[must_use]
    pub fn elements(&self, number: u32) -> [u32; 9] {
        let width = self.policy.format.bytes();
        let bytes = self.bytes(self.triangle_address(number), 9 * width).unwrap_or_default();
        std::array::from_fn(|k| element_at(bytes, k * width, width))
    }

    /// A triangle.
    #[must_use]
    pub fn triangle(&self, number: u32) -> Triangle {
        self.quantiser().triangle(&self.elements(number))
    }

    /// The decoded box of a child.
    #[must_use]
    pub fn bounds(&self, child: &Child) -> Aabb {
        self.quantiser().bounds(child.bounds)
    }

    /// The name of a triangle.
    #[must_use]
    pub fn name(&self, number: u32) -> Name {
        let address = self.header.names.wrapping_add(u64::from(number) * NAME_BYTES as u64);
        let bytes = self.bytes(address, NAME_BYTES).unwrap_or_default();
        Name { instance: u32_at(bytes, 0), geometry: u32_at(bytes, 4), primitive: u32_at(bytes, 8) }
    }

    /// The ids by which hits name a triangle: those of the scene or, where instances were
    /// flattened, its instance as the geometry and its position as the primitive, which keeps the
    /// order of hits.
    #[must_use]
    pub fn id(&self, number: u32) -> PrimitiveId {
        let name = self.name(number);
        let (geometry, primitive) = match self.header.flattened {
            true => (name.instance, number),
            false => (name.geometry, name.primitive),
        };
        PrimitiveId { geometry, primitive, flags: PrimitiveFlags::OPAQUE }
    }

    fn quantiser(&self) -> Quantiser {
        Quantiser::new(self.policy)
    }
}
