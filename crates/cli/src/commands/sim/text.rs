//! Runs as text: a table, and a chart where there are several.

use crate::failure::Failure;
use crate::output::number::{counted, counted_as, grouped, rate};
use crate::output::{Output, Table};
use siliray::documents::units::{NamedConfig, UnitDocument};
use siliray::sim::side_by_side::side_by_side;
use siliray::sim::{ParameterSweep, PriorityLatency, Row};
use siliray::ttu::config::{Config, Parameter, parameters};
use siliray::ttu::counters::Counters;
use siliray::ttu::run::LimitKind;

/// Columns of a full bar.
const BAR: usize = 48;

/// A row for each run; of a single one also all counters, of two configurations both side by side,
/// of a sweep a chart.
pub(super) fn table(sweeps: &[ParameterSweep], rows: &[&Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut header: Vec<&str> = match sweeps {
        [] => vec!["configuration"],
        sweeps => sweeps.iter().map(|sweep| sweep.key.as_str()).collect(),
    };
    let names = header.len();
    let clock = format!("Mrays/s at {} MHz", first.config.clock_mhz);
    header.extend(["cycles", "rays/cycle", &clock, "p50 cycles", "p95 cycles", "L0 hits"]);
    header.extend(["blocks/ray", "bytes/ray", "limited by"]);
    let mut table = Table::new(&header).left(names);
    for row in rows {
        table.row(row.names(sweeps).into_iter().chain(row.cells()).collect());
    }
    let key = &first.key;
    let queries = ["query", "queries"].map(|thing| format!("{} {thing}", key.workload));
    let mut text = format!(
        "{}: {} as {} blocks ({}), {}\n\n{}\n",
        key.scene,
        counted(key.triangles, "triangle"),
        key.format,
        key.source,
        counted_as(key.rays, &queries[0], &queries[1]),
        table.text()
    );
    text += &match (sweeps, rows) {
        ([], [first, second]) => both(first, second),
        (_, [single]) => priorities(single) + &limits(single) + "\n" + &counters(single),
        _ => format!("rays a cycle\n{}", chart(sweeps, rows)),
    };
    match remarks(rows) {
        remarks if remarks.is_empty() => text,
        remarks => format!("{text}\n{remarks}"),
    }
}

/// How long queries of each priority take, if they differ in it.
fn priorities(row: &Row) -> String {
    if row.priorities.is_empty() {
        return String::new();
    }
    let header = ["priority", "queries", "p50 cycles", "p95 cycles", "longest"];
    let mut table = Table::new(&header).left(0);
    for PriorityLatency { priority, queries, latency } in &row.priorities {
        let cells = [u64::from(*priority), *queries, latency.p50, latency.p95, latency.max];
        table.row(cells.map(grouped).into());
    }
    table.text() + "\n"
}

fn limits(row: &Row) -> String {
    let mut table = Table::new(&["limit", "blocks/cycle", "reached", "of what"]).left(1);
    for (name, bound) in row.sorted_bounds() {
        let kind = LimitKind::find(name);
        let key = kind.and_then(|kind| kind.widened_by);
        let widened = key.map_or_else(String::new, |key| format!("; widened by {key}"));
        let meaning = kind.map_or("", |kind| kind.explained.meaning);
        table.row(vec![
            name.to_owned(),
            format!("{bound:.4}"),
            format!("{:.0} %", 100.0 * row.blocks_per_cycle / bound),
            format!("{meaning}{widened}"),
        ]);
    }
    let reached = row.blocks_per_cycle;
    format!("{}reached        {reached:.4}\n", table.text_with_last_left())
}

fn counters(row: &Row) -> String {
    let mut table = Table::new(&["counter", "sum", "meaning"]);
    for entry in Counters::EXPLAINED {
        if let Some(&count) = row.counters.get(entry.name) {
            let meaning = format!("{}: {}", entry.unit, entry.meaning);
            table.row(vec![entry.name.to_owned(), grouped(count), meaning]);
        }
    }
    table.text_with_last_left()
}

fn both(first: &Row, second: &Row) -> String {
    let labels = [first, second].map(|row| row.label.to_string());
    let sections = side_by_side([first, second]).into_iter().map(|section| {
        let header = [section.title, &labels[0], &labels[1], "ratio", "meaning"];
        let mut table = Table::new(&header);
        for line in section.lines {
            let comma = if line.unit.is_empty() { "" } else { ", " };
            let ratio = line.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
            let [a, b] = line.values;
            let name = format!("{}{comma}{}", line.name, line.unit);
            table.row(vec![name, a, b, ratio, line.meaning.to_owned()]);
        }
        table.text_with_last_left()
    });
    sections.collect::<Vec<_>>().join("\n")
}

/// Advice and notes.
fn remarks(rows: &[&Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !row.advice.is_empty()) {
        text += &match rows.len() {
            1 => format!("{}\n", row.advice),
            2 => format!("{}: {}\n", row.label, row.advice),
            _ => continue,
        };
    }
    let mut notes: Vec<&String> = rows.iter().flat_map(|row| &row.notes).collect();
    notes.sort_unstable();
    notes.dedup();
    notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    text
}

/// How fast this computer was.
pub(super) fn host_speed(rows: &[&Row]) -> String {
    let slowest = |rate: fn(&Row) -> f64| rows.iter().map(|row| rate(row)).fold(f64::MAX, f64::min);
    let plain = |per_second: f64| rate(per_second).trim_end_matches("/s").trim_end().to_owned();
    let cycles = plain(slowest(|row| row.simulated_cycles_per_second));
    let rays = plain(slowest(|row| row.rays_per_second));
    let which = if rows.len() > 1 { ", in the slowest run" } else { "" };
    format!("this computer simulates {cycles} cycles and {rays} rays a second{which}")
}

fn chart(sweeps: &[ParameterSweep], rows: &[&Row]) -> String {
    let most = rows.iter().map(|row| row.rays_per_cycle).fold(1e-12, f64::max);
    let keys: Vec<&str> = sweeps.iter().map(|sweep| sweep.key.as_str()).collect();
    let labels: Vec<String> = rows.iter().map(|row| row.names(sweeps).join(" ")).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let width = width.max(keys.join(" ").len());
    let line = |(label, row): (&String, &&Row)| {
        let bar = "#".repeat(((row.rays_per_cycle / most) * BAR as f64).round() as usize);
        format!("{label:>width$} |{bar:<BAR$}| {:.5}\n", row.rays_per_cycle)
    };
    let lines: String = labels.iter().zip(rows).map(line).collect();
    format!("{:>width$}\n{lines}", keys.join(" "))
}

/// The shipped configurations: every key of the first one explained, of the others what differs.
pub(super) fn show_configs(output: &Output) -> Result<(), Failure> {
    let units = UnitDocument::new().map_err(Failure::input)?;
    let mut text = String::new();
    for NamedConfig { name, about, config, .. } in &units.configs {
        text += &format!("# {name}: {about}\n");
        text += &match &units.configs[0] {
            first if first.name == *name => explained(config),
            first => {
                let own = config.differences(&first.config).into_iter();
                let line = |(key, [value, _]): (&str, [String; 2])| format!("{key} = {value}\n");
                format!("# as {}, but for\n{}\n", first.name, own.map(line).collect::<String>())
            }
        };
    }
    output.result(&units, &text)
}

/// A configuration as TOML, with what each key means and may be.
fn explained(config: &Config) -> String {
    let values = config.to_table();
    let line = |known: Parameter| {
        let Parameter { name, unit, allowed, meaning } = known;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let value = values.get(name).map(ToString::to_string).unwrap_or_default();
        format!("\n# {meaning}\n# {allowed}{unit}\n{name} = {value}\n")
    };
    let lines: String = parameters().into_iter().map(line).collect();
    let sources = "# P: stated in US 9,569,559; V, R: configurations of Vulkan-Sim and Arches; S: \
                   siliray's choice\n# T-1 and so on: decisions of docs/spec/ttu.md\n";
    format!("{sources}{lines}\n")
}
