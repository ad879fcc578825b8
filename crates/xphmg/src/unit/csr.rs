//! Registers by number and by name.
//!
//! | numbers | block |
//! |---|---|
//! | 0x7C0–0x7DF | CAP with PREC (machine mode) |
//! | 0x7E0–0x7EF | XMEM |
//! | 0x7F0–0x7F7 | SVMEM |
//! | 0x7F8–0x7FF | RSV |
//! | 0x8A0–0x8AA (X-23) | RT (user mode) |
//! | 0x8D8–0x8DF (X-57) | MTX |
//!
//! Nothing here traps: read-only registers ignore writes, and numbers of the window 0x7C0–0x7FF
//! that mean nothing read 0. Privilege follows from the number and is the hart's business
//!

use super::{Unit, cap, mtx, rt_registers, svmem, xmem};

/// Names of PREC's registers from 0x7D0 on.
const PREC_NAMES: [&str; 5] = ["prec.mode", "prec.alt", "prec.stat", "prec.exc.en", "prec.exc.st"];
/// Names of RSV's registers from 0x7F8 on.
const RSV_NAMES: [&str; 8] =
    ["svstate", "svsrca", "svsrcb", "svdst", "svpmask0", "svpmask1", "svsat", "svfaulti"];

/// Which block a number lies in, with its place there.
enum Block {
    Prec(u16),
    Xmem,
    Svmem(u16),
    Rsv(u16),
    Rt(u16),
    Mtx(u16),
    /// CAP's constants, and numbers of the window that mean nothing.
    Constant(u64),
}

impl Unit {
    /// Every register that has a name: number, name.
    #[must_use]
    pub fn csr_names(&self) -> Vec<(u16, &'static str)> {
        let from =
            |first: u16, names: &[&'static str]| (first..).zip(names.to_vec()).collect::<Vec<_>>();
        let mut all: Vec<(u16, &'static str)> =
            cap::REGISTERS.iter().map(|(number, name, _)| (*number, *name)).collect();
        all.extend(from(0x7D0, &PREC_NAMES));
        all.extend(xmem::REGISTERS.iter().map(|(number, name, ..)| (*number, *name)));
        all.push((xmem::EVENTS, "xmem.events"));
        all.extend(from(0x7F0, &svmem::NAMES));
        all.extend(from(0x7F8, &RSV_NAMES));
        all.extend(from(self.readings().rt_csr_base, &rt_registers::NAMES));
        all.extend(from(mtx::FIRST_CSR, &mtx::NAMES));
        all.sort_unstable();
        all
    }

    /// Reads a register; `None` if the number is not this extension's.
    #[must_use]
    pub fn csr_read(&self, number: u16) -> Option<u64> {
        Some(match self.block(number)? {
            Block::Prec(0) => self.prec.mode(),
            Block::Prec(1) => self.prec.alt(),
            Block::Prec(2) => self.prec.stat(),
            Block::Prec(3) => self.prec.exceptions_enabled().bits().into(),
            Block::Prec(_) => self.prec.exceptions_raised().bits().into(),
            Block::Xmem => self.xmem.read(number).unwrap_or(0),
            Block::Svmem(offset) => self.svmem.read(offset),
            Block::Rsv(offset) => self.rsv.read(offset),
            Block::Rt(offset) => self.rt.read(offset, self.pending.is_busy(), self.readings()),
            Block::Mtx(offset) => self.mtx.read(offset, self.readings()),
            Block::Constant(value) => value,
        })
    }

    /// Writes a register; `false` if the number is not this extension's.
    pub fn csr_write(&mut self, number: u16, value: u64) -> bool {
        let Some(block) = self.block(number) else { return false };
        let readings = *self.readings();
        match block {
            Block::Prec(0) => self.prec.write_mode(value, &readings),
            Block::Prec(1) => self.prec.write_alt(value, &readings),
            Block::Prec(3) => self.prec.write_enables(value),
            Block::Prec(4) => self.prec.clear_exceptions(value),
            Block::Prec(_) | Block::Constant(_) => {}
            // examples of an older map write MODE and ALT here.
            Block::Xmem if number == 0x7E0 && readings.legacy_prec_csrs => {
                self.prec.write_mode(value, &readings);
            }
            Block::Xmem if number == 0x7E1 && readings.legacy_prec_csrs => {
                self.prec.write_alt(value, &readings);
            }
            Block::Xmem => self.xmem.write(number, value),
            Block::Svmem(offset) => self.svmem.write(offset, value),
            Block::Rsv(offset) => self.rsv.write(offset, value),
            Block::Rt(offset) => self.rt.write(offset, value, &readings),
            Block::Mtx(offset) => self.mtx.write(offset, value),
        }
        true
    }

    /// Every register that has a name, with its value: for traces, debuggers and comparisons.
    #[must_use]
    pub fn state(&self) -> Vec<(&'static str, u64)> {
        let value = |number| self.csr_read(number).unwrap_or(0);
        self.csr_names().into_iter().map(|(number, name)| (name, value(number))).collect()
    }

    fn block(&self, number: u16) -> Option<Block> {
        let rt_base = self.readings().rt_csr_base;
        match number {
            0x7D0..=0x7D4 => Some(Block::Prec(number - 0x7D0)),
            0x7E0..=0x7EE => Some(Block::Xmem),
            0x7F0..=0x7F4 => Some(Block::Svmem(number - 0x7F0)),
            0x7F8..=0x7FF => Some(Block::Rsv(number - 0x7F8)),
            0x7C0..=0x7FF => {
                let known = cap::REGISTERS.iter().find(|(known, ..)| *known == number);
                Some(Block::Constant(known.map_or(0, |(_, _, value)| *value)))
            }
            _ if (rt_base..rt_base + rt_registers::NAMES.len() as u16).contains(&number) => {
                Some(Block::Rt(number - rt_base))
            }
            mtx::FIRST_CSR..=mtx::LAST_CSR => Some(Block::Mtx(number - mtx::FIRST_CSR)),
            _ => None,
        }
    }
}
