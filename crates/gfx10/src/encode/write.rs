//! Nodes and the parent table of one structure, as bytes.

use super::headers::{self, Around};
use super::place::{most_units, places};
use super::{NODE_AREA_LIMIT, Options, Policy};
use crate::Generation;
use crate::layout::halves;
use bvh4::EncodeError;
use bvh4::encode::contents::{Contents, all_of, slot_contents};
use bvh4::encode::draft::{Draft, DraftBox, Leaf};
use bvh4::encode::levels;
use bvh4::encode::places::{NodeBytes, Nodes, Places, Planes, widened};
use bvh4::layout::pointer::UNIT_BYTES;
use bvh4::layout::{Bvh4Kind, CullFlags, Fp16BoxNode, Fp32BoxNode};
use geometry::{Aabb, Vec3};
use half::f16;

/// Planes of an unused slot, as RADV writes them.
const UNUSED_PLANE: f32 = f32::from_bits(0x7FC0_0000);
const UNUSED_HALF: u16 = 0x7E00;
/// A box is stored in halves if that makes its area less than this many times as large.
const MOST_AREA: f32 = 1.5;

/// A level that is ready to be written.
#[derive(Debug)]
pub(super) struct Structure {
    nodes: Nodes,
    policy: Policy,
    generation: Generation,
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
        let places = places(&draft, options.policy, items, &is_half);
        let contents = slot_contents(&draft, contents);
        let all = all_of(&draft.boxes[0], &contents[0]);
        let bounds = planes[0].iter().flatten().fold(Aabb::EMPTY, |all, slot| all.union(*slot));
        let around = around(&draft, &places, all, bounds);
        let policy = options.policy;
        let nodes = Nodes { draft, places, planes, contents };
        Ok(Self { nodes, policy, generation, around })
    }

    fn wide_node(&self, number: usize, slots: &DraftBox) -> Fp32BoxNode {
        let nothing = Vec3::splat(if self.policy == Policy::Gpurt { 0.0 } else { UNUSED_PLANE });
        let flags = |slot: usize| {
            let own = self.nodes.contents[number][slot].cull_flags;
            let opacity = CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE;
            match (self.policy, self.generation) {
                (Policy::Gpurt, _) if slots[slot].is_none() => 0xFF,
                (Policy::Gpurt, _) | (Policy::Own, Generation::Gfx11) => own.bits(),
                (Policy::Radv, Generation::Gfx11) => (own & opacity).bits(),
                (Policy::Own | Policy::Radv, Generation::Gfx10) => 0,
            }
        };
        let below = self.nodes.below(number);
        Fp32BoxNode {
            children: self.nodes.children(slots),
            boxes: self.nodes.planes[number].map(|it| it.unwrap_or(Aabb::new(nothing, nothing))),
            flag_bytes: std::array::from_fn(flags),
            primitive_count: if self.policy == Policy::Radv { 0 } else { below.triangles },
            unused: [0; 2],
        }
    }

    fn half_node(&self, number: usize, slots: &DraftBox) -> Fp16BoxNode {
        let nothing = if self.policy == Policy::Gpurt { 0 } else { UNUSED_HALF };
        Fp16BoxNode {
            children: self.nodes.children(slots),
            planes: self.nodes.planes[number]
                .map(|it| it.map_or([nothing; 6], |it| halves::planes(&it))),
        }
    }
}

impl levels::Level for Structure {
    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    fn base_offset(&self) -> u64 {
        self.around.base_offset
    }

    fn byte_count(&self) -> u64 {
        let nodes = UNIT_BYTES * u64::from(self.nodes.places.units);
        self.around.base_offset + nodes + self.around.behind.len() as u64
    }

    fn write(&self, leaf_bytes: impl Fn(&Leaf) -> NodeBytes, address: u64, out: &mut [u8]) {
        let (before, nodes) = out.split_at_mut(self.around.base_offset as usize);
        let places = &self.nodes.places;
        // what no node has in the table says that it has no parent.
        let table = before.len() - 4 * (places.units - places.first) as usize;
        before[table..].fill(0xFF);
        let box_bytes = |number: usize, slots: &DraftBox| match places.boxes[number].kind() {
            Bvh4Kind::HalfBox => NodeBytes::Half(self.half_node(number, slots).encode()),
            _ => NodeBytes::Whole(self.wide_node(number, slots).encode().into()),
        };
        self.nodes.write(box_bytes, leaf_bytes, before, nodes);
        let end = (UNIT_BYTES * u64::from(places.units)) as usize;
        nodes[end..].copy_from_slice(&self.around.behind);
        headers::write(&self.around, address, before, nodes);
    }
}

/// Whether a box is stored in halves: all planes stay finite, and its own box hardly grows.
fn fits_halves(slots: &Planes) -> bool {
    let own = slots.iter().flatten().fold(Aabb::EMPTY, |all, slot| all.union(*slot));
    let rounded = halves::planes(&own).map(|plane| f16::from_bits(plane).to_f32());
    let [x, y, z, far_x, far_y, far_z] = rounded;
    let rounded = Aabb::new(Vec3::new(x, y, z), Vec3::new(far_x, far_y, far_z));
    rounded.is_finite() && rounded.half_area() < MOST_AREA * own.half_area()
}
