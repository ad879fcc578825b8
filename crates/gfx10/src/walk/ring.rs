//! Stacks: GFX11's instruction, and the ring that drivers keep in software before it.

use crate::stack::{ENTRY_STRIDE, INVALID, StackSize, TERMINAL, ds_bvh_stack_rtn_b32};

/// The stack of a loop. Both take what the instruction takes, and give what it gives.
#[derive(Debug, Clone)]
pub(super) enum Stack {
    /// Entries from `low` on are there; those below it were overwritten.
    Ring { entries: Box<[u32]>, top: u32, low: u32 },
    /// LDS of one lane, and its address register.
    Lds { lds: Box<[u32]>, address: u32, size: StackSize },
}

impl Stack {
    /// A ring of so many entries.
    pub(super) fn ring(size: u8) -> Self {
        let entries = vec![INVALID; size.max(1).into()].into_boxed_slice();
        Self::Ring { entries, top: 0, low: 0 }
    }

    /// The stack of the instruction.
    pub(super) fn lds(size: StackSize) -> Self {
        let lds = vec![0; ENTRY_STRIDE * size.entries() as usize].into_boxed_slice();
        Self::Lds { lds, address: 0, size }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Ring { top, low, .. } => (*top, *low) = (0, 0),
            Self::Lds { address, .. } => *address = 0,
        }
    }

    /// Entries pushed and not popped, lost ones included.
    pub(super) fn depth(&self) -> u32 {
        match self {
            Self::Ring { top, .. } => *top,
            Self::Lds { address, .. } => *address,
        }
    }

    /// Pushes what comes behind `last` and gives the next node. [`INVALID`] says that the next
    /// entry was lost; it still counts.
    pub(super) fn next(&mut self, last: u32, data: [u32; 4]) -> u32 {
        match self {
            Self::Lds { lds, address, size } => {
                let next = ds_bvh_stack_rtn_b32(lds, address, last, data, *size);
                // Both drivers: the index has moved one too far.
                *address += u32::from(next == INVALID);
                next
            }
            Self::Ring { entries, top, low } => {
                let size = entries.len() as u32;
                let behind = match data.iter().position(|&node| node == last) {
                    _ if last == INVALID => &data[..],
                    Some(position) => &data[position + 1..],
                    None => &[],
                };
                for &node in behind.iter().rev().filter(|&&node| node != INVALID) {
                    entries[(*top % size) as usize] = node;
                    *top += 1;
                    *low = (*low).max(top.saturating_sub(size));
                }
                if *top == 0 {
                    TERMINAL
                } else if *low >= *top {
                    INVALID
                } else {
                    *top -= 1;
                    entries[(*top % size) as usize]
                }
            }
        }
    }
}
