//! Hits that lie outside their triangle's box.
//!
//! The weights of RT.TRI have one sign, so its `t` is a mean of the corners' depths; but for a
//! triangle seen edge-on they are mostly rounding noise, and the mean may fall where the ray is no
//! longer, or not yet, in the triangle's box. If the ray ends in between, a job culls the box of a
//! hit that the triangle test would accept (X-53 says so). No box that is stored can prevent it.

use super::tiles_image::TilesImage;
use crate::instruction::Verdict;
use crate::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use crate::tiles::margin::{blas_margin, margin, widen};
use geometry::Aabb;
use machine::{Hit, RayQuery};
use tree::Instance;

/// Whether the query's ray misses the box of the triangle that it is said to hit, the margin
/// included.
#[must_use]
pub fn hits_outside_box(tiles: &TilesImage, query: &RayQuery, hit: &Hit) -> bool {
    let Some(number) = tiles.number_of(hit) else { return false };
    let contents = tiles.contents();
    let (record, by) = match tiles.instance_count() {
        None => {
            let triangles = 0..contents.header.triangles;
            let bounds = triangles.map(|n| contents.triangle(n).bounds());
            (tiles.ray_record(query), margin(&bounds.fold(Aabb::EMPTY, Aabb::union)))
        }
        Some(count) => {
            let (level, record) = tiles.enter(hit.instance, tiles.ray_record(query));
            let instances = (0..count).filter_map(|n| contents.instance(n));
            let own: Vec<Instance> = instances
                .filter(|record| record.blas + 1 == level)
                .map(|record| record.instance())
                .collect();
            (record, blas_margin(&tiles.bounds(), own.iter()))
        }
    };
    let bounds = widen(&contents.triangle(number).bounds(), by);
    let options = BboxOptions { rounding: SlabRounding::Conservative, clamp: false, w: None };
    let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
    !matches!(bbox(&tiles.ray(record), min, max, &options), Verdict::Hit(_))
}
