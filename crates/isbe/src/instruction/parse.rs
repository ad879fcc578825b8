//! Text as instructions, the inverse of how they print.
//!
//! Suffixes may come in any order, each kind once; `.MAP` and `.U8`, which are never printed, are
//! understood. Numbers are decimal or hex with `0x`. In a program `//` and `#` begin a comment.

use super::{Al2p, Ald, Ast, Components, Guard, Instruction, Isberd, Isbewr, Operation, Register};
use super::{Schedule, Vild};
use crate::memory::{Access, Region, Size};
use std::str::FromStr;

/// Text that is no instruction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: found {found}, expected {expected}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
}

/// An instruction of a program and the line that it stands on, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLine {
    /// The line.
    pub line: usize,
    /// The instruction.
    pub instruction: Instruction,
}

impl FromStr for Instruction {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut cursor = Cursor { text, position: 0, line: 1 };
        let instruction = cursor.instruction()?;
        cursor.skip_spaces();
        if cursor.rest().is_empty() { Ok(instruction) } else { Err(cursor.wrong("nothing more")) }
    }
}

/// The instructions of a program, one or more to a line.
///
/// # Errors
/// When a line holds anything else.
pub fn parse_program(text: &str) -> Result<Vec<SourceLine>, ParseError> {
    let mut program = Vec::new();
    for (number, full) in text.lines().enumerate() {
        let comment = [full.find("//"), full.find('#')].into_iter().flatten().min();
        let line = number + 1;
        let mut cursor = Cursor { text: &full[..comment.unwrap_or(full.len())], position: 0, line };
        cursor.skip_spaces();
        while !cursor.rest().is_empty() {
            program.push(SourceLine { line, instruction: cursor.instruction()? });
            cursor.skip_spaces();
        }
    }
    Ok(program)
}

struct Cursor<'a> {
    text: &'a str,
    position: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn instruction(&mut self) -> Result<Instruction, ParseError> {
        self.skip_spaces();
        let schedule =
            if self.rest().starts_with("[B") { self.schedule()? } else { Schedule::default() };
        let guard = if self.take("@") { self.guard()? } else { Guard::ALWAYS };
        let operation = self.operation()?;
        self.expect(";")?;
        Ok(Instruction { guard, schedule, operation })
    }

    fn operation(&mut self) -> Result<Operation, ParseError> {
        self.skip_spaces();
        let start = self.position;
        match self.word() {
            "ISBERD" => {
                let access = self.access()?;
                let destination = self.register()?;
                self.expect(",")?;
                let (address, immediate) = self.place()?;
                Ok(Operation::Isberd(Isberd { destination, address, immediate, access }))
            }
            "ISBEWR" => {
                let access = self.access()?;
                let (address, immediate) = self.place()?;
                self.expect(",")?;
                let data = self.register()?;
                Ok(Operation::Isbewr(Isbewr { data, address, immediate, access }))
            }
            "ALD" => {
                let Suffixes { components, output, patch, physical } =
                    self.suffixes(&["O", "P", "PHYS"])?;
                let destination = self.register()?;
                self.expect(",")?;
                let (offset, id) = self.attribute()?;
                self.expect(",")?;
                let vertex = self.register()?;
                Ok(Operation::Ald(Ald {
                    destination,
                    offset,
                    vertex,
                    id,
                    components,
                    patch,
                    physical,
                    output,
                }))
            }
            "AST" => {
                let Suffixes { components, patch, physical, .. } = self.suffixes(&["P", "PHYS"])?;
                let (offset, id) = self.attribute()?;
                self.expect(",")?;
                let data = self.register()?;
                self.expect(",")?;
                let vertex = self.register()?;
                Ok(Operation::Ast(Ast { data, offset, vertex, id, components, patch, physical }))
            }
            "AL2P" => {
                let Suffixes { components, output, .. } = self.suffixes(&["O"])?;
                let destination = self.register()?;
                self.expect(",")?;
                let (offset, id) = self.attribute()?;
                Ok(Operation::Al2p(Al2p { destination, offset, id, components, output }))
            }
            "VILD" => {
                let destination = self.register()?;
                self.expect(",")?;
                self.expect("v")?;
                self.expect("[")?;
                let index = self.register()?;
                let immediate = self.signed_offset()?;
                self.expect("]")?;
                Ok(Operation::Vild(Vild { destination, index, immediate }))
            }
            _ => {
                self.position = start;
                Err(self.wrong("ISBERD, ISBEWR, ALD, AST, AL2P or VILD"))
            }
        }
    }

    /// The suffixes of ISBERD and ISBEWR.
    fn access(&mut self) -> Result<Access, ParseError> {
        let (mut output, mut skew) = (Once::default(), Once::default());
        let (mut region, mut size) = (Once::default(), Once::default());
        while self.take(".") {
            let start = self.position;
            let fresh = match self.word() {
                "O" => output.set(true),
                "SKEW" => skew.set(true),
                "MAP" => region.set(Region::Map),
                "PATCH" => region.set(Region::Patch),
                "PRIM" => region.set(Region::Prim),
                "ATTR" => region.set(Region::Attr),
                "U8" => size.set(Size::B8),
                "U16" => size.set(Size::B16),
                "32" => size.set(Size::B32),
                _ => false,
            };
            if !fresh {
                self.position = start;
                return Err(
                    self.wrong("each of O, MAP|PATCH|PRIM|ATTR, SKEW, U8|U16|32 at most once")
                );
            }
        }
        Ok(Access {
            output: output.0.unwrap_or(false),
            region: region.0.unwrap_or(Region::Map),
            skew: skew.0.unwrap_or(false),
            size: size.0.unwrap_or(Size::B8),
        })
    }

    /// The suffixes of an attribute instruction that has these flags.
    fn suffixes(&mut self, flags: &[&str]) -> Result<Suffixes, ParseError> {
        let (mut output, mut patch, mut physical) =
            (Once::default(), Once::default(), Once::default());
        let mut components = Once::default();
        while self.take(".") {
            let start = self.position;
            let fresh = match self.word() {
                "32" => components.set(Components::One),
                "64" => components.set(Components::Two),
                "96" => components.set(Components::Three),
                "128" => components.set(Components::Four),
                flag if !flags.contains(&flag) => false,
                "O" => output.set(true),
                "P" => patch.set(true),
                _ => physical.set(true),
            };
            if !fresh {
                self.position = start;
                let names = flags.join(", ");
                return Err(self.wrong(&format!("each of {names} and 32|64|96|128 at most once")));
            }
        }
        Ok(Suffixes {
            output: output.0.unwrap_or(false),
            patch: patch.0.unwrap_or(false),
            physical: physical.0.unwrap_or(false),
            components: components.0.unwrap_or(Components::One),
        })
    }

    /// `[R2+0x42]`, `[R2]` or `[0x42]`.
    fn place(&mut self) -> Result<(Register, u16), ParseError> {
        self.expect("[")?;
        self.skip_spaces();
        let place = if self.rest().starts_with('R') {
            let register = self.register()?;
            (register, if self.take("+") { self.number(0xffff)? as u16 } else { 0 })
        } else {
            (Register::ZERO, self.number(0xffff)? as u16)
        };
        self.expect("]")?;
        Ok(place)
    }

    /// `a[R2+0x80]` or `a[0x80]`.
    fn attribute(&mut self) -> Result<(Register, u16), ParseError> {
        self.expect("a")?;
        self.place()
    }

    fn signed_offset(&mut self) -> Result<i8, ParseError> {
        if self.take("+") {
            Ok(self.number(0x7f)? as i8)
        } else if self.take("-") {
            Ok((-(self.number(0x80)? as i16)) as i8)
        } else {
            Ok(0)
        }
    }

    fn register(&mut self) -> Result<Register, ParseError> {
        self.skip_spaces();
        let start = self.position;
        let number = match self.word() {
            "RZ" => Some(255),
            word => {
                let digits = word.strip_prefix('R').filter(|digits| is_plain_decimal(digits));
                digits.and_then(|digits| digits.parse().ok()).filter(|number| *number < 255)
            }
        };
        number.map(Register).ok_or_else(|| {
            self.position = start;
            self.wrong("a register, R0 to R254 or RZ")
        })
    }

    fn guard(&mut self) -> Result<Guard, ParseError> {
        let negate = self.take("!");
        let start = self.position;
        let predicate = match self.word() {
            "PT" => Some(7),
            word => {
                let digits = word.strip_prefix('P').filter(|digits| is_plain_decimal(digits));
                digits.and_then(|digits| digits.parse().ok()).filter(|number| *number < 7)
            }
        };
        predicate.map(|predicate| Guard::new(predicate, negate)).ok_or_else(|| {
            self.position = start;
            self.wrong("a predicate, P0 to P6 or PT")
        })
    }

    /// `[B0-2---:R-:W1:Y:S02:U0]`.
    fn schedule(&mut self) -> Result<Schedule, ParseError> {
        let start = self.position;
        let end = self.rest().find(']').map_or(self.text.len(), |end| start + end + 1);
        let schedule = parse_schedule(&self.text[start..end])
            .ok_or_else(|| self.wrong("scheduling bits such as [B0-2---:R-:W1:Y:S02:U0]"))?;
        self.position = end;
        self.skip_spaces();
        Ok(schedule)
    }

    fn number(&mut self, limit: u32) -> Result<u32, ParseError> {
        self.skip_spaces();
        let start = self.position;
        let word = self.word();
        let number = match word.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.parse().ok().filter(|_| is_plain_decimal(word)),
        };
        number.filter(|number| *number <= limit).ok_or_else(|| {
            self.position = start;
            self.wrong(&format!("a number of at most {limit:#x}"))
        })
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        self.skip_spaces();
        if self.take(symbol) { Ok(()) } else { Err(self.wrong(&format!("`{symbol}`"))) }
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.rest().starts_with(symbol);
        self.position += if found { symbol.len() } else { 0 };
        found
    }

    /// Letters and digits up to the next other character; maybe none.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn wrong(&self, expected: &str) -> ParseError {
        let rest = self.rest();
        let shown: String = rest.chars().take(20).collect();
        ParseError {
            line: self.line,
            column: self.text[..self.position].chars().count() + 1,
            found: if rest.is_empty() {
                "the end of the line".to_owned()
            } else {
                format!("{shown:?}")
            },
            expected: expected.to_owned(),
        }
    }
}

struct Suffixes {
    output: bool,
    patch: bool,
    physical: bool,
    components: Components,
}

/// A suffix that may be given once.
struct Once<T>(Option<T>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Once<T> {
    /// Whether it had not been given before.
    fn set(&mut self, value: T) -> bool {
        self.0.replace(value).is_none()
    }
}

fn is_plain_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_schedule(text: &str) -> Option<Schedule> {
    let parts: Vec<&str> = text.strip_prefix('[')?.strip_suffix(']')?.split(':').collect();
    let [waits, read, write, yields, delay, reuse] = parts.try_into().ok()?;
    let barrier = |text: &str| match text {
        "-" => Some(7),
        digit => digit.parse().ok().filter(|number: &u32| *number < 7 && digit.len() == 1),
    };
    let waits = waits.strip_prefix('B')?.as_bytes();
    let mut wait = 0;
    for (bit, shown) in <[u8; 6]>::try_from(waits).ok()?.into_iter().enumerate() {
        wait |= match shown {
            b'-' => 0,
            digit if digit == b'0' + bit as u8 => 1 << bit,
            _ => return None,
        };
    }
    let yields = match yields {
        "Y" => 1,
        "-" => 0,
        _ => return None,
    };
    let delay = delay.strip_prefix('S')?;
    let delay = delay.parse::<u32>().ok().filter(|n| *n < 16 && is_plain_decimal(delay))?;
    let reuse = reuse.strip_prefix('U').filter(|digits| digits.len() == 1)?;
    let reuse = u32::from_str_radix(reuse, 16).ok()?;
    let (read, write) = (barrier(read.strip_prefix('R')?)?, barrier(write.strip_prefix('W')?)?);
    Some(Schedule::from_bits(
        delay | yields << 4 | write << 5 | read << 8 | wait << 11 | reuse << 17,
    ))
}
