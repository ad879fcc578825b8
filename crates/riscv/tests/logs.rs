//! The commit log and the trace of a small program, and what a debugger sees of it.
// Helpers of tests may do as tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use crate::common;

use common::{Observed, addi, elf, has, i_type, load_address, r_type, s_type};
use riscv::gdb::GdbError;
use riscv::{Config, Ended, Hart, Limits, gdb};
use std::net::TcpListener;
use std::process::Command;

const BASE: u64 = 0x8000_0000;

/// Loads, stores, a floating-point sum with an inexact flag, an atomic, a CSR, and a call to
/// nowhere.
fn program() -> Vec<u8> {
    let data = load_address(10, BASE, BASE + 0x100);
    let words = [
        data[0],
        data[1],
        i_type(0x03, 2, 11, 10, 0),     // lw a1, 0(a0)
        s_type(0x23, 1, 10, 11, 8),     // sh a1, 8(a0)
        (2 << 12) | 12 << 7 | 0x37,     // lui a2, 2
        i_type(0x73, 2, 0, 12, 0x300),  // csrs mstatus, a2
        i_type(0x07, 2, 1, 10, 0),      // flw f1, 0(a0)
        i_type(0x07, 2, 2, 10, 4),      // flw f2, 4(a0)
        r_type(0x53, 0, 0, 10, 1, 2),   // fadd.s f10, f1, f2, rne
        r_type(0x2F, 0, 2, 13, 10, 11), // amoadd.w a3, a1, (a0)
        addi(0, 0, 0),
        0x73, // ecall
    ];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(0x100, 0);
    bytes.extend(1.0_f32.to_bits().to_le_bytes());
    bytes.extend(1e-9_f32.to_bits().to_le_bytes());
    bytes.resize(0x200, 0);
    elf(BASE, &bytes, 0x1000)
}

fn observed() -> (Observed, Ended) {
    let mut hart = Hart::new(Config::default(), Vec::new()).unwrap();
    hart.load_elf(&program()).unwrap();
    hart.set_recording(true);
    let mut observed = Observed { wants_instructions: true, ..Observed::default() };
    let limits = Limits { instructions: 100, until_pc: None };
    let (ended, _) = hart.run_program(limits, &mut observed);
    (observed, ended)
}

#[test]
fn the_commit_log_is_spikes() {
    let (observed, ended) = observed();
    assert!(matches!(ended, Ended::Unhandled(trap, 0x8000_002c) if trap.cause.code() == 11));
    let expected = [
        "core   0: 3 0x0000000080000000 (0x00000517) x10 0x0000000080000000",
        "core   0: 3 0x0000000080000004 (0x10050513) x10 0x0000000080000100",
        "core   0: 3 0x0000000080000008 (0x00052583) x11 0x000000003f800000 mem 0x0000000080000100",
        "core   0: 3 0x000000008000000c (0x00b51423) mem 0x0000000080000108 0x0000",
        "core   0: 3 0x0000000080000010 (0x00002637) x12 0x0000000000002000",
        "core   0: 3 0x0000000080000014 (0x30062073) c768_mstatus 0x0000000200002000",
        "core   0: 3 0x0000000080000018 (0x00052087) f1  0xffffffff3f800000 \
         c768_mstatus 0x8000000200006000 mem 0x0000000080000100",
        "core   0: 3 0x000000008000001c (0x00452107) f2  0xffffffff3089705f mem 0x0000000080000104",
        "core   0: 3 0x0000000080000020 (0x00208553) c1_fflags 0x0000000000000001 \
         f10 0xffffffff3f800000",
        "core   0: 3 0x0000000080000024 (0x00b526af) x13 0x000000003f800000 \
         mem 0x0000000080000100 mem 0x0000000080000100 0x7f000000",
        "core   0: 3 0x0000000080000028 (0x00000013)",
        "core   0: exception trap_machine_ecall, epc 0x000000008000002c\n",
    ];
    assert_eq!(observed.lines, expected);
}

#[test]
fn every_line_of_the_trace_is_an_object_with_keys_in_order() {
    let (observed, _) = observed();
    let order = [
        "n", "pc", "insn", "asm", "priv", "x", "f", "numbers", "csr", "load", "store", "rt", "job",
        "trap",
    ];
    for line in &observed.trace {
        let parsed: serde_json::Value = serde_json::from_str(line).unwrap();
        let object = parsed.as_object().unwrap();
        let place = |key: &str| line.find(&format!("\"{key}\":")).unwrap();
        let present: Vec<&str> =
            order.iter().copied().filter(|key| object.contains_key(*key)).collect();
        assert_eq!(present.len(), object.len(), "{line}");
        assert!(present.is_sorted_by_key(|key| place(key)), "{line}");
    }
    assert!(
        observed.trace[7]
            .contains("\"f\":{\"f2\":\"0xffffffff3089705f\"},\"numbers\":{\"f2\":1e-9}"),
        "{}",
        observed.trace[7]
    );
    assert_eq!(
        observed.trace[9],
        "{\"n\":9,\"pc\":\"0x80000024\",\"insn\":\"0x00b526af\",\
         \"asm\":\"amoadd.w a3,a1,(a0)\",\"priv\":3,\
         \"x\":{\"x13\":\"0x3f800000\"},\
         \"load\":[{\"addr\":\"0x80000100\",\"size\":4,\"value\":\"0x3f800000\"}],\
         \"store\":[{\"addr\":\"0x80000100\",\"size\":4,\"value\":\"0x7f000000\"}]}"
    );
    assert_eq!(
        observed.trace[11],
        "{\"n\":11,\"trap\":{\"cause\":\"0xb\",\"name\":\"trap_machine_ecall\",\"tval\":\"0x0\",\
         \"epc\":\"0x8000002c\",\"handler\":\"0x0\"}}"
    );
}

/// A session of the real gdb: breakpoint, step, watchpoint, registers, CSRs, memory, and a program
/// that ends.
#[test]
fn gdb_controls_the_hart() {
    if !has("gdb-multiarch") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut hart = Hart::new(Config::default(), Vec::new()).unwrap();
        hart.load_elf(&program()).unwrap();
        let limits = Limits { instructions: 1000, until_pc: None };
        gdb::serve(&mut hart, &listener, limits, &mut Observed::default())
    });
    let commands = [
        "set pagination off",
        "set confirm off",
        "set architecture riscv:rv64",
        &format!("target remote localhost:{port}"),
        "break *0x80000008",
        "continue",
        "printf \"a0 %lx pc %lx\\n\", $a0, $pc",
        "set {int}0x80000100 = 0x40000000",
        "stepi",
        "printf \"a1 %lx\\n\", $a1",
        "set $a1 = 0x1234",
        "watch *(short*)0x80000108",
        "continue",
        "printf \"stored %x at %lx\\n\", *(short*)0x80000108, $pc",
        "delete",
        "break *0x80000024",
        "continue",
        "printf \"fflags %x mstatus %lx f10 %x\\n\", $fflags, $mstatus, $fa0.float == 2",
        "monitor nonsense",
        "set $pc = 0x80000028",
        "continue",
        "info registers pc",
        "kill",
    ];
    let mut gdb = Command::new("timeout");
    gdb.args(["60", "gdb-multiarch", "-nx", "-batch"]);
    for command in commands {
        gdb.args(["-ex", command]);
    }
    let output = gdb.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    for expected in [
        "a0 80000100 pc 80000008",
        "a1 40000000",
        "stored 1234 at 80000010",
        "fflags 1 mstatus 8000000200006000 f10 1",
        "unknown command \"nonsense\"",
        "SIGSYS",
        "0x8000002c",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
    assert!(matches!(server.join().unwrap(), Err(GdbError::Killed)));
}
