//! Shader program headers of the vertex, tessellation and geometry stages (section 5.3).
//!
//! Version 3 has 20 dwords (before Turing), version 4 has 32. Bit `b` is bit `b % 32` of dword
//! `b / 32`; fields stand at the same bits in both:
//!
//! | bits | field | bits | field |
//! |---|---|---|---|
//! | 4:0 | SPH_TYPE, 1 = VTG | 87:64 | local memory high size |
//! | 9:5 | VERSION | 95:88 | THREADS_PER_INPUT_PRIMITIVE |
//! | 13:10 | SHADER_TYPE | 119:96 | CRS size (version 3) |
//! | 16 | DOES_GLOBAL_STORE | 123:120 | OUTPUT_TOPOLOGY |
//! | 20:17 | SASS_VERSION | 127:124, 151:148 | patch attribute count, low and high nibble |
//! | 24 | geometry pass-through | 139:128 | MAX_OUTPUT_VERTEX_COUNT |
//! | 25 | input and output share storage | 147:140 | STORE_REQ_START |
//! | 26, 27 | DOES_LOAD_OR_STORE, DOES_FP64 | 159:152 | STORE_REQ_END |
//! | 31:28 | STREAM_OUT_MASK | 399:160 | imap |
//! | 55:32 | local memory low size | 639:400 | omap |
//! | 63:56 | PER_PATCH_ATTRIBUTE_COUNT | 879:640 | vmap (version 4) |
//!
//! ```
//! use isbe::{AttributeId, Sph, SphVersion};
//! let position = AttributeId::parse_all("POSITION").unwrap().into_iter().collect();
//! let header = Sph::mesh(SphVersion::V4, false, &position);
//! assert_eq!(header.dwords()[0], 0x0002_0481);
//! assert_eq!(header.dwords()[13], 0x0000_f000);
//! assert_eq!(header.outputs(), position);
//! ```

use crate::generation::Sm;
use crate::{AttributeId, AttributeSet};
use std::ops::Range;

/// The two versions of headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SphVersion {
    /// 20 dwords, SM below 73.
    V3,
    /// 32 dwords, SM 73 and later.
    V4,
}

/// A header of a vertex, tessellation or geometry stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sph {
    version: SphVersion,
    dwords: [u32; 32],
}

/// A field of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SphField {
    /// The name in the class headers, or in lower case where they have none.
    pub name: &'static str,
    /// Its bits.
    pub bits: Range<usize>,
}

/// The stages that have a VTG header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShaderType {
    /// Vertex; also task, and mesh without a task.
    Vertex = 1,
    /// Tessellation control.
    TessellationInit = 2,
    /// Tessellation evaluation; also mesh after a task (I-7).
    Tessellation = 3,
    /// Geometry.
    Geometry = 4,
}

/// Bytes that are no header of a known version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SphError {
    /// Too few or too many bytes.
    #[error("shader program header: found {found} bytes, expected {expected}")]
    Length {
        /// How many there are.
        found: usize,
        /// How many its version has.
        expected: usize,
    },
    /// Not a VTG header.
    #[error("shader program header bits 0..5: found SPH_TYPE {found}, expected 1 (VTG)")]
    Type {
        /// The type.
        found: u32,
    },
    /// Not version 3 or 4.
    #[error("shader program header bits 5..10: found VERSION {found}, expected 3 or 4")]
    Version {
        /// The version.
        found: u32,
    },
}

const fn field(name: &'static str, bits: Range<usize>) -> SphField {
    SphField { name, bits }
}

/// All fields but the attribute masks, by position.
pub const FIELDS: [SphField; 21] = [
    field("SPH_TYPE", 0..5),
    field("VERSION", 5..10),
    field("SHADER_TYPE", 10..14),
    field("DOES_GLOBAL_STORE", 16..17),
    field("SASS_VERSION", 17..21),
    field("geometry_pass_through", 24..25),
    field("isbe_space_sharing", 25..26),
    field("DOES_LOAD_OR_STORE", 26..27),
    field("DOES_FP64", 27..28),
    field("STREAM_OUT_MASK", 28..32),
    field("SHADER_LOCAL_MEMORY_LOW_SIZE", 32..56),
    field("PER_PATCH_ATTRIBUTE_COUNT", 56..64),
    field("SHADER_LOCAL_MEMORY_HIGH_SIZE", 64..88),
    field("THREADS_PER_INPUT_PRIMITIVE", 88..96),
    field("SHADER_LOCAL_MEMORY_CRS_SIZE", 96..120),
    field("OUTPUT_TOPOLOGY", 120..124),
    field("per_patch_attribute_count_low", 124..128),
    field("MAX_OUTPUT_VERTEX_COUNT", 128..140),
    field("STORE_REQ_START", 140..148),
    field("per_patch_attribute_count_high", 148..152),
    field("STORE_REQ_END", 152..160),
];

/// The attribute masks with their first bits; the last is that of version 4 alone.
pub const MASKS: [(&str, usize); 3] = [("imap", 160), ("omap", 400), ("vmap", 640)];

impl SphVersion {
    /// The version of an SM.
    #[must_use]
    pub const fn of(sm: Sm) -> Self {
        if sm < 73 { Self::V3 } else { Self::V4 }
    }

    /// The number in the header.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::V3 => 3,
            Self::V4 => 4,
        }
    }

    /// The version with this number.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<Self> {
        match number {
            3 => Some(Self::V3),
            4 => Some(Self::V4),
            _ => None,
        }
    }

    /// Bytes of a header.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::V3 => 80,
            Self::V4 => 128,
        }
    }
}

impl Sph {
    /// A header of a stage with nothing else set, but what NAK always sets.
    #[must_use]
    pub fn new(version: SphVersion, stage: ShaderType) -> Self {
        let mut header = Self { version, dwords: [0; 32] };
        header.set(0..5, 1);
        header.set(5..10, version.number());
        header.set(10..14, stage as u32);
        header.set(17..21, 1);
        header
    }

    /// The header of a mesh shader with these vertex outputs; it reads its workgroup's number.
    #[must_use]
    pub fn mesh(version: SphVersion, after_task: bool, outputs: &AttributeSet) -> Self {
        let stage = if after_task { ShaderType::Tessellation } else { ShaderType::Vertex };
        let mut header = Self::new(version, stage);
        header.set_inputs(&[AttributeId::VERTEX_ID].into_iter().collect());
        header.set_outputs(outputs);
        header
    }

    /// The pass-through geometry header that carries primitive outputs (section 2.4).
    #[must_use]
    pub fn pass_through(version: SphVersion, outputs: &AttributeSet) -> Self {
        let mut header = Self::new(version, ShaderType::Geometry);
        header.set(24..25, 1);
        header.set(88..96, 1);
        header.set(120..124, 1);
        header.set(128..140, 1);
        header.set_outputs(outputs);
        header
    }

    /// Reads a header of a known version.
    ///
    /// # Errors
    /// When the length, the type or the version is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SphError> {
        let first = bytes.first_chunk().map_or(0, |dword| u32::from_le_bytes(*dword));
        let found = first >> 5 & 0x1f;
        let version = match SphVersion::from_number(found) {
            _ if bytes.len() < 4 => {
                return Err(SphError::Length { found: bytes.len(), expected: 128 });
            }
            None => return Err(SphError::Version { found }),
            Some(version) => version,
        };
        if first & 0x1f != 1 {
            return Err(SphError::Type { found: first & 0x1f });
        }
        if bytes.len() != version.bytes() {
            return Err(SphError::Length { found: bytes.len(), expected: version.bytes() });
        }
        let mut header = Self { version, dwords: [0; 32] };
        for (dword, bytes) in header.dwords.iter_mut().zip(bytes.as_chunks().0) {
            *dword = u32::from_le_bytes(*bytes);
        }
        Ok(header)
    }

    /// The bytes, 80 or 128.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.dwords().iter().flat_map(|dword| dword.to_le_bytes()).collect()
    }

    /// The version.
    #[must_use]
    pub const fn version(&self) -> SphVersion {
        self.version
    }

    /// The dwords, 20 or 32.
    #[must_use]
    pub fn dwords(&self) -> &[u32] {
        &self.dwords[..self.version.bytes() / 4]
    }

    /// The bits of a field, at most 32.
    #[must_use]
    pub fn get(&self, bits: Range<usize>) -> u32 {
        bits.rev().fold(0, |value, bit| value << 1 | self.dwords[bit / 32] >> (bit % 32) & 1)
    }

    /// Sets the bits of a field, which must be wide enough.
    pub fn set(&mut self, bits: Range<usize>, value: u32) {
        debug_assert!(u64::from(value) >> bits.len() == 0, "{value:#x} does not fit into {bits:?}");
        for (position, bit) in bits.enumerate() {
            self.set_bit(bit, value >> position & 1 == 1);
        }
    }

    /// The input attributes, imap.
    #[must_use]
    pub fn inputs(&self) -> AttributeSet {
        self.mask(AttributeId::imap_bit)
    }

    /// The output attributes, omap.
    #[must_use]
    pub fn outputs(&self) -> AttributeSet {
        self.mask(AttributeId::omap_bit)
    }

    /// The third mask, vmap; empty in version 3.
    #[must_use]
    pub fn vmap(&self) -> AttributeSet {
        self.mask(AttributeId::vmap_bit)
    }

    /// Replaces the imap.
    pub fn set_inputs(&mut self, set: &AttributeSet) {
        self.set_mask(set, AttributeId::imap_bit);
    }

    /// Replaces the omap, and the range of stored attributes as NAK does (I-10).
    pub fn set_outputs(&mut self, set: &AttributeSet) {
        self.set_mask(set, AttributeId::omap_bit);
        let slot = |id: Option<AttributeId>| id.map(|id| id.slot() as u32);
        self.set(140..148, slot(set.iter().next()).unwrap_or(0xff));
        self.set(152..160, slot(set.iter().last()).unwrap_or(0));
    }

    /// Replaces the vmap; without effect in version 3, which has none.
    pub fn set_vmap(&mut self, set: &AttributeSet) {
        if self.version == SphVersion::V4 {
            self.set_mask(set, AttributeId::vmap_bit);
        }
    }

    /// Whether input and output share storage.
    #[must_use]
    pub fn shares_spaces(&self) -> bool {
        self.get(25..26) == 1
    }

    /// Lets input and output share storage; only vertex headers have the bit.
    pub fn set_sharing(&mut self, sharing: bool) {
        self.set(25..26, sharing.into());
    }

    /// Sets the number of patch attributes in all three places.
    pub fn set_patch_attributes(&mut self, count: u8) {
        self.set(56..64, count.into());
        self.set(124..128, (count & 0xf).into());
        self.set(148..152, (count >> 4).into());
    }

    fn mask(&self, bit: impl Fn(AttributeId) -> usize) -> AttributeSet {
        let is_set = |id: &AttributeId| self.dwords[bit(*id) / 32] >> (bit(*id) % 32) & 1 == 1;
        (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot).filter(is_set).collect()
    }

    fn set_mask(&mut self, set: &AttributeSet, bit: impl Fn(AttributeId) -> usize) {
        for id in (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot) {
            self.set_bit(bit(id), set.contains(id));
        }
    }

    fn set_bit(&mut self, bit: usize, value: bool) {
        let dword = &mut self.dwords[bit / 32];
        *dword = *dword & !(1 << (bit % 32)) | u32::from(value) << (bit % 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_pass_through_header_is_the_one_that_drivers_emit() {
        let set: AttributeSet = [AttributeId::VIEWPORT_MASK].into_iter().collect();
        let header = Sph::pass_through(SphVersion::V4, &set);
        assert_eq!(header.dwords()[..4], [0x0102_1081, 0, 0x0100_0000, 0x0100_0000]);
        assert_eq!((header.get(128..140), header.dwords()[19]), (1, 0x0100_0000));
        assert_eq!((header.get(140..148), header.get(152..160)), (0xe8, 0xe8));
    }

    #[test]
    fn wrong_headers_say_what_is_wrong() {
        let good = Sph::new(SphVersion::V3, ShaderType::Vertex).to_bytes();
        assert_eq!(good.len(), 80);
        let error = |bytes: &[u8]| Sph::from_bytes(bytes).unwrap_err();
        assert_eq!(error(&good[..79]), SphError::Length { found: 79, expected: 80 });
        assert_eq!(error(&[]), SphError::Length { found: 0, expected: 128 });
        let mut pixel = good.clone();
        pixel[0] ^= 3;
        assert_eq!(error(&pixel), SphError::Type { found: 2 });
        let mut old = good;
        old[0] ^= 0x20;
        assert_eq!(error(&old), SphError::Version { found: 2 });
    }

    #[test]
    fn patch_counts_stand_in_three_places() {
        let mut header = Sph::new(SphVersion::V4, ShaderType::TessellationInit);
        header.set_patch_attributes(0x5a);
        assert_eq!(
            [header.get(56..64), header.get(124..128), header.get(148..152)],
            [0x5a, 0xa, 5]
        );
    }

    proptest! {
        #[test]
        fn bytes_and_fields_round_trip(
            mut dwords in proptest::array::uniform32(any::<u32>()),
            v4: bool,
        ) {
            let version = if v4 { SphVersion::V4 } else { SphVersion::V3 };
            dwords[0] = dwords[0] & !0x3ff | version.number() << 5 | 1;
            let bytes = dwords.iter().flat_map(|d| d.to_le_bytes());
            let bytes: Vec<u8> = bytes.take(version.bytes()).collect();
            let header = Sph::from_bytes(&bytes).unwrap();
            prop_assert_eq!(header.to_bytes(), bytes);
            let mut copy = Sph::new(version, ShaderType::Vertex);
            for field in FIELDS {
                copy.set(field.bits.clone(), header.get(field.bits));
            }
            copy.set_inputs(&header.inputs());
            copy.set_mask(&header.outputs(), AttributeId::omap_bit);
            copy.set_vmap(&header.vmap());
            for (bit, reserved) in [(14..16, true), (21..24, true), (880..1024, v4)] {
                for bit in bit.filter(|_| reserved) {
                    copy.set_bit(bit, header.dwords[bit / 32] >> (bit % 32) & 1 == 1);
                }
            }
            prop_assert_eq!(copy, header);
        }
    }
}
