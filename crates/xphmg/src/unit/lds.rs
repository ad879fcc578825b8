//! Local memory: 64 KiB of ordinary memory, handed out in blocks of 64 bytes.

use super::xmem::{Events, Xmem};

/// The allocator. First fit; the same calls give the same addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lds {
    base: u64,
    bytes: u64,
    /// Start and length of each block in use, by address.
    used: Vec<(u64, u64)>,
}

/// What an allocation gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    /// The address; 0 if there is no room.
    pub address: u64,
    /// What to note.
    pub events: Events,
}

const BLOCK: u64 = 64;

impl Default for Lds {
    fn default() -> Self {
        Self::new(0x7000_0000, 64 * 1024)
    }
}

impl Lds {
    /// Local memory at an address.
    #[must_use]
    pub fn new(base: u64, bytes: u64) -> Self {
        Self { base, bytes, used: Vec::new() }
    }

    /// The same memory with nothing in use.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::new(self.base, self.bytes)
    }

    /// Changes the size.
    pub fn resize(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// Whether an address lies in local memory.
    #[must_use]
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }

    /// Allocates at least one block. Exceeding the class's budget is noted and still succeeds.
    pub fn allocate(&mut self, bytes: u64, xmem: &Xmem) -> Allocation {
        let none = Allocation { address: 0, events: Events::LDS_OOM };
        let Some(bytes) = bytes.max(1).checked_next_multiple_of(BLOCK) else { return none };
        let first = self.base.next_multiple_of(BLOCK);
        let end = self.base.saturating_add(self.bytes);
        let mut address = first;
        let mut position = 0;
        for (start, length) in &self.used {
            if start - address >= bytes {
                break;
            }
            address = start + length;
            position += 1;
        }
        if bytes > end.saturating_sub(address) {
            return none;
        }
        self.used.insert(position, (address, bytes));
        let in_use: u64 = self.used.iter().map(|(_, length)| length).sum();
        let over = xmem.lds_budget().is_some_and(|budget| in_use > budget);
        let events = if over { Events::BUDGET_OVF } else { Events::empty() };
        Allocation { address, events }
    }

    /// Frees the block at an address; any other address is ignored.
    pub fn free(&mut self, address: u64) {
        self.used.retain(|(start, _)| *start != address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_reused_and_end() {
        let (mut lds, mut xmem) = (Lds::default(), Xmem::default());
        let first = lds.allocate(100, &xmem).address;
        let second = lds.allocate(0, &xmem).address;
        assert_eq!((first, second), (0x7000_0000, 0x7000_0080));
        lds.free(first);
        assert_eq!(lds.allocate(64, &xmem).address, first);
        assert_eq!(lds.allocate(128, &xmem).address, 0x7000_00C0);
        let too_much = lds.allocate(u64::MAX, &xmem);
        assert_eq!((too_much.address, too_much.events), (0, Events::LDS_OOM));
        xmem.write(0x7E4, 1); // one KiB for class 0
        let over = lds.allocate(2048, &xmem);
        assert_eq!((over.address, over.events), (0x7000_0140, Events::BUDGET_OVF));
        assert_eq!(lds.allocate(0xF700, &xmem).address, 0);
    }
}
