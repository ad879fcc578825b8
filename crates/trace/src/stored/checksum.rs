//! Sums that find damage.
//!
//! Eight lanes take the words of the bytes in turns. A lane is multiplied by an odd number after
//! each word that it takes, so that every step can be undone: bytes that differ in one word always
//! have different sums. Against somebody who means it this is no help, which is why what was read
//! is checked besides.

/// Bytes that are summed at once.
pub(super) const CHUNK: usize = 1 << 20;

const LANES: usize = 8;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The sum of at most [`CHUNK`] bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| FACTOR.wrapping_mul(lane as u64 + 1));
    let (blocks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = step(*lane, u64::from_ne_bytes(*word));
        }
    }
    let mut last = [0; 8 * LANES];
    last[..rest.len()].copy_from_slice(rest);
    for (lane, word) in lanes.iter_mut().zip(last.as_chunks::<8>().0) {
        *lane = step(*lane, u64::from_ne_bytes(*word));
    }
    lanes.into_iter().fold(bytes.len() as u64, step)
}

/// The sum of sums.
pub(super) fn combined(parts: &[u64]) -> u64 {
    parts.iter().fold(parts.len() as u64, |sum, &part| step(sum, part))
}

#[inline(always)]
fn step(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(29) ^ word).wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_is_found_wherever_it_is() {
        let bytes: Vec<u8> = (0..777u32).map(|n| ((n * n) >> 3) as u8).collect();
        let sum = checksum(&bytes);
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&flipped), sum, "bit {bit}");
        }
        assert_ne!(checksum(&bytes[..776]), sum);
        assert_ne!(combined(&[1, 2]), combined(&[2, 1]));
        assert_ne!(combined(&[0]), combined(&[0, 0]));
    }
}
