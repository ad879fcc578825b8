//! Rows of text bodies: one line each, blank lines between them allowed.

use super::header::{Element, Header, Kind};
use super::{Body, Faces, Role, Vertices, channel};
use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::text::{self, Lines, words};
use geometry::Vec3;

/// The unread lines of a text body.
#[derive(Clone)]
pub(super) struct Rows<'a> {
    lines: Lines<'a>,
    /// Lines with more values than properties, for a warning.
    surplus: Warnings,
}

impl<'a> Rows<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let lines = Lines::continuing(&bytes[header.body..], header.lines);
        Self { lines, surplus: Warnings::default() }
    }

    /// The rows that the text can hold at most: each takes a digit and a line end.
    fn most_rows(&self, element: &Element) -> usize {
        let most = self.lines.rest().len() / 2 + 1;
        usize::try_from(element.count).map_or(most, |count| count.min(most))
    }

    /// Reads a row: gives each value to `take` with its column, and each list's items one by one.
    fn row(
        &mut self,
        element: &Element,
        number: usize,
        mut take: impl FnMut(usize, &[u8]) -> Result<(), ErrorKind>,
    ) -> Result<(), ParseError> {
        let Some(line) = self.lines.next_filled() else {
            let expected = format!("row {number} of {} of element {}", element.count, element.name);
            let kind = ErrorKind::UnexpectedEnd { expected };
            return Err(ParseError::line(self.lines.number(), kind).of(&element.name, number));
        };
        let located = ParseError::line;
        let at = self.lines.number();
        let mut words = words(line);
        for (column, property) in element.properties.iter().enumerate() {
            let mut value = || words.next().unwrap_or_default();
            let step = match property.kind {
                Kind::Scalar(_) => filled(value()).and_then(|word| take(column, word)),
                Kind::List { .. } => {
                    text::number(value(), "the length of a list").and_then(|length: u64| {
                        (0..length).try_for_each(|_| take(column, filled(value())?))
                    })
                }
            };
            step.map_err(|kind| {
                located(at, kind).of(&element.name, number).property(&property.name)
            })?;
        }
        if words.next().is_some() {
            let text = "values after the last property of a row are passed over";
            self.surplus.add(Position::Line(at), text);
        }
        Ok(())
    }
}

impl Body for Rows<'_> {
    fn vertices(&mut self, element: &Element, roles: &[Role]) -> Result<Vertices, ParseError> {
        let mut vertices = Vertices::with_capacity(self.most_rows(element), roles);
        for number in 0..element.count {
            let (mut position, mut colour) = (Vec3::ZERO, [0; 3]);
            self.row(element, number as usize, |column, word| {
                match (roles[column], element.properties[column].kind) {
                    (Role::Axis(axis), _) => position[axis] = text::coordinate(word)?,
                    (Role::Channel(number), Kind::Scalar(scalar)) => {
                        colour[number] = channel(scalar, text::number(word, "a number")?);
                    }
                    _ => {}
                }
                Ok(())
            })?;
            vertices.push(position, colour, roles);
        }
        Ok(vertices)
    }

    fn faces(
        &mut self,
        element: &Element,
        list: usize,
        faces: &mut Faces,
    ) -> Result<(), ParseError> {
        faces.reserve(self.most_rows(element).min(self.lines.rest().len() / 8));
        for number in 0..element.count as usize {
            self.row(element, number, |column, word| match column == list {
                true => faces.corner(text::number(word, "a vertex number")?),
                false => Ok(()),
            })?;
            faces.finish(Position::Line(self.lines.number()));
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), ParseError> {
        // An element without properties has no lines.
        let rows = if element.properties.is_empty() { 0 } else { element.count };
        (0..rows as usize).try_for_each(|number| self.row(element, number, |_, _| Ok(())))
    }

    fn surplus(&mut self) -> Warnings {
        std::mem::take(&mut self.surplus)
    }
}

fn filled(word: &[u8]) -> Result<&[u8], ErrorKind> {
    if word.is_empty() { Err(ErrorKind::unexpected(b"", "a value")) } else { Ok(word) }
}
