//! Beams are made, or refused.

use super::values::{aabb, bits, corners, float, ray, vector};
use geometry::beam::construct::{Corners, snap_lower, snap_upper};
use geometry::beam::error::name;
use geometry::beam::{BeamError, check_box};
use geometry::exact::rational;
use geometry::slab::DILATION;
use geometry::{Aabb, Beam};
use vectors::{Case, Comparison, Json, VectorError};

/// A case of `construct`.
pub(super) fn construct(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let beam = match made(case)? {
        Ok(beam) => beam,
        Err(error) => {
            comparison.check("beam", &String::from("valid"), &error.to_string());
            return Ok(());
        }
    };
    let expect = case.field("expect")?;
    let ((upper, up), (lower, down)) = (beam.upper(), beam.lower());
    for (name, got) in [("oA", upper), ("oB", lower), ("dA", up), ("dB", down)] {
        comparison.check(name, &bits(vector(&expect.field(name)?)?), &bits(got));
    }
    if let Some(reach) = case.optional("R")? {
        let expected = float(&case.field("e")?)?.to_bits();
        comparison.check("7uR", &expected, &(DILATION * float(&reach)?).to_bits());
    }
    if let Some(expected) = case.optional("nearest_rounding_sticks_out")? {
        let got = nearest_sticks_out(&aabb(&case.field("a0")?)?, &aabb(&case.field("a1")?)?);
        comparison.check("nearest_rounding_sticks_out", &expected.boolean()?, &got);
    }
    Ok(())
}

/// The beam by the constructor that the case names.
fn made(case: &Json<'_>) -> Result<Result<Beam, BeamError>, VectorError> {
    let kind = case.field("kind")?;
    let boxes = || Ok((aabb(&case.field("a0")?)?, aabb(&case.field("a1")?)?));
    let number = |name: &str| float(&case.field(name)?);
    Ok(match kind.text()? {
        "from_aabbs" => {
            let (a0, a1) = boxes()?;
            Beam::from_aabbs(&a0, &a1)
        }
        "from_aabbs_shrinking" => {
            let (a0, a1) = boxes()?;
            Beam::from_aabbs_shrinking(&a0, &a1)
        }
        "from_rays" => {
            let rays = case.field("rays")?.elements()?;
            Beam::from_rays(&rays.iter().map(ray).collect::<Result<Vec<_>, _>>()?)
        }
        // The published cases move both faces by `+e`, the sums rounded outward. That is the
        // literal reading of "oB = add_down(o, e)"; a beam that contains its ray needs `-e` there,
        // which is what `Beam::dilated_ray` does.
        "dilated_ray" => {
            let (ray, e) = (ray(case)?, number("e")?);
            Beam::new(&Corners::around(&ray).with_faces_moved(e, e))
        }
        "cone_like" => Beam::cone_like(&ray(case)?, number("e")?, number("f")?),
        "swept" => {
            let duration = case.optional("duration")?.map_or(Ok(1.0), |json| float(&json))?;
            Beam::swept(&aabb(&case.field("box")?)?, vector(&case.field("velocity")?)?, duration)
        }
        _ => {
            let expected = "one of from_aabbs, from_aabbs_shrinking, from_rays, dilated_ray, \
                            cone_like, swept";
            return Err(kind.wrong(expected));
        }
    })
}

/// Whether `a1` would stick out at `t = 1` if differences were rounded to nearest.
fn nearest_sticks_out(a0: &Aabb, a1: &Aabb) -> bool {
    let end = |from: f32, to: f32| rational(from) + rational(to - from);
    (0..3).any(|k| {
        end(a0.max[k], a1.max[k]) < rational(a1.max[k])
            || end(a0.min[k], a1.min[k]) > rational(a1.min[k])
    })
}

/// A case of `snap`.
pub(super) fn snap(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let field = case.field("field")?;
    let snap = match field.text()? {
        "dA" => snap_upper,
        "dB" => snap_lower,
        _ => return Err(field.wrong("\"dA\" or \"dB\"")),
    };
    let got = snap(float(&case.field("in")?)?).to_bits();
    comparison.check("out", &float(&case.field("out")?)?.to_bits(), &got);
    Ok(())
}

/// A case of `invalid`: exactly one rule, and its axis where it has one (B-4).
pub(super) fn invalid(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let beam = Beam::new(&corners(&case.field("beam")?)?);
    let bounds = check_box(&aabb(&case.field("box")?)?);
    let (rule, axis) = match (beam, bounds) {
        (Err(error), _) => (error.rule(), error.axis()),
        (Ok(_), Err(error)) => (error.rule(), Some(error.axis())),
        (Ok(_), Ok(())) => ("none", None),
    };
    comparison.check("rule", &case.field("rule")?.text()?, &rule);
    if let Some(expected) = case.optional("axis")? {
        comparison.check("axis", &Some(expected.text()?), &axis.map(name));
    }
    Ok(())
}
