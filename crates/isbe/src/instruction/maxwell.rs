//! The 64-bit fields, SM50 to SM62, and VILD of SM32 to SM37 (section 6.2).
//!
//! | bits | ISBERD 0xefd0 | ALD 0xefd8 | AST 0xeff0 | AL2P 0xefa0 |
//! |---|---|---|---|---|
//! | 7:0 | destination | destination | data | destination |
//! | 15:8 | address | offset | offset | offset |
//! | 19:16 | guard | guard | guard | guard |
//! | 29:20 | | id | id | 30:20 id |
//! | 31 | | patch | patch | |
//! | 32 | | output | 1 | output |
//! | 46:39 | | vertex | vertex | 46:44 no predicate, 7 |
//! | 48:47 | | components-1 | components-1 | components-1 |
//! | 63:48 | opcode | 63:49 opcode | 63:49 opcode | 63:49 opcode |
//!
//! There is no bit for a physical address: an offset register without the patch bit means one. The
//! fields of ALD, AST and AL2P are those of Mesa's NAK compiler. VILD: 1:0 = 2, destination 9:2,
//! index 17:10, guard 21:18, immediate 30:23, opcode 0x7f8 in 63:52.

use super::encoding::{DecodeError, EncodeError};
use super::{
    Al2p, Ald, Ast, Components, Guard, Instruction, Isberd, Operation, Register, Schedule, Vild,
};
use crate::bits::{get, set};
use crate::generation::{Encoding, Sm};
use crate::memory::{Access, Region, Size};

const ISBERD: u32 = 0xefd0;
const ALD: u32 = 0xefd8;
const AST: u32 = 0xeff0;
const AL2P: u32 = 0xefa0;
const VILD: u32 = 0x7f8;

pub(super) fn encode(
    instruction: &Instruction,
    encoding: Option<Encoding>,
    sm: Sm,
) -> Result<u64, EncodeError> {
    let unknown = |what| Err(EncodeError::Unknown { what, sm });
    let mut word = 0;
    let guard = match (&instruction.operation, encoding) {
        (Operation::Vild(load), Some(Encoding::Kepler)) => {
            put_vild(&mut word, load);
            18
        }
        (Operation::Vild(_), _) => return unknown("VILD"),
        (operation, Some(Encoding::Maxwell)) => {
            put_maxwell(&mut word, operation, sm)?;
            16
        }
        (Operation::Isberd(_), _) => return unknown("ISBERD"),
        (Operation::Isbewr(_), _) => return unknown("ISBEWR"),
        (Operation::Ald(_), _) => return unknown("ALD"),
        (Operation::Ast(_), _) => return unknown("AST"),
        (Operation::Al2p(_), _) => return unknown("AL2P"),
    };
    set(&mut word, guard..guard + 3, instruction.guard.predicate());
    set(&mut word, guard + 3..guard + 4, instruction.guard.negate);
    Ok(word as u64)
}

/// Reads every field; the caller proves that nothing else is set.
pub(super) fn decode(word: u64, encoding: Encoding, sm: Sm) -> Result<Instruction, DecodeError> {
    let word = u128::from(word);
    let (operation, guard) = match encoding {
        Encoding::Kepler => (take_vild(word, sm)?, 18),
        Encoding::Maxwell | Encoding::Volta => (take_maxwell(word, sm)?, 16),
    };
    Ok(Instruction {
        guard: Guard::new(get(word, guard..guard + 3) as u8, get(word, guard + 3..guard + 4) == 1),
        schedule: Schedule::default(),
        operation,
    })
}

fn put_maxwell(word: &mut u128, operation: &Operation, sm: Sm) -> Result<(), EncodeError> {
    match operation {
        Operation::Isberd(load) => {
            set(word, 48..64, ISBERD);
            set(word, 0..8, load.destination.0);
            set(word, 8..16, load.address.0);
        }
        Operation::Ald(load) => {
            set(word, 48..64, ALD);
            set(word, 0..8, load.destination.0);
            put_attribute(word, load.offset, load.vertex, load.id, load.components)?;
            set(word, 31..32, load.patch);
            set(word, 32..33, load.output);
            let implied = implies_physical(load.offset, load.patch);
            if load.physical != implied {
                return Err(EncodeError::Physical { implied });
            }
        }
        Operation::Ast(store) => {
            set(word, 48..64, AST);
            set(word, 0..8, store.data.0);
            put_attribute(word, store.offset, store.vertex, store.id, store.components)?;
            set(word, 31..32, store.patch);
            set(word, 32..33, true);
        }
        Operation::Al2p(address) => {
            set(word, 48..64, AL2P);
            set(word, 0..8, address.destination.0);
            set(word, 8..16, address.offset.0);
            set(word, 20..31, limited("attribute id", address.id, 0x7ff)?);
            set(word, 32..33, address.output);
            set(word, 44..47, 7u8);
            set(word, 47..49, address.components as u8 - 1);
        }
        Operation::Isbewr(_) => return Err(EncodeError::Unknown { what: "ISBEWR", sm }),
        Operation::Vild(_) => return Err(EncodeError::Unknown { what: "VILD", sm }),
    }
    Ok(())
}

fn put_attribute(
    word: &mut u128,
    offset: Register,
    vertex: Register,
    id: u16,
    components: Components,
) -> Result<(), EncodeError> {
    set(word, 8..16, offset.0);
    set(word, 20..30, limited("attribute id", id, 0x3ff)?);
    set(word, 39..47, vertex.0);
    set(word, 47..49, components as u8 - 1);
    Ok(())
}

fn limited(field: &'static str, found: u16, limit: u16) -> Result<u16, EncodeError> {
    if found > limit {
        return Err(EncodeError::Field { field, found: found.into(), limit: limit.into() });
    }
    Ok(found)
}

fn implies_physical(offset: Register, patch: bool) -> bool {
    offset != Register::ZERO && !patch
}

fn take_maxwell(word: u128, sm: Sm) -> Result<Operation, DecodeError> {
    let register = |first: u32| Register(get(word, first..first + 8) as u8);
    let flag = |bit: u32| get(word, bit..bit + 1) == 1;
    let (offset, vertex, id) = (register(8), register(39), get(word, 20..30) as u16);
    let patch = flag(31);
    let components = match get(word, 47..49) {
        0 => Components::One,
        1 => Components::Two,
        2 => Components::Three,
        _ => Components::Four,
    };
    Ok(match get(word, 49..64) as u32 * 2 {
        // The modes that the encoding seems to know must be zero before Turing (I-12).
        ISBERD => Operation::Isberd(Isberd {
            destination: register(0),
            address: register(8),
            immediate: 0,
            access: Access { output: false, region: Region::Map, skew: false, size: Size::B8 },
        }),
        ALD => Operation::Ald(Ald {
            destination: register(0),
            offset,
            vertex,
            id,
            components,
            patch,
            physical: implies_physical(offset, patch),
            output: flag(32),
        }),
        AST => Operation::Ast(Ast {
            data: register(0),
            offset,
            vertex,
            id,
            components,
            patch,
            physical: false,
        }),
        AL2P => Operation::Al2p(Al2p {
            destination: register(0),
            offset,
            id: get(word, 20..31) as u16,
            components,
            output: flag(32),
        }),
        _ => return Err(DecodeError::Opcode { found: get(word, 48..64) as u32, sm }),
    })
}

fn put_vild(word: &mut u128, load: &Vild) {
    set(word, 0..2, 2u8);
    set(word, 2..10, load.destination.0);
    set(word, 10..18, load.index.0);
    set(word, 23..31, load.immediate as u8);
    set(word, 52..64, VILD);
}

fn take_vild(word: u128, sm: Sm) -> Result<Operation, DecodeError> {
    let found = get(word, 52..64) as u32;
    if found != VILD || get(word, 0..2) != 2 {
        return Err(DecodeError::Opcode { found, sm });
    }
    Ok(Operation::Vild(Vild {
        destination: Register(get(word, 2..10) as u8),
        index: Register(get(word, 10..18) as u8),
        immediate: get(word, 23..31) as u8 as i8,
    }))
}
