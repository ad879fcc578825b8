//! Plots as SVG, with axes, ticks and units.

use crate::report::escaped;
use std::fmt::Write;

/// The picture, and the frame that its axes leave for the data. Small enough that the text can be
/// read on a phone.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 36.0;

/// Colours of series, in their order.
pub(super) const COLOURS: [&str; 6] =
    ["var(--accent)", "var(--good)", "#3f6fb5", "#8a5fb0", "#b08a2e", "var(--soft)"];

/// A plot on its way: axes first, then data, then [`Plot::svg`].
pub(super) struct Plot {
    text: String,
    most: f64,
}

impl Plot {
    /// A plot whose y axis runs from 0 to at least `most`. `ticks` of the x axis lie between 0 and
    /// 1.
    pub(super) fn new(title: &str, y_label: &str, most: f64, x: (&str, &[(f64, String)])) -> Self {
        let (steps, most) = steps(most);
        let mut plot = Self { text: String::new(), most };
        let text = &mut plot.text;
        let _ = write!(
            text,
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{}\">",
            escaped(title)
        );
        for value in steps {
            let y = at_y(value / most);
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" \
                 y2=\"{y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 5.0,
                y + 3.5,
                short(value),
            );
        }
        for (share, label) in x.1 {
            let _ = write!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                at_x(*share),
                HEIGHT - BOTTOM + 14.0,
                escaped(label)
            );
        }
        let middle = at_y(0.5);
        let _ = write!(
            text,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text \
             class=\"axis\" x=\"10\" y=\"{middle:.1}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 10 {middle:.1})\">{}</text>",
            at_x(0.5),
            HEIGHT - 4.0,
            escaped(x.0),
            escaped(y_label)
        );
        plot
    }

    /// A line through points: x between 0 and 1, y as on the axis. Few points are marked.
    pub(super) fn line(&mut self, points: &[(f64, f64)], colour: &str) {
        let place = |&(x, y): &(f64, f64)| (at_x(x), at_y(y / self.most));
        let places: Vec<(f64, f64)> = points.iter().map(place).collect();
        let joined: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(
            self.text,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>",
            joined.join(" ")
        );
        for (x, y) in places.iter().filter(|_| places.len() <= 32) {
            let _ = write!(
                self.text,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>"
            );
        }
    }

    /// Bars side by side over the whole axis.
    pub(super) fn bars(&mut self, values: &[f64]) {
        let width = (WIDTH - LEFT - RIGHT) / values.len().max(1) as f64;
        for (step, &value) in values.iter().enumerate() {
            let top = at_y(value / self.most);
            let _ = write!(
                self.text,
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                 fill=\"{}\"/>",
                LEFT + step as f64 * width,
                (width - 0.7).max(0.5),
                at_y(0.0) - top,
                COLOURS[0]
            );
        }
    }

    pub(super) fn svg(self) -> String {
        self.text + "</svg>"
    }
}

/// Five ticks from 0 to a round number.
pub(super) fn even_ticks(most: f64) -> Vec<(f64, String)> {
    (0..=4).map(|step| (f64::from(step) / 4.0, short(most * f64::from(step) / 4.0))).collect()
}

fn at_x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn at_y(share: f64) -> f64 {
    TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)
}

/// Round steps that reach `most`, and the last of them.
fn steps(most: f64) -> (Vec<f64>, f64) {
    let most = if most > 0.0 { most } else { 1.0 };
    let power = 10f64.powf((most / 4.0).log10().floor());
    let widths = [1.0, 2.0, 2.5, 5.0, 10.0].map(|width| width * power);
    let width = widths.into_iter().find(|width| width * 4.0 >= most * 0.999_999);
    let width = width.unwrap_or(10.0 * power);
    let count = (most / width - 1e-9).ceil().max(1.0) as u32;
    let steps: Vec<f64> = (0..=count).map(|step| f64::from(step) * width).collect();
    let last = f64::from(count) * width;
    (steps, last)
}

/// A number as an axis shows it: `0.025`, `300`, `12k`.
pub(super) fn short(value: f64) -> String {
    let plain = |value: f64, digits: usize| {
        let text = format!("{value:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    };
    match value {
        v if v >= 1e7 => format!("{}M", plain(v / 1e6, 0)),
        v if v >= 1e6 => format!("{}M", plain(v / 1e6, 1)),
        v if v >= 1e4 => format!("{}k", plain(v / 1e3, 1)),
        v if v >= 100.0 || v == 0.0 => plain(v, 0),
        v if v >= 1.0 => plain(v, 1),
        v => plain(v, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_reach_the_largest_value() {
        for (most, expected) in [
            (0.0143, vec![0.0, 0.005, 0.01, 0.015]),
            (32.0, vec![0.0, 10.0, 20.0, 30.0, 40.0]),
            (100.0, vec![0.0, 25.0, 50.0, 75.0, 100.0]),
            (0.0, vec![0.0, 0.25, 0.5, 0.75, 1.0]),
        ] {
            let (steps, last) = steps(most);
            assert_eq!(steps.len(), expected.len(), "{most}: {steps:?}");
            let near = steps.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near && last >= most, "{most}: {steps:?}");
        }
        assert_eq!(
            [0.0, 0.025, 2.5, 300.0, 12_500.0, 2e6].map(short).join(" "),
            "0 0.025 2.5 300 12.5k 2M"
        );
    }
}
