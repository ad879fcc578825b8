//! A reproducible source of numbers (SplitMix64, Steele, Lea and Flood 2014).

use geometry::Vec3;

/// One stream of numbers.
pub(crate) struct Random(u64);

impl Random {
    /// The stream of ray number `index`.
    pub(crate) fn new(seed: u64, index: usize) -> Self {
        let mut random = Self(seed);
        random.0 = random.bits() ^ (index as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        random
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Uniform in `[low, high)`.
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    /// Each coordinate uniform in `[low, high)`.
    pub(crate) fn vector(&mut self, low: f32, high: f32) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }
}
