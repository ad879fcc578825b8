//! Points, bars and axes in SVG. Colours and letters are those of the page around them.

use crate::report::escaped;
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 400.0;
/// Around the field of a plot: left, right, top, bottom.
const MARGIN: [f64; 4] = [70.0, 14.0, 12.0, 44.0];

/// How a point is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Circle,
    Square,
    Diamond,
}

/// A point of a plot.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) mark: Mark,
    pub(super) colour: String,
    /// Shown when one points at it.
    pub(super) title: String,
}

/// A scale with ticks at round numbers, from 0 to at least `most`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    step: f64,
    end: f64,
}

impl Axis {
    fn new(most: f64) -> Self {
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        let rough = most / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
        Self { step, end: (most / step).ceil() * step }
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        (0..=(self.end / self.step).round() as usize).map(move |tick| tick as f64 * self.step)
    }

    /// A tick as text, with as many digits as the step needs.
    fn text(self, tick: f64) -> String {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        let digits = digits + usize::from((self.step * 10f64.powi(digits as i32)).fract() > 1e-9);
        format!("{tick:.digits$}")
    }
}

/// Points in a plane where less is better in both directions, and the line along those that no
/// other point beats in both.
pub(super) fn scatter(name: &str, axes: [&str; 2], points: &[Point]) -> String {
    let [left, right, top, bottom] = MARGIN;
    let most = |of: fn(&Point) -> f64| Axis::new(points.iter().map(of).fold(0.0, f64::max));
    let (across, up) = (most(|point| point.x), most(|point| point.y));
    let x = |value: f64| left + (WIDTH - left - right) * value / across.end;
    let y = |value: f64| HEIGHT - bottom - (HEIGHT - top - bottom) * value / up.end;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escaped(name)
    );
    for tick in across.ticks() {
        let (at, text) = (x(tick), across.text(tick));
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{:.1}\"/><text \
             x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            HEIGHT - bottom,
            HEIGHT - bottom + 16.0,
        );
    }
    for tick in up.ticks() {
        let (at, text) = (y(tick), up.text(tick));
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text \
             x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            WIDTH - right,
            left - 6.0,
            at + 4.0,
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text \
         transform=\"translate(13 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (left + WIDTH - right) / 2.0,
        HEIGHT - 8.0,
        escaped(axes[0]),
        (top + HEIGHT - bottom) / 2.0,
        escaped(axes[1]),
    );
    let front: Vec<String> =
        front(points).iter().map(|p| format!("{:.1},{:.1}", x(p.x), y(p.y))).collect();
    let _ = write!(svg, "<polyline class=\"front\" points=\"{}\"/>", front.join(" "));
    for point in points {
        svg += &mark(point.mark, x(point.x), y(point.y), &point.colour, &point.title);
    }
    svg + "</svg>"
}

/// A mark at a place.
pub(super) fn mark(mark: Mark, x: f64, y: f64, colour: &str, title: &str) -> String {
    let shape = match mark {
        Mark::Circle => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\""),
        Mark::Square => {
            format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"", x - 4.5, y - 4.5)
        }
        Mark::Diamond => format!("<path d=\"M{x:.1} {:.1}l6.5 6.5-6.5 6.5-6.5-6.5z\"", y - 6.5),
    };
    format!("{shape} fill=\"{colour}\" class=\"mark\"><title>{}</title></{}>", escaped(title), {
        match mark {
            Mark::Circle => "circle",
            Mark::Square => "rect",
            Mark::Diamond => "path",
        }
    })
}

/// The points that no other beats in one direction without losing in the other, from the left.
fn front(points: &[Point]) -> Vec<&Point> {
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut least = f64::INFINITY;
    order.retain(|point| {
        let is_best = point.y < least;
        least = least.min(point.y);
        is_best
    });
    order
}

/// Bars from the left, each with a name, a length and what stands behind it.
pub(super) fn bars(rows: &[(String, String, f64)], digits: usize) -> String {
    let most = rows.iter().map(|row| row.2).fold(0.0, f64::max).max(1e-12);
    let mut list = String::from("<ol class=\"bars\">");
    for (name, colour, value) in rows {
        let _ = write!(
            list,
            "<li><span>{}</span><div class=\"bar\"><i \
             style=\"width:{:.1}%;background:{colour}\"></i></div><b>{value:.digits$}</b></li>",
            escaped(name),
            100.0 * value / most,
        );
    }
    list + "</ol>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64) -> Point {
        Point { x, y, mark: Mark::Circle, colour: String::new(), title: String::new() }
    }

    #[test]
    fn ticks_are_round_and_reach_the_largest() {
        for (most, step, end) in [(97.0, 20.0, 100.0), (0.31, 0.1, 0.4), (1234.0, 250.0, 1250.0)] {
            let axis = Axis::new(most);
            assert!((axis.step - step).abs() < 1e-9 && (axis.end - end).abs() < 1e-9, "{axis:?}");
        }
        assert_eq!(Axis::new(0.31).text(0.3), "0.3");
        assert_eq!(Axis::new(1234.0).text(750.0), "750");
        assert_eq!(Axis::new(11.0).text(2.5), "2.5");
        assert_eq!(Axis::new(f64::NAN), Axis::new(1.0));
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let points = [point(3.0, 1.0), point(1.0, 5.0), point(2.0, 6.0), point(2.0, 3.0)];
        let found: Vec<(f64, f64)> = front(&points).iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(found, [(1.0, 5.0), (2.0, 3.0), (3.0, 1.0)]);
    }
}
