//! Reproducible random numbers: SplitMix64 (Steele, Lea and Flood 2014), seeded by what is drawn, so
//! that parts can be made in any order.

use geometry::Vec3;

/// A stream of random numbers.
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// The stream of the `index`-th thing of a kind.
    pub(super) fn of(kind: u64, index: usize) -> Self {
        let mut random = Self { state: kind.wrapping_mul(0xD1B5_4A32_D192_ED03) };
        random.state ^= random.next().wrapping_add(index as u64);
        random.state = random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly spread in `[0, 1)`.
    pub(super) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Evenly spread between two numbers.
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// True in one of `n` cases.
    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    /// Evenly spread on the unit sphere.
    pub(super) fn direction(&mut self) -> Vec3 {
        let y = self.between(-1.0, 1.0);
        let angle = self.between(0.0, std::f32::consts::TAU);
        let r = (1.0 - y * y).max(0.0).sqrt();
        Vec3::new(r * angle.cos(), y, r * angle.sin())
    }
}
