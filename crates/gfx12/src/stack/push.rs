//! The push phase: which of the eight data dwords go on the stack.
//!
//! Data 0 is nearest; pushing from 7 down to 0 leaves it on top. Special values are dropped, and
//! some of them make the rest be skipped. In a walkback step only what comes after `last` is
//! pushed. In range mode every primitive counts as `last`: primitives were sorted first and have
//! been visited. A range update looks at data 7 alone.

use super::ring::Ring;
use crate::layout::NodePointer;

/// Pushes what the data and `last` say.
pub(super) fn push8(ring: &mut Ring<'_>, last: u32, data: &[u32; 8], range_mode: bool) {
    for_each_pushed(last, data, range_mode, |x| ring.push(x));
}

/// What is pushed, in order.
pub(crate) fn for_each_pushed(
    last: u32,
    data: &[u32; 8],
    range_mode: bool,
    mut push: impl FnMut(u32),
) {
    let walkback = !is_special(last);
    let matches = data.map(|x| x == last || (range_mode && NodePointer(x).is_primitive()));
    let update = range_mode && !walkback && !bit(last, 2);
    let range_ended = update && bit(last, 1);
    let last_is_visited = range_mode && NodePointer(last).is_primitive();
    let mut go = (!walkback || matches.contains(&true) || last_is_visited) && !range_ended;

    let (mut skip_4_7, mut skip_0_3) = (false, false);
    for k in (4..8).rev() {
        let x = data[k];
        let skips = is_special(x) && go && !skip_4_7;
        skip_0_3 |= skips && !bit(x, 1);
        skip_4_7 |= skips && !bit(x, 2);
        if update && k == 6 {
            (skip_0_3, skip_4_7) = (true, true);
        }
        go &= !(walkback && matches[k]);
        if go && !is_special(x) && !skip_4_7 {
            let moved = if k == 7 && update { NodePointer(x).advance(bit(last, 0)).0 } else { x };
            push(moved);
        }
    }
    for k in (0..4).rev() {
        let x = data[k];
        skip_0_3 |= is_special(x) && !bit(x, 1) && go && !skip_0_3;
        go &= !(walkback && matches[k]);
        if go && !is_special(x) && !skip_0_3 {
            push(x);
        }
    }
}

fn is_special(x: u32) -> bool {
    NodePointer(x).is_special()
}

fn bit(x: u32, n: u32) -> bool {
    x >> n & 1 != 0
}
