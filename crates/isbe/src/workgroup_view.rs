//! One unit's memory, read as a meshlet or as what a warp read and wrote (sections 2.1, 2.4, 8).
//!
//! The number of vertices is stored nowhere; it is the largest index of any primitive, culled or
//! not, and one more. Every question has an answer whatever the bytes are: what is not there is
//! `None`.

use crate::container::{Dump, Workgroup};
use crate::limits::LINE_BYTES;
use crate::memory::{MapOrder, Region, map_address};
use crate::{Area, AttributeId, Layout, Limits, Stage, StateError, Topology};

/// What is the same for all workgroups of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The stage.
    pub stage: Stage,
    /// The layout of the output ATTR.
    pub layout: Layout,
    /// The layout of the input ATTR.
    pub input: Layout,
    /// What the indices make; nothing for other stages than mesh.
    pub topology: Option<Topology>,
    /// Vertices of a primitive that comes in; 0 if none does.
    pub input_corners: u32,
    map_bytes: usize,
    input_map_bytes: usize,
    map_order: MapOrder,
    shared_bytes: u32,
}

/// One workgroup of a dump.
#[derive(Debug, Clone, Copy)]
pub struct WorkgroupView<'a> {
    reader: &'a Reader,
    workgroup: &'a Workgroup,
}

impl Reader {
    /// What reads the workgroups of a dump.
    ///
    /// # Errors
    /// When no memory follows from its state.
    pub fn new(dump: &Dump, limits: Limits) -> Result<Self, StateError> {
        Ok(Self {
            stage: dump.state.stage()?,
            topology: dump.state.topology()?,
            layout: dump.state.layout(limits)?,
            input: dump.state.input_layout(limits)?,
            input_corners: dump.state.unit.input_corners.into(),
            map_bytes: dump.state.map_bytes()? as usize,
            input_map_bytes: dump.state.input_map_bytes() as usize,
            map_order: dump.map_order,
            shared_bytes: dump.state.shared_bytes(),
        })
    }

    /// Bytes of MAP.
    #[must_use]
    pub const fn map_bytes(&self) -> usize {
        self.map_bytes
    }

    /// The lengths that a region may have; none if it may have any.
    #[must_use]
    pub fn region_bytes(&self, output: bool, region: Region) -> Vec<usize> {
        match (output, region) {
            (true, Region::Map) => vec![self.map_bytes],
            (true, Region::Attr) => self.attr_bytes().to_vec(),
            (false, Region::Map) => vec![0, self.input_map_bytes],
            (false, Region::Attr) if self.stage != Stage::Mesh => {
                vec![0, self.input.shared_base() as usize]
            }
            // The input of a mesh workgroup may hold a task's payload as well.
            (false, Region::Attr) | (_, Region::Patch | Region::Prim) => Vec::new(),
        }
    }

    /// Bytes of ATTR, without and with shared memory.
    #[must_use]
    pub fn attr_bytes(&self) -> [usize; 2] {
        let attributes = self.layout.shared_base() as usize;
        [attributes, attributes + self.shared_bytes as usize]
    }

    /// The declared maximum of primitives.
    #[must_use]
    pub const fn max_primitives(&self) -> u32 {
        self.layout.primitives.maximum()
    }
}

impl<'a> WorkgroupView<'a> {
    /// A workgroup through a reader.
    #[must_use]
    pub const fn new(reader: &'a Reader, workgroup: &'a Workgroup) -> Self {
        Self { reader, workgroup }
    }

    /// The workgroup itself.
    #[must_use]
    pub const fn workgroup(&self) -> &'a Workgroup {
        self.workgroup
    }

    /// Corners of a primitive; 0 where the stage puts none out.
    #[must_use]
    pub fn corners(&self) -> u32 {
        self.reader.topology.map_or(0, Topology::vertices)
    }

    /// The declared maximum of vertices.
    #[must_use]
    pub const fn max_vertices(&self) -> u32 {
        self.reader.layout.vertices.maximum()
    }

    /// The primitive count as it is stored, whatever it is.
    #[must_use]
    pub fn stored_count(&self) -> Option<u32> {
        let bytes = *self.workgroup.output.map.first_chunk()?;
        Some(match self.reader.map_order {
            MapOrder::LittleAtLow => u32::from_le_bytes(bytes),
            MapOrder::Reversed => u32::from_be_bytes(bytes),
        })
    }

    /// The primitive count, at most the declared maximum.
    #[must_use]
    pub fn primitive_count(&self) -> u32 {
        let stored = self.reader.topology.and_then(|_| self.stored_count());
        stored.unwrap_or(0).min(self.reader.max_primitives())
    }

    /// A corner of a primitive.
    #[must_use]
    pub fn index(&self, primitive: u32, corner: u32) -> Option<u8> {
        self.workgroup.output.map.get(self.index_address(primitive, corner) as usize).copied()
    }

    /// The address of a corner of a primitive in MAP.
    #[must_use]
    pub fn index_address(&self, primitive: u32, corner: u32) -> u32 {
        map_address(true, self.corners(), primitive, corner)
    }

    /// The corners of a primitive, as many as the topology has.
    pub fn primitive(&self, primitive: u32) -> impl Iterator<Item = u8> + '_ {
        (0..self.corners()).filter_map(move |corner| self.index(primitive, corner))
    }

    /// The largest index and one more; 0 without primitives. Stages without indices have as many
    /// as they declare.
    #[must_use]
    pub fn vertex_count(&self) -> u32 {
        if self.reader.topology.is_none() {
            return self.max_vertices();
        }
        let primitives = 0..self.primitive_count();
        let indices = primitives.flat_map(|primitive| self.primitive(primitive));
        indices.max().map_or(0, |index| u32::from(index) + 1)
    }

    /// An attribute of a vertex.
    #[must_use]
    pub fn vertex(&self, attribute: AttributeId, index: u32) -> Option<u32> {
        self.attribute(&self.reader.layout.vertices, attribute, index)
    }

    /// An attribute of a vertex that came in.
    #[must_use]
    pub fn input_vertex(&self, attribute: AttributeId, index: u32) -> Option<u32> {
        let address = self.reader.input.vertices.address(attribute, index)? as usize;
        word(&self.workgroup.input.attr, address)
    }

    /// An attribute of a primitive.
    #[must_use]
    pub fn primitive_attribute(&self, attribute: AttributeId, index: u32) -> Option<u32> {
        self.attribute(&self.reader.layout.primitives, attribute, index)
    }

    /// All attributes of a vertex, ascending; `None` if some are not there.
    #[must_use]
    pub fn vertex_row(&self, index: u32) -> Option<Vec<u32>> {
        self.row(&self.reader.layout.vertices, index)
    }

    /// All attributes of a primitive, ascending; `None` if some are not there.
    #[must_use]
    pub fn primitive_row(&self, index: u32) -> Option<Vec<u32>> {
        self.row(&self.reader.layout.primitives, index)
    }

    /// Whether the viewport mask of a primitive is 0.
    #[must_use]
    pub fn is_culled(&self, primitive: u32) -> bool {
        self.primitive_attribute(AttributeId::VIEWPORT_MASK, primitive) == Some(0)
    }

    /// Shared memory as far as it was dumped.
    #[must_use]
    pub fn shared(&self) -> &'a [u8] {
        self.workgroup.output.attr.get(self.reader.layout.shared_base() as usize..).unwrap_or(&[])
    }

    fn row(&self, area: &Area, index: u32) -> Option<Vec<u32>> {
        let base = area.element_base(index) as usize;
        let attr = &self.workgroup.output.attr;
        let addresses = (0..area.ids().len()).map(|line| base + LINE_BYTES as usize * line);
        (index < area.maximum()).then(|| addresses.map(|at| word(attr, at)).collect()).flatten()
    }

    fn attribute(&self, area: &Area, attribute: AttributeId, index: u32) -> Option<u32> {
        word(&self.workgroup.output.attr, area.address(attribute, index)? as usize)
    }
}

fn word(bytes: &[u8], address: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(address..)?.first_chunk()?))
}
