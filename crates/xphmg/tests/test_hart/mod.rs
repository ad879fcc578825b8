//! A hart of registers and some memory.

#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use xphmg::memory::{FaultKind, HartPort, Memory, MemoryFault};

/// Where its memory starts.
pub(crate) const BASE: u64 = 0x8000_0000;

pub(crate) struct TestHart {
    pub(crate) x: [u64; 32],
    pub(crate) bytes: Vec<u8>,
}

impl TestHart {
    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) {
        self.store(address, bytes).unwrap();
    }

    pub(crate) fn put_words(&mut self, address: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(address, &bytes);
    }

    pub(crate) fn put_floats(&mut self, address: u64, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.put_words(address, &words);
    }

    pub(crate) fn words(&mut self, address: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * count];
        self.load(address, &mut bytes).unwrap();
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }
}

impl Memory for TestHart {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        let fault = MemoryFault { kind: FaultKind::Access, address };
        let start = usize::try_from(address.checked_sub(BASE).ok_or(fault)?).map_err(|_| fault)?;
        let end = start.checked_add(bytes.len()).ok_or(fault)?;
        bytes.copy_from_slice(self.bytes.get(start..end).ok_or(fault)?);
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.load(address, &mut vec![0; bytes.len()])?;
        let start = (address - BASE) as usize;
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

impl HartPort for TestHart {
    fn x(&self, register: u8) -> u64 {
        self.x[usize::from(register)]
    }

    fn set_x(&mut self, register: u8, value: u64) {
        if register != 0 {
            self.x[usize::from(register)] = value;
        }
    }
}
