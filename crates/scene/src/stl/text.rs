//! STL as text: solids of facets of one loop each. Keywords may have any case; a loop of more than
//! three corners is triangulated; each solid becomes a geometry.

use super::weld::Weld;
use crate::error::{ErrorKind, ParseError};
use crate::read::text::{self, Lines, words};
use crate::read::{mesh, polygon, single_object};
use crate::{Geometry, Scene};
use geometry::Vec3;

/// See [`super::is_text`].
pub(super) fn is_text(text: &[u8]) -> bool {
    let head = &text[..text.len().min(4096)];
    let mut lines = Lines::new(head);
    // The header of a binary file may begin with `solid` too; the count after it has a zero byte.
    if head.contains(&0) || !lines.next_filled().is_some_and(|line| begins(line, "solid")) {
        return false;
    }
    lines.next_filled().is_none_or(|line| begins(line, "facet") || begins(line, "endsolid"))
}

pub(super) fn read(bytes: &[u8]) -> Result<Scene, ParseError> {
    let mut reader = Reader { lines: Lines::new(text::without_mark(bytes)) };
    let mut geometries = Vec::new();
    while let Some(line) = reader.lines.next_filled() {
        if !begins(line, "solid") {
            return Err(reader.error(ErrorKind::unexpected(line.trim_ascii(), "`solid`")));
        }
        let name = String::from_utf8_lossy(line.trim_ascii()[5..].trim_ascii()).into_owned();
        geometries.extend(reader.solid(name)?);
    }
    Ok(single_object(geometries))
}

struct Reader<'a> {
    lines: Lines<'a>,
}

impl<'a> Reader<'a> {
    /// The facets up to `endsolid`; nothing for an empty solid.
    fn solid(&mut self, name: String) -> Result<Option<Geometry>, ParseError> {
        let mut weld = Weld::default();
        let (mut indices, mut corners, mut places) = (Vec::new(), Vec::new(), Vec::<Vec3>::new());
        loop {
            let line = self.line("`facet` or `endsolid`")?;
            if begins(line, "endsolid") {
                break;
            }
            self.keyword(line, "facet")?;
            let line = self.line("`outer loop`")?;
            self.keyword(line, "outer")?;
            corners.clear();
            places.clear();
            loop {
                let line = self.line("`vertex` or `endloop`")?;
                if begins(line, "endloop") {
                    break;
                }
                self.keyword(line, "vertex")?;
                let position = position(line).map_err(|kind| self.error(kind))?;
                corners.push(weld.vertex(position).map_err(|kind| self.error(kind))?);
                places.push(position);
            }
            if corners.len() < 3 {
                let corners = corners.len() as u64;
                return Err(self.error(ErrorKind::TooFewCorners { corners }));
            }
            loop_triangles(&corners, &places, &mut indices);
            let line = self.line("`endfacet`")?;
            self.keyword(line, "endfacet")?;
        }
        Ok((!indices.is_empty()).then(|| mesh(name, weld.into_positions(), indices)))
    }

    fn line(&mut self, expected: &str) -> Result<&'a [u8], ParseError> {
        let end = ErrorKind::UnexpectedEnd { expected: expected.to_owned() };
        let number = self.lines.number();
        self.lines.next_filled().ok_or_else(|| ParseError::line(number, end))
    }

    fn keyword(&self, line: &[u8], keyword: &str) -> Result<(), ParseError> {
        if begins(line, keyword) {
            return Ok(());
        }
        Err(self.error(ErrorKind::unexpected(line.trim_ascii(), format!("`{keyword}`"))))
    }

    fn error(&self, kind: ErrorKind) -> ParseError {
        ParseError::line(self.lines.number(), kind)
    }
}

/// Triangulates by the loop's own list of places, then puts the welded vertices in.
fn loop_triangles(corners: &[u32], places: &[Vec3], indices: &mut Vec<[u32; 3]>) {
    if let &[a, b, c] = corners {
        indices.push([a, b, c]);
        return;
    }
    let own: Vec<u32> = (0..corners.len() as u32).collect();
    let first = indices.len();
    polygon::triangulate(&own, places, indices);
    for index in indices[first..].iter_mut().flatten() {
        *index = corners[*index as usize];
    }
}

fn begins(line: &[u8], keyword: &str) -> bool {
    words(line).next().is_some_and(|word| word.eq_ignore_ascii_case(keyword.as_bytes()))
}

fn position(line: &[u8]) -> Result<Vec3, ErrorKind> {
    let mut words = words(line).skip(1);
    let mut next = || match words.next() {
        Some(word) => text::coordinate(word),
        None => Err(ErrorKind::unexpected(b"", "three coordinates")),
    };
    Ok(Vec3::new(next()?, next()?, next()?))
}
