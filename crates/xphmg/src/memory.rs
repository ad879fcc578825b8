//! Memory and registers as the unit sees them: what a hart lends it.

/// Memory with faults.
pub trait Memory {
    /// Fills `bytes` from `address` on.
    ///
    /// # Errors
    /// When some of it is not backed by memory, or not mapped; `bytes` may then hold anything.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault>;

    /// Stores `bytes` from `address` on.
    ///
    /// # Errors
    /// When some of it is not backed by memory, or not mapped; nothing is stored then.
    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault>;

    /// Accounts for `steps` of work that one instruction did beyond its own; `false` if whoever
    /// runs the program wants no more of it.
    fn spend(&mut self, steps: u64) -> bool {
        let _ = steps;
        true
    }
}

/// Memory and integer registers.
pub trait HartPort: Memory {
    /// An integer register; x0 reads 0.
    fn x(&self, register: u8) -> u64;

    /// Writes an integer register; x0 keeps its 0.
    fn set_x(&mut self, register: u8, value: u64);
}

/// A load or store that cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?} fault at {address:#x}")]
pub struct MemoryFault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where.
    pub address: u64,
}

/// Kinds of memory faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Nothing is there.
    Access,
    /// A page is not mapped.
    Page,
}

/// Loads an array of bytes.
pub(crate) fn load_array<const N: usize>(
    memory: &mut (impl Memory + ?Sized),
    address: u64,
) -> Result<[u8; N], MemoryFault> {
    let mut bytes = [0; N];
    memory.load(address, &mut bytes)?;
    Ok(bytes)
}

/// Little-endian u32 at an offset; 0 past the end.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    element_at(bytes, offset, 4)
}

/// Little-endian u64 at an offset.
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from(u32_at(bytes, offset)) | u64::from(u32_at(bytes, offset + 4)) << 32
}

/// A little-endian element of 1, 2 or 4 bytes; 0 past the end.
pub(crate) fn element_at(bytes: &[u8], offset: usize, width: usize) -> u32 {
    let mut word = [0; 4];
    if let Some(element) = bytes.get(offset..offset + width) {
        word[..width].copy_from_slice(element);
    }
    u32::from_le_bytes(word)
}
