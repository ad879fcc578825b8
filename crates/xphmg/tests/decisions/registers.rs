//! Registers.

use super::hart::{Bench, FP32};
use xphmg::{Executed, Trap};

const MODE: u16 = 0x7D0;
const ALT: u16 = 0x7D1;
const STAT: u16 = 0x7D2;

#[test]
fn x01_the_version_names_its_sources() {
    assert_eq!(xphmg::VERSION, "XPHMG d89fed8, RT 0.1.0, gaps from RT 0.1.1");
}

#[test]
fn x03_local_memory_only_is_a_lint() {
    let mut bench = Bench::new(&[]);
    bench.write(0x8A0, 2);
    let record = bench.run("rt.bbox a1, (a0)").unwrap().rt.unwrap();
    assert_eq!(bench.unit.outside_local_memory(&record).len(), 2);
    bench.write(0x8A0, 0);
    assert!(bench.unit.outside_local_memory(&record).is_empty());
}

#[test]
fn x04_features_come_before_registers_and_registers_before_memory() {
    let mut bench = Bench::new(&["rtcap=0x37"]); // no PACK_HINT
    bench.hart.x[10] = 3; // misaligned and unbacked
    assert_eq!(bench.trap("rt.bbox t6, (a0), pack_hint").0, Trap::ILLEGAL);
    assert_eq!(bench.last_error(), 2);
    assert_eq!(bench.trap("rt.bbox t6, (a0)").0, Trap::ILLEGAL);
    assert_eq!(bench.last_error(), 1);
    assert_eq!(bench.trap("rt.bbox a1, (a0)"), (Trap::MISALIGNED, 3));
    bench.hart.x[10] = 4;
    bench.write(0x7F0, 1);
    assert_eq!(
        bench.trap(
            "rt.bbox a1, \
                           (a0)"
        ),
        (Trap::LOAD_ACCESS, 4)
    ); // the ray before the operand
}

#[test]
fn x05_reserved_immediate_bits_are_code_1() {
    let mut bench = Bench::new(&[]);
    let word = 0x0105_658B;
    assert_eq!(bench.unit.execute(word, &mut bench.hart), Err(Trap::illegal(word)));
    assert_eq!(bench.last_error(), 1);
}

#[test]
fn x06_either_bit_applies_unless_one_is_chosen() {
    let int8 = 0x0080_0000;
    for (reading, top, bit31) in [
        ("apply_bit=either", true, true),
        ("apply_bit=msb", true, false),
        ("apply_bit=bit31", false, true),
    ] {
        for (apply, applied) in [(1 << 63, top), (1 << 31, bit31)] {
            let mut unit = xphmg::Unit::new({
                let mut readings = xphmg::Readings::default();
                readings.set(reading).unwrap();
                readings
            });
            unit.csr_write(MODE, int8 | apply);
            assert_eq!(unit.csr_read(MODE) == Some(int8), applied, "{reading} {apply:#x}");
        }
    }
}

#[test]
fn x07_old_numbers_reach_the_registers_only_if_asked_to() {
    for (reading, reaches) in [("legacy_prec_csrs=off", false), ("legacy_prec_csrs=on", true)] {
        let mut bench = Bench::new(&[reading]);
        bench.write(0x7E0, 0x8080_0000);
        bench.write(0x7E1, 0xC000_0100);
        assert_eq!(bench.read(MODE) == 0x0080_0000, reaches);
        assert_eq!(bench.read(ALT) == 0x4000_0100, reaches);
        assert_eq!((bench.read(0x7E0), bench.read(0x7E1)), (0x657, 0x4086_0040));
    }
}

#[test]
fn x08_a_write_without_apply_leaves_no_trace() {
    let mut bench = Bench::new(&[]);
    bench.write(MODE, 0x0080_0000);
    bench.write(MODE, 1 << 31 | FP32);
    assert_eq!(bench.read(MODE), 0x00A4_0000);
}

#[test]
fn x09_illegal_fields_are_made_legal_or_discarded() {
    let mut bench = Bench::new(&[]);
    bench.write(MODE, 1 << 31 | 7 << 19 | 1 << 30); // reserved PET
    assert_eq!((bench.read(MODE), bench.read(STAT) >> 15 & 1), (0x00A4_0000, 1));
    bench.write(MODE, FP32 | 3 << 17 | 6 << 27 | 3 << 8 | 3 << 22);
    assert_eq!((bench.read(MODE), bench.read(STAT) >> 15 & 1), (0x00E4_0000, 1));
}

#[test]
fn x10_x11_alternate_formats_and_their_codes() {
    let mut bench = Bench::new(&[]);
    for (code, shown) in [(0, 4), (1, 2), (2, 0xA), (3, 0xB), (4, 4), (5, 4), (9, 4)] {
        bench.write(ALT, 1 << 63 | 1 << 30 | code << 26);
        let stat = bench.read(STAT);
        assert_eq!(
            (stat >> 28, stat >> 23 & 1, stat >> 15 & 1),
            (shown, u64::from(code < 4), u64::from(code > 3))
        );
        assert_eq!(bench.read(ALT), 1 << 30 | code << 26);
    }
}

#[test]
fn x12_enables_are_shown_as_latched_but_act_at_once() {
    let mut bench = Bench::new(&[]);
    bench.write(0x7D3, 0x10);
    assert_eq!(bench.read(STAT) >> 3 & 0x1F, 0);
    bench.hart.put_words(super::hart::RAY, &[0x7F80_0001]);
    assert_eq!(bench.trap("rt.bbox a1, (a0)"), (24, 0x50));
    bench.write(MODE, FP32);
    assert_eq!(bench.read(STAT) >> 3 & 0x1F, 0x10);
}

#[test]
fn x13_apply_clears_all_stickies() {
    let mut bench = Bench::new(&[]);
    bench.write(MODE, 0x809A_0000);
    bench.write(0x7F0, super::hart::BASE + 0x400); // zeros: a box around the origin, a ray of zeros
    bench.hart.x[10] = super::hart::BASE + 0x500;
    bench.ok(&["rt.bbox a1, (a0)"]);
    assert_eq!(bench.read(STAT) >> 12 & 0xF, 4); // DOWNCAST_TAKEN
    bench.write(ALT, 1 << 63);
    assert_eq!(bench.read(STAT) >> 12 & 0xF, 0);
}

#[test]
fn x14_nans_are_seen_in_bits_5_and_6() {
    for (bits, expected) in [(0x7FC0_0000, 0x20), (0x7F80_0001, 0x50)] {
        let mut bench = Bench::new(&[]);
        bench.hart.put_words(super::hart::OPERAND, &[bits]);
        bench.ok(&["rt.bbox a1, (a0)"]);
        assert_eq!(bench.read(0x7D4), expected);
        bench.write(0x7D4, 0x20);
        assert_eq!(bench.read(0x7D4), expected & !0x20);
    }
}

#[test]
fn x15_an_override_beats_sae_def_unless_either_suppresses() {
    for (reading, traps) in [("sae_rule=override", true), ("sae_rule=either", false)] {
        let mut bench = Bench::new(&[reading]);
        bench.write(MODE, FP32 | 1 << 10); // SAE_DEF
        bench.write(0x7D3, 0x1F);
        bench.hart.put_words(super::hart::RAY, &[0x7F80_0001]);
        bench.ok(&["rt.bbox a1, (a0)", "svon.fpctl rne, 0, 0"]);
        let got: Result<Executed, Trap> = bench.run("rt.bbox a1, (a0)");
        assert_eq!(got.is_err(), traps, "{reading}");
        // What was in force is shown until the next APPLY.
        assert_eq!(bench.read(STAT) >> 10 & 1 == 0, traps);
        bench.write(MODE, FP32 | 1 << 10);
        assert_eq!(bench.read(STAT) >> 10 & 1, 1);
    }
}

#[test]
fn x17_the_window_reads_zero_where_nothing_is() {
    let mut bench = Bench::new(&[]);
    for number in [0x7C7, 0x7D6, 0x7EF, 0x7F5, 0x7F7] {
        bench.write(number, u64::MAX);
        assert_eq!(bench.read(number), 0);
    }
    assert_eq!((bench.read(0x7C1), bench.read(0x7C5), bench.read(0x7DB)), (0x0001_0000, 8, 0xF));
}

#[test]
fn x23_rt_registers_can_be_moved() {
    let bench = Bench::new(&["rt_csr_base=0x5C0"]);
    assert_eq!((bench.unit.csr_read(0x5C2), bench.unit.csr_read(0x8A2)), (Some(0x3F), None));
    assert_eq!(Bench::new(&[]).unit.csr_read(0x5C2), None);
}

#[test]
fn x24_counters_errors_and_configured_features() {
    let mut bench = Bench::new(&["rtcap=0x37"]);
    bench.write(0x8A0, u64::MAX);
    assert_eq!((bench.read(0x8A0), bench.read(0x8A2)), (0xFF03, 0x37)); // no PACK_HINT_DFLT
    bench.ok(&["rt.bbox a1, (a0), pred_only", "rt.bbox a1, (a0), pred_only", "rt.tri a1, (a0)"]);
    bench.trap("rt.tri t6, (a0)");
    let status = bench.read(0x8A1);
    assert_eq!((status & 3, status >> 8 & 0xFFF_FFFF, status >> 36), (2, 2, 1));
    bench.unit.reset();
    assert_eq!(bench.read(0x8A1), 0);
}

#[test]
fn x24_each_feature_can_be_switched_off() {
    for (rtcap, line) in [
        ("rtcap=0x37", "rt.tri a1, (a0), pack_hint"),
        ("rtcap=0x2F", "rt.tri a1, (a0), eps_ctl"),
        ("rtcap=0x1F", "xsubmit.rt a1, (a0)"),
    ] {
        let mut bench = Bench::new(&[rtcap]);
        assert_eq!(bench.trap(line).0, Trap::ILLEGAL);
        assert_eq!(bench.last_error(), 2, "{rtcap}");
        bench = Bench::new(&[]);
        assert!(bench.run(line).is_ok(), "{line}");
    }
}

#[test]
fn x25_scalar_instructions_write_p0_and_are_not_gated() {
    let mut bench = Bench::new(&[]);
    bench.write(0x7FC, 0);
    bench.ok(&["rt.bbox a1, (a0), pred_only"]);
    assert_eq!((bench.read(0x8AA), bench.read(0x7FC)), (1, 0));
    let flow = bench.run("bp.t pc+16").unwrap().flow;
    assert_eq!(flow, xphmg::unit::Flow::Jump { offset: 16 });
    assert_eq!(bench.run("bp.f pc+16").unwrap().flow, xphmg::unit::Flow::Next);
}

#[test]
fn x43_fields_without_their_capability_read_zero() {
    let mut bench = Bench::new(&[]);
    bench.write(0x7E2, 1 << 20); // LOCK_EN
    bench.write(0x7E5, 1 << 9); // COMP_THR
    bench.write(0x7EC, u64::MAX);
    assert_eq!([0x7E2, 0x7E5, 0x7EC].map(|n| bench.read(n)), [0; 3]);
    assert_eq!((bench.read(0x7E3), bench.read(0x7ED)), (0xFF, 4));
}
