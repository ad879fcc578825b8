//! What all triangle nodes share: up to four vertices, and a word that describes the triangles.
//!
//! | type | vertices in test order |
//! |---|---|
//! | 0 | v0, v1, v2 |
//! | 1 | v1, v3, v2 |
//!
//! The sources of a byte undo the rotation of a triangle in a pair: its own second vertex is the
//! corner I, its own third one the corner J. Sources: GPURT, captured vectors.
//!
//! ```
//! use bvh4::layout::triangle_info::{TriangleInfo, own_order};
//! let info = TriangleInfo::from_byte(0x82);
//! assert_eq!((info.i_source, info.j_source, info.opaque), (2, 0, true));
//! assert_eq!(own_order(info), Some([1, 2, 0]));
//! ```

use geometry::{Triangle, Vec3};
use machine::bits::Bits;
use machine::fields::Show;
use tree::PrimitiveFlags;

machine::fields! {
    /// What the id word holds: its bytes 0 and 1 describe the triangles.
    #[source = "GPURT, captured vectors"]
    pub struct IdWord: 1 words {
        /// Triangles 0 and 1.
        pub triangles: [TriangleInfo; 2] = 0..16;
        /// Nothing reads it.
        pub unused: u16 = 16..32, Show::Unused;
    }
}

machine::fields! {
    /// One byte of the id word.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    #[source = "GPURT, captured vectors"]
    pub struct TriangleInfo: 1 words {
        /// Vertex, in test order, whose weight is returned as I: 0..=2 (G-31).
        pub i_source: u8 = 0..2;
        /// Vertex, in test order, whose weight is returned as J: 0..=2 (G-31).
        pub j_source: u8 = 2..4;
        /// Face culling leaves it alone (G-16).
        pub double_sided: bool = 4..5;
        /// Front and back trade places.
        pub flip_winding: bool = 5..6;
        /// Software decides.
        pub procedural: bool = 6..7;
        /// Counts as opaque unless forced otherwise.
        pub opaque: bool = 7..8;
    }
}

/// The corners of triangle 0 or 1, in test order.
#[must_use]
#[inline]
pub fn corners(vertices: &[Vec3; 4], which: usize) -> Triangle {
    let [v0, v1, v2, v3] = *vertices;
    if which == 0 { Triangle::new(v0, v1, v2) } else { Triangle::new(v1, v3, v2) }
}

/// Which corners, in test order, are a triangle's own first, second and third; `None` where its
/// sources do not say (G-31).
#[must_use]
pub fn own_order(info: TriangleInfo) -> Option<[usize; 3]> {
    let (i, j) = (usize::from(info.i_source), usize::from(info.j_source));
    (i < 3 && j < 3 && i != j).then(|| [3 - i - j, i, j])
}

/// A triangle whose corners are given in test order, in its own order.
#[must_use]
pub fn own_triangle(tested: Triangle, info: TriangleInfo) -> Triangle {
    own_order(info).map_or(tested, |order| Triangle { vertices: order.map(|k| tested.vertices[k]) })
}

/// The id word of a single triangle or, with the nibbles of its sources, of a pair.
#[must_use]
pub fn id_word(nibbles: &[u8], flags: &[PrimitiveFlags]) -> u32 {
    let bytes = nibbles.iter().zip(flags).map(|(&sources, &flags)| TriangleInfo {
        double_sided: flags.contains(PrimitiveFlags::DOUBLE_SIDED),
        opaque: flags.contains(PrimitiveFlags::OPAQUE),
        ..TriangleInfo::from_byte(sources)
    });
    bytes.rev().fold(0, |word, info| word << 8 | u32::from(info.to_byte()))
}

impl TriangleInfo {
    /// The sources of a triangle in its own order.
    pub const OWN_ORDER: u8 = 0x9;

    /// Reads a byte.
    #[must_use]
    #[inline]
    pub fn from_byte(byte: u8) -> Self {
        Self::decode(&Bits::from_words([byte.into()]))
    }

    /// Whether its sources are two different corners (G-31).
    #[must_use]
    pub fn has_sources(self) -> bool {
        own_order(self).is_some()
    }

    /// Whether test order and own order have the same winding.
    #[must_use]
    pub fn keeps_winding(self) -> bool {
        !self.flip_winding && (self.i_source + 1) % 3 == self.j_source
    }

    /// Writes a byte.
    #[must_use]
    pub fn to_byte(self) -> u8 {
        self.encode().word(0) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_info_byte_round_trips() {
        for byte in 0..=255 {
            assert_eq!(TriangleInfo::from_byte(byte).to_byte(), byte);
        }
    }
}
