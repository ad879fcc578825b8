//! Bits by name of their place, as register tables write them.

/// The field from bit `low` to bit `high`, both included.
#[must_use]
pub(crate) const fn field(word: u64, high: u32, low: u32) -> u64 {
    word >> low & (u64::MAX >> (63 - (high - low)))
}

/// Whether a bit is set.
#[must_use]
pub(crate) const fn bit(word: u64, place: u32) -> bool {
    word >> place & 1 == 1
}
