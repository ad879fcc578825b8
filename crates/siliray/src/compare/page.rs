//! Rows as one HTML file that needs nothing but a browser: for each scene, bytes against work, and
//! bars; then all rows as a table.

use super::plot::{Mark, Point, bars, mark, scatter};
use super::row::{Row, Work};
use crate::report::{STYLE, escaped, grouped};
use std::fmt::Write;

/// What a plot can show upward: its name, its unit, and where it stands.
type Measure = (&'static str, &'static str, fn(&Work) -> Option<f64>);

const MEASURES: [Measure; 3] = [
    ("Tests", "boxes and primitives tested a ray", |work| Some(work.tests())),
    ("Traffic", "bytes fetched a ray", |work| Some(work.bytes)),
    ("Cycles", "cycles a ray on the traversal unit", |work| work.cycles),
];

/// The page.
#[must_use]
pub fn to_html(rows: &[Row]) -> String {
    let scenes = distinct(rows, |row| &row.key.scene);
    let legend = Legend::new(rows);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
         name=\"color-scheme\" content=\"light dark\">\n<title>Formats side by side · \
         siliray</title>\n<style>{style}\n{own}</style>\n</head>\n<body><main>\n<header><p \
         class=\"brand\">siliray</p><h1>Formats side by side</h1><p>{scenes}: {rows} rows, {rays} \
         rays of each kind.</p></header>\n",
        style = STYLE,
        own = OWN_STYLE,
        scenes = escaped(&scenes.join(", ")),
        rows = rows.len(),
        rays = grouped(rows.first().map_or(0, |row| row.key.rays)),
    );
    page += INTRODUCTION;
    page += &legend.html();
    for scene in &scenes {
        let own: Vec<&Row> = rows.iter().filter(|row| row.key.scene == *scene).collect();
        page += &scene_section(scene, &own, &legend);
    }
    page += &table(rows);
    page + "</main></body>\n</html>\n"
}

const INTRODUCTION: &str = "\
<section><h2>How to read it</h2><p>Each format gets a tree that was built for it, and the same \
rays: from the camera, short ones for occlusion, and bounces. Work is the mean of the three kinds. \
In the plots the lower left corner is best; the line joins what nothing beats in both directions. \
Bytes a triangle are those of the whole image. Boxes are the children that visited nodes really \
have; bytes fetched are those of every node and leaf visited, without a cache; cycles are those of \
one traversal unit with its default configuration, for all rays, over their number. Point at a \
mark to see what it is.</p></section>\n";

const OWN_STYLE: &str = "\
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--line); } .front { fill: none; stroke: var(--soft); stroke-dasharray: 4 4; }
.mark { stroke: var(--card); stroke-width: 1; }
.plots { display: grid; gap: 20px; \
grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); }
.plots h3, .bars-title { font-size: .95rem; margin: 0 0 .4em; font-weight: 600; }
.bars-title { margin-top: 1.4em; } .bars li { grid-template-columns: minmax(90px, 210px) 1fr 62px; }
.bars span { overflow-wrap: anywhere; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 0; padding: 0; }
.legend li { display: flex; gap: 6px; padding: 0; } .legend svg { width: 14px; height: 14px; \
margin-top: 4px; }
td:nth-child(-n+4), th:nth-child(-n+4) { text-align: left; }
@media (max-width: 600px) { main { padding: 24px 12px; } section { padding: 16px 14px; } \
svg text { font-size: 15px; } .bars li { grid-template-columns: 1fr auto; } \
.bars .bar { grid-column: 1 / -1; order: 1; } }";

/// Which colour a format has, and which mark a preset.
struct Legend {
    formats: Vec<String>,
    presets: Vec<String>,
    machines: Vec<String>,
}

impl Legend {
    fn new(rows: &[Row]) -> Self {
        Self {
            formats: distinct(rows, |row| &row.key.format),
            presets: distinct(rows, |row| &row.key.preset),
            machines: distinct(rows, |row| &row.key.machine),
        }
    }

    /// Hues around the circle; those of neighbours also differ in lightness.
    fn colour(&self, format: &str) -> String {
        let place = self.formats.iter().position(|known| known == format).unwrap_or(0);
        let hue = (20.0 + 360.0 * place as f64 / self.formats.len().max(1) as f64) % 360.0;
        format!("hsl({hue:.0} 65% {}%)", if place % 2 == 0 { 42 } else { 60 })
    }

    fn mark(&self, preset: &str) -> Mark {
        let marks = [Mark::Circle, Mark::Square, Mark::Diamond];
        let place = self.presets.iter().position(|known| known == preset).unwrap_or(0);
        marks[place % marks.len()]
    }

    fn html(&self) -> String {
        let item = |shape: Mark, colour: &str, name: &str| {
            let shape = mark(shape, 7.0, 7.0, colour, name);
            format!("<li><svg viewBox=\"0 0 14 14\">{shape}</svg>{}</li>", escaped(name))
        };
        let formats: String =
            self.formats.iter().map(|f| item(Mark::Circle, &self.colour(f), f)).collect();
        let presets: String =
            self.presets.iter().map(|p| item(self.mark(p), "var(--soft)", p)).collect();
        format!(
            "<section><h2>Legend</h2><ul class=\"legend\">{formats}</ul><p>Presets:</p><ul \
             class=\"legend\">{presets}</ul></section>\n"
        )
    }

    /// A row in words.
    fn title(&self, row: &Row) -> String {
        let machine = match self.machines.len() {
            0 | 1 => String::new(),
            _ => format!(", walked by {}", row.key.machine),
        };
        format!("{}, {}{machine}", row.key.format, row.key.preset)
    }
}

fn scene_section(scene: &str, rows: &[&Row], legend: &Legend) -> String {
    let triangles = rows.first().map_or(0, |row| row.key.triangles);
    let mut section = format!(
        "<section><h2>{}</h2><p>{} triangles.</p><div class=\"plots\">",
        escaped(scene),
        grouped(triangles)
    );
    for (name, axis, value) in MEASURES {
        let point = |row: &&Row| {
            let (x, y) = (row.bytes_per_triangle.total, value(&row.mean())?);
            let title = format!("{}: {x:.1} bytes a triangle, {y:.1} {axis}", legend.title(row));
            let (mark, colour) = (legend.mark(&row.key.preset), legend.colour(&row.key.format));
            Some(Point { x, y, mark, colour, title })
        };
        let points: Vec<Point> = rows.iter().filter_map(point).collect();
        if !points.is_empty() {
            let plot = scatter(&format!("{name} of {scene}"), ["bytes a triangle", axis], &points);
            let _ = write!(section, "<div><h3>{name}</h3>{plot}</div>");
        }
    }
    section += "</div>";
    for (_, axis, value) in MEASURES {
        section += &scene_bars(axis, value, rows, legend);
    }
    section + "</section>\n"
}

/// The rows of the last preset as bars, the shortest first.
fn scene_bars(
    axis: &str,
    value: fn(&Work) -> Option<f64>,
    rows: &[&Row],
    legend: &Legend,
) -> String {
    let Some(preset) = rows.last().map(|row| &row.key.preset) else { return String::new() };
    let bar = |row: &&Row| {
        let name = match legend.machines.len() {
            0 | 1 => row.key.format.clone(),
            _ => format!("{} ({})", row.key.format, row.key.machine),
        };
        Some((name, legend.colour(&row.key.format), value(&row.mean())?))
    };
    let own = rows.iter().filter(|row| row.key.preset == *preset);
    let mut own: Vec<(String, String, f64)> = own.filter_map(bar).collect();
    own.sort_by(|a, b| a.2.total_cmp(&b.2));
    if own.is_empty() {
        return String::new();
    }
    let title = format!("{axis}, preset {preset}");
    format!("<h3 class=\"bars-title\">{}</h3>{}", escaped(&title), bars(&own, 1))
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "<section><h2>All rows</h2><p class=\"more\">wider than the screen →</p><div \
         class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All rows\"><table><thead><tr>\
         <th>scene</th><th>preset</th><th>format</th><th>machine</th><th>bytes a triangle</th>\
         <th>nodes</th><th>geometry</th><th>ids</th><th>SAH</th><th>boxes a ray</th>\
         <th>nodes a ray</th><th>primitives a ray</th><th>bytes a ray</th><th>cycles a ray</th>\
         <th>lost</th><th>wrong</th><th>build s</th><th>encode s</th></tr></thead><tbody>",
    );
    for row in rows {
        let (work, bytes) = (row.mean(), row.bytes_per_triangle);
        let names = [&row.key.scene, &row.key.preset, &row.key.format, &row.key.machine];
        let mut cells: Vec<String> = names.map(|name| escaped(name)).to_vec();
        cells.extend(
            [bytes.total, bytes.nodes, bytes.geometry, bytes.ids].map(|b| format!("{b:.1}")),
        );
        cells.extend([row.sah_cost, work.boxes, work.nodes].map(|value| format!("{value:.2}")));
        cells.push(format!("{:.2}", work.primitives));
        cells.push(format!("{:.0}", work.bytes));
        cells.push(work.cycles.map_or("–".to_owned(), |cycles| format!("{cycles:.1}")));
        cells.extend([row.lost, row.wrong].map(grouped));
        cells.extend([row.build_seconds, row.encode_seconds].map(|time| format!("{time:.3}")));
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let _ = write!(text, "<tr>{cells}</tr>");
    }
    text + "</tbody></table></div></section>\n"
}

/// What rows have in a field, each value once, in the order in which they come.
fn distinct(rows: &[Row], field: impl Fn(&Row) -> &String) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for row in rows {
        if !found.contains(field(row)) {
            found.push(field(row).clone());
        }
    }
    found
}
