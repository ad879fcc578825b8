//! Physical memory protection (privileged manual, section 3.7): 16 entries, granularity 4 bytes.

use crate::config::MAX_RAM;
use crate::core::{Access, Privilege};
use crate::memory::RAM_BASE;

/// Entries that can be used; the registers of the other 48 exist and read 0.
const ENTRIES: usize = 16;
const ADDRESS_BITS: u64 = (1 << 54) - 1;

const READ: u8 = 1;
const WRITE: u8 = 2;
const EXECUTE: u8 = 4;
const LOCKED: u8 = 0x80;
const WRITABLE: u8 = 0x9F;

/// The last address that can have memory: what lies beyond faults with or without protection.
const LAST_BYTE: u64 = RAM_BASE + MAX_RAM - 1;

/// How the address of an entry is to be read: bits 4:3 of its configuration.
const OFF: u8 = 0;
const TOP_OF_RANGE: u8 = 1;
const FOUR_BYTES: u8 = 2;

/// The registers, and what they mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pmp {
    config: [u8; ENTRIES],
    address: [u64; ENTRIES],
    /// Active entries in order of precedence.
    ranges: Vec<Range>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first: u64,
    last: u64,
    config: u8,
}

impl Pmp {
    /// Reads `pmpcfg` number `register`, an even one: eight entries.
    pub(crate) fn read_config(&self, register: usize) -> u64 {
        let bytes = self.config.get(register * 4..register * 4 + 8);
        bytes.map_or(0, |bytes| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
    }

    /// Writes eight entries; locked ones keep their value.
    pub(crate) fn write_config(&mut self, register: usize, value: u64) {
        for (place, byte) in (register * 4..).zip(value.to_le_bytes()) {
            if let Some(config) = self.config.get_mut(place)
                && *config & LOCKED == 0
            {
                // Writable without being readable is reserved.
                let refused = if byte & READ == 0 { WRITE } else { 0 };
                *config = byte & WRITABLE & !refused;
            }
        }
        self.update();
    }

    pub(crate) fn read_address(&self, entry: usize) -> u64 {
        self.address.get(entry).copied().unwrap_or(0)
    }

    /// Writes the address of an entry, unless it or the range that it starts is locked.
    pub(crate) fn write_address(&mut self, entry: usize, value: u64) {
        let config = |entry: usize| self.config.get(entry).copied().unwrap_or(0);
        let next = config(entry + 1);
        let starts_locked = next & LOCKED != 0 && mode(next) == TOP_OF_RANGE;
        if entry < ENTRIES && config(entry) & LOCKED == 0 && !starts_locked {
            self.address[entry] = value & ADDRESS_BITS;
            self.update();
        }
    }

    /// Whether every access of that privilege is allowed, so that none needs a look.
    pub(crate) fn allows_all(&self, privilege: Privilege) -> bool {
        let rights = READ | WRITE | EXECUTE;
        match (privilege, self.ranges.first()) {
            (Privilege::Machine, _) => self.ranges.iter().all(|range| range.config & LOCKED == 0),
            (Privilege::User, Some(range)) => {
                range.first == 0 && range.last >= LAST_BYTE && range.config & rights == rights
            }
            (Privilege::User, None) => false,
        }
    }

    /// Whether the access is allowed. The first entry that covers a byte of it must cover all of
    /// it.
    pub(crate) fn allows(
        &self,
        address: u64,
        size: u64,
        access: Access,
        privilege: Privilege,
    ) -> bool {
        let last = address.saturating_add(size.saturating_sub(1));
        let found = self.ranges.iter().find(|range| address <= range.last && last >= range.first);
        let is_machine = privilege == Privilege::Machine;
        let Some(range) = found else { return is_machine };
        let right = match access {
            Access::Fetch => EXECUTE,
            Access::Load => READ,
            Access::Store => WRITE,
        };
        address >= range.first
            && last <= range.last
            && (range.config & right != 0 || is_machine && range.config & LOCKED == 0)
    }

    fn update(&mut self) {
        self.ranges.clear();
        for (entry, &config) in self.config.iter().enumerate() {
            let address = self.address[entry];
            let (first, last) = match mode(config) {
                OFF => continue,
                TOP_OF_RANGE => {
                    let start = if entry == 0 { 0 } else { self.address[entry - 1] << 2 };
                    let end = address << 2;
                    if start >= end {
                        continue;
                    }
                    (start, end - 1)
                }
                FOUR_BYTES => (address << 2, (address << 2) + 3),
                _ => natural_power_of_two(address),
            };
            self.ranges.push(Range { first, last, config });
        }
    }
}

fn mode(config: u8) -> u8 {
    (config >> 3) & 3
}

/// The trailing ones of the address give the size: none 8 bytes, one 16 bytes, and so on.
fn natural_power_of_two(address: u64) -> (u64, u64) {
    let ones = address.trailing_ones();
    if ones >= 54 {
        return (0, u64::MAX);
    }
    let size_bits = ones + 3;
    let first = (address >> ones) << (ones + 2);
    (first, first + ((1 << size_bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: Privilege = Privilege::User;

    #[test]
    fn without_entries_only_machine_mode_may_do_anything() {
        let pmp = Pmp::default();
        assert!(pmp.allows_all(Privilege::Machine));
        assert!(!pmp.allows(0x8000_0000, 4, Access::Load, USER));
    }

    #[test]
    fn a_natural_range_covers_its_power_of_two() {
        let mut pmp = Pmp::default();
        pmp.write_address(0, 0x8000_1000 >> 2 | 0b11); // 32 bytes
        pmp.write_config(0, 0x19); // read, NAPOT
        assert!(pmp.allows(0x8000_1000, 32, Access::Load, USER));
        assert!(!pmp.allows(0x8000_1000, 4, Access::Store, USER));
        assert!(!pmp.allows(0x8000_101C, 8, Access::Load, USER), "half in, half out");
        assert!(!pmp.allows(0x8000_1020, 1, Access::Load, USER));
    }

    /// The entry that test suites make covers 2^56 bytes, which is all that can have memory.
    #[test]
    fn one_entry_over_all_memory_needs_no_look() {
        let mut pmp = Pmp::default();
        pmp.write_config(0, 0x1F);
        pmp.write_address(0, (1 << 53) - 1);
        assert!(pmp.allows_all(USER));
        pmp.write_address(0, (1 << 32) - 1); // 2^35 bytes: RAM may reach beyond
        assert!(!pmp.allows_all(USER));
    }

    #[test]
    fn the_first_entry_that_matches_decides() {
        let mut pmp = Pmp::default();
        pmp.write_address(0, 0x8000_2000 >> 2);
        pmp.write_address(1, 0x8000_3000 >> 2);
        pmp.write_address(2, u64::MAX);
        // Entry 0 off, entry 1 the range below 0x80003000 without rights, entry 2 everything.
        pmp.write_config(0, 0x1F_08_00);
        assert!(!pmp.allows(0x8000_2FFF, 1, Access::Fetch, USER));
        assert!(pmp.allows(0x8000_3000, 4, Access::Fetch, USER));
        assert!(!pmp.allows_all(USER));
        assert!(pmp.allows(0x8000_2FFF, 1, Access::Store, Privilege::Machine));
    }

    #[test]
    fn locks_bind_machine_mode_and_the_registers() {
        let mut pmp = Pmp::default();
        pmp.write_address(0, 0x8000_0000 >> 2);
        pmp.write_address(1, 0x8000_0010 >> 2);
        pmp.write_config(0, 0x8900); // entry 1: locked, top of range, read
        assert!(!pmp.allows(0x8000_0004, 4, Access::Store, Privilege::Machine));
        assert!(!pmp.allows_all(Privilege::Machine));
        pmp.write_config(0, 0);
        pmp.write_address(0, 1);
        pmp.write_address(1, 1);
        assert_eq!(pmp.read_config(0), 0x8900);
        assert_eq!((pmp.read_address(0), pmp.read_address(1)), (0x2000_0000, 0x2000_0004));
    }

    #[test]
    fn reserved_bits_read_zero() {
        let mut pmp = Pmp::default();
        pmp.write_config(2, 0x62_62);
        assert_eq!(pmp.read_config(2), 0, "write without read, and two reserved bits");
        pmp.write_address(5, u64::MAX);
        assert_eq!(pmp.read_address(5), ADDRESS_BITS);
        pmp.write_address(20, u64::MAX);
        assert_eq!(pmp.read_address(20), 0);
    }
}
