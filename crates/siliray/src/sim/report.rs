//! Runs as one HTML file that needs nothing but a browser: a table of all; of a sweep, charts over
//! the swept values; of two configurations, both side by side; and for each run that was made here
//! how the slots were filled over time, how long queries took, where the cycles went, and what
//! limits throughput.

use super::plot::{COLOURS, Plot, even_ticks};
use super::row::{PriorityLatency, Row};
use super::side_by_side::side_by_side;
use super::sweep::ParameterSweep;
use crate::report::{STYLE, escaped, grouped};
use std::fmt::Write;
use ttu::Explained;
use ttu::counters::Counters;
use ttu::run::{LimitKind, Run, STATES};

/// Runs that are shown in detail.
const DETAILED: usize = 12;

/// Steps of the histogram of latencies.
const LATENCY_STEPS: usize = 48;

/// What this report has beside the style of all.
const OWN_STYLE: &str = "
svg.plot { display: block; width: 100%; max-width: 660px; height: auto; }
svg.plot text { fill: var(--soft); font-size: 10.5px; } svg.plot text.axis { fill: var(--ink); }
svg.plot .grid { stroke: var(--line); }
h3 { font-size: 1rem; margin: 1.6em 0 .5em; } pre { overflow-x: auto; font-size: .82rem; }
.meter { display: grid; grid-template-columns: 170px 1fr 150px; gap: 2px 14px; padding: 6px 0;
  align-items: center; font-size: .93rem; }
.meter small { grid-column: 1 / -1; color: var(--soft); } .meter b { text-align: right; }
.meter .bar { height: 10px; } .meter.first span:first-child { color: var(--accent);
  font-weight: 620; } td.text, th.text { text-align: left; white-space: normal; }
.key { display: inline-block; width: .7em; height: .7em; border-radius: 2px; margin: 0 .4em 0 1em; }
.advice { font-size: 1.05rem; color: var(--ink); }
@media (max-width: 640px) { .meter { grid-template-columns: 1fr auto; }
  .meter .bar { grid-column: 1 / -1; grid-row: 2; } section { padding: 18px 14px; } }
";

/// The report. `sweeps` are the parameters that were swept; a row read from a file has no run.
#[must_use]
pub fn to_html(scene: &str, sweeps: &[ParameterSweep], rows: &[(Row, Option<Run>)]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
         name=\"color-scheme\" content=\"light dark\">\n<title>{name} · traversal unit · \
         siliray</title>\n<style>{STYLE}{OWN_STYLE}</style>\n</head>\n<body><main>\n<header><p \
         class=\"brand\">siliray</p><h1>{name}</h1><p>The tree traversal unit, cycle by cycle: \
         {count} run{s}.</p></header>\n",
        name = escaped(scene),
        count = rows.len(),
        s = if rows.len() == 1 { "" } else { "s" },
    );
    page += &table(sweeps, rows);
    if !sweeps.is_empty() && rows.len() > 1 {
        page += &charts(sweeps, rows);
    } else if let [(first, _), (second, _)] = rows {
        page += &both(first, second);
    }
    let detailed = rows.iter().filter_map(|(row, run)| Some((row, run.as_ref()?)));
    for (row, run) in detailed.take(DETAILED) {
        page += &details(sweeps, row, run);
    }
    page + "</main></body>\n</html>\n"
}

/// What a row is called: its swept values, or else its configuration.
fn name_of(sweeps: &[ParameterSweep], row: &Row) -> String {
    if sweeps.is_empty() {
        return escaped(&row.label.to_string());
    }
    let values = sweeps.iter().map(|sweep| format!("{} = {}", sweep.key, row.value(sweep)));
    escaped(&values.collect::<Vec<_>>().join(", "))
}

fn table(sweeps: &[ParameterSweep], rows: &[(Row, Option<Run>)]) -> String {
    let mut text = String::from("<section><h2>Runs</h2><div class=\"scroll\"><table><thead><tr>");
    let names: Vec<&str> = match sweeps {
        [] => vec!["configuration"],
        sweeps => sweeps.iter().map(|sweep| sweep.key.as_str()).collect(),
    };
    let columns = [
        "format",
        "workload",
        "rays",
        "cycles",
        "rays a cycle",
        "Mrays/s of the unit",
        "median, cycles",
        "95 % within, cycles",
        "L0 hits",
        "blocks a ray",
        "bytes a ray",
        "limited by",
    ];
    for column in names.into_iter().chain(columns) {
        let _ = write!(text, "<th>{}</th>", escaped(column));
    }
    text += "</tr></thead><tbody>";
    for (row, _) in rows {
        let key = [row.key.format.clone(), row.key.workload.clone(), grouped(row.key.rays)];
        text += "<tr>";
        for cell in row.names(sweeps).into_iter().chain(key).chain(row.cells()) {
            let _ = write!(text, "<td>{}</td>", escaped(&cell));
        }
        text += "</tr>";
    }
    let clock = rows.first().map_or(0, |(row, _)| row.config.clock_mhz);
    let _ = writeln!(
        text,
        "</tbody></table></div><p>Mrays/s are those of the simulated unit at {clock} MHz. \
         Latencies count from a query's first beat to its result.</p>{}</section>",
        notes(rows.iter().map(|(row, _)| row))
    );
    text
}

/// What should be known about the rows, each sentence once.
fn notes<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let mut notes: Vec<&str> = rows.flat_map(|row| row.notes.iter().map(String::as_str)).collect();
    notes.sort_unstable();
    notes.dedup();
    notes.into_iter().map(|note| format!("<p>Note: {}.</p>", escaped(note))).collect()
}

/// Figures over the swept values: the sweep with the most values along the axis, a line for each
/// combination of the others.
fn charts(sweeps: &[ParameterSweep], rows: &[(Row, Option<Run>)]) -> String {
    let Some(along) = sweeps.iter().rev().max_by_key(|sweep| sweep.values.len()) else {
        return String::new();
    };
    let others: Vec<ParameterSweep> =
        sweeps.iter().filter(|sweep| sweep.key != along.key).cloned().collect();
    let mut series: Vec<(String, Vec<&Row>)> = Vec::new();
    for (row, _) in rows {
        let name = if others.is_empty() { String::new() } else { name_of(&others, row) };
        match series.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(row),
            None => series.push((name, vec![row])),
        }
    }
    let last = along.values.len().saturating_sub(1).max(1) as f64;
    let x_of = |row: &Row| {
        let place = along.values.iter().position(|value| value == row.value(along));
        place.unwrap_or(0) as f64 / last
    };
    let ticks: Vec<(f64, String)> =
        along.values.iter().enumerate().map(|(k, v)| (k as f64 / last, v.clone())).collect();
    let chart = |title: &str, unit: &str, value: &dyn Fn(&Row) -> f64| {
        let most = rows.iter().map(|(row, _)| value(row)).fold(0.0, f64::max);
        let mut plot = Plot::new(title, unit, most, (&along.key, &ticks));
        for ((_, members), colour) in series.iter().zip(COLOURS.iter().cycle()) {
            let points: Vec<(f64, f64)> =
                members.iter().map(|row| (x_of(row), value(row))).collect();
            plot.line(&points, colour);
        }
        format!("<h3>{title}</h3>{}", plot.svg())
    };
    let names = series.iter().filter(|(name, _)| !name.is_empty()).zip(COLOURS.iter().cycle());
    let legend: String = names
        .map(|((name, _), colour)| {
            format!("<span class=\"key\" style=\"background:{colour}\"></span>{name}")
        })
        .collect();
    format!(
        "<section><h2>Over {}</h2><p>{legend}</p>{}{}{}{}</section>\n",
        escaped(&along.key),
        chart("Throughput", "rays a cycle", &|row| row.rays_per_cycle),
        chart("Latency that 95 % stay within", "cycles", &|row| row.latency.p95 as f64),
        chart("Lookups that the L0 answers", "%", &Row::l0_hit_percent),
        chart("Traffic", "bytes a ray", &|row| row.bytes_per_ray),
    )
}

/// Two runs side by side.
fn both(first: &Row, second: &Row) -> String {
    let mut text = format!(
        "<section><h2>Side by side</h2><div class=\"scroll\"><table><thead><tr><th></th><th>{}</th>\
         <th>{}</th><th>second / first</th><th class=\"text\">meaning</th></tr></thead><tbody>",
        escaped(&first.label.to_string()),
        escaped(&second.label.to_string())
    );
    for section in side_by_side([first, second]) {
        let _ = write!(text, "<tr><th colspan=\"5\">{}</th></tr>", section.title);
        for line in section.lines {
            let unit =
                if line.unit.is_empty() { String::new() } else { format!(", {}", line.unit) };
            let ratio = line.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
            let _ = write!(
                text,
                "<tr><td class=\"text\">{}{unit}</td><td>{}</td><td>{}</td><td>{ratio}</td><td \
                 class=\"text\">{}</td></tr>",
                escaped(&line.name),
                escaped(&line.values[0]),
                escaped(&line.values[1]),
                escaped(line.meaning)
            );
        }
    }
    text + "</tbody></table></div></section>\n"
}

/// Counters that say where the issue slots of units went.
const ISSUES: [(&str, &str); 5] = [
    ("issue_used", "tests"),
    ("bubbles_partial", "few siblings"),
    ("bubbles_dependency", "waiting for results"),
    ("bubbles_result_queue", "result queue full"),
    ("bubbles_empty", "no block"),
];

fn details(sweeps: &[ParameterSweep], row: &Row, run: &Run) -> String {
    let count = |name: &str| row.counters.get(name).copied().unwrap_or(0);
    let states = STATES.map(|state| (state.name, count(&format!("state_{}", state.name)), state));
    let issues = ISSUES.map(|(counter, name)| {
        let explained = Explained::find(Counters::EXPLAINED, counter);
        let unknown = Explained { name: counter, unit: "", meaning: "" };
        (name, count(counter), explained.unwrap_or(unknown))
    });
    format!(
        "<section><h2>{name}</h2><p class=\"advice\">{advice}.</p><h3>Slots in use over \
         time</h3>{over_time}<h3>Latency of queries</h3>{latency}<p>Half of the queries take at \
         most <b>{p50}</b> cycles, 95 % at most <b>{p95}</b>, the longest <b>{max}</b>.</p>\
         {scheduling}\
         <h3>Where the time of slots went</h3>{states}<h3>Where the issue slots of traversal units \
         went</h3>{issues}<h3>Limits</h3><p>Each bar is the share of a limit that the run reaches: \
         <b>{reached:.4}</b> blocks a cycle. The longest bar is the part that holds it up \
         first.</p>{limits}<details><summary>All counters</summary><div \
         class=\"scroll\"><table><tbody>{counters}</tbody></table></div></details><details>\
         <summary>Configuration {hash}</summary><pre>{config}</pre></details></section>\n",
        name = name_of(sweeps, row),
        advice = escaped(&row.advice),
        over_time = over_time(run),
        latency = latencies(run),
        p50 = grouped(row.latency.p50),
        p95 = grouped(row.latency.p95),
        max = grouped(row.latency.max),
        scheduling = scheduling(row),
        states = shares(&states),
        issues = shares(&issues),
        limits = limits(row),
        reached = row.blocks_per_cycle,
        counters = counters(row),
        hash = row.key.config_hash,
        config = escaped(&run.config.to_toml()),
    )
}

/// How long queries of each priority take, and what tasks gave way for others; nothing if neither
/// happened.
fn scheduling(row: &Row) -> String {
    let lines = row.priorities.iter().map(|PriorityLatency { priority, queries, latency }| {
        let cells = [u64::from(*priority), *queries, latency.p50, latency.p95, latency.max];
        let cells = cells.map(|cell| format!("<td>{}</td>", grouped(cell))).concat();
        format!("<tr>{cells}</tr>")
    });
    let lines: String = lines.collect();
    let count = |name: &str| row.counters.get(name).copied().unwrap_or(0);
    let mut text = match lines.is_empty() {
        true => String::new(),
        false => format!(
            "<h3>Latency by priority</h3><div class=\"scroll\"><table><thead><tr><th>priority</th>\
             <th>queries</th><th>median, cycles</th><th>95 % within, cycles</th><th>longest, \
             cycles</th></tr></thead><tbody>{lines}</tbody></table></div><p>{} picks went to a \
             slot before its turn, for its priority.</p>",
            grouped(count("overtakes"))
        ),
    };
    if row.config.evict {
        let _ = write!(
            text,
            "<h3>Tasks that gave way</h3><p><b>{}</b> tasks waited for memory and gave their place \
             to a pending one; <b>{}</b> came back for leaves (<b>{}</b> leaves waited), <b>{}</b> \
             ended without.</p>",
            grouped(count("tasks_evicted")),
            grouped(count("tasks_resumed")),
            grouped(count("leaves_held")),
            grouped(count("tasks_ended_pending")),
        );
    }
    text
}

/// Two lines: slots in use, and those of them that wait for memory.
fn over_time(run: &Run) -> String {
    let samples = &run.series.samples;
    let slots = f64::from(run.config.slots * run.config.ttus());
    let last = samples.last().map_or(1, |sample| sample.cycle).max(1) as f64;
    let line = |value: fn(&ttu::run::Sample) -> u64| -> Vec<(f64, f64)> {
        samples.iter().map(|s| (s.cycle as f64 / last, value(s) as f64)).collect()
    };
    let mut plot = Plot::new("Slots over time", "slots", slots, ("cycle", &even_ticks(last)));
    plot.line(&line(|sample| sample.slots), COLOURS[0]);
    plot.line(&line(|sample| sample.fetching), COLOURS[1]);
    format!(
        "{}<p>Of {slots} slots:<span class=\"key\" style=\"background:{}\"></span>in use<span \
         class=\"key\" style=\"background:{}\"></span>waiting for memory. A sample every {} \
         cycles.</p>",
        plot.svg(),
        COLOURS[0],
        COLOURS[1],
        grouped(run.series.interval)
    )
}

fn latencies(run: &Run) -> String {
    let histogram = run.latencies.histogram(LATENCY_STEPS);
    let counts: Vec<f64> = histogram.iter().map(|&count| count as f64).collect();
    let most = counts.iter().copied().fold(0.0, f64::max);
    // The steps are whole cycles, so that the last may end behind the largest latency.
    let width = (run.latencies.max() + 1).div_ceil(LATENCY_STEPS as u64);
    let end = (width * LATENCY_STEPS as u64) as f64;
    let mut plot = Plot::new("Latencies", "queries", most, ("cycles", &even_ticks(end)));
    plot.bars(&counts);
    plot.svg()
}

/// Named shares of a whole, each as a bar with its meaning.
fn shares(parts: &[(&str, u64, Explained)]) -> String {
    let whole = parts.iter().map(|(_, count, _)| count).sum::<u64>().max(1) as f64;
    let meters = parts.iter().map(|&(name, count, explained)| {
        let share = count as f64 / whole;
        meter(false, name, share, &format!("{:.1} %", 100.0 * share), explained.meaning)
    });
    meters.collect()
}

/// How much of each limit is used: the smallest limit is used most.
fn limits(row: &Row) -> String {
    let meters = row.sorted_bounds().into_iter().map(|(name, bound)| {
        let used = row.blocks_per_cycle / bound;
        let value = format!("{:.0} % of {bound:.4}", 100.0 * used);
        let kind = LimitKind::find(name);
        let key = kind.and_then(|kind| kind.widened_by);
        let widened = key.map_or_else(String::new, |key| format!("; widened by {key}"));
        let meaning = kind.map_or("", |kind| kind.explained.meaning);
        meter(name == row.bound, name, used, &value, &format!("{meaning}{widened}"))
    });
    meters.collect()
}

fn meter(is_first: bool, name: &str, share: f64, value: &str, meaning: &str) -> String {
    let class = if is_first { "meter first" } else { "meter" };
    format!(
        "<div class=\"{class}\"><span>{name}</span><span class=\"bar\"><i \
         style=\"width:{:.1}%\"></i></span><b>{value}</b><small>{}</small></div>",
        (100.0 * share).clamp(0.0, 100.0),
        escaped(meaning)
    )
}

fn counters(row: &Row) -> String {
    let known = Counters::EXPLAINED.iter();
    let lines = known.filter_map(|entry| Some((entry, *row.counters.get(entry.name)?)));
    let line = |(entry, count): (&Explained, u64)| {
        format!(
            "<tr><td class=\"text\">{}</td><td>{}</td><td class=\"text\">{}</td><td \
             class=\"text\">{}</td></tr>",
            entry.name,
            grouped(count),
            entry.unit,
            escaped(entry.meaning)
        )
    };
    lines.map(line).collect()
}
