//! Sorting large lists. A standard library that is compiled for size has the smallest way of
//! sorting, not a quick one; what rayon sorts on all threads is too much for that.
//!
//! Hoare's quicksort around the median of three; short parts are left to insertion, and parts that
//! hardly split to the standard library.

use std::cmp::Ordering;

/// Items of a part that are inserted one by one.
const FEW: usize = 16;

/// Sorts by an order; equal items come in any order.
pub(crate) fn sort<T>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    let most_splits = 2 * (usize::BITS - items.len().leading_zeros());
    split(items, &mut order, most_splits);
}

fn split<T>(mut items: &mut [T], order: &mut impl FnMut(&T, &T) -> Ordering, mut splits: u32) {
    while items.len() > FEW {
        if splits == 0 {
            return items.sort_unstable_by(order);
        }
        splits -= 1;
        let middle = around_median(items, order);
        let (before, after) = std::mem::take(&mut items).split_at_mut(middle);
        let after = &mut after[1..];
        let (short, long) =
            if before.len() < after.len() { (before, after) } else { (after, before) };
        split(short, order, splits);
        items = long;
    }
    insert_each(items, order);
}

/// Brings what is less than some item before it, and what is greater behind it; says where it is.
fn around_median<T>(items: &mut [T], order: &mut impl FnMut(&T, &T) -> Ordering) -> usize {
    let (middle, last) = (items.len() / 2, items.len() - 1);
    let mut is_less = |items: &[T], a: usize, b: usize| order(&items[a], &items[b]).is_lt();
    // The median of the three to the front.
    if is_less(items, middle, 0) {
        items.swap(0, middle);
    }
    if is_less(items, last, middle) {
        items.swap(middle, last);
    }
    if is_less(items, 0, middle) {
        items.swap(0, middle);
    }
    let (mut low, mut high) = (1, items.len());
    loop {
        while low < high && is_less(items, low, 0) {
            low += 1;
        }
        while low < high && is_less(items, 0, high - 1) {
            high -= 1;
        }
        if low + 1 >= high {
            break;
        }
        items.swap(low, high - 1);
        (low, high) = (low + 1, high - 1);
    }
    items.swap(0, low - 1);
    low - 1
}

fn insert_each<T>(items: &mut [T], order: &mut impl FnMut(&T, &T) -> Ordering) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && order(&items[at], &items[at - 1]).is_lt() {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort;

    /// Random, sorted, reversed, equal and saw-toothed lists of every length up to some hundreds.
    #[test]
    fn lists_are_sorted() {
        let mut state = 0x1234_5678_9ABC_DEF1u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for length in (0..300).chain([5_000, 70_000]) {
            let lists: [Vec<u64>; 6] = [
                (0..length).map(|_| random()).collect(),
                (0..length).map(|_| random() % 7).collect(),
                (0..length).collect(),
                (0..length).rev().collect(),
                vec![42; length as usize],
                (0..length).map(|k| k % 13).collect(),
            ];
            for list in lists {
                let (mut sorted, mut expected) = (list.clone(), list);
                sort(&mut sorted, Ord::cmp);
                expected.sort_unstable();
                assert_eq!(sorted, expected, "{length} items");
            }
        }
    }
}
