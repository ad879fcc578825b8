//! The instructions that touch ISBE memory: ISBERD, ISBEWR, ALD, AST, AL2P, VILD (section 6).
//!
//! | file | concept |
//! |---|---|
//! | [`legality`] | which generation has which instruction and field |
//! | [`encoding`] | instruction words of any generation, strict both ways |
//! | `volta` | the 128-bit fields, SM70 on |
//! | `maxwell` | the 64-bit fields, SM50 to SM62, and VILD of SM32 |
//! | `print` | instructions as text |
//! | [`parse`] | text as instructions |
//! | [`lint`] | outputs that are read but never written |

pub mod encoding;
pub mod legality;
pub mod lint;
mod maxwell;
pub mod parse;
mod print;
mod volta;

use crate::memory::Access;

/// An instruction: what it does, under which condition, and how it is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The lanes that execute it.
    pub guard: Guard,
    /// The scheduling bits; all zero where the encoding has none.
    pub schedule: Schedule,
    /// What it does.
    pub operation: Operation,
}

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Reads ISBE memory.
    Isberd(Isberd),
    /// Writes ISBE memory.
    Isbewr(Isbewr),
    /// Loads attributes.
    Ald(Ald),
    /// Stores attributes.
    Ast(Ast),
    /// From an attribute's id to its physical address.
    Al2p(Al2p),
    /// Loads a vertex handle, before Maxwell.
    Vild(Vild),
}

/// A general register; 255 is RZ, which reads 0 and drops what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register(pub u8);

/// A guard predicate: the lanes in which predicate `predicate` is true, or false if negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    predicate: u8,
    /// Whether the predicate must be false.
    pub negate: bool,
}

/// The scheduling bits of a 128-bit instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Schedule {
    bits: u32,
}

/// `destination = region[address + immediate]`, extended with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isberd {
    /// Where the value goes.
    pub destination: Register,
    /// The address.
    pub address: Register,
    /// Added to the address; SM86 on.
    pub immediate: u16,
    /// Space, region, view and size.
    pub access: Access,
}

/// `region[address + immediate] = data`, its low bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isbewr {
    /// What is stored.
    pub data: Register,
    /// The address.
    pub address: Register,
    /// Added to the address; SM86 on.
    pub immediate: u16,
    /// Space, region, view and size.
    pub access: Access,
}

/// How many consecutive scalars an attribute instruction moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Components {
    /// 32 bits.
    One = 1,
    /// 64 bits.
    Two = 2,
    /// 96 bits.
    Three = 3,
    /// 128 bits.
    Four = 4,
}

/// Loads attributes of the vertex with a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ald {
    /// The first of the registers that get the values.
    pub destination: Register,
    /// Added to the id, or the physical address.
    pub offset: Register,
    /// The vertex handle.
    pub vertex: Register,
    /// The id of the first scalar.
    pub id: u16,
    /// How many scalars.
    pub components: Components,
    /// From the patch, not from a vertex.
    pub patch: bool,
    /// The offset register holds what AL2P gave.
    pub physical: bool,
    /// From the output space.
    pub output: bool,
}

/// Stores attributes of the vertex with a handle, in the output space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ast {
    /// The first of the registers that hold the values.
    pub data: Register,
    /// Added to the id, or the physical address.
    pub offset: Register,
    /// The vertex handle.
    pub vertex: Register,
    /// The id of the first scalar.
    pub id: u16,
    /// How many scalars.
    pub components: Components,
    /// To the patch, not to a vertex.
    pub patch: bool,
    /// The offset register holds what AL2P gave.
    pub physical: bool,
}

/// Turns an id with a dynamic offset into a physical address (I-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Al2p {
    /// Where the address goes.
    pub destination: Register,
    /// Added to the id.
    pub offset: Register,
    /// The id.
    pub id: u16,
    /// How many scalars will be moved.
    pub components: Components,
    /// For the output space.
    pub output: bool,
}

/// `destination = handle of vertex index + immediate`, Fermi and Kepler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vild {
    /// Where the handle goes.
    pub destination: Register,
    /// The index.
    pub index: Register,
    /// Added to the index.
    pub immediate: i8,
}

impl Instruction {
    /// An operation for all lanes, with no scheduling bits set.
    #[must_use]
    pub const fn new(operation: Operation) -> Self {
        Self { guard: Guard::ALWAYS, schedule: Schedule { bits: 0 }, operation }
    }
}

impl Register {
    /// The register that reads 0.
    pub const ZERO: Self = Self(255);
}

impl Guard {
    /// Every lane.
    pub const ALWAYS: Self = Self { predicate: 7, negate: false };

    /// The lanes in which predicate `predicate & 7` is true, or false if negated; 7 is always true.
    #[must_use]
    pub const fn new(predicate: u8, negate: bool) -> Self {
        Self { predicate: predicate & 7, negate }
    }

    /// The number of the predicate, 0 to 7.
    #[must_use]
    pub const fn predicate(self) -> u8 {
        self.predicate
    }
}

impl Schedule {
    /// The 21 bits 105 to 125 of an instruction; higher bits are dropped.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self { bits: bits & 0x1f_ffff }
    }

    /// The 21 bits: delay 4, yield 1, write barrier 3, read barrier 3, wait mask 6, reuse 4.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }
}

impl Components {
    /// So many scalars, 1 to 4.
    #[must_use]
    pub const fn new(count: u8) -> Option<Self> {
        match count {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            4 => Some(Self::Four),
            _ => None,
        }
    }

    /// What the id of the first scalar must be a multiple of.
    #[must_use]
    pub const fn alignment(self) -> u32 {
        match self {
            Self::One => 4,
            Self::Two => 8,
            Self::Three | Self::Four => 16,
        }
    }
}
