//! XMEM registers: policy without an effect on results (specification, section 11). What the
//! memory model of jobs makes of it is in [`super::memory_policy`].

bitflags::bitflags! {
    /// EVENTS, write one to clear. Places are the order of the published list.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Events: u8 {
        /// A misaligned or unbacked operand.
        const INV_MISS = 1 << 0;
        /// Lines could not be locked.
        const LOCK_OVF = 1 << 1;
        /// No room in local memory.
        const LDS_OOM = 1 << 2;
        /// A job or its descriptor failed.
        const DMA_ERR = 1 << 3;
        /// Compression failed.
        const COMP_ERR = 1 << 4;
        /// A class used more local memory than its budget.
        const BUDGET_OVF = 1 << 5;
        /// A security domain was violated.
        const SEC_VIOL = 1 << 6;
        /// A hybrid request fell back.
        const HYB_FALLBK = 1 << 7;
    }
}

/// Number, name, reset and write mask. A clear bit of CAP makes the fields that depend on it read
/// zero: LOCK_EN, COMP_THR and COMP_CTL.
pub const REGISTERS: [(u16, &str, u64, u64); 14] = [
    (0x7E0, "xmem.cap", 0x657, 0),
    (0x7E1, "xmem.params", 0x4086_0040, 0),
    (0x7E2, "xmem.l1cfg", 0, 0xFF0F_FFFF),
    (0x7E3, "xmem.clsmap", 0xFF, 0xFFFF_FFFF_FFFF),
    (0x7E4, "xmem.lds_budget", 0, u64::MAX),
    (0x7E5, "xmem.l2cfg", 0, 0x1FF),
    (0x7E6, "xmem.dom", 0, 0xF),
    (0x7E7, "xmem.stream_ctl", 0, 0x1FF_FFFF),
    (0x7E8, "xmem.sprof0", 0, 0xFFF_FFFF),
    (0x7E9, "xmem.sprof1", 0, 0xFFF_FFFF),
    (0x7EA, "xmem.sprof2", 0, 0xFFF_FFFF),
    (0x7EB, "xmem.sprof3", 0, 0xFFF_FFFF),
    (0x7EC, "xmem.comp_ctl", 0, 0),
    (0x7ED, "xmem.descpol", 4, 0x7F),
];

/// Number of EVENTS.
pub const EVENTS: u16 = 0x7EE;

/// The registers of one hart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xmem {
    stored: [u64; REGISTERS.len()],
    /// EVENTS.
    pub events: Events,
}

impl Default for Xmem {
    fn default() -> Self {
        Self { stored: REGISTERS.map(|(_, _, reset, _)| reset), events: Events::empty() }
    }
}

impl Xmem {
    /// Reads a register by number.
    #[must_use]
    pub fn read(&self, number: u16) -> Option<u64> {
        if number == EVENTS {
            return Some(self.events.bits().into());
        }
        position(number).map(|index| self.stored[index])
    }

    /// Writes a register by number.
    pub fn write(&mut self, number: u16, value: u64) {
        if number == EVENTS {
            self.events -= Events::from_bits_truncate(value as u8);
        } else if let Some(index) = position(number) {
            let mask = REGISTERS[index].3;
            self.stored[index] = self.stored[index] & !mask | value & mask;
        }
    }

    /// Notes events.
    pub fn raise(&mut self, events: Events) {
        self.events |= events;
    }

    /// DOM.
    #[must_use]
    pub fn domain(&self) -> u8 {
        self.read(0x7E6).unwrap_or(0) as u8
    }

    /// DESCPOL.STRICT_DOM.
    #[must_use]
    pub fn strict_domain(&self) -> bool {
        self.descriptor_policy() >> 6 & 1 == 1
    }

    /// LDS_BUDGET of DESCPOL.DEF_CLASS in bytes; `None` is unlimited.
    #[must_use]
    pub fn lds_budget(&self) -> Option<u64> {
        let class = self.descriptor_policy() & 3;
        let kib = self.read(0x7E4).unwrap_or(0) >> (16 * class) & 0xFFFF;
        (kib != 0).then_some(1024 * kib)
    }

    fn descriptor_policy(&self) -> u64 {
        self.read(0x7ED).unwrap_or(0)
    }
}

fn position(number: u16) -> Option<usize> {
    REGISTERS.iter().position(|(known, ..)| *known == number)
}
