//! The unit: all XPHMG state of one hart, and what its instructions do to it.
//!
//! | file | concept |
//! |---|---|
//! | [`trap`] | traps and their causes (X-55) |
//! | [`csr`] | registers by number and name |
//! | [`cap`], [`xmem`], [`rt_registers`] | blocks of registers |
//! | [`rsv`] | lanes: SVSTATE and its companions, prefixes |
//! | [`svmem`] | which box, which triangle |
//! | [`rt`] | `rt.bbox` and `rt.tri` over lanes |
//! | [`lane`] | one lane of them |
//! | [`submit`] | `xsubmit.rt` and fences |
//! | [`lds`] | allocation in local memory |
//! | [`memory_policy`] | which memory policy a job has; totals by class and domain |
//! | [`mtx`] | matrices |
//! | [`record`] | what an instruction did, for traces |

pub mod cap;
pub mod csr;
pub mod lane;
pub mod lds;
pub mod memory_policy;
pub mod mtx;
pub mod record;
pub mod rsv;
pub mod rt;
pub mod rt_registers;
pub mod submit;
pub mod svmem;
pub mod trap;
pub mod xmem;

pub use record::{Executed, Flow};
pub use trap::Trap;

use crate::encoding::{CUSTOM_0, CUSTOM_2, CUSTOM_3, IllegalWord, Instruction, decode};
use crate::memory::{HartPort, Memory};
use crate::offload::{JobRecord, Pending};
use crate::policy::Prec;
use crate::readings::{Readings, RsvScope};
use lds::Lds;
use memory_policy::MemoryTotal;
use mtx::Mtx;
use rsv::Rsv;
use rt_registers::{ErrorCode, RtRegisters};
use svmem::Svmem;
use xmem::{Events, Xmem};

/// All XPHMG state of one hart.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    readings: Readings,
    pub(crate) prec: Prec,
    pub(crate) xmem: Xmem,
    pub(crate) svmem: Svmem,
    pub(crate) rsv: Rsv,
    pub(crate) rt: RtRegisters,
    pub(crate) mtx: Mtx,
    pub(crate) pending: Pending,
    memory_totals: Vec<MemoryTotal>,
    lds: Lds,
    /// SVSTATE before an ordinary instruction used up a count or an override: should it trap, it
    /// did not.
    before_ordinary: Option<Rsv>,
}

impl Unit {
    /// A unit after reset.
    #[must_use]
    pub fn new(readings: Readings) -> Self {
        Self {
            readings,
            prec: Prec::default(),
            xmem: Xmem::default(),
            svmem: Svmem::default(),
            rsv: Rsv::default(),
            rt: RtRegisters::default(),
            mtx: Mtx::default(),
            pending: Pending::default(),
            memory_totals: Vec::new(),
            lds: Lds::default(),
            before_ordinary: None,
        }
    }

    /// Puts everything back to its state after reset; jobs that wait are forgotten.
    pub fn reset(&mut self) {
        let lds = self.lds.emptied();
        *self = Self { lds, ..Self::new(self.readings) };
    }

    /// The readings in force.
    #[must_use]
    pub fn readings(&self) -> &Readings {
        &self.readings
    }

    /// Says how large local memory is; what is in use stays so.
    pub fn size_lds(&mut self, bytes: u64) {
        self.lds.resize(bytes);
    }

    /// Operands of an instruction outside local memory although RTCFG.LMEM_ONLY asks for it: a
    /// lint, nothing more.
    #[must_use]
    pub fn outside_local_memory(&self, record: &record::RtRecord) -> Vec<u64> {
        if !self.rt.local_memory_only() {
            return Vec::new();
        }
        let active = record.lanes.iter().filter(|lane| lane.active);
        let addresses = active.flat_map(|lane| [lane.ray, lane.operand]);
        addresses.filter(|address| !self.lds.contains(*address)).collect()
    }

    /// The effective policy, without an override.
    #[must_use]
    pub fn policy(&self) -> crate::policy::Policy {
        self.prec.policy(&self.readings)
    }

    /// Whether software has put a precision in force since reset.
    #[must_use]
    pub fn has_precision(&self) -> bool {
        self.prec.is_applied()
    }

    /// The last ticket that was given, and the event tokens that are armed.
    #[must_use]
    pub fn submissions(&self) -> (u64, u64) {
        (self.pending.last_ticket(), self.pending.armed())
    }

    /// Executes one instruction word of this extension.
    ///
    /// # Errors
    /// The trap that it takes; registers, masks and memory are then as they were.
    pub fn execute(&mut self, word: u32, hart: &mut dyn HartPort) -> Result<Executed, Trap> {
        self.before_ordinary = None;
        let instruction = decode(word).map_err(|illegal| self.illegal(word, illegal))?;
        match instruction {
            Instruction::Prefix(prefix) => {
                self.rsv.prefix(prefix, hart, &self.readings);
                Ok(Executed::next())
            }
            Instruction::Bbox { rd, rs1, flags } => self.bbox(word, rd, rs1, flags, hart),
            Instruction::Tri { rd, rs1, flags } => self.tri(word, rd, rs1, flags, hart),
            _ => {
                self.use_up(word)?;
                self.execute_ordinary(instruction, word, hart)
            }
        }
    }

    /// To be asked before every instruction of the hart while [`Self::watches`] says so;
    /// [`Self::execute`] asks for itself. Instructions other than RT's are illegal while RSV is on
    /// they also use up an override.
    ///
    /// # Errors
    /// The illegal-instruction trap of a vetoed instruction.
    pub fn before_instruction(&mut self, word: u32) -> Result<(), Trap> {
        if [CUSTOM_0, CUSTOM_2, CUSTOM_3].contains(&(word & 0x7F)) {
            Ok(())
        } else {
            self.use_up(word)
        }
    }

    fn use_up(&mut self, word: u32) -> Result<(), Trap> {
        self.before_ordinary = None;
        if !self.watches() {
            return Ok(());
        }
        if self.rsv.is_on() && self.readings.rsv_scope == RsvScope::Rt {
            return Err(Trap::illegal(word));
        }
        self.before_ordinary = Some(self.rsv.clone());
        self.rsv.retire();
        Ok(())
    }

    /// Whether the next instruction of the hart concerns the unit, whatever it is.
    #[must_use]
    pub fn watches(&self) -> bool {
        self.rsv.is_on() || self.rsv.has_override()
    }

    /// An instruction that [`Self::before_instruction`] let pass retired.
    pub fn instruction_retired(&mut self) {
        self.before_ordinary = None;
    }

    /// A trap is entered: lanes and overrides are parked. An exception, unlike an interrupt,
    /// means that the instruction before it did not retire.
    pub fn trap_entered(&mut self, is_interrupt: bool) {
        if let Some(before) = self.before_ordinary.take()
            && !is_interrupt
        {
            self.rsv = before;
        }
        self.rsv.park();
    }

    /// MRET or SRET: what was parked comes back.
    pub fn trap_returned(&mut self) {
        self.before_ordinary = None;
        self.rsv.unpark();
    }

    /// The program ends: jobs that nobody waited for run now.
    pub fn finish(&mut self, memory: &mut (impl Memory + ?Sized)) -> Vec<JobRecord> {
        let records = self.pending.finish(memory);
        self.complete(&records);
        records
    }

    fn execute_ordinary(
        &mut self,
        instruction: Instruction,
        word: u32,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        match instruction {
            Instruction::Branch { on, offset } => {
                let taken = self.rt.predicate == on;
                let flow = if taken { Flow::Jump { offset: offset.into() } } else { Flow::Next };
                Ok(Executed { flow, ..Executed::next() })
            }
            Instruction::Submit { rd, rs1 } => self.submit(word, rd, rs1, hart),
            Instruction::FenceWait { rs1 } => Ok(self.wait(hart.x(rs1), hart)),
            Instruction::FenceSignal { rs1 } => self.signal(word, hart.x(rs1), hart),
            Instruction::FenceWaitEvent { rs1 } => self.wait_event(word, hart.x(rs1), hart),
            Instruction::LdsAlloc { rd, rs1 } => {
                let allocation = self.lds.allocate(hart.x(rs1), &self.xmem);
                self.xmem.raise(allocation.events);
                hart.set_x(rd, allocation.address);
                Ok(Executed::next())
            }
            Instruction::LdsFree { rs1 } => {
                self.lds.free(hart.x(rs1));
                Ok(Executed::next())
            }
            Instruction::MtxLoad { .. } | Instruction::MtxMultiply { .. } => {
                self.matrix(instruction, word, hart)
            }
            Instruction::FencePipe { .. }
            | Instruction::LdsBarrier
            | Instruction::Prefix(_)
            | Instruction::Bbox { .. }
            | Instruction::Tri { .. } => Ok(Executed::next()),
        }
    }

    fn illegal(&mut self, word: u32, illegal: IllegalWord) -> Trap {
        match illegal {
            IllegalWord::ReservedRtBits => self.rt_error(word, ErrorCode::IllegalInstruction),
            IllegalWord::Unknown => Trap::illegal(word),
        }
    }

    /// An illegal instruction that RTSTAT remembers.
    pub(crate) fn rt_error(&mut self, word: u32, code: ErrorCode) -> Trap {
        self.rt.last_error = code;
        Trap::illegal(word)
    }

    /// Notes what jobs did: stickies at completion, DMA_ERR for those that stopped,
    /// HYB_FALLBK for those whose class had to borrow, and the totals of their memory.
    pub(crate) fn complete(&mut self, records: &[JobRecord]) {
        for record in records {
            self.prec.accumulate(record.raised);
            if record.error.is_some() {
                self.xmem.raise(Events::DMA_ERR);
            }
            if record.memory.is_some_and(|usage| usage.policy.borrows) {
                self.xmem.raise(Events::HYB_FALLBK);
            }
            self.add_to_totals(record);
        }
    }
}
