//! Words, text and legality of instructions, for all fields and all generations.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use isbe::generation::{Encoding, KNOWN_SMS, encoding};
use isbe::instruction::encoding::{DecodeError, EncodeError, Word, decode, encode};
use isbe::instruction::parse::parse_program;
use isbe::instruction::{
    Al2p, Ald, Ast, Components, Guard, Instruction, Isberd, Isbewr, Operation, Register, Schedule,
    Vild,
};
use isbe::{Access, Fault, Region, Size};
use proptest::prelude::*;

fn register() -> impl Strategy<Value = Register> {
    any::<u8>().prop_map(Register)
}

fn access() -> impl Strategy<Value = Access> {
    let region = prop::sample::select(vec![Region::Map, Region::Patch, Region::Prim, Region::Attr]);
    let size = prop::sample::select(vec![Size::B8, Size::B16, Size::B32]);
    (any::<bool>(), region, any::<bool>(), size).prop_map(|(output, region, skew, size)| Access {
        output,
        region,
        skew,
        size,
    })
}

fn attribute() -> impl Strategy<Value = (u16, Components)> {
    (1u8..=4, 0u16..64).prop_map(|(count, number)| {
        let components = Components::new(count).unwrap();
        let alignment = components.alignment() as u16;
        (number * 16 / alignment * alignment, components)
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let isberd = (register(), register(), any::<u16>(), access()).prop_map(
        |(destination, address, immediate, access)| {
            Operation::Isberd(Isberd { destination, address, immediate, access })
        },
    );
    let isbewr = (register(), register(), any::<u16>(), access()).prop_map(
        |(data, address, immediate, access)| {
            Operation::Isbewr(Isbewr { data, address, immediate, access })
        },
    );
    let flags = any::<[bool; 3]>();
    let ald = (register(), register(), register(), attribute(), flags).prop_map(
        |(destination, offset, vertex, (id, components), [patch, physical, output])| {
            Operation::Ald(Ald {
                destination,
                offset,
                vertex,
                id,
                components,
                patch,
                physical,
                output,
            })
        },
    );
    let ast = (register(), register(), register(), attribute(), any::<[bool; 2]>()).prop_map(
        |(data, offset, vertex, (id, components), [patch, physical])| {
            Operation::Ast(Ast { data, offset, vertex, id, components, patch, physical })
        },
    );
    let al2p = (register(), register(), attribute(), any::<bool>()).prop_map(
        |(destination, offset, (id, components), output)| {
            Operation::Al2p(Al2p { destination, offset, id, components, output })
        },
    );
    let vild = (register(), register(), any::<i8>()).prop_map(|(destination, index, immediate)| {
        Operation::Vild(Vild { destination, index, immediate })
    });
    prop_oneof![isberd, isbewr, ald, ast, al2p, vild]
}

fn instruction() -> impl Strategy<Value = Instruction> {
    (0u8..8, any::<bool>(), prop_oneof![Just(0), 0u32..1 << 21], operation()).prop_map(
        |(predicate, negate, schedule, operation)| Instruction {
            guard: Guard::new(predicate, negate),
            schedule: Schedule::from_bits(schedule),
            operation,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn text_round_trips(instruction in instruction()) {
        let text = instruction.to_string();
        prop_assert_eq!(text.parse(), Ok(instruction), "{}", text);
    }

    /// Whatever a generation has comes back from its word; whatever it lacks has no word.
    #[test]
    fn words_round_trip_where_legal(
        instruction in instruction(),
        sm in prop::sample::select(KNOWN_SMS.to_vec()),
    ) {
        match encode(&instruction, sm) {
            Ok(word) => {
                prop_assert!(instruction.operation.check(sm).is_ok());
                prop_assert_eq!(decode(word, sm), Ok(instruction));
            }
            Err(EncodeError::Fault(fault)) => {
                prop_assert_eq!(instruction.operation.check(sm), Err(fault));
            }
            Err(EncodeError::Unknown { .. }) => {
                prop_assert!(encoding(sm) != Some(Encoding::Volta));
            }
            Err(EncodeError::Field { field, .. }) => {
                prop_assert!(sm < 70 && field == "scheduling bits", "{}", field);
            }
            Err(EncodeError::Physical { .. }) => prop_assert!(sm < 70),
        }
    }

    /// Any word is either an instruction that encodes to it, or refused.
    #[test]
    fn any_word_decodes_strictly(
        opcode in prop::sample::select(vec![0x923u128, 0x927, 0x321, 0x322, 0x920, 0x921]),
        bits: u128,
        sparse: u128,
        sm in prop::sample::select(KNOWN_SMS.to_vec()),
    ) {
        for bits in [bits, bits & sparse & 0x7fff_ffff_ffff_ffff] {
            let word = Word::Bits128(bits & !0xfff | opcode);
            if let Ok(instruction) = decode(word, sm) {
                prop_assert_eq!(encode(&instruction, sm), Ok(word));
            }
            let opcode = 0xefd0 << 48 | (sparse as u64 & 0x38) << 48;
            let word = Word::Bits64(bits as u64 >> 16 | opcode);
            if let Ok(instruction) = decode(word, sm) {
                prop_assert_eq!(encode(&instruction, sm), Ok(word));
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[\\[\\]@!PRZISBEWRDAL2V.,;+x0-9 aéO]{0,40}") {
        let _ = text.parse::<Instruction>();
        let _ = parse_program(&text);
    }
}

/// The table of section 6, form by form: the first SM that has it.
#[test]
fn every_form_is_legal_from_its_generation_on() {
    let forms = [
        ("ISBERD R1, [R2];", 50, u16::MAX),
        ("ISBERD.O R1, [R2];", 70, u16::MAX),
        ("ISBERD.ATTR R1, [R2];", 75, u16::MAX),
        ("ISBERD.PATCH R1, [R2];", 75, u16::MAX),
        ("ISBERD.PRIM R1, [R2];", 75, u16::MAX),
        ("ISBERD.SKEW R1, [R2];", 75, u16::MAX),
        ("ISBERD.U16 R1, [R2];", 75, u16::MAX),
        ("ISBERD.32 R1, [R2];", 75, u16::MAX),
        ("ISBERD R1, [R2+0x1];", 86, u16::MAX),
        ("ISBEWR [R2], R1;", 75, u16::MAX),
        ("ISBEWR.O.ATTR.SKEW.32 [R2], R1;", 75, u16::MAX),
        ("ISBEWR.O [R2+0xffff], R1;", 86, u16::MAX),
        ("ALD.128 R4, a[0x70], R1;", 20, u16::MAX),
        ("AST.96 a[0x70], R4, R1;", 20, u16::MAX),
        ("AST.PHYS a[R2+0x70], R4, R1;", 70, u16::MAX),
        ("AL2P R4, a[R2+0x70];", 20, u16::MAX),
        ("VILD R1, v[R2-0x4];", 20, 37),
    ];
    for (text, first, last) in forms {
        let instruction: Instruction = text.parse().unwrap();
        assert_eq!(instruction.to_string(), text);
        for sm in KNOWN_SMS {
            let fault = instruction.operation.check(sm).err();
            let legal = (first..=last).contains(&sm);
            assert_eq!(
                fault.map(|f| f.id()),
                (!legal).then_some("illegal_generation"),
                "{text} SM{sm}"
            );
        }
    }
    for text in ["ISBEWR.O.PATCH.32 [R2], R1;", "ISBEWR.O.PRIM.32 [R2], R1;"] {
        let instruction: Instruction = text.parse().unwrap();
        for sm in KNOWN_SMS {
            let fault = instruction.operation.check(sm).unwrap_err();
            let expected = if sm < 75 { "illegal_generation" } else { "illegal_access" };
            assert_eq!(fault.id(), expected, "{text} SM{sm}");
        }
    }
}

#[test]
fn vectors_of_attributes_are_aligned() {
    let cases = [
        ("ALD.64 R4, a[0x74], R1;", 8),
        ("ALD.96 R4, a[0x78], R1;", 16),
        ("AST.128 a[0x74], R4, R1;", 16),
        ("AL2P R4, a[0x71];", 4),
    ];
    for (text, alignment) in cases {
        let instruction: Instruction = text.parse().unwrap();
        let fault = instruction.operation.check(86).unwrap_err();
        assert!(matches!(fault, Fault::Misaligned { alignment: found, .. } if found == alignment));
    }
}

/// Fields at the bits that the sources give, each with its own value.
#[test]
fn words_of_known_instructions() {
    let words = [
        (
            "[B-1---5:R-:W2:Y:S04:U3] @!P3 ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];",
            86,
            Word::Bits128(0x0e2e_a800_0000_f800_0000_4200_0201_b923),
        ),
        ("ALD.O.64 R16, a[0x88], R7;", 75, Word::Bits128(0x8400_0000_8807_ff10_7321)),
        ("AST.128 a[0x70], R4, R9;", 75, Word::Bits128(0x0c09_0000_7004_ff00_7322)),
        ("AL2P.O R3, a[R5+0x90];", 75, Word::Bits128(0x8000_0000_9000_0503_7920)),
        ("ISBERD R1, [R2];", 52, Word::Bits64(0xefd0_0000_0007_0201)),
        ("@P0 ALD.64 R4, a[0x88], R6;", 61, Word::Bits64(0xefd8_8300_0880_ff04)),
        ("AST a[0x7c], R4, R6;", 61, Word::Bits64(0xeff0_0301_07c7_ff04)),
        ("AL2P R1, a[R2+0x80];", 61, Word::Bits64(0xefa0_7000_0807_0201)),
        ("VILD R1, v[R2-0x4];", 35, Word::Bits64(0x7f80_0000_7e1c_0806)),
    ];
    for (text, sm, word) in words {
        let instruction: Instruction = text.parse().unwrap();
        assert_eq!(encode(&instruction, sm), Ok(word), "{text}: {:x?}", encode(&instruction, sm));
        assert_eq!(decode(word, sm).unwrap().to_string(), text);
    }
}

#[test]
fn reserved_bits_and_values_are_refused() {
    let isberd = 0x0000_0000_0201_7923u128;
    assert_eq!(decode(Word::Bits128(isberd | 1 << 60), 86), Err(DecodeError::Reserved { bit: 60 }));
    assert_eq!(
        decode(Word::Bits128(isberd | 1 << 127), 86),
        Err(DecodeError::Reserved { bit: 127 })
    );
    let size = decode(Word::Bits128(isberd | 3 << 74), 86);
    assert!(matches!(size, Err(DecodeError::Value { field: "size", .. })));
    let opcode = decode(Word::Bits128(isberd ^ 2), 86);
    assert_eq!(opcode, Err(DecodeError::Opcode { found: 0x921, sm: 86 }));
    // Modes that the 64-bit encoding seems to know (I-12): immediate, skew, output, mode, size.
    for bit in [24, 30, 31, 32, 33, 34, 47, 48] {
        let word = Word::Bits64(0xefd0_0000_0007_0201 | 1 << bit);
        assert_eq!(decode(word, 61), Err(DecodeError::Reserved { bit }));
    }
    assert!(matches!(
        decode(Word::Bits64(0xefd0 << 48), 75),
        Err(DecodeError::Width { found: 64, .. })
    ));
    assert!(matches!(
        decode(Word::Bits128(isberd), 61),
        Err(DecodeError::Width { found: 128, .. })
    ));
    assert!(matches!(decode(Word::Bits64(0), 20), Err(DecodeError::Width { .. })));
    let later = decode(Word::Bits128(isberd | 3 << 76), 72);
    assert!(matches!(later, Err(DecodeError::Fault(Fault::IllegalGeneration { .. }))));
}

#[test]
fn wrong_text_is_located() {
    let cases = [
        ("ISBERD R1 [R2];", 11),
        ("ISBERD.Q R1, [R2];", 8),
        ("ISBERD.O.O R1, [R2];", 10),
        ("ISBERD R255, [R2];", 8),
        ("ISBERD R1, [R2+0x10000];", 16),
        ("ISBERD R1, [R2]", 16),
        ("@P7 ISBERD R1, [R2];", 2),
        ("AST.O a[0x80], R1, R2;", 5),
        ("VILD R1, v[R2-0x81];", 15),
        ("MOV R1, R2;", 1),
        ("[B012345:R7:W1:Y:S02:U0] ISBERD R1, [R2];", 1),
    ];
    for (text, column) in cases {
        let error = text.parse::<Instruction>().unwrap_err();
        assert_eq!((error.line, error.column), (1, column), "{error}");
    }
    let program = "// a comment\n  ISBERD R1, [R2]; AL2P R4, a[0x80]; # another\n\nISBEWR [R2], ;";
    let error = parse_program(program).unwrap_err();
    assert_eq!((error.line, error.column), (4, 14));
    let lines = parse_program(program.rsplit_once('\n').unwrap().0).unwrap();
    assert_eq!(lines.iter().map(|line| line.line).collect::<Vec<_>>(), [2, 2]);
}
