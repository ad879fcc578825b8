//! A hart for cases: registers, and memory where a case puts it.

use crate::memory::{FaultKind, HartPort, Memory, MemoryFault};
use std::collections::BTreeMap;

/// Registers and bytes by address. What no case put there is not backed.
#[derive(Debug, Clone, Default)]
pub(super) struct SparseHart {
    registers: [u64; 32],
    bytes: BTreeMap<u64, u8>,
}

impl SparseHart {
    /// Backs memory with bytes.
    pub(super) fn put(&mut self, address: u64, bytes: &[u8]) {
        for (offset, byte) in (0..).zip(bytes) {
            self.bytes.insert(address.wrapping_add(offset), *byte);
        }
    }

    /// Backs `length` bytes of zeros where nothing is yet.
    pub(super) fn back(&mut self, address: u64, length: u64) {
        for offset in 0..length {
            self.bytes.entry(address.wrapping_add(offset)).or_insert(0);
        }
    }

    /// Puts elements of `width` bytes.
    pub(super) fn put_elements(&mut self, address: u64, elements: &[u32], width: usize) {
        let bytes: Vec<u8> =
            elements.iter().flat_map(|element| element.to_le_bytes()[..width].to_vec()).collect();
        self.put(address, &bytes);
    }

    /// All memory.
    pub(super) fn memory(&self) -> &BTreeMap<u64, u8> {
        &self.bytes
    }
}

impl Memory for SparseHart {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        for (offset, byte) in (0..).zip(bytes) {
            let address = address.wrapping_add(offset);
            let fault = MemoryFault { kind: FaultKind::Access, address };
            *byte = *self.bytes.get(&address).ok_or(fault)?;
        }
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.load(address, &mut vec![0; bytes.len()])?;
        self.put(address, bytes);
        Ok(())
    }
}

impl HartPort for SparseHart {
    fn x(&self, register: u8) -> u64 {
        self.registers[usize::from(register)]
    }

    fn set_x(&mut self, register: u8, value: u64) {
        if register != 0 {
            self.registers[usize::from(register)] = value;
        }
    }
}
