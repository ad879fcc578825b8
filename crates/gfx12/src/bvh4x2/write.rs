//! One structure as bytes: its parent table and its nodes, each of which gets 64-byte units.
//!
//! With fp32 boxes, boxes come first and leaf nodes behind them. A high-precision box finds its
//! children side by side, so there the children of each box get their units together, box by box.

use super::{BoxPrecision, EncodeError, NODE_AREA_LIMIT};
use crate::layout::bvh4x2::high_precision_box::encode_plane;
use crate::layout::bvh4x2::pointer::UNIT_BYTES;
use crate::layout::bvh4x2::{Bvh4Pointer, Fp32BoxNode, HighPrecisionBoxNode};
use bvh4::encode::contents::{Contents, slot_contents};
use bvh4::encode::draft::{Child, Draft, DraftBox, Leaf, WIDTH};
use bvh4::encode::levels::Level;
use bvh4::encode::places::{NodeBytes, Nodes, Places, widened};
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
    nodes: Nodes,
    precision: BoxPrecision,
}

impl Structure {
    /// Gives all nodes their places; `contents` says what a leaf holds. Boxes are widened by the
    /// margin (G-36).
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
        let planes = widened(level, &draft, margin)?;
        let places = places(&draft, precision);
        let contents = slot_contents(&draft, contents);
        Ok(Self { nodes: Nodes { draft, places, planes, contents }, precision })
    }

    fn fp32_node(&self, number: usize, slots: &DraftBox) -> Fp32BoxNode {
        let unused = Vec3::splat(f32::from_bits(UNUSED_PLANE));
        let nothing = Aabb::new(unused, unused);
        Fp32BoxNode {
            children: self.nodes.children(slots),
            boxes: self.nodes.planes[number].map(|it| it.unwrap_or(nothing)),
            flag_bytes: self.nodes.contents[number].map(|it| it.cull_flags.bits()),
            primitive_count: self.nodes.below(number).triangles,
            unused: [0; 2],
        }
    }

    fn high_precision_node(&self, number: usize, slots: &DraftBox) -> HighPrecisionBoxNode {
        let children = self.nodes.children(slots);
        let mut used = children.iter().filter(|child| **child != Bvh4Pointer::INVALID);
        let node = HighPrecisionBoxNode {
            child_base: used.next().map_or(0, |child| child.unit()),
            child_types: children.map(|child| match child {
                Bvh4Pointer::INVALID => HighPrecisionBoxNode::NO_CHILD,
                child => child.node_type(),
            }),
            cull_flags: self.nodes.contents[number].map(|it| it.cull_flags),
            exponents: [0; 3],
            planes: [HighPrecisionBoxNode::NO_PLANES; WIDTH],
        };
        with_planes(node, &self.nodes.planes[number])
    }
}

impl Level for Structure {
    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The parent table.
    fn base_offset(&self) -> u64 {
        (4 * u64::from(self.nodes.places.units)).next_multiple_of(BASE_ALIGNMENT)
    }

    fn byte_count(&self) -> u64 {
        self.base_offset() + UNIT_BYTES * u64::from(self.nodes.places.units)
    }

    fn write(&self, leaf_bytes: impl Fn(&Leaf) -> NodeBytes, _: u64, out: &mut [u8]) {
        let (table, nodes) = out.split_at_mut(self.base_offset() as usize);
        table.fill(0xFF);
        let box_bytes = |number: usize, slots: &DraftBox| match self.precision {
            BoxPrecision::Fp32 => NodeBytes::Whole(self.fp32_node(number, slots).encode().into()),
            BoxPrecision::High => NodeBytes::Half(self.high_precision_node(number, slots).encode()),
        };
        self.nodes.write(box_bytes, leaf_bytes, table, nodes);
    }
}

/// Units that the nodes of a draft take.
fn unit_count(draft: &Draft, precision: BoxPrecision) -> u64 {
    let box_units = if precision == BoxPrecision::High { 1 } else { 2 };
    let leaves: u64 = draft.leaves.iter().map(|leaf| u64::from(leaf.units())).sum();
    draft.boxes.len() as u64 * box_units + leaves
}

/// Gives units to all nodes; they must not be more than 2^26.
fn places(draft: &Draft, precision: BoxPrecision) -> Places {
    let mut places = Places::new(draft, 0, 0);
    if precision == BoxPrecision::Fp32 {
        for number in 0..draft.boxes.len() {
            places.place_box(number, false);
        }
        places.place_leaves(draft);
        return places;
    }
    places.place_box(0, true);
    for slot in draft.boxes.iter().flatten().flatten() {
        match slot.child {
            Child::Box(number) => places.place_box(number as usize, true),
            Child::Leaf(number) => {
                places.place_leaf(number as usize, &draft.leaves[number as usize]);
            }
        }
    }
    places
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
