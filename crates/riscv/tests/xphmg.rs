//! XPHMG on the hart: what only the two together can show.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may do as tests do

use crate::common;

use common::Observed;
use riscv::xphmg::Xphmg;
use riscv::{Cause, Config, Ended, Event, Hart, Limits, Privilege, Stop};
use xphmg::Readings;
use xphmg::encoding::assemble;
use xphmg::layout::records::{Descriptor, MemoryControl, Queue};

const CODE: u64 = 0x8000_0000;
const HANDLER: u64 = 0x8000_0800;
const RAY: u64 = 0x8000_1000;
const BOX: u64 = 0x8000_1100;
const NOP: u32 = 0x0000_0013;
const MRET: u32 = 0x3020_0073;
const SVSTATE: u16 = 0x7F8;
const MCAUSE: u16 = 0x342;

/// A hart with FP32 in force, a ray along +z in a0 and a box around it at SVMBASE.
fn hart(readings: &[&str], program: &[u32]) -> Hart {
    let mut set = Readings::default();
    readings.iter().for_each(|pair| set.set(pair).unwrap());
    let mut hart = Hart::new(Config::default(), vec![Box::new(Xphmg::new(set, true))]).unwrap();
    let put = |hart: &mut Hart, at: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        hart.core.memory.write_bytes(at, &bytes).unwrap();
    };
    put(&mut hart, CODE, program);
    put(&mut hart, HANDLER, &[NOP, MRET]);
    put(&mut hart, RAY, &[0.25, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 16.0].map(f32::to_bits));
    put(&mut hart, BOX, &[-1.0, -1.0, 4.0, 1.0, 1.0, 8.0].map(f32::to_bits));
    hart.core.pc = CODE;
    hart.core.set_x(10, RAY);
    hart.set_csr(0x305, HANDLER); // mtvec
    hart.set_csr(0x7D0, 0x80A4_0000); // FP32
    hart.set_csr(0x7F0, BOX);
    hart
}

fn words(lines: &[&str]) -> Vec<u32> {
    lines.iter().map(|line| assemble(line).unwrap()).collect()
}

#[test]
fn a_box_is_tested_and_branched_on() {
    let mut hart = hart(&[], &words(&["rt.bbox a1, (a0)", "bp.f pc+16", "bp.t pc-4"]));
    hart.set_recording(true);
    assert_eq!(hart.step(), Event::Retired);
    assert_eq!(hart.core.x(11), 1);
    assert_eq!([hart.core.x(12), hart.core.x(13)], [4.0f32, 8.0].map(|t| u64::from(t.to_bits())));
    assert_eq!(hart.csr(0x8AA), Some(1));
    // Two loads, and among the CSRs that changed is P0.
    assert_eq!(hart.commit().loads.len(), 2);
    assert!(hart.commit().registers.iter().any(|write| write.value == 1));
    assert_eq!((hart.step(), hart.core.pc), (Event::Retired, CODE + 8));
    assert_eq!((hart.step(), hart.core.pc), (Event::Retired, CODE + 4));
}

#[test]
fn other_instructions_are_illegal_while_lanes_are_on_and_handlers_run_without_them() {
    let mut hart = hart(&[], &[words(&["svon.blk 3"]), vec![NOP]].concat());
    assert_eq!(hart.step(), Event::Retired);
    assert!(matches!(hart.step(), Event::Trapped(trap) if trap.cause == Cause::IllegalInstruction));
    assert_eq!(hart.csr(SVSTATE).unwrap() & 0x11, 0x10); // EN parked in PEN
    assert_eq!(hart.step(), Event::Retired); // the handler's nop
    assert_eq!(hart.step(), Event::Retired);
    assert_eq!((hart.core.pc, hart.csr(SVSTATE).unwrap() & 1), (CODE + 4, 1));
}

/// A signalling NaN is noted in the extension's own registers and nowhere else, with floating point
/// off.
#[test]
fn x02_rt_leaves_the_floating_point_state_alone() {
    const MSTATUS: u16 = 0x300;
    const XS: u64 = 3 << 15;
    let mut hart = hart(&[], &words(&["rt.bbox a1, (a0)"]));
    hart.core.memory.write_bytes(RAY, &0x7F80_0001_u32.to_le_bytes()).unwrap();
    let state = |hart: &Hart| -> (_, _, Vec<u64>) {
        (hart.csr(MSTATUS), hart.csr(0x003), (0..32).map(|n| hart.core.f(n)).collect())
    };
    let before = state(&hart);
    assert_eq!((hart.step(), hart.csr(0x7D4)), (Event::Retired, Some(0x50)));
    assert_eq!(before, state(&hart));
    assert_eq!(before.0.unwrap() & XS, 0);
    assert_eq!(hart.csr(0x301).unwrap() >> 23 & 1, 1); // misa.X
}

/// User mode may compute and read RT's registers; those of CAP are the machine's.
#[test]
fn x18_the_numbers_of_registers_say_who_may_touch_them() {
    let read = |csr: u32| csr << 20 | 2 << 12 | 11 << 7 | 0x73; // csrr a1, csr
    let program = [vec![MRET], words(&["rt.bbox a1, (a0)"]), vec![read(0x8AA), read(0x7D0)]];
    let mut hart = hart(&[], &program.concat());
    hart.set_csr(0x3B0, u64::MAX); // pmpaddr0: everything
    hart.set_csr(0x3A0, 0x1F);
    hart.set_csr(0x341, CODE + 4);
    assert_eq!((hart.step(), hart.core.privilege()), (Event::Retired, Privilege::User));
    assert_eq!((hart.step(), hart.core.x(12)), (Event::Retired, u64::from(4f32.to_bits())));
    assert_eq!((hart.step(), hart.core.x(11)), (Event::Retired, 1));
    assert!(matches!(hart.step(), Event::Trapped(trap) if trap.cause == Cause::IllegalInstruction));
    hart.core.pc = CODE + 12;
    assert_eq!((hart.step(), hart.core.x(11)), (Event::Retired, 0x00A4_0000));
}

/// A handler runs without lanes and overrides; they come back with it unless it takes them away.
#[test]
fn x38_lanes_are_parked_in_handlers() {
    const EN: u64 = 1;
    const FC_PEND: u64 = 4;
    const PEN: u64 = 0x10;
    const PFC_PEND: u64 = 0x20;
    for skips in [false, true] {
        let program = [words(&["svon.fpctl rup, 0, 0", "svon.blk 3"]), vec![NOP]].concat();
        let mut hart = hart(&[], &program);
        assert_eq!((hart.step(), hart.step()), (Event::Retired, Event::Retired));
        assert!(matches!(hart.step(), Event::Trapped(_)));
        let all = EN | FC_PEND | PEN | PFC_PEND;
        let parked = hart.csr(SVSTATE).unwrap();
        assert_eq!(parked & all, PEN | PFC_PEND);
        if skips {
            hart.set_csr(SVSTATE, parked & !(PEN | PFC_PEND));
        }
        assert_eq!((hart.step(), hart.step()), (Event::Retired, Event::Retired));
        let back = if skips { 0 } else { EN | FC_PEND };
        assert_eq!(hart.csr(SVSTATE).unwrap() & (EN | FC_PEND), back);
        assert_eq!(hart.core.pc, CODE + 8);
        assert_eq!(hart.step() == Event::Retired, skips);
    }
}

#[test]
fn scalar_once_lets_them_pass_and_counts_them() {
    let program = [words(&["svon.blk 2"]), vec![NOP, NOP, NOP]].concat();
    let mut hart = hart(&["rsv_scope=scalar_once"], &program);
    for (on, block) in [(1, 2), (1, 1), (0, 1), (0, 1)] {
        assert_eq!(hart.step(), Event::Retired);
        let state = hart.csr(SVSTATE).unwrap();
        assert_eq!((state & 1, state >> 8 & 0xFF), (on, block));
    }
}

#[test]
fn an_override_is_used_up_by_the_next_instruction_only_if_it_retires() {
    let load = 0x0000_3003; // ld x0, 0(x0)
    let mut hart = hart(&[], &[words(&["svon.fpctl rup, 0, 0"]), vec![load, NOP]].concat());
    assert_eq!(hart.step(), Event::Retired);
    assert!(matches!(hart.step(), Event::Trapped(_)));
    assert_eq!(hart.csr(SVSTATE).unwrap() & 0x24, 0x20); // parked
    hart.set_csr(0x341, CODE + 8); // mepc: skip the load
    assert_eq!((hart.step(), hart.step()), (Event::Retired, Event::Retired));
    assert_eq!(hart.csr(SVSTATE).unwrap() & 0x24, 0x24);
    assert_eq!(hart.step(), Event::Retired);
    assert_eq!(hart.csr(SVSTATE).unwrap() & 4, 0);
}

#[test]
fn an_enabled_exception_has_a_custom_cause() {
    let mut hart = hart(&["fp_trap_cause=48"], &words(&["rt.bbox a1, (a0)"]));
    hart.set_csr(0x7D3, 0x10); // NV traps
    hart.core.memory.write_bytes(RAY, &0x7F80_0001_u32.to_le_bytes()).unwrap();
    assert!(matches!(hart.step(), Event::Trapped(trap) if trap.cause == Cause::Custom(48)));
    assert_eq!((hart.csr(MCAUSE), hart.csr(0x343)), (Some(48), Some(0x50))); // NV, SNAN_SEEN
    assert_eq!((hart.core.x(11), hart.csr(0x7D4)), (0, Some(0x50)));
}

#[test]
fn reserved_bits_and_unknown_words_trap() {
    for (word, last_ec) in [(0x0105_658B, 1), (0x0200_400B, 0), (0x0000_507B, 0)] {
        let mut hart = hart(&[], &[word]);
        assert!(matches!(hart.step(), Event::Trapped(trap) if trap.value == u64::from(word)));
        assert_eq!(hart.csr(0x8A1).unwrap() >> 2 & 0x3F, last_ec, "{word:#x}");
    }
}

#[test]
fn an_event_that_nobody_signals_ends_the_run() {
    let mut hart = hart(&[], &words(&["xfence.wait.e a1"]));
    assert_eq!(hart.step(), Event::Retired);
    assert!(
        matches!(hart.step(), Event::Stopped(Stop::Deadlock(text)) if text.contains("event 0"))
    );
}

/// Without a precision in force RT.TRI and RT.BBOX read the elements of the reset state.
#[test]
fn the_lint_names_a_precision_that_nobody_set() {
    let program = words(&["rt.bbox a1, (a0)", "rt.bbox a1, (a0)"]);
    let mut hart = hart(&[], &program);
    hart.step();
    assert_eq!(hart.core.take_warnings(), Vec::<String>::new());
    let mut hart =
        Hart::new(Config::default(), vec![Box::new(Xphmg::new(Readings::default(), true))])
            .unwrap();
    let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    hart.core.memory.write_bytes(CODE, &bytes).unwrap();
    hart.core.pc = CODE;
    hart.core.set_x(10, RAY);
    hart.set_csr(0x7F0, BOX);
    assert_eq!([hart.step(), hart.step()], [Event::Retired, Event::Retired]);
    let warnings = hart.core.take_warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("0x80000000: rt.bbox reads FP16 elements: "), "{warnings:?}");
}

/// A refused job is 0 for the program; whoever reads about the run is told why.
#[test]
fn a_refused_job_says_why_in_log_trace_and_lint() {
    let mut hart = hart(&[], &words(&["xsubmit.rt a1, (a0)"]));
    hart.core.set_x(10, RAY + 4);
    hart.set_recording(true);
    assert_eq!((hart.step(), hart.core.x(11)), (Event::Retired, 0));
    let reason = "the descriptor lies at 0x80001004, expected a multiple of 8";
    let line = riscv::log::commit_line(&hart);
    let remark = format!("\ncore   0:           job refused: {reason}");
    assert!(line.ends_with(&remark), "{line}");
    let trace = riscv::jsonl::retired(&hart);
    assert!(trace.ends_with(&format!(",\"refused\":\"{reason}\"}}")), "{trace}");
    let warnings = hart.core.take_warnings();
    assert_eq!(warnings, [format!("0x80000000: job refused: {reason}")]);
}

/// Values stand in the trace as bits and as numbers.
#[test]
fn the_trace_shows_numbers() {
    let mut hart = hart(&[], &words(&["rt.bbox a1, (a0)"]));
    hart.set_recording(true);
    hart.step();
    let line: serde_json::Value = serde_json::from_str(&riscv::jsonl::retired(&hart)).unwrap();
    let lane = &line["rt"]["lanes"][0];
    assert_eq!(lane["values"], serde_json::json!(["0x40800000", "0x41000000"]));
    assert_eq!(lane["numbers"], serde_json::json!([4.0, 8.0]));
}

#[test]
fn the_lint_names_operands_outside_local_memory() {
    let mut hart = hart(&[], &words(&["rt.bbox a1, (a0)"]));
    hart.set_csr(0x8A0, 2);
    assert_eq!(hart.step(), Event::Retired);
    let warnings = hart.core.take_warnings();
    assert_eq!(warnings.len(), 2);
    assert!(warnings[1].contains("0x80001100 is not in LDS"), "{warnings:?}");
}

#[test]
fn the_extension_can_be_seen_from_outside() {
    let hart = hart(&[], &[]);
    let extension = hart.extensions().next().unwrap();
    let text = extension.monitor("rt", &hart.core).unwrap();
    assert!(text.starts_with("FP32 elements, rounding rne"), "{text}");
    assert!(text.contains("svm.base         0x0000000080001100"), "{text}");
    assert_eq!(extension.disassemble(6, 0x0055_658B, 0), "a1, (a0), t_clamp|pack_hint");
    assert_eq!(hart.csr_name(0x7D2).as_deref(), Some("prec.stat"));
}

/// A job of 900 rays, each against a range of 500 triangles: more than the limit allows. The run
/// ends in the middle of the instruction, or at the end of the program if the job was deferred
/// until then.
#[test]
fn the_limit_of_a_run_binds_jobs_too() {
    const NODE: u64 = CODE + 0x4000;
    const QUEUES: u64 = CODE + 0x5000;
    const DESCRIPTOR: u64 = CODE + 0x6000;
    let infinite_loop = 0x0000_006F;
    for reading in ["submit=immediate", "submit=deferred"] {
        let program = [words(&["xsubmit.rt a1, (a0)"]), vec![infinite_loop]].concat();
        let mut hart = hart(&[reading], &program);
        let put = |hart: &mut Hart, address: u64, words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            hart.write_memory(address, &bytes).unwrap();
        };
        // A leaf at the origin, where every ray of zeros stays; its range lies in the next tile.
        put(&mut hart, NODE + 112, &[8, 0, 0, 2]);
        put(&mut hart, NODE + 128, &[0, 500, 0, 0]);
        let queue = |tail: u32, base: u64| [0, tail, 1000, 0, base as u32, 0];
        put(&mut hart, QUEUES, &queue(900, CODE + 0x1_0000));
        put(&mut hart, QUEUES + 24, &queue(0, CODE + 0x2_0000));
        put(&mut hart, QUEUES + 48, &queue(0, CODE + 0x3_0000));
        let addresses = [NODE, QUEUES, QUEUES + 24, QUEUES + 48, CODE + 0x4_0000];
        let descriptor: Vec<u32> = addresses.iter().flat_map(|at| [*at as u32, 0]).collect();
        put(&mut hart, DESCRIPTOR, &descriptor);
        hart.core.set_x(10, DESCRIPTOR);
        let limits = Limits { instructions: 32 * 20_000, until_pc: Some(CODE + 4) };
        let (ended, _) = hart.run_program(limits, &mut Observed::default());
        assert_eq!(ended, Ended::Limit, "{reading}");
        let done: [u8; 4] = hart.core.memory.read(QUEUES).unwrap();
        assert_eq!(u32::from_le_bytes(done), 39, "{reading}: 502 steps and the ray itself");
    }
}

/// A job's memory policy and what came of it stand in the log and in the trace.
#[test]
fn a_job_tells_of_its_memory() {
    const QUEUE: u64 = 0x8000_2100;
    let mut hart = hart(&[], &words(&["xsubmit.rt a1, (a0)"]));
    let queue = Queue { head: 0, tail: 0, cap: 2, base: 0x8000_3000 };
    hart.core.memory.write_bytes(QUEUE, &queue.to_bytes()).unwrap();
    let memory = MemoryControl {
        class: 2,
        domain: 5,
        stream_profile: 1,
        security: 7,
        ..MemoryControl::default()
    };
    let descriptor = Descriptor {
        bvh_base: 0x8000_4000,
        ray_queue: QUEUE,
        hit_queue: QUEUE,
        miss_queue: QUEUE,
        triangles: 0,
        options: 0,
        memory,
    };
    hart.core.memory.write_bytes(0x8000_2000, &descriptor.to_bytes()).unwrap();
    hart.core.set_x(10, 0x8000_2000);
    hart.set_csr(0x7E9, 3 << 16 | 0x80); // SPROF1
    hart.set_recording(true);
    assert_eq!((hart.step(), hart.core.x(11)), (Event::Retired, 1));
    let line = riscv::log::commit_line(&hart);
    let policy = "memory class 2 (ways 0xff, borrowed), domain 5, profile 1, lines of 64 bytes";
    assert!(
        line.contains(&format!("job 1: 0 rays, 0 hits, 0 misses; {policy}, loads 3")),
        "{line}"
    );
    assert!(line.ends_with(", sec 7 ignored"), "{line}");
    let trace: serde_json::Value = serde_json::from_str(&riscv::jsonl::retired(&hart)).unwrap();
    let memory = &trace["job"]["memory"];
    assert_eq!((&memory["class"], &memory["domain"]), (&2.into(), &5.into()));
    assert_eq!((&memory["stride"], &memory["depth"]), (&0x80.into(), &3.into()));
    assert_eq!((&memory["borrows"], &memory["loads"]), (&true.into(), &3.into()));
}
