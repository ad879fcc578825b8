//! The instructions over registers, lanes and memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use isbe::instruction::{Instruction, Register};
use isbe::warp::{LaneMask, Lanes, Warp, lanes};
use isbe::{AttributeId, AttributeSet, Layout, Limits, Memory, Space, Warning};

/// 40 vertices with five scalars each; the word of slot s of vertex v is 1000 s + v.
fn warp(sm: u16) -> Warp {
    let ids = ["POINT_SIZE", "POSITION"].map(|name| AttributeId::parse_all(name).unwrap());
    let set: AttributeSet = ids.into_iter().flatten().collect();
    let layout = Layout::new(set, 40, AttributeSet::default(), 1, Limits::Driver).unwrap();
    let mut space = Space {
        map: (0..100).map(|i| (i * 7 % 40) as u8).collect(),
        patch: (0..64).collect(),
        prim: vec![9; 16],
        attr: vec![0; layout.shared_base() as usize],
    };
    for id in set.iter() {
        for vertex in 0..40 {
            let address = layout.vertices.address(id, vertex).unwrap() as usize;
            let word = 1000 * id.slot() as u32 + vertex;
            space.attr[address..address + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    Warp::new(sm, Memory::new(space.clone(), space), layout.clone(), layout)
}

fn run(warp: &mut Warp, program: &str) {
    for line in isbe::instruction::parse::parse_program(program).unwrap() {
        assert_eq!(warp.execute(&line.instruction), Ok(()), "{program}");
    }
}

fn fault(warp: &mut Warp, text: &str) -> (usize, &'static str) {
    let fault = warp.execute(&text.parse::<Instruction>().unwrap()).unwrap_err();
    (fault.lane, fault.fault.id())
}

/// Slots of POSITION_X and its successors.
const X: u32 = 0x70 / 4;

#[test]
fn handles_from_map_select_vertices() {
    let mut warp = warp(75);
    warp.set_register(Register(2), lanes(|lane| 2 * lane));
    run(&mut warp, "ISBERD R3, [R2]; ALD.128 R8, a[0x70], R3;");
    let handle = |lane: u32| 14 * lane % 40;
    assert_eq!(warp.register(Register(3)), lanes(handle));
    for component in 0..4 {
        let expected = lanes(|lane| 1000 * (X + component) + handle(lane));
        assert_eq!(warp.register(Register(8 + component as u8)), expected);
    }
    assert_eq!(warp.warnings().count(), 0);
}

#[test]
fn vild_does_before_maxwell_what_isberd_does_later() {
    let mut old = warp(35);
    old.set_register(Register(2), lanes(|lane| lane + 5));
    run(&mut old, "VILD R3, v[R2-0x5];");
    let mut new = warp(61);
    new.set_register(Register(2), lanes(|lane| lane));
    run(&mut new, "ISBERD R3, [R2];");
    assert_eq!(old.register(Register(3)), new.register(Register(3)));
}

#[test]
fn stores_reach_the_addresses_of_the_layout() {
    let mut warp = warp(86);
    warp.set_register(Register(1), lanes(|lane| lane + 8));
    warp.set_register(Register(4), lanes(|lane| 7000 + lane));
    warp.set_register(Register(5), lanes(|lane| 8000 + lane));
    run(&mut warp, "AST.64 a[0x70], R4, R1;");
    // Vertex 35 is lane 27 of the warp and lane 3 of group 1.
    warp.set_register(Register(6), [5 * 128 + 128 + 4 * 3; 32]);
    run(&mut warp, "ISBERD.O.ATTR.SKEW.32 R7, [R6]; ISBERD.O.ATTR.SKEW.32 R8, [R6+0x80];");
    assert_eq!(warp.register(Register(7)), [7027; 32]);
    assert_eq!(warp.register(Register(8)), [8027; 32]);
    run(&mut warp, "ISBERD.ATTR.SKEW.32 R7, [R6];");
    assert_eq!(warp.register(Register(7)), [1000 * X + 35; 32], "the input is another space");
}

#[test]
fn physical_addresses_lead_where_ids_lead() {
    let mut warp = warp(75);
    warp.set_register(Register(1), lanes(|lane| 39 - lane));
    warp.set_register(Register(2), lanes(|lane| 4 * (lane % 4)));
    run(&mut warp, "AL2P R3, a[R2+0x70]; ALD.PHYS R4, a[R3+0x70], R1; ALD R5, a[R2+0x70], R1;");
    assert_eq!(warp.register(Register(3)), lanes(|lane| 128 * (1 + lane % 4)));
    assert_eq!(warp.register(Register(4)), lanes(|lane| 1000 * (X + lane % 4) + 39 - lane));
    assert_eq!(warp.register(Register(4)), warp.register(Register(5)));
    warp.set_register(Register(6), [77; 32]);
    run(&mut warp, "AST.PHYS a[R3+0x70], R6, R1; ALD.O R7, a[R2+0x70], R1;");
    assert_eq!(warp.register(Register(7)), [77; 32]);
}

#[test]
fn patches_are_plain_bytes() {
    let mut warp = warp(75);
    warp.set_register(Register(4), [0xdead_beef; 32]);
    run(&mut warp, "ALD.P.64 R5, a[0x8], RZ; AST.P a[0xc], R4, RZ; ALD.O.P R7, a[0xc], RZ;");
    assert_eq!(warp.register(Register(5))[0], 0x0b0a_0908);
    assert_eq!(warp.register(Register(6))[31], 0x0f0e_0d0c);
    assert_eq!(warp.register(Register(7))[3], 0xdead_beef);
}

#[test]
fn ids_outside_the_header_read_zero_with_a_warning() {
    let mut warp = warp(75);
    warp.set_register(Register(4), [5; 32]);
    run(&mut warp, "ALD R4, a[0x80], RZ; AST a[0x84], R5, RZ; ISBERD.SKEW R6, [RZ];");
    assert_eq!(warp.register(Register(4)), [0; 32]);
    let warnings: Vec<Warning> = warp.warnings().copied().collect();
    let expected =
        [Warning::SkewOnMap, Warning::MissingLoad { id: 0x80 }, Warning::MissingStore { id: 0x84 }];
    assert_eq!(warnings, expected);
}

#[test]
fn guards_and_lanes_mask_every_effect() {
    let mut warp = warp(86);
    warp.active = LaneMask::first(20);
    warp.set_predicate(2, LaneMask(0xff00_ff00));
    warp.set_register(Register(1), [9; 32]);
    warp.set_register(Register(2), lanes(|lane| 4 * lane));
    warp.set_register(Register(3), [0xabcd; 32]);
    run(&mut warp, "@!P2 ISBERD.ATTR.SKEW.32 R1, [R2]; @P2 ISBEWR.O.ATTR.32 [R2], R3;");
    let read =
        |lane: u32| if lane < 8 || (16..20).contains(&lane) { 1000 * (X - 1) + lane } else { 9 };
    assert_eq!(warp.register(Register(1)), lanes(read));
    let written: Lanes = std::array::from_fn(|lane| {
        u32::from_le_bytes(*warp.memory.output.attr[4 * lane..].first_chunk().unwrap())
    });
    let expected = |lane: u32| if (8..16).contains(&lane) { 0xabcd } else { 1000 * (X - 1) + lane };
    assert_eq!(written, lanes(expected));
    run(&mut warp, "@!PT ISBEWR.O.32 [RZ], R3;");
}

#[test]
fn sizes_zero_extend_and_truncate() {
    let mut warp = warp(75);
    warp.set_register(Register(1), [0x1234_5678; 32]);
    warp.set_register(Register(2), lanes(|lane| 10 + 2 * lane));
    run(
        &mut warp,
        "ISBEWR.O.ATTR.U16 [R2], R1; ISBERD.O.ATTR R3, [R2]; ISBERD.O.ATTR.U16 R4, [R2];",
    );
    assert_eq!(warp.register(Register(3)), [0x78; 32]);
    assert_eq!(warp.register(Register(4)), [0x5678; 32]);
}

#[test]
fn the_highest_lane_wins_and_the_first_fault_counts() {
    let mut warp = warp(86);
    warp.set_register(Register(1), lanes(|lane| lane));
    warp.set_register(Register(3), [3; 32]);
    run(&mut warp, "ISBEWR.O.32 [R3], R1;");
    assert_eq!(warp.memory.output.map[..4], [31, 0, 0, 0]);
    assert_eq!(fault(&mut warp, "ISBEWR.O.32 [R1], R1;"), (0, "map_underflow"));
    warp.set_register(Register(2), lanes(|lane| 60 * lane));
    assert_eq!(fault(&mut warp, "ISBERD.PATCH.32 R9, [R2];"), (2, "out_of_range"));
    assert_eq!(fault(&mut warp, "ISBERD.ATTR.32 R9, [R1];"), (1, "misaligned"));
    assert_eq!(fault(&mut warp, "ISBEWR.PRIM.32 [R2], R9;"), (0, "illegal_access"));
    assert_eq!(fault(&mut warp, "VILD R9, v[R2];"), (0, "illegal_generation"));
    assert_eq!(warp.register(Register(9)), [0; 32], "a fault leaves registers alone");
    warp.set_register(Register(2), [64; 32]);
    assert_eq!(fault(&mut warp, "ALD R9, a[0x70], R2;"), (0, "out_of_range"));
}

#[test]
fn rz_reads_zero_and_drops_what_is_written() {
    let mut warp = warp(75);
    warp.set_register(Register::ZERO, [5; 32]);
    run(&mut warp, "ISBERD.ATTR.SKEW.32 RZ, [RZ]; ALD.128 R253, a[0x70], RZ;");
    assert_eq!(warp.register(Register::ZERO), [0; 32]);
    assert_eq!(warp.register(Register(254)), [1000 * (X + 1); 32]);
}

#[test]
fn a_load_reads_its_operands_before_it_writes_its_results() {
    for (program, vertices, offsets, components) in [
        ("ALD.128 R8, a[0x70], R8;", 8, 20, 4),
        ("ALD.128 R8, a[R9+0x70], R10;", 10, 20, 4),
        ("ALD.64 R8, a[R8+0x70], R20;", 20, 8, 2),
    ] {
        let mut warp = warp(75);
        warp.set_register(Register(vertices), lanes(|lane| 4 * (lane % 2)));
        warp.set_register(Register(offsets), lanes(|lane| 8 * (lane % 2)));
        run(&mut warp, program);
        for component in 0..components {
            let moved = |lane| if offsets == 8 { 2 * (lane % 2) } else { 0 };
            let word = |lane| 1000 * (X + component + moved(lane)) + 4 * (lane % 2);
            let loaded = warp.register(Register(8 + component as u8));
            assert_eq!(loaded, lanes(word), "{program} {component}");
        }
    }
    let mut warp = warp(75);
    warp.set_register(Register(2), lanes(|lane| 4 * (lane % 4)));
    run(&mut warp, "AL2P R2, a[R2+0x70]; ISBERD.ATTR.SKEW.32 R2, [R2];");
    assert_eq!(warp.register(Register(2)), lanes(|lane| 1000 * (X + lane % 4)));
}

/// Everything that an instruction can change.
fn state(warp: &Warp) -> (Vec<Lanes>, Memory, Vec<Warning>) {
    let registers = (0..255).map(|number| warp.register(Register(number))).collect();
    (registers, warp.memory.clone(), warp.warnings().copied().collect())
}

#[test]
fn a_faulting_instruction_changes_nothing() {
    // Only lane 20 is at fault, of vectors in patches only its last component.
    for (sm, program, rule) in [
        (75, "ISBERD.ATTR.SKEW.32 R8, [R2];", "out_of_range"),
        (75, "ISBERD.SKEW R8, [R2];", "out_of_range"),
        (75, "ISBEWR.O.ATTR.SKEW.32 [R2], R4;", "out_of_range"),
        (75, "ISBEWR.O.SKEW [R2], R4;", "out_of_range"),
        (75, "ALD.128 R8, a[0x70], R3;", "out_of_range"),
        (75, "ALD.P.64 R8, a[R6+0x8], RZ;", "out_of_range"),
        (75, "ALD.PHYS R8, a[R2+0x70], RZ;", "out_of_range"),
        (75, "ALD.128 R8, a[R7+0x70], R3;", "out_of_range"),
        (75, "AST.128 a[0x70], R4, R3;", "out_of_range"),
        (75, "AST.P.64 a[R6+0x8], R4, RZ;", "out_of_range"),
        (75, "AST.PHYS a[R2+0x70], R4, RZ;", "out_of_range"),
        (75, "AST.128 a[R7+0x70], R4, R3;", "out_of_range"),
        (35, "VILD R8, v[R2];", "out_of_range"),
    ] {
        let mut warp = warp(sm);
        warp.memory = warp.memory.trapping_mixed_views();
        let at_lane_20 = |good: u32, bad: u32| lanes(|n| if n == 20 { bad } else { n % 2 * good });
        warp.set_register(Register(2), at_lane_20(4, 0x8000));
        warp.set_register(Register(3), at_lane_20(1, 64));
        warp.set_register(Register(6), at_lane_20(4, 52));
        // Past POSITION: some lanes warn, which a fault takes back too.
        warp.set_register(Register(7), lanes(|lane| if lane == 20 { 0 } else { 16 }));
        for register in [4, 5, 8, 9, 10, 11] {
            warp.set_register(Register(register), lanes(|lane| 0xdead_0000 + lane));
        }
        let before = state(&warp);
        assert_eq!(fault(&mut warp, program), (20, rule), "{program}");
        assert_eq!(state(&warp), before, "{program}");
    }
}

#[test]
fn lanes_that_take_no_part_warn_of_nothing() {
    let mut warp = warp(75);
    warp.set_predicate(0, LaneMask::first(4));
    warp.set_register(Register(2), lanes(|lane| 4 * lane));
    run(&mut warp, "@P0 AL2P R3, a[R2+0x70];");
    assert_eq!(warp.register(Register(3))[..5], [128, 256, 384, 512, 0]);
    assert_eq!(warp.warnings().count(), 0);
}
