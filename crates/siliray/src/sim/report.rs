//! Runs as one HTML file that needs nothing but a browser: a table of all, and for each run that
//! was made here how the slots were filled over time, how long queries took, where the cycles went,
//! and what limits throughput.

use super::row::Row;
use crate::report::{STYLE, escaped, grouped};
use std::fmt::Write;
use ttu::run::Run;

/// Runs that are shown in detail.
const DETAILED: usize = 12;
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 160.0;

/// The report. A row read from a file has no run.
#[must_use]
pub fn to_html(scene: &str, rows: &[(Row, Option<Run>)]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
         name=\"color-scheme\" content=\"light dark\">\n<title>{name} · traversal unit · \
         siliray</title>\n<style>{style}\nsvg {{ display: block; width: 100%; height: auto; }} svg \
         text {{ fill: var(--soft); font-size: 11px; }}\npre {{ overflow-x: auto; font-size: \
         .82rem; }}</style>\n</head>\n<body><main>\n<header><p \
         class=\"brand\">siliray</p><h1>{name}</h1><p>The tree traversal unit, cycle by cycle: \
         {count} run{s}.</p></header>\n",
        name = escaped(scene),
        style = STYLE,
        count = rows.len(),
        s = if rows.len() == 1 { "" } else { "s" },
    );
    page += &table(rows);
    let detailed = rows.iter().filter_map(|(row, run)| Some((row, run.as_ref()?)));
    for (row, run) in detailed.take(DETAILED) {
        page += &details(row, run);
    }
    page + "</main></body>\n</html>\n"
}

fn table(rows: &[(Row, Option<Run>)]) -> String {
    let mut text = String::from(
        "<section><h2>Runs</h2><div class=\"scroll\"><table><thead><tr><th>configuration</th>\
         <th>format</th><th>workload</th><th>rays</th><th>cycles</th><th>rays/cycle</th>\
         <th>p50</th><th>p95</th><th>L0 hits</th><th>bytes/ray</th><th>limited by</th></tr></thead>\
         <tbody>",
    );
    for (row, _) in rows {
        let count = |name: &str| row.counters.get(name).copied().unwrap_or(0) as f64;
        let _ = write!(
            text,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.4}</td><td>{}</td>\
             <td>{}</td><td>{:.1} %</td><td>{:.0}</td><td>{}</td></tr>",
            row.key.config_hash,
            escaped(&row.key.format),
            row.key.workload,
            grouped(row.key.rays),
            grouped(row.cycles),
            row.rays_per_cycle,
            grouped(row.latency.p50),
            grouped(row.latency.p95),
            100.0 * (count("lookups") - count("misses") - count("merges"))
                / count("lookups").max(1.0),
            row.bytes_per_ray,
            row.bound,
        );
    }
    text + "</tbody></table></div></section>\n"
}

fn details(row: &Row, run: &Run) -> String {
    let c = &run.counters;
    let states = [
        ("ready", c.state_ready),
        ("fetch", c.state_fetch),
        ("launched", c.state_launched),
        ("drain", c.state_drain),
        ("done", c.state_done),
        ("free", c.state_free),
    ];
    let issues = [
        ("tests", c.issue_used),
        ("fewer siblings than tests", c.bubbles_partial),
        ("waiting for results", c.bubbles_dependency),
        ("result queue full", c.bubbles_result_queue),
        ("no block", c.bubbles_empty),
    ];
    format!(
        "<section><h2>Configuration {hash}</h2><h3>Slots in use over \
         time</h3>{over_time}<h3>Latency of queries, cycles</h3>{latency}<p>Median <b>{p50}</b>, \
         95 % within <b>{p95}</b>, longest <b>{max}</b>.</p><h3>Where the time of slots \
         went</h3>{states}<h3>Where the issue slots of units went</h3>{issues}<h3>Limits, blocks a \
         cycle</h3>{limits}<p>Reached <b>{reached:.4}</b>; the smallest limit is \
         <b>{bound}</b>.</p><details><summary>Configuration</summary><pre>{config}</pre></details>\
         </section>\n",
        hash = row.key.config_hash,
        over_time = over_time(run),
        latency = bars(&run.latencies.histogram(48), run.latencies.max()),
        p50 = grouped(row.latency.p50),
        p95 = grouped(row.latency.p95),
        max = grouped(row.latency.max),
        states = shares(&states),
        issues = shares(&issues),
        limits = limits(run),
        reached = run.bound.reached,
        bound = run.bound.name(),
        config = escaped(&run.config.to_toml()),
    )
}

/// Two lines: slots in use, and those of them that wait for memory.
fn over_time(run: &Run) -> String {
    let samples = &run.series.samples;
    let slots = f64::from(run.config.slots * run.config.ttus());
    let last = samples.last().map_or(1, |sample| sample.cycle).max(1) as f64;
    let line = |value: &dyn Fn(usize) -> u64| {
        (0..samples.len())
            .map(|k| {
                let x = samples[k].cycle as f64 / last * WIDTH;
                format!("{x:.1},{:.1}", HEIGHT * (1.0 - value(k) as f64 / slots))
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    format!(
        "<svg viewBox=\"0 0 {WIDTH} 184\" role=\"img\" aria-label=\"Slots over time\"><polyline \
         fill=\"none\" stroke=\"var(--accent)\" points=\"{}\"/><polyline fill=\"none\" \
         stroke=\"var(--good)\" points=\"{}\"/><text x=\"0\" y=\"180\">0</text><text x=\"{WIDTH}\" \
         y=\"180\" text-anchor=\"end\">cycle {}</text></svg><p>Of {slots} slots: <span \
         style=\"color:var(--accent)\">in use</span>, <span style=\"color:var(--good)\">waiting \
         for memory</span>.</p>",
        line(&|k| samples[k].slots),
        line(&|k| samples[k].fetching),
        grouped(last as u64),
    )
}

fn bars(histogram: &[u64], most: u64) -> String {
    let tallest = histogram.iter().copied().max().unwrap_or(1).max(1) as f64;
    let width = WIDTH / histogram.len().max(1) as f64;
    let mut text =
        format!("<svg viewBox=\"0 0 {WIDTH} 184\" role=\"img\" aria-label=\"Histogram\">");
    for (step, &count) in histogram.iter().enumerate() {
        let height = HEIGHT * count as f64 / tallest;
        let _ = write!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" \
             fill=\"var(--accent)\"/>",
            step as f64 * width,
            HEIGHT - height,
            width - 1.0,
        );
    }
    let most = grouped(most);
    text + &format!(
        "<text x=\"0\" y=\"180\">0</text><text x=\"{WIDTH}\" y=\"180\" \
         text-anchor=\"end\">{most}</text></svg>"
    )
}

/// Named shares of a whole, each as a bar.
fn shares(parts: &[(&str, u64)]) -> String {
    let whole = parts.iter().map(|(_, count)| count).sum::<u64>().max(1) as f64;
    rows_of_bars(parts.iter().map(|&(name, count)| {
        let share = count as f64 / whole;
        (name.to_owned(), share, format!("{:.1} %", 100.0 * share))
    }))
}

fn limits(run: &Run) -> String {
    let finite = run.bound.limits.iter().filter(|limit| limit.blocks_per_cycle.is_finite());
    let largest = finite.clone().map(|limit| limit.blocks_per_cycle).fold(1e-9, f64::max);
    rows_of_bars(finite.map(|limit| {
        let value = limit.blocks_per_cycle;
        (limit.name.to_owned(), value / largest, format!("{value:.4}"))
    }))
}

fn rows_of_bars(rows: impl Iterator<Item = (String, f64, String)>) -> String {
    let mut text = String::from("<table><tbody>");
    for (name, share, value) in rows {
        let _ = write!(
            text,
            "<tr><td style=\"text-align:left\">{name}</td><td style=\"width:60%\"><svg viewBox=\"0 \
             0 400 12\"><rect width=\"{:.1}\" height=\"12\" \
             fill=\"var(--accent)\"/></svg></td><td>{value}</td></tr>",
            400.0 * share,
        );
    }
    text + "</tbody></table>"
}
