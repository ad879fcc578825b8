//! What is in a dump.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use isbe::mesh::capture_notes::CaptureNotes;
use isbe::{AttributeId, Dump, MapOrder, Reader, Topology, WorkgroupView, generation};
use machine::{Finding, Severity};
use serde::Serialize;
use std::collections::BTreeSet;

/// A dump.
#[derive(Debug, Clone, Serialize)]
pub struct DumpDocument {
    pub file: String,
    pub sm: u16,
    pub generation: &'static str,
    pub sph_version: u32,
    pub stage: &'static str,
    pub space_sharing: bool,
    pub topology: Option<&'static str>,
    pub max_vertices: u32,
    pub max_primitives: u32,
    pub threads: u8,
    pub vertex_attributes: Vec<String>,
    pub primitive_attributes: Vec<String>,
    pub input_attributes: Vec<String>,
    pub input_vertices: u32,
    pub input_primitives: u16,
    pub input_corners: u32,
    pub vertex_bytes: u32,
    pub primitive_bytes: u32,
    pub shared_bytes: u32,
    pub map_bytes: usize,
    pub map_order: &'static str,
    pub workgroups: usize,
    pub tasks: usize,
    pub vertices: usize,
    pub primitives: usize,
    pub culled: usize,
    pub capture: bool,
    pub errors: usize,
}

impl DumpDocument {
    /// Of a file that holds a dump, with what a check found.
    #[must_use]
    pub fn new(file: String, dump: &Dump, reader: &Reader, findings: &[Finding]) -> Self {
        let views =
            || dump.workgroups.iter().map(|workgroup| WorkgroupView::new(reader, workgroup));
        let culled = |view: WorkgroupView<'_>| {
            (0..view.primitive_count()).filter(|primitive| view.is_culled(*primitive)).count()
        };
        let layout = &reader.layout;
        Self {
            file,
            sm: dump.state.sm,
            generation: generation::name(dump.state.sm),
            sph_version: dump.state.header.version().number(),
            stage: reader.stage.name(),
            space_sharing: dump.state.header.shares_spaces(),
            topology: reader.topology.map(Topology::name),
            max_vertices: layout.vertices.maximum(),
            max_primitives: layout.primitives.maximum(),
            threads: dump.state.shader_b.threads,
            vertex_attributes: names(layout.vertices.ids()),
            primitive_attributes: names(layout.primitives.ids()),
            input_attributes: names(reader.input.vertices.ids()),
            input_vertices: reader.input.vertices.maximum(),
            input_primitives: dump.state.unit.input_primitives,
            input_corners: reader.input_corners,
            vertex_bytes: layout.vertices.total_bytes(),
            primitive_bytes: layout.primitives.total_bytes(),
            shared_bytes: dump.state.shared_bytes(),
            map_bytes: reader.map_bytes(),
            map_order: match dump.map_order {
                MapOrder::LittleAtLow => "little_at_low",
                MapOrder::Reversed => "reversed",
            },
            workgroups: dump.workgroups.len(),
            tasks: dump.workgroups.iter().filter_map(|w| w.task).collect::<BTreeSet<_>>().len(),
            vertices: views().map(|view| view.vertex_count() as usize).sum(),
            primitives: views().map(|view| view.primitive_count() as usize).sum(),
            culled: views().map(culled).sum(),
            capture: views().any(|view| CaptureNotes::from_shared(view.shared()).is_some()),
            errors: findings.iter().filter(|f| f.severity == Severity::Error).count(),
        }
    }
}

fn names<'a>(ids: impl IntoIterator<Item = &'a AttributeId>) -> Vec<String> {
    ids.into_iter().map(ToString::to_string).collect()
}
