//! Attribute ids: one id is one 32-bit scalar and takes 4 in id space (sections 5.1 and 5.2).
//!
//! | ids | names |
//! |---|---|
//! | `000..018`, `020..05c` | patch space: tessellation levels, patch generics |
//! | `05c..080` | system values A and B: shading rate, ids, point size, position |
//! | `080..280` | `GENERIC0_X` … `GENERIC31_W` |
//! | `280..2c0` | fixed-function colours |
//! | `2c0..300` | system values C: clip and cull distances, sprite, fog, tessellation, ids |
//! | `300..3a0` | `TEX0_S` … `TEX9_Q` |
//! | `3a0..3c0` | system values D: viewport masks, barycentrics |
//!
//! In a VTG header, id `a` has imap bit `160 + a/4`, omap bit `400 + a/4` and vmap bit `640 + a/4`:
//!
//! ```
//! use isbe::AttributeId;
//! let point_size: AttributeId = "POINT_SIZE".parse().unwrap();
//! assert_eq!(point_size.value(), 0x6c);
//! assert_eq!((point_size.imap_bit(), point_size.omap_bit()), (187, 427));
//! assert_eq!(point_size.vmap_bit(), 667);
//! ```

use std::fmt;
use std::str::FromStr;

/// One scalar attribute: a multiple of 4 below `0x3c0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributeId(u16);

/// A name or number that is no attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "found attribute {0:?}, expected a name such as POSITION_X or GENERIC3 \
     (`siliray isbe attributes` lists them), or a multiple of 4 below 0x3c0 as in 0x70"
)]
pub struct UnknownAttribute(pub String);

impl AttributeId {
    /// One past the last id of a header.
    pub const END: u16 = 0x3c0;
    /// How many ids a header has room for.
    pub const SLOTS: usize = 240;
    /// Which layer of the render target: the layer of a primitive.
    pub const RT_ARRAY_INDEX: Self = Self(0x064);
    /// Which viewport.
    pub const VIEWPORT_INDEX: Self = Self(0x068);
    /// The first scalar of the position.
    pub const POSITION_X: Self = Self(0x070);
    /// Where task and mesh shaders read the number of their workgroup.
    pub const VERTEX_ID: Self = Self(0x2fc);
    /// `1 << viewport`; 0 culls the primitive.
    pub const VIEWPORT_MASK: Self = Self(0x3a0);

    /// The attribute with this id, if there is one.
    #[must_use]
    pub const fn new(id: u16) -> Option<Self> {
        if id < Self::END && id.is_multiple_of(4) { Some(Self(id)) } else { None }
    }

    /// The attribute with this number, `id / 4`.
    #[must_use]
    pub const fn from_slot(slot: usize) -> Option<Self> {
        if slot < Self::SLOTS { Some(Self(4 * slot as u16)) } else { None }
    }

    /// The id.
    #[must_use]
    pub const fn value(self) -> u16 {
        self.0
    }

    /// `id / 4`.
    #[must_use]
    pub const fn slot(self) -> usize {
        (self.0 / 4) as usize
    }

    /// The bit of a VTG header that makes it an input.
    #[must_use]
    pub const fn imap_bit(self) -> usize {
        160 + self.slot()
    }

    /// The bit of a VTG header that makes it an output.
    #[must_use]
    pub const fn omap_bit(self) -> usize {
        400 + self.slot()
    }

    /// The bit of a version 4 VTG header in the third, undocumented mask.
    #[must_use]
    pub const fn vmap_bit(self) -> usize {
        640 + self.slot()
    }

    /// All ids that a text names: one scalar (`GENERIC3_Y`, `0x70`), or every component of a vector
    /// (`POSITION`, `GENERIC3`, `CLIP_CULL_DISTANCE`).
    ///
    /// # Errors
    /// When nothing has that name.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, UnknownAttribute> {
        if let Ok(single) = text.parse() {
            return Ok(vec![single]);
        }
        let wanted = text.to_ascii_uppercase();
        let components: Vec<Self> = (0..Self::SLOTS)
            .filter_map(Self::from_slot)
            .filter(|id| id.vector_name().is_some_and(|name| name == wanted))
            .collect();
        if components.is_empty() {
            return Err(UnknownAttribute(text.to_owned()));
        }
        Ok(components)
    }

    /// What a word of this attribute means: a whole number for ids and masks, else binary32.
    #[must_use]
    pub fn value_text(self, word: u32) -> String {
        match self.0 {
            0x05c..=0x068 | 0x2f8 | 0x2fc | 0x3a0 | 0x3a4 => word.to_string(),
            _ => f32::from_bits(word).to_string(),
        }
    }

    /// The name without its component: `POSITION` for `POSITION_Z`; `None` for a plain scalar.
    fn vector_name(self) -> Option<String> {
        let name = self.to_string();
        let (vector, component) = name.rsplit_once('_')?;
        (component.len() == 1).then(|| vector.to_owned())
    }
}

impl fmt::Display for AttributeId {
    /// The hardware's name, with the component as a suffix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const XYZW: [&str; 4] = ["X", "Y", "Z", "W"];
        const RGBA: [&str; 4] = ["R", "G", "B", "A"];
        const STRQ: [&str; 4] = ["S", "T", "R", "Q"];
        let component = self.slot() % 4;
        let vector = |f: &mut fmt::Formatter<'_>, name: &str, base: u16| {
            write!(f, "{name}{}_", (self.0 - base) / 16)
        };
        match self.0 {
            0x000..0x010 => {
                let edges = ["LEFT", "RIGHT", "BOTTOM", "TOP"];
                write!(f, "TESS_LEVEL_{}", edges[component])
            }
            0x010 => f.write_str("TESS_INTERIOR_U"),
            0x014 => f.write_str("TESS_INTERIOR_V"),
            0x020..0x05c => {
                vector(f, "PATCH", 0x020)?;
                f.write_str(XYZW[component])
            }
            0x05c => f.write_str("VPRS_TABLE_INDEX"),
            0x060 => f.write_str("PRIMITIVE_ID"),
            0x064 => f.write_str("RT_ARRAY_INDEX"),
            0x068 => f.write_str("VIEWPORT_INDEX"),
            0x06c => f.write_str("POINT_SIZE"),
            0x070..0x080 => write!(f, "POSITION_{}", XYZW[component]),
            0x080..0x280 => {
                vector(f, "GENERIC", 0x080)?;
                f.write_str(XYZW[component])
            }
            0x280..0x2c0 => {
                let colours = ["FRONT_DIFFUSE", "FRONT_SPECULAR", "BACK_DIFFUSE", "BACK_SPECULAR"];
                write!(f, "{}_{}", colours[(self.slot() - 0xa0) / 4], RGBA[component])
            }
            0x2c0..0x2e0 => write!(f, "CLIP_CULL_DISTANCE_{}", self.slot() - 0xb0),
            0x2e0 => f.write_str("POINT_SPRITE_S"),
            0x2e4 => f.write_str("POINT_SPRITE_T"),
            0x2e8 => f.write_str("FOG_COORD"),
            0x2f0 => f.write_str("TESS_COORD_U"),
            0x2f4 => f.write_str("TESS_COORD_V"),
            0x2f8 => f.write_str("INSTANCE_ID"),
            0x2fc => f.write_str("VERTEX_ID"),
            0x300..0x3a0 => {
                vector(f, "TEX", 0x300)?;
                f.write_str(STRQ[component])
            }
            0x3a0 => f.write_str("VIEWPORT_MASK"),
            0x3a4 => f.write_str("VIEWPORT_MASK2"),
            0x3a8..0x3b4 => write!(f, "BARY_NOPERSP_{}", XYZW[self.slot() - 0xea]),
            0x3b4.. => write!(f, "BARY_PERSP_{}", XYZW[self.slot() - 0xed]),
            reserved => write!(f, "RESERVED_{reserved:03X}"),
        }
    }
}

impl FromStr for AttributeId {
    type Err = UnknownAttribute;

    /// A name with its component, in any case, or an id in hex with the prefix `0x`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix("0x").and_then(|hex| u16::from_str_radix(hex, 16).ok());
        number
            .and_then(Self::new)
            .or_else(|| {
                let mut ids = (0..Self::SLOTS).filter_map(Self::from_slot);
                ids.find(|id| id.to_string().eq_ignore_ascii_case(text))
            })
            .ok_or_else(|| UnknownAttribute(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_id_has_its_own_name_and_is_found_by_it() {
        let ids: Vec<AttributeId> =
            (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot).collect();
        let names: BTreeSet<String> = ids.iter().map(AttributeId::to_string).collect();
        assert_eq!(names.len(), AttributeId::SLOTS);
        for id in ids {
            assert_eq!(id.to_string().to_lowercase().parse(), Ok(id));
            assert_eq!(format!("{:#x}", id.value()).parse(), Ok(id));
        }
    }

    #[test]
    fn vectors_stand_for_all_their_components() {
        let ids = |text| {
            let ids = AttributeId::parse_all(text).unwrap();
            ids.iter().map(|id| id.value()).collect::<Vec<_>>()
        };
        assert_eq!(ids("POSITION"), [0x70, 0x74, 0x78, 0x7c]);
        assert_eq!(ids("generic31"), [0x270, 0x274, 0x278, 0x27c]);
        assert_eq!(ids("BARY_PERSP"), [0x3b4, 0x3b8, 0x3bc]);
        assert_eq!(ids("CLIP_CULL_DISTANCE").len(), 8);
        assert_eq!(ids("POINT_SIZE"), [0x6c]);
        for wrong in ["", "VIEWPORT", "GENERIC", "GENERIC32", "0x71", "0x3c0", "70"] {
            assert!(AttributeId::parse_all(wrong).is_err(), "{wrong}");
        }
    }
}
