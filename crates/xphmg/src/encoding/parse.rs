//! Text to instruction: one line of assembly, without labels.

use super::{BboxFlags, Instruction, PipeDomain, Prefix, REGISTERS, Shape, TriFlags};
use crate::numeric::Rounding;

/// Text that is no instruction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// No such mnemonic.
    #[error("{found:?} is no instruction of XPHMG; instructions are {}", MNEMONICS.join(", "))]
    Mnemonic {
        /// What is there.
        found: String,
    },
    /// The wrong number of operands.
    #[error("{mnemonic} has {found} operands, expected {expected}")]
    Count {
        /// The mnemonic.
        mnemonic: String,
        /// How many there are.
        found: usize,
        /// How they should look.
        expected: &'static str,
    },
    /// An operand that cannot be read.
    #[error("operand {number} of {mnemonic} is {found:?}, expected {expected}")]
    Operand {
        /// The mnemonic.
        mnemonic: String,
        /// Which operand, from 1.
        number: usize,
        /// What is there.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
}

const MNEMONICS: [&str; 21] = [
    "rt.bbox",
    "rt.tri",
    "svsetvl",
    "svon.one",
    "svon.blk",
    "svend",
    "svp.one.vlstep",
    "svon.fpctl",
    "bp.f",
    "bp.t",
    "xsubmit.rt",
    "xfence.wait",
    "xfence.signal",
    "xfence.wait.e",
    "xfence.pipe",
    "xlds.alloc",
    "xlds.free",
    "xlds.bar",
    "mtx.ld",
    "mtx.mul",
    "mtx.mad",
];

const BBOX_FLAGS: [(&str, u8); 4] =
    [("t_clamp", 1), ("pred_only", 2), ("pack_hint", 4), ("w_guard", 8)];
const TRI_FLAGS: [(&str, u8); 4] =
    [("cull_back", 1), ("pred_only", 2), ("pack_hint", 4), ("eps_ctl", 8)];

/// Parses one line.
///
/// # Errors
/// When it is no instruction of this extension; the message says what was expected where.
pub fn parse(line: &str) -> Result<Instruction, ParseError> {
    let line = line.trim();
    let (mnemonic, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let texts: Vec<&str> = match rest.trim() {
        "" => Vec::new(),
        rest => rest.split(',').map(str::trim).collect(),
    };
    let operands = Operands { mnemonic, texts };
    match mnemonic {
        "rt.bbox" => {
            operands.between(2, 3, "rd, (rs1), flags")?;
            let bits = operands.flags(2, &BBOX_FLAGS)?;
            let flags = BboxFlags::from_bits_truncate(bits);
            Ok(Instruction::Bbox { rd: operands.register(0)?, rs1: operands.address(1)?, flags })
        }
        "rt.tri" => {
            operands.between(2, 3, "rd, (rs1), flags")?;
            let bits = operands.flags(2, &TRI_FLAGS)?;
            let flags = TriFlags::from_bits_truncate(bits);
            Ok(Instruction::Tri { rd: operands.register(0)?, rs1: operands.address(1)?, flags })
        }
        "bp.f" | "bp.t" => {
            operands.between(1, 1, "pc+offset")?;
            Ok(Instruction::Branch { on: mnemonic == "bp.t", offset: operands.offset(0)? })
        }
        "xsubmit.rt" => {
            operands.between(2, 2, "rd, (rs1)")?;
            Ok(Instruction::Submit { rd: operands.register(0)?, rs1: operands.address(1)? })
        }
        "xfence.wait" => operands.one_register().map(|rs1| Instruction::FenceWait { rs1 }),
        "xfence.signal" => operands.one_register().map(|rs1| Instruction::FenceSignal { rs1 }),
        "xfence.wait.e" => operands.one_register().map(|rs1| Instruction::FenceWaitEvent { rs1 }),
        "xfence.pipe" => {
            operands.between(1, 1, "rt, mtx or all")?;
            let named = |(_, _, name): &(PipeDomain, u32, &str)| *name == operands.texts[0];
            let found = PipeDomain::ALL.into_iter().find(named);
            let (domain, ..) = found.ok_or_else(|| operands.wrong(0, "rt, mtx or all"))?;
            Ok(Instruction::FencePipe { domain })
        }
        "xlds.alloc" => {
            operands.between(2, 2, "rd, rs1")?;
            Ok(Instruction::LdsAlloc { rd: operands.register(0)?, rs1: operands.register(1)? })
        }
        "xlds.free" => operands.one_register().map(|rs1| Instruction::LdsFree { rs1 }),
        "xlds.bar" => operands.between(0, 0, "none").map(|()| Instruction::LdsBarrier),
        "mtx.ld" | "mtx.mul" | "mtx.mad" => parse_mtx(&operands),
        _ => parse_prefix(&operands).map(Instruction::Prefix),
    }
}

fn parse_prefix(operands: &Operands<'_>) -> Result<Prefix, ParseError> {
    match operands.mnemonic {
        "svsetvl" => {
            operands.between(2, 2, "rd, rs1 or rd, n")?;
            let rd = operands.register(0)?;
            match register(operands.texts[1]) {
                Some(rs1) => Ok(Prefix::SetLength { rd, rs1 }),
                None => Ok(Prefix::SetLengthTo {
                    rd,
                    length: operands.number(1, 1, 255, "a register or 1 to 255")?,
                }),
            }
        }
        "svon.one" => operands.between(0, 0, "none").map(|()| Prefix::One),
        "svon.blk" => {
            operands.between(1, 1, "n")?;
            Ok(Prefix::Block { count: operands.number(0, 0, 255, "0 to 255")? })
        }
        "svend" => operands.between(0, 0, "none").map(|()| Prefix::End),
        "svp.one.vlstep" => {
            operands.between(3, 3, "vl, s, d")?;
            Ok(Prefix::OneWithSteps {
                length: operands.number(0, 1, 64, "1 to 64")?,
                source: operands.number(1, 0, 3, "a step code, 0 to 3")?,
                destination: operands.number(2, 0, 3, "a step code, 0 to 3")?,
            })
        }
        "svon.fpctl" => {
            operands.between(3, 3, "rc, sae, z")?;
            let rounding = match Rounding::from_name(operands.texts[0]) {
                Some(mode) => mode.riscv_code() as u8,
                None => operands.number(0, 0, 7, "rne, rtz, rdn, rup, rmm or 0 to 7")?,
            };
            Ok(Prefix::FpControl {
                rounding,
                suppress: operands.number(1, 0, 1, "0 or 1")? == 1,
                zero_masked: operands.number(2, 0, 1, "0 or 1")? == 1,
            })
        }
        other => Err(ParseError::Mnemonic { found: other.to_owned() }),
    }
}

fn parse_mtx(operands: &Operands<'_>) -> Result<Instruction, ParseError> {
    if operands.mnemonic == "mtx.ld" {
        operands.between(2, 4, "(rs1), shape, flags, stride=n")?;
        let (flags, stride) = operands.mtx_tail(2, ["transpose", "rowmajor", "with_bias"])?;
        return Ok(Instruction::MtxLoad {
            rs1: operands.address(0)?,
            shape: operands.shape(1)?,
            transpose: flags & 1 != 0,
            row_major: flags & 2 != 0,
            with_bias: flags & 4 != 0,
            stride,
        });
    }
    operands.between(4, 6, "rd, (rs1), shape, n=count, flags, stride=n")?;
    let (flags, stride) = operands.mtx_tail(4, ["transpose", "sat_hint", ""])?;
    let count = operands.texts[3].strip_prefix("n=").and_then(|n| n.parse().ok());
    let count = count.filter(|count| (1..=8).contains(count));
    Ok(Instruction::MtxMultiply {
        rd: operands.register(0)?,
        rs1: operands.address(1)?,
        shape: operands.shape(2)?,
        transpose: flags & 1 != 0,
        saturate: flags & 2 != 0,
        count: count.ok_or_else(|| operands.wrong(3, "n=1 to n=8"))?,
        stride,
        add_bias: operands.mnemonic == "mtx.mad",
    })
}

/// The operands of one line.
struct Operands<'a> {
    mnemonic: &'a str,
    texts: Vec<&'a str>,
}

impl Operands<'_> {
    fn between(&self, least: usize, most: usize, expected: &'static str) -> Result<(), ParseError> {
        let found = self.texts.len();
        if (least..=most).contains(&found) {
            Ok(())
        } else {
            Err(ParseError::Count { mnemonic: self.mnemonic.to_owned(), found, expected })
        }
    }

    fn wrong(&self, index: usize, expected: &'static str) -> ParseError {
        let found = self.texts.get(index).copied().unwrap_or_default().to_owned();
        ParseError::Operand {
            mnemonic: self.mnemonic.to_owned(),
            number: index + 1,
            found,
            expected,
        }
    }

    fn register(&self, index: usize) -> Result<u8, ParseError> {
        register(self.texts[index]).ok_or_else(|| self.wrong(index, "a register"))
    }

    fn one_register(&self) -> Result<u8, ParseError> {
        self.between(1, 1, "rs1")?;
        self.register(0)
    }

    fn address(&self, index: usize) -> Result<u8, ParseError> {
        let inside = self.texts[index].strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let found = inside.and_then(|name| register(name.trim()));
        found.ok_or_else(|| self.wrong(index, "a register in parentheses"))
    }

    fn number(
        &self,
        index: usize,
        least: u8,
        most: u8,
        expected: &'static str,
    ) -> Result<u8, ParseError> {
        let number = self.texts[index].parse().ok().filter(|n| (least..=most).contains(n));
        number.ok_or_else(|| self.wrong(index, expected))
    }

    fn offset(&self, index: usize) -> Result<i16, ParseError> {
        let number = self.texts[index].strip_prefix("pc").and_then(|text| text.parse::<i16>().ok());
        let number = number.filter(|offset| offset % 2 == 0 && (-4096..=4094).contains(offset));
        number.ok_or_else(|| self.wrong(index, "pc-4096 to pc+4094, even"))
    }

    fn flags(&self, index: usize, known: &[(&'static str, u8)]) -> Result<u8, ParseError> {
        let Some(text) = self.texts.get(index) else { return Ok(0) };
        text.split('|').try_fold(0, |bits, name| {
            let flag = known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
            flag.map(|(_, bit)| bits | bit).ok_or_else(|| self.wrong(index, "flags joined by |"))
        })
    }

    fn shape(&self, index: usize) -> Result<Shape, ParseError> {
        let named =
            |shape: &Shape| format!("{}x{}", shape.rows, shape.columns) == self.texts[index];
        let expected = "2x2, 2x3, 2x4, 3x2, 3x3, 4x2 or 4x4";
        Shape::ALL.into_iter().find(named).ok_or_else(|| self.wrong(index, expected))
    }

    /// Flags and stride of MTX, both optional.
    fn mtx_tail(&self, from: usize, names: [&'static str; 3]) -> Result<(u8, u8), ParseError> {
        let (mut flags, mut stride) = (0, 0);
        for index in from..self.texts.len() {
            match self.texts[index].strip_prefix("stride=") {
                Some(number) => {
                    let number = number.parse().ok().filter(|n| *n <= 3);
                    stride = number.ok_or_else(|| self.wrong(index, "stride=0 to stride=3"))?;
                }
                None => {
                    flags = self.flags(index, &[(names[0], 1), (names[1], 2), (names[2], 4)])?
                }
            }
        }
        Ok((flags, stride))
    }
}

/// The number of a register given as `x7`, by its ABI name, or as `zero` or `fp`.
fn register(name: &str) -> Option<u8> {
    if let Some(index) = REGISTERS.iter().position(|known| *known == name) {
        return Some(index as u8);
    }
    match name {
        "zero" => Some(0),
        "fp" => Some(8),
        _ => name.strip_prefix('x')?.parse().ok().filter(|number| *number < 32),
    }
}
