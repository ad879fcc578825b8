//! Figures of acceleration structures as drivers give them, and how they change.
//!
//! RADV writes a CSV with a line for each structure (`RADV_BVH_STATS_FILE`). A format that its
//! drivers count in that way gives the same columns for an image; the names and their order are
//! the driver's.

/// The figures of one structure.
#[derive(Debug, Clone, PartialEq)]
pub struct BvhStatistics {
    /// Whether it holds instances.
    pub is_tlas: bool,
    /// Where it lies in memory.
    pub address: u64,
    /// The driver's figures by name, in its order.
    pub figures: Vec<(&'static str, u64)>,
    /// What the driver leaves out.
    pub more: Vec<(&'static str, f64)>,
}

impl BvhStatistics {
    /// `tlas` or `blas`, as the driver has it.
    #[must_use]
    pub const fn level(&self) -> &'static str {
        if self.is_tlas { "tlas" } else { "blas" }
    }

    /// The figure of a name.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// A sum of areas as millionths of the area of everything, cut to 32 bits as a driver's cast on
/// x86-64 does: what is not a number is 0.
#[must_use]
pub fn millionths(sum: f32, area: f32) -> u32 {
    let value = sum / area * 1_000_000.0;
    // A value that no i64 can hold becomes i64::MIN there, whose low half is 0.
    if value.is_finite() && value.abs() < 9.2e18 { value as i64 as u32 } else { 0 }
}

/// The area of a box with these extents, in the driver's order of operations.
#[must_use]
pub fn surface_area([x, y, z]: [f32; 3]) -> f32 {
    2.0 * (x * y + x * z + y * z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_as_a_cast_does() {
        assert_eq!(millionths(3.0, 2.0), 1_500_000);
        assert_eq!(millionths(5000.0, 1.0), 5_000_000_000u64 as u32);
        assert_eq!(millionths(f32::NAN, 1.0), 0);
        assert_eq!(millionths(1.0, 0.0), 0);
        assert_eq!(surface_area([1.0, 2.0, 4.0]), 28.0);
    }
}
