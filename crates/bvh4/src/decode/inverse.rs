//! Whether a stored transform undoes another, up to what rounding can do.
//!
//! Drivers invert a 3x4 matrix in f32 by cofactors. With `u` = 2^-24 and norms of row sums, the
//! roundings of a cofactor (two products) are a few `u |A|^2`, those of the determinant (six
//! products) a few `u |A|^3`. Both are measured against the determinant, which may be much smaller
//! than the products that cancel in it: `|A|^3 / |det A|` is at most the square of the condition
//! number `k = |A| |B|`, up to 9 for the norms. So the product of both may differ from the identity
//! by `c u k^2`; counting roundings, `c` is below 16 * 9, and 256 is taken. The translation is the
//! inverse applied to a vector: it shares that relative error.
//!
//! Where `k` is so large that this allows anything, a half is the limit: what is off by more is no
//! inverse, whatever made it.

use geometry::Transform;
use glam::DMat3;

/// Roundings, in units of 2^-24.
const ROUNDINGS: f64 = 256.0;
/// What no inverse may be off by.
const LIMIT: f64 = 0.5;

/// Whether `back` undoes `there`.
#[must_use]
pub fn is_inverse(there: &Transform, back: &Transform) -> bool {
    let ((linear, offset), (inverse, back_offset)) = (there.to_f64(), back.to_f64());
    let norm =
        |matrix: DMat3| (0..3).map(|row| matrix.row(row).abs().element_sum()).fold(0.0, f64::max);
    let condition = norm(linear) * norm(inverse);
    let unit = f64::from(f32::EPSILON) / 2.0;
    let tolerance = (ROUNDINGS * unit * condition * condition).min(LIMIT);
    let reach = norm(inverse) * offset.abs().max_element() + back_offset.abs().max_element();
    norm(inverse * linear - DMat3::IDENTITY) <= tolerance
        && (inverse * offset + back_offset).abs().max_element() <= tolerance * reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::random::Random;

    /// A rotation of a scaling with an offset, far from the axes.
    fn transform(random: &mut Random, stretch: f32) -> Transform {
        let mut angle = || f64::from(random.range(-3.0, 3.0));
        let turn = DMat3::from_rotation_x(angle()) * DMat3::from_rotation_y(angle());
        let scale = glam::DVec3::new(1.0, f64::from(stretch), 0.7);
        let offset = glam::DVec3::from_array([90.0, -7.0, 31.0]) * angle();
        Transform::from_f64(turn * DMat3::from_diagonal(scale), offset)
    }

    /// The inverse as a driver computes it: by cofactors, every operation rounded to f32.
    fn inverted_in_f32(there: &Transform) -> Transform {
        let m = there.rows;
        let minor = |r: [usize; 2], c: [usize; 2]| {
            m[r[0]][c[0]] * m[r[1]][c[1]] - m[r[0]][c[1]] * m[r[1]][c[0]]
        };
        let others = |k: usize| [(k + 1) % 3, (k + 2) % 3];
        let cofactors: [[f32; 3]; 3] = std::array::from_fn(|row| {
            std::array::from_fn(|column| minor(others(column), others(row)))
        });
        let determinant =
            m[0][0] * cofactors[0][0] + m[0][1] * cofactors[1][0] + m[0][2] * cofactors[2][0];
        Transform {
            rows: cofactors.map(|row| {
                let [a, b, c] = row.map(|cofactor| cofactor / determinant);
                [a, b, c, -(a * m[0][3] + b * m[1][3] + c * m[2][3])]
            }),
        }
    }

    #[test]
    fn inverses_of_drivers_pass_and_those_of_others_do_not() {
        let random = &mut Random(11);
        for stretch in [1.0, 0.01, 30.0] {
            for _ in 0..200 {
                let there = transform(random, stretch);
                assert!(is_inverse(&there, &inverted_in_f32(&there)));
                assert!(is_inverse(&there, &there.inverse().unwrap()));
                let other = transform(random, stretch).inverse().unwrap();
                assert!(!is_inverse(&there, &other));
            }
        }
    }

    #[test]
    fn what_is_no_transform_is_no_inverse() {
        let there = transform(&mut Random(3), 2.0);
        for entry in [0.0, f32::NAN, f32::INFINITY, 1e30] {
            assert!(!is_inverse(&there, &Transform { rows: [[entry; 4]; 3] }));
            assert!(!is_inverse(&Transform { rows: [[entry; 4]; 3] }, &there));
        }
        let mut moved = there.inverse().unwrap();
        moved.rows[2][3] += 0.1;
        assert!(!is_inverse(&there, &moved));
    }
}
