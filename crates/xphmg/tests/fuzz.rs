//! Random words, registers, CSRs and memory: every instruction ends with a result or a trap.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

use crate::test_hart;

use proptest::prelude::*;
use test_hart::{BASE, TestHart};
use xphmg::encoding::{CUSTOM_0, CUSTOM_2, CUSTOM_3, decode, disassemble, encode, parse};
use xphmg::{Readings, Unit};

/// A word of one of the three opcodes.
fn word() -> impl Strategy<Value = u32> {
    let opcode = prop::sample::select(vec![CUSTOM_0, CUSTOM_2, CUSTOM_3]);
    // Small immediates are the ones that mean something.
    let immediate = prop_oneof![0u32..16, any::<u32>().prop_map(|n| n & 0xFFF)];
    (opcode, 0u32..8, 0u32..32, 0u32..32, immediate).prop_map(|(opcode, funct3, rd, rs1, imm)| {
        imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
    })
}

/// An address in memory, an aligned one, or anything.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        (0u64..512).prop_map(|n| BASE + n),
        (0u64..64).prop_map(|n| BASE + 8 * n),
        any::<u64>()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_program_panics(
        registers in prop::array::uniform32(value()),
        bytes in prop::collection::vec(any::<u8>(), 512),
        steps in prop::collection::vec(
            (word(), prop::option::of((0x7C0u16..0x8E0, value()))),
            1..60,
        ),
        deferred in any::<bool>(),
    ) {
        let mut readings = Readings::default();
        if deferred {
            readings.set("submit=deferred").unwrap();
        }
        let mut hart = TestHart { x: registers, bytes };
        hart.x[0] = 0;
        let mut unit = Unit::new(readings);
        for (word, csr) in steps {
            if let Some((number, value)) = csr {
                unit.csr_write(number, value);
            }
            if unit.execute(word, &mut hart).is_err() {
                unit.trap_entered(false);
                unit.trap_returned();
            }
        }
        unit.finish(&mut hart);
    }

    /// What decodes prints, what is printed parses, and what is parsed encodes to the same word.
    #[test]
    fn words_and_texts_correspond(word in word()) {
        if let Ok(instruction) = decode(word) {
            let text = disassemble(word).unwrap();
            prop_assert_eq!(parse(&text), Ok(instruction), "{}", text);
            prop_assert_eq!(encode(instruction), word);
        }
    }

    #[test]
    fn no_text_panics(text in "[a-z.]{0,8} ?[a-z0-9(), |=x-]{0,24}") {
        let _ = parse(&text);
    }
}
