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
use std::ops::Range;
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
        let wanted = own_name(text).to_ascii_uppercase();
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
        match self.word_type() {
            WordType::Integer => word.to_string(),
            WordType::Float => f32::from_bits(word).to_string(),
        }
    }

    /// The name without its component: `POSITION` for `POSITION_Z`; `None` for a plain scalar.
    fn vector_name(self) -> Option<String> {
        let name = self.to_string();
        let (vector, component) = name.rsplit_once('_')?;
        (component.len() == 1).then(|| vector.to_owned())
    }
}

/// How the word of an attribute is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordType {
    /// A binary32 number.
    Float,
    /// A whole number or a mask.
    Integer,
}

/// Attributes that share a name.
struct Family {
    ids: Range<u16>,
    name: &'static str,
    /// Whether vectors of four scalars are counted in the name.
    numbered: bool,
    /// What is added to the name of each scalar; empty for a single one.
    components: &'static [&'static str],
    word: WordType,
    meaning: &'static str,
}

const XYZW: &[&str] = &["X", "Y", "Z", "W"];
const RGBA: &[&str] = &["R", "G", "B", "A"];
const UV: &[&str] = &["U", "V"];
const EDGES: &[&str] = &["LEFT", "RIGHT", "BOTTOM", "TOP"];
const DISTANCES: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];
const STRQ: &[&str] = &["S", "T", "R", "Q"];

/// Declares families by ids, name, whether it is numbered, components, type and meaning.
macro_rules! families {
    ($(
        $ids:expr, $name:literal, $numbered:literal, $components:expr, $word:ident,
        $meaning:literal;
    )+) => {
        &[$(Family {
            ids: $ids,
            name: $name,
            numbered: $numbered,
            components: $components,
            word: WordType::$word,
            meaning: $meaning,
        }),+]
    };
}

#[rustfmt::skip]
const FAMILIES: &[Family] = families! {
    0x000..0x010, "TESS_LEVEL", false, EDGES, Float, "segments of an edge of the patch";
    0x010..0x018, "TESS_INTERIOR", false, UV, Float, "segments of the inside of the patch";
    0x020..0x05c, "PATCH", true, XYZW, Float, "the program's own, for each patch";
    0x05c..0x060, "VPRS_TABLE_INDEX", false, &[], Integer, "row of the shading-rate table (SM86)";
    0x060..0x064, "PRIMITIVE_ID", false, &[], Integer, "number of the primitive";
    0x064..0x068, "RT_ARRAY_INDEX", false, &[], Integer, "layer of the render target";
    0x068..0x06c, "VIEWPORT_INDEX", false, &[], Integer, "number of the viewport";
    0x06c..0x070, "POINT_SIZE", false, &[], Float, "diameter of a point, in pixels";
    0x070..0x080, "POSITION", false, XYZW, Float, "clip space; X/W, Y/W, Z/W are on the screen";
    0x080..0x280, "GENERIC", true, XYZW, Float, "the program's own";
    0x280..0x290, "FRONT_DIFFUSE", false, RGBA, Float, "colour of a front face, 0 to 1";
    0x290..0x2a0, "FRONT_SPECULAR", false, RGBA, Float, "second colour of a front face, 0 to 1";
    0x2a0..0x2b0, "BACK_DIFFUSE", false, RGBA, Float, "colour of a back face, 0 to 1";
    0x2b0..0x2c0, "BACK_SPECULAR", false, RGBA, Float, "second colour of a back face, 0 to 1";
    0x2c0..0x2e0, "CLIP_CULL_DISTANCE", false, DISTANCES, Float, "from a plane; below 0 is cut off";
    0x2e0..0x2e8, "POINT_SPRITE", false, STRQ, Float, "place on a point, 0 to 1";
    0x2e8..0x2ec, "FOG_COORD", false, &[], Float, "depth that fog is computed from";
    0x2f0..0x2f8, "TESS_COORD", false, UV, Float, "place in the patch, 0 to 1";
    0x2f8..0x2fc, "INSTANCE_ID", false, &[], Integer, "number of the instance";
    0x2fc..0x300, "VERTEX_ID", false, &[], Integer, "number of the vertex or mesh workgroup";
    0x300..0x3a0, "TEX", true, STRQ, Float, "texture coordinates of fixed-function shading";
    0x3a0..0x3a4, "VIEWPORT_MASK", false, &[], Integer, "one bit a viewport; 0 culls the primitive";
    0x3a4..0x3a8, "VIEWPORT_MASK2", false, &[], Integer, "a second mask of viewports";
    0x3a8..0x3b4, "BARY_NOPERSP", false, XYZW, Float, "barycentrics, linear on the screen";
    0x3b4..0x3c0, "BARY_PERSP", false, XYZW, Float, "barycentrics, with perspective";
};

impl AttributeId {
    fn family(self) -> Option<&'static Family> {
        FAMILIES.iter().find(|family| family.ids.contains(&self.0))
    }

    /// How its word is to be read; reserved ids count as numbers.
    #[must_use]
    pub fn word_type(self) -> WordType {
        self.family().map_or(WordType::Float, |family| family.word)
    }

    /// What it means, with its unit.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.family().map_or("reserved", |family| family.meaning)
    }
}

impl fmt::Display for AttributeId {
    /// The hardware's name, with the component as a suffix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(family) = self.family() else { return write!(f, "RESERVED_{:03X}", self.0) };
        let scalar = usize::from((self.0 - family.ids.start) / 4);
        f.write_str(family.name)?;
        if family.numbered {
            write!(f, "{}", scalar / 4)?;
        }
        match family.components {
            [] => Ok(()),
            components => write!(f, "_{}", components[scalar % components.len()]),
        }
    }
}

impl FromStr for AttributeId {
    type Err = UnknownAttribute;

    /// A name with its component, in any case and perhaps behind `ATTR_` as in NVIDIA's headers, or
    /// an id in hex with the prefix `0x`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix("0x").and_then(|hex| u16::from_str_radix(hex, 16).ok());
        number
            .and_then(Self::new)
            .or_else(|| {
                let mut ids = (0..Self::SLOTS).filter_map(Self::from_slot);
                ids.find(|id| id.to_string().eq_ignore_ascii_case(own_name(text)))
            })
            .ok_or_else(|| UnknownAttribute(text.to_owned()))
    }
}

/// A name without the prefix of NVIDIA's headers.
fn own_name(text: &str) -> &str {
    match text.split_at_checked(5) {
        Some((prefix, name)) if prefix.eq_ignore_ascii_case("ATTR_") => name,
        _ => text,
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
    fn families_ascend_and_fill_their_names() {
        for pair in FAMILIES.windows(2) {
            assert!(pair[0].ids.end <= pair[1].ids.start, "{}", pair[1].name);
        }
        let id = |text: &str| text.parse::<AttributeId>().unwrap();
        assert_eq!(AttributeId::new(0x3b8).unwrap().to_string(), "BARY_PERSP_Y");
        assert_eq!(AttributeId::new(0x2ec).unwrap().to_string(), "RESERVED_2EC");
        assert_eq!((id("TEX9_Q").value(), id("BACK_SPECULAR_A").value()), (0x39c, 0x2bc));
        assert_eq!(id("VIEWPORT_MASK").word_type(), WordType::Integer);
        assert_eq!(id("POSITION_W").value_text(0x3f80_0000), "1");
        assert!(id("VIEWPORT_MASK").meaning().contains("0 culls"));
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
        assert_eq!(ids("ATTR_POINT_SIZE"), [0x6c]);
        assert_eq!(ids("attr_position")[..2], [0x70, 0x74]);
        for wrong in ["", "VIEWPORT", "GENERIC", "GENERIC32", "0x71", "0x3c0", "70"] {
            assert!(AttributeId::parse_all(wrong).is_err(), "{wrong}");
        }
    }
}
