//! What the hart's addresses lead to.
//!
//! | region | address | size |
//! |---|---|---|
//! | boot ROM | 0x0000_1000 | 4 KiB |
//! | CLINT | 0x0200_0000 | 64 KiB |
//! | LDS | 0x7000_0000 | 64 KiB |
//! | RAM | 0x8000_0000 | 128 MiB by default |
//!
//! Everything else is unbacked. Physical accesses live here; who may make them is the business of
//! [`crate::core::Core`], which knows privileges.

mod clint;
mod code;

pub use clint::Clint;
pub(crate) use code::DecodeCache;

/// Where the boot ROM starts.
pub const ROM_BASE: u64 = 0x1000;
/// Bytes of boot ROM.
pub const ROM_SIZE: u64 = 0x1000;
/// Where the CLINT starts.
pub const CLINT_BASE: u64 = 0x0200_0000;
/// Bytes that the CLINT takes up.
pub const CLINT_SIZE: u64 = 0x1_0000;
/// Where the local memory of the ray-tracing unit starts.
pub const LDS_BASE: u64 = 0x7000_0000;
/// Where RAM starts.
pub const RAM_BASE: u64 = 0x8000_0000;
/// log2 of the bytes in which code and watched addresses are tracked.
pub(crate) const PAGE_SHIFT: u32 = 12;

/// RAM, LDS, ROM, and what must be told of stores.
#[derive(Debug, Clone)]
pub struct Memory {
    ram: Vec<u8>,
    lds: Vec<u8>,
    rom: Vec<u8>,
    /// One byte for each page of RAM: [`CODE`] and [`WATCHED`].
    pages: Vec<u8>,
    /// Stores to pages with code since the decode cache looked: offset in RAM and size.
    stale: Vec<(usize, usize)>,
    /// A store has touched a watched page.
    touched: bool,
    /// A store has touched a watched page, or code.
    dirty: bool,
}

/// Instructions of this page are in the decode cache.
const CODE: u8 = 1;
/// The host looks at this page after every store (tohost).
const WATCHED: u8 = 2;

/// Nothing is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unbacked;

impl Memory {
    /// Memory of these sizes in bytes, filled with zeros.
    #[must_use]
    pub fn new(ram: u64, lds: u64) -> Self {
        let pages = (ram >> PAGE_SHIFT) as usize + 1;
        Self {
            ram: vec![0; ram as usize],
            lds: vec![0; lds as usize],
            rom: vec![0; ROM_SIZE as usize],
            pages: vec![0; pages],
            stale: Vec::new(),
            touched: false,
            dirty: false,
        }
    }

    /// Bytes of RAM.
    #[must_use]
    pub fn ram_size(&self) -> u64 {
        self.ram.len() as u64
    }

    /// Bytes of LDS.
    #[must_use]
    pub fn lds_size(&self) -> u64 {
        self.lds.len() as u64
    }

    /// The `N` bytes at `address`.
    #[inline]
    pub fn read<const N: usize>(&self, address: u64) -> Result<[u8; N], Unbacked> {
        let offset = address.wrapping_sub(RAM_BASE) as usize;
        if let Some(end) = offset.checked_add(N)
            && let Some(bytes) = self.ram.get(offset..end)
            && let Ok(bytes) = bytes.try_into()
        {
            return Ok(bytes);
        }
        self.read_elsewhere(address)
    }

    #[cold]
    fn read_elsewhere<const N: usize>(&self, address: u64) -> Result<[u8; N], Unbacked> {
        let bytes = self.slice(address, N as u64).ok_or(Unbacked)?;
        bytes.try_into().map_err(|_| Unbacked)
    }

    /// Stores `bytes` at `address`; all of them or none.
    #[inline]
    pub fn write<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Unbacked> {
        let offset = address.wrapping_sub(RAM_BASE) as usize;
        let page = offset >> PAGE_SHIFT;
        if let Some(end) = offset.checked_add(N)
            && (end - 1) >> PAGE_SHIFT == page
            && self.pages.get(page) == Some(&0)
            && let Some(place) = self.ram.get_mut(offset..end)
        {
            place.copy_from_slice(&bytes);
            return Ok(());
        }
        self.write_bytes(address, &bytes)
    }

    /// The bytes from `address` on, if one region backs them all. The CLINT is not memory.
    #[must_use]
    pub fn slice(&self, address: u64, size: u64) -> Option<&[u8]> {
        let (region, base) = match address {
            RAM_BASE.. => (&self.ram, RAM_BASE),
            LDS_BASE.. => (&self.lds, LDS_BASE),
            _ => (&self.rom, ROM_BASE),
        };
        let start = usize::try_from(address.checked_sub(base)?).ok()?;
        region.get(start..start.checked_add(usize::try_from(size).ok()?)?)
    }

    /// Stores any number of bytes; all of them or none. ROM cannot be written.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unbacked> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (region, base) = match address {
            RAM_BASE.. => (&mut self.ram, RAM_BASE),
            LDS_BASE.. => (&mut self.lds, LDS_BASE),
            _ => return Err(Unbacked),
        };
        let start = usize::try_from(address - base).map_err(|_| Unbacked)?;
        let end = start.checked_add(bytes.len()).ok_or(Unbacked)?;
        region.get_mut(start..end).ok_or(Unbacked)?.copy_from_slice(bytes);
        if base == RAM_BASE {
            self.touch(start, end);
        }
        Ok(())
    }

    /// Puts the first instructions where `--boot-rom` starts.
    pub(crate) fn write_rom(&mut self, words: &[u32]) {
        for (place, word) in self.rom.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Asks to be told of stores to the page of `address`.
    pub(crate) fn watch(&mut self, address: u64) {
        if let Some(flags) = self.pages.get_mut(ram_page(address)) {
            *flags |= WATCHED;
        }
    }

    /// Whether stores have touched code or watched pages since [`Memory::take_touched`].
    #[inline]
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Whether a store has touched a watched page since the last call.
    pub(crate) fn take_touched(&mut self) -> bool {
        self.dirty = false;
        std::mem::take(&mut self.touched)
    }

    fn touch(&mut self, start: usize, end: usize) {
        let pages = self.pages.get(start >> PAGE_SHIFT..=(end - 1) >> PAGE_SHIFT);
        let flags = pages.unwrap_or_default().iter().fold(0, |all, flags| all | flags);
        if flags & CODE != 0 {
            self.stale.push((start, end - start));
        }
        self.touched |= flags & WATCHED != 0;
        self.dirty |= flags != 0;
    }
}

fn ram_page(address: u64) -> usize {
    (address.wrapping_sub(RAM_BASE) >> PAGE_SHIFT) as usize
}
