//! The demo as one HTML file. `page.html` holds the page; the parts made here replace its
//! `{{markers}}`.

use super::broken::Broken;
use super::formats::FormatRow;
use super::machines::{MachineAnswer, MachineRow};
use super::{Demo, SIZE};
use crate::render::PngError;
use crate::render::heat_map::{self, HeatMap};
use crate::report::{STYLE, data_url, duration, escaped, filled, grouped, millions};
use crate::sim::Row;
use crate::walk::Walk;
use crate::walk::text::line;
use machine::{Hit, Step};
use std::fmt::Write;

const TEMPLATE: &str = include_str!("page.html");

/// Machines whose walks stand side by side.
const WALKS: [&str; 3] = ["reference", "gfx12-gpurt", "ttu"];

/// Steps of a walk that are shown, from its beginning and from its end.
const STEPS: (usize, usize) = (18, 5);

/// The page, pictures included. `commands` are what to try next.
///
/// # Errors
/// When a picture has no pixels.
pub fn to_html(demo: &Demo, commands: &[String]) -> Result<String, PngError> {
    let broken = demo.broken.as_ref().map(broken).transpose()?.unwrap_or_default();
    let commands = commands.iter().map(|command| escaped(command) + "\n").collect();
    let parts = [
        ("style", STYLE.to_owned()),
        ("scene", escaped(&demo.scene)),
        ("subtitle", subtitle(demo)),
        ("verdict", verdict(demo)),
        ("shaded", data_url(&demo.shaded.picture)?),
        ("heat", data_url(&demo.heat_map.picture)?),
        ("size", format!("{} × {}", SIZE[0], SIZE[1])),
        ("legend", demo.heat_map.heat_map.as_ref().map(legend).unwrap_or_default()),
        ("cards", cards(demo)),
        ("formats", formats(demo)),
        ("ray", ray(demo)),
        ("machines", demo.machines.iter().map(machine).collect()),
        ("bits", bits(demo)),
        ("walks", walks(demo)),
        ("law", demo.machines.iter().filter_map(law).collect()),
        ("unit", demo.unit.as_ref().map_or_else(String::new, unit)),
        ("speeds", speeds(demo)),
        ("broken", broken),
        ("trees", trees(demo)),
        ("preset", demo.preset.name().to_owned()),
        ("timings", timings(demo)),
        ("commands", commands),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    Ok(filled(TEMPLATE, &parts))
}

fn subtitle(demo: &Demo) -> String {
    let stored = grouped(demo.triangles as u64);
    if demo.instances == 0 {
        return format!("{stored} triangles");
    }
    let (placed, instances) =
        (grouped(demo.placed_triangles as u64), grouped(demo.instances as u64));
    format!("{stored} triangles, placed by {instances} instances as {placed}")
}

fn verdict(demo: &Demo) -> String {
    let machines = demo.answers().count();
    let answers = grouped(demo.law_answers() as u64);
    let wrong: Vec<&str> = demo.wrong_machines().collect();
    if wrong.is_empty() {
        return format!(
            "<p class=\"verdict good\"><span aria-hidden=\"true\">✓</span> {machines} machines, \
             {answers} answers: all agree with brute force, bit for bit, or lose only what their \
             hardware is known to lose.</p>"
        );
    }
    format!(
        "<p class=\"verdict bad\"><span aria-hidden=\"true\">✗</span> Differ from brute force: \
         {}.</p>",
        wrong.join(", ")
    )
}

/// The histogram of counts over the ramp that colours them.
fn legend(map: &HeatMap) -> String {
    let tallest = map.histogram.iter().copied().max().unwrap_or(0).max(1);
    let steps = map.histogram.len();
    let mut bars = String::new();
    for (step, &pixels) in map.histogram.iter().enumerate() {
        // Square roots keep the long tail visible.
        let height = 60.0 * (pixels as f64 / tallest as f64).sqrt();
        let [r, g, b] = heat_map::colour((step as f32 + 0.5) / steps as f32);
        let _ = write!(
            bars,
            "<rect x=\"{x}\" y=\"{y:.1}\" width=\"9\" height=\"{height:.1}\" \
             fill=\"rgb({r},{g},{b})\"/><rect x=\"{x}\" y=\"64\" width=\"10\" height=\"10\" \
             fill=\"rgb({r},{g},{b})\"/>",
            x = step * 10,
            y = 60.0 - height,
        );
    }
    let width = steps * 10;
    let ticks: String = (0..=4)
        .map(|tick| {
            let anchor = ["start", "middle", "middle", "middle", "end"][tick];
            let more = if tick == 4 { " +" } else { "" };
            format!(
                "<text x=\"{}\" y=\"90\" text-anchor=\"{anchor}\">{}{more}</text>",
                width * tick / 4,
                grouped(map.brightest * tick as u64 / 4)
            )
        })
        .collect();
    format!(
        "<svg viewBox=\"0 0 {width} 94\" role=\"img\" aria-label=\"Distribution of {name} tested \
         for each pixel\">{bars}{ticks}</svg><p>{name} tested for a pixel (below) and how many \
         pixels took that (bars): median <b>{median}</b>, mean <b>{mean:.1}</b>, 99 % of pixels \
         at most <b>{most_pixels}</b>, worst <b>{most}</b>.</p>",
        name = map.measure.name(),
        median = grouped(map.median),
        mean = map.mean,
        most_pixels = grouped(map.percentile_99),
        most = grouped(map.most),
    )
}

fn cards(demo: &Demo) -> String {
    let mut cards = vec![
        ("formats", demo.formats.iter().filter(|row| row.outcome.is_ok()).count().to_string()),
        ("machines", demo.answers().count().to_string()),
    ];
    if let Some((_, bytes)) = demo.smallest_format() {
        cards.push(("bytes a triangle, at best", format!("{bytes:.1}")));
    }
    if let Some(unit) = &demo.unit {
        let cycles = unit.cycles as f64 / unit.key.rays.max(1) as f64;
        cards.push(("cycles a ray, traversal unit", format!("{cycles:.0}")));
    }
    if let Some((_, speed)) = demo.speeds.first() {
        cards.push(("rays a second, this computer", millions(*speed)));
    }
    let card = |(label, value)| format!("<div><dt>{label}</dt><dd>{value}</dd></div>");
    cards.into_iter().map(card).collect()
}

fn formats(demo: &Demo) -> String {
    let figures = demo.formats.iter().filter_map(|row| row.outcome.as_ref().ok());
    let largest = figures.map(|figures| figures.bytes_per_triangle).fold(1.0, f64::max);
    let row = |row: &FormatRow| match &row.outcome {
        Ok(figures) => format!(
            "<tr><th scope=\"row\">{}</th><td>{:.1}{}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td class=\"text\">{}</td></tr>",
            row.name,
            figures.bytes_per_triangle,
            bar(figures.bytes_per_triangle / largest),
            grouped(figures.nodes as u64),
            duration(figures.encode_seconds),
            duration(figures.check_seconds),
            escaped(row.summary),
        ),
        Err(reason) => refused(row.name, 4, reason),
    };
    demo.formats.iter().map(row).collect()
}

/// A row that has no figures, and why.
fn refused(name: &str, columns: usize, reason: &str) -> String {
    let cells = "<td>–</td>".repeat(columns);
    format!(
        "<tr><th scope=\"row\">{name}</th>{cells}<td class=\"text\">{}</td></tr>",
        escaped(reason)
    )
}

fn bar(share: f64) -> String {
    format!("<span class=\"bar\"><i style=\"width:{:.1}%\"></i></span>", 100.0 * share)
}

fn ray(demo: &Demo) -> String {
    let [x, y] = demo.pixel;
    format!("The ray through pixel {x}, {y} of the picture, asked of each for its closest hit.")
}

fn machine(row: &MachineRow) -> String {
    let answer = match &row.outcome {
        Ok(answer) => answer,
        Err(reason) => return refused(row.name, 7, reason),
    };
    let (t, bits, triangle) = answer.hit.map_or_else(
        || ("–".to_owned(), String::new(), "none".to_owned()),
        |Hit { t, geometry, primitive, .. }| {
            (t.to_string(), format!("{:08x}", t.to_bits()), format!("{geometry}:{primitive}"))
        },
    );
    let counters = answer.walk.answer.as_ref().map(|answer| answer.counters).unwrap_or_default();
    let count = |count: u64| if count == 0 { "–".to_owned() } else { grouped(count) };
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{t}</td><td><code>{bits}</code></td>\
         <td>{triangle}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        row.name,
        row.format,
        count(counters.nodes),
        count(counters.box_tests),
        count(counters.triangle_tests),
        grouped(answer.walk.steps.len() as u64),
    )
}

/// Which machines agree in every bit of t.
fn bits(demo: &Demo) -> String {
    let hit = |(row, answer): (&MachineRow, &MachineAnswer)| (row.name, answer.hit);
    let hits: Vec<(&str, Option<Hit>)> = demo.answers().map(hit).collect();
    let Some((_, first)) = hits.first() else { return String::new() };
    let same = |other: &Option<Hit>| match (first, other) {
        (Some(a), Some(b)) => a.ids() == b.ids() && a.t.to_bits() == b.t.to_bits(),
        (None, None) => true,
        _ => false,
    };
    let others: Vec<&str> =
        hits.iter().filter(|(_, hit)| !same(hit)).map(|(name, _)| *name).collect();
    if others.is_empty() {
        return "All of them give the same triangle and the same bits of t.".to_owned();
    }
    format!(
        "{} of {} give the same triangle and the same bits of t; {} round t by an arithmetic of \
         their own, or number triangles anew.",
        hits.len() - others.len(),
        hits.len(),
        others.join(", ")
    )
}

fn walks(demo: &Demo) -> String {
    let shown = demo.answers().filter(|(row, _)| WALKS.contains(&row.name));
    shown
        .map(|(row, answer)| {
            format!("<div><h3>{}</h3><pre>{}</pre></div>", row.name, escaped(&steps(&answer.walk)))
        })
        .collect()
}

/// The beginning and the end of a walk.
fn steps(walk: &Walk) -> String {
    let (first, last) = STEPS;
    let steps: Vec<&Step> = walk.steps.iter().collect();
    let hidden = steps.len().saturating_sub(first + last);
    let shown = |steps: &[&Step]| -> String { steps.iter().map(|s| line(s) + "\n").collect() };
    if hidden == 0 {
        return shown(&steps);
    }
    let (start, end) = (shown(&steps[..first]), shown(&steps[steps.len() - last..]));
    format!("{start}… {} more\n{end}", grouped(hidden as u64))
}

fn law(row: &MachineRow) -> Option<String> {
    let MachineAnswer { law, rays, .. } = row.outcome.as_ref().ok()?;
    let text = match (law.is_wrong(), law.losses) {
        (true, _) => "<span class=\"no\">✗ differs from brute force</span>".to_owned(),
        (false, 0) => "<span class=\"yes\">✓ equal, bit for bit</span>".to_owned(),
        (false, _) => "loses what this hardware is known to lose".to_owned(),
    };
    Some(format!(
        "<tr><th scope=\"row\">{}</th><td>{rays}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td class=\"text\">{text}</td></tr>",
        row.name,
        grouped(law.hits as u64),
        law.losses,
        law.mismatches,
    ))
}

fn unit(row: &Row) -> String {
    let rays = row.key.rays.max(1);
    let mut limits: Vec<(&String, &f64)> = row.bounds.iter().collect();
    limits.sort_by(|a, b| a.1.total_cmp(b.1));
    let smallest = limits.first().map_or(1.0, |(_, limit)| **limit).max(1e-9);
    let reached = 100.0 * row.blocks_per_cycle / smallest;
    let rows: String = limits
        .iter()
        .map(|(name, limit)| item(name, smallest / **limit, &format!("{limit:.2}")))
        .collect();
    format!(
        "<p>{} rays on the configuration <i>{}</i>, cycle by cycle: {} cycles, {:.0} a ray, {:.1} \
         blocks a ray; {:.0} million rays a second at {} MHz.</p><p><b>{}</b> limits it: {:.2} \
         blocks a cycle of the {:.2} that it allows ({reached:.0} %). The limits in blocks a \
         cycle, the tightest first; the longer the bar, the closer it comes to limiting:</p>\
         <ol>{rows}</ol>",
        grouped(rays),
        escaped(super::UNIT_CONFIG),
        grouped(row.cycles),
        row.cycles as f64 / rays as f64,
        row.blocks_per_ray,
        row.mrays_per_second_at_clock,
        row.config.clock_mhz,
        escaped(&row.bound),
        row.blocks_per_cycle,
        smallest,
    )
}

fn speeds(demo: &Demo) -> String {
    let fastest = demo.speeds.iter().map(|(_, speed)| *speed).fold(1.0, f64::max);
    let rows: String = demo
        .speeds
        .iter()
        .map(|(kind, speed)| item(kind.name(), speed / fastest, &millions(*speed)))
        .collect();
    let threads = threads(demo.threads);
    format!("<p>Its rays a second on this computer, {threads}, in batches:</p><ol>{rows}</ol>")
}

fn item(label: &str, share: f64, value: &str) -> String {
    format!("<li><span>{}</span>{}<b>{value}</b></li>", escaped(label), bar(share))
}

fn broken(broken: &Broken) -> Result<String, PngError> {
    let (node, address) = broken.node;
    let (before, after) = broken.change;
    let mut findings = String::new();
    for finding in broken.findings.iter().take(3) {
        let _ = write!(findings, "<p class=\"finding\">{}</p>", escaped(&finding.to_string()));
    }
    if broken.findings.len() > 3 {
        let _ = write!(findings, "<p>… and {} more.</p>", broken.findings.len() - 3);
    }
    let reason = broken.reason.as_ref().map_or_else(String::new, |reason| {
        format!("<p>One of them, followed:</p><p class=\"finding\">{}</p>", escaped(reason))
    });
    Ok(format!(
        "<section><h2>A broken file, and what siliray says of it</h2><div class=\"columns\"><div>\
         <p>In the GFX12 file of this scene one field was changed: <code>{field}</code> of node \
         {node} at address {address:#x}, from {before} to {after}.</p>\
         <h3><code>siliray check</code></h3>{findings}\
         <h3><code>siliray conformance</code></h3><p>{machine} loses {losses} of {hits} \
         hits.</p>{reason}</div><figure><img src=\"{picture}\" alt=\"Lost pixels in red\">\
         <figcaption><strong><code>siliray render --losses</code></strong>{lost} of {seen} pixels \
         are lost: red.</figcaption></figure></div></section>",
        field = escaped(&broken.field),
        machine = broken.machine,
        losses = grouped(broken.losses as u64),
        hits = grouped(broken.hits as u64),
        picture = data_url(&broken.picture.picture)?,
        lost = grouped(broken.pixels.lost),
        seen = grouped(broken.pixels.hits),
    ))
}

fn trees(demo: &Demo) -> String {
    let row = |tree: &build::Report| {
        let chosen = if tree.preset == demo.preset { " class=\"chosen\"" } else { "" };
        format!(
            "<tr{chosen}><th scope=\"row\">{}</th><td>{:.2}</td><td>{:.2}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            tree.preset.name(),
            tree.sah_cost,
            tree.sah_cost_wide,
            tree.depth,
            grouped(tree.nodes as u64),
            grouped(tree.leaves as u64),
            duration(tree.seconds),
            millions(tree.primitives_per_second),
        )
    };
    demo.trees.iter().map(row).collect()
}

fn timings(demo: &Demo) -> String {
    let total = demo.seconds();
    let row = |&(label, seconds): &(&str, f64)| {
        item(label, seconds / total.max(1e-9), &duration(seconds))
    };
    let rows: String = demo.timings.iter().map(row).collect();
    format!("<ol>{rows}</ol><p>{} in all, {}.</p>", duration(total), threads(demo.threads))
}

fn threads(count: usize) -> String {
    if count == 1 { "on one thread".to_owned() } else { format!("on {count} threads") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        for part in [TEMPLATE, STYLE] {
            assert!(!part.contains("http") && !part.contains("url(") && !part.contains("//"));
            assert!(!part.contains("<script") && !part.contains("@import"));
        }
    }
}
