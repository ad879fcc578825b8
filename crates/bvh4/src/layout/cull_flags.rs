//! What a subtree holds, in four bits.

use bitflags::bitflags;
use machine::bits::Bits;
use machine::fields::FieldValue;
use std::ops::Range;

bitflags! {
    /// What a subtree holds, so that a ray may skip it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    pub struct CullFlags: u8 {
        /// Only opaque primitives.
        const ONLY_OPAQUE = 1 << 0;
        /// Only non-opaque primitives.
        const ONLY_NON_OPAQUE = 1 << 1;
        /// Only triangles.
        const ONLY_TRIANGLES = 1 << 2;
        /// Only procedurals.
        const ONLY_PROCEDURAL = 1 << 3;
    }
}

impl FieldValue for CullFlags {
    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        Self::from_bits_truncate(bits.get(place) as u8)
    }

    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        // The last child of a high-precision box has room for three flags.
        let stored = u32::from(self.bits()) & ((1 << place.len()) - 1);
        bits.set(place, stored);
    }

    fn text(raw: u64) -> String {
        match flag_names(Self::from_bits_truncate(raw as u8).iter_names()) {
            none if none.is_empty() => "none".to_owned(),
            names => names,
        }
    }
}

/// A mask of eight bits.
#[must_use]
pub fn mask_text(mask: u64) -> String {
    format!("{mask:#04x}")
}

/// Flags by name, in lower case.
pub(super) fn flag_names<F>(flags: impl Iterator<Item = (&'static str, F)>) -> String {
    flags.map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>().join(", ")
}
