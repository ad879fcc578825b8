//! Which 64-byte unit a node gets.
//!
//! siliray and GPURT put boxes first, breadth first, and leaf nodes behind them; GPURT's base is
//! its header, two units before the root. RADV has the root, then a leaf node for each primitive in
//! order, then the other boxes.

use super::Policy;
use bvh4::encode::draft::{Draft, Leaf};
use bvh4::encode::places::Places;
use bvh4::layout::Bvh4Pointer;

/// The type of pointers to procedurals.
const PROCEDURAL: u8 = 7;

/// The root pointer.
pub(super) const fn root(policy: Policy) -> Bvh4Pointer {
    match policy {
        Policy::Own | Policy::Radv => Bvh4Pointer::ROOT,
        Policy::Gpurt => Bvh4Pointer::ROOT_BEHIND_HEADER,
    }
}

/// Units that all nodes of a draft take at most; `items` primitives or instances were given.
pub(super) fn most_units(draft: &Draft, items: usize) -> u64 {
    let boxes = 2 * draft.boxes.len() as u64;
    let leaves: u64 = draft.leaves.iter().map(|leaf| u64::from(leaf.units())).sum();
    2 + boxes + leaves + 2 * items as u64
}

/// Gives units to all nodes; `is_half` says which boxes are small.
pub(super) fn places(draft: &Draft, policy: Policy, items: usize, is_half: &[bool]) -> Places {
    let mut places = Places::new(draft, policy.writer().first_unit(), PROCEDURAL);
    let mut boxes = is_half.iter().enumerate();
    if policy == Policy::Radv {
        boxes.by_ref().take(1).for_each(|(number, &half)| places.place_box(number, half));
        place_in_order(draft, items, &mut places);
        boxes.for_each(|(number, &half)| places.place_box(number, half));
    } else {
        boxes.for_each(|(number, &half)| places.place_box(number, half));
        places.place_leaves(draft);
    }
    places
}

/// A place for every item; a leaf that another one of the same item came before gets a place behind
/// them.
fn place_in_order(draft: &Draft, items: usize, places: &mut Places) {
    let units = draft.leaves.first().map_or(1, Leaf::units);
    let first = places.take(units * items as u32);
    (places.first_leaf, places.leaf_places) = (first, items as u32);
    let mut is_taken = vec![false; items];
    for (number, leaf) in draft.leaves.iter().enumerate() {
        let item = leaf.first_item() as usize;
        if std::mem::replace(&mut is_taken[item], true) {
            places.leaf_places += 1;
            places.place_leaf(number, leaf);
        } else {
            places.place_leaf_at(number, leaf, first + units * item as u32);
        }
    }
}
