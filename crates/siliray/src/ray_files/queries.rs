//! Queries in files: rays, beams, spheres and frustums, which hits are wanted of them, and how
//! urgently.
//!
//! A row is that of a ray, and may have more columns or fields:
//!
//! | name | meaning |
//! |---|---|
//! | `lox loy loz ldx ldy ldz` | corner ray B of a beam, whose corner ray A is the ray |
//! | `radius` | that of a sphere, whose centre is the origin; the direction is not looked at |
//! | `rx ry rz ux uy uz` | right and up of a frustum from `tmin` to `tmax` along the ray |
//! | `query` | 0 or `closest`, 1 or `any`, 2 or `all` |
//! | `priority` | 0 to 255, the most urgent |
//!
//! In records B may be `lower_origin` and `lower_direction`, and the sides of a frustum `right` and
//! `up`. A row in which all of these are `nan` is a ray. Without `query`, a ray asks for the
//! closest hit and anything else for all; without `priority`, or where it is `nan`, it is that of
//! the query's class.

use super::RayFileProblem;
use super::record::{LOWER, Numbers, PRIORITY, QUERY, QUERY_NAMES, RADIUS, SIDES, ray};
use geometry::beam::BeamError;
use geometry::beam::construct::Corners;
use geometry::{Beam, Frustum, Ray, Sphere, Vec3, Volume};
use machine::{BeamShape, HitKind, LeafRule, Query, Shape};
use std::ops::Range;

/// A query of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileQuery {
    /// What is asked.
    pub query: Query,
    /// How urgently, if the file says so.
    pub priority: Option<u8>,
}

impl FileQuery {
    /// The query of row `number`.
    pub(super) fn new(number: u64, row: &Numbers) -> Result<Self, RayFileProblem> {
        let problem = |message| RayFileProblem::Query { number, message };
        let known = |place: usize| row[place].filter(|number| !number.is_nan());
        let whole = |place: usize, most: u8| match known(place) {
            None => Ok(None),
            Some(found) if found.fract() == 0.0 && (0.0..=f32::from(most)).contains(&found) => {
                Ok(Some(found as u8))
            }
            Some(found) => {
                let name = QUERY_NAMES[place];
                Err(problem(format!("{name} is {found}, expected a whole number, 0 to {most}")))
            }
        };
        let kind = whole(QUERY, 2)?.map(|kind| HitKind::ALL[usize::from(kind)]);
        let priority = whole(PRIORITY, u8::MAX)?;
        let ray = ray(|place| row[place]);
        let six = |places: Range<usize>| -> Result<Option<[Vec3; 2]>, RayFileProblem> {
            let found: Vec<f32> = places.clone().filter_map(known).collect();
            match found[..] {
                [] => Ok(None),
                [a, b, c, d, e, f] => Ok(Some([Vec3::new(a, b, c), Vec3::new(d, e, f)])),
                _ => {
                    let (found, names) = (found.len(), QUERY_NAMES[places].join(" "));
                    Err(problem(format!("{found} of the 6 numbers {names}, expected all")))
                }
            }
        };
        let volume = |volume: Volume| {
            let shape = BeamShape::volume(volume, LeafRule::Conservative);
            shape.map(Shape::Beam).map_err(|error| problem(error.to_string()))
        };
        let shape = match (six(LOWER..RADIUS)?, known(RADIUS), six(SIDES..QUERY)?) {
            (None, None, None) => Shape::Ray(ray),
            (Some(lower), None, None) => {
                let beam = beam(&ray, lower).map_err(|error| problem(error.to_string()))?;
                Shape::Beam(BeamShape::new(beam, LeafRule::Conservative))
            }
            (None, Some(radius), None) => volume(Sphere { center: ray.origin, radius }.into())?,
            (None, None, Some([right, up])) => {
                let Ray { origin: eye, direction: forward, tmin: near, tmax: far } = ray;
                volume(Frustum { eye, forward, right, up, near, far }.into())?
            }
            _ => {
                let message = "a row is one of ray, beam (lox…), sphere (radius) and frustum (rx…)";
                return Err(problem(message.to_owned()));
            }
        };
        let usual = if matches!(shape, Shape::Ray(_)) { HitKind::Closest } else { HitKind::All };
        Ok(Self { query: Query::new(kind.unwrap_or(usual), shape), priority })
    }
}

/// The beam between two corner rays.
fn beam(upper: &Ray, [lower_origin, lower_direction]: [Vec3; 2]) -> Result<Beam, BeamError> {
    Beam::new(&Corners { lower_origin, lower_direction, ..Corners::around(upper) })
}

/// A number that tells the queries of files apart: the FNV-1a hash of their numbers.
#[must_use]
pub fn fingerprint(queries: &[FileQuery]) -> u64 {
    let text = queries.iter().flat_map(|query| format!("{query:?}").into_bytes());
    text.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray_files::csv;

    fn read(text: &str) -> Result<Vec<FileQuery>, RayFileProblem> {
        (0..).zip(&csv::read(text)?).map(|(number, row)| FileQuery::new(number, row)).collect()
    }

    #[test]
    fn rays_and_beams_with_kinds_and_priorities() {
        let text = "ox oy oz dx dy dz tmax lox loy loz ldx ldy ldz query priority\n\
                    1 2 3 4 5 6.5 inf nan nan nan nan nan nan any 7\n\
                    1 2 3 4 5 6.5 2 0 0 0 4 5 6 nan nan\n";
        let queries = read(text).unwrap();
        let a = geometry::Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.5));
        assert_eq!(queries[0].query, Query::ray(HitKind::Any, a));
        let corners = Corners {
            lower_origin: Vec3::ZERO,
            lower_direction: Vec3::new(4.0, 5.0, 6.0),
            ..Corners::around(&a.between(0.0, 2.0))
        };
        let beam = Beam::new(&corners).unwrap();
        assert_eq!(queries[1].query, Query::beam(HitKind::All, beam, LeafRule::Conservative));
        assert_eq!([queries[0].priority, queries[1].priority], [Some(7), None]);
        assert_ne!(fingerprint(&queries), fingerprint(&queries[..1]));
    }

    #[test]
    fn spheres_and_frustums() {
        let text = "ox oy oz dx dy dz tmin tmax radius rx ry rz ux uy uz query\n\
                    1 2 3 nan nan nan 0 inf 2.5 nan nan nan nan nan nan closest\n\
                    1 2 3 0 0 -1 0.5 9 nan 1 0 0 0 0.75 0 nan\n";
        let queries = read(text).unwrap();
        let center = Vec3::new(1.0, 2.0, 3.0);
        let sphere = BeamShape::volume(Sphere { center, radius: 2.5 }, LeafRule::Conservative);
        assert_eq!(queries[0].query, Query::new(HitKind::Closest, Shape::Beam(sphere.unwrap())));
        let frustum = Frustum {
            eye: center,
            forward: -Vec3::Z,
            right: Vec3::X,
            up: Vec3::new(0.0, 0.75, 0.0),
            near: 0.5,
            far: 9.0,
        };
        let frustum = BeamShape::volume(frustum, LeafRule::Conservative).unwrap();
        assert_eq!(queries[1].query, Query::new(HitKind::All, Shape::Beam(frustum)));
    }

    #[test]
    fn a_row_is_of_one_kind() {
        let names = "ox oy oz dx dy dz lox loy loz ldx ldy ldz radius rx ry rz ux uy uz\n";
        for row in [
            "0 0 0 1 0 0 0 0 0 1 0 0 1 nan nan nan nan nan nan",
            "0 0 0 1 0 0 nan nan nan nan nan nan 1 1 0 0 0 1 0",
            "0 0 0 1 0 0 nan nan nan nan nan nan nan 1 0 0 nan nan nan",
            "0 0 0 1 0 0 nan nan nan nan nan nan -1 nan nan nan nan nan nan",
        ] {
            let error = read(&format!("{names}{row}")).unwrap_err().to_string();
            assert!(error.starts_with("query 0: "), "{error}");
        }
    }

    #[test]
    fn mistakes_are_located() {
        let names = "ox oy oz dx dy dz lox loy loz ldx ldy ldz query priority\n";
        for (row, expected) in [
            (
                "0 0 0 1 0 0 nan nan nan nan nan nan 3 0",
                "query 0: query is 3, expected a whole number, 0 to 2",
            ),
            (
                "0 0 0 1 0 0 nan nan nan nan nan nan 0 256",
                "query 0: priority is 256, expected a whole number, 0 to 255",
            ),
            (
                "0 0 0 1 0 0 1 nan nan nan nan nan 0 0",
                "query 0: 1 of the 6 numbers lox loy loz ldx ldy ldz, expected all",
            ),
            (
                "0 0 0 1 0 0 0 0 0 2 0 0 2 0",
                "query 0: direction_inverted: dA.x is 1e0, below dB at 2e0",
            ),
        ] {
            assert_eq!(read(&format!("{names}{row}")).unwrap_err().to_string(), expected);
        }
        let error = read(&format!("{names}0 0 0 1 0 0 0 0 0 0 0 0 most 0")).unwrap_err();
        assert_eq!(error.to_string(), "line 2: found \"most\", expected a number");
    }
}
