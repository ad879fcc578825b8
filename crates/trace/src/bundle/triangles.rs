//! The triangles of a leaf against rays of a bundle, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: in `f32`, and where
//! a triangle is not certainly outside, in `f64`. Where most rays of a vector reach the leaf, each
//! triangle is tested against all of them at once; where few do, each of them is tested against
//! all triangles.

use super::hits::{Hits, Named};
use super::lanes::{SIZE, among, bits_of, vectors};
use super::view::View;
use crate::simd::{Floats, Lanes, Simd, each, first_lanes, floats, inlined, of_floats};
use crate::vector::triangles::{
    Corners, accepted_pairs, clamped, in_reach, inside_own_box, not_outside,
};
use crate::vector::{TINY, WIDEN};
use crate::world::{Pointer, World};
use std::mem::MaybeUninit;

/// A leaf as the rays of a view see it.
struct Leaf<'a> {
    world: &'a World,
    pointer: Pointer,
    view: &'a View,
    /// Rows of coordinates: for each corner three, in the order of the shear. Where all rays start
    /// at one point, they are seen from there.
    rows: [*const f32; 9],
    /// Triangles.
    count: usize,
    names: *const u32,
}

/// Tests the triangles of a leaf against the rays `reaching`; whether one of them found a better
/// hit. `ANY_HIT`: any hit ends its ray. `COMMON`: all rays of the view start at one point.
///
/// # Safety
/// The pointer must lead to a leaf of the world.
#[inline(always)]
pub(super) unsafe fn test<V: Simd, const ANY_HIT: bool, const COMMON: bool>(
    world: &World,
    pointer: Pointer,
    reaching: u64,
    view: &View,
    hits: &mut Hits,
) -> bool {
    debug_assert!(world.arena.holds(pointer), "POINTER-PROVED");
    let count = pointer.triangles();
    let [x, y, z] = view.axes;
    // SAFETY: POINTER-PROVED.
    let start = unsafe { world.arena.start().add(pointer.byte()).cast::<f32>() };
    let mut rows = [x, y, z, 3 + x, 3 + y, 3 + z, 6 + x, 6 + y, 6 + z]
        .map(|row| start.wrapping_add(row * count));
    let mut seen = MaybeUninit::<[[f32; 8]; 9]>::uninit();
    if COMMON {
        let origin = each(
            [x, y, z],
            #[inline(always)]
            |axis| V::F8::splat(view.point[axis]),
        );
        for (number, row) in rows.iter_mut().enumerate() {
            let place = seen.as_mut_ptr().cast::<f32>().wrapping_add(8 * number);
            // SAFETY: POINTER-PROVED, LEAF-ROOM, VECTOR-SIZED: the place is one of nine.
            unsafe {
                (V::F8::load(*row) - origin[number % 3]).store(place);
            }
            *row = place;
        }
    }
    let names = start.wrapping_add(9 * count).cast();
    let leaf = Leaf { world, pointer, view, rows, count, names };
    let mut few = 0;
    let mut is_better = false;
    for vector in 0..vectors::<V::Wide>() {
        let mask = bits_of::<V::Wide>(reaching, vector);
        if mask.count_ones() as usize > count {
            // SAFETY: POINTER-PROVED.
            is_better |= unsafe { leaf.across::<V, ANY_HIT, COMMON>(vector, mask, hits) };
        } else {
            few |= among::<V::Wide>(mask, vector);
        }
    }
    if few != 0 {
        // SAFETY: POINTER-PROVED.
        is_better |= unsafe { leaf.along::<V, ANY_HIT, COMMON>(few, hits) };
    }
    is_better
}

impl Leaf<'_> {
    /// A coordinate of a triangle.
    ///
    /// # Safety
    /// This must be a leaf, and have that triangle.
    #[inline(always)]
    unsafe fn coordinate(&self, row: usize, triangle: usize) -> f32 {
        debug_assert!(triangle < self.count, "LANE-PRESENT");
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        unsafe { *self.rows[row].add(triangle) }
    }

    /// Each triangle against the rays of a vector.
    #[inline(always)]
    unsafe fn across<V: Simd, const ANY_HIT: bool, const COMMON: bool>(
        &self,
        vector: usize,
        mask: u32,
        hits: &mut Hits,
    ) -> bool {
        let view = self.view;
        let origin = each(
            view.axes,
            #[inline(always)]
            |axis| view.origin[axis].get::<V::Wide>(vector),
        );
        let (sx, sy) = (view.shear[0].get::<V::Wide>(vector), view.shear[1].get::<V::Wide>(vector));
        let mut is_better = false;
        for triangle in 0..self.count {
            let coordinate = inlined(
                #[inline(always)]
                |row: usize| {
                    // SAFETY: POINTER-PROVED, LANE-PRESENT.
                    let coordinate = V::Wide::splat(unsafe { self.coordinate(row, triangle) });
                    if COMMON { coordinate } else { coordinate - origin[row % 3] }
                },
            );
            // With the opposite sign: the edge functions stay the same, and coordinates are second
            // operands, which need no load of their own. Depths are not asked for.
            let corner = inlined(
                #[inline(always)]
                |row: usize| {
                    let z = coordinate(row + 2);
                    Corners { x: sx * z - coordinate(row), y: sy * z - coordinate(row + 1), z }
                },
            );
            let candidates = mask & not_outside(&corner(0), &corner(3), &corner(6));
            for part in 0..V::Wide::LANES / 8 {
                let candidates = candidates >> (8 * part) & 0xFF;
                if candidates != 0 {
                    let half = vector * (V::Wide::LANES / 8) + part;
                    // SAFETY: FEATURES-DETECTED, POINTER-PROVED, LANE-PRESENT.
                    is_better |= unsafe {
                        V::run_apart(
                            #[inline(always)]
                            || self.half::<V, ANY_HIT, COMMON>(triangle, half, candidates, hits),
                        )
                    };
                }
            }
        }
        is_better
    }

    /// One triangle and the rays `8 half ..`, decided.
    #[inline(always)]
    unsafe fn half<V: Simd, const ANY_HIT: bool, const COMMON: bool>(
        &self,
        triangle: usize,
        half: usize,
        candidates: u32,
        hits: &mut Hits,
    ) -> bool {
        let view = self.view;
        let origin = each(
            view.axes,
            #[inline(always)]
            |axis| view.origin[axis].get::<V::F8>(half),
        );
        let corner = inlined(
            #[inline(always)]
            |row: usize| {
                // SAFETY: POINTER-PROVED, LANE-PRESENT.
                let coordinate = V::F8::splat(unsafe { self.coordinate(row, triangle) });
                if COMMON { coordinate } else { coordinate - origin[row % 3] }
            },
        );
        let corners = by_axes(corner);
        let shear = each(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| view.shear[axis].get::<V::F8>(half),
        );
        let [a, b, c] = sheared(&corners, shear);
        let best = hits.best.get::<V::F8>(half);
        let limit = best.mul_add(V::F8::splat(WIDEN), V::F8::splat(TINY));
        let (is_accepted, mut t, weights) = accepted_pairs::<V>(&a, &b, &c, limit);
        let mut accepted = candidates & is_accepted;
        if accepted == 0 {
            return false;
        }
        let direction = each(
            view.axes,
            #[inline(always)]
            |axis| view.direction[axis].get::<V::F8>(half),
        );
        let settled = accepted & inside_own_box::<V, _>(&corners, t, &direction);
        if settled != accepted {
            let mut ts: [f32; 8] = floats(t);
            for (lane, t) in ts.iter_mut().enumerate() {
                if (accepted & !settled) >> lane & 1 == 1 {
                    match self.clamped(triangle, 8 * half + lane, *t) {
                        Some(clamped) => *t = clamped,
                        None => accepted &= !(1 << lane),
                    }
                }
            }
            t = of_floats(&ts);
        }
        let t = t + V::F8::splat(0.0); // -0.0 becomes +0.0
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        let name = unsafe { *self.names.add(triangle) };
        let named = Named { world: self.world, instance: view.instance, name };
        hits.offer_half::<V, ANY_HIT>(half, accepted, t, weights, named)
    }

    /// Each of `rays` against all triangles.
    #[inline(always)]
    unsafe fn along<V: Simd, const ANY_HIT: bool, const COMMON: bool>(
        &self,
        mut rays: u64,
        hits: &mut Hits,
    ) -> bool {
        let view = self.view;
        // SAFETY: POINTER-PROVED, LEAF-ROOM.
        let rows = by_axes(|row: usize| unsafe { V::F8::load(self.rows[row]) });
        let present = first_lanes(self.count);
        let mut is_better = false;
        while rays != 0 {
            let ray = rays.trailing_zeros() as usize % SIZE;
            rays &= rays - 1;
            let mut corners = rows;
            if !COMMON {
                for (corners, axis) in corners.iter_mut().zip(view.axes) {
                    let origin = V::F8::splat(view.origin[axis].of(ray));
                    *corners = each(
                        *corners,
                        #[inline(always)]
                        |corner| corner - origin,
                    );
                }
            }
            let shear = each(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| V::F8::splat(view.shear[axis].of(ray)),
            );
            let [a, b, c] = sheared(&corners, shear);
            let limit = V::F8::splat(hits.best.of(ray) * WIDEN + TINY);
            let mask = present & not_outside(&a, &b, &c) & in_reach(&a, &b, &c, limit);
            if mask == 0 {
                continue;
            }
            let (is_accepted, t, weights) = accepted_pairs::<V>(&a, &b, &c, limit);
            let mut left = mask & is_accepted;
            if left == 0 {
                continue;
            }
            let direction = each(
                view.axes,
                #[inline(always)]
                |axis| V::F8::splat(view.direction[axis].of(ray)),
            );
            let settled = inside_own_box::<V, _>(&corners, t, &direction);
            let ts: [f32; 8] = floats(t);
            let mut parts = [[0.0; 8]; 3];
            for (part, lanes) in parts.iter_mut().zip(weights) {
                // SAFETY: VECTOR-SIZED.
                unsafe { lanes.store(part.as_mut_ptr()) };
            }
            while left != 0 {
                let lane = left.trailing_zeros() as usize & 7;
                left &= left - 1;
                let mut t = ts[lane];
                if settled >> lane & 1 == 0 {
                    match self.clamped(lane, ray, t) {
                        Some(clamped) => t = clamped,
                        None => continue,
                    }
                }
                let t = t + 0.0; // -0.0 becomes +0.0
                // SAFETY: POINTER-PROVED, LANE-PRESENT.
                let name = unsafe { *self.names.add(lane) };
                let named = Named { world: self.world, instance: view.instance, name };
                let weights = [parts[0][lane], parts[1][lane], parts[2][lane]];
                is_better |= hits.offer_one::<ANY_HIT>(ray, t, weights, named);
            }
        }
        is_better
    }

    /// [`clamped`] of a triangle, for a ray.
    #[cold]
    #[inline(never)]
    fn clamped(&self, triangle: usize, ray: usize, t: f32) -> Option<f32> {
        let (triangle, _) = self.world.arena.triangle(self.pointer, triangle);
        let ray = self.view.ray(ray, 0.0, f32::INFINITY);
        clamped(&ray, &triangle, t)
    }
}

/// Corners of rows: for each axis, of each.
#[inline(always)]
fn by_axes<F: Floats>(row: impl Fn(usize) -> F) -> [[F; 3]; 3] {
    [[row(0), row(3), row(6)], [row(1), row(4), row(7)], [row(2), row(5), row(8)]]
}

/// The same sheared, each by itself.
#[inline(always)]
fn sheared<F: Floats>(corners: &[[F; 3]; 3], shear: [F; 3]) -> [Corners<F>; 3] {
    let [x, y, z] = corners;
    each(
        [0, 1, 2],
        #[inline(always)]
        |corner: usize| Corners::sheared([x[corner], y[corner], z[corner]], shear),
    )
}
