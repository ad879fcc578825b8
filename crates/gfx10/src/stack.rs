//! `ds_bvh_stack_rtn_b32`: GFX11's traversal stack in LDS (R-15).
//!
//! The address register has the base in dwords in bits 18..32 and the count of entries that were
//! pushed and not popped, lost ones included, in bits 0..18. Entry `i` lies at dword
//! `base + 32 (i mod size)`: one for each of 32 lanes. A popped entry is overwritten with
//! 0xFFFFFFFF, so that a pop which finds that value knows that entries were lost; the index has
//! then moved one too far.
//!
//! Sources: GPURT's emulation, LLPC; the guides' pseudocode says otherwise.
//!
//! ```
//! use gfx10::stack::{INVALID, StackSize, TERMINAL, ds_bvh_stack_rtn_b32};
//! let (mut lds, mut address) = ([0; 512], 0);
//! let mut stack = |last, data| {
//!     ds_bvh_stack_rtn_b32(&mut lds, &mut address, last, data, StackSize::SIXTEEN)
//! };
//! assert_eq!(stack(INVALID, [0x15, 0x25, 0x35, 0x45]), 0x15);
//! assert_eq!(stack(TERMINAL, [INVALID; 4]), 0x25);
//! // Coming back from 0x25: what is behind it in the answer is pushed again.
//! assert_eq!(stack(0x25, [0x15, 0x25, 0x35, 0x45]), 0x35);
//! ```

use bvh4::image::Rule;
use machine::Finding;

/// No child; an entry that was lost.
pub const INVALID: u32 = 0xFFFF_FFFF;
/// The stack is empty; as the last node: pop only.
pub const TERMINAL: u32 = 0xFFFF_FFFE;
/// Dwords from one entry to the next.
pub const ENTRY_STRIDE: usize = 32;
/// The base of a stack in its address register.
pub const BASE_SHIFT: u32 = 18;
/// The index of a stack in its address register.
pub const INDEX_MASK: u32 = (1 << BASE_SHIFT) - 1;

/// The first base that RADV's loop takes for a negative number (R-15).
pub const BASE_LIMIT: u32 = 8192;

/// What is wrong with the address of a stack: a base whose sign bit RADV's comparison reads.
#[must_use]
pub fn check_address(address: u32) -> Option<Finding> {
    let base = address >> BASE_SHIFT;
    (base >= BASE_LIMIT).then(|| Finding {
        severity: Rule::StackBase.severity(),
        rule: Rule::StackBase.name(),
        offset: 0,
        bits: BASE_SHIFT..32,
        found: format!("base {base}"),
        expected: format!("a base below {BASE_LIMIT} dwords"),
        place: "stack address".into(),
        count: 1,
        weight: 0,
    })
}

/// Entries of a stack: 8, 16, 32 or 64, two bits of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct StackSize {
    code: u8,
}

impl StackSize {
    /// What both drivers use.
    pub const SIXTEEN: Self = Self { code: 1 };

    /// The size of bits 4 and 5 of OFFSET1.
    #[must_use]
    pub const fn of_code(code: u8) -> Self {
        Self { code: code & 3 }
    }

    /// The size with so many entries, if there is one.
    #[must_use]
    pub fn of_entries(entries: u32) -> Option<Self> {
        (0..4).map(Self::of_code).find(|size| size.entries() == entries)
    }

    /// How many entries.
    #[must_use]
    pub const fn entries(self) -> u32 {
        8 << self.code
    }
}

/// Executes the instruction: pushes what comes behind `last` in `data`, nearest first, and gives
/// the next node. Entries outside `lds` read 0 and are not written.
pub fn ds_bvh_stack_rtn_b32(
    lds: &mut [u32],
    address: &mut u32,
    last: u32,
    data: [u32; 4],
    size: StackSize,
) -> u32 {
    let base = *address >> BASE_SHIFT;
    let mut index = *address & INDEX_MASK;
    let place = |index: u32| (base as usize) + ENTRY_STRIDE * (index % size.entries()) as usize;
    let mut is_active = last == INVALID || data.contains(&last);
    for node in data[1..].iter().rev().copied() {
        is_active &= last == INVALID || node != last;
        if is_active && node != INVALID {
            if let Some(entry) = lds.get_mut(place(index)) {
                *entry = node;
            }
            index = (index + 1).min(INDEX_MASK);
        }
    }
    is_active &= last == INVALID || data[0] != last;
    let next = if is_active && data[0] != INVALID {
        data[0]
    } else if index == 0 {
        TERMINAL
    } else {
        index -= 1;
        lds.get_mut(place(index)).map_or(0, |entry| std::mem::replace(entry, INVALID))
    };
    *address = base << BASE_SHIFT | index;
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_that_look_negative_are_named() {
        assert_eq!(check_address(8191 << BASE_SHIFT | 7), None);
        let found = check_address(8192 << BASE_SHIFT).unwrap();
        assert_eq!((found.rule, &found.found[..]), ("stack_base", "base 8192"));
    }
}
