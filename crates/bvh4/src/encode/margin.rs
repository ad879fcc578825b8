//! How far boxes are widened so that the hardware's own box test loses no hit (G-36).
//!
//! A hit lies within `7uR` of the triangle's box by the definition of a hit, and the box test's
//! three roundings add `3uR`, where `u = 2^-24` and `R` bounds the distance, on any axis, from the
//! origin of the ray to the boxes. `R` is 16 diameters of the scene, taken to the space of the
//! level: by a map with linear part `A`, a component of a difference grows by at most the longest
//! row of `A`.
//!
//! An oriented node is tested with a ray that was rotated in `f32`: three roundings of terms that
//! are bounded by the origin's distance from the frame's origin, and by `R` for the direction. `6u`
//! of both covers them.
//!
//! A box of a TLAS must also hold what the rounding of the instance's transform moves, see
//! [`InstanceDilation`](machine::instance_dilation::InstanceDilation).

use geometry::rounding::{add_up, narrow_up, sub_down};
use geometry::{Aabb, Vec3};
use tree::{Instance, Tlas, Tree};

/// `u`, half a unit in the last place of 1.
const UNIT: f64 = 1.0 / 16_777_216.0;
/// From how many scene diameters away rays may come.
const REACH: f64 = 16.0;

/// The widening of one level.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Margin {
    /// For boxes along the axes.
    pub plain: f32,
    /// For boxes in a rotated frame, the plain margin included.
    pub oriented: f32,
}

impl Margin {
    /// The margin of a level within `bounds` for rays that reach `reach` far.
    fn new(reach: f64, bounds: &Aabb) -> Self {
        let farthest = f64::from(bounds.min.abs().max(bounds.max.abs()).max_element());
        // An empty level has no boxes to widen.
        let farthest = if bounds.is_empty() { 0.0 } else { farthest };
        let plain = 10.0 * UNIT * reach;
        let rotation = 6.0 * UNIT * (farthest * 3f64.sqrt() + 2.0 * reach);
        Self { plain: narrow_up(plain), oriented: narrow_up(plain + rotation) }
    }
}

/// Margins of all BLASes.
#[must_use]
pub fn blas_margins(tree: &Tree) -> Vec<Margin> {
    let reach = REACH * diameter(&tree.bounds());
    let mut reaches = vec![if tree.tlas.is_some() { 0.0 } else { reach }; tree.blases.len()];
    for instance in tree.tlas.iter().flat_map(|tlas| &tlas.instances) {
        if let Some(own) = reaches.get_mut(instance.blas as usize) {
            *own = own.max(reach * longest_row(instance));
        }
    }
    reaches
        .into_iter()
        .zip(&tree.blases)
        .map(|(reach, blas)| Margin::new(reach, &blas.bvh.root().bounds))
        .collect()
}

/// Margin of a TLAS's boxes, the transforms not counted.
#[must_use]
pub fn tlas_margin(tlas: &Tlas) -> Margin {
    let bounds = tlas.bvh.root().bounds;
    Margin::new(REACH * diameter(&bounds), &bounds)
}

/// What the rounding of one instance's transform adds: the bound of
/// [`InstanceDilation`](machine::instance_dilation::InstanceDilation),
/// `32u |W| (|A| (R + |o|) + |m|)`, for this instance alone.
#[must_use]
pub fn transform_margin(instance: &Instance, world: &Aabb) -> f32 {
    let reach = REACH * diameter(world);
    let farthest = f64::from(world.min.abs().max(world.max.abs()).max_element());
    let (linear, translation) = instance.world_to_object.to_f64();
    let norm = |matrix: glam::DMat3| {
        (0..3).map(|row| matrix.row(row).abs().element_sum()).fold(0.0, f64::max)
    };
    let origin = farthest + reach;
    let bound = norm(linear) * (reach + origin) + translation.abs().max_element();
    narrow_up(32.0 * UNIT * norm(linear.inverse()) * bound)
}

/// A box with every plane moved outward.
#[must_use]
pub fn widen(bounds: &Aabb, by: f32) -> Aabb {
    if by == 0.0 {
        return *bounds;
    }
    Aabb::new(
        Vec3::from_array(bounds.min.to_array().map(|plane| sub_down(plane, by))),
        Vec3::from_array(bounds.max.to_array().map(|plane| add_up(plane, by))),
    )
}

/// The diagonal; 0 for an empty box.
fn diameter(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length()
}

fn longest_row(instance: &Instance) -> f64 {
    let (linear, _) = instance.world_to_object.to_f64();
    (0..3).map(|row| linear.row(row).length()).fold(0.0, f64::max)
}
