//! Bits by name of their place, as the tables of the format write them.
//!
//! A node is a string of bits: bit `n` is bit `n % 32` of the little-endian dword `n / 32`. Fields
//! are read and written by half-open bit ranges, so that code and table can be compared by eye:
//!
//! ```
//! use machine::bits::NodeBits;
//! let mut bits = NodeBits::ZERO;
//! bits.set(28..36, 0xA5);
//! assert_eq!(bits.get(28..36), 0xA5);
//! assert_eq!(bits.word(0), 0x5000_0000);
//! assert_eq!(bits.to_bytes()[4], 0x0A);
//! assert_eq!(bits.get(1020..1040), 0); // past the end: 0 (G-26)
//! ```
//!
//! A field has at most 32 bits. A wider range, or a value that does not fit its range, is a mistake
//! of the caller: debug builds stop there, release builds cut the value to its width.

use std::ops::Range;
use zerocopy::FromBytes;

/// `WORDS` little-endian dwords, read as one string of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits<const WORDS: usize> {
    words: [u32; WORDS],
}

/// A 128-byte node.
pub type NodeBits = Bits<32>;
/// A 64-byte node of the uncompressed formats.
pub type HalfNodeBits = Bits<16>;

impl<const WORDS: usize> Bits<WORDS> {
    /// All bits clear.
    pub const ZERO: Self = Self { words: [0; WORDS] };

    /// The bits of some dwords.
    #[must_use]
    pub const fn from_words(words: [u32; WORDS]) -> Self {
        Self { words }
    }

    /// The bits of a byte string; missing bytes are 0, surplus bytes are ignored.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        if let Ok((words, _)) = <[u32; WORDS]>::read_from_prefix(bytes) {
            return Self { words: words.map(u32::from_le) };
        }
        let mut words = [0; WORDS];
        let (whole, rest) = bytes.as_chunks::<4>();
        for (word, chunk) in words.iter_mut().zip(whole) {
            *word = u32::from_le_bytes(*chunk);
        }
        if let Some(word) = words.get_mut(whole.len()) {
            let mut padded = [0; 4];
            padded[..rest.len()].copy_from_slice(rest);
            *word = u32::from_le_bytes(padded);
        }
        Self { words }
    }

    /// Writes the bytes to the front of `out`, as far as it reaches.
    pub fn write_bytes(&self, out: &mut [u8]) {
        for (word, chunk) in self.words.iter().zip(out.chunks_mut(4)) {
            let length = chunk.len();
            chunk.copy_from_slice(&word.to_le_bytes()[..length]);
        }
    }

    /// The dwords.
    #[must_use]
    pub const fn words(&self) -> &[u32; WORDS] {
        &self.words
    }

    /// Dword `index`; 0 past the end (G-26).
    #[must_use]
    #[inline]
    pub fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// Writes dword `index`; dropped past the end.
    #[inline]
    pub fn set_word(&mut self, index: usize, value: u32) {
        if let Some(word) = self.words.get_mut(index) {
            *word = value;
        }
    }

    /// Dword `index` as an `f32`.
    #[must_use]
    #[inline]
    pub fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.word(index))
    }

    /// Writes the pattern of an `f32` to dword `index`.
    pub fn set_float(&mut self, index: usize, value: f32) {
        self.set_word(index, value.to_bits());
    }

    /// The field at a bit range; bits past the end are 0 (G-26).
    #[must_use]
    #[inline]
    pub fn get(&self, range: Range<usize>) -> u32 {
        debug_assert!(range.len() <= 32, "a field of {} bits", range.len());
        let index = range.start / 32;
        let pair = u64::from(self.word(index)) | u64::from(self.word(index + 1)) << 32;
        ((pair >> (range.start % 32)) & mask(range.len())) as u32
    }

    /// The field at a bit range of at most 64 bits.
    #[must_use]
    #[inline]
    pub fn get_wide(&self, range: Range<usize>) -> u64 {
        let middle = range.end.min(range.start + 32);
        u64::from(self.get(range.start..middle)) | u64::from(self.get(middle..range.end)) << 32
    }

    /// As many dwords from a bit on as another structure has.
    #[must_use]
    #[inline(always)]
    pub fn part<const PART: usize>(&self, start: usize) -> Bits<PART> {
        Bits::at(&self.words, start)
    }

    /// The dwords from a bit of others on; bits past the end are 0.
    #[must_use]
    #[inline(always)]
    pub fn at(words: &[u32], start: usize) -> Self {
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        Self {
            words: std::array::from_fn(|k| {
                let index = start / 32 + k;
                let pair = u64::from(word(index)) | u64::from(word(index + 1)) << 32;
                (pair >> (start % 32)) as u32
            }),
        }
    }

    /// Writes the first bits of another structure to a bit range.
    pub fn set_part<const PART: usize>(&mut self, range: Range<usize>, part: &Bits<PART>) {
        for from in (0..range.len()).step_by(32) {
            let to = range.len().min(from + 32);
            self.set(range.start + from..range.start + to, part.get(from..to));
        }
    }

    /// Writes the field at a bit range; bits past the end are dropped.
    #[inline]
    pub fn set(&mut self, range: Range<usize>, value: u32) {
        let mask = mask(range.len());
        debug_assert!(u64::from(value) & !mask == 0, "{value:#x} does not fit bits {range:?}");
        let (index, shift) = (range.start / 32, range.start % 32);
        let pair = u64::from(self.word(index)) | u64::from(self.word(index + 1)) << 32;
        let pair = pair & !(mask << shift) | (u64::from(value) & mask) << shift;
        self.set_word(index, pair as u32);
        self.set_word(index + 1, (pair >> 32) as u32);
    }

    /// One bit.
    #[must_use]
    #[inline]
    pub fn flag(&self, bit: usize) -> bool {
        self.get(bit..bit + 1) != 0
    }

    /// Writes one bit.
    pub fn set_flag(&mut self, bit: usize, value: bool) {
        self.set(bit..bit + 1, u32::from(value));
    }
}

impl NodeBits {
    /// The 128 bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 128] {
        let mut bytes = [0; 128];
        self.write_bytes(&mut bytes);
        bytes
    }
}

impl HalfNodeBits {
    /// The 64 bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        self.write_bytes(&mut bytes);
        bytes
    }
}

/// Ones in the lowest `width` bits, at most 32 of them.
#[inline]
const fn mask(width: usize) -> u64 {
    let width = if width > 32 { 32 } else { width };
    (1 << width) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, one bit at a time.
    fn bit(bytes: &[u8; 128], n: usize) -> u32 {
        bytes.get(n / 8).map_or(0, |byte| u32::from(byte >> (n % 8) & 1))
    }

    proptest! {
        #[test]
        fn get_is_the_definition(
            bytes in any::<[u8; 128]>(),
            start in 0usize..1100,
            width in 0usize..=32,
        ) {
            let expected = (0..width).fold(0, |value, k| value | bit(&bytes, start + k) << k);
            prop_assert_eq!(NodeBits::from_bytes(&bytes).get(start..start + width), expected);
        }

        #[test]
        fn set_changes_its_range_only(
            bytes in any::<[u8; 128]>(), start in 0usize..1100, width in 0usize..=32, value: u32,
        ) {
            let value = value & mask(width) as u32;
            let mut bits = NodeBits::from_bytes(&bytes);
            bits.set(start..start + width, value);
            let written = bits.to_bytes();
            for n in 0..1024 {
                let expected = if (start..start + width).contains(&n) {
                    value >> (n - start) & 1
                } else {
                    bit(&bytes, n)
                };
                prop_assert_eq!(bit(&written, n), expected, "bit {}", n);
            }
        }

        #[test]
        fn bytes_survive(bytes in any::<[u8; 128]>()) {
            prop_assert_eq!(NodeBits::from_bytes(&bytes).to_bytes(), bytes);
        }
    }

    #[test]
    fn short_input_is_padded_with_zero() {
        let bits = Bits::<2>::from_bytes(&[1, 2, 3, 4, 5]);
        assert_eq!(bits.words(), &[0x0403_0201, 0x0000_0005]);
    }
}
