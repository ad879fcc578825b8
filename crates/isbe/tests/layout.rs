//! The layout's properties, for any active sets and maxima.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use isbe::limits::{LINE_BYTES, MAX_OUTPUT_BYTES};
use isbe::{AttributeId, AttributeSet, Layout, LayoutError, Limits, Location};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn set(slots: impl IntoIterator<Item = usize>) -> AttributeSet {
    slots.into_iter().filter_map(AttributeId::from_slot).collect()
}

fn some_set(most: usize) -> impl Strategy<Value = AttributeSet> {
    proptest::collection::btree_set(0usize..240, 0..=most).prop_map(set)
}

proptest! {
    /// Addresses never meet, every byte of the attributes is some address or padding, and the
    /// inverse gives the id and the index back.
    #[test]
    fn addresses_and_their_inverse_are_one_to_one(
        vertex in some_set(16),
        primitive in some_set(15),
        max_vertices in 1u32..=256,
        max_primitives in 1u32..=256,
    ) {
        let limits = Limits::Driver;
        let layout =
            Layout::new(vertex, max_vertices, primitive, max_primitives, limits).unwrap();
        let mut words = BTreeMap::new();
        for id in vertex.iter() {
            for index in 0..max_vertices {
                let address = layout.vertices.address(id, index).unwrap();
                prop_assert_eq!(words.insert(address, (0, id, index)), None);
            }
        }
        for id in primitive.iter() {
            for index in 0..max_primitives {
                let address = layout.primitives.address(id, index).unwrap();
                prop_assert_eq!(words.insert(address, (1, id, index)), None);
            }
        }
        for address in 0..layout.shared_base() {
            let (area, element) = match layout.locate(address) {
                Location::Vertex(element) => (0, element),
                Location::Primitive(element) => (1, element),
                Location::Shared { .. } => return Err(TestCaseError::fail("shared too early")),
            };
            prop_assert_eq!(element.byte, address % 4);
            let here = words.get(&(address & !3));
            prop_assert_eq!(element.padding, here.is_none());
            if let Some(here) = here {
                prop_assert_eq!(*here, (area, element.attribute, element.index));
            }
        }
        let beyond = layout.locate(layout.shared_base() + 5);
        prop_assert_eq!(beyond, Location::Shared { offset: 5 });
        prop_assert_eq!(layout.shared_base() % LINE_BYTES, 0);
    }

    /// A smaller id moves a larger one by a line inside each group, and not a smaller one.
    #[test]
    fn a_new_id_moves_larger_ids_by_one_line(
        vertex in some_set(8),
        new in 0usize..240,
        index in 0u32..64,
    ) {
        let new = AttributeId::from_slot(new).unwrap();
        prop_assume!(!vertex.contains(new));
        let none = AttributeSet::default();
        let mut more = vertex;
        more.insert(new);
        let layout = |set| Layout::new(set, 64, none, 1, Limits::Driver).unwrap();
        let (before, after) = (layout(vertex), layout(more));
        for id in vertex.iter() {
            let in_group = |layout: &Layout| {
                let group = index / 32 * layout.vertices.group_bytes();
                layout.vertices.address(id, index).unwrap() - group
            };
            let moved = if id > new { LINE_BYTES } else { 0 };
            prop_assert_eq!(in_group(&after), in_group(&before) + moved);
        }
    }
}

#[test]
fn thirty_two_scalars_fill_the_limit_and_one_more_is_refused() {
    let none = AttributeSet::default();
    let full = Layout::new(set(28..60), 256, none, 1, Limits::Driver).unwrap();
    assert_eq!(full.shared_base(), MAX_OUTPUT_BYTES);
    let over = Layout::new(set(28..61), 256, none, 1, Limits::Driver);
    assert_eq!(over, Err(LayoutError::OutputLimit { found: 33 * 1024 }));
    let primitive = Layout::new(set(28..60), 256, set([24]), 1, Limits::Driver);
    assert_eq!(primitive, Err(LayoutError::OutputLimit { found: MAX_OUTPUT_BYTES + 128 }));
}

#[test]
fn maxima_are_one_to_256_unless_raw() {
    let one = set([28]);
    let check = |nv, np, limits| Layout::new(one, nv, one, np, limits).map_err(|error| error.id());
    for (nv, np) in [(0, 1), (257, 1), (1, 0), (1, 257)] {
        assert_eq!(check(nv, np, Limits::Driver).unwrap_err(), "bad_maximum");
    }
    assert!(check(256, 256, Limits::Driver).is_ok());
    assert!(check(1, 1023, Limits::Raw).is_ok());
    assert_eq!(check(1, 1024, Limits::Raw).unwrap_err(), "bad_maximum");
    assert_eq!(check(257, 1, Limits::Raw).unwrap_err(), "bad_maximum");
}

#[test]
fn what_is_not_there_has_no_address() {
    let layout = Layout::new(set([28, 30]), 33, set([232]), 2, Limits::Driver).unwrap();
    let id = |slot| AttributeId::from_slot(slot).unwrap();
    assert_eq!(layout.vertices.address(id(29), 0), None);
    assert_eq!(layout.vertices.address(id(30), 33), None);
    assert_eq!(layout.vertices.address(id(30), 32), Some(0x180));
    assert_eq!(layout.primitives.address(id(232), 1), Some(0x204));
}
