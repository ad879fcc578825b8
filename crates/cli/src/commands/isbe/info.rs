//! `siliray isbe info`: what is in a dump.

use super::args::Info;
use super::{readable, report};
use crate::failure::Failure;
use crate::output::Output;
use crate::output::number::grouped;
use siliray::documents::isbe::dump::DumpDocument;
use siliray::isbe::Stage;

/// The rule that a file breaks if it ends too early.
const TRUNCATED: &str = "truncated";

/// Reads the dump and describes it.
pub(crate) fn run(args: &Info, output: &Output) -> Result<(), Failure> {
    let report = report(&args.dump)?;
    let (dump, reader) = readable(&args.dump, &report)?;
    let file = args.dump.file.display().to_string();
    let json = DumpDocument::new(file, &dump, &reader, &report.findings);
    output.result(&json, &text(&json))?;
    // What is described is not all that the file says it holds.
    match report.findings.iter().find(|finding| finding.rule == TRUNCATED) {
        Some(finding) => Err(Failure::input(format!("{}: {finding}", json.file))),
        None => Ok(()),
    }
}

fn text(json: &DumpDocument) -> String {
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
