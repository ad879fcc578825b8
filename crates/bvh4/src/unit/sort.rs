//! The sorting network, whose exchanges fix the order of ties.
//!
//! Keys, compared one after the other, smaller first:
//!
//! | rank | key |
//! |---|---|
//! | 1 | 0 if there is a pointer, 1 if it is 0xFFFFFFFF |
//! | 2 | with sort_triangles_first: 0 for primitives (types 0..=3 by three bits), else 1 |
//! | 3 | 4-wide formats, with sort_triangles_first: 0 for type 1, else 1 (G-28; not bvh8, G-3) |
//! | 4 | distance |
//!
//! An exchange swaps only if the second key is strictly less; a NaN never swaps. Source: GPURT;
//! captured vectors for the ranks.

use super::{NOTHING, SIGN_BIT};

/// A child pointer, or 0xFFFFFFFF, with its distance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SortEntry {
    /// The result word.
    pub pointer: u32,
    /// What the heuristic sorts by.
    pub distance: f32,
}

/// Which of the ranks act.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SortOrder {
    /// Pointers by distance.
    Distance,
    /// Primitives before boxes.
    TrianglesFirst,
    /// Type 1 before other primitives before boxes.
    Type1First,
}

impl SortEntry {
    /// No child.
    pub const NONE: Self = Self { pointer: NOTHING, distance: f32::INFINITY };
}

/// Layers 1..=3 on the first four of eight entries; also the whole network of four.
const FIRST_HALF: [(usize, usize); 5] = [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)];
/// Layers 1..=3 on the last four of eight entries.
const SECOND_HALF: [(usize, usize); 5] = [(4, 6), (5, 7), (4, 5), (6, 7), (5, 6)];
/// Layers 4..=6, which merge the halves.
const MERGE: [(usize, usize); 9] =
    [(0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6)];

/// The pointers of four entries, nearest first: what [`sort_4`] makes of them with
/// [`SortOrder::Distance`].
#[must_use]
#[inline]
pub fn nearest_first(entries: &[SortEntry; 4]) -> [u32; 4] {
    if entries.iter().all(|entry| entry.pointer == NOTHING) {
        return [NOTHING; 4];
    }
    if entries.iter().any(|entry| entry.distance.is_nan()) {
        let mut entries = *entries;
        sort_4(&mut entries, SortOrder::Distance);
        return entries.map(|entry| entry.pointer);
    }
    // Both keys in the high half of a word, the pointer in the low one: an exchange is a choice
    // between two words, which takes no branch.
    let mut words = entries.map(|entry| {
        let is_none = entry.pointer == NOTHING;
        let key = if is_none { u32::MAX } else { ordered(entry.distance) };
        u64::from(key) << 32 | u64::from(entry.pointer)
    });
    for (first, second) in FIRST_HALF {
        let (a, b) = (words[first], words[second]);
        let precedes = b >> 32 < a >> 32;
        words[first] = if precedes { b } else { a };
        words[second] = if precedes { a } else { b };
    }
    words.map(|word| word as u32)
}

/// A number whose order is that of distances which are no NaN. Both zeros are the same; none is
/// `u32::MAX`.
#[inline]
fn ordered(distance: f32) -> u32 {
    let bits = (distance + 0.0).to_bits();
    let is_negative = bits & SIGN_BIT != 0;
    if is_negative { !bits } else { bits | SIGN_BIT }
}

/// Sorts four entries.
pub fn sort_4(entries: &mut [SortEntry; 4], order: SortOrder) {
    run(entries, &FIRST_HALF, order);
}

/// Sorts eight entries together if `wide`, else each half alone.
pub fn sort_8(entries: &mut [SortEntry; 8], order: SortOrder, wide: bool) {
    run(entries, &FIRST_HALF, order);
    run(entries, &SECOND_HALF, order);
    if wide {
        run(entries, &MERGE, order);
    }
}

fn run<const N: usize>(
    entries: &mut [SortEntry; N],
    exchanges: &[(usize, usize)],
    order: SortOrder,
) {
    let mut ranks = entries.map(|entry| rank(entry.pointer, order));
    for &(first, second) in exchanges {
        // Whether the key of the second is strictly less than that of the first.
        let precedes = if ranks[second] == ranks[first] {
            entries[second].distance < entries[first].distance
        } else {
            ranks[second] < ranks[first]
        };
        if precedes {
            entries.swap(first, second);
            ranks.swap(first, second);
        }
    }
}

/// What comes before the distance.
#[inline]
fn rank(pointer: u32, order: SortOrder) -> u8 {
    let missing = u8::from(pointer == NOTHING);
    let kind = match order {
        SortOrder::Distance => 0,
        SortOrder::TrianglesFirst => 2 * u8::from(pointer & 7 > 3),
        SortOrder::Type1First => 2 * u8::from(pointer & 7 > 3) + u8::from(pointer & 7 != 1),
    };
    4 * missing + kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entries<const N: usize>(list: [(u32, f32); N]) -> [SortEntry; N] {
        list.map(|(pointer, distance)| SortEntry { pointer, distance })
    }

    fn pointers<const N: usize>(entries: [SortEntry; N]) -> [u32; N] {
        entries.map(|entry| entry.pointer)
    }

    proptest! {
        #[test]
        fn distinct_distances_are_sorted(keys in any::<[u8; 8]>().prop_filter("distinct", |k| {
            (0..8).all(|i| (0..i).all(|j| k[i] != k[j]))
        }), types: [u8; 8]) {
            let mut list: [SortEntry; 8] = std::array::from_fn(|i| SortEntry {
                pointer: (i as u32) << 4 | u32::from(types[i] % 7),
                distance: f32::from(keys[i]),
            });
            let mut expected = list;
            expected.sort_by(|a, b| {
                let triangle = |e: &SortEntry| e.pointer & 7 > 3;
                triangle(a).cmp(&triangle(b)).then(a.distance.total_cmp(&b.distance))
            });
            sort_8(&mut list, SortOrder::TrianglesFirst, true);
            prop_assert_eq!(list, expected);
        }

        /// Few distances, so that many tie; infinities, NaN and both zeros among them.
        #[test]
        fn nearest_first_is_the_network(keys in any::<[u8; 4]>(), present in any::<[bool; 4]>()) {
            let distances = [-1.0, -0.0, 0.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
            let list: [SortEntry; 4] = std::array::from_fn(|i| SortEntry {
                pointer: if present[i] { (i as u32) << 4 | 5 } else { NOTHING },
                distance: distances[usize::from(keys[i]) % 7],
            });
            let mut plain = list;
            sort_4(&mut plain, SortOrder::Distance);
            prop_assert_eq!(nearest_first(&list), pointers(plain));
        }

        #[test]
        fn halves_stay_apart_without_wide_sort(keys in any::<[u8; 8]>()) {
            let mut list: [SortEntry; 8] = std::array::from_fn(|i| SortEntry {
                pointer: (i as u32) << 4 | 5,
                distance: f32::from(keys[i]),
            });
            sort_8(&mut list, SortOrder::Distance, false);
            for half in list.chunks(4) {
                prop_assert!(half.windows(2).all(|w| w[0].distance <= w[1].distance));
            }
            prop_assert!(list[..4].iter().all(|e| e.pointer < 0x40));
        }
    }

    #[test]
    fn the_network_is_not_stable() {
        // Followed by hand: (0,2) and (1,3) do nothing, (0,1) swaps a and b, (1,2) nothing: a and c
        // tie.
        let mut list = entries([(0xA5, 2.0), (0xB5, 1.0), (0xC5, 2.0), (0xD5, 2.0)]);
        sort_4(&mut list, SortOrder::Distance);
        assert_eq!(pointers(list), [0xB5, 0xA5, 0xC5, 0xD5]);
        // (0,2) moves c to the front, past b, which had the same distance as a.
        let mut list = entries([(0xA5, 2.0), (0xB5, 2.0), (0xC5, 1.0), (0xD5, 3.0)]);
        sort_4(&mut list, SortOrder::Distance);
        assert_eq!(pointers(list), [0xC5, 0xB5, 0xA5, 0xD5]);
    }

    #[test]
    fn nan_never_swaps_but_misses_still_sink() {
        let mut list = entries([(0xA5, f32::NAN), (NOTHING, 0.0), (0xC5, 0.0), (0xD5, f32::NAN)]);
        sort_4(&mut list, SortOrder::Distance);
        assert_eq!(pointers(list), [0xA5, 0xD5, 0xC5, NOTHING]);
    }

    #[test]
    fn type_1_leads_only_where_asked() {
        let list = entries([(0x10, 1.0), (0x21, 2.0), (0x35, 0.0), (NOTHING, 0.0)]);
        let sorted = |order| {
            let mut copy = list;
            sort_4(&mut copy, order);
            pointers(copy)
        };
        assert_eq!(sorted(SortOrder::Type1First), [0x21, 0x10, 0x35, NOTHING]);
        assert_eq!(sorted(SortOrder::TrianglesFirst), [0x10, 0x21, 0x35, NOTHING]);
        assert_eq!(sorted(SortOrder::Distance), [0x35, 0x10, 0x21, NOTHING]);
    }
}
