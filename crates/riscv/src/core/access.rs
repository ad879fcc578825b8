//! Loads, stores and fetches, and their faults.
//!
//! Scalar accesses need no alignment (Zicclsm); LR, SC, AMOs and operands of extensions ask for it
//! with [`Core::check_aligned`].

use super::Core;
use crate::commit::MemoryAccess;
use crate::memory::{CLINT_BASE, CLINT_SIZE};
use crate::trap::{Cause, Trap};

/// What an access wants, which decides the cause of its fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To execute.
    Fetch,
    /// To read.
    Load,
    /// To write, or to read and write at once.
    Store,
}

impl Access {
    fn fault(self, address: u64) -> Trap {
        let cause = match self {
            Self::Fetch => Cause::FetchAccess,
            Self::Load => Cause::LoadAccess,
            Self::Store => Cause::StoreAccess,
        };
        Trap::new(cause, address)
    }
}

impl Core {
    /// Loads `N` bytes.
    #[inline]
    pub fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trap> {
        if !self.check_protection
            && let Ok(bytes) = self.memory.read(address)
        {
            return Ok(bytes);
        }
        self.load_checked(address, Access::Load)
    }

    /// Stores `N` bytes.
    #[inline]
    pub fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trap> {
        if !self.check_protection && self.memory.write(address, bytes).is_ok() {
            return Ok(());
        }
        self.store_checked(address, bytes)
    }

    /// Loads what an AMO is about to replace: a fault is one of a store.
    pub(crate) fn load_for_update<const N: usize>(
        &mut self,
        address: u64,
    ) -> Result<[u8; N], Trap> {
        self.load_checked(address, Access::Store)
    }

    /// Whether the `size` bytes at `address` exist, whoever may touch them.
    #[must_use]
    pub fn is_backed(&self, address: u64, size: u64) -> bool {
        self.memory.slice(address, size).is_some()
    }

    /// Loads any number of bytes from memory (not from devices); all of them or none.
    pub fn load_bytes(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Trap> {
        let size = bytes.len() as u64;
        self.check_allowed(address, size, Access::Load)?;
        let from = self.memory.slice(address, size);
        bytes.copy_from_slice(from.ok_or(Access::Load.fault(address))?);
        if self.recording {
            self.commit.loads.push(MemoryAccess::of_bytes(address, bytes));
        }
        Ok(())
    }

    /// Stores any number of bytes to memory; all of them or none.
    pub fn store_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Trap> {
        self.check_store(address, bytes.len() as u64)?;
        self.memory.write_bytes(address, bytes).map_err(|_| Access::Store.fault(address))?;
        if self.recording {
            self.commit.stores.push(MemoryAccess::of_bytes(address, bytes));
        }
        Ok(())
    }

    /// Whether a store of `size` bytes would succeed.
    pub fn check_store(&self, address: u64, size: u64) -> Result<(), Trap> {
        self.check_allowed(address, size, Access::Store)?;
        match self.memory.slice(address, size) {
            Some(_) if address >= crate::memory::LDS_BASE => Ok(()),
            _ => Err(Access::Store.fault(address)),
        }
    }

    /// A misaligned trap unless `address` is a multiple of `size`, a power of two.
    #[inline]
    pub fn check_aligned(&self, address: u64, size: u64, access: Access) -> Result<(), Trap> {
        if address & (size - 1) == 0 {
            return Ok(());
        }
        let cause = match access {
            Access::Fetch => Cause::FetchMisaligned,
            Access::Load => Cause::LoadMisaligned,
            Access::Store => Cause::StoreMisaligned,
        };
        Err(Trap::new(cause, address))
    }

    /// The halfword at `address`, to be executed.
    pub(crate) fn fetch_half(&self, address: u64) -> Result<u16, Trap> {
        let fault = Access::Fetch.fault(address);
        if self.check_fetch && !self.pmp.allows(address, 2, Access::Fetch, self.privilege) {
            return Err(fault);
        }
        self.memory.read(address).map(u16::from_le_bytes).map_err(|_| fault)
    }

    fn check_allowed(&self, address: u64, size: u64, access: Access) -> Result<(), Trap> {
        let privilege = self.data_privilege();
        let allowed = !self.check_protection || self.pmp.allows(address, size, access, privilege);
        if allowed { Ok(()) } else { Err(access.fault(address)) }
    }

    #[cold]
    fn load_checked<const N: usize>(
        &mut self,
        address: u64,
        access: Access,
    ) -> Result<[u8; N], Trap> {
        self.check_allowed(address, N as u64, access)?;
        let bytes = match self.memory.read(address) {
            Ok(bytes) => bytes,
            Err(_) if is_clint(address, N) => {
                let value = self.clint.read(address - CLINT_BASE, N as u64, self.retired);
                let mut bytes = [0; N];
                bytes.copy_from_slice(&value.to_le_bytes()[..N]);
                bytes
            }
            Err(_) => return Err(access.fault(address)),
        };
        if self.recording {
            self.commit.loads.push(MemoryAccess::of_bytes(address, &bytes));
        }
        Ok(bytes)
    }

    #[cold]
    fn store_checked<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trap> {
        self.check_allowed(address, N as u64, Access::Store)?;
        if self.memory.write(address, bytes).is_err() {
            if !is_clint(address, N) {
                return Err(Access::Store.fault(address));
            }
            let mut value = [0; 8];
            value[..N].copy_from_slice(&bytes);
            let value = u64::from_le_bytes(value);
            self.clint.write(address - CLINT_BASE, N as u64, value, self.retired);
            self.attention = true;
        }
        if self.recording {
            self.commit.stores.push(MemoryAccess::of_bytes(address, &bytes));
        }
        Ok(())
    }
}

fn is_clint(address: u64, size: usize) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
        && address >= CLINT_BASE
        && address.saturating_add(size as u64) <= CLINT_BASE + CLINT_SIZE
}
