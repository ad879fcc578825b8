//! The hart: fetch, decode once, execute, trap.
//!
//! | file | concept |
//! |---|---|
//! | `system` | instructions that concern the hart as a whole |
//! | `traps` | into trap handlers and back |

mod system;
mod traps;

use crate::commit::{Commit, Register};
use crate::config::{Config, HartError};
use crate::core::{Core, Stop};
use crate::execute::execute;
use crate::extension::Extension;
use crate::htif::{Host, HostEvent};
use crate::instruction::{Destination, Instruction, Op};
use crate::memory::{DecodeCache, Memory, RAM_BASE, ROM_BASE, Unbacked};
use crate::registry::Registry;
use crate::trap::Trap;

/// What happened in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An instruction retired.
    Retired,
    /// An instruction did not retire, or an interrupt came first: the handler is next.
    Trapped(Trap),
    /// A trap without a handler (`mtvec` is 0): the hart cannot go on.
    Unhandled(Trap),
    /// An instruction retired, and the host is wanted: the program reads its console
    /// ([`Hart::offer_input`]) or has printed a lot ([`Hart::take_output`]).
    Host,
    /// The program has ended with this code.
    Exited(u64),
    /// An extension has stopped the run.
    Stopped(Stop),
}

/// One hart with its memory, host and extensions.
pub struct Hart {
    /// Registers, CSRs and memory.
    pub core: Core,
    pub(crate) registry: Registry,
    pub(crate) host: Host,
    config: Config,
    cache: DecodeCache,
    /// Interrupts need not be looked at before this many instructions have retired.
    next_timer: u64,
    /// An extension wants to see every instruction.
    watched: bool,
    /// The entry of the loaded program.
    entry: u64,
}

impl Hart {
    /// A hart in its reset state, without a program.
    pub fn new(config: Config, extensions: Vec<Box<dyn Extension>>) -> Result<Self, HartError> {
        config.check()?;
        let registry = Registry::new(extensions)?;
        let core = Core::new(Memory::new(config.ram, config.lds));
        let mut hart = Self {
            core,
            registry,
            host: Host::default(),
            config,
            cache: DecodeCache::default(),
            next_timer: 0,
            watched: false,
            entry: RAM_BASE,
        };
        if let Some(seed) = hart.config.fill {
            hart.fill(seed);
        }
        hart.reset();
        Ok(hart)
    }

    /// Puts registers, CSRs and extensions into their reset state; memory stays.
    pub fn reset(&mut self) {
        let empty = Memory::new(0, 0);
        let memory = std::mem::replace(&mut self.core.memory, empty);
        let recording = self.core.recording;
        self.core = Core::new(memory);
        self.core.has_extension = !self.registry.extensions.is_empty();
        self.core.set_recording(recording);
        self.cache.clear(&mut self.core.memory);
        for extension in &mut self.registry.extensions {
            extension.reset();
        }
        self.update_watched();
        self.next_timer = 0;
        self.set_entry(self.entry);
    }

    /// Where the program starts; the boot ROM jumps there.
    pub(crate) fn set_entry(&mut self, entry: u64) {
        self.entry = entry;
        let words = boot_code(entry);
        self.core.memory.write_rom(&words);
        self.core.pc = if self.config.boot_rom { ROM_BASE } else { entry };
    }

    /// Executes one instruction, or takes an interrupt.
    #[inline]
    pub fn step(&mut self) -> Event {
        if (self.core.attention || self.core.retired >= self.next_timer)
            && let Some(event) = self.service_pending()
        {
            return event;
        }
        let instruction = match self.cache.get(self.core.pc) {
            Some(known) if known.op != Op::Undecoded && !self.core.check_fetch => known,
            _ => match self.fetch() {
                Ok(instruction) => instruction,
                Err(trap) => return self.enter_trap(trap),
            },
        };
        self.core.next_pc = self.core.pc.wrapping_add(instruction.length());
        let result = if self.core.recording || self.watched {
            self.execute_observed(&instruction)
        } else {
            self.execute(&instruction)
        };
        if let Err(trap) = result {
            return self.enter_trap(trap);
        }
        self.core.pc = self.core.next_pc;
        self.core.retired += 1;
        if self.core.memory.is_dirty() {
            return self.after_stores();
        }
        Event::Retired
    }

    /// Steps until something other than an instruction happens, or `most` instructions have
    /// retired.
    pub fn run(&mut self, most: u64) -> Event {
        for _ in 0..most {
            match self.step() {
                Event::Retired => {}
                event => return event,
            }
        }
        Event::Retired
    }

    /// Whether to record what instructions do, for [`Hart::commit`].
    pub fn set_recording(&mut self, on: bool) {
        self.core.set_recording(on);
    }

    /// What the last retired instruction did, while recording.
    #[must_use]
    pub fn commit(&self) -> &Commit {
        &self.core.commit
    }

    /// The value of any CSR, as a debugger sees it: without regard to privilege.
    #[must_use]
    pub fn csr(&self, number: u16) -> Option<u64> {
        self.registry.read_csr(number, &self.core).or_else(|| self.core.csr(number))
    }

    /// Writes any CSR, as a debugger does.
    pub fn set_csr(&mut self, number: u16, value: u64) {
        if self.registry.has_csr(number) {
            self.registry.write_csr(number, value, &mut self.core);
            self.update_watched();
        } else {
            self.core.set_csr(number, value);
        }
    }

    /// The name of a CSR, custom ones included.
    #[must_use]
    pub fn csr_name(&self, number: u16) -> Option<String> {
        self.registry.csr_name(number)
    }

    /// Writes memory from outside, as a debugger does: changed code is seen at once.
    pub fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unbacked> {
        self.core.memory.write_bytes(address, bytes)?;
        self.cache.drop_stale(&mut self.core.memory);
        Ok(())
    }

    /// The extensions.
    pub fn extensions(&self) -> impl Iterator<Item = &dyn Extension> {
        self.registry.extensions.iter().map(AsRef::as_ref)
    }

    /// Lets extensions finish their work when a run ends.
    pub fn finish(&mut self) {
        for extension in &mut self.registry.extensions {
            extension.on_exit(&mut self.core);
        }
    }

    /// Reads and decodes the instruction at pc.
    #[cold]
    fn fetch(&mut self) -> Result<Instruction, Trap> {
        let pc = self.core.pc;
        let low = u32::from(self.core.fetch_half(pc)?);
        let high = if low & 3 == 3 {
            // The fault of a second half is reported with its own address.
            u32::from(self.core.fetch_half(pc.wrapping_add(2))?)
        } else {
            0
        };
        let instruction = self.registry.decode(high << 16 | low);
        self.cache.insert(pc, instruction, &mut self.core.memory);
        Ok(instruction)
    }

    #[inline(always)]
    fn execute(&mut self, instruction: &Instruction) -> Result<(), Trap> {
        match execute(&mut self.core, instruction)? {
            true => Ok(()),
            false => self.execute_special(instruction),
        }
    }

    /// Executes with a record, and with extensions watching.
    #[cold]
    fn execute_observed(&mut self, instruction: &Instruction) -> Result<(), Trap> {
        let watched = self.watched;
        if watched {
            for extension in &mut self.registry.extensions {
                if extension.is_watching() {
                    extension.before_instruction(instruction, &self.core)?;
                }
            }
        }
        let privilege = self.core.privilege;
        self.core.commit.begin(self.core.pc, *instruction, privilege);
        self.execute(instruction)?;
        if watched {
            for extension in &mut self.registry.extensions {
                extension.after_instruction(instruction, &mut self.core);
            }
            self.update_watched();
        }
        if self.core.recording {
            let rd = instruction.rd;
            match instruction.op.destination() {
                Destination::Integer if rd != 0 => {
                    self.core.record(Register::Integer(rd), self.core.x(rd));
                }
                Destination::Float => self.core.record(Register::Float(rd), self.core.f(rd)),
                _ => {}
            }
            self.core.commit.sort();
        }
        Ok(())
    }

    /// A store has touched code, or the host's mailbox.
    #[cold]
    fn after_stores(&mut self) -> Event {
        self.cache.drop_stale(&mut self.core.memory);
        if !self.core.memory.take_touched() {
            return Event::Retired;
        }
        match self.host.serve(&mut self.core.memory) {
            HostEvent::Exit(code) => Event::Exited(code),
            HostEvent::None if self.host.is_wanted() => Event::Host,
            HostEvent::None => Event::Retired,
        }
    }

    pub(crate) fn update_watched(&mut self) {
        self.watched = self.registry.extensions.iter().any(|extension| extension.is_watching());
    }

    /// Fills RAM with the stream of a 64-bit linear congruential generator.
    fn fill(&mut self, seed: u64) {
        let mut value = seed;
        for address in (RAM_BASE..RAM_BASE + self.config.ram).step_by(8) {
            value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let _backed = self.core.memory.write(address, value.to_le_bytes());
        }
    }
}

/// a0 = hart id, a1 = 0, jump to the entry: `csrr a0, mhartid; li a1, 0; auipc t0, 0; ld t0,
/// 16(t0); jr t0; nop`, then the entry.
fn boot_code(entry: u64) -> [u32; 8] {
    let (low, high) = (entry as u32, (entry >> 32) as u32);
    [0xF140_2573, 0x0000_0593, 0x0000_0297, 0x0102_B283, 0x0002_8067, 0x0000_0013, low, high]
}
