//! Rays as text: a line for each, numbers with commas, semicolons or blanks between them.
//!
//! ```text
//! ox,oy,oz,dx,dy,dz
//! 0,0.1,5,0,0,-1
//! ```
//!
//! A first line of names says which number stands where, in any order; `tmin` and `tmax` may be
//! missing, and columns with other names are skipped. Columns of queries may be among them
//! ([`super::queries`]). Without such a line there are eight numbers,
//! as in raw files, or six, without `tmin` and `tmax`. Empty lines and what follows `#` are
//! skipped, so that `numpy.savetxt` writes such files.

use super::RayFileProblem;
use super::record::{NAMES, Numbers, QUERY, QUERY_NAMES, SIX, missing};
use machine::HitKind;

/// Which number of a query each column holds.
type Columns = Vec<Option<usize>>;

/// The numbers of each line of a text.
pub(super) fn read(text: &str) -> Result<Vec<Numbers>, RayFileProblem> {
    // Spreadsheets put a mark before the text, and names in quotes.
    let text = text.trim_start_matches('\u{feff}');
    let mut columns: Option<Columns> = None;
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let problem = |message: String| RayFileProblem::Line { line, message };
        let content = text.split('#').next().unwrap_or_default();
        let cells: Vec<&str> =
            content.split([',', ';', ' ', '\t']).filter(|cell| !cell.is_empty()).collect();
        if cells.is_empty() {
            continue;
        }
        let columns = match &mut columns {
            Some(columns) => columns,
            unknown => {
                let is_header = cells[0].parse::<f32>().is_err();
                let found = if is_header { named(&cells) } else { counted(cells.len()) };
                let found = unknown.insert(found.map_err(problem)?);
                if is_header {
                    continue;
                }
                found
            }
        };
        if cells.len() != columns.len() {
            let (found, expected) = (cells.len(), columns.len());
            return Err(problem(format!("found {found} numbers, expected {expected}")));
        }
        let mut numbers: Numbers = [None; QUERY_NAMES.len()];
        for (cell, column) in cells.iter().zip(&*columns) {
            if let Some(place) = *column {
                let kind = HitKind::ALL.iter().position(|kind| kind.name() == *cell);
                let number = match kind.filter(|_| place == QUERY) {
                    Some(kind) => kind as f32,
                    None => cell
                        .parse()
                        .map_err(|_| problem(format!("found {cell:?}, expected a number")))?,
                };
                numbers[place] = Some(number);
            }
        }
        rows.push(numbers);
    }
    Ok(rows)
}

fn named(cells: &[&str]) -> Result<Columns, String> {
    let place = |cell: &&str| {
        let cell = cell.trim_matches('"');
        QUERY_NAMES.iter().position(|name| name.eq_ignore_ascii_case(cell))
    };
    let columns: Columns = cells.iter().map(place).collect();
    match missing(|place| columns.contains(&Some(place))) {
        None => Ok(columns),
        Some(name) => {
            let found = cells.join(" ");
            Err(format!("no column {name:?} in {found:?}; expected {}", NAMES.join(", ")))
        }
    }
}

fn counted(cells: usize) -> Result<Columns, String> {
    match cells {
        8 => Ok((0..8).map(Some).collect()),
        6 => Ok(SIX.map(Some).to_vec()),
        found => Err(format!("found {found} numbers, expected 8 ({}) or 6", NAMES.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray_files::record::ray;
    use geometry::{Ray, Vec3};

    fn rays(text: &str) -> Vec<Ray> {
        read(text).unwrap().iter().map(|numbers| ray(|place| numbers[place])).collect()
    }

    #[test]
    fn columns_by_number_or_by_name() {
        let ray = Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.5));
        let short = ray.between(0.5, 9.0);
        for (text, expected) in [
            ("1,2,3,0.5,4,5,6.5,9\n", short),
            ("1 2 3 4 5 6.5", ray),
            ("# by hand\n\n1;2; 3;4;5;6.5 # so\n", ray),
            ("dx,dy,dz,weight,ox,oy,oz\n4,5,6.5,many,1,2,3", ray),
            ("\u{feff}\"OX\",\"OY\",\"OZ\",\"dx\",\"dy\",\"dz\"\r\n1,2,3,4,5,6.5", ray),
            ("tmax tmin ox oy oz dx dy dz\r\n9 5e-1 1 2 3 4 5 6.5\r\n", short),
        ] {
            assert_eq!(rays(text), [expected], "{text}");
        }
        assert_eq!(rays(""), []);
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, expected) in [
            ("1,2,3\n", "line 1: found 3 numbers, expected 8 (ox oy oz tmin dx dy dz tmax) or 6"),
            ("1,2,3,4,5,6\n\n1,2,x,4,5,6", "line 3: found \"x\", expected a number"),
            ("1,2,3,4,5,6\n1,2,3,4,5", "line 2: found 5 numbers, expected 6"),
            ("t,u,v\n1,2,3", "line 1: no column \"ox\" in \"t u v\"; expected ox, oy"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
