//! The 128-bit fields, SM70 on (sections 6.1 and 6.3).
//!
//! | bits | ISBERD 0x923 | ISBEWR 0x927 | ALD 0x321 | AST 0x322 | AL2P 0x920 |
//! |---|---|---|---|---|---|
//! | 11:0 | opcode | opcode | opcode | opcode | opcode |
//! | 15:12 | guard | guard | guard | guard | guard |
//! | 23:16 | destination | | destination | | destination |
//! | 31:24 | address | address | offset | offset | offset |
//! | 39:32 | | data | vertex | data | |
//! | 55:40 | immediate | immediate | 49:40 id | 49:40 id | 49:40 id |
//! | 71:64 | | | | vertex | |
//! | 75:74 | size | size | components-1 | components-1 | components-1 |
//! | 77:76 | access | access | patch, physical | patch, physical | |
//! | 78 | SKEW | SKEW | | | |
//! | 79 | output | output | output | | output |
//! | 125:105 | scheduling | scheduling | scheduling | scheduling | scheduling |
//!
//! AL2P is only known with 0 in its components field; siliray reads it like that of ALD.

use super::encoding::{DecodeError, EncodeError};
use super::{
    Al2p, Ald, Ast, Components, Guard, Instruction, Isberd, Isbewr, Operation, Register, Schedule,
};
use crate::bits::{get, set};
use crate::generation::Sm;
use crate::memory::{Access, Region, Size};

const ISBERD: u32 = 0x923;
const ISBEWR: u32 = 0x927;
const ALD: u32 = 0x321;
const AST: u32 = 0x322;
const AL2P: u32 = 0x920;

pub(super) fn encode(instruction: &Instruction, sm: Sm) -> Result<u128, EncodeError> {
    let mut word = 0;
    match &instruction.operation {
        Operation::Isberd(load) => {
            set(&mut word, 0..12, ISBERD);
            set(&mut word, 16..24, load.destination.0);
            set(&mut word, 24..32, load.address.0);
            set(&mut word, 40..56, load.immediate);
            put_access(&mut word, load.access);
        }
        Operation::Isbewr(store) => {
            set(&mut word, 0..12, ISBEWR);
            set(&mut word, 24..32, store.address.0);
            set(&mut word, 32..40, store.data.0);
            set(&mut word, 40..56, store.immediate);
            put_access(&mut word, store.access);
        }
        Operation::Ald(load) => {
            set(&mut word, 0..12, ALD);
            set(&mut word, 16..24, load.destination.0);
            set(&mut word, 24..32, load.offset.0);
            set(&mut word, 32..40, load.vertex.0);
            set(&mut word, 40..50, checked_id(load.id)?);
            set(&mut word, 74..76, load.components as u8 - 1);
            set(&mut word, 76..77, load.patch);
            set(&mut word, 77..78, load.physical);
            set(&mut word, 79..80, load.output);
        }
        Operation::Ast(store) => {
            set(&mut word, 0..12, AST);
            set(&mut word, 24..32, store.offset.0);
            set(&mut word, 32..40, store.data.0);
            set(&mut word, 40..50, checked_id(store.id)?);
            set(&mut word, 64..72, store.vertex.0);
            set(&mut word, 74..76, store.components as u8 - 1);
            set(&mut word, 76..77, store.patch);
            set(&mut word, 77..78, store.physical);
        }
        Operation::Al2p(address) => {
            set(&mut word, 0..12, AL2P);
            set(&mut word, 16..24, address.destination.0);
            set(&mut word, 24..32, address.offset.0);
            set(&mut word, 40..50, checked_id(address.id)?);
            set(&mut word, 74..76, address.components as u8 - 1);
            set(&mut word, 79..80, address.output);
        }
        Operation::Vild(_) => return Err(EncodeError::Unknown { what: "VILD", sm }),
    }
    set(&mut word, 12..15, instruction.guard.predicate());
    set(&mut word, 15..16, instruction.guard.negate);
    set(&mut word, 105..126, instruction.schedule.bits());
    Ok(word)
}

/// Reads every field; the caller proves that nothing else is set.
pub(super) fn decode(word: u128, sm: Sm) -> Result<Instruction, DecodeError> {
    let register = |first: u32| Register(get(word, first..first + 8) as u8);
    let flag = |bit: u32| get(word, bit..bit + 1) == 1;
    let immediate = get(word, 40..56) as u16;
    let id = get(word, 40..50) as u16;
    let components = match get(word, 74..76) {
        0 => Components::One,
        1 => Components::Two,
        2 => Components::Three,
        _ => Components::Four,
    };
    let operation = match get(word, 0..12) as u32 {
        ISBERD => Operation::Isberd(Isberd {
            destination: register(16),
            address: register(24),
            immediate,
            access: take_access(word)?,
        }),
        ISBEWR => Operation::Isbewr(Isbewr {
            data: register(32),
            address: register(24),
            immediate,
            access: take_access(word)?,
        }),
        ALD => Operation::Ald(Ald {
            destination: register(16),
            offset: register(24),
            vertex: register(32),
            id,
            components,
            patch: flag(76),
            physical: flag(77),
            output: flag(79),
        }),
        AST => Operation::Ast(Ast {
            data: register(32),
            offset: register(24),
            vertex: register(64),
            id,
            components,
            patch: flag(76),
            physical: flag(77),
        }),
        AL2P => Operation::Al2p(Al2p {
            destination: register(16),
            offset: register(24),
            id,
            components,
            output: flag(79),
        }),
        found => return Err(DecodeError::Opcode { found, sm }),
    };
    Ok(Instruction {
        guard: Guard::new(get(word, 12..15) as u8, flag(15)),
        schedule: Schedule::from_bits(get(word, 105..126) as u32),
        operation,
    })
}

fn put_access(word: &mut u128, access: Access) {
    let size = match access.size {
        Size::B8 => 0u8,
        Size::B16 => 1,
        Size::B32 => 2,
    };
    let region = match access.region {
        Region::Map => 0u8,
        Region::Patch => 1,
        Region::Prim => 2,
        Region::Attr => 3,
    };
    set(word, 74..76, size);
    set(word, 76..78, region);
    set(word, 78..79, access.skew);
    set(word, 79..80, access.output);
}

fn take_access(word: u128) -> Result<Access, DecodeError> {
    let size = match get(word, 74..76) {
        0 => Size::B8,
        1 => Size::B16,
        2 => Size::B32,
        _ => return Err(DecodeError::Value { field: "size", found: 3, first: 74, end: 76 }),
    };
    let region = match get(word, 76..78) {
        0 => Region::Map,
        1 => Region::Patch,
        2 => Region::Prim,
        _ => Region::Attr,
    };
    Ok(Access { output: get(word, 79..80) == 1, region, skew: get(word, 78..79) == 1, size })
}

fn checked_id(id: u16) -> Result<u16, EncodeError> {
    let limit = 0x3ff;
    if u32::from(id) > limit {
        return Err(EncodeError::Field { field: "attribute id", found: id.into(), limit });
    }
    Ok(id)
}
