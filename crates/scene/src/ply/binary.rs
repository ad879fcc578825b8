//! Rows of binary bodies.

use super::header::{Element, Header, Kind, Scalar};
use super::{Body, Faces, Role, Vertices, channel};
use crate::error::{ErrorKind, ParseError, Position};
use crate::read::coordinate;
use geometry::Vec3;

/// The unread part of a binary body.
#[derive(Clone)]
pub(super) struct Rows<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header, big_endian: bool) -> Self {
        Self { bytes, at: header.body, big_endian }
    }

    /// Refuses an element whose rows cannot fit into the bytes that are left; afterwards the count
    /// is a safe one to reserve memory by.
    fn check_size(&self, element: &Element) -> Result<usize, ParseError> {
        let needed = u128::from(element.count) * element.least_row() as u128;
        let left = self.bytes.len() - self.at;
        if needed > left as u128 {
            let needed = u64::try_from(needed).unwrap_or(u64::MAX);
            let kind = ErrorKind::Truncated { needed, left: left as u64 };
            return Err(ParseError::byte(self.at, kind).of(&element.name, 0));
        }
        Ok(element.count as usize)
    }

    fn take(&mut self, size: u64) -> Result<&'a [u8], ErrorKind> {
        let left = &self.bytes[self.at..];
        match usize::try_from(size).ok().filter(|&size| size <= left.len()) {
            Some(size) => {
                self.at += size;
                Ok(&left[..size])
            }
            None => Err(ErrorKind::Truncated { needed: size, left: left.len() as u64 }),
        }
    }

    fn list_length(&mut self, count: Scalar) -> Result<u64, ErrorKind> {
        let length = integer(count, self.take(count.size() as u64)?, self.big_endian);
        u64::try_from(length).map_err(|_| ErrorKind::Unexpected {
            found: format!("a list of {length} items"),
            expected: "a length that is not negative".to_owned(),
        })
    }

    /// Passes over one property of a row.
    fn skip_property(&mut self, kind: Kind) -> Result<(), ErrorKind> {
        let size = match kind {
            Kind::Scalar(scalar) => scalar.size() as u64,
            Kind::List { count, item } => self.list_length(count)? * item.size() as u64,
        };
        self.take(size).map(|_| ())
    }

    fn corners(&mut self, kind: Kind, faces: &mut Faces) -> Result<(), ErrorKind> {
        let Kind::List { count, item } = kind else { return self.skip_property(kind) };
        let start = self.at as u64;
        let length = self.list_length(count)?;
        for corner in self.take(length * item.size() as u64)?.chunks_exact(item.size()) {
            faces.corner(integer(item, corner, self.big_endian))?;
        }
        faces.finish(Position::Byte(start));
        Ok(())
    }
}

impl Body for Rows<'_> {
    fn vertices(&mut self, element: &Element, roles: &[Role]) -> Result<Vertices, ParseError> {
        let count = self.check_size(element)?;
        let mut vertices = Vertices::with_capacity(count, roles);
        for number in 0..count {
            let (mut position, mut colour) = (Vec3::ZERO, [0; 3]);
            for (column, property) in element.properties.iter().enumerate() {
                let start = self.at;
                let step = match (roles[column], property.kind) {
                    (Role::Axis(axis), Kind::Scalar(scalar)) => self
                        .take(scalar.size() as u64)
                        .and_then(|bytes| coordinate(scalar, bytes, self.big_endian))
                        .map(|value| position[axis] = value),
                    (Role::Channel(number), Kind::Scalar(scalar)) => self
                        .take(scalar.size() as u64)
                        .map(|bytes| real(scalar, bytes, self.big_endian))
                        .map(|value| colour[number] = channel(scalar, value)),
                    (_, kind) => self.skip_property(kind),
                };
                step.map_err(|kind| located(kind, start, element, number, column))?;
            }
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
        let count = self.check_size(element)?;
        // A row of the usual size, one byte and three integers, holds one triangle.
        faces.reserve(count.min((self.bytes.len() - self.at) / (element.least_row() + 3)));
        for number in 0..count {
            for (column, property) in element.properties.iter().enumerate() {
                let start = self.at;
                let step = if column == list {
                    self.corners(property.kind, faces)
                } else {
                    self.skip_property(property.kind)
                };
                step.map_err(|kind| located(kind, start, element, number, column))?;
            }
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), ParseError> {
        let count = self.check_size(element)?;
        if element.is_fixed() {
            self.at += count * element.least_row();
            return Ok(());
        }
        for number in 0..count {
            for (column, property) in element.properties.iter().enumerate() {
                let start = self.at;
                self.skip_property(property.kind)
                    .map_err(|kind| located(kind, start, element, number, column))?;
            }
        }
        Ok(())
    }
}

fn located(kind: ErrorKind, at: usize, element: &Element, row: usize, column: usize) -> ParseError {
    ParseError::byte(at, kind).of(&element.name, row).property(&element.properties[column].name)
}

fn coordinate(scalar: Scalar, bytes: &[u8], big_endian: bool) -> Result<f32, ErrorKind> {
    match scalar {
        Scalar::F32 => coordinate::check(f32::from_bits(unsigned(bytes, big_endian) as u32)),
        _ => coordinate::narrow(real(scalar, bytes, big_endian)),
    }
}

/// A number of any type.
fn real(scalar: Scalar, bytes: &[u8], big_endian: bool) -> f64 {
    match scalar {
        Scalar::F32 => f64::from(f32::from_bits(unsigned(bytes, big_endian) as u32)),
        Scalar::F64 => f64::from_bits(unsigned(bytes, big_endian)),
        _ => integer(scalar, bytes, big_endian) as f64,
    }
}

/// An integer of any type; the truncated value of a float, which no caller asks for.
fn integer(scalar: Scalar, bytes: &[u8], big_endian: bool) -> i64 {
    let bits = unsigned(bytes, big_endian);
    match scalar {
        Scalar::I8 => i64::from(bits as u8 as i8),
        Scalar::I16 => i64::from(bits as u16 as i16),
        Scalar::I32 => i64::from(bits as u32 as i32),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => bits as i64,
        Scalar::F32 => f32::from_bits(bits as u32) as i64,
        Scalar::F64 => f64::from_bits(bits) as i64,
    }
}

/// 1, 2, 4 or 8 bytes as a number.
fn unsigned(bytes: &[u8], big_endian: bool) -> u64 {
    match (bytes, big_endian) {
        (&[a], _) => u64::from(a),
        (&[a, b], false) => u64::from(u16::from_le_bytes([a, b])),
        (&[a, b], true) => u64::from(u16::from_be_bytes([a, b])),
        (&[a, b, c, d], false) => u64::from(u32::from_le_bytes([a, b, c, d])),
        (&[a, b, c, d], true) => u64::from(u32::from_be_bytes([a, b, c, d])),
        (wide, false) => wide.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        (wide, true) => wide.iter().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
    }
}
