//! The report as HTML. `template.html` holds the page and its style; the parts made here replace
//! its `{{markers}}`.

use super::text::{duration, escaped, grouped, millions};
use super::{Check, Report};
use crate::render::heat_map::{self, HeatMap};
use crate::render::{Picture, PngError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

const TEMPLATE: &str = include_str!("template.html");

/// The report as one HTML file, pictures included.
///
/// # Errors
/// When a picture has no pixels.
pub fn to_html(report: &Report<'_>) -> Result<String, PngError> {
    let parts = [
        ("scene", escaped(report.scene)),
        ("subtitle", subtitle(report)),
        ("verdict", verdict(report.check)),
        ("shaded", data_url(&report.shaded.picture)?),
        ("heat", data_url(&report.heat_map.picture)?),
        ("size", format!("{} × {}", report.shaded.picture.width, report.shaded.picture.height)),
        ("legend", report.heat_map.heat_map.as_ref().map(legend).unwrap_or_default()),
        ("cards", cards(report)),
        ("trees", trees(report)),
        ("timings", timings(report)),
        ("preset", report.preset.name().to_owned()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    Ok(filled(TEMPLATE, &parts))
}

/// The style of the pages, for other reports.
pub(crate) fn style() -> &'static str {
    let behind = TEMPLATE.split_once("<style>").map_or("", |(_, rest)| rest);
    behind.split_once("</style>").map_or("", |(style, _)| style)
}

/// The template with each `{{marker}}` replaced. Replacements are not searched for markers.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut pieces = template.split("{{");
    page.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (marker, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        let part = parts.iter().find(|(name, _)| *name == marker);
        page.push_str(part.map_or("", |(_, text)| text));
        page.push_str(rest);
    }
    page
}

fn data_url(picture: &Picture) -> Result<String, PngError> {
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(picture.to_png()?)))
}

fn subtitle(report: &Report<'_>) -> String {
    let stored = grouped(report.triangles as u64);
    if report.instances == 0 {
        return format!("{stored} triangles");
    }
    let (placed, instances) =
        (grouped(report.placed_triangles as u64), grouped(report.instances as u64));
    format!("{stored} triangles, placed by {instances} instances as {placed}")
}

fn verdict(check: Check) -> String {
    let queries = grouped(check.queries as u64);
    match check.mismatches {
        0 => format!(
            "<p class=\"verdict good\"><span aria-hidden=\"true\">✓</span> All {queries} sampled \
             queries agree with brute force, bit for bit.</p>"
        ),
        wrong => format!(
            "<p class=\"verdict bad\"><span aria-hidden=\"true\">✗</span> {} of {queries} sampled \
             queries differ from brute force.</p>",
            grouped(wrong as u64)
        ),
    }
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
         for each pixel\">{bars}{ticks}</svg><p>Median <b>{median}</b>, mean <b>{mean:.1}</b>, 99 \
         % of pixels at most <b>{most_pixels}</b>, worst <b>{most}</b>.</p>",
        name = map.measure.name(),
        median = grouped(map.median),
        mean = map.mean,
        most_pixels = grouped(map.percentile_99),
        most = grouped(map.most),
    )
}

fn cards(report: &Report<'_>) -> String {
    let seconds = |label: &str| {
        report.timings.iter().find(|(name, _)| *name == label).map_or(0.0, |&(_, seconds)| seconds)
    };
    let counters = report.shaded.counters;
    let rays = counters.queries.max(1) as f64;
    let mut cards = vec![
        ("rays traced", grouped(counters.queries)),
        ("rays a second", millions(rays / seconds(super::SHADED).max(1e-9))),
        ("boxes a ray", format!("{:.1}", counters.box_tests as f64 / rays)),
        ("triangles a ray", format!("{:.1}", counters.triangle_tests as f64 / rays)),
    ];
    if let Some(tree) = report.trees.iter().find(|tree| tree.preset == report.preset) {
        cards.push(("SAH cost, wide tree", format!("{:.1}", tree.sah_cost_wide)));
        cards.push(("depth", tree.depth.to_string()));
    }
    cards
        .into_iter()
        .map(|(label, value)| format!("<div><dt>{label}</dt><dd>{value}</dd></div>"))
        .collect()
}

fn trees(report: &Report<'_>) -> String {
    let row = |tree: &build::Report| {
        let chosen = if tree.preset == report.preset { " class=\"chosen\"" } else { "" };
        format!(
            "<tr{chosen}><th \
             scope=\"row\">{}</th><td>{:.2}</td><td>{:.2}</td><td>{:.3}</td><td>{}</td><td>{:.0} \
             %</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            tree.preset.name(),
            tree.sah_cost,
            tree.sah_cost_wide,
            tree.overlap,
            tree.depth,
            100.0 * tree.leaf_fill,
            grouped(tree.nodes as u64),
            grouped(tree.leaves as u64),
            duration(tree.seconds),
            millions(tree.primitives_per_second),
        )
    };
    report.trees.iter().map(row).collect()
}

fn timings(report: &Report<'_>) -> String {
    let total: f64 = report.timings.iter().map(|(_, seconds)| seconds).sum();
    let row = |&(label, seconds): &(&str, f64)| {
        let share = 100.0 * seconds / total.max(1e-9);
        format!(
            "<li><span>{}</span><span class=\"bar\"><i style=\"width:{share:.1}%\"></i></span>\
             <b>{}</b></li>",
            escaped(label),
            duration(seconds)
        )
    };
    let rows: String = report.timings.iter().map(row).collect();
    let threads = match report.threads {
        1 => "one thread".to_owned(),
        many => format!("{many} threads"),
    };
    format!("<ol>{rows}</ol><p>{} in all, on {threads}.</p>", duration(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_replaced_once() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "x".to_owned())];
        assert_eq!(filled("1{{a}}2{{b}}3{{none}}4", &parts), "1{{b}}2x34");
    }

    /// Every marker of the template has a part, and every part a marker.
    #[test]
    fn the_template_and_its_parts_fit() {
        let mut markers: Vec<&str> =
            TEMPLATE.split("{{").skip(1).map(|piece| piece.split_once("}}").unwrap().0).collect();
        markers.sort_unstable();
        markers.dedup();
        let known = [
            "cards", "heat", "legend", "preset", "scene", "shaded", "size", "subtitle", "timings",
            "trees", "verdict", "version",
        ];
        assert_eq!(markers, known);
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        assert!(
            !TEMPLATE.contains("http") && !TEMPLATE.contains("url(") && !TEMPLATE.contains("//")
        );
        assert!(!TEMPLATE.contains("<script") && !TEMPLATE.contains("@import"));
    }
}
