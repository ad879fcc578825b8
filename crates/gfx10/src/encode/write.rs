//! Nodes and the parent table of one structure, as bytes.

use super::headers::{self, Around};
use super::place::{Places, most_units};
use super::{NODE_AREA_LIMIT, Options, Policy};
use crate::Generation;
use crate::layout::halves;
use bvh4::EncodeError;
use bvh4::encode::contents::{Contents, all_of, slot_contents};
use bvh4::encode::draft::{Draft, DraftBox, Leaf, WIDTH};
use bvh4::encode::margin::widen;
use bvh4::layout::pointer::UNIT_BYTES;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, CullFlags, Fp16BoxNode, Fp32BoxNode};
use geometry::{Aabb, Vec3};
use half::f16;
use machine::bits::{HalfNodeBits, NodeBits};

/// Planes of an unused slot, as RADV writes them.
const UNUSED_PLANE: f32 = f32::from_bits(0x7FC0_0000);
const UNUSED_HALF: u16 = 0x7E00;
/// A box is stored in halves if that makes its area less than this many times as large.
const MOST_AREA: f32 = 1.5;

/// A level that is ready to be written.
#[derive(Debug)]
pub(super) struct Structure {
    draft: Draft,
    places: Places,
    policy: Policy,
    generation: Generation,
    /// The planes of all slots as they will be stored, before they become halves.
    planes: Vec<[Option<Aabb>; WIDTH]>,
    /// What is below each slot, in the order of the boxes.
    contents: Vec<[Contents; WIDTH]>,
    /// What stands before and behind the nodes.
    around: Around,
}

/// What a level is made of.
pub(super) struct Level<'a> {
    pub(super) number: usize,
    pub(super) draft: Draft,
    /// How far boxes are widened (G-36).
    pub(super) margin: f32,
    /// Primitives or instances that were given.
    pub(super) items: usize,
    pub(super) is_blas: bool,
    pub(super) generation: Generation,
    pub(super) options: &'a Options,
}

/// A leaf node as bits.
pub(super) enum LeafBits {
    Half(HalfNodeBits),
    Whole(Box<NodeBits>),
}

impl Structure {
    /// Gives all nodes their places; `contents` says what a leaf holds.
    pub(super) fn new(
        level: Level<'_>,
        contents: impl Fn(&Leaf) -> Contents,
        around: impl FnOnce(&Draft, &Places, Contents, Aabb) -> Around,
    ) -> Result<Self, EncodeError> {
        let Level { number, draft, margin, items, is_blas, generation, options } = level;
        let bytes = most_units(&draft, items) * UNIT_BYTES;
        if bytes > NODE_AREA_LIMIT {
            return Err(EncodeError::TooLarge { level: number, bytes, limit: NODE_AREA_LIMIT });
        }
        let planes = widened(number, &draft, margin)?;
        // The root is always an fp32 box, and so are all boxes of a TLAS.
        let halved = planes.iter().enumerate();
        let is_half: Vec<bool> = halved
            .map(|(n, slots)| options.half && is_blas && n > 0 && fits_halves(slots))
            .collect();
        let places = Places::new(&draft, options.policy, items, &is_half);
        let contents = slot_contents(&draft, contents);
        let all = all_of(&draft.boxes[0], &contents[0]);
        let bounds = planes[0].iter().flatten().fold(Aabb::EMPTY, |all, slot| all.union(*slot));
        let around = around(&draft, &places, all, bounds);
        let policy = options.policy;
        Ok(Self { draft, places, policy, generation, planes, contents, around })
    }

    /// Bytes before the base.
    pub(super) fn base_offset(&self) -> u64 {
        self.around.base_offset
    }

    /// Bytes of everything.
    pub(super) fn byte_count(&self) -> u64 {
        let nodes = UNIT_BYTES * u64::from(self.places.units);
        self.around.base_offset + nodes + self.around.behind.len() as u64
    }

    /// What all of it holds.
    pub(super) fn all_contents(&self) -> Contents {
        all_of(&self.draft.boxes[0], &self.contents[0])
    }

    /// Writes everything into `out`, which has [`Structure::byte_count`] zero bytes and lies at an
    /// address.
    pub(super) fn write(
        &self,
        leaf_bits: impl Fn(&Leaf) -> LeafBits,
        address: u64,
        out: &mut [u8],
    ) {
        let (before, nodes) = out.split_at_mut(self.around.base_offset as usize);
        let first = self.policy.writer().first_unit();
        // what no node has in the table says that it has no parent.
        let table = 4 * (self.places.units - first) as usize;
        let start = before.len() - table;
        before[start..].fill(0xFF);
        for (number, slots) in self.draft.boxes.iter().enumerate() {
            let pointer = self.places.boxes[number];
            let node = &mut nodes[pointer.byte_offset() as usize..];
            if pointer.kind() == Bvh4Kind::HalfBox {
                self.half_node(number, slots).encode().write_bytes(&mut node[..64]);
            } else {
                self.wide_node(number, slots).encode().write_bytes(&mut node[..128]);
            }
            for slot in slots.iter().flatten() {
                let child = self.places.pointer(slot.child);
                let from_base = 4 * ((child.unit() - first) as usize + 1);
                let start = before.len() - from_base;
                before[start..start + 4].copy_from_slice(&pointer.0.to_le_bytes());
            }
        }
        for (number, leaf) in self.draft.leaves.iter().enumerate() {
            let node = &mut nodes[self.places.leaves[number].byte_offset() as usize..];
            match leaf_bits(leaf) {
                LeafBits::Half(bits) => bits.write_bytes(&mut node[..64]),
                LeafBits::Whole(bits) => bits.write_bytes(&mut node[..128]),
            }
        }
        let end = (UNIT_BYTES * u64::from(self.places.units)) as usize;
        nodes[end..].copy_from_slice(&self.around.behind);
        headers::write(&self.around, address, before, nodes);
    }

    fn children(&self, slots: &DraftBox) -> [Bvh4Pointer; WIDTH] {
        slots.map(|slot| slot.map_or(Bvh4Pointer::INVALID, |slot| self.places.pointer(slot.child)))
    }

    fn wide_node(&self, number: usize, slots: &DraftBox) -> Fp32BoxNode {
        let nothing = Vec3::splat(if self.policy == Policy::Gpurt { 0.0 } else { UNUSED_PLANE });
        let flags = |slot: usize| {
            let own = self.contents[number][slot].cull_flags;
            let opacity = CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE;
            match (self.policy, self.generation) {
                (Policy::Gpurt, _) if slots[slot].is_none() => 0xFF,
                (Policy::Gpurt, _) | (Policy::Own, Generation::Gfx11) => own.bits(),
                (Policy::Radv, Generation::Gfx11) => (own & opacity).bits(),
                (Policy::Own | Policy::Radv, Generation::Gfx10) => 0,
            }
        };
        let below = all_of(slots, &self.contents[number]);
        Fp32BoxNode {
            children: self.children(slots),
            boxes: self.planes[number].map(|it| it.unwrap_or(Aabb::new(nothing, nothing))),
            flag_bytes: std::array::from_fn(flags),
            primitive_count: if self.policy == Policy::Radv { 0 } else { below.triangles },
            unused: [0; 2],
        }
    }

    fn half_node(&self, number: usize, slots: &DraftBox) -> Fp16BoxNode {
        let nothing = if self.policy == Policy::Gpurt { 0 } else { UNUSED_HALF };
        Fp16BoxNode {
            children: self.children(slots),
            planes: self.planes[number].map(|it| it.map_or([nothing; 6], |it| halves::planes(&it))),
        }
    }
}

/// The planes of all slots, a margin wider; infinite ones are refused.
fn widened(
    level: usize,
    draft: &Draft,
    margin: f32,
) -> Result<Vec<[Option<Aabb>; WIDTH]>, EncodeError> {
    let mut planes = vec![[None; WIDTH]; draft.boxes.len()];
    for (node, slots) in draft.boxes.iter().enumerate() {
        for (slot, used) in slots.iter().enumerate() {
            let Some(used) = used else { continue };
            let bounds = widen(&used.bounds, margin);
            if !bounds.is_finite() {
                return Err(EncodeError::InfinitePlane { level, node, slot });
            }
            planes[node][slot] = Some(bounds);
        }
    }
    Ok(planes)
}

/// Whether a box is stored in halves: all planes stay finite, and its own box hardly grows.
fn fits_halves(slots: &[Option<Aabb>; WIDTH]) -> bool {
    let own = slots.iter().flatten().fold(Aabb::EMPTY, |all, slot| all.union(*slot));
    let rounded = halves::planes(&own).map(|plane| f16::from_bits(plane).to_f32());
    let [x, y, z, far_x, far_y, far_z] = rounded;
    let rounded = Aabb::new(Vec3::new(x, y, z), Vec3::new(far_x, far_y, far_z));
    rounded.is_finite() && rounded.half_area() < MOST_AREA * own.half_area()
}
