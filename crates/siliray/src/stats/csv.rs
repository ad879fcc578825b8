//! The driver's CSV.
//!
//! The first line names the columns: `app,name,type`, then figures. The application is in quotes,
//! names are not, so that one may have commas: figures count from the end of a line. The driver
//! writes all structures after each submission.
//!
//! Generations have other figures. A file over several has the columns of all; a cell is empty
//! where a structure has no such figure.

use super::Line;

/// The first columns.
const LABELS: &str = "app,name,type,";

/// Why a file is no CSV of a driver's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// It is no text.
    #[error("byte {0:#x} is no text")]
    Text(usize),
    /// A line has too few cells.
    #[error("line {line}: found {found} cells, expected {expected} at least")]
    Cells {
        /// The line, from 1.
        line: usize,
        /// Its cells.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// A figure is no number.
    #[error("line {line}, column {column}: found {found:?}, expected a number")]
    Number {
        /// The line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// What is there.
        found: String,
    },
}

/// Whether a file begins with the driver's columns.
#[must_use]
pub fn is_csv(bytes: &[u8]) -> bool {
    bytes.starts_with(LABELS.as_bytes())
}

/// The lines of a file.
///
/// # Errors
/// When a line does not have the columns of the first.
pub fn read(bytes: &[u8]) -> Result<Vec<Line>, CsvError> {
    let text = str::from_utf8(bytes).map_err(|error| CsvError::Text(error.valid_up_to()))?;
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let columns: Vec<&str> = header.split(',').skip(3).map(str::trim).collect();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| read_line(number + 1, line, &columns)).collect()
}

fn read_line(number: usize, text: &str, columns: &[&str]) -> Result<Line, CsvError> {
    let quoted = text.strip_prefix('"').and_then(|rest| rest.split_once("\","));
    let (app, rest) = quoted.or_else(|| text.split_once(',')).unwrap_or((text, ""));
    let cells: Vec<&str> = rest.split(',').collect();
    let expected = columns.len() + 2;
    let Some(named) = cells.len().checked_sub(columns.len() + 1).filter(|&names| names > 0) else {
        return Err(CsvError::Cells {
            line: number,
            found: cells.len() + 1,
            expected: expected + 1,
        });
    };
    let cells_of_figures = columns.iter().zip(&cells[named + 1..]);
    let told = cells_of_figures.filter(|(_, cell)| !cell.trim().is_empty());
    let figures = told.map(|(&column, cell)| {
        let wrong = || CsvError::Number {
            line: number,
            column: column.to_owned(),
            found: (*cell).to_owned(),
        };
        Ok((column.to_owned(), cell.trim().parse().map_err(|_| wrong())?))
    });
    Ok(Line {
        app: app.to_owned(),
        name: cells[..named].join(","),
        level: cells[named].to_owned(),
        figures: figures.collect::<Result<_, _>>()?,
        more: Vec::new(),
    })
}

/// The lines as a file with one header; `more` adds what the driver leaves out.
#[must_use]
pub fn write(lines: &[Line], more: bool) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for line in lines {
        let own = line.figures.iter().map(|(name, _)| name.as_str());
        let added = line.more.iter().filter(|_| more).map(|(name, _)| name.as_str());
        let mut place = 0;
        for name in own.chain(added) {
            // A column that is new stands behind the one before it.
            place = match columns.iter().position(|known| *known == name) {
                Some(known) => known + 1,
                None => {
                    columns.insert(place, name);
                    place + 1
                }
            };
        }
    }
    let mut text = format!("{LABELS}{}\n", columns.join(","));
    for line in lines {
        let cells: Vec<String> = columns.iter().map(|column| cell(line, column)).collect();
        let app: String = line.app.chars().map(|c| if is_awkward(c) { '?' } else { c }).collect();
        text += &format!("\"{app}\",{},{},{}\n", line.name, line.level, cells.join(","));
    }
    text
}

fn cell(line: &Line, column: &str) -> String {
    let added = || line.more.iter().find(|(name, _)| name == column);
    match (line.figure(column), added()) {
        (Some(value), _) => value.to_string(),
        (None, Some((_, value))) => value.to_string(),
        (None, None) => String::new(),
    }
}

/// What would end the name of a file before its end.
fn is_awkward(character: char) -> bool {
    character == '"' || character.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "app,name,type,allocated_size,sah\n\"a, b\",wall, left,blas,7,42\n";

    #[test]
    fn a_file_comes_back() {
        let lines = read(FILE.as_bytes()).unwrap();
        assert_eq!((&lines[0].app[..], &lines[0].name[..]), ("a, b", "wall, left"));
        assert_eq!((lines[0].figure("sah"), lines[0].figure("x")), (Some(42), None));
        assert_eq!(write(&lines, true), FILE);
        assert!(is_csv(FILE.as_bytes()) && !is_csv(b"RRA"));
        let odd = Line { app: "a\",b\nc".to_owned(), ..lines[0].clone() };
        assert_eq!(read(write(&[odd], false).as_bytes()).unwrap()[0].app, "a?,b?c");
    }

    /// Structures of two generations: one header, and each figure in its column.
    #[test]
    fn generations_share_a_header() {
        let line = |app: &str, figures: &[(&str, u64)]| Line {
            app: app.to_owned(),
            name: "structure 0".to_owned(),
            level: "blas".to_owned(),
            figures: figures.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            more: Vec::new(),
        };
        let lines = [
            line("12", &[("size", 1), ("boxes", 2), ("sah", 3)]),
            line("10", &[("size", 4), ("box16", 5), ("box32", 6), ("sah", 7)]),
            line("12", &[("size", 8), ("boxes", 9), ("sah", 10)]),
        ];
        let text = write(&lines, false);
        assert_eq!(text.lines().next(), Some("app,name,type,size,box16,box32,boxes,sah"));
        assert_eq!(text.lines().nth(2), Some("\"10\",structure 0,blas,4,5,6,,7"));
        assert_eq!(read(text.as_bytes()).unwrap(), lines);
    }

    #[test]
    fn wrong_lines_are_named() {
        let bad = FILE.replace("42", "4x");
        let error = read(bad.as_bytes()).unwrap_err();
        assert!(matches!(error, CsvError::Number { line: 2, .. }), "{error}");
        let short = FILE.replace(",7,42", "");
        assert!(matches!(read(short.as_bytes()), Err(CsvError::Cells { line: 2, .. })));
        assert_eq!(read(b"app,name,type,\xFF"), Err(CsvError::Text(14)));
    }
}
