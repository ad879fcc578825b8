//! `examples/riscv/include/xphmg.h` says what the extension is.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

use crate::common;

use common::has;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use xphmg::encoding::assemble;
use xphmg::{Readings, Unit};

const HEADER: &str = include_str!("../../../examples/riscv/include/xphmg.h");

/// Every register but those that only describe has its number, and no other has.
#[test]
fn registers_have_their_numbers() {
    let plain = |name: &str| name.replace(['.', '_'], "").to_lowercase();
    let mut defined = BTreeMap::new();
    for line in HEADER.lines().filter_map(|line| line.strip_prefix("#define CSR_")) {
        let (name, number) = line.split_once(" 0x").unwrap();
        defined.insert(plain(name), u16::from_str_radix(number, 16).unwrap());
    }
    let names = Unit::new(Readings::default()).csr_names();
    let own = names.into_iter().filter(|(_, name)| !name.contains("cap.") && !name.contains("rsv"));
    let known: BTreeMap<String, u16> = own.map(|(number, name)| (plain(name), number)).collect();
    assert_eq!(defined, known);
}

/// The macros of assembly, with the text that siliray's own assembler takes.
const MACROS: [(&str, &str); 14] = [
    ("RT_BBOX(a1, a0, RT_T_CLAMP)", "rt.bbox a1, (a0), t_clamp"),
    ("RT_TRI(a1, a0, RT_CULL_BACK | RT_EPS_CTL)", "rt.tri a1, (a0), cull_back|eps_ctl"),
    ("SVSETVL(t0, a3)", "svsetvl t0, a3"),
    ("SVSETVL_I(t0, 7)", "svsetvl t0, 7"),
    ("SVON_BLK(3)", "svon.blk 3"),
    ("SVP_ONE_VLSTEP(64, 1, 3)", "svp.one.vlstep 64, 1, 3"),
    ("SVON_FPCTL(3, 1, 0)", "svon.fpctl 3, 1, 0"),
    ("XSUBMIT_RT(a1, a0)", "xsubmit.rt a1, (a0)"),
    ("XFENCE_WAIT_E(a1)", "xfence.wait.e a1"),
    ("XLDS_ALLOC(a1, a0)", "xlds.alloc a1, a0"),
    ("MTX_LD(a0, MTX_SHAPE(4, 4) | MTX_LD_ROWMAJOR)", "mtx.ld (a0), 4x4, rowmajor"),
    (
        "MTX_LD(a0, MTX_SHAPE(2, 3) | MTX_TRANSPOSE | MTX_LD_WITH_BIAS | MTX_STRIDE(3))",
        "mtx.ld (a0), 2x3, transpose|with_bias, stride=3",
    ),
    ("MTX_MUL(a1, a0, MTX_SHAPE(4, 4) | MTX_COUNT(2))", "mtx.mul a1, (a0), 4x4, n=2"),
    (
        "MTX_MAD(a1, a0, MTX_SHAPE(3, 3) | MTX_SAT_HINT | MTX_COUNT(8))",
        "mtx.mad a1, (a0), 3x3, n=8, sat_hint",
    ),
];

#[test]
fn macros_make_the_words_of_their_instructions() {
    if !has("riscv64-unknown-elf-gcc") || !has("riscv64-unknown-elf-objcopy") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let lines: String = MACROS.iter().map(|(text, _)| format!("{text}\n")).collect();
    std::fs::write(place("a.S"), format!("#include \"xphmg.h\"\n{lines}")).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/riscv/include");
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.args(["-march=rv64imafdc", "-mabi=lp64d", "-c", "-I"]).arg(include).arg(place("a.S"));
    run(gcc.arg("-o").arg(place("a.o")));
    let mut objcopy = Command::new("riscv64-unknown-elf-objcopy");
    run(objcopy.args(["-O", "binary"]).arg(place("a.o")).arg(place("a.bin")));
    let bytes = std::fs::read(place("a.bin")).unwrap();
    assert_eq!(bytes.len(), 4 * MACROS.len());
    for (word, (text, line)) in bytes.as_chunks::<4>().0.iter().zip(MACROS) {
        assert_eq!(u32::from_le_bytes(*word), assemble(line).unwrap(), "{text}");
    }
}
