//! `siliray isbe capture`: a scene becomes a dump.

use super::args::Capture;
use crate::commands::open;
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{AtomicFile, Output};
use siliray::documents::isbe::mesh::CaptureDocument;
use siliray::isbe::mesh::capture::{CaptureOptions, capture_scene};

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
    let name = args.output.display().to_string();
    let json = CaptureDocument::new(&scene, &dump, bytes.len(), Some(name));
    let json = json.map_err(Failure::input)?;
    output.result(&json, &text(&json))
}

fn text(json: &CaptureDocument) -> String {
    format!(
        "{}: {} in {}, {}\n  a meshlet has {:.1} triangles over {:.1} vertices\n",
        json.output.as_deref().unwrap_or_default(),
        counted(json.triangles, "triangle"),
        counted(json.workgroups, "workgroup"),
        counted(json.bytes, "byte"),
        json.mean_triangles,
        json.mean_vertices
    )
}
