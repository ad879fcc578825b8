//! One ray alone over the CPU's copy, by the watertight rule, in what is asked most: the closest or
//! any hit, without flags, a filter or counters.
//!
//! It waits for memory, and for the outcome of each test, at every step; nothing is gained by
//! rounds. So it branches where that is foreseen, has all of its side of box tests in registers,
//! and reads near and far planes by address.

use super::active_ray::ActiveRay;
use super::axis_lanes::AxisLanes;
use super::boxes::{children_of, places};
use super::rule::Watertight;
use super::{TINY, WIDEN, stack, triangles};
use crate::Hit;
use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::scalar;
use crate::simd::{Floats, Ints, Lanes, Simd, each, inlined};
use crate::world::{Node, Pointer, Target, World};
use geometry::{InstanceFlags, Ray, TriangleRule};
use machine::primitive_test::MergedFlags;
use machine::{Counters, RayFlags};
use std::mem::{MaybeUninit, offset_of};
use tree::primitives::Primitive;

/// Entries of a walk's stack.
const STACK: usize = 256;

/// Whether rays can walk a world like this: if it is ordinary, and its stacks are short, as they
/// nearly always are.
#[inline]
pub(crate) fn can_walk(world: &World) -> bool {
    world.is_ordinary & (world.stack_size <= STACK - stack::MARGIN)
}

/// Answers a ray that is out of the ordinary.
#[cold]
#[inline(never)]
fn answer_scalar<K: Kind>(world: &World, ray: &Ray) -> K::Answer {
    let mut answer = K::miss();
    let ask = Ask::everything(TriangleRule::Watertight);
    scalar::answer::<K, _>(world, &ask, 0, ray, &mut answer, &mut Counters::default());
    answer
}

/// Answers a ray.
///
/// # Safety
/// The processor must have the instructions, and [`can_walk`] be true of the world.
#[inline]
pub(crate) unsafe fn answer<V: Simd, K: Kind>(world: &World, ray: &Ray) -> K::Answer {
    debug_assert!(can_walk(world), "STACK-ROOM");
    // SAFETY: FEATURES-DETECTED, POINTER-PROVED, STACK-ROOM.
    unsafe {
        match world.tlas {
            None => V::run(
                #[inline(always)]
                || walk::<V, K, false>(world, ray),
            ),
            Some(_) => V::run(
                #[inline(always)]
                || walk::<V, K, true>(world, ray),
            ),
        }
    }
}

/// The same, for worlds that have instances if `PLACED` says so.
///
/// # Safety
/// As [`answer`].
#[inline(always)]
unsafe fn walk<V: Simd, K: Kind, const PLACED: bool>(world: &World, ray: &Ray) -> K::Answer {
    let lanes = AxisLanes::<V>::new(ray);
    if !lanes.is_ordinary() {
        return answer_scalar::<K>(world, ray);
    }
    let mut answer = K::miss();
    let start = world.arena.start();
    let mut slot = ActiveRay::EMPTY;
    (slot.box_ray.nearest, slot.box_ray.farthest) = (ray.tmin, ray.tmax);
    let (mut terms, mut pointer) = match (&world.tlas, world.blases.first()) {
        (Some(tlas), _) if PLACED => {
            (SlabTerms::<V>::new(&lanes, lanes.instance_dilation(tlas)), tlas.level.root)
        }
        (_, Some(level)) => {
            slot.triangle_ray = lanes.triangle_ray::<Watertight>();
            (SlabTerms::new(&lanes, lanes.dilation(&level.bounds)), level.root)
        }
        (_, None) => return answer,
    };
    let mut entries = MaybeUninit::<[u32; 2 * STACK]>::uninit();
    let outer = terms;
    // Entries that begin beyond this are not looked at.
    let mut limit = f32::INFINITY;
    let mut broadcast = BroadcastRay::new(&terms, start, ray.tmin, ray.tmax);
    // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM, LEAF-ROOM, LANE-PRESENT.
    unsafe {
        let bottom: *mut Pointer = entries.as_mut_ptr().cast();
        let mut top = stack::push(bottom, STACK, Pointer::DONE);
        loop {
            while pointer.is_node() {
                debug_assert!(world.arena.holds(pointer), "POINTER-PROVED");
                debug_assert!(stack::is_within(bottom, top, STACK), "STACK-ROOM");
                let place = pointer.byte();
                let (enter, exit) = broadcast.intervals(place);
                let met = V::is_less(enter, exit);
                let node = &*start.add(place).cast::<Node>();
                if !K::NARROWS && met != 0 {
                    // In whichever order: one branch less is worth more than some steps.
                    children_of::<V>(node).store_some(met, top.cast());
                    top = top.add(met.count_ones() as usize - 1);
                    pointer = child_of::<V>(node, met.ilog2());
                    prefetch::<V>(start, *top.sub(1));
                } else if met & met.wrapping_sub(1) != 0 {
                    let order = *broadcast.orders.add(place).cast::<u32>();
                    let places = places::<V>(order);
                    let (enter, exit) = (enter.permuted(places), exit.permuted(places));
                    let met = enter.lt(exit);
                    children_of::<V>(node).permuted(places).store_some(met, top.cast());
                    if K::NARROWS {
                        enter.store_some(met, top.add(STACK).cast());
                    }
                    top = top.add(met.count_ones() as usize - 1);
                    let zeros = met.leading_zeros(); // 24 if the nearest is met
                    let child = order >> ((3 * zeros + 24) & 31) & 7;
                    pointer = child_of::<V>(node, child);
                    prefetch::<V>(start, *top.sub(1));
                } else if met != 0 {
                    pointer = child_of::<V>(node, met.trailing_zeros());
                } else {
                    (top, pointer) = popped::<K>(top, limit);
                }
            }
            match pointer.target() {
                Target::Node | Target::Leaf => {
                    debug_assert!(world.arena.holds(pointer), "POINTER-PROVED");
                    let (leaf, count) = (start.add(pointer.byte()), pointer.triangles());
                    let mut mask = triangles::candidates::<V>(leaf, count, &slot);
                    if mask != 0 {
                        while mask != 0 {
                            let lane = mask.trailing_zeros() as usize;
                            mask &= mask - 1;
                            let found = triangles::accepted::<V>(leaf, count, lane, &slot);
                            let Some(found) = found else { continue };
                            let mut t = found.t;
                            if !found.is_settled {
                                match clamped(world, ray, &slot, pointer, lane, t) {
                                    Some(clamped) => t = clamped,
                                    None => continue,
                                }
                            }
                            t += 0.0; // -0.0 becomes +0.0
                            let is_within = (ray.tmin < t) & (t < ray.tmax);
                            if !is_within {
                                continue;
                            }
                            let hit = if K::NEEDS_HIT {
                                let world = V::optimization_barrier_ref(world);
                                let name = world.arena.name(pointer, lane);
                                let id = world.primitive_ids[slot.blas as usize].id(name);
                                let (u, v) = found.u_v();
                                let (geometry, primitive) = (id.geometry, id.primitive);
                                Hit { t, u, v, instance: slot.instance, geometry, primitive }
                            } else {
                                Hit { t, ..Hit::MISS }
                            };
                            match K::offer(&mut answer, hit) {
                                Outcome::Continue => (),
                                Outcome::Narrow(t) => {
                                    (slot.box_ray.farthest, limit) = (t, widened(t));
                                }
                                Outcome::Done => return answer,
                            }
                        }
                        terms.optimization_barrier();
                        broadcast =
                            BroadcastRay::new(&terms, start, ray.tmin, slot.box_ray.farthest);
                    }
                    (top, pointer) = popped::<K>(top, limit);
                    continue;
                }
                Target::Instance(number) => {
                    let entered = V::run_apart(
                        #[inline(always)]
                        || enter::<V>(world, ray, number, &mut slot),
                    );
                    match entered {
                        Entered::NeedsScalar => return answer_scalar::<K>(world, ray),
                        Entered::No => (),
                        Entered::At(inner, root) => {
                            top = stack::push(top, STACK, Pointer::LEAVE);
                            terms = inner;
                            terms.optimization_barrier();
                            broadcast =
                                BroadcastRay::new(&terms, start, ray.tmin, slot.box_ray.farthest);
                            pointer = root;
                            continue;
                        }
                    }
                }
                Target::Boxes(list) => match boxes::<K>(world, ray, list, &slot, &mut answer) {
                    Outcome::Continue => (),
                    Outcome::Narrow(t) => {
                        (slot.box_ray.farthest, limit) = (t, widened(t));
                    }
                    Outcome::Done => return answer,
                },
                Target::Leave => terms = outer,
                Target::Done => {
                    K::finish(&mut answer);
                    return answer;
                }
            }
            terms.optimization_barrier();
            broadcast = BroadcastRay::new(&terms, start, ray.tmin, slot.box_ray.farthest);
            (top, pointer) = popped::<K>(top, limit);
        }
    }
}

/// The end of a range, widened as far planes are.
#[inline(always)]
fn widened(farthest: f32) -> f32 {
    farthest * WIDEN + TINY
}

/// How the ray meets the planes of a level, by axis; the last lanes mean nothing.
#[derive(Clone, Copy)]
struct SlabTerms<V: Simd> {
    /// For the planes that are met first: `1/d`, and `-oA/d`.
    near: [V::F4; 2],
    /// For those that are met last, likewise, but widened here instead of exits later.
    far: [V::F4; 2],
    /// Bit `k`: the direction on axis `k` is negative.
    octant: usize,
}

impl<V: Simd> SlabTerms<V> {
    #[inline(always)]
    fn new(lanes: &AxisLanes<'_, V>, dilation: f32) -> Self {
        let slabs = lanes.slabs(dilation);
        let (near, far) = slabs.near_and_far();
        let widen = V::F4::splat(WIDEN);
        Self {
            near: [slabs.inverse, near],
            far: [slabs.inverse * widen, far.mul_add(widen, V::F4::splat(TINY))],
            octant: lanes.octant() as usize,
        }
    }

    /// Keeps compilers from forming what is made of it before it is needed.
    #[inline(always)]
    fn optimization_barrier(&mut self) {
        let ([inverse, offset], [far_inverse, far_offset]) = (self.near, self.far);
        self.near = [V::optimization_barrier(inverse), V::optimization_barrier(offset)];
        self.far = [V::optimization_barrier(far_inverse), V::optimization_barrier(far_offset)];
    }
}

/// [`SlabTerms`] with each number in all lanes.
struct BroadcastRay<V: Simd> {
    near: Side<V>,
    far: Side<V>,
    /// The order of the ray's octant in a node at the start of the world.
    orders: *const u8,
}

/// The planes that the ray meets first, or last, of each axis.
struct Side<V: Simd> {
    /// Where they lie in a node at the start of the world.
    rows: [*const u8; 3],
    inverse: [V::F8; 3],
    offset: [V::F8; 3],
    /// The bound of the range that matters.
    bound: V::I8,
}

impl<V: Simd> BroadcastRay<V> {
    /// For a world that starts there, with a range that matters.
    #[inline(always)]
    fn new(terms: &SlabTerms<V>, start: *const u8, nearest: f32, farthest: f32) -> Self {
        let SlabTerms { near, far, octant } = *terms;
        let side = inlined(
            #[inline(always)]
            |[inverse, offset]: [V::F4; 2], is_far: usize, bound: f32| Side {
                rows: each(
                    [0, 1, 2],
                    #[inline(always)]
                    |axis| start.wrapping_add(64 * axis + 32 * (octant >> axis & 1 ^ is_far)),
                ),
                inverse: [V::all::<0>(inverse), V::all::<1>(inverse), V::all::<2>(inverse)],
                offset: [V::all::<0>(offset), V::all::<1>(offset), V::all::<2>(offset)],
                bound: V::I8::splat(bound.to_bits()),
            },
        );
        Self {
            near: side(near, 0, nearest + 0.0), // -0.0 becomes +0.0
            far: side(far, 1, widened(farthest)),
            orders: start.wrapping_add(offset_of!(Node, orders) + 4 * octant),
        }
    }

    /// Where the ray enters and leaves the children of the node at a place, as the bits of floats.
    ///
    /// Among floats that are not negative the order of their bits is their own, a NaN (a slot
    /// without a child) is the greatest, and all that are negative are less. No entry is negative,
    /// as the range does not begin before 0; an exit that is negative is less than any entry,
    /// whichever of several it is.
    ///
    /// # Safety
    /// There must be a node.
    #[inline(always)]
    unsafe fn intervals(&self, place: usize) -> (V::I8, V::I8) {
        // SAFETY: POINTER-PROVED.
        let ([near_x, near_y, near_z], [far_x, far_y, far_z]) =
            unsafe { (self.near.parameters(place), self.far.parameters(place)) };
        let enter = near_x.max(near_y).max(near_z.max(self.near.bound));
        let exit = far_x.min(far_y).min(far_z.min(self.far.bound));
        (enter, exit)
    }
}

impl<V: Simd> Side<V> {
    /// Where the ray meets the planes of the node at a place.
    ///
    /// # Safety
    /// There must be a node.
    #[inline(always)]
    unsafe fn parameters(&self, place: usize) -> [V::I8; 3] {
        let at = inlined(
            #[inline(always)]
            |axis: usize| {
                // SAFETY: POINTER-PROVED, VECTOR-SIZED.
                let planes = unsafe { V::F8::load(self.rows[axis].add(place).cast()) };
                planes.mul_add(self.inverse[axis], self.offset[axis]).to_bits()
            },
        );
        [at(0), at(1), at(2)]
    }
}

/// What comes of entering an instance.
enum Entered<V: Simd> {
    /// There is nothing to be seen.
    No,
    /// The ray is out of the ordinary there.
    NeedsScalar,
    /// A level, and its root.
    At(SlabTerms<V>, Pointer),
}

/// Enters an instance.
#[inline(always)]
fn enter<V: Simd>(world: &World, ray: &Ray, number: usize, slot: &mut ActiveRay) -> Entered<V> {
    let Some(tlas) = &world.tlas else { return Entered::No };
    let instance = &tlas.instances[number];
    let level = &world.blases[instance.blas as usize];
    if instance.mask == 0 || level.root == Pointer::DONE {
        return Entered::No;
    }
    let ray = instance.world_to_object.ray(ray);
    let lanes = AxisLanes::<V>::new(&ray);
    if !lanes.is_ordinary() {
        return Entered::NeedsScalar;
    }
    slot.triangle_ray = lanes.triangle_ray::<Watertight>();
    (slot.instance, slot.blas) = (number as u32, instance.blas);
    Entered::At(SlabTerms::new(&lanes, lanes.dilation(&level.bounds)), level.root)
}

/// Asks about procedural boxes.
#[inline(never)]
fn boxes<K: Kind>(
    world: &World,
    ray: &Ray,
    list: usize,
    slot: &ActiveRay,
    answer: &mut K::Answer,
) -> Outcome {
    let ask = Ask::everything(TriangleRule::Watertight);
    let space = space(world, ray, slot);
    let mut outcome = Outcome::Continue;
    for (bounds, id) in world.box_list(list) {
        let Some(hit) = ask.hit(0, &space, Primitive::Box(bounds), *id) else { continue };
        match K::offer(answer, hit) {
            Outcome::Continue => (),
            Outcome::Narrow(t) => outcome = Outcome::Narrow(t),
            Outcome::Done => return Outcome::Done,
        }
    }
    outcome
}

/// [`triangles::clamped`] of a triangle in a leaf.
#[cold]
#[inline(never)]
fn clamped(
    world: &World,
    ray: &Ray,
    slot: &ActiveRay,
    leaf: Pointer,
    lane: usize,
    t: f32,
) -> Option<f32> {
    triangles::clamped(&space(world, ray, slot).ray, &world.arena.triangle(leaf, lane).0, t)
}

/// The space that the ray is in.
fn space(world: &World, ray: &Ray, slot: &ActiveRay) -> Space {
    let (ray, flags) = match &world.tlas {
        Some(tlas) => {
            let instance = &tlas.instances[slot.instance as usize];
            (instance.world_to_object.ray(ray), instance.flags)
        }
        None => (*ray, InstanceFlags::empty()),
    };
    Space { ray, instance: slot.instance, flags: MergedFlags::new(RayFlags::empty(), flags) }
}

/// The next entry of a stack that matters, and the stack without it.
///
/// # Safety
/// There must be such an entry: the lowest one always matters.
#[inline(always)]
unsafe fn popped<K: Kind>(mut top: *mut Pointer, limit: f32) -> (*mut Pointer, Pointer) {
    // SAFETY: STACK-BOTTOM, LANES-INITIALIZED.
    unsafe {
        loop {
            top = top.sub(1);
            if !K::NARROWS || *top.add(STACK).cast::<f32>() <= limit {
                return (top, *top);
            }
        }
    }
}

/// A child of a node.
#[inline(always)]
fn child_of<V: Simd>(node: &Node, number: u32) -> Pointer {
    // SAFETY: POINTER-PROVED: a node has eight.
    Pointer(unsafe { V::word(node.children.as_ptr().cast(), number as usize & 7) })
}

/// Asks for the memory of the step after the next one.
#[inline(always)]
fn prefetch<V: Simd>(start: *const u8, pointer: Pointer) {
    let address = start.wrapping_add(pointer.byte());
    for line in 0..4 {
        V::prefetch(address.wrapping_add(64 * line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::kernel::with_kernel;
    use geometry::{Aabb, Vec3};

    /// Also where a box is behind the ray, or around its origin.
    #[test]
    fn boxes_are_met_and_slots_without_a_child_are_not() {
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            with_kernel!(kernel, V => boxes_are_met::<V>());
        }
    }

    fn boxes_are_met<V: Simd>() {
        let at = |x: f32| Aabb::new(Vec3::new(x, -1.0, 2.0), Vec3::new(x + 1.0, 1.0, 3.0));
        let node = Node::of_boxes(&[at(4.0), at(-5.0), at(-0.5), at(8.0)]);
        let bounds = Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0));
        let forward: &[(usize, f32)] = &[(0, 4.0), (2, 0.0), (3, 8.0)];
        let backward: &[(usize, f32)] = &[(1, 4.0), (2, 0.0)];
        for (direction, wanted) in [(1.0, forward), (-1.0, backward)] {
            let ray = Ray::new(Vec3::new(0.0, 0.25, 2.5), Vec3::new(direction, 0.0, -0.0));
            let mut enter = [0; 8];
            // SAFETY: FEATURES-DETECTED, VECTOR-SIZED; there is a node at place 0.
            let met = unsafe {
                V::run(|| {
                    let lanes = AxisLanes::<V>::new(&ray);
                    let terms = SlabTerms::new(&lanes, lanes.dilation(&bounds));
                    let start = std::ptr::from_ref(&node).cast();
                    let broadcast = BroadcastRay::<V>::new(&terms, start, ray.tmin, ray.tmax);
                    let (entered, left) = broadcast.intervals(0);
                    entered.store(enter.as_mut_ptr());
                    entered.lt(left)
                })
            };
            let found: Vec<usize> = (0..8).filter(|slot| met >> slot & 1 == 1).collect();
            assert_eq!(found, wanted.iter().map(|wanted| wanted.0).collect::<Vec<_>>());
            for &(slot, depth) in wanted {
                assert!((f32::from_bits(enter[slot]) - depth).abs() < 1e-4, "{slot}: {enter:?}");
            }
        }
    }
}
