//! Rows as CSV: what was set, figures, counters, limits; a line for each run.

use super::row::Row;
use super::sweep::ParameterSweep;
use std::collections::BTreeSet;

/// The figures of a row, by name.
fn figures(row: &Row) -> [(&'static str, String); 11] {
    [
        ("cycles", row.cycles.to_string()),
        ("rays_per_cycle", row.rays_per_cycle.to_string()),
        ("mrays_per_second_at_clock", row.mrays_per_second_at_clock.to_string()),
        ("latency_mean_cycles", row.latency.mean.to_string()),
        ("latency_p50_cycles", row.latency.p50.to_string()),
        ("latency_p95_cycles", row.latency.p95.to_string()),
        ("latency_max_cycles", row.latency.max.to_string()),
        ("blocks_per_ray", row.blocks_per_ray.to_string()),
        ("bytes_per_ray", row.bytes_per_ray.to_string()),
        ("limited_by", row.bound.clone()),
        ("blocks_per_cycle", row.blocks_per_cycle.to_string()),
    ]
}

/// The rows with a header. Swept parameters come first, each in a column of its own.
#[must_use]
pub fn to_csv(sweeps: &[ParameterSweep], rows: &[&Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let counters: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.counters.keys().map(String::as_str)).collect();
    let limits: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.bounds.keys().map(String::as_str)).collect();
    let mut header: Vec<String> = sweeps.iter().map(|sweep| sweep.key.clone()).collect();
    header.extend(["configuration", "scene", "format", "workload", "rays"].map(str::to_owned));
    header.extend(figures(first).map(|(name, _)| name.to_owned()));
    header.extend(counters.iter().map(|name| format!("counter_{name}")));
    header.extend(limits.iter().map(|name| format!("limit_{name}_blocks_per_cycle")));
    let mut csv = line(&header);
    for row in rows {
        let value = |sweep: &ParameterSweep| row.label.settings.get(&sweep.key).cloned();
        let mut cells: Vec<String> = sweeps.iter().filter_map(value).collect();
        let key = &row.key;
        cells.extend([row.label.to_string(), key.scene.clone(), key.format.clone()]);
        cells.extend([key.workload.clone(), key.rays.to_string()]);
        cells.extend(figures(row).map(|(_, value)| value));
        let count = |name: &&str| row.counters.get(*name).map(u64::to_string).unwrap_or_default();
        cells.extend(counters.iter().map(count));
        let bound = |name: &&str| row.bounds.get(*name).map(f64::to_string).unwrap_or_default();
        cells.extend(limits.iter().map(bound));
        csv += &line(&cells);
    }
    csv
}

fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
