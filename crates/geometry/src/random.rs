//! A reproducible source of numbers (SplitMix64, Steele, Lea and Flood 2014): for built-in scenes,
//! rays and tests. It is the only one, so that a seed means the same everywhere.

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
        self.bits_below(n as u64) as usize
    }

    /// A word below `n`; 0 if that is 0.
    pub fn bits_below(&mut self, n: u64) -> u64 {
        self.bits() % n.max(1)
    }

    /// One of a list, which must not be empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / 16_777_216.0
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Each coordinate uniform in `[low, high)`.
    pub fn vector(&mut self, low: f32, high: f32) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }

    /// Uniform in the box between two corners.
    pub fn point(&mut self, low: Vec3, high: Vec3) -> Vec3 {
        low + (high - low) * self.vector(0.0, 1.0)
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> Vec3 {
        let y = self.range(-1.0, 1.0);
        let angle = self.range(0.0, std::f32::consts::TAU);
        let r = (1.0 - y * y).max(0.0).sqrt();
        Vec3::new(r * angle.cos(), y, r * angle.sin())
    }
}
