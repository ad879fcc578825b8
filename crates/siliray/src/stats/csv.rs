//! The driver's CSV.
//!
//! The first line names the columns: `app,name,type`, then figures. The application is in quotes,
//! names are not, so that one may have commas: figures count from the end of a line. The driver
//! writes all structures after each submission.

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
    let figures = columns.iter().zip(&cells[named + 1..]).map(|(&column, cell)| {
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

/// The lines as a file, each set of columns with its own first line; `more` adds what the driver
/// leaves out.
#[must_use]
pub fn write(lines: &[Line], more: bool) -> String {
    let mut text = String::new();
    let mut columns: Option<String> = None;
    for line in lines {
        let own = line.figures.iter().map(|(name, _)| name.as_str());
        let added = line.more.iter().filter(|_| more).map(|(name, _)| name.as_str());
        let header: Vec<&str> = own.chain(added).collect();
        let header = format!("{LABELS}{}\n", header.join(","));
        if columns.as_ref() != Some(&header) {
            text += &header;
            columns = Some(header);
        }
        let own = line.figures.iter().map(|(_, value)| value.to_string());
        let added = line.more.iter().filter(|_| more).map(|(_, value)| format!("{value}"));
        let cells: Vec<String> = own.chain(added).collect();
        text += &format!("\"{}\",{},{},{}\n", line.app, line.name, line.level, cells.join(","));
    }
    text
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
