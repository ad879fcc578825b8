//! Decoder and disassembler against rvdasm, which is generated from riscv-opcodes, and against
//! objdump.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use common::has;
use geometry::random::Random;
use riscv::{Config, Hart};
use rvdasm::disassembler::{Disassembler, Xlen};
use std::collections::BTreeMap;
use std::process::Command;

const PC: u64 = 0x8000_0000;

/// Random words, each opcode with a real one in the two low bits often enough, and every opcode's
/// own field values often enough.
fn words(random: &mut Random, count: usize) -> Vec<u32> {
    let opcodes = [
        0x03, 0x07, 0x0F, 0x13, 0x17, 0x1B, 0x23, 0x27, 0x2F, 0x33, 0x37, 0x3B, 0x43, 0x47, 0x4B,
        0x4F, 0x53, 0x63, 0x67, 0x6F, 0x73,
    ];
    let functs = [
        0, 1, 2, 4, 5, 8, 9, 0xC, 0x10, 0x14, 0x18, 0x20, 0x2C, 0x2D, 0x50, 0x60, 0x61, 0x68, 0x69,
        0x70, 0x71, 0x78, 0x79,
    ];
    (0..count)
        .map(|_| {
            let mut word = random.bits() as u32;
            if random.bits_below(8) != 0 {
                word = word & !0x7F | random.pick(&opcodes);
            }
            if random.bits_below(2) == 0 {
                word = word & 0x01FF_FFFF | random.pick(&functs) << 25;
            }
            if random.bits_below(3) == 0 {
                word &= !(0x1F << 20 | (random.bits() as u32 & 0x1F) << 20);
            }
            word | 3
        })
        .collect()
}

/// What the hart does not have although the disassemblers know it.
fn is_absent(name: &str) -> bool {
    let supervisor = ["sret", "sfence.vma", "uret", "hret", "dret", "mnret"];
    name.starts_with('v')
        || supervisor.contains(&name)
        || name.starts_with("sfence")
        || name.starts_with("hfence")
}

#[test]
fn words_decode_as_rvdasm_decodes_them() {
    let hart = Hart::new(Config::default(), Vec::new()).unwrap();
    let theirs = Disassembler::new(Xlen::XLEN64);
    let mut differences = BTreeMap::new();
    let mut legal = 0;
    for word in words(&mut Random(1), 60_000) {
        let ours = hart.disassemble(word, PC);
        let ours = (!ours.mnemonic.starts_with('.')).then(|| ours.mnemonic.clone());
        let other = theirs.disassmeble_one(word).map(|found| found.get_name().to_owned());
        let other = other.filter(|name| !is_absent(name));
        legal += usize::from(ours.is_some());
        // Ordering suffixes are part of our name.
        let plain = ours.as_deref().map(|name| {
            name.trim_end_matches(".aqrl").trim_end_matches(".aq").trim_end_matches(".rl")
        });
        if plain != other.as_deref() {
            differences.entry((ours.clone(), other)).or_insert(word);
        }
    }
    assert!(legal > 20_000, "only {legal} legal words");
    let known = |key: &(Option<String>, Option<String>)| match (&key.0, &key.1) {
        // One instruction with two names.
        (Some(ours), Some(other)) => {
            (ours.as_str(), other.as_str()) == ("fence", "fence.tso")
                || ours == "fence" && other == "pause"
        }
        // Rounding modes 5 and 6, and unused fields of fences, are a matter of execution for
        // rvdasm.
        (None, Some(other)) => other.starts_with('f'),
        // Conversions that are exact have a rounding mode all the same; rvdasm wants it to be 0.
        (Some(ours), None) => ours.starts_with("fence") || ours.starts_with("fcvt.d."),
        _ => false,
    };
    differences.retain(|key, _| !known(key));
    assert!(differences.is_empty(), "{differences:x?}");
}

#[test]
fn compressed_words_are_legal_where_rvdasm_says_so() {
    let theirs = Disassembler::new(Xlen::XLEN64);
    let mut differences = Vec::new();
    for half in (0..=u16::MAX).filter(|half| half & 3 != 3) {
        let ours = riscv::decode::expand(half).is_some();
        let other = theirs
            .disassmeble_one(u32::from(half))
            .is_some_and(|found| !found.get_name().starts_with('v'));
        // `c.addi16sp sp,0` is reserved, as is the word of zeros.
        if ours != other && half != 0 && half != 0x6101 {
            differences.push(half);
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences: {:x?}",
        differences.len(),
        &differences[..differences.len().min(20)]
    );
}

/// The text itself, mnemonic and operands, as objdump prints it without aliases.
#[test]
fn texts_are_objdumps() {
    if !has("riscv64-unknown-elf-objdump") {
        return;
    }
    let hart = Hart::new(Config::default(), Vec::new()).unwrap();
    let mut code = Vec::new();
    for half in (0..=u16::MAX).filter(|half| half & 3 != 3) {
        code.extend(half.to_le_bytes());
    }
    for word in words(&mut Random(2), 60_000) {
        if !hart.disassemble(word, PC).mnemonic.starts_with('.') {
            code.extend(word.to_le_bytes());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("code.bin");
    std::fs::write(&file, &code).unwrap();
    let mut objdump = Command::new("riscv64-unknown-elf-objdump");
    objdump.args(["-D", "-z", "-b", "binary", "-m", "riscv:rv64", "-M", "no-aliases"]);
    let output = objdump.arg("--adjust-vma=0x80000000").arg(&file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut differences: BTreeMap<String, String> = BTreeMap::new();
    let mut compared = 0;
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [address, bits, rest @ ..] = &fields[..] else { continue };
        let Ok(address) = u64::from_str_radix(address.trim().trim_end_matches(':'), 16) else {
            continue;
        };
        let Ok(bits) = u32::from_str_radix(bits.trim(), 16) else { continue };
        // A comment may follow the operands.
        let theirs = rest.join(" ").split(" #").next().unwrap().trim().to_owned();
        let ours = hart.disassemble(bits, address);
        compared += 1;
        if ours.to_string() != theirs && !is_other_spelling(&ours.mnemonic, &theirs, bits) {
            differences
                .entry(ours.mnemonic.clone())
                .or_insert(format!("{bits:x}: {ours} against {theirs}"));
        }
    }
    assert!(compared > 70_000, "{compared}");
    assert!(differences.is_empty(), "{differences:#?}");
}

/// Where objdump 2.40 spells otherwise on purpose: HINTs and their like, fences with unused fields,
/// CSRs that it has names for and the hart has not, and what it does not accept at all.
fn is_other_spelling(ours: &str, theirs: &str, bits: u32) -> bool {
    let is_hint = bits & 3 != 3 && (ours.starts_with("c.") || ours.starts_with(".2byte"));
    let their_name = theirs.split(' ').next().unwrap_or_default();
    bits == 0x6101
        || ours.starts_with("csrr")
        || ours.starts_with("fence")
        || is_hint
            && (their_name.starts_with("c.") && their_name.contains(ours.trim_end_matches("64"))
                || their_name == "c.unimp")
        || their_name.starts_with('.')
}
