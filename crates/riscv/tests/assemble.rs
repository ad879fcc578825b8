//! The assembler against the disassembler and against GNU as.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, dead_code)]

use crate::common;

use common::has;
use geometry::random::Random;
use riscv::xphmg::Xphmg;
use riscv::{AssembleError, Config, Hart};
use std::collections::BTreeMap;
use std::process::Command;
use xphmg::Readings;

const PC: u64 = 0x8000_0000;

fn hart() -> Hart {
    let extension = Box::new(Xphmg::new(Readings::default(), false));
    Hart::new(Config::default(), vec![extension]).unwrap()
}

/// Words of every base instruction and some of the extension, by name, random in all else.
fn samples(hart: &Hart) -> BTreeMap<String, Vec<u32>> {
    let mut random = Random(7);
    let mut samples: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for round in 0..4_000_000_u32 {
        let mut word = random.bits() as u32 | 3;
        // Some instructions have their number, or nothing, in the place of a register.
        if round % 2 == 0 {
            word &= !0x01C0_0000;
        }
        let shown = hart.disassemble(word, PC);
        let known = samples.entry(shown.mnemonic).or_default();
        if known.len() < 40 && !shown.operands.contains("reserved") {
            known.push(word);
        }
    }
    for word in [0x73, 0x0010_0073, 0x3020_0073, 0x1050_0073, 0x8330_000F] {
        samples.insert(hart.disassemble(word, PC).mnemonic, vec![word]);
    }
    samples.remove(".4byte");
    samples
}

/// Whether an instruction is the extension's.
fn is_custom(name: &str) -> bool {
    let starts = ["sv", "rt.", "mtx.", "bp.", "xsubmit", "xfence", "xlds"];
    starts.iter().any(|start| name.starts_with(start))
}

fn assembled(hart: &Hart, text: &str) -> u32 {
    let found = hart.assemble(text, PC).unwrap_or_else(|(_, error)| panic!("{text}: {error}"));
    assert_eq!(found.len(), 1, "{text}");
    found[0].word
}

/// What the text does not say: the rounding mode of exact results, and unused fields of fences.
fn is_exact(name: &str) -> bool {
    !name.starts_with("fence") && !["fcvt.d.s", "fcvt.d.w", "fcvt.d.wu"].contains(&name)
}

#[test]
fn what_is_shown_assembles_to_the_same_word() {
    let hart = hart();
    let samples = samples(&hart);
    // 158 instructions, of which 22 have four orders, and `fence.tso`.
    assert_eq!(samples.keys().filter(|name| !is_custom(name)).count(), 158 + 3 * 22 + 1);
    for (name, words) in &samples {
        for &word in words {
            let text = hart.disassemble(word, PC).to_string();
            let again = assembled(&hart, &text);
            assert_eq!(hart.disassemble(again, PC).to_string(), text, "{word:#x}");
            assert!(again == word || !is_exact(name), "{text}: {again:#x}, not {word:#x}");
        }
    }
}

/// Every 16-bit instruction; where two words have one text, either will do.
#[test]
fn compressed_instructions_assemble_to_what_is_shown() {
    let hart = hart();
    let texts: Vec<String> = (0..=0xFFFF_u32)
        .filter(|word| word & 3 != 3)
        .map(|word| hart.disassemble(word, PC).to_string())
        .collect();
    for text in texts.iter().step_by(7) {
        assert_eq!(hart.disassemble(assembled(&hart, text), PC).to_string(), *text);
    }
}

#[test]
fn gnu_as_makes_the_same_words() {
    if !has("riscv64-unknown-elf-as") || !has("riscv64-unknown-elf-objcopy") {
        return;
    }
    let hart = hart();
    let mut lines = Vec::new();
    for (name, words) in samples(&hart) {
        if is_custom(&name) {
            continue;
        }
        for word in words {
            let text = hart.disassemble(word, PC).to_string();
            // GNU as knows fewer names of CSRs and wants distances for targets.
            let is_target = word & 0x7F == 0x63 || word & 0x7F == 0x6F;
            let is_csr = word & 0x7F == 0x73 && word >> 12 & 7 != 0;
            let mut operands: Vec<String> = text.split(',').map(str::to_owned).collect();
            if is_target {
                let target = operands.pop().unwrap();
                let target = u64::from_str_radix(target.trim_start_matches("0x"), 16).unwrap();
                operands.push(format!(".{:+}", target.wrapping_sub(PC) as i64));
            } else if is_csr {
                operands[1] = format!("{:#x}", word >> 20);
            } else if name == "fence" && text.contains("unknown") {
                continue;
            }
            lines.push((operands.join(","), assembled(&hart, &text)));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    std::fs::write(place("a.s"), format!(".option norvc\n.option norelax\n{text}")).unwrap();
    let mut assembler = Command::new("riscv64-unknown-elf-as");
    let march = "-march=rv64imafdc_zicsr_zifencei";
    let output =
        assembler.arg(march).arg(place("a.s")).arg("-o").arg(place("a.o")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut objcopy = Command::new("riscv64-unknown-elf-objcopy");
    let output = objcopy.args(["-O", "binary"]).arg(place("a.o")).arg(place("a.bin")).output();
    assert!(output.unwrap().status.success());
    let bytes = std::fs::read(place("a.bin")).unwrap();
    assert_eq!(bytes.len(), 4 * lines.len());
    for (theirs, (line, ours)) in bytes.as_chunks::<4>().0.iter().zip(&lines) {
        assert_eq!(u32::from_le_bytes(*theirs), *ours, "{line}");
    }
}

#[test]
fn labels_are_targets_and_mistakes_are_named() {
    let hart = hart();
    let text = "start: addi a0,a0,-1 # down\n  c.beqz a0,end\n\njal zero,start // again\nend:\n";
    let found = hart.assemble(text, PC).unwrap();
    let shown: Vec<(usize, u64, String)> = found
        .iter()
        .map(|it| (it.line, it.address, hart.disassemble(it.word, it.address).to_string()))
        .collect();
    assert_eq!(
        shown,
        [
            (1, PC, "addi a0,a0,-1".to_owned()),
            (2, PC + 4, "c.beqz a0,0x8000000a".to_owned()),
            (4, PC + 6, "jal zero,0x80000000".to_owned()),
        ]
    );
    let wrong = |text: &str| hart.assemble(text, PC).unwrap_err();
    assert!(matches!(wrong("\nmv a0,a1"), (2, AssembleError::Mnemonic { .. })));
    assert!(matches!(wrong("add a0,a1"), (1, AssembleError::Count { expected: 3, .. })));
    for (text, expected) in [
        ("addi a0,a1,2048", "a number from -2048 to 2047"),
        ("add a0,a1,fa0", "an integer register"),
        ("slliw a0,a0,0x20", "a number from 0 to 31"),
        ("lw a0,4[sp]", "an offset and a register in parentheses, such as 8(sp)"),
        ("jal ra,0x80000001", "an even address within 1048576 bytes of 0x80000000"),
    ] {
        let (_, error) = wrong(text);
        assert!(error.to_string().ends_with(expected), "{error}");
    }
    assert!(matches!(wrong("a:\na: ecall"), (2, AssembleError::Label(_))));
    let (_, error) = wrong("rt.tri a1, a0");
    assert!(matches!(error, AssembleError::Extension(_)), "{error}");
}
