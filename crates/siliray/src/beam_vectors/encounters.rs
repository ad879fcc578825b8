//! A beam meets a box.

use super::values::{aabb, bits, corners, float, fraction, unsigned_zero, vector};
use geometry::beam::construct::Corners;
use geometry::beam::{Overlap, check_box, naive, oracle};
use geometry::{Aabb, Beam};
use vectors::{Case, Comparison, Json, VectorError};

/// `1 + 2 eps`, the constant that is not enough.
const TWO_EPS: f32 = f32::from_bits(0x3f80_0002);

/// A case of `cases` or `special`.
pub(super) fn strict(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let Some((corners, bounds, beam)) = encounter(case, Beam::new, comparison)? else {
        return Ok(());
    };
    compare_cases(case, &beam, comparison)?;
    compare_exact(case, &corners, &bounds, comparison)?;
    compare_guarantee(case, &beam, &bounds, comparison)?;
    let Some(form) = case.optional("form")? else { return Ok(()) };
    compare_bounds(&form, &beam, &bounds, comparison)?;
    let overlap = beam.bounds(&bounds);
    let hits_with = |c: f32| overlap.lo <= overlap.hi * c && overlap.lo < f32::INFINITY;
    let verdicts = [
        ("hit_c1", hits_with(1.0)),
        ("hit_c2eps", hits_with(TWO_EPS)),
        ("naive_hit", naive::meets(&beam, &bounds)),
    ];
    for (name, got) in verdicts {
        if let Some(expected) = form.optional(name)? {
            comparison.check(name, &expected.boolean()?, &got);
        }
    }
    if let Some(expected) = form.optional("t_lower")? {
        let got = unsigned_zero(beam.t_lower(&overlap));
        comparison.check("t_lower", &unsigned_zero(float(&expected)?), &got);
    }
    Ok(())
}

/// A case of `extension_shrinking`: the exact answer, and that the form does not miss it.
pub(super) fn shrinking(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let Some((corners, bounds, beam)) = encounter(case, Beam::new_shrinking, comparison)? else {
        return Ok(());
    };
    compare_cases(case, &beam, comparison)?;
    compare_exact(case, &corners, &bounds, comparison)?;
    compare_guarantee(case, &beam, &bounds, comparison)?;
    match case.optional("form")? {
        Some(form) => compare_bounds(&form, &beam, &bounds, comparison),
        None => Ok(()),
    }
}

/// A case of `snap_cases`: the exact answer is that of the beam before snapping.
pub(super) fn snapped(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let Some((corners, bounds, beam)) = encounter(case, Beam::new, comparison)? else {
        return Ok(());
    };
    let snapped = case.field("snapped")?;
    for (name, got) in [("dA", beam.upper().1), ("dB", beam.lower().1)] {
        comparison.check(name, &bits(vector(&snapped.field(name)?)?), &bits(got));
    }
    compare_exact(case, &corners, &bounds, comparison)?;
    let form = case.field("form")?;
    if let Some(expected) = form.optional("hit_unsnapped")? {
        let got = corners.unsnapped().overlap(&bounds).is_some();
        comparison.check("hit_unsnapped", &expected.boolean()?, &got);
    }
    compare_bounds(&form, &beam, &bounds, comparison)
}

type Encounter = (Corners, Aabb, Beam);

/// The beam and the box of a case, or a difference if one of them is refused.
fn encounter(
    case: &Json<'_>,
    construct: fn(&Corners) -> Result<Beam, geometry::beam::BeamError>,
    comparison: &mut Comparison,
) -> Result<Option<Encounter>, VectorError> {
    let (corners, bounds) = (corners(&case.field("beam")?)?, aabb(&case.field("box")?)?);
    let valid = String::from("valid");
    let beam = construct(&corners);
    if let Err(error) = &beam {
        comparison.check("beam", &valid, &error.to_string());
    }
    if let Err(error) = check_box(&bounds) {
        comparison.check("box", &valid, &error.to_string());
        return Ok(None);
    }
    Ok(beam.ok().map(|beam| (corners, bounds, beam)))
}

fn compare_cases(
    case: &Json<'_>,
    beam: &Beam,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    if let Some(expected) = case.optional("axis_case")? {
        let [x, y, z] = expected.exactly::<3>()?;
        let expected = [x.text()?, y.text()?, z.text()?];
        let got = beam.axes().each_ref().map(|axis| axis.case_name());
        comparison.check("axis_case", &expected, &got);
    }
    Ok(())
}

/// The verdict, first and last contact by rational arithmetic, by two oracles.
fn compare_exact(
    case: &Json<'_>,
    corners: &Corners,
    bounds: &Aabb,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let exact = case.field("exact")?;
    let got = oracle::by_bounds(corners, bounds);
    comparison.check("exact.hit", &exact.field("hit")?.boolean()?, &got.is_some());
    let by_events = oracle::by_events(corners, bounds);
    let Some((first, last)) = got else { return Ok(()) };
    if let Some(expected) = exact.optional("t")? {
        let expected = fraction(&expected)?;
        comparison.check("exact.t", &expected, &Some(first));
        comparison.check("exact.t by events", &expected, &by_events);
    }
    if let Some(expected) = exact.optional("t_exit")? {
        comparison.check("exact.t_exit", &fraction(&expected)?, &last);
    }
    Ok(())
}

/// The form meets what the exact test meets, and the exact mode decides alike, unless the case says
/// that it lies outside the guarantee (B-1).
fn compare_guarantee(
    case: &Json<'_>,
    beam: &Beam,
    bounds: &Aabb,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let is_guaranteed = case.optional("guarantee")?.map_or(Ok(true), |flag| flag.boolean())?;
    let exact = case.field("exact")?.field("hit")?.boolean()?;
    if is_guaranteed {
        comparison.check("exact mode", &exact, &beam.decide(bounds).is_hit());
        comparison.check("a miss", &(exact && beam.overlap(bounds).is_none()), &false);
    }
    Ok(())
}

/// `lo`, `hi` and `hit` of the normative form, and the same verdict from its variants.
fn compare_bounds(
    form: &Json<'_>,
    beam: &Beam,
    bounds: &Aabb,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let normative = beam.bounds(bounds);
    let speculative = beam.bounds_speculatively(bounds);
    for (name, part) in [("lo", (|o| o.lo) as fn(Overlap) -> f32), ("hi", |o| o.hi)] {
        if let Some(expected) = form.optional(name)? {
            let expected = unsigned_zero(float(&expected)?);
            comparison.check(name, &expected, &unsigned_zero(part(normative)));
            comparison.check(name, &expected, &unsigned_zero(part(speculative)));
        }
    }
    let expected = form.field("hit")?.boolean()?;
    comparison.check("hit", &expected, &normative.is_hit());
    let compared = beam.overlap_by_comparison(bounds).is_some();
    comparison.check("hit by comparison", &expected, &compared);
    Ok(())
}
