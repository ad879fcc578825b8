//! The decode cache: for every page of RAM that code has run in, one decoded instruction for each
//! halfword.
//!
//! Stores drop the instructions that they change, so self-modifying code is seen at once; `fence.i`
//! has nothing left to do but says so anyway.

use super::{CODE, Memory, PAGE_SHIFT, RAM_BASE};
use crate::instruction::Instruction;

/// Halfwords in a page.
const SLOTS: usize = 1 << (PAGE_SHIFT - 1);

/// Decoded instructions by place.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecodeCache {
    pages: Vec<Option<Box<[Instruction; SLOTS]>>>,
}

impl DecodeCache {
    /// The instruction at `pc`, if it has been decoded.
    #[inline]
    pub(crate) fn get(&self, pc: u64) -> Option<Instruction> {
        let offset = pc.wrapping_sub(RAM_BASE);
        let page = self.pages.get((offset >> PAGE_SHIFT) as usize)?.as_ref()?;
        Some(page[(offset >> 1) as usize % SLOTS])
    }

    /// Remembers the instruction at `pc`, if that is in RAM.
    pub(crate) fn insert(&mut self, pc: u64, instruction: Instruction, memory: &mut Memory) {
        let offset = pc.wrapping_sub(RAM_BASE);
        if offset + instruction.length() > memory.ram_size() {
            return;
        }
        let page = (offset >> PAGE_SHIFT) as usize;
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        let slots =
            self.pages[page].get_or_insert_with(|| Box::new([Instruction::UNDECODED; SLOTS]));
        slots[(offset >> 1) as usize % SLOTS] = instruction;
        // An instruction may end in the next page.
        for page in page..=((offset + instruction.length() - 1) >> PAGE_SHIFT) as usize {
            memory.pages[page] |= CODE;
        }
    }

    /// Forgets the instructions that stores have changed, also one that begins before the first
    /// byte. The rest of the page stays: data often lies beside code.
    pub(crate) fn drop_stale(&mut self, memory: &mut Memory) {
        for (start, size) in memory.stale.drain(..) {
            for slot in start.saturating_sub(2) >> 1..=(start + size - 1) >> 1 {
                if let Some(Some(page)) = self.pages.get_mut(slot / SLOTS) {
                    page[slot % SLOTS] = Instruction::UNDECODED;
                }
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, memory: &mut Memory) {
        self.pages.clear();
        memory.stale.clear();
        for flags in &mut memory.pages {
            *flags &= !CODE;
        }
    }
}
