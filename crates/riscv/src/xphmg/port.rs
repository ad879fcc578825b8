//! The core as the unit sees it.

use crate::core::Core;
use crate::trap::Trap;
use ::xphmg::encoding::CUSTOM_3;
use ::xphmg::memory::{FaultKind, HartPort, Memory, MemoryFault};

/// What a step of a job counts against the limit of a run: about the instructions that a program
/// would need for it, and about the time that it takes.
const STEP: u64 = 32;

/// Lends a core to the unit.
pub(super) struct CorePort<'a> {
    core: &'a mut Core,
    /// Whether loads go to the commit log. Those of jobs do not: there may be millions.
    records_loads: bool,
    records_stores: bool,
}

impl<'a> CorePort<'a> {
    /// For one instruction.
    pub(super) fn new(core: &'a mut Core, word: u32) -> Self {
        Self { core, records_loads: word & 0x7F != CUSTOM_3, records_stores: true }
    }

    /// For work that belongs to no instruction.
    pub(super) fn unrecorded(core: &'a mut Core) -> Self {
        Self { core, records_loads: false, records_stores: false }
    }
}

impl Memory for CorePort<'_> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        let known = self.core.commit.loads.len();
        self.core.load_bytes(address, bytes).map_err(fault)?;
        if !self.records_loads {
            self.core.commit.loads.truncate(known);
        }
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        let known = self.core.commit.stores.len();
        self.core.store_bytes(address, bytes).map_err(fault)?;
        if !self.records_stores {
            self.core.commit.stores.truncate(known);
        }
        Ok(())
    }

    fn spend(&mut self, steps: u64) -> bool {
        self.core.spend(steps.saturating_mul(STEP))
    }
}

impl HartPort for CorePort<'_> {
    fn x(&self, register: u8) -> u64 {
        self.core.x(register)
    }

    fn set_x(&mut self, register: u8, value: u64) {
        self.core.set_x(register, value);
    }
}

/// There are no pages: all faults are access faults.
fn fault(trap: Trap) -> MemoryFault {
    MemoryFault { kind: FaultKind::Access, address: trap.value }
}
