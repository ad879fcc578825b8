//! `siliray isbe capture`: a scene becomes a dump.

use super::args::Capture;
use crate::commands::open;
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{AtomicFile, Output};
use serde::Serialize;
use siliray::isbe::mesh::capture::{CaptureOptions, capture_scene};
use siliray::isbe::{Limits, Reader, WorkgroupView};

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    output: String,
    sm: u16,
    triangles: usize,
    workgroups: usize,
    max_vertices: u16,
    max_primitives: u16,
    bytes: usize,
    /// Of the workgroups with triangles.
    mean_triangles: f64,
    mean_vertices: f64,
}

/// Captures the scene.
pub(crate) fn run(
    args: &Capture,
    triangles: Option<usize>,
    output: &Output,
) -> Result<(), Failure> {
    let target = AtomicFile::create(&args.output)?;
    let scene = open(&args.scene, triangles)?;
    let Capture { sm, vertices: max_vertices, primitives: max_triangles, position, .. } = *args;
    let options = CaptureOptions { sm, max_vertices, max_triangles, position };
    let dump = capture_scene(&scene, &options).map_err(Failure::input)?;
    let bytes = dump.to_bytes().map_err(Failure::input)?;
    target.write(&bytes)?;
    let reader = Reader::new(&dump, Limits::Driver).map_err(Failure::input)?;
    let views = dump.workgroups.iter().map(|workgroup| WorkgroupView::new(&reader, workgroup));
    let sizes: Vec<[u32; 2]> = views
        .map(|view| [view.primitive_count(), view.vertex_count()])
        .filter(|[primitives, _]| *primitives > 0)
        .collect();
    let mean = |which: usize| {
        let sum: f64 = sizes.iter().map(|size| f64::from(size[which])).sum();
        sum / sizes.len().max(1) as f64
    };
    let json = Json {
        scene: scene.name.clone(),
        output: args.output.display().to_string(),
        sm,
        triangles: scene.triangle_count(),
        workgroups: dump.workgroups.len(),
        max_vertices: dump.state.shader_a.max_vertex,
        max_primitives: dump.state.shader_a.max_primitive,
        bytes: bytes.len(),
        mean_triangles: mean(0),
        mean_vertices: mean(1),
    };
    output.result(&json, &text(&json))
}

fn text(json: &Json) -> String {
    format!(
        "{}: {} in {}, {}\n  a meshlet has {:.1} triangles over {:.1} vertices\n",
        json.output,
        counted(json.triangles, "triangle"),
        counted(json.workgroups, "workgroup"),
        counted(json.bytes, "byte"),
        json.mean_triangles,
        json.mean_vertices
    )
}
