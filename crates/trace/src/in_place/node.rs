//! One ray against the children of a box node (`gfx12::layout::BoxNode`), decoded in vectors.
//!
//! Planes are `origin + code * quantum`. Where a ray meets one is formed from where it meets the
//! plane of code 0 and how far it goes from there to that of code 4096, both once a node;
//! `docs/trace.md` has the proof.

use super::bytes::{NODE, PLACE_BITS};
use crate::simd::{Floats, Ints, Lanes, Simd, each, inlined, of_words};
use crate::vector::active_ray::BoxTestRay;
use crate::vector::boxes::Intervals;
use crate::world::Pointer;

/// The children of a node as a ray meets them.
pub(super) struct Met<V: Simd> {
    /// Where it enters them.
    enter: V::F8,
    /// Where they lead.
    pointers: V::I8,
    /// Bit `i`: the ray meets child `i`.
    met: u32,
}

impl<V: Simd> Met<V> {
    /// Tests the children of a box node.
    #[inline(always)]
    pub(super) fn new(node: &[u8; NODE], box_ray: &BoxTestRay) -> Self {
        let [a, b, c] = children::<V>(node);
        let steps = PlaneSteps::new::<V>(node, box_ray);
        let [step_x, step_y, step_z] = each(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| V::F8::splat(steps.step[axis]),
        );
        let low = inlined(
            #[inline(always)]
            |axis: usize| V::F8::splat(steps.low[axis]),
        );
        let high = inlined(
            #[inline(always)]
            |axis: usize| V::F8::splat(steps.high[axis]),
        );
        let intervals = Intervals::<V>::between(
            [V::F8::splat(box_ray.nearest), V::F8::splat(box_ray.farthest)],
            [
                lower::<V>(a).mul_add(step_x, low(0)),
                upper::<V>(a).mul_add(step_y, low(1)),
                lower::<V>(b).mul_add(step_z, low(2)),
            ],
            [
                upper::<V>(b).mul_add(step_x, high(0)),
                lower::<V>(c).mul_add(step_y, high(1)),
                upper::<V>(c).mul_add(step_z, high(2)),
            ],
        );
        let used = 0xFFu32 >> (7 - (word(node, 24) >> 28 & 7));
        let met = used & intervals.enter.le(intervals.exit);
        Self { enter: intervals.enter, pointers: pointers::<V>(c, node), met }
    }

    /// Puts the children that are met onto the stack at `top`; with `DEPTHS`, far to near, and also
    /// where they are entered. The new top.
    ///
    /// # Safety
    /// The stack, of `size` entries, must have room for eight more.
    #[inline(always)]
    pub(super) unsafe fn push<const DEPTHS: bool>(
        &self,
        top: *mut Pointer,
        size: usize,
    ) -> *mut Pointer {
        let Self { enter, pointers, met } = *self;
        let count = met.count_ones() as usize;
        // SAFETY: STACK-ROOM, VECTOR-SIZED.
        unsafe {
            if DEPTHS {
                let order = match count {
                    0..=4 => far_to_near_of_four::<V>(enter, met),
                    _ => far_to_near::<V>(enter, met),
                };
                pointers.permuted(order).store(top.cast());
                // Not more than where it is entered.
                (order & V::I8::splat(!7)).store(top.add(size).cast());
            } else {
                pointers.store_some(met, top.cast());
            }
            top.add(count)
        }
    }
}

/// The three words of each child.
#[inline(always)]
fn children<V: Simd>(node: &[u8; NODE]) -> [V::I8; 3] {
    // SAFETY: VECTOR-SIZED: the last 24 words of a node.
    let words = inlined(
        #[inline(always)]
        |vector: usize| unsafe { V::I8::load(node.as_ptr().add(32 + 32 * vector).cast()) },
    );
    let (low, middle, high) = (words(0), words(1), words(2));
    // Each has a third of every kind; which lanes these are turns from one to the next.
    let of = inlined(
        #[inline(always)]
        |from_middle: u32, from_high: u32, order: &[u32; 8]| {
            let mixed = V::I8::select(from_high, high, V::I8::select(from_middle, middle, low));
            mixed.permuted(of_words(order))
        },
    );
    [
        of(0b1001_0010, 0b0010_0100, &[0, 3, 6, 1, 4, 7, 2, 5]),
        of(0b0010_0100, 0b0100_1001, &[1, 4, 7, 2, 5, 0, 3, 6]),
        of(0b0100_1001, 0b1001_0010, &[2, 5, 0, 3, 6, 1, 4, 7]),
    ]
}

/// How a ray steps through the planes of a node, by axis. A plane is met at `code / 4096 + 1` steps
/// behind an offset.
struct PlaneSteps {
    /// From code 0 to code 4096.
    step: [f32; 4],
    /// The offset of minima.
    low: [f32; 4],
    /// The offset of maxima, whose planes are those of the next code.
    high: [f32; 4],
}

impl PlaneSteps {
    #[inline(always)]
    fn new<V: Simd>(node: &[u8; NODE], box_ray: &BoxTestRay) -> Self {
        // SAFETY: VECTOR-SIZED: places in the node, and the words of a ray.
        let (origin, inverse, low, high) = unsafe {
            let box_ray: *const f32 = std::ptr::from_ref(box_ray).cast();
            (
                V::F4::load(node.as_ptr().add(12).cast()),
                V::F4::load(box_ray),
                V::F4::load(box_ray.add(4)),
                V::F4::load(box_ray.add(8)),
            )
        };
        // 4096 quanta are `2^(e - 127)`: an exponent is that of a float.
        let step = V::powers(word(node, 24)) * inverse;
        let low = origin.mul_add(inverse, low) - step;
        let high = origin.mul_add(inverse, high);
        let high = step.mul_add(V::F4::splat(1.0 / 4096.0 - 1.0), high);
        let mut steps = Self {
            step: crate::simd::floats(step),
            low: crate::simd::floats(low),
            high: crate::simd::floats(high),
        };
        // Units that put a lane into all have much to do.
        V::force_to_memory(&mut steps);
        steps
    }
}

/// The word at a byte.
#[inline(always)]
pub(super) fn word(node: &[u8; NODE], byte: usize) -> u32 {
    u32::from_le_bytes([node[byte], node[byte + 1], node[byte + 2], node[byte + 3]])
}

/// `1 + code / 4096` for the lowest 12 bits.
#[inline(always)]
fn lower<V: Simd>(words: V::I8) -> V::F8 {
    in_mantissa::<V>(words.shl(V::I8::splat(11)))
}

/// The same for the next 12 bits.
#[inline(always)]
fn upper<V: Simd>(words: V::I8) -> V::F8 {
    in_mantissa::<V>(words.shr(V::I8::splat(1)))
}

#[inline(always)]
fn in_mantissa<V: Simd>(bits: V::I8) -> V::F8 {
    V::F8::from_bits(bits & V::I8::splat(0xFFF << 11) | V::I8::splat(0x3F80_0000))
}

/// Where the children lead, by their last words: those that are boxes lie one after the other from
/// one base on, all others from another, each as many nodes behind the last as that one's range is
/// long.
#[inline(always)]
fn pointers<V: Simd>(words: V::I8, node: &[u8; NODE]) -> V::I8 {
    let tag = tags::<V>(words.shr(V::I8::splat(24)));
    let is_other = tag.is_high();
    let sixteen = V::I8::splat(16);
    // Both sums at once: boxes in the low half, others in the high one.
    let length = words.shr(V::I8::splat(28));
    let length = V::I8::select(is_other, length.shl(sixteen), length);
    // Each lane gets what lanes before it have, one, two and four lanes before.
    let behind = inlined(
        #[inline(always)]
        |lanes: V::I8, order: &[u32; 8], first: u32| {
            V::I8::select(!first, lanes.permuted(of_words(order)), V::I8::splat(0))
        },
    );
    let sum = length + behind(length, &[0, 0, 1, 2, 3, 4, 5, 6], 0b0000_0001);
    let sum = sum + behind(sum, &[0, 0, 0, 1, 2, 3, 4, 5], 0b0000_0011);
    let sum = sum + behind(sum, &[0, 0, 0, 0, 0, 1, 2, 3], 0b0000_1111);
    let before = sum - length;
    let before = V::I8::select(is_other, before.shr(sixteen), before) & V::I8::splat(0xFFFF);
    let (boxes, others) = (word(node, 0) >> 4, word(node, 4) >> 4);
    let bases = V::I8::select(is_other, V::I8::splat(others), V::I8::splat(boxes));
    (bases + before) | tag
}

/// What pointers have above their places, for kinds of nodes in the lowest four bits: nothing for
/// boxes.
#[inline(always)]
fn tags<V: Simd>(kinds: V::I8) -> V::I8 {
    const fn leaf(pair: u32) -> u32 {
        1 << 31 | pair << PLACE_BITS
    }
    const INSTANCE: u32 = Pointer::FIRST_OTHER;
    // Of kinds that nothing has, any will do.
    let low = of_words::<V::I8, 8>(&[leaf(0), leaf(1), leaf(2), leaf(3), 0, 0, INSTANCE, 0]);
    let high = of_words::<V::I8, 8>(&[leaf(4), leaf(5), leaf(6), leaf(7), 0, 0, 0, 0]);
    let is_above = kinds.shl(V::I8::splat(28)).is_high();
    V::I8::select(is_above, high.permuted(kinds), low.permuted(kinds))
}

/// The lanes of `met`, of which there are at most four, those that are entered last first, in the
/// lowest three bits; above these, where they are entered.
#[inline(always)]
fn far_to_near_of_four<V: Simd>(enter: V::F8, met: u32) -> V::I8 {
    let count = met.count_ones();
    let keys = keys::<V>(enter).packed(met);
    let keys = V::I8::select((1 << count) - 1, keys, V::I8::splat(0));
    let keys = exchanged::<V>(keys, &[2, 3, 0, 1, 4, 5, 6, 7], 0b1100);
    let keys = exchanged::<V>(keys, &[1, 0, 3, 2, 4, 5, 6, 7], 0b1010);
    exchanged::<V>(keys, &[0, 2, 1, 3, 4, 5, 6, 7], 0b0100)
}

/// The same of any number.
#[inline(always)]
fn far_to_near<V: Simd>(enter: V::F8, met: u32) -> V::I8 {
    let keys = V::I8::select(met, keys::<V>(enter), V::I8::splat(0));
    // Batcher's bitonic sorting network.
    let keys = exchanged::<V>(keys, &[1, 0, 3, 2, 5, 4, 7, 6], 0b1010_1010);
    let keys = exchanged::<V>(keys, &[3, 2, 1, 0, 7, 6, 5, 4], 0b1100_1100);
    let keys = exchanged::<V>(keys, &[1, 0, 3, 2, 5, 4, 7, 6], 0b1010_1010);
    let keys = exchanged::<V>(keys, &[7, 6, 5, 4, 3, 2, 1, 0], 0b1111_0000);
    let keys = exchanged::<V>(keys, &[2, 3, 0, 1, 6, 7, 4, 5], 0b1100_1100);
    exchanged::<V>(keys, &[1, 0, 3, 2, 5, 4, 7, 6], 0b1010_1010)
}

/// No entry is negative, so its bits are in its own order; the lowest give way to the lane.
#[inline(always)]
fn keys<V: Simd>(enter: V::F8) -> V::I8 {
    enter.to_bits() & V::I8::splat(!7) | of_words(&[0, 1, 2, 3, 4, 5, 6, 7])
}

/// The smaller of each pair of lanes in lanes `down`, the greater in all others.
#[inline(always)]
fn exchanged<V: Simd>(keys: V::I8, other: &[u32; 8], down: u32) -> V::I8 {
    let other = keys.permuted(of_words(other));
    V::I8::select(down, keys.min(other), keys.max(other))
}
