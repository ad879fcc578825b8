//! `siliray convert`: a scene becomes a file of another format.

use super::open;
use crate::args::Convert;
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{self, AtomicFile, Output};
use serde::Serialize;
use siliray::geometry::Vec3;
use siliray::scene::description::{self, Description};
use siliray::scene::{MeshFormat, Scene, ply};
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    scene: &'a str,
    output: String,
    /// Files that were written beside it.
    meshes: Vec<String>,
    triangles: usize,
    procedural_boxes: usize,
    instances: usize,
}

/// Reads the scene and writes it.
pub(crate) fn run(
    args: &Convert,
    triangles: Option<usize>,
    output: &Output,
) -> Result<(), Failure> {
    let name = args.output.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    if let Some(stem) = name.strip_suffix(description::ENDING) {
        let scene = open(&args.scene, triangles)?;
        let meshes = describe(&scene, args, stem)?;
        return report(args, &scene, meshes, scene.triangle_count(), output);
    }
    let format = MeshFormat::of(&args.output).map_err(|error| {
        Failure::usage(error).hint(format!("a description ends with {}", description::ENDING))
    })?;
    let target = AtomicFile::create(&args.output)?;
    let scene = open(&args.scene, triangles)?;
    let (positions, indices) = one_mesh(&scene, &scene.name)?;
    let mut mesh = Vec::new();
    format.write(&mut mesh, &positions, &indices).map_err(Failure::input)?;
    target.write(&mesh)?;
    report(args, &scene, Vec::new(), indices.len(), output)
}

/// Everything as one mesh in world space.
pub(crate) fn one_mesh(scene: &Scene, name: &str) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), Failure> {
    let too_many = || Failure::input(format!("{name}: more vertices than 32 bits can number"));
    scene.to_mesh().ok_or_else(too_many)
}

/// Writes a description and its meshes, none before all are complete, and names the meshes.
fn describe(scene: &Scene, args: &Convert, stem: &str) -> Result<Vec<String>, Failure> {
    let Description { text, meshes, plainer } = Description::new(scene, stem);
    let read = Path::new(&args.scene).canonicalize().ok();
    let mut files = Vec::with_capacity(meshes.len() + 1);
    for mesh in &meshes {
        let path = args.output.with_file_name(&mesh.name);
        if path.canonicalize().is_ok_and(|path| Some(path) == read) {
            let message =
                format!("{}: the command reads this file, and would replace it", path.display());
            return Err(Failure::usage(message).hint("give the description another name"));
        }
        let mut file = AtomicFile::create(&path)?;
        let mut bytes = Vec::new();
        ply::write(&mut bytes, mesh.positions, mesh.indices).map_err(Failure::input)?;
        file.append(&bytes)?;
        files.push(file);
    }
    let mut description = AtomicFile::create(&args.output)?;
    description.append(text.as_bytes())?;
    files.push(description);
    files.into_iter().try_for_each(AtomicFile::finish)?;
    if plainer > 0 {
        let geometries = counted(plainer, "mesh");
        output::warn(format!("{geometries} without its texture or the colours of its vertices"));
    }
    Ok(meshes.into_iter().map(|mesh| mesh.name).collect())
}

fn report(
    args: &Convert,
    scene: &Scene,
    meshes: Vec<String>,
    triangles: usize,
    output: &Output,
) -> Result<(), Failure> {
    let json = Json {
        scene: &scene.name,
        output: args.output.display().to_string(),
        meshes,
        triangles,
        procedural_boxes: scene.placed_box_count(),
        instances: scene.instances.len(),
    };
    let mut text = format!("{}: {}", json.output, counted(triangles, "triangle"));
    if !json.meshes.is_empty() {
        text += &format!(", {} beside it", counted(json.meshes.len(), "PLY file"));
    }
    output.result(&json, &(text + "\n"))
}
