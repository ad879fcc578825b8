//! STL, text and binary, after the StereoLithography Interface Specification (3D Systems, 1989).
//!
//! Binary, little endian: 80 bytes of anything (even `solid`), a `u32` count, then 50 bytes for
//! each triangle: a normal (ignored), three corners, 2 bytes of attributes (ignored). Corners with
//! the same bits become one vertex.

mod binary;
mod text;
mod weld;

use crate::Scene;
use crate::error::ParseError;

/// Whether the size is exactly the one that the count at byte 80 asks for.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    binary::declared_size(bytes) == Some(bytes.len() as u64)
}

/// Whether a text begins as STL does: `solid`, a name, and `facet` or `endsolid` on a line to
/// follow.
pub(crate) fn is_text(text: &[u8]) -> bool {
    text::is_text(text)
}

pub(crate) fn read(bytes: &[u8]) -> Result<Scene, ParseError> {
    if !is_binary(bytes) && text::is_text(crate::read::text::without_mark(bytes)) {
        text::read(bytes)
    } else {
        binary::read(bytes)
    }
}
