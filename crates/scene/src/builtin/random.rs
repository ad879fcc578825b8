//! Streams of random numbers, seeded by what is drawn, so that parts can be made in any order.

use geometry::random::Random;

/// The stream of the `index`-th thing of a kind.
pub(super) fn stream(kind: u64, index: usize) -> Random {
    let mut random = Random(kind.wrapping_mul(0xD1B5_4A32_D192_ED03));
    random.0 ^= random.bits().wrapping_add(index as u64);
    random.0 = random.bits();
    random
}
