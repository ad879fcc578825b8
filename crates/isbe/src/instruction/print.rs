//! Instructions as text, in the style of the vendor's disassembler.
//!
//! Suffixes come in the order `.O`, `.PATCH|.PRIM|.ATTR`, `.SKEW`, `.U16|.32`; MAP and 8 bits print
//! nothing. Scheduling bits, where any is set, come first in brackets: the barriers waited for, the
//! read and the write barrier (`-` is none), yield, the delay and the reuse mask.

use super::{Al2p, Ald, Ast, Components, Guard, Instruction, Isberd, Isbewr, Operation, Register};
use super::{Schedule, Vild};
use crate::memory::{Access, Region, Size};
use std::fmt::{self, Display, Formatter};

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.schedule != Schedule::default() {
            write!(f, "{} ", self.schedule)?;
        }
        write!(f, "{}{};", self.guard, self.operation)
    }
}

impl Display for Operation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Isberd(Isberd { destination, address, immediate, access }) => {
                let place = Place { base: *address, offset: (*immediate).into() };
                write!(f, "ISBERD{access} {destination}, [{place}]")
            }
            Self::Isbewr(Isbewr { data, address, immediate, access }) => {
                let place = Place { base: *address, offset: (*immediate).into() };
                write!(f, "ISBEWR{access} [{place}], {data}")
            }
            Self::Ald(Ald {
                destination,
                offset,
                vertex,
                id,
                components,
                patch,
                physical,
                output,
            }) => {
                let flags = Flags { output: *output, patch: *patch, physical: *physical };
                let place = attribute(*offset, *id);
                write!(f, "ALD{flags}{components} {destination}, a[{place}], {vertex}")
            }
            Self::Ast(Ast { data, offset, vertex, id, components, patch, physical }) => {
                let flags = Flags { output: false, patch: *patch, physical: *physical };
                let place = attribute(*offset, *id);
                write!(f, "AST{flags}{components} a[{place}], {data}, {vertex}")
            }
            Self::Al2p(Al2p { destination, offset, id, components, output }) => {
                let flags = Flags { output: *output, patch: false, physical: false };
                let place = attribute(*offset, *id);
                write!(f, "AL2P{flags}{components} {destination}, a[{place}]")
            }
            Self::Vild(Vild { destination, index, immediate }) => {
                let place = Place { base: *index, offset: (*immediate).into() };
                write!(f, "VILD {destination}, v[{place}]")
            }
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.output { ".O" } else { "" })?;
        match self.region {
            Region::Map => {}
            region @ (Region::Patch | Region::Prim | Region::Attr) => write!(f, ".{region}")?,
        }
        f.write_str(if self.skew { ".SKEW" } else { "" })?;
        f.write_str(match self.size {
            Size::B8 => "",
            Size::B16 => ".U16",
            Size::B32 => ".32",
        })
    }
}

impl Display for Components {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "",
            Self::Two => ".64",
            Self::Three => ".96",
            Self::Four => ".128",
        })
    }
}

impl Display for Register {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            255 => f.write_str("RZ"),
            number => write!(f, "R{number}"),
        }
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let negate = if self.negate { "!" } else { "" };
        match self.predicate() {
            7 if !self.negate => Ok(()),
            7 => write!(f, "@{negate}PT "),
            number => write!(f, "@{negate}P{number} "),
        }
    }
}

impl Display for Schedule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let field = |first: u32, width: u32| self.bits() >> first & ((1 << width) - 1);
        let barrier = |number: u32| match number {
            7 => "-".to_owned(),
            number => number.to_string(),
        };
        let wait = field(11, 6);
        let waits: String = (0..6u32)
            .map(|b| if wait >> b & 1 == 1 { (b'0' + b as u8) as char } else { '-' })
            .collect();
        let yields = if field(4, 1) == 1 { 'Y' } else { '-' };
        let (write, read) = (barrier(field(5, 3)), barrier(field(8, 3)));
        let (delay, reuse) = (field(0, 4), field(17, 4));
        write!(f, "[B{waits}:R{read}:W{write}:{yields}:S{delay:02}:U{reuse:x}]")
    }
}

/// The suffixes of attribute instructions.
struct Flags {
    output: bool,
    patch: bool,
    physical: bool,
}

impl Display for Flags {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.output { ".O" } else { "" })?;
        f.write_str(if self.patch { ".P" } else { "" })?;
        f.write_str(if self.physical { ".PHYS" } else { "" })
    }
}

/// A register with an offset, as in `R2+0x42`.
struct Place {
    base: Register,
    offset: i32,
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "{}", self.base),
            offset if offset < 0 => write!(f, "{}-{:#x}", self.base, offset.unsigned_abs()),
            offset => write!(f, "{}+{offset:#x}", self.base),
        }
    }
}

/// An id with an offset register, which is left out where there is none.
fn attribute(offset: Register, id: u16) -> String {
    match offset {
        Register::ZERO => format!("{id:#x}"),
        offset => format!("{offset}+{id:#x}"),
    }
}
