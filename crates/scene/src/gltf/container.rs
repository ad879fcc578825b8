//! GLB: a 12-byte header (`glTF`, version 2, length), then chunks of (length, type, bytes), all
//! little endian: first `JSON`, then at most one `BIN`. A file that does not begin so is plain
//! JSON.

use crate::error::{ErrorKind, ParseError};
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

pub(super) fn open(bytes: &[u8]) -> Result<Container<'_>, ParseError> {
    if !bytes.starts_with(b"glTF") {
        let json = text::without_mark(bytes);
        return Ok(Container { json, is_plain: true, binary: None });
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        let what = format!("version {version} of GLB");
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
    let binary = match next {
        _ if next >= bytes.len() => None,
        _ => Some(chunk(bytes, next)?).filter(|(kind, ..)| *kind == BIN).map(|(_, data, _)| data),
    };
    Ok(Container { json, is_plain: false, binary })
}

/// The type and the bytes of a chunk, and where the next one begins.
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), ParseError> {
    let (length, kind) = (word(bytes, at)? as usize, word(bytes, at + 4)?);
    let data = &bytes[at + 8..];
    let data = data.get(..length).ok_or_else(|| truncated(bytes, at + 8, length))?;
    Ok((kind, data, (at + 8 + length).next_multiple_of(4)))
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
