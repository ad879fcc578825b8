//! Instructions that concern the hart as a whole: CSRs, calls, returns, and those of extensions.

use super::Hart;
use crate::commit::Register;
use crate::core::Privilege;
use crate::csr::mstatus;
use crate::instruction::{Instruction, Op};
use crate::trap::{Cause, Trap};

impl Hart {
    /// Instructions that concern the hart as a whole.
    #[inline(never)]
    pub(super) fn execute_special(&mut self, instruction: &Instruction) -> Result<(), Trap> {
        let illegal = Err(Trap::illegal(instruction.word));
        let is_machine = self.core.privilege == Privilege::Machine;
        match instruction.op {
            Op::Custom => self.execute_custom(instruction),
            Op::Ecall if is_machine => Err(Trap::new(Cause::MachineCall, 0)),
            Op::Ecall => Err(Trap::new(Cause::UserCall, 0)),
            Op::Ebreak => Err(Trap::new(Cause::Breakpoint, self.core.pc)),
            Op::Mret if is_machine => {
                self.return_from_trap();
                Ok(())
            }
            // Waiting is over at once: interrupts are looked at before every instruction.
            Op::Wfi if is_machine || self.core.machine.mstatus & mstatus::TW == 0 => Ok(()),
            Op::FenceI => {
                self.cache.drop_stale(&mut self.core.memory);
                Ok(())
            }
            Op::Mret | Op::Wfi => illegal,
            Op::Illegal | Op::Undecoded => {
                for extension in &mut self.registry.extensions {
                    extension.on_unknown(instruction.word);
                }
                illegal
            }
            _ => self.execute_csr(instruction),
        }
    }

    fn execute_custom(&mut self, instruction: &Instruction) -> Result<(), Trap> {
        let Some(known) = self.registry.instructions.get(instruction.imm as usize).copied() else {
            return Err(Trap::illegal(instruction.word));
        };
        let before = if self.core.recording { self.logged_csrs() } else { Vec::new() };
        let extension = &mut self.registry.extensions[known.owner];
        let result = extension.execute(known.index, instruction.word, &mut self.core);
        self.update_watched();
        result?;
        if self.core.recording {
            for (before, after) in before.into_iter().zip(self.logged_csrs()) {
                if before != after {
                    self.core.record(Register::Csr(after.0), after.1);
                }
            }
        }
        self.core.attention |= self.core.stop.is_some();
        Ok(())
    }

    fn logged_csrs(&self) -> Vec<(u16, u64)> {
        let logged = self.registry.csr_list.iter().filter(|csr| csr.logged);
        logged
            .filter_map(|csr| Some((csr.number, self.registry.read_csr(csr.number, &self.core)?)))
            .collect()
    }

    /// `csrrw` and its five relatives. Set and clear with x0 or 0 do not write.
    fn execute_csr(&mut self, instruction: &Instruction) -> Result<(), Trap> {
        let number = (instruction.imm & 0xFFF) as u16;
        let is_immediate = matches!(instruction.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci);
        let source = instruction.rs1;
        let operand = if is_immediate { u64::from(source) } else { self.core.x(source) };
        let is_swap = matches!(instruction.op, Op::Csrrw | Op::Csrrwi);
        let writes = is_swap || source != 0;
        let old = self.csr(number);
        let Some(old) = old.filter(|_| self.core.csr_is_accessible(number, writes)) else {
            return Err(Trap::illegal(instruction.word));
        };
        if writes {
            let new = match instruction.op {
                Op::Csrrw | Op::Csrrwi => operand,
                Op::Csrrs | Op::Csrrsi => old | operand,
                _ => old & !operand,
            };
            self.set_csr(number, new);
            if self.core.recording && self.registry.has_csr(number) {
                let value = self.csr(number).unwrap_or(0);
                self.core.record(Register::Csr(number), value);
            }
        }
        self.core.put_x(instruction.rd, old);
        Ok(())
    }
}
