//! The image's own bytes as source of rays in flight.
//!
//! Nodes and leaves are decoded in vectors, at every step again. Pointers are packed like those of
//! the CPU's copy, but count nodes of 128 bytes from the start of their level, and those of leaves
//! have the first pair where the copy has a number of triangles. Those of instances have the place
//! of their node. A step at a leaf tests the pairs of one node; what is left of a range is the
//! leaf's rest.

use super::leaf::{DecodedLeaf, LeafVectors};
use super::node::Met;
use super::{InPlace, Proved, ids};
use crate::ask::Ask;
use crate::kind::Kind;
use crate::oriented::turned;
use crate::scalar;
use crate::simd::Simd;
use crate::source::TraversalSource;
use crate::vector;
use crate::vector::active_ray::{ActiveRay, BoxTestRay};
use crate::vector::axis_lanes::AxisLanes;
use crate::vector::rule::{MollerTrumbore, Rule, Watertight};
use crate::vector::source::{Source, Steps};
use crate::vector::triangles::Accepted;
use crate::world::{Level, Pointer, Tlas};
use geometry::{Aabb, Ray, Triangle, TriangleRule, Vec3};
use gfx12::layout::{BoxNode, NodeBits};
use gfx12::obb;
use machine::Counters;
use std::marker::PhantomData;
use tree::PrimitiveId;

/// Bits of a pointer that are a place, in nodes.
pub(super) const PLACE_BITS: u32 = 27;
const PLACE: usize = (1 << PLACE_BITS) - 1;

/// Bytes of a node.
pub(super) const NODE: usize = 128;

/// Answers the rays of a part of a batch.
///
/// # Safety
/// The kernel must be available, and `proved` be of this image, without oriented nodes unless the
/// rule is the watertight one.
pub(super) unsafe fn answer<V: Simd, K: Kind>(
    image: &InPlace,
    proved: &Proved,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    // SAFETY: FEATURES-DETECTED, POINTER-PROVED.
    unsafe {
        match ask.rule {
            TriangleRule::Watertight if proved.has_oriented_nodes => {
                let source = Bytes::<Watertight, true> { image, proved, rule: PhantomData };
                vector::answer::<V, K, _>(&source, ask, first, rays, answers, counters);
            }
            TriangleRule::Watertight => {
                let source = Bytes::<Watertight, false> { image, proved, rule: PhantomData };
                vector::answer::<V, K, _>(&source, ask, first, rays, answers, counters);
            }
            TriangleRule::MollerTrumbore => {
                let source = Bytes::<MollerTrumbore, false> { image, proved, rule: PhantomData };
                vector::answer::<V, K, _>(&source, ask, first, rays, answers, counters);
            }
        }
    }
}

/// A proved image, for rays by rule `R`; `TURNED` if it may have oriented nodes.
struct Bytes<'a, R, const TURNED: bool> {
    image: &'a InPlace,
    proved: &'a Proved,
    rule: PhantomData<R>,
}

impl<R: Rule, const TURNED: bool> Source for Bytes<'_, R, TURNED> {
    type Rule = R;

    const LINES: usize = 2;

    const NODE_BYTES: u64 = NODE as u64;

    const LEAF_BYTES: [u64; 2] = [0, NODE as u64];

    const DILATIONS: f32 = 6.0;

    unsafe fn child_count(&self, node: Pointer, slot: &ActiveRay) -> u64 {
        // SAFETY: POINTER-PROVED.
        let node = BoxNode::decode(&NodeBits::from_bytes(unsafe { self.node(node, slot) }));
        node.used_children().iter().filter(|child| child.is_valid()).count() as u64
    }

    fn is_ordinary(&self) -> bool {
        true // proved
    }

    #[inline(always)]
    fn tlas(&self) -> Option<&Tlas> {
        self.image.tlas()
    }

    #[inline(always)]
    fn blas(&self, number: usize) -> Option<&Level> {
        self.proved.blas(number)
    }

    #[inline(always)]
    fn start(&self, blas: Option<usize>) -> *const u8 {
        self.proved.start(self.image.image().image(), blas)
    }

    #[inline(always)]
    fn instance(&self, instance_id: usize) -> Option<usize> {
        self.proved.instance(instance_id & PLACE)
    }

    fn stack_size(&self) -> usize {
        self.proved.stack_size
    }

    fn box_list(&self, _: usize) -> &[(Aabb, PrimitiveId)] {
        &[]
    }

    fn answer_scalar<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    ) {
        scalar::answer::<K, _>(self.image, ask, position, ray, answer, counters);
    }

    fn holds(&self, pointer: Pointer, slot: &ActiveRay) -> bool {
        let image = self.image.image().image();
        self.proved.holds(image, slot.start, pointer.0 as usize & PLACE)
    }

    #[inline(always)]
    fn place(&self, pointer: Pointer, slot: &ActiveRay) -> *const u8 {
        slot.start.wrapping_add((pointer.0 as usize & PLACE).wrapping_mul(NODE))
    }
}

impl<'b, V: Simd, R: Rule, const TURNED: bool> Steps<V> for Bytes<'b, R, TURNED> {
    type Met<'a>
        = Met<V>
    where
        Self: 'a;

    type Opened<'a>
        = LeafVectors<'b, V>
    where
        Self: 'a;

    type Saved = DecodedLeaf<'b>;

    #[inline(always)]
    unsafe fn meet<const DEPTHS: bool>(&self, node: Pointer, slot: &ActiveRay) -> Met<V> {
        // SAFETY: POINTER-PROVED.
        let node = unsafe { self.node(node, slot) };
        if TURNED
            && let Some(level) = self.proved.blas(slot.blas as usize)
            && let Some(turned) = turned_box_ray::<V>(slot, &level.bounds, node[28] & 0x7F)
        {
            return Met::new(node, &turned);
        }
        Met::new(node, &slot.box_ray)
    }

    #[inline(always)]
    unsafe fn push<const DEPTHS: bool>(met: &Met<V>, slot: &mut ActiveRay, size: usize) -> Pointer {
        // SAFETY: STACK-ROOM, STACK-BOTTOM.
        unsafe {
            slot.top = met.push::<DEPTHS>(slot.top, size).sub(1);
            *slot.top
        }
    }

    #[inline(always)]
    fn unopened<'a>() -> LeafVectors<'b, V>
    where
        Self: 'a,
    {
        LeafVectors::nothing()
    }

    #[inline(always)]
    unsafe fn open(&self, leaf: Pointer, slot: &ActiveRay) -> LeafVectors<'b, V> {
        // SAFETY: POINTER-PROVED.
        LeafVectors::new::<R>(unsafe { self.node(leaf, slot) }, leaf, &slot.triangle_ray)
    }

    #[inline(always)]
    unsafe fn candidates(leaf: &LeafVectors<'b, V>, slot: &ActiveRay) -> u32 {
        leaf.candidates::<R>(slot)
    }

    #[inline(always)]
    fn tested(leaf: &LeafVectors<'b, V>) -> usize {
        leaf.triangles()
    }

    #[inline(always)]
    fn goes_on(leaf: &LeafVectors<'b, V>) -> Pointer {
        leaf.rest
    }

    #[inline(always)]
    unsafe fn save(leaf: &LeafVectors<'b, V>, place: *mut DecodedLeaf<'b>) {
        // SAFETY: VECTOR-SIZED: there is a leaf to be written.
        unsafe { leaf.keep(place) };
    }

    #[inline(always)]
    unsafe fn accepted(
        &self,
        _: Pointer,
        leaf: &DecodedLeaf<'b>,
        lane: usize,
        slot: &ActiveRay,
    ) -> Option<Accepted> {
        leaf.accepted::<V, R>(lane, slot)
    }

    fn triangle(&self, _: Pointer, leaf: &DecodedLeaf<'b>, lane: usize) -> Triangle {
        leaf.triangle(lane)
    }

    #[inline(always)]
    fn id(&self, _: Pointer, leaf: &DecodedLeaf<'b>, lane: usize, _: &ActiveRay) -> PrimitiveId {
        ids::id(leaf.node, leaf.first_pair(), lane)
    }

    #[inline(always)]
    fn rest(leaf: &DecodedLeaf<'b>) -> Pointer {
        leaf.rest
    }
}

impl<'a, R: Rule, const TURNED: bool> Bytes<'a, R, TURNED> {
    /// The bytes of a node that a ray is on its way to.
    ///
    /// # Safety
    /// The pointer must lead to a node of the level that the ray is in.
    #[inline(always)]
    unsafe fn node(&self, pointer: Pointer, slot: &ActiveRay) -> &'a [u8; NODE] {
        // SAFETY: POINTER-PROVED. The image lives as long as `'a`, and nobody can change it.
        unsafe { &*self.proved_place(pointer, slot).cast() }
    }
}

/// How a ray in a level with these bounds sees the boxes of a node, if that is oriented
/// ([`crate::oriented`]).
#[inline(always)]
fn turned_box_ray<V: Simd>(
    slot: &ActiveRay,
    bounds: &Aabb,
    obb_matrix_index: u8,
) -> Option<BoxTestRay> {
    let rotation = obb::rotation(obb_matrix_index)?;
    let (mut origin, mut direction) = (Vec3::ZERO, Vec3::ZERO);
    for (place, &axis) in slot.triangle_ray.axes[..3].iter().enumerate() {
        origin[usize::from(axis)] = slot.triangle_ray.origin[place];
        direction[usize::from(axis)] = slot.triangle_ray.direction[place];
    }
    let BoxTestRay { nearest, farthest, .. } = slot.box_ray;
    let ray = Ray { origin, direction, tmin: nearest, tmax: farthest };
    let (ray, dilation) = turned(&ray, bounds, rotation);
    Some(AxisLanes::<V>::new(&ray).box_ray(dilation, nearest, farthest))
}
