//! Text to instructions: the disassembler's own syntax, by the same table.
//!
//! One instruction a line, `mnemonic operands`, spelt as GNU objdump does without aliases. Targets
//! are addresses or labels; `name:` at the start of a line is a label. What follows `#` or `//` is
//! a comment, and so is `<place>` at the end, which listings show. A 16-bit instruction is the one
//! whose text this is.

use crate::decode::fields::{encode_b, encode_i, encode_j, encode_s};
use crate::disassemble::{FLOAT_NAMES, INTEGER_NAMES};
use crate::hart::Hart;
use crate::instruction::{Op, Operand, ROWS, Row, Unit};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use thiserror::Error;
use xphmg::numeric::Rounding;

/// Why a line is no instruction.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AssembleError {
    /// Nothing has this name.
    #[error("found {found:?}, expected the name of an instruction of this hart")]
    Mnemonic {
        /// The name.
        found: String,
    },
    /// Too few or too many.
    #[error("{mnemonic}: found {found} operands, expected {expected}")]
    Count {
        /// Of which instruction.
        mnemonic: String,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// One of them is something else.
    #[error("{mnemonic}: found operand {found:?}, expected {expected}")]
    Operand {
        /// Of which instruction.
        mnemonic: String,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// An extension refuses its instruction.
    #[error("{0}")]
    Extension(String),
    /// Two labels have one name.
    #[error("found label {0:?} again, expected each once")]
    Label(String),
}

/// An assembled instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assembled {
    /// The line of the text, from 1.
    pub line: usize,
    /// Where it goes.
    pub address: u64,
    /// The instruction; a compressed one in the low 16 bits.
    pub word: u32,
}

impl Assembled {
    /// Its size in bytes: 2 or 4.
    #[must_use]
    pub const fn size(&self) -> u64 {
        size_of_word(self.word)
    }
}

const fn size_of_word(word: u32) -> u64 {
    if word & 3 == 3 { 4 } else { 2 }
}

impl Hart {
    /// Assembles a text that starts at `base`.
    ///
    /// # Errors
    /// The first line that is no instruction, by its number, and why.
    pub fn assemble(
        &self,
        text: &str,
        base: u64,
    ) -> Result<Vec<Assembled>, (usize, AssembleError)> {
        let mut labels = BTreeMap::new();
        let mut lines = Vec::new();
        let mut address = base;
        for (number, line) in (1..).zip(text.lines()) {
            let mut rest = plain(line);
            while let Some((label, behind)) = rest.split_once(':') {
                let label = label.trim();
                if labels.insert(label, address).is_some() {
                    return Err((number, AssembleError::Label(label.to_owned())));
                }
                rest = behind.trim();
            }
            if !rest.is_empty() {
                lines.push((number, address, rest));
                address += if rest.starts_with("c.") || rest.starts_with(".2byte") { 2 } else { 4 };
            }
        }
        let assemble = |(line, address, text)| {
            let word = self.assemble_line(text, address, &labels);
            word.map(|word| Assembled { line, address, word }).map_err(|error| (line, error))
        };
        lines.into_iter().map(assemble).collect()
    }

    fn assemble_line(
        &self,
        text: &str,
        pc: u64,
        labels: &BTreeMap<&str, u64>,
    ) -> Result<u32, AssembleError> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if let Some(found) = self.extensions().find_map(|extension| extension.assemble(text)) {
            return found.map_err(AssembleError::Extension);
        }
        let texts: Vec<&str> = match rest.trim() {
            "" => Vec::new(),
            rest => rest.split(',').map(str::trim).collect(),
        };
        let csr = |name: &str| (0..4096).find(|csr| self.csr_name(*csr).as_deref() == Some(name));
        let line = Line { mnemonic, texts, pc, labels, csr: &csr };
        match mnemonic {
            ".4byte" | ".2byte" => line.data(),
            "fence.tso" => Ok(0x8330_000F),
            _ if mnemonic.starts_with("c.") => line.compressed(),
            _ => line.word(),
        }
    }
}

/// A line without comment and surrounding space.
fn plain(line: &str) -> &str {
    let ends = ["#", "//", "<"].into_iter().filter_map(|mark| line.find(mark));
    line[..ends.min().unwrap_or(line.len())].trim()
}

struct Line<'a> {
    mnemonic: &'a str,
    texts: Vec<&'a str>,
    pc: u64,
    labels: &'a BTreeMap<&'a str, u64>,
    csr: &'a dyn Fn(&str) -> Option<u16>,
}

/// The suffixes of atomics, by bits 26:25.
const ORDERS: [(&str, u32); 4] = [(".aqrl", 3), (".aq", 2), (".rl", 1), ("", 0)];

impl Line<'_> {
    fn word(&self) -> Result<u32, AssembleError> {
        let (row, order) = self.row()?;
        // The rounding mode of `frm` goes without saying, that of exact results always does.
        let said = row.operands.iter().filter(|operand| match operand {
            Operand::ExactRounding => false,
            Operand::Rounding => self.texts.len() == row.operands.len(),
            _ => true,
        });
        let said: Vec<Operand> = said.copied().collect();
        let sets = usize::from(said.contains(&Operand::FenceSets));
        if self.texts.len() != said.len() + sets {
            let expected = row.operands.len() + sets;
            let (mnemonic, found) = (self.mnemonic.to_owned(), self.texts.len());
            return Err(AssembleError::Count { mnemonic, found, expected });
        }
        let mut word = row.matches | order << 25;
        if row.operands.contains(&Operand::Rounding) && !said.contains(&Operand::Rounding) {
            word |= 7 << 12;
        }
        for (index, operand) in said.into_iter().enumerate() {
            word |= self.operand(index, operand, row)?;
        }
        Ok(word)
    }

    /// The instruction of this name, and the order of an atomic one.
    fn row(&self) -> Result<(&'static Row, u32), AssembleError> {
        let found = ORDERS.into_iter().find_map(|(suffix, order)| {
            let name = self.mnemonic.strip_suffix(suffix)?;
            let row = ROWS.iter().find(|row| row.mnemonic == name && row.matches != 0)?;
            (order == 0 || row.op.unit() == Unit::Atomic).then_some((row, order))
        });
        found.ok_or_else(|| AssembleError::Mnemonic { found: self.mnemonic.to_owned() })
    }

    /// The bits of an operand.
    fn operand(&self, index: usize, operand: Operand, row: &Row) -> Result<u32, AssembleError> {
        let text = self.texts[index];
        let register = |names: &[&str; 32], shift: u32, expected: &str| {
            let number = register(text, names).ok_or_else(|| self.wrong(text, expected))?;
            Ok(number << shift)
        };
        let (x, f) = (&INTEGER_NAMES, &FLOAT_NAMES);
        let (an_x, an_f) = ("an integer register", "a floating-point register");
        match operand {
            Operand::Rd => register(x, 7, an_x),
            Operand::Rs1 => register(x, 15, an_x),
            Operand::Rs2 => register(x, 20, an_x),
            Operand::Fd => register(f, 7, an_f),
            Operand::Fs1 => register(f, 15, an_f),
            Operand::Fs2 => register(f, 20, an_f),
            Operand::Fs3 => register(f, 27, an_f),
            Operand::Rounding => match Rounding::from_name(text) {
                Some(mode) => Ok(mode.riscv_code() << 12),
                None => Err(self.wrong(text, "rne, rtz, rdn, rup or rmm")),
            },
            Operand::ExactRounding => Ok(0),
            Operand::Immediate => Ok(encode_i(0, 0, 0, 0, self.number(text, -2048, 2047)? as i32)),
            Operand::Shift => {
                // Shifts of words have a fixed bit where others have the highest of six.
                let most = if row.mask >> 25 & 1 == 1 { 31 } else { 63 };
                Ok((self.number(text, 0, most)? as u32) << 20)
            }
            Operand::Upper => Ok((self.number(text, 0, 0xF_FFFF)? as u32) << 12),
            Operand::BranchTarget => Ok(encode_b(0, 0, 0, self.offset(text, 12)?) & !0x7F),
            Operand::JumpTarget => Ok(encode_j(0, self.offset(text, 20)?) & !0x7F),
            Operand::OffsetI => {
                let (offset, base) = self.place(text)?;
                Ok(encode_i(0, 0, 0, base, offset))
            }
            Operand::OffsetS => {
                let (offset, base) = self.place(text)?;
                Ok(encode_s(0, 0, base, 0, offset))
            }
            Operand::Address => match self.place(text)? {
                (0, base) => Ok(base << 15),
                _ => Err(self.wrong(text, "a register in parentheses")),
            },
            Operand::Csr => match (self.csr)(text) {
                Some(number) => Ok(u32::from(number) << 20),
                None => Ok((self.number(text, 0, 0xFFF)? as u32) << 20),
            },
            Operand::CsrImmediate => Ok((self.number(text, 0, 31)? as u32) << 15),
            Operand::FenceSets => {
                Ok(self.fence_set(text)? << 24 | self.fence_set(self.texts[index + 1])? << 20)
            }
        }
    }

    /// `offset(register)`; no offset is 0.
    fn place(&self, text: &str) -> Result<(i32, u32), AssembleError> {
        let expected = "an offset and a register in parentheses, such as 8(sp)";
        let parts = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let (offset, base) = parts.ok_or_else(|| self.wrong(text, expected))?;
        let base = register(base.trim(), &INTEGER_NAMES);
        let base = base.ok_or_else(|| self.wrong(text, expected))?;
        let offset = if offset.is_empty() { 0 } else { self.number(offset, -2048, 2047)? };
        Ok((offset as i32, base))
    }

    /// The distance to a target of so many bits and a sign.
    fn offset(&self, text: &str, bits: u32) -> Result<i32, AssembleError> {
        let target = self.target(text)?;
        let offset = target.wrapping_sub(self.pc) as i64;
        let reach = -(1_i64 << bits)..1 << bits;
        if offset % 2 != 0 || !reach.contains(&offset) {
            let expected = format!("an even address within {} bytes of {:#x}", 1 << bits, self.pc);
            return Err(self.wrong(text, &expected));
        }
        Ok(offset as i32)
    }

    fn target(&self, text: &str) -> Result<u64, AssembleError> {
        let known = self.labels.get(text).copied();
        let target = known.or_else(|| unsigned(text));
        target.ok_or_else(|| self.wrong(text, "an address or a label"))
    }

    fn number(&self, text: &str, least: i64, most: i64) -> Result<i64, AssembleError> {
        let number = match text.strip_prefix('-') {
            Some(digits) => unsigned(digits).and_then(|n| i64::try_from(n).ok()).map(|n| -n),
            None => unsigned(text).and_then(|n| i64::try_from(n).ok()),
        };
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.wrong(text, &format!("a number from {least} to {most}")))
    }

    fn fence_set(&self, text: &str) -> Result<u32, AssembleError> {
        let bit = |name| "wroi".find(name).map_or(16, |bit| 1 << bit);
        match text {
            "unknown" => Ok(0),
            _ => match text.chars().fold(0, |bits, name| bits | bit(name)) {
                bits @ 1..16 => Ok(bits),
                _ => Err(self.wrong(text, "some of i, o, r and w")),
            },
        }
    }

    /// A word that is no instruction.
    fn data(&self) -> Result<u32, AssembleError> {
        let [text] = self.texts[..] else {
            let (mnemonic, found) = (self.mnemonic.to_owned(), self.texts.len());
            return Err(AssembleError::Count { mnemonic, found, expected: 1 });
        };
        let most = if self.mnemonic == ".2byte" { 0xFFFF } else { 0xFFFF_FFFF };
        Ok(self.number(text, 0, most)? as u32)
    }

    /// The 16-bit instruction whose text this is.
    fn compressed(&self) -> Result<u32, AssembleError> {
        let mut texts: Vec<String> = self.texts.iter().map(|text| (*text).to_owned()).collect();
        if matches!(self.mnemonic, "c.j" | "c.beqz" | "c.bnez")
            && let Some(target) = texts.last_mut()
        {
            *target = format!("{:#x}", self.target(target)?.wrapping_sub(self.pc));
        }
        let (known, names) = &*COMPRESSED;
        let text = format!("{} {}", self.mnemonic, texts.join(","));
        known.get(text.trim_end()).map(|word| u32::from(*word)).ok_or_else(|| {
            if names.contains_key(self.mnemonic) {
                let expected = format!("operands such as {}", names[self.mnemonic]);
                self.wrong(&texts.join(","), &expected)
            } else {
                AssembleError::Mnemonic { found: self.mnemonic.to_owned() }
            }
        })
    }

    fn wrong(&self, found: &str, expected: &str) -> AssembleError {
        AssembleError::Operand {
            mnemonic: self.mnemonic.to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        }
    }
}

/// All 16-bit instructions by their text at address 0, and operands of each name.
static COMPRESSED: LazyLock<(HashMap<String, u16>, HashMap<String, String>)> =
    LazyLock::new(|| {
        let mut known = HashMap::new();
        let mut names = HashMap::new();
        for word in (0..=u16::MAX).filter(|word| word & 3 != 3) {
            let instruction = crate::decode::decode(word.into());
            if instruction.op == Op::Illegal && word != 0 {
                continue;
            }
            let text = crate::disassemble::text(&instruction, 0, &|_| None);
            known.entry(text.to_string()).or_insert(word);
            names.entry(text.mnemonic).or_insert(text.operands);
        }
        (known, names)
    });

/// A register by its ABI name, as `fp`, or by number: `x7`, `f7`.
fn register(text: &str, names: &[&str; 32]) -> Option<u32> {
    let number = || {
        let kind = if names[0] == "zero" { 'x' } else { 'f' };
        text.strip_prefix(kind)?.parse().ok().filter(|number| *number < 32)
    };
    match names.iter().position(|name| *name == text) {
        Some(position) => Some(position as u32),
        None if text == "fp" && names[0] == "zero" => Some(8),
        None => number(),
    }
}

/// A number, in hex after 0x.
fn unsigned(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
