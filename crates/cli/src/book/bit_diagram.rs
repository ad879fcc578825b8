//! A structure as rows of dwords: the highest bit on the left, two characters a bit. What has no
//! room for its name has a letter, which the list of fields explains.

use siliray::machine::fields::{Field, FieldTable, Show};
use std::ops::Range;

/// A diagram, and the letters of each field.
pub(super) struct Diagram {
    pub(super) text: String,
    pub(super) letters: Vec<Vec<char>>,
}

/// Something with a name in a row.
struct Cell {
    bits: Range<usize>,
    name: String,
    /// The field that it belongs to.
    field: usize,
}

const ROW_BITS: usize = 32;

/// Fields of so many bits are drawn as a whole: matrices, corners of triangles, zeros.
const LONG: usize = 4 * ROW_BITS;

pub(super) fn diagram(table: &FieldTable) -> Diagram {
    let cells = cells(table);
    let mut diagram =
        Diagram { text: String::new(), letters: vec![Vec::new(); table.fields.len()] };
    let mut letters = ('a'..='z').chain('A'..='Z');
    diagram.text += "dword  31              23              15              7              0\n";
    let mut row = 0;
    while row < table.words {
        let first = row * ROW_BITS;
        // What fills three dwords or more is one row.
        let long = cells.iter().find(|cell| cell.bits.start == first);
        let rows = long.map_or(0, |cell| cell.bits.len() / ROW_BITS);
        let (place, rows) = match rows {
            0..=2 => (row.to_string(), 1),
            _ => (format!("{row}..{}", row + rows), rows),
        };
        let shown = first..first + if rows > 1 { rows * ROW_BITS } else { ROW_BITS };
        diagram.text += &format!("{place:>5}  |");
        let mut end = shown.end;
        for cell in cells.iter().rev().filter(|cell| overlaps(&cell.bits, &shown)) {
            let part = cell.bits.start.max(shown.start)..cell.bits.end.min(shown.end);
            diagram.text += &gap(end - part.end);
            let room = 2 * part.len().min(ROW_BITS) - 1;
            let is_high = part.start > cell.bits.start;
            let name = format!("{}{}", cell.name, if is_high { " (high)" } else { "" });
            let name = if name.chars().count() <= room {
                name
            } else {
                let known = &mut diagram.letters[cell.field];
                let letter = letters.next().unwrap_or('?');
                known.push(letter);
                letter.to_string()
            };
            diagram.text += &format!("{name:^room$}|");
            end = part.start;
        }
        diagram.text += &gap(end - shown.start);
        diagram.text.push('\n');
        row += rows;
    }
    diagram
}

/// Bits of no field.
fn gap(bits: usize) -> String {
    if bits == 0 { String::new() } else { format!("{:width$}|", "", width = 2 * bits - 1) }
}

fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// What is drawn, in the order of bits: every number by name, but arrays of structures as a whole.
fn cells(table: &FieldTable) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (index, field) in table.fields.iter().enumerate() {
        if !field.fields.is_empty() && !matches!(field.show, Show::Flat) {
            cells.extend(structures(index, field));
            continue;
        }
        if let [place] = field.places
            && place.start % ROW_BITS == 0
            && place.len() >= LONG
        {
            cells.push(Cell { bits: place.clone(), name: field.name.to_owned(), field: index });
            continue;
        }
        for part in (table.parts)() {
            let bits = part.bits.start as usize..part.bits.end as usize;
            if field.places.iter().any(|place| overlaps(place, &bits)) {
                cells.push(Cell { bits, name: part.name, field: index });
            }
        }
    }
    cells.sort_by_key(|cell| cell.bits.start);
    cells
}

fn structures(index: usize, field: &Field) -> Vec<Cell> {
    let named = |bits: &Range<usize>, name: String| Cell { bits: bits.clone(), name, field: index };
    match (field.elements, field.places) {
        (1, [place]) => vec![named(place, field.name.to_owned())],
        (elements, [place]) if place.len() > ROW_BITS => {
            vec![named(place, format!("{} × {}", elements, field.name))]
        }
        (elements, _) => (0..elements)
            .map(|element| named(&field.element(element), format!("{}[{element}]", field.name)))
            .collect(),
    }
}
