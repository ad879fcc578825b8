//! Where attributes and indices lie.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use super::attributes::AttributeDocument;
use isbe::limits::LINE_BYTES;
use isbe::memory::map_address;
use isbe::{Area, AttributeSet, Layout, ShaderType, Sph, SphVersion, Topology};
use serde::Serialize;
use std::collections::BTreeMap;

/// The areas of ATTR, the indices of MAP, and the masks of headers.
#[derive(Debug, Clone, Serialize)]
pub struct LayoutDocument {
    pub vertices: AreaDocument,
    pub primitives: AreaDocument,
    pub shared_base: u32,
    pub region_bytes: u32,
    pub map: MapDocument,
    /// Header dwords by number, those of the vertex attributes as inputs and as outputs.
    pub imap: BTreeMap<usize, String>,
    pub omap: BTreeMap<usize, String>,
    /// The same for the primitive attributes in the pass-through geometry header.
    pub geometry_omap: BTreeMap<usize, String>,
}

/// Where the indices of primitives lie in MAP.
#[derive(Debug, Clone, Serialize)]
pub struct MapDocument {
    pub topology: &'static str,
    /// Vertices of a primitive.
    pub corners: u32,
    /// The first index of the output MAP, behind the primitive count.
    pub first_index: u32,
    pub bytes: u32,
    /// The same of the input MAP, which has no count.
    pub input_first_index: u32,
    pub input_bytes: u32,
}

#[derive(Debug, Clone, Serialize)]
pub struct AreaDocument {
    pub maximum: u32,
    pub base: u32,
    pub group_bytes: u32,
    pub total_bytes: u32,
    pub attributes: Vec<AttributeDocument>,
    pub groups: Vec<GroupDocument>,
}

/// The lines of 32 elements, one for each attribute.
#[derive(Debug, Clone, Serialize)]
pub struct GroupDocument {
    pub first: u32,
    pub last: u32,
    pub lines: Vec<u32>,
}

impl LayoutDocument {
    /// Of a layout of these attributes of vertices and of primitives, with so many lines of shared
    /// memory behind.
    #[must_use]
    pub fn new(
        layout: &Layout,
        [vertex, primitive]: [&AttributeSet; 2],
        topology: Topology,
        shared_lines: u16,
    ) -> Self {
        Self {
            vertices: area(&layout.vertices),
            primitives: area(&layout.primitives),
            shared_base: layout.shared_base(),
            region_bytes: layout.shared_base() + LINE_BYTES * u32::from(shared_lines),
            map: map(topology, layout.primitives.maximum()),
            imap: dwords(|header| header.set_inputs(vertex)),
            omap: dwords(|header| header.set_outputs(vertex)),
            geometry_omap: dwords(|header| header.set_outputs(primitive)),
        }
    }
}

fn map(topology: Topology, primitives: u32) -> MapDocument {
    let corners = topology.vertices();
    let address = |output, primitive| map_address(output, corners, primitive, 0);
    MapDocument {
        topology: topology.name(),
        corners,
        first_index: address(true, 0),
        bytes: address(true, primitives),
        input_first_index: address(false, 0),
        input_bytes: address(false, primitives),
    }
}

fn area(area: &Area) -> AreaDocument {
    let attributes = area.ids().iter().copied().map(AttributeDocument::from);
    let groups = (0..area.maximum()).step_by(32).map(|first| GroupDocument {
        first,
        last: (first + 31).min(area.maximum() - 1),
        lines: (0..area.ids().len() as u32)
            .map(|line| area.element_base(first) + LINE_BYTES * line)
            .collect(),
    });
    AreaDocument {
        maximum: area.maximum(),
        base: area.base(),
        group_bytes: area.group_bytes(),
        total_bytes: area.total_bytes(),
        attributes: attributes.collect(),
        groups: groups.collect(),
    }
}

/// The dwords of the masks that are not zero; the fields before the masks are left out.
fn dwords(set: impl Fn(&mut Sph)) -> BTreeMap<usize, String> {
    let mut header = Sph::new(SphVersion::V4, ShaderType::Vertex);
    set(&mut header);
    let words = header.dwords().iter().enumerate().skip(5).filter(|(_, word)| **word != 0);
    words.map(|(number, word)| (number, format!("{word:08x}"))).collect()
}
