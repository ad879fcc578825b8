//! `siliray isbe mesh`: a dump becomes a mesh file.

use super::args::Mesh;
use super::{bytes, limits};
use crate::commands::convert::one_mesh;
use crate::failure::Failure;
use crate::output::number::{counted, grouped};
use crate::output::{AtomicFile, Output};
use siliray::documents::isbe::mesh::MeshDocument;
use siliray::isbe::mesh::import::ImportOptions;
use siliray::isbe::mesh::position::{Matrix, PositionSource};
use siliray::isbe::mesh::read::read_scene;
use siliray::scene::MeshFormat;
use std::path::Path;

/// Reads the dump and writes the mesh.
pub(crate) fn run(args: &Mesh, output: &Output) -> Result<(), Failure> {
    let format = MeshFormat::of(&args.output).map_err(Failure::usage)?;
    let target = AtomicFile::create(&args.output)?;
    let matrix = args.inverse_view_projection.as_deref().map(matrix).transpose()?;
    let options = ImportOptions {
        position: PositionSource { slot: args.position, inverse_view_projection: matrix },
        boxes: args.boxes,
        limits: limits(args.dump.raw_limits),
    };
    let file = args.dump.file.display().to_string();
    let imported = read_scene(&bytes(&args.dump.file)?, &options)
        .map_err(|error| Failure::input(format!("{file}: {error}")))?;
    let (positions, indices) = one_mesh(&imported.scene, &file)?;
    let mut mesh = Vec::new();
    format.write(&mut mesh, &positions, &indices).map_err(Failure::input)?;
    target.write(&mesh)?;
    let output_name = args.output.display().to_string();
    let sizes = [indices.len(), positions.len()];
    let json = MeshDocument::new(file, Some(output_name), sizes, &imported);
    output.result(&json, &text(&json, args.boxes))
}

fn text(json: &MeshDocument, boxes: bool) -> String {
    let number = |count: usize| grouped(count as u64);
    let vertices = if json.vertices == 1 { "vertex" } else { "vertices" };
    let mut text = format!(
        "{}: {}, {} {vertices}\n",
        json.output.as_deref().unwrap_or_default(),
        counted(json.triangles, "triangle"),
        number(json.vertices)
    );
    let left_out = [
        (json.culled, "culled"),
        (json.unplaceable, "with a corner at infinity"),
        (if boxes { 0 } else { json.points_and_lines }, "points or lines"),
    ];
    for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!("  left out: {} {what}\n", number(count));
    }
    text
}

/// Four rows of four numbers, or sixteen numbers, row by row.
fn matrix(file: &Path) -> Result<Matrix, Failure> {
    let wrong = |reason: String| Failure::input(format!("{}: {reason}", file.display()));
    let content = bytes(file)?;
    let json = serde_json::from_slice(&content).map_err(|error| wrong(error.to_string()))?;
    if let Ok(rows) = serde_json::from_value::<Matrix>(json) {
        return Ok(rows);
    }
    let flat: [f64; 16] = serde_json::from_slice(&content)
        .map_err(|_| wrong("expected 4 rows of 4 numbers, or 16 numbers".to_owned()))?;
    Ok(std::array::from_fn(|row| std::array::from_fn(|column| flat[4 * row + column])))
}
