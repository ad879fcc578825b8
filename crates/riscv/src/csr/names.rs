//! Numbers and names of the CSRs that the hart itself has.

/// Accrued exceptions.
pub const FFLAGS: u16 = 0x001;
/// Dynamic rounding mode.
pub const FRM: u16 = 0x002;
/// Both of them.
pub const FCSR: u16 = 0x003;
/// Machine status.
pub const MSTATUS: u16 = 0x300;
pub(crate) const MISA: u16 = 0x301;
pub(crate) const MEDELEG: u16 = 0x302;
pub(crate) const MIDELEG: u16 = 0x303;
pub(crate) const MIE: u16 = 0x304;
/// Where traps go.
pub const MTVEC: u16 = 0x305;
pub(crate) const MCOUNTEREN: u16 = 0x306;
pub(crate) const MENVCFG: u16 = 0x30A;
pub(crate) const MCOUNTINHIBIT: u16 = 0x320;
pub(crate) const MHPMEVENT3: u16 = 0x323;
pub(crate) const MHPMEVENT31: u16 = 0x33F;
pub(crate) const MSCRATCH: u16 = 0x340;
/// Where the last trap happened.
pub const MEPC: u16 = 0x341;
/// Why it happened.
pub const MCAUSE: u16 = 0x342;
/// What it was about.
pub const MTVAL: u16 = 0x343;
pub(crate) const MIP: u16 = 0x344;
pub(crate) const PMPCFG0: u16 = 0x3A0;
pub(crate) const PMPCFG15: u16 = 0x3AF;
pub(crate) const PMPADDR0: u16 = 0x3B0;
pub(crate) const PMPADDR63: u16 = 0x3EF;
pub(crate) const TSELECT: u16 = 0x7A0;
pub(crate) const TDATA1: u16 = 0x7A1;
pub(crate) const TDATA2: u16 = 0x7A2;
pub(crate) const MCYCLE: u16 = 0xB00;
pub(crate) const MINSTRET: u16 = 0xB02;
pub(crate) const MHPMCOUNTER3: u16 = 0xB03;
pub(crate) const MHPMCOUNTER31: u16 = 0xB1F;
pub(crate) const CYCLE: u16 = 0xC00;
pub(crate) const TIME: u16 = 0xC01;
pub(crate) const INSTRET: u16 = 0xC02;
pub(crate) const HPMCOUNTER3: u16 = 0xC03;
pub(crate) const HPMCOUNTER31: u16 = 0xC1F;
pub(crate) const MVENDORID: u16 = 0xF11;
pub(crate) const MARCHID: u16 = 0xF12;
pub(crate) const MIMPID: u16 = 0xF13;
pub(crate) const MHARTID: u16 = 0xF14;
pub(crate) const MCONFIGPTR: u16 = 0xF15;

/// The CSRs that have a name of their own.
const NAMED: [(u16, &str); 30] = [
    (FFLAGS, "fflags"),
    (FRM, "frm"),
    (FCSR, "fcsr"),
    (MSTATUS, "mstatus"),
    (MISA, "misa"),
    (MEDELEG, "medeleg"),
    (MIDELEG, "mideleg"),
    (MIE, "mie"),
    (MTVEC, "mtvec"),
    (MCOUNTEREN, "mcounteren"),
    (MENVCFG, "menvcfg"),
    (MCOUNTINHIBIT, "mcountinhibit"),
    (MSCRATCH, "mscratch"),
    (MEPC, "mepc"),
    (MCAUSE, "mcause"),
    (MTVAL, "mtval"),
    (MIP, "mip"),
    (TSELECT, "tselect"),
    (TDATA1, "tdata1"),
    (TDATA2, "tdata2"),
    (MCYCLE, "mcycle"),
    (MINSTRET, "minstret"),
    (CYCLE, "cycle"),
    (TIME, "time"),
    (INSTRET, "instret"),
    (MVENDORID, "mvendorid"),
    (MARCHID, "marchid"),
    (MIMPID, "mimpid"),
    (MHARTID, "mhartid"),
    (MCONFIGPTR, "mconfigptr"),
];

/// The CSRs of supervisor mode: known to assemblers, absent here, named so that a disassembly reads
/// well.
const ABSENT: [(u16, &str); 11] = [
    (0x100, "sstatus"),
    (0x104, "sie"),
    (0x105, "stvec"),
    (0x106, "scounteren"),
    (0x10A, "senvcfg"),
    (0x140, "sscratch"),
    (0x141, "sepc"),
    (0x142, "scause"),
    (0x143, "stval"),
    (0x144, "sip"),
    (0x180, "satp"),
];

/// The name of a CSR of the base architecture.
#[must_use]
pub fn csr_name(number: u16) -> Option<String> {
    let numbered = |name: &str, first: u16| Some(format!("{name}{}", number - first));
    match number {
        MHPMEVENT3..=MHPMEVENT31 => numbered("mhpmevent", MHPMEVENT3 - 3),
        PMPCFG0..=PMPCFG15 => numbered("pmpcfg", PMPCFG0),
        PMPADDR0..=PMPADDR63 => numbered("pmpaddr", PMPADDR0),
        MHPMCOUNTER3..=MHPMCOUNTER31 => numbered("mhpmcounter", MHPMCOUNTER3 - 3),
        HPMCOUNTER3..=HPMCOUNTER31 => numbered("hpmcounter", HPMCOUNTER3 - 3),
        _ => {
            let found = NAMED.iter().chain(&ABSENT).find(|(known, _)| *known == number);
            found.map(|(_, name)| (*name).to_owned())
        }
    }
}

/// The CSRs that a debugger shows and a comparison of states looks at: those that hold state, and
/// the identification registers; not the 29 counters that read 0.
pub(crate) fn shown() -> impl Iterator<Item = u16> {
    let named = NAMED.iter().map(|(number, _)| *number);
    named.chain([PMPCFG0, PMPCFG0 + 2]).chain(PMPADDR0..PMPADDR0 + 16)
}
