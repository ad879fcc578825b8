//! `siliray rays`: a file of rays to trace.

use super::{about, build_tree, chosen_view, open};
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{AtomicFile, Output};
use crate::trace_args::Rays;
use serde::Serialize;
use siliray::cameras::Seen;
use siliray::ray_files::Layout;
use siliray::ray_files::writer::{Content, RowWriter};
use siliray::trace::{Options, Tracer};
use siliray::workload;

/// Rays that are written at once.
const CHUNK: usize = 1 << 16;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    workload: &'static str,
    rays: usize,
    output: String,
}

/// Makes the rays and writes them.
pub(crate) fn run(args: &Rays, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let layout = args.output.layout(Layout::Raw)?;
    output.refuse_mixture(&args.output.file)?;
    let mut file = AtomicFile::create(&args.output.file)?;
    let scene = open(&args.scene, triangles)?;
    let tree = build_tree(&scene, &Tracer::build_options(Tracer::PRESET), output)?.tree;
    let camera = chosen_view(&args.view, &args.scene, Seen::Scene(&scene), 1.0)?;
    let tracer = Tracer::from_tree(&tree, Options::default()).map_err(about(&args.scene))?;
    let workload = args.workload;
    let rays = workload::rays(workload, &scene.name, &tree, &tracer, &camera, args.rays)
        .map_err(Failure::input)?;
    let mut writer = RowWriter::new(Content::Rays, layout).map_err(Failure::input)?;
    file.append(&writer.header(rays.len() as u64))?;
    let mut bytes = Vec::new();
    for part in rays.chunks(CHUNK) {
        bytes.clear();
        part.iter().for_each(|ray| writer.ray(&mut bytes, ray));
        writer.end_part(&mut bytes).map_err(Failure::input)?;
        file.append(&bytes)?;
    }
    bytes.clear();
    writer.finish(&mut bytes).map_err(Failure::input)?;
    file.append(&bytes)?;
    file.finish()?;
    let json = Json {
        scene: scene.name,
        workload: workload.name(),
        rays: rays.len(),
        output: args.output.name(),
    };
    let rays = counted(json.rays, &format!("{} ray", json.workload));
    let text = format!("{}: {rays} of {}\n", json.output, json.scene);
    output.written(&args.output.file, &json, &text)
}
