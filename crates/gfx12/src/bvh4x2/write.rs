//! Nodes and the parent table of one structure, as bytes.

use super::place::{Places, unit_count};
use super::{BoxPrecision, EncodeError, NODE_AREA_LIMIT};
use crate::layout::bvh4x2::high_precision_box::encode_plane;
use crate::layout::bvh4x2::pointer::UNIT_BYTES;
use crate::layout::bvh4x2::{Bvh4Pointer, Fp32BoxNode, HighPrecisionBoxNode};
use crate::layout::{CullFlags, HalfNodeBits, NodeBits};
use bvh4::encode::contents::{Contents, all_of, slot_contents};
use bvh4::encode::draft::{Draft, DraftBox, Leaf, WIDTH};
use bvh4::encode::margin::widen;
use geometry::{Aabb, Vec3};

/// Planes of an unused slot, as RADV writes them.
pub(super) const UNUSED_PLANE: u32 = 0x7FC0_0000;

/// The smallest common exponent at which plain truncation is conservative (G-34).
const SMALLEST_EXPONENT: u8 = 25;

/// Bases lie at multiples of this.
const BASE_ALIGNMENT: u64 = 256;

/// A level that is ready to be written.
#[derive(Debug)]
pub(super) struct Structure {
    level: usize,
    draft: Draft,
    places: Places,
    precision: BoxPrecision,
    /// How far boxes are widened (G-36).
    margin: f32,
    /// What is below each slot, in the order of the boxes.
    contents: Vec<[Contents; WIDTH]>,
}

/// A leaf node as bits.
pub(super) enum LeafBits {
    Half(HalfNodeBits),
    Whole(Box<NodeBits>),
}

impl Structure {
    /// Gives all nodes their places; `contents` says what a leaf holds.
    pub(super) fn new(
        level: usize,
        draft: Draft,
        precision: BoxPrecision,
        margin: f32,
        contents: impl Fn(&Leaf) -> Contents,
    ) -> Result<Self, EncodeError> {
        let bytes = unit_count(&draft, precision) * UNIT_BYTES;
        if bytes > NODE_AREA_LIMIT {
            return Err(EncodeError::TooLarge { level, bytes, limit: NODE_AREA_LIMIT });
        }
        let places = Places::new(&draft, precision);
        let contents = slot_contents(&draft, contents);
        Ok(Self { level, draft, places, precision, margin, contents })
    }

    /// Bytes before the base: the parent table.
    pub(super) fn base_offset(&self) -> u64 {
        (4 * u64::from(self.places.units)).next_multiple_of(BASE_ALIGNMENT)
    }

    /// Bytes of table and nodes.
    pub(super) fn byte_count(&self) -> u64 {
        self.base_offset() + UNIT_BYTES * u64::from(self.places.units)
    }

    /// The root pointer.
    pub(super) fn root(&self) -> Bvh4Pointer {
        self.places.box_pointer(0)
    }

    /// What all of it holds.
    pub(super) fn all_contents(&self) -> Contents {
        all_of(&self.draft.boxes[0], &self.contents[0])
    }

    /// Writes everything into `out`, which has [`Structure::byte_count`] zero bytes.
    pub(super) fn write(
        &self,
        leaf_bits: impl Fn(&Leaf) -> LeafBits,
        out: &mut [u8],
    ) -> Result<(), EncodeError> {
        let (table, nodes) = out.split_at_mut(self.base_offset() as usize);
        table.fill(0xFF);
        for (number, slots) in self.draft.boxes.iter().enumerate() {
            let pointer = self.places.box_pointer(number as u32);
            let node = &mut nodes[pointer.byte_offset() as usize..];
            let children = self.children(number, slots)?;
            match self.precision {
                BoxPrecision::Fp32 => self
                    .fp32_node(number, &children)
                    .encode()
                    .write_bytes(&mut node[..size_of::<NodeBits>()]),
                BoxPrecision::High => high_precision_node(&children)
                    .encode()
                    .write_bytes(&mut node[..size_of::<HalfNodeBits>()]),
            }
            for child in children.iter().flatten() {
                let from_base = 4 * (child.pointer.unit() as usize + 1);
                let start = table.len() - from_base;
                table[start..start + 4].copy_from_slice(&pointer.0.to_le_bytes());
            }
        }
        for (number, leaf) in self.draft.leaves.iter().enumerate() {
            let pointer = self.places.leaf_pointer(number as u32, leaf);
            let node = &mut nodes[pointer.byte_offset() as usize..];
            match leaf_bits(leaf) {
                LeafBits::Half(bits) => bits.write_bytes(&mut node[..64]),
                LeafBits::Whole(bits) => bits.write_bytes(&mut node[..128]),
            }
        }
        Ok(())
    }

    /// The children of a box with their planes as they will be stored.
    fn children(
        &self,
        number: usize,
        slots: &DraftBox,
    ) -> Result<[Option<PlacedChild>; WIDTH], EncodeError> {
        let mut children = [None; WIDTH];
        for (slot, used) in slots.iter().enumerate() {
            let Some(used) = used else { continue };
            let bounds = widen(&used.bounds, self.margin);
            if !bounds.is_finite() {
                return Err(EncodeError::InfinitePlane { level: self.level, node: number, slot });
            }
            children[slot] = Some(PlacedChild {
                pointer: self.places.pointer(used.child, &self.draft),
                bounds,
                cull_flags: self.contents[number][slot].cull_flags,
            });
        }
        Ok(children)
    }

    fn fp32_node(&self, number: usize, children: &[Option<PlacedChild>; WIDTH]) -> Fp32BoxNode {
        let unused = Vec3::splat(f32::from_bits(UNUSED_PLANE));
        let nothing = PlacedChild {
            pointer: Bvh4Pointer::INVALID,
            bounds: Aabb::new(unused, unused),
            cull_flags: CullFlags::empty(),
        };
        let children = children.map(|child| child.unwrap_or(nothing));
        Fp32BoxNode {
            children: children.map(|child| child.pointer),
            boxes: children.map(|child| child.bounds),
            flag_bytes: children.map(|child| child.cull_flags.bits()),
            primitive_count: all_of(&self.draft.boxes[number], &self.contents[number]).triangles,
            unused: [0; 2],
        }
    }
}

/// A child of a box node.
#[derive(Debug, Clone, Copy)]
struct PlacedChild {
    pointer: Bvh4Pointer,
    bounds: Aabb,
    cull_flags: CullFlags,
}

fn high_precision_node(children: &[Option<PlacedChild>; WIDTH]) -> HighPrecisionBoxNode {
    let first = children.iter().flatten().next();
    let node = HighPrecisionBoxNode {
        child_base: first.map_or(0, |child| child.pointer.unit()),
        child_types: children.map(|child| {
            child.map_or(HighPrecisionBoxNode::NO_CHILD, |child| child.pointer.node_type())
        }),
        cull_flags: children.map(|child| child.map_or(CullFlags::empty(), |c| c.cull_flags)),
        exponents: [0; 3],
        planes: [HighPrecisionBoxNode::NO_PLANES; WIDTH],
    };
    with_planes(node, &children.map(|child| child.map(|child| child.bounds)))
}

/// A node with other planes in the slots that have some. The largest exponent of a plane is the
/// common one, so that every plane fits.
pub(super) fn with_planes(
    node: HighPrecisionBoxNode,
    boxes: &[Option<Aabb>; WIDTH],
) -> HighPrecisionBoxNode {
    let exponent = |axis: usize| {
        let planes = boxes.iter().flatten().flat_map(|slot| [slot.min[axis], slot.max[axis]]);
        let fields = planes.map(|plane| (plane.to_bits() >> 23 & 0xFF) as u8);
        fields.fold(SMALLEST_EXPONENT, u8::max)
    };
    let exponents = [exponent(0), exponent(1), exponent(2)];
    let mut planes = node.planes;
    for (own, bounds) in planes.iter_mut().zip(boxes) {
        if let Some(Aabb { min, max }) = bounds {
            *own = std::array::from_fn(|k| match k {
                0..3 => encode_plane(min[k], exponents[k]),
                _ => encode_plane(max[k - 3], exponents[k - 3]),
            });
        }
    }
    HighPrecisionBoxNode { exponents, planes, ..node }
}
