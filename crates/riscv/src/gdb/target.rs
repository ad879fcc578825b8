//! What gdb may ask of a hart.

use super::description;
use super::session::{Session, Watchpoint};
use crate::core::Privilege;
use gdbstub::common::Signal;
use gdbstub::outputln;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::single_register_access::{
    SingleRegisterAccess, SingleRegisterAccessOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
    SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use gdbstub_arch::riscv::Riscv64;
use gdbstub_arch::riscv::reg::RiscvCoreRegs;
use gdbstub_arch::riscv::reg::id::RiscvRegId;
use std::convert::Infallible;

impl Target for Session<'_> {
    type Arch = Riscv64;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for Session<'_> {
    fn read_registers(&mut self, registers: &mut RiscvCoreRegs<u64>) -> TargetResult<(), Self> {
        let core = &self.hart.core;
        for (number, register) in (0..).zip(&mut registers.x) {
            *register = core.x(number);
        }
        registers.pc = core.pc;
        Ok(())
    }

    fn write_registers(&mut self, registers: &RiscvCoreRegs<u64>) -> TargetResult<(), Self> {
        for (number, register) in (0..).zip(&registers.x) {
            self.hart.core.put_x(number, *register);
        }
        self.hart.core.pc = registers.pc & !1;
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, bytes: &mut [u8]) -> TargetResult<usize, Self> {
        let backed = |size: &usize| self.hart.core.is_backed(start, *size as u64);
        // As much of it as there is.
        let size = (1..=bytes.len()).rev().find(backed).ok_or(TargetError::NonFatal)?;
        let memory = self.hart.core.memory.slice(start, size as u64);
        bytes[..size].copy_from_slice(memory.ok_or(TargetError::NonFatal)?);
        Ok(size)
    }

    fn write_addrs(&mut self, start: u64, bytes: &[u8]) -> TargetResult<(), Self> {
        self.hart.write_memory(start, bytes).map_err(|_| TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for Session<'_> {
    fn read_register(
        &mut self,
        (): (),
        register: RiscvRegId<u64>,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let core = &self.hart.core;
        let value = match register {
            RiscvRegId::Gpr(number) => core.x(number),
            RiscvRegId::Fpr(number) => core.f(number),
            RiscvRegId::Pc => core.pc,
            RiscvRegId::Csr(number) => self.hart.csr(number).ok_or(TargetError::NonFatal)?,
            RiscvRegId::Priv => core.privilege() as u64,
            _ => return Err(TargetError::NonFatal),
        };
        let size = buffer.len().min(8);
        buffer[..size].copy_from_slice(&value.to_le_bytes()[..size]);
        Ok(size)
    }

    fn write_register(
        &mut self,
        (): (),
        register: RiscvRegId<u64>,
        bytes: &[u8],
    ) -> TargetResult<(), Self> {
        let value = bytes.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
        match register {
            RiscvRegId::Gpr(number) => self.hart.core.put_x(number, value),
            RiscvRegId::Fpr(number) => self.hart.core.put_f(number, value),
            RiscvRegId::Pc => self.hart.core.pc = value & !1,
            RiscvRegId::Csr(number) if self.hart.csr(number).is_some() => {
                self.hart.set_csr(number, value);
            }
            RiscvRegId::Priv => self.hart.core.set_privilege(match value {
                3 => Privilege::Machine,
                0 => Privilege::User,
                _ => return Err(TargetError::NonFatal),
            }),
            _ => return Err(TargetError::NonFatal),
        }
        Ok(())
    }
}

impl SingleThreadResume for Session<'_> {
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.single_step = false;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Session<'_> {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Infallible> {
        self.single_step = true;
        Ok(())
    }
}

impl Breakpoints for Session<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

/// Breakpoints are addresses: memory is never patched, so a program never sees them.
impl SwBreakpoint for Session<'_> {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.breakpoints.insert(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        Ok(self.breakpoints.remove(&address))
    }
}

impl HwBreakpoint for Session<'_> {
    fn add_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl HwWatchpoint for Session<'_> {
    fn add_hw_watchpoint(
        &mut self,
        address: u64,
        size: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        self.watchpoints.push(Watchpoint { address, size, kind });
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        size: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let removed = Watchpoint { address, size, kind };
        let place = self.watchpoints.iter().position(|known| *known == removed);
        Ok(place.map(|place| self.watchpoints.remove(place)).is_some())
    }
}

impl TargetDescriptionXmlOverride for Session<'_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let xml = description::xml(self.hart);
        let rest = usize::try_from(offset).ok().and_then(|offset| xml.as_bytes().get(offset..));
        let rest = rest.unwrap_or_default();
        let size = rest.len().min(length).min(buffer.len());
        buffer[..size].copy_from_slice(&rest[..size]);
        Ok(size)
    }
}

impl MonitorCmd for Session<'_> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), Infallible> {
        let command = String::from_utf8_lossy(command);
        let command = command.trim();
        match command {
            "log on" | "log off" if !self.has_log() => {
                outputln!(out, "there is no log: start with --log FILE or --trace FILE");
            }
            "log on" => self.is_logging = true,
            "log off" => self.is_logging = false,
            _ => {
                let mut extensions = self.hart.extensions();
                let known = extensions.find_map(|it| it.monitor(command, &self.hart.core));
                match known {
                    Some(text) => outputln!(out, "{}", text.trim_end()),
                    None => outputln!(
                        out,
                        "unknown command {:?}; known are `log on`, `log off` and those of \
                         extensions (`rt`)",
                        command
                    ),
                }
            }
        }
        Ok(())
    }
}
