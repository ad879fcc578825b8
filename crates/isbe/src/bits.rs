//! Bit fields, named where they are used: `get(word, 74..76)`.

use std::ops::Range;

/// The bits of `word` in `range`.
#[must_use]
pub(crate) const fn get(word: u128, range: Range<u32>) -> u128 {
    (word >> range.start) & mask(range.end - range.start)
}

/// Puts `value` into the bits of `word` in `range`, which must be wide enough for it.
pub(crate) fn set(word: &mut u128, range: Range<u32>, value: impl Into<u128>) {
    let width = mask(range.end - range.start);
    let value = value.into();
    debug_assert!(value <= width, "{value:#x} does not fit into bits {range:?}");
    *word = (*word & !(width << range.start)) | ((value & width) << range.start);
}

/// `width` ones.
const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_set_alone() {
        let mut word = u128::MAX;
        set(&mut word, 74..78, 0b0110u8);
        assert_eq!(get(word, 74..78), 0b0110);
        assert_eq!((get(word, 0..74), get(word, 78..128)), (mask(74), mask(50)));
        assert_eq!(get(word, 0..128), word);
    }
}
