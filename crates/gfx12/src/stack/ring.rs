//! The ring of entries: pushing and popping one.

use super::{ENTRY_STRIDE, StackAddress};
use crate::layout::NodePointer;

/// A stack of one lane: its address register, taken apart, and the memory behind it.
pub(super) struct Ring<'a> {
    lds: &'a mut [u32],
    pub(super) address: StackAddress,
    size: u8,
}

impl<'a> Ring<'a> {
    pub(super) fn new(lds: &'a mut [u32], address: u32, size: u8) -> Self {
        Self { lds, address: StackAddress::from_register(address), size: size & 31 }
    }

    /// Puts a node on top; a full ring loses its oldest entry.
    pub(super) fn push(&mut self, node: u32) {
        let slot = self.slot(self.address.ring_index);
        if let Some(entry) = self.lds.get_mut(slot) {
            *entry = node;
        }
        let (size, address) = (self.size, &mut self.address);
        address.overflowed |= address.valid_entries == size;
        let last = address.ring_index == size.wrapping_sub(1);
        address.ring_index = if last { 0 } else { (address.ring_index + 1) & 31 };
        if address.entries_to_tlas == size {
            // The entries of the outer structure have been overwritten.
            address.has_tlas_in_stack = false;
        }
        address.entries_to_tlas = (address.entries_to_tlas + 1).min(size);
        address.valid_entries = (address.valid_entries + 1).min(size);
    }

    /// Takes the top; INVALID when entries were lost, TERMINAL when none ever were.
    pub(super) fn pop(&mut self) -> u32 {
        let address = &mut self.address;
        address.blas_to_tlas_pop = address.entries_to_tlas == 0 && address.has_tlas_in_stack;
        if address.blas_to_tlas_pop {
            address.has_tlas_in_stack = false;
        }
        if address.valid_entries == 0 {
            address.blas_to_tlas_pop = false;
            address.has_tlas_in_stack = false;
            let end = if address.overflowed { NodePointer::INVALID } else { NodePointer::TERMINAL };
            return end.0;
        }
        let node = self.top();
        self.drop_top();
        if is_instance(node) {
            let address = &mut self.address;
            if address.has_tlas_in_stack {
                // Entries of a structure further out are given up.
                address.valid_entries = address.entries_to_tlas;
                address.overflowed = true;
            }
            address.has_tlas_in_stack = true;
            address.entries_to_tlas = 0;
        }
        node
    }

    /// Takes the top only if it belongs to the current structure and is no instance; a refusal
    /// changes nothing, and what the last pop found stays.
    pub(super) fn try_pop(&mut self) -> Option<u32> {
        let at_tlas = self.address.entries_to_tlas == 0 && self.address.has_tlas_in_stack;
        if at_tlas || self.address.valid_entries == 0 || is_instance(self.top()) {
            return None;
        }
        let node = self.top();
        self.drop_top();
        // An entry that reads INVALID counts as a refusal by its value.
        (node != NodePointer::INVALID.0).then_some(node)
    }

    fn top(&self) -> u32 {
        self.lds.get(self.slot(self.index_of_top())).copied().unwrap_or(0)
    }

    fn drop_top(&mut self) {
        self.address.ring_index = self.index_of_top();
        self.address.entries_to_tlas = self.address.entries_to_tlas.saturating_sub(1);
        self.address.valid_entries = self.address.valid_entries.saturating_sub(1);
    }

    fn index_of_top(&self) -> u8 {
        let index = self.address.ring_index;
        if index == 0 { self.size.wrapping_sub(1) & 31 } else { index - 1 }
    }

    fn slot(&self, index: u8) -> usize {
        usize::from(self.address.base) + usize::from(index) * ENTRY_STRIDE
    }
}

fn is_instance(node: u32) -> bool {
    NodePointer(node).is_instance()
}
