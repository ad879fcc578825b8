//! GLB: a 12-byte header (`glTF`, version 2, length), then chunks of (length, type, bytes), all
//! little endian: first `JSON`, then at most one `BIN`. A file that does not begin so is plain
//! JSON.

use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::text;

const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// Where the parts of a file are.
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// Whether the JSON is the whole file, so that its lines are the file's.
    pub(super) is_plain: bool,
    /// The first buffer of a GLB.
    pub(super) binary: Option<&'a [u8]>,
}

pub(super) fn open<'a>(
    bytes: &'a [u8],
    warnings: &mut Warnings,
) -> Result<Container<'a>, ParseError> {
    if !bytes.starts_with(b"glTF") {
        let json = text::without_mark(bytes);
        return Ok(Container { json, is_plain: true, binary: None });
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        let what = match version {
            1 => "version 1 of GLB, which holds glTF 1.0,".to_owned(),
            _ => format!("version {version} of GLB"),
        };
        return Err(ParseError::byte(4, ErrorKind::Unsupported { what }));
    }
    let length = word(bytes, 8)? as usize;
    if length > bytes.len() {
        return Err(truncated(bytes, 0, length));
    }
    let bytes = &bytes[..length];
    let (kind, json, next) = chunk(bytes, 12)?;
    if kind != JSON {
        let found = format!("a chunk of type {kind:#010X}");
        return Err(ParseError::byte(
            16,
            ErrorKind::Unexpected { found, expected: "JSON".to_owned() },
        ));
    }
    let is_binary = |(kind, ..): &(u32, &[u8], usize)| *kind == BIN;
    let aligned = next.next_multiple_of(4);
    // Some exporters forget that chunks begin at multiples of 4 bytes.
    let close = chunk(bytes, next).ok().filter(|_| aligned != next).filter(is_binary);
    let binary = match close {
        Some((_, data, _)) => {
            let text = "the binary chunk does not begin at a multiple of 4 bytes";
            warnings.add(Position::Byte(next as u64), text);
            Some(data)
        }
        None if aligned >= bytes.len() => None,
        None => Some(chunk(bytes, aligned)?).filter(is_binary).map(|(_, data, _)| data),
    };
    Ok(Container { json, is_plain: false, binary })
}

/// The type and the bytes of a chunk, and where it ends.
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), ParseError> {
    let (length, kind) = (word(bytes, at)? as usize, word(bytes, at + 4)?);
    let data = bytes.get(at + 8..).unwrap_or_default();
    let data = data.get(..length).ok_or_else(|| truncated(bytes, at + 8, length))?;
    Ok((kind, data, at + 8 + length))
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ParseError> {
    match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => Ok(u32::from_le_bytes([a, b, c, d])),
        _ => Err(truncated(bytes, at.min(bytes.len()), 4)),
    }
}

fn truncated(bytes: &[u8], at: usize, needed: usize) -> ParseError {
    let (needed, left) = (needed as u64, (bytes.len() - at) as u64);
    ParseError::byte(at, ErrorKind::Truncated { needed, left })
}
