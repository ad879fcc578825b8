//! Rays and hits as bytes.

use super::{Layout, npy};
use geometry::Ray;
use machine::Hit;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Rays, eight numbers each.
    Rays,
    /// One hit for each ray.
    Closest,
    /// One byte for each ray: whether it hits anything.
    Any,
    /// Any number of hits for each ray, each behind the number of its ray.
    All,
}

impl Content {
    /// What such a file begins with, for so many items. Headers of the same content have the same
    /// length for all numbers below 10^19.
    #[must_use]
    pub fn header(self, layout: Layout, count: u64) -> Vec<u8> {
        let hit = "('t', '<f4'), ('u', '<f4'), ('v', '<f4'), \
                   ('instance', '<u4'), ('geometry', '<u4'), ('primitive', '<u4')";
        let (descr, shape) = match self {
            Self::Rays => ("'<f4'".to_owned(), format!("({count}, 8)")),
            Self::Closest => (format!("[{hit}]"), format!("({count},)")),
            Self::Any => ("'|b1'".to_owned(), format!("({count},)")),
            Self::All => (format!("[('ray', '<u8'), {hit}]"), format!("({count},)")),
        };
        match layout {
            Layout::Npy => npy::header(&descr, &format!("{shape:<24}")),
            Layout::Raw => Vec::new(),
        }
    }
}

/// Appends a ray.
pub fn push_ray(bytes: &mut Vec<u8>, ray: &Ray) {
    let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
    let numbers = [ox, oy, oz, ray.tmin, dx, dy, dz, ray.tmax];
    bytes.extend_from_slice(numbers.map(f32::to_le_bytes).as_flattened());
}

/// Appends a hit.
pub fn push_hit(bytes: &mut Vec<u8>, hit: &Hit) {
    let Hit { t, u, v, instance, geometry, primitive } = *hit;
    let words = [t.to_bits(), u.to_bits(), v.to_bits(), instance, geometry, primitive];
    bytes.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
}

/// Appends a hit of the ray with the number `ray`.
pub fn push_numbered_hit(bytes: &mut Vec<u8>, ray: u64, hit: &Hit) {
    bytes.extend(ray.to_le_bytes());
    push_hit(bytes, hit);
}
