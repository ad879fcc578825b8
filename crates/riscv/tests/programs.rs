//! Small assembly programs that check themselves, here and, where both models make the same
//! choices, in QEMU's system emulation, which tells whether the tests themselves are right.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use common::{Observed, has};
use riscv::{Config, Ended, Hart, Limits};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs, and whether QEMU 7.2 must pass them too. It has S mode, counts otherwise and sets no
/// mtval for ebreak, so the last one is ours alone.
const PROGRAMS: [(&str, bool); 5] = [
    ("traps", true),
    ("privilege", true),
    ("interrupts", true),
    ("suite", true),
    ("choices", false),
];

#[test]
fn programs_check_themselves() {
    if !has("riscv64-unknown-elf-gcc") {
        return;
    }
    let with_qemu = has("qemu-system-riscv64");
    let folder = tempfile::tempdir().unwrap();
    for (name, in_qemu) in PROGRAMS {
        let file = assemble(folder.path(), name);
        if in_qemu && with_qemu {
            let mut qemu = Command::new("timeout");
            qemu.args(["20", "qemu-system-riscv64", "-M", "spike", "-nographic", "-bios", "none"]);
            let status = qemu.arg("-kernel").arg(&file).output().unwrap().status;
            assert_eq!(status.code(), Some(0), "{name} in QEMU: its test number");
        }
        assert_eq!(run(&file), Ended::Exited(0), "{name}: its test number");
    }
}

/// What a program reads reaches it, and nothing of what it prints is lost.
#[test]
fn a_program_talks_to_its_console() {
    if !has("riscv64-unknown-elf-gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut observed = Observed { input: b"HAL 9000q".to_vec(), ..Observed::default() };
    let ended = watched(&assemble(folder.path(), "console"), &mut observed);
    assert_eq!(ended, Ended::Exited(0));
    assert_eq!(&observed.output[..8], b"IBM!:111");
    assert_eq!(observed.output.len(), 8 + 10 * 2_000_000);
    // Without input it waits, until it is told to stop.
    let ended = watched(&assemble(folder.path(), "console"), &mut Observed::default());
    assert_eq!(ended, Ended::Limit);
}

fn assemble(folder: &Path, name: &str) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let file = folder.join(format!("{name}.elf"));
    let mut gcc = Command::new("riscv64-unknown-elf-gcc");
    gcc.args(["-march=rv64imafdc_zicsr_zifencei", "-mabi=lp64d", "-mcmodel=medany", "-nostdlib"]);
    gcc.arg("-T").arg(sources.join("link.ld")).arg(sources.join(format!("{name}.S")));
    let output = gcc.arg("-o").arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file
}

fn run(file: &Path) -> Ended {
    watched(file, &mut Observed::default())
}

fn watched(file: &Path, observed: &mut Observed) -> Ended {
    let mut hart = Hart::new(Config::default(), Vec::new()).unwrap();
    hart.load_elf(&std::fs::read(file).unwrap()).unwrap();
    let limits = Limits { instructions: 1_000_000, until_pc: None };
    hart.run_program(limits, observed).0
}
