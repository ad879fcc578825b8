//! Two runs beside each other: parameters that differ, figures, limits, counters that differ.

use super::row::Row;
use crate::report::grouped;
use ttu::Explained;
use ttu::counters::Counters;
use ttu::run::LimitKind;

/// One figure of two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// In which unit; empty for plain numbers and names.
    pub unit: &'static str,
    /// What it means, where the name does not say it.
    pub meaning: &'static str,
    /// Its two values.
    pub values: [String; 2],
    /// The second over the first, of figures.
    pub ratio: Option<f64>,
}

/// Figures of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The kind.
    pub title: &'static str,
    /// The figures.
    pub lines: Vec<Line>,
}

/// Everything that two runs have to say to each other.
#[must_use]
pub fn side_by_side(rows: [&Row; 2]) -> Vec<Section> {
    let parameters = rows[0].config.differences(&rows[1].config);
    let parameters = parameters.into_iter().map(|(name, values)| {
        let line = Line { name: name.to_owned(), unit: "", meaning: "", values, ratio: None };
        let known = ttu::config::parameters().into_iter().find(|known| known.name == name);
        known.map_or(line.clone(), |known| Line {
            unit: known.unit,
            meaning: known.meaning,
            ..line
        })
    });
    let figure = |name: &str, unit, values: [f64; 2], digits: usize| Line {
        name: name.to_owned(),
        unit,
        meaning: "",
        values: values.map(|value| number(value, digits)),
        ratio: ratio(values),
    };
    let both = |value: fn(&Row) -> f64| rows.map(value);
    let figures = vec![
        figure("cycles", "", both(|row| row.cycles as f64), 0),
        figure("rays a cycle", "", both(|row| row.rays_per_cycle), 5),
        figure("rate at the clock", "Mrays/s", both(|row| row.mrays_per_second_at_clock), 2),
        figure("latency, median", "cycles", both(|row| row.latency.p50 as f64), 0),
        figure("latency, 95 % within", "cycles", both(|row| row.latency.p95 as f64), 0),
        figure("L0 hits", "%", both(Row::l0_hit_percent), 1),
        figure("blocks a ray", "", both(|row| row.blocks_per_ray), 2),
        figure("bytes a ray", "bytes", both(|row| row.bytes_per_ray), 0),
        Line {
            name: "limited by".to_owned(),
            unit: "",
            meaning: "",
            values: rows.map(|row| row.bound.clone()),
            ratio: None,
        },
        figure("reached", "blocks a cycle", both(|row| row.blocks_per_cycle), 4),
    ];
    let limits = rows[0].sorted_bounds().into_iter().filter_map(|(name, bound)| {
        let other = *rows[1].bounds.get(name)?;
        let meaning = LimitKind::find(name).map_or("", |kind| kind.explained.meaning);
        Some(Line { meaning, ..figure(name, "blocks a cycle", [bound, other], 4) })
    });
    let counters = Counters::EXPLAINED.iter().filter_map(|entry: &Explained| {
        let values = [rows[0].counters.get(entry.name)?, rows[1].counters.get(entry.name)?];
        let line = figure(entry.name, entry.unit, values.map(|&count| count as f64), 0);
        (values[0] != values[1]).then_some(Line { meaning: entry.meaning, ..line })
    });
    vec![
        Section { title: "parameters that differ", lines: parameters.collect() },
        Section { title: "figures", lines: figures },
        Section { title: "limits", lines: limits.collect() },
        Section { title: "counters that differ", lines: counters.collect() },
    ]
}

fn number(value: f64, digits: usize) -> String {
    if digits == 0 { grouped(value.round() as u64) } else { format!("{value:.digits$}") }
}

fn ratio([a, b]: [f64; 2]) -> Option<f64> {
    (a > 0.0).then_some(b / a)
}
