//! Floats, boxes, beams and fractions in a vector file.

use geometry::beam::construct::Corners;
use geometry::{Aabb, Ray, Vec3};
use num_rational::BigRational;
use num_traits::Zero;
use vectors::{Json, VectorError};

/// A float by its bit pattern.
pub(super) fn float(json: &Json<'_>) -> Result<f32, VectorError> {
    Ok(f32::from_bits(json.hex()?))
}

/// Three floats.
pub(super) fn vector(json: &Json<'_>) -> Result<Vec3, VectorError> {
    let [x, y, z] = json.exactly::<3>()?;
    Ok(Vec3::new(float(&x)?, float(&y)?, float(&z)?))
}

/// `{"min", "max"}`.
pub(super) fn aabb(json: &Json<'_>) -> Result<Aabb, VectorError> {
    Ok(Aabb::new(vector(&json.field("min")?)?, vector(&json.field("max")?)?))
}

/// `{"oA", "oB", "dA", "dB", "tmin", "tmax"}`, not yet checked.
pub(super) fn corners(json: &Json<'_>) -> Result<Corners, VectorError> {
    Ok(Corners {
        upper_origin: vector(&json.field("oA")?)?,
        lower_origin: vector(&json.field("oB")?)?,
        upper_direction: vector(&json.field("dA")?)?,
        lower_direction: vector(&json.field("dB")?)?,
        tmin: float(&json.field("tmin")?)?,
        tmax: float(&json.field("tmax")?)?,
    })
}

/// `{"o", "d"}`.
pub(super) fn ray(json: &Json<'_>) -> Result<Ray, VectorError> {
    Ok(Ray::new(vector(&json.field("o")?)?, vector(&json.field("d")?)?))
}

/// A fraction, or `None` for `inf`.
pub(super) fn fraction(json: &Json<'_>) -> Result<Option<BigRational>, VectorError> {
    let wrong = || json.wrong("a fraction as in 7/3, or inf");
    match json.text()?.split_once('/') {
        None if json.text()? == "inf" => Ok(None),
        None => Err(wrong()),
        Some((numerator, denominator)) => {
            let numerator = numerator.parse().map_err(|_| wrong())?;
            let denominator: num_bigint::BigInt = denominator.parse().map_err(|_| wrong())?;
            if denominator.is_zero() {
                return Err(wrong());
            }
            Ok(Some(BigRational::new(numerator, denominator)))
        }
    }
}

/// The bit pattern; zeros of either sign are the same.
pub(super) fn unsigned_zero(x: f32) -> u32 {
    (x + 0.0).to_bits()
}

/// The bit patterns of a vector.
pub(super) fn bits(v: Vec3) -> [u32; 3] {
    v.to_array().map(f32::to_bits)
}
