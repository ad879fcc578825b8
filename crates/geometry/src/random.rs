//! A reproducible source of numbers (SplitMix64, Steele, Lea and Flood 2014), for rays and test worlds.

use crate::Vec3;

/// One stream of numbers; the state is the seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Stream number `index` of a seed.
    #[must_use]
    pub fn new(seed: u64, index: usize) -> Self {
        let mut random = Self(seed);
        random.0 = random.bits() ^ (index as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        random
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if that is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % (n as u64).max(1)) as usize
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    /// Each coordinate uniform in `[low, high)`.
    pub fn vector(&mut self, low: f32, high: f32) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }
}
