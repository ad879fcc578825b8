//! Hits that lie outside their triangle's box.
//!
//! The weights of RT.TRI have one sign, so its `t` is a mean of the corners' depths; but for a
//! triangle seen edge-on they are mostly rounding noise, and the mean may fall where the ray is no
//! longer, or not yet, in the triangle's box. If the ray ends in between, a job culls the box of a
//! hit that the triangle test would accept (X-53 says so). No box that is stored can prevent it.

use super::tiles_image::TilesImage;
use crate::instruction::Verdict;
use crate::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use crate::tiles::margin::{margin, widen};
use geometry::Aabb;
use machine::{Hit, RayQuery};

/// Whether the query's ray misses the box of the triangle that it is said to hit, the margin
/// included.
#[must_use]
pub fn hits_outside_box(tiles: &TilesImage, query: &RayQuery, hit: &Hit) -> bool {
    let Some(number) = tiles.number_of(hit) else { return false };
    let contents = tiles.contents();
    let triangles = 0..contents.header.triangles;
    let scene = triangles.fold(Aabb::EMPTY, |sum, n| sum.union(contents.triangle(n).bounds()));
    let bounds = widen(&contents.triangle(number).bounds(), margin(&scene));
    let options = BboxOptions { rounding: SlabRounding::Conservative, clamp: false, w: None };
    let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
    !matches!(bbox(&tiles.ray(query), min, max, &options), Verdict::Hit(_))
}
