//! What instances do to distances.

use crate::world::Tlas;
use glam::{DMat3, DVec3};
use tree::Instance;

/// All instances.
#[derive(Debug, Clone)]
pub(crate) struct Placements {
    /// By the number of the instance; `None` where nothing can be near.
    pub(crate) placed: Vec<Option<Placement>>,
    /// The worst condition of a transform.
    condition: f64,
    /// The largest offset in the world that a transform takes off.
    offset: f64,
}

/// How a level lies in the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    /// From the world, without the offset.
    linear: DMat3,
    /// What is added then.
    offset: DVec3,
    /// Vectors on their way into the world.
    pub(crate) to_world: DMat3,
    /// Squared lengths become at least so many times as large on that way.
    pub(crate) growth: f64,
    /// Lengths become at most so many times as large.
    norm: f64,
    /// The condition of the map.
    condition: f64,
    /// Whether it is a mirror.
    pub(crate) is_mirrored: bool,
}

impl Placement {
    /// A level that lies in the world as it is.
    pub(crate) const IDENTITY: Self = Self {
        linear: DMat3::IDENTITY,
        offset: DVec3::ZERO,
        to_world: DMat3::IDENTITY,
        growth: 1.0,
        norm: 1.0,
        condition: 1.0,
        is_mirrored: false,
    };

    fn new(instance: &Instance) -> Option<Self> {
        let (linear, offset) = instance.world_to_object.to_f64();
        let to_world = linear.inverse();
        if !(to_world.is_finite() && offset.is_finite()) {
            return None;
        }
        let norm = frobenius(&to_world);
        let condition = norm * frobenius(&linear);
        // The inverse is as good as the condition lets it be.
        let certain = (1.0 - 1e-9 - 1e-14 * condition).max(0.0);
        let growth = certain * certain / largest_stretch_squared(&linear);
        let is_mirrored = linear.determinant() < 0.0;
        Some(Self { linear, offset, to_world, growth, norm, condition, is_mirrored })
    }

    /// A point of the world, here.
    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        self.linear * point + self.offset
    }

    /// How far a computed distance may lie below the true one, if offsets here are at most `reach`.
    pub(crate) fn slack(&self, reach: f64) -> f64 {
        SLACK * self.norm * reach
    }
}

/// Sums of a dozen products in `f64`, generously.
const SLACK: f64 = 1.0 / (1u64 << 46) as f64;

impl Placements {
    /// Looks at all instances; without a TLAS there are none.
    pub(crate) fn new(tlas: Option<&Tlas>) -> Self {
        let instances = tlas.map_or(&[][..], |tlas| &tlas.instances);
        let placed: Vec<Option<Placement>> = instances.iter().map(Placement::new).collect();
        let most = |of: fn(&Placement) -> f64| placed.iter().flatten().map(of).fold(1.0, f64::max);
        let condition = most(|placement| placement.condition);
        let offset = most(|placement| placement.norm * placement.offset.length());
        Self { placed, condition, offset }
    }

    /// How far a computed distance to anything in an instance may lie below the distance to its box
    /// in the world, if offsets there are at most `reach`.
    pub(crate) fn slack(&self, point: DVec3, reach: f64) -> f64 {
        SLACK * (self.condition * (reach + point.length()) + self.offset)
    }
}

/// The square root of the sum of all squares: not below the largest factor by which a vector grows.
fn frobenius(map: &DMat3) -> f64 {
    map.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// The square of the largest factor by which a vector grows: the largest eigenvalue of the map
/// times its transpose, by Cardano's formula for symmetric matrices (Smith 1961).
fn largest_stretch_squared(map: &DMat3) -> f64 {
    let product = map.transpose() * *map;
    let mean = (product.x_axis.x + product.y_axis.y + product.z_axis.z) / 3.0;
    let rest = product - DMat3::from_diagonal(DVec3::splat(mean));
    let spread = (rest.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>() / 6.0).sqrt();
    if spread <= 0.0 {
        return mean;
    }
    let half = ((rest * (1.0 / spread)).determinant() / 2.0).clamp(-1.0, 1.0);
    mean + 2.0 * spread * (half.acos() / 3.0).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::random::Random;

    #[test]
    fn nothing_is_stretched_more() {
        let mut random = Random(11);
        for _ in 0..2_000 {
            let mut column = || random.vector(-2.0, 2.0).as_dvec3();
            let map = DMat3::from_cols(column(), column(), column());
            let most = largest_stretch_squared(&map);
            // Powers of the product lead to the vector that is stretched most.
            let mut vector = random.direction().as_dvec3();
            for _ in 0..400 {
                vector = (map.transpose() * (map * vector)).normalize();
            }
            let found = (map * vector).length_squared();
            assert!(found <= most * (1.0 + 1e-12), "{map:?}: {found} {most}");
            assert!(found >= most * 0.98, "{map:?}: {found} {most}");
            assert!(frobenius(&map).powi(2) >= most);
        }
        assert_eq!(largest_stretch_squared(&DMat3::from_diagonal(DVec3::splat(3.0))), 9.0);
    }
}
