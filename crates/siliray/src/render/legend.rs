//! The scale of a heat map, drawn below it: the ramp, numbers, and what was counted.

use super::heat_map::{HeatMap, colour};
use super::picture::Picture;
use crate::report::grouped;

const PAPER: [u8; 3] = [250, 250, 248];
const INK: [u8; 3] = [40, 42, 48];

/// Height of the bar, of the marks below it, and of what surrounds both, in units.
const BAR: u32 = 10;
const MARK: u32 = 3;
const SPACE: u32 = 6;

/// Columns and rows of a letter, and the columns from one to the next, in units.
const LETTER: [u32; 2] = [5, 7];
const ADVANCE: u32 = 6;

/// Where numbers stand, as shares of the scale in quarters.
const MARKS: [u64; 5] = [0, 1, 2, 3, 4];

/// Rows of letters, the highest of five bits on the left. What is not here is a blank.
const LETTERS: [(u8, [u8; 7]); 33] = [
    (b'0', [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
    (b'1', [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    (b'2', [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    (b'3', [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
    (b'4', [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
    (b'5', [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    (b'6', [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
    (b'7', [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
    (b'8', [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
    (b'9', [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100]),
    (b'a', [0b00000, 0b00000, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111]),
    (b'b', [0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b11110]),
    (b'c', [0b00000, 0b00000, 0b01110, 0b10000, 0b10000, 0b10001, 0b01110]),
    (b'd', [0b00001, 0b00001, 0b01111, 0b10001, 0b10001, 0b10001, 0b01111]),
    (b'e', [0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110]),
    (b'f', [0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000]),
    (b'g', [0b00000, 0b01111, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110]),
    (b'h', [0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001]),
    (b'i', [0b00100, 0b00000, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110]),
    (b'k', [0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010]),
    (b'l', [0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    (b'm', [0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101]),
    (b'n', [0b00000, 0b00000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001]),
    (b'o', [0b00000, 0b00000, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110]),
    (b'p', [0b00000, 0b00000, 0b11110, 0b10001, 0b11110, 0b10000, 0b10000]),
    (b'r', [0b00000, 0b00000, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000]),
    (b's', [0b00000, 0b00000, 0b01110, 0b10000, 0b01110, 0b00001, 0b11110]),
    (b't', [0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110]),
    (b'u', [0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b10011, 0b01101]),
    (b'w', [0b00000, 0b00000, 0b10001, 0b10001, 0b10101, 0b10101, 0b01010]),
    (b'x', [0b00000, 0b00000, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001]),
    (b'y', [0b00000, 0b00000, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110]),
    (b',', [0b00000, 0b00000, 0b00000, 0b00000, 0b00110, 0b00100, 0b01000]),
];

/// The picture with a legend for `map` below it. Units grow with the picture.
pub(super) fn below(picture: Picture, map: &HeatMap) -> Picture {
    let Picture { width, height, mut pixels } = picture;
    let unit = (width.min(height) / 400).max(1);
    let legend = unit * (SPACE + BAR + MARK + 2 + LETTER[1] + SPACE);
    pixels.resize(width as usize * (height + legend) as usize, PAPER);
    let mut canvas = Canvas { picture: Picture { width, height: height + legend, pixels }, unit };

    // The name of what was counted stands to the right of the bar, where there is room for both.
    let name = format!("{} a ray", map.measure.name());
    let margin = SPACE * unit;
    let aside = canvas.text_width(&name) + margin;
    let bar = width.saturating_sub(2 * margin);
    let has_room = bar > 3 * aside;
    let bar = if has_room { bar - aside } else { bar };
    let top = height + margin;
    for x in 0..bar {
        let shade = colour((x as f32 + 0.5) / bar as f32);
        canvas.fill([margin + x, top], [1, BAR * unit], shade);
    }
    let below = top + BAR * unit;
    let mut free = 0;
    for quarter in MARKS {
        let x = margin + (u64::from(bar.saturating_sub(1)) * quarter / 4) as u32;
        canvas.fill([x, below], [unit, MARK * unit], INK);
        // A scale of few steps has no whole number at every mark.
        if !(map.brightest * quarter).is_multiple_of(4) {
            continue;
        }
        let more = if quarter == 4 && map.most > map.brightest { " and more" } else { "" };
        let text = grouped(map.brightest * quarter / 4) + more;
        let text_width = canvas.text_width(&text);
        let left = x.saturating_sub(text_width / 2).max(margin);
        let left = left.min(width.saturating_sub(text_width + margin));
        if left >= free {
            canvas.text([left, below + (MARK + 2) * unit], &text);
            free = left + text_width + 2 * ADVANCE * unit;
        }
    }
    if has_room {
        canvas.text([margin + bar + margin, top + (BAR - LETTER[1]) / 2 * unit], &name);
    }
    canvas.picture
}

/// A picture to draw on, in squares of `unit` pixels.
struct Canvas {
    picture: Picture,
    unit: u32,
}

impl Canvas {
    fn text_width(&self, text: &str) -> u32 {
        text.len() as u32 * ADVANCE * self.unit
    }

    fn text(&mut self, [left, top]: [u32; 2], text: &str) {
        let unit = self.unit;
        for (number, letter) in (0..).zip(text.bytes()) {
            let rows = LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, rows)| rows);
            for (y, row) in (0..).zip(rows.into_iter().flatten()) {
                for x in (0..LETTER[0]).filter(|x| row >> (LETTER[0] - 1 - x) & 1 == 1) {
                    let at = [left + (number * ADVANCE + x) * unit, top + y * unit];
                    self.fill(at, [unit, unit], INK);
                }
            }
        }
    }

    /// Fills a rectangle, as far as it lies in the picture.
    fn fill(&mut self, [left, top]: [u32; 2], [width, height]: [u32; 2], colour: [u8; 3]) {
        let Picture { width: columns, height: rows, pixels } = &mut self.picture;
        for y in top..(top + height).min(*rows) {
            for x in left..(left + width).min(*columns) {
                pixels[y as usize * *columns as usize + x as usize] = colour;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Measure;

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn every_word_of_a_legend_can_be_written() {
        for measure in Measure::ALL {
            let text = format!("{}a ray and more 0123456789,", measure.name());
            for letter in text.bytes().filter(|&letter| letter != b' ') {
                assert!(LETTERS.iter().any(|(known, _)| *known == letter), "{}", letter as char);
            }
        }
    }
}
