//! The image's own bytes as source of rays in flight.
//!
//! Nodes and leaves are decoded in vectors, at every step again. Pointers are packed like those of
//! the CPU's copy, but count nodes of 128 bytes from the start of their level, and those of leaves
//! have the first pair where the copy has a number of triangles. Those of instances have the place
//! of their node. A step at a leaf tests the pairs of one node; what is left of a range is the
//! leaf's rest.
//!
//! | file | concept |
//! |---|---|
//! | `proof` | which images can be walked like this |
//! | `node` | one ray against the children of a box node |
//! | `oriented` | how rays see oriented nodes |
//! | `leaf` | one ray against pairs of a primitive node |
//! | `batch_steps` | steps of many rays |
//! | `ids` | the ids of a triangle |

mod batch_steps;
mod ids;
mod leaf;
mod node;
mod oriented;
mod proof;

pub(crate) use proof::Proved;

use super::stack;
use crate::ask::Ask;
use crate::in_place::InPlace;
use crate::kind::Kind;
use crate::scalar;
use crate::source::TraversalSource;
use crate::vector::active_ray::ActiveRay;
use crate::vector::rule::{MollerTrumbore, Rule, Watertight};
use crate::vector::source::{Candidates, Steps, VectorSource};
use crate::vector::triangles::Accepted;
use crate::world::{Level, Pointer, Tlas};
use geometry::{Aabb, Ray, Triangle, TriangleRule};
use gfx12::layout::{BoxNode, NodeBits};
use leaf::{DecodedLeaf, LeafVectors};
use machine::Counters;
use node::Met;
use std::arch::asm;
use std::marker::PhantomData;
use tree::PrimitiveId;

/// Bits of a pointer that are a place, in nodes.
const PLACE_BITS: u32 = 27;
const PLACE: usize = (1 << PLACE_BITS) - 1;

/// Bytes of a node.
const NODE: usize = 128;

/// Answers the rays of a part of a batch.
///
/// # Safety
/// The kernel must be available, and `proved` be of this image, without oriented nodes unless the
/// rule is the watertight one.
pub(crate) unsafe fn answer<K: Kind>(
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
                super::answer_over::<K, _>(&source, ask, first, rays, answers, counters);
            }
            TriangleRule::Watertight => {
                let source = Bytes::<Watertight, false> { image, proved, rule: PhantomData };
                super::answer_over::<K, _>(&source, ask, first, rays, answers, counters);
            }
            TriangleRule::MollerTrumbore => {
                let source = Bytes::<MollerTrumbore, false> { image, proved, rule: PhantomData };
                super::answer_over::<K, _>(&source, ask, first, rays, answers, counters);
            }
        }
    }
}

/// Leaves a value in memory, where loads can put parts of it into all lanes of vectors: the units
/// for that have much to do.
#[inline(always)]
fn force_to_memory<T>(value: &mut T) {
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        asm!("/* {} */", in(reg) std::ptr::from_mut(value), options(nostack, preserves_flags));
    }
}

/// A proved image, for rays by rule `R`; `TURNED` if it may have oriented nodes.
struct Bytes<'a, R, const TURNED: bool> {
    image: &'a InPlace,
    proved: &'a Proved,
    rule: PhantomData<R>,
}

impl<R: Rule, const TURNED: bool> VectorSource for Bytes<'_, R, TURNED> {
    type Rule = R;

    const LINES: usize = 2;

    const NODE_BYTES: u64 = NODE as u64;

    const LEAF_BYTES: [u64; 2] = [0, NODE as u64];

    const DILATIONS: f32 = 3.0;

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
        slot.start.wrapping_add((pointer.0 as usize & PLACE) * NODE)
    }
}

impl<'a, R: Rule, const TURNED: bool> Steps for Bytes<'a, R, TURNED> {
    type Leaf = DecodedLeaf<'a>;

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn node_alone(&self, node: Pointer, slot: &mut ActiveRay, size: usize) -> Pointer {
        // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM.
        unsafe {
            let met = self.met(node, slot);
            slot.top = met.push::<true>(slot.top, size).sub(1);
            *slot.top
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn candidates(&self, leaf: Pointer, slot: &ActiveRay) -> Candidates {
        // SAFETY: POINTER-PROVED.
        let leaf =
            LeafVectors::new::<R>(unsafe { self.node(leaf, slot) }, leaf, &slot.triangle_ray);
        Candidates { mask: leaf.candidates::<R>(slot), tested: leaf.triangles(), rest: leaf.rest }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn leaf(&self, leaf: Pointer, slot: &ActiveRay) -> DecodedLeaf<'a> {
        let mut opened = DecodedLeaf::default();
        // SAFETY: POINTER-PROVED.
        let leaf =
            LeafVectors::new::<R>(unsafe { self.node(leaf, slot) }, leaf, &slot.triangle_ray);
        // SAFETY: VECTOR-SIZED: there is a leaf to be written.
        unsafe { leaf.keep(&raw mut opened) };
        opened
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn accepted(
        &self,
        leaf: &DecodedLeaf<'a>,
        lane: usize,
        slot: &ActiveRay,
    ) -> Option<Accepted> {
        leaf.accepted::<R>(lane, slot)
    }

    fn triangle(&self, leaf: &DecodedLeaf<'a>, lane: usize) -> Triangle {
        leaf.triangle(lane)
    }

    #[inline(always)]
    fn id(&self, leaf: &DecodedLeaf<'a>, lane: usize, _: &ActiveRay) -> PrimitiveId {
        ids::id(leaf.node, leaf.first_pair(), lane)
    }

    #[inline(always)]
    fn rest(&self, leaf: &DecodedLeaf<'a>) -> Pointer {
        leaf.rest
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn drop_beyond(
        bottom: *mut Pointer,
        top: *mut Pointer,
        size: usize,
        t: f32,
    ) -> *mut Pointer {
        // SAFETY: STACK-ROOM, LANES-INITIALIZED.
        unsafe { stack::drop_beyond(bottom, top, size, t) }
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

    /// The children of a node as a ray meets them.
    ///
    /// # Safety
    /// It must lead to one.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn met(&self, node: Pointer, slot: &ActiveRay) -> Met {
        // SAFETY: POINTER-PROVED.
        let node = unsafe { self.node(node, slot) };
        if TURNED
            && let Some(level) = self.proved.blas(slot.blas as usize)
            && let Some(aim) = oriented::aim(slot, &level.bounds, node[28] & 0x7F)
        {
            return Met::new(node, &aim);
        }
        Met::new(node, &slot.box_ray)
    }
}
