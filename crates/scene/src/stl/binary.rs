//! Binary STL.

use super::weld::Weld;
use crate::Scene;
use crate::error::{ErrorKind, ParseError};
use crate::read::{coordinate, single_mesh};
use geometry::Vec3;

const HEADER: usize = 84;
const RECORD: usize = 50;

/// The size of the file by the count that it declares.
pub(super) fn declared_size(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..HEADER)?;
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
    Some(HEADER as u64 + RECORD as u64 * u64::from(count))
}

pub(super) fn read(bytes: &[u8]) -> Result<Scene, ParseError> {
    let left = bytes.len() as u64;
    let truncated = |byte: usize, needed: u64| {
        ParseError::byte(byte, ErrorKind::Truncated { needed, left: left - byte as u64 })
    };
    let size = declared_size(bytes).ok_or_else(|| truncated(0, HEADER as u64))?;
    if size > left {
        return Err(truncated(HEADER, size - HEADER as u64));
    }
    // Less than a triangle more is padding; more than that means that the count is wrong.
    if left - size >= RECORD as u64 {
        return Err(ParseError::byte(80, ErrorKind::Trailing { bytes: left - size }));
    }
    let records = bytes[HEADER..size as usize].chunks_exact(RECORD);
    let mut weld = Weld::for_triangles(records.len());
    let mut indices = Vec::with_capacity(records.len());
    for (number, record) in records.enumerate() {
        let corners = [0, 1, 2].map(|corner| {
            let offset = 12 + 12 * corner;
            position(&record[offset..]).and_then(|p| weld.vertex(p)).map_err(|kind| {
                ParseError::byte(HEADER + number * RECORD + offset, kind).of("triangle", number)
            })
        });
        let [a, b, c] = corners;
        indices.push([a?, b?, c?]);
    }
    Ok(single_mesh(weld.into_positions(), indices))
}

fn position(bytes: &[u8]) -> Result<Vec3, ErrorKind> {
    let axis = |k: usize| {
        let b = &bytes[4 * k..4 * k + 4];
        coordinate::check(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    Ok(Vec3::new(axis(0)?, axis(1)?, axis(2)?))
}
