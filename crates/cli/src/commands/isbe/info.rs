//! `siliray isbe info`: what is in a dump.

use super::args::Info;
use super::{names, readable, report};
use crate::failure::Failure;
use crate::output::Output;
use crate::output::number::grouped;
use serde::Serialize;
use siliray::isbe::mesh::capture_notes::CaptureNotes;
use siliray::isbe::{MapOrder, Stage, Topology, WorkgroupView, generation};
use siliray::machine::Severity;
use std::collections::BTreeSet;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    file: String,
    sm: u16,
    generation: &'static str,
    sph_version: u32,
    stage: &'static str,
    space_sharing: bool,
    topology: Option<&'static str>,
    max_vertices: u32,
    max_primitives: u32,
    threads: u8,
    vertex_attributes: Vec<String>,
    primitive_attributes: Vec<String>,
    input_attributes: Vec<String>,
    input_vertices: u32,
    input_primitives: u16,
    input_corners: u32,
    vertex_bytes: u32,
    primitive_bytes: u32,
    shared_bytes: u32,
    map_bytes: usize,
    map_order: &'static str,
    workgroups: usize,
    tasks: usize,
    vertices: usize,
    primitives: usize,
    culled: usize,
    capture: bool,
    errors: usize,
}

/// The rule that a file breaks if it ends too early.
const TRUNCATED: &str = "truncated";

/// Reads the dump and describes it.
pub(crate) fn run(args: &Info, output: &Output) -> Result<(), Failure> {
    let report = report(&args.dump)?;
    let (dump, reader) = readable(&args.dump, &report)?;
    let views = || dump.workgroups.iter().map(|workgroup| WorkgroupView::new(&reader, workgroup));
    let culled = |view: WorkgroupView<'_>| {
        (0..view.primitive_count()).filter(|primitive| view.is_culled(*primitive)).count()
    };
    let layout = &reader.layout;
    let json = Json {
        file: args.dump.file.display().to_string(),
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
        errors: report.findings.iter().filter(|f| f.severity == Severity::Error).count(),
    };
    output.result(&json, &text(&json))?;
    // What is described is not all that the file says it holds.
    match report.findings.iter().find(|finding| finding.rule == TRUNCATED) {
        Some(finding) => Err(Failure::input(format!("{}: {finding}", json.file))),
        None => Ok(()),
    }
}

fn text(json: &Json) -> String {
    let number = |count: usize| grouped(count as u64);
    let list = |names: &[String]| match names {
        [] => "none".to_owned(),
        names => names.join(" "),
    };
    let mut lines = vec![json.file.clone()];
    let mut line = |label: &str, value: String| lines.push(format!("  {label:<12}{value}"));
    line(
        "generation",
        format!("SM{}, {}; headers of version {}", json.sm, json.generation, json.sph_version),
    );
    let capture = if json.capture { ", captured by siliray" } else { "" };
    if json.stage == Stage::Mesh.name() {
        line("workgroups", number(json.workgroups) + capture);
    } else {
        let sharing = if json.space_sharing { ", input and output share storage" } else { "" };
        line("warps", format!("{} of stage {}{sharing}", number(json.workgroups), json.stage));
        line(
            "input",
            format!(
                "{} vertices, {} primitives of {}",
                json.input_vertices, json.input_primitives, json.input_corners
            ),
        );
        line("of an input", list(&json.input_attributes));
    }
    if json.tasks > 0 {
        line("tasks", number(json.tasks));
    }
    line("topology", json.topology.unwrap_or("made by the hardware").to_owned());
    let culled = match json.culled {
        0 => String::new(),
        culled => format!(", {} of them culled", number(culled)),
    };
    line(
        "primitives",
        format!("{}{culled}; at most {} each", number(json.primitives), json.max_primitives),
    );
    line("vertices", format!("{}; at most {} each", number(json.vertices), json.max_vertices));
    line("of a vertex", list(&json.vertex_attributes));
    line("of a prim.", list(&json.primitive_attributes));
    line("MAP", format!("{} bytes, {}", number(json.map_bytes), json.map_order.replace('_', " ")));
    line(
        "ATTR",
        format!(
            "{} bytes of vertices, {} of primitives, {} shared",
            grouped(json.vertex_bytes.into()),
            grouped(json.primitive_bytes.into()),
            grouped(json.shared_bytes.into())
        ),
    );
    if json.errors > 0 {
        line("errors", format!("{}; see siliray isbe check", number(json.errors)));
    }
    lines.join("\n") + "\n"
}
