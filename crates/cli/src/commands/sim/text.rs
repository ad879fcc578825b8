//! Runs as text: a table, and a chart where there are several.

use super::Made;
use crate::failure::Failure;
use crate::output::number::{counted, counted_as, grouped, rate};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::sim::sweep::Combination;
use siliray::sim::{Row, Sweep};
use siliray::ttu::Config;
use siliray::ttu::config::shipped::SHIPPED;

/// Columns of a full bar.
const BAR: usize = 48;

/// A row for each run; for a single one also all counters.
pub(super) fn table(sweeps: &[Sweep], all: &[Combination], made: &[Made]) -> String {
    let mut header: Vec<&str> = sweeps.iter().map(|sweep| sweep.key.as_str()).collect();
    header.extend([
        "config",
        "cycles",
        "rays/cycle",
        "Mrays/s",
        "p50",
        "p95",
        "L0 hits",
        "blocks/ray",
    ]);
    header.extend(["bytes/ray", "limited by", "cycles/s", "rays/s"]);
    let mut table = Table::new(&header).left(sweeps.len() + 1);
    for (combination, (row, _)) in all.iter().zip(made) {
        let mut cells = combination.values.clone();
        cells.extend(cells_of(row));
        table.row(cells);
    }
    let Some((first, _)) = made.first() else { return String::new() };
    let key = &first.key;
    let queries = ["query", "queries"].map(|thing| format!("{} {thing}", key.workload));
    let mut text = format!(
        "{}: {} as {} blocks, {}\n\n{}",
        key.scene,
        counted(key.triangles, "triangle"),
        key.format,
        counted_as(key.rays, &queries[0], &queries[1]),
        table.text()
    );
    if made.len() == 1 {
        text += &format!("\n{}", counters(first));
    } else {
        text += &format!("\nrays a cycle\n{}", chart(all, made));
    }
    text
}

fn cells_of(row: &Row) -> Vec<String> {
    let count = |name: &str| row.counters.get(name).copied().unwrap_or(0);
    let waits = count("misses") + count("merges");
    let hits = count("lookups").saturating_sub(waits) as f64 / count("lookups").max(1) as f64;
    vec![
        row.key.config_hash.clone(),
        grouped(row.cycles),
        format!("{:.5}", row.rays_per_cycle),
        format!("{:.2}", row.mrays_per_second_at_clock),
        grouped(row.latency.p50),
        grouped(row.latency.p95),
        format!("{:.1} %", 100.0 * hits),
        format!("{:.1}", row.blocks_per_ray),
        format!("{:.0}", row.bytes_per_ray),
        row.bound.clone(),
        rate(row.simulated_cycles_per_second),
        rate(row.rays_per_second),
    ]
}

fn counters(row: &Row) -> String {
    let mut table = Table::new(&["counter", "sum"]);
    for (name, count) in &row.counters {
        table.row(vec![name.clone(), grouped(*count)]);
    }
    let mut limits = Table::new(&["limit", "blocks/cycle"]);
    let mut sorted: Vec<_> = row.bounds.iter().collect();
    sorted.sort_by(|a, b| a.1.total_cmp(b.1));
    for (name, value) in sorted {
        limits.row(vec![name.clone(), format!("{value:.4}")]);
    }
    format!("{}\n{}reached        {:.4}\n", table.text(), limits.text(), row.blocks_per_cycle)
}

fn chart(all: &[Combination], made: &[Made]) -> String {
    let most = made.iter().map(|(row, _)| row.rays_per_cycle).fold(1e-12, f64::max);
    let labels: Vec<String> = all.iter().map(|one| one.values.join(" ")).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let line = |(label, (row, _)): (&String, &Made)| {
        let bar = "#".repeat(((row.rays_per_cycle / most) * BAR as f64).round() as usize);
        format!("{label:>width$} |{bar:<BAR$}| {:.5}\n", row.rays_per_cycle)
    };
    labels.iter().zip(made).map(line).collect()
}

/// What `--configs --json` prints.
#[derive(Serialize)]
struct Configs {
    configs: Vec<Named>,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
    about: &'static str,
    config_hash: String,
    config: Config,
}

/// The shipped configurations, every key of each.
pub(super) fn show_configs(output: &Output) -> Result<(), Failure> {
    let mut configs = Vec::new();
    let mut text = String::new();
    for shipped in SHIPPED {
        let config = Config::from_toml(shipped.name, shipped.text).map_err(Failure::input)?;
        text += &format!("# {}: {}\n{}\n", shipped.name, shipped.about, config.to_toml());
        let (name, about, config_hash) = (shipped.name, shipped.about, config.hash());
        configs.push(Named { name, about, config_hash, config });
    }
    output.result(&Configs { configs }, &text)
}
