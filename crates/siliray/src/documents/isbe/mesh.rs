//! Dumps that become meshes, and scenes that become dumps.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use isbe::mesh::import::Imported;
use isbe::{Dump, Limits, Reader, StateError, WorkgroupView};
use scene::Scene;
use serde::Serialize;

/// The mesh of a dump.
#[derive(Debug, Clone, Serialize)]
pub struct MeshDocument {
    pub file: String,
    pub output: Option<String>,
    pub triangles: usize,
    pub vertices: usize,
    pub workgroups: usize,
    pub culled: usize,
    pub unplaceable: usize,
    pub degenerate: usize,
    pub points_and_lines: usize,
}

impl MeshDocument {
    /// Of a dump in a file that became so many triangles and vertices.
    #[must_use]
    pub fn new(
        file: String,
        output: Option<String>,
        [triangles, vertices]: [usize; 2],
        imported: &Imported,
    ) -> Self {
        let report = &imported.report;
        Self {
            file,
            output,
            triangles,
            vertices,
            workgroups: imported.clusters.len(),
            culled: report.culled,
            unplaceable: report.unplaceable,
            degenerate: report.degenerate,
            points_and_lines: report.points_and_lines,
        }
    }
}

/// The dump of a scene.
#[derive(Debug, Clone, Serialize)]
pub struct CaptureDocument {
    pub scene: String,
    pub output: Option<String>,
    pub sm: u16,
    pub triangles: usize,
    pub workgroups: usize,
    pub max_vertices: u16,
    pub max_primitives: u16,
    pub bytes: usize,
    /// Of the workgroups with triangles.
    pub mean_triangles: f64,
    pub mean_vertices: f64,
}

impl CaptureDocument {
    /// Of a scene that became a dump of so many bytes.
    ///
    /// # Errors
    /// When the dump makes no sense.
    pub fn new(
        scene: &Scene,
        dump: &Dump,
        bytes: usize,
        output: Option<String>,
    ) -> Result<Self, StateError> {
        let reader = Reader::new(dump, Limits::Driver)?;
        let views = dump.workgroups.iter().map(|workgroup| WorkgroupView::new(&reader, workgroup));
        let sizes: Vec<[u32; 2]> = views
            .map(|view| [view.primitive_count(), view.vertex_count()])
            .filter(|[primitives, _]| *primitives > 0)
            .collect();
        let mean = |which: usize| {
            let sum: f64 = sizes.iter().map(|size| f64::from(size[which])).sum();
            sum / sizes.len().max(1) as f64
        };
        Ok(Self {
            scene: scene.name.clone(),
            output,
            sm: dump.state.sm,
            triangles: scene.triangle_count(),
            workgroups: dump.workgroups.len(),
            max_vertices: dump.state.shader_a.max_vertex,
            max_primitives: dump.state.shader_a.max_primitive,
            bytes,
            mean_triangles: mean(0),
            mean_vertices: mean(1),
        })
    }
}
