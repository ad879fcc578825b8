//! Loading programs: 64-bit little-endian RISC-V ELF files, statically linked.

use crate::hart::Hart;
use crate::memory::{LDS_BASE, RAM_BASE, Unbacked};
use object::LittleEndian;
use object::elf::{EF_RISCV_RVE, EM_RISCV, ET_EXEC, FileHeader64, PT_LOAD, SHT_RISCV_ATTRIBUTES};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use std::collections::BTreeMap;
use thiserror::Error;

type Header = FileHeader64<LittleEndian>;
const ENDIAN: LittleEndian = LittleEndian;

/// Why a file is no program for this hart.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ElfError {
    /// It is no ELF file, or a broken one.
    #[error("not a usable ELF file: {0}")]
    Broken(String),
    /// 32 bits, or big-endian.
    #[error("the ELF file is {found}; expected 64-bit little-endian")]
    Class {
        /// What it is.
        found: &'static str,
    },
    /// A program for something else.
    #[error("the ELF file is for machine {machine} ({name}); expected 243 (RISC-V)")]
    Machine {
        /// The number in its header.
        machine: u16,
        /// A name for common ones.
        name: &'static str,
    },
    /// Not statically linked.
    #[error("the ELF file has type {0}; expected 2 (an executable linked at fixed addresses)")]
    Type(u16),
    /// It was compiled for what the hart does not have.
    #[error("the program needs {0}, which this hart does not have (it is an RV64GC)")]
    Needs(String),
    /// Nothing to load.
    #[error("the ELF file has no segments to load")]
    NoSegments,
    /// A segment has no memory under it.
    #[error(
        "segment {index} at {address:#x}, {size} bytes, is outside RAM ({RAM_BASE:#x}, {ram} \
         bytes) and LDS ({LDS_BASE:#x}, {lds} bytes)"
    )]
    Outside {
        /// Its number among the program headers.
        index: usize,
        /// Where it wants to be.
        address: u64,
        /// Its size in memory.
        size: u64,
        /// Bytes of RAM.
        ram: u64,
        /// Bytes of LDS.
        lds: u64,
    },
    /// Two segments want one place.
    #[error("segments {first} and {second} overlap at {address:#x}")]
    Overlap {
        /// Its number among the program headers.
        first: usize,
        /// Its number among the program headers.
        second: usize,
        /// The first byte that both want.
        address: u64,
    },
    /// A segment claims more bytes than the file has, or fewer in memory than in the file.
    #[error("segment {index} is not inside the file: {problem}")]
    Segment {
        /// Its number among the program headers.
        index: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// The entry cannot be executed.
    #[error("the entry {0:#x} is not the address of a loaded instruction")]
    Entry(u64),
}

/// A program in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Where it starts.
    pub entry: u64,
    /// Its symbols by name; local ones may be shadowed.
    pub symbols: BTreeMap<String, u64>,
    /// Address and size of each executable part.
    pub code: Vec<(u64, u64)>,
    /// Address and size of each loaded part.
    pub loaded: Vec<(u64, u64)>,
}

impl Program {
    /// The symbols at an address; local labels of assemblers and mapping symbols are left out.
    pub fn symbols_at(&self, address: u64) -> impl Iterator<Item = &str> {
        let at = self.symbols.iter().filter(move |(_, value)| **value == address);
        at.map(|(name, _)| name.as_str()).filter(|name| !name.starts_with(['.', '$']))
    }

    /// The symbols of executable parts by address, without local labels and mapping symbols.
    #[must_use]
    pub fn labels(&self) -> Vec<(u64, &str)> {
        let symbols = self.symbols.iter().map(|(name, address)| (*address, name.as_str()));
        let is_code = |(address, name): &(u64, &str)| {
            !name.starts_with(['.', '$']) && self.part(*address).is_some()
        };
        let mut labels: Vec<(u64, &str)> = symbols.filter(is_code).collect();
        labels.sort_unstable();
        labels
    }

    /// `symbol+0x10` for an address in the code behind a symbol.
    #[must_use]
    pub fn place(&self, address: u64) -> Option<String> {
        let (start, _) = self.part(address)?;
        let before = self.symbols.iter().filter(|(name, value)| {
            (start..=address).contains(*value) && !name.starts_with(['.', '$'])
        });
        let (name, value) = before.max_by_key(|(_, value)| **value)?;
        Some(match address - value {
            0 => name.clone(),
            offset => format!("{name}+{offset:#x}"),
        })
    }

    /// The executable part around an address.
    fn part(&self, address: u64) -> Option<(u64, u64)> {
        let is_around =
            |(start, size): &&(u64, u64)| (*start..start.saturating_add(*size)).contains(&address);
        self.code.iter().find(is_around).copied()
    }
}

impl Hart {
    /// The 16 or 32 bits of the instruction at `pc`, whoever may execute them.
    #[must_use]
    pub fn instruction_bits(&self, pc: u64) -> Option<u32> {
        let half = |address| self.core.memory.read(address).map(u16::from_le_bytes).ok();
        let low = u32::from(half(pc)?);
        if low & 3 != 3 {
            return Some(low);
        }
        Some(u32::from(half(pc.wrapping_add(2))?) << 16 | low)
    }

    /// Loads a program: nothing changes unless all of it fits. The hart is reset and stands at its
    /// entry.
    pub fn load_elf(&mut self, file: &[u8]) -> Result<Program, ElfError> {
        let segments = parse(file)?;
        let (ram, lds) = (self.core.memory.ram_size(), self.core.memory.lds_size());
        for segment in &segments.load {
            let fits =
                segment.address >= LDS_BASE && self.core.is_backed(segment.address, segment.size);
            if !fits {
                let Segment { index, address, size, .. } = *segment;
                return Err(ElfError::Outside { index, address, size, ram, lds });
            }
        }
        for segment in &segments.load {
            let written = self.place(segment);
            debug_assert!(written.is_ok(), "checked above");
        }
        let program = segments.program;
        self.host.to_host = program.symbols.get("tohost").copied();
        self.host.from_host = program.symbols.get("fromhost").copied();
        if let Some(address) = self.host.to_host {
            self.core.memory.watch(address);
            self.core.memory.watch(address.wrapping_add(7));
        }
        self.set_entry(program.entry);
        self.reset();
        Ok(program)
    }

    /// Writes the bytes of a segment, and zeros behind them.
    fn place(&mut self, segment: &Segment<'_>) -> Result<(), Unbacked> {
        const ZEROS: [u8; 4096] = [0; 4096];
        let memory = &mut self.core.memory;
        memory.write_bytes(segment.address, segment.bytes)?;
        let mut at = segment.address + segment.bytes.len() as u64;
        let end = segment.address + segment.size;
        while at < end {
            let size = (end - at).min(ZEROS.len() as u64);
            memory.write_bytes(at, &ZEROS[..size as usize])?;
            at += size;
        }
        Ok(())
    }
}

struct Parsed<'a> {
    load: Vec<Segment<'a>>,
    program: Program,
}

struct Segment<'a> {
    index: usize,
    address: u64,
    size: u64,
    bytes: &'a [u8],
}

fn parse(file: &[u8]) -> Result<Parsed<'_>, ElfError> {
    let header = check_header(file)?;
    check_attributes(header, file)?;
    let load = segments(header, file)?;
    let symbols = symbols(header, file);
    let mut program = Program { entry: header.e_entry(ENDIAN), symbols, ..Program::default() };
    program.loaded = load.iter().map(|segment| (segment.address, segment.size)).collect();
    program.code = executable_parts(header, file)?;
    let starts = |&(address, size): &(u64, u64)| {
        program.entry.checked_sub(address).is_some_and(|offset| offset < size)
    };
    if program.entry & 1 != 0 || !program.loaded.iter().any(starts) {
        return Err(ElfError::Entry(program.entry));
    }
    Ok(Parsed { load, program })
}

fn broken(error: object::read::Error) -> ElfError {
    ElfError::Broken(error.to_string())
}

fn check_header(file: &[u8]) -> Result<&Header, ElfError> {
    match file {
        [0x7F, b'E', b'L', b'F', 1, ..] => return Err(ElfError::Class { found: "32-bit" }),
        [0x7F, b'E', b'L', b'F', 2, 2, ..] => return Err(ElfError::Class { found: "big-endian" }),
        [0x7F, b'E', b'L', b'F', ..] => {}
        _ => return Err(ElfError::Broken("it does not start with 7f 45 4c 46".to_owned())),
    }
    let header = Header::parse(file).map_err(broken)?;
    let machine = header.e_machine(ENDIAN);
    if machine != EM_RISCV {
        let name = match machine {
            object::elf::EM_X86_64 => "x86-64",
            object::elf::EM_AARCH64 => "AArch64",
            object::elf::EM_386 => "i386",
            object::elf::EM_ARM => "Arm",
            _ => "another machine",
        };
        return Err(ElfError::Machine { machine: machine.0, name });
    }
    match header.e_type(ENDIAN) {
        ET_EXEC => {}
        other => return Err(ElfError::Type(other.0)),
    }
    if header.e_flags(ENDIAN).contains(EF_RISCV_RVE) {
        return Err(ElfError::Needs("the E base with 16 registers".to_owned()));
    }
    Ok(header)
}

/// The attributes section holds the architecture as text, `rv64i2p1_m2p0_…`: vectors there mean
/// that the program will not get far.
fn check_attributes(header: &Header, file: &[u8]) -> Result<(), ElfError> {
    let Ok(sections) = header.sections(ENDIAN, file) else { return Ok(()) };
    for section in sections.iter() {
        if section.sh_type(ENDIAN) != SHT_RISCV_ATTRIBUTES {
            continue;
        }
        let bytes = section.data(ENDIAN, file).unwrap_or_default();
        let Some(start) = bytes.windows(4).position(|four| four == b"rv64" || four == b"rv32")
        else {
            continue;
        };
        let end = bytes[start..].iter().position(|&byte| byte == 0);
        let text = &bytes[start..end.map_or(bytes.len(), |end| start + end)];
        let text = String::from_utf8_lossy(text);
        for part in text.split('_').skip(1) {
            let version = part.find(|letter: char| letter.is_ascii_digit());
            let name = &part[..version.unwrap_or(part.len())];
            if matches!(name, "v" | "h" | "q" | "b") {
                return Err(ElfError::Needs(format!("the extension {}", name.to_uppercase())));
            }
        }
    }
    Ok(())
}

fn segments<'a>(header: &Header, file: &'a [u8]) -> Result<Vec<Segment<'a>>, ElfError> {
    let mut load: Vec<Segment<'a>> = Vec::new();
    for (index, segment) in header.program_headers(ENDIAN, file).map_err(broken)?.iter().enumerate()
    {
        if segment.p_type(ENDIAN) != PT_LOAD || segment.p_memsz(ENDIAN) == 0 {
            continue;
        }
        let bytes = segment
            .data(ENDIAN, file)
            .map_err(|()| ElfError::Segment { index, problem: "its bytes lie outside the file" })?;
        // The load address: initialised data may be linked for one place and loaded in another.
        let (address, size) = (segment.p_paddr(ENDIAN), segment.p_memsz(ENDIAN));
        if (bytes.len() as u64) > size {
            return Err(ElfError::Segment {
                index,
                problem: "its size in the file exceeds that in memory",
            });
        }
        for other in &load {
            let start = address.max(other.address);
            if start < address.saturating_add(size)
                && start < other.address.saturating_add(other.size)
            {
                return Err(ElfError::Overlap {
                    first: other.index,
                    second: index,
                    address: start,
                });
            }
        }
        load.push(Segment { index, address, size, bytes });
    }
    if load.is_empty() { Err(ElfError::NoSegments) } else { Ok(load) }
}

/// What can be executed, as far as the file has bytes for it.
fn executable_parts(header: &Header, file: &[u8]) -> Result<Vec<(u64, u64)>, ElfError> {
    let mut parts = Vec::new();
    if let Ok(sections) = header.sections(ENDIAN, file) {
        for section in sections.iter() {
            if section.sh_flags(ENDIAN).contains(object::elf::SHF_EXECINSTR) {
                let offset = section.sh_offset(ENDIAN);
                let stored = (file.len() as u64).saturating_sub(offset);
                parts.push((section.sh_addr(ENDIAN), section.sh_size(ENDIAN).min(stored)));
            }
        }
    }
    if parts.is_empty() {
        for segment in header.program_headers(ENDIAN, file).map_err(broken)? {
            let is_code = segment.p_flags(ENDIAN).contains(object::elf::PF_X);
            if segment.p_type(ENDIAN) == PT_LOAD && is_code {
                parts.push((segment.p_paddr(ENDIAN), segment.p_filesz(ENDIAN)));
            }
        }
    }
    Ok(parts)
}

/// The symbols, as far as they can be read: a stripped program has none.
fn symbols(header: &Header, file: &[u8]) -> BTreeMap<String, u64> {
    let Ok(sections) = header.sections(ENDIAN, file) else { return BTreeMap::new() };
    let Ok(table) = sections.symbols(ENDIAN, file, object::elf::SHT_SYMTAB) else {
        return BTreeMap::new();
    };
    let strings = table.strings();
    let mut symbols = BTreeMap::new();
    for symbol in table.iter() {
        let is_defined = symbol.st_shndx(ENDIAN) != object::elf::SHN_UNDEF;
        let name = symbol.name(ENDIAN, strings).unwrap_or_default();
        if is_defined && !name.is_empty() {
            symbols.insert(String::from_utf8_lossy(name).into_owned(), symbol.st_value(ENDIAN));
        }
    }
    symbols
}
