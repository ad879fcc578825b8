//! The 104 rotations of oriented boxes.
//!
//! A box node may name a rotation; its boxes then lie in the rotated frame `p' = R p`, and the ray
//! is rotated before the slab test. Rotation keeps `t`, so nothing else changes.
//!
//! `index = axis * 8 + angle * 2 + sign`, with 13 axes, the angles 22.5, 45, 67.5 and 90 degrees,
//! and sign 0 for the positive angle. The entries are those of Rodrigues' formula
//! `R = c I + (1 - c) a aᵀ + s [a]x`, evaluated in f64 and rounded once; they equal AMD's table in
//! every bit (`tests/vectors.rs`). Indices 104..=126 are undefined and act as no rotation (G-12);
//! 127 is none.
//!
//! ```
//! let rows = gfx12::obb::rotation(0).unwrap().rows;
//! let [c, s] = [0x3F6C_835E, 0x3EC3_EF15].map(f32::from_bits);
//! assert_eq!(rows, [[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0]]);
//! assert!(gfx12::obb::rotation(104).is_none());
//! ```

use geometry::Transform;
use std::sync::LazyLock;

/// How many rotations there are.
pub const ROTATION_COUNT: usize = 104;

/// The rotation of an index, as a transform without translation; `None` for 104 and above (G-12).
///
/// [`Transform::point`] and [`Transform::vector`] are the unit's arithmetic for origins and
/// directions: the innermost term of an origin adds +0, that of a direction is a plain product.
#[must_use]
pub fn rotation(index: u8) -> Option<&'static Transform> {
    TABLE.get(usize::from(index))
}

static TABLE: LazyLock<[Transform; ROTATION_COUNT]> = LazyLock::new(|| {
    std::array::from_fn(|index| rodrigues(AXES[index / 8], index / 2 % 4, index % 2 == 1))
});

/// Directions of the axes, before normalisation.
const AXES: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, -1.0, 1.0],
    [-1.0, -1.0, 1.0],
];

/// Cosine and sine of angle 0..=3. Square roots are rounded correctly everywhere; library cosines
/// are not.
fn cos_sin(angle: usize) -> (f64, f64) {
    let half_root = std::f64::consts::FRAC_1_SQRT_2;
    let small = ((1.0 - half_root) / 2.0).sqrt();
    let large = ((1.0 + half_root) / 2.0).sqrt();
    match angle {
        0 => (large, small),
        1 => (half_root, half_root),
        2 => (small, large),
        _ => (0.0, 1.0),
    }
}

fn rodrigues(axis: [f64; 3], angle: usize, negative: bool) -> Transform {
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let a = axis.map(|x| x / length);
    let (c, s) = cos_sin(angle);
    let s = if negative { -s } else { s };
    let cross = [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]];
    Transform {
        rows: std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                if column == 3 {
                    return 0.0;
                }
                let diagonal = if row == column { c } else { 0.0 };
                let entry = diagonal + (1.0 - c) * a[row] * a[column] + s * cross[row][column];
                // Adding +0 turns -0 into +0, which is how the table writes it.
                entry as f32 + 0.0
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_six_magnitudes_and_no_negative_zero() {
        let mut magnitudes = std::collections::BTreeSet::new();
        for rotation in TABLE.iter() {
            for entry in rotation.rows.iter().flat_map(|row| &row[..3]) {
                assert_ne!(entry.to_bits(), 0x8000_0000);
                magnitudes.insert(entry.abs().to_bits());
            }
        }
        assert_eq!(magnitudes.len(), 26);
    }

    #[test]
    fn signs_are_transposes() {
        for pair in TABLE.chunks(2) {
            for row in 0..3 {
                for column in 0..3 {
                    assert_eq!(pair[0].rows[row][column], pair[1].rows[column][row]);
                }
            }
        }
    }
}
