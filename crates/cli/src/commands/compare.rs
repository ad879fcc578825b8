//! `siliray compare`: formats side by side.

use super::{about, open_to_build, view_of};
use crate::compare_args::Compare;
use crate::failure::Failure;
use crate::output::number::{counted, grouped, seconds};
use crate::output::{AtomicFile, Output, ResumeLog, Table};
use siliray::build::Progress;
use siliray::cameras::Seen;
use siliray::compare::{Compared, Plan, Row, Skipped, compare, page, row};
use siliray::documents::compare::CompareDocument;
use siliray::resume::Rows;
use siliray::scene::Scene;

/// Compares and shows the rows.
pub(crate) fn run(
    args: &Compare,
    triangles: Option<usize>,
    output: &Output,
) -> Result<(), Failure> {
    let plan = plan(args)?;
    // Places that cannot be written to, and scenes that cannot be read, are found before the work.
    let csv = args.csv.as_deref().map(AtomicFile::create).transpose()?;
    let html = args.html.as_deref().map(AtomicFile::create).transpose()?;
    let what = "row of siliray compare";
    let kept = args.resume.as_deref().map(|path| ResumeLog::open(path, what)).transpose()?;
    let scenes = args.scenes.iter().map(|name| open_to_build(name, triangles));
    let scenes = scenes.collect::<Result<Vec<Scene>, Failure>>()?;
    let bar = output.bar("comparing");
    let mut all = Compared::default();
    for (number, (scene, name)) in scenes.iter().zip(&args.scenes).enumerate() {
        let camera = view_of(name, Seen::Scene(scene), 1.0)?;
        let kept = kept.as_ref().map(|kept| kept as &dyn Rows<Row>);
        let watch =
            |Progress { fraction }| bar.set((number as f32 + fraction) / scenes.len() as f32);
        let compared = compare(scene, &camera, &plan, kept, &watch).map_err(about(name))?;
        all.rows.extend(compared.rows);
        all.skipped.extend(compared.skipped);
    }
    drop(bar);
    if let Some(file) = csv {
        file.write(row::to_csv(&all.rows).as_bytes())?;
    }
    if let Some(file) = html {
        file.write(page::to_html(&all.rows).as_bytes())?;
    }
    let shown = |path: &Option<std::path::PathBuf>| path.as_ref().map(|p| p.display().to_string());
    let json = CompareDocument {
        rows: all.rows,
        skipped: all.skipped,
        csv: shown(&args.csv),
        html: shown(&args.html),
    };
    output.result(&json, &text(&json))
}

fn plan(args: &Compare) -> Result<Plan, Failure> {
    let presets = args.presets.clone();
    let variants = args.formats.iter().flat_map(|named| named.0.clone()).collect();
    Plan::new(presets, variants, args.machines.clone(), args.rays).map_err(Failure::usage)
}

fn text(json: &CompareDocument) -> String {
    let mut text = String::new();
    for rows in json.rows.chunk_by(|a, b| a.key.scene == b.key.scene) {
        text += &scene_text(rows);
    }
    for Skipped { scene, format, reason } in &json.skipped {
        text += &format!("{scene}: {format} left out: {reason}\n");
    }
    for path in json.csv.iter().chain(&json.html) {
        text += &format!("written to {path}\n");
    }
    text
}

/// The rows of one scene.
fn scene_text(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let has_machines = rows.iter().any(|row| row.key.machine != first.key.machine);
    let mut table = Table::new(&[
        "preset", "format", "machine", "B/tri", "of nodes", "geom", "ids", "SAH", "boxes", "nodes",
        "prims", "bytes", "cycles", "lost", "wrong", "build", "encode",
    ])
    .left(3);
    for row in rows {
        let (work, bytes) = (row.mean(), row.bytes_per_triangle);
        let mut cells =
            vec![row.key.preset.clone(), row.key.format.clone(), row.key.machine.clone()];
        cells.extend(
            [bytes.total, bytes.nodes, bytes.geometry, bytes.ids].map(|b| format!("{b:.1}")),
        );
        cells.extend(
            [row.sah_cost, work.boxes, work.nodes, work.primitives].map(|v| format!("{v:.2}")),
        );
        cells.push(format!("{:.0}", work.bytes));
        cells.push(work.cycles.map_or("-".to_owned(), |cycles| format!("{cycles:.1}")));
        cells.extend([row.lost, row.wrong].map(grouped));
        cells.extend([row.build_seconds, row.encode_seconds].map(seconds));
        table.row(cells);
    }
    let table = if has_machines { table.text() } else { table.without(2).text() };
    let (scene, rays) = (&first.key.scene, counted(first.key.rays, "ray"));
    let walker =
        if has_machines { String::new() } else { format!(", walked by {}", first.key.machine) };
    format!(
        "{scene}: {}; {rays} of each kind{walker}\n\n{table}\nboxes, nodes, prims, bytes, cycles: \
         a ray, the mean of primary, occlusion and bounce rays\n\n",
        counted(first.key.triangles, "triangle"),
    )
}
