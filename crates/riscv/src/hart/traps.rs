//! Into trap handlers and back.

use super::{Event, Hart};
use crate::commit::Register;
use crate::core::Privilege;
use crate::csr::{interrupt, mstatus};
use crate::trap::{Cause, INTERRUPT, Trap};

impl Hart {
    pub(super) fn return_from_trap(&mut self) {
        let machine = &mut self.core.machine;
        let previous = machine.previous_privilege();
        let enable = if machine.mstatus & mstatus::MPIE != 0 { mstatus::MIE } else { 0 };
        machine.mstatus = machine.mstatus & !(mstatus::MIE | mstatus::MPP) | mstatus::MPIE | enable;
        if previous == Privilege::User {
            machine.mstatus &= !mstatus::MPRV;
        }
        self.core.next_pc = machine.mepc;
        self.core.set_privilege(previous);
        self.core.attention = true;
        if self.core.recording {
            self.core.record(Register::Csr(crate::csr::MSTATUS), self.core.mstatus());
        }
        for extension in &mut self.registry.extensions {
            extension.on_trap_return(&mut self.core);
        }
        self.update_watched();
    }

    /// A stop that an extension asked for, or the interrupt to take now; software before timer.
    #[cold]
    pub(super) fn service_pending(&mut self) -> Option<Event> {
        let core = &mut self.core;
        if let Some(stop) = core.stop.take() {
            return Some(Event::Stopped(stop));
        }
        core.attention = false;
        self.next_timer = match core.clint.until_timer(core.retired) {
            0 => u64::MAX,
            more => core.retired.saturating_add(more),
        };
        let enabled = core.privilege == Privilege::User || core.machine.mstatus & mstatus::MIE != 0;
        let ready = core.pending_interrupts() & core.machine.mie;
        if !enabled || ready == 0 {
            return None;
        }
        let is_software = ready & interrupt::SOFTWARE != 0;
        let cause = if is_software { Cause::SoftwareInterrupt } else { Cause::TimerInterrupt };
        Some(self.enter_trap(Trap::new(cause, 0)))
    }

    /// Enters the trap handler.
    #[cold]
    pub(super) fn enter_trap(&mut self, trap: Trap) -> Event {
        for extension in &mut self.registry.extensions {
            extension.on_trap_entry(&trap, &mut self.core);
        }
        self.update_watched();
        let core = &mut self.core;
        core.reservation = None;
        let machine = &mut core.machine;
        machine.mepc = core.pc;
        machine.mcause = trap.cause.code();
        machine.mtval = trap.value;
        let enable = if machine.mstatus & mstatus::MIE != 0 { mstatus::MPIE } else { 0 };
        let mode = if core.privilege == Privilege::Machine { mstatus::MPP } else { 0 };
        machine.mstatus &= !(mstatus::MIE | mstatus::MPIE | mstatus::MPP);
        machine.mstatus |= enable | mode;
        let vectored = machine.mtvec & 1 != 0 && trap.cause.is_interrupt();
        let offset = if vectored { 4 * (trap.cause.code() & !INTERRUPT) } else { 0 };
        let mtvec = machine.mtvec;
        core.pc = (mtvec & !1).wrapping_add(offset);
        core.attention = true;
        core.set_privilege(Privilege::Machine);
        if mtvec == 0 { Event::Unhandled(trap) } else { Event::Trapped(trap) }
    }
}
