//! Offload.

use super::hart::{BASE, Bench, EDGED, OPERAND, RAY, grazing_rays};
use xphmg::Trap;
use xphmg::layout::node::{Child, ChildKind, NodeShape};
use xphmg::layout::records::{Descriptor, MemoryControl, Queue, TriRange};
use xphmg::numeric::ElementFormat;
use xphmg::offload::{JobRecord, Refusal};
use xphmg::readings::NodeLayout;
use xphmg::unit::Flow;

const TREE: u64 = BASE + 0x1000;
const TRIANGLES: u64 = BASE + 0x2000;
const QUEUES: [u64; 3] = [BASE + 0x3000, BASE + 0x3020, BASE + 0x3040];
const ENTRIES: [u64; 3] = [BASE + 0x4000, BASE + 0x5000, BASE + 0x6000];
const DESCRIPTOR: u64 = BASE + 0x3100;
const EVENTS: u16 = 0x7EE;
const DMA_ERR: u64 = 8;

/// Two triangles, at z = 4 and z = 6, in one leaf; three rays of which two hit.
fn scene(readings: &[&str], layout: NodeLayout, wide: bool) -> Bench {
    let mut bench = Bench::new(readings);
    let shape = NodeShape::new(ElementFormat::Fp32, layout, wide);
    let mut node = vec![0; shape.bytes()];
    let bounds = [-1.0f32, -1.0, 3.0, 2.0, 2.0, 7.0].map(f32::to_bits);
    let child = Child { kind: ChildKind::Leaf, index: 0x20, bounds };
    shape.set_child(&mut node, shape.width() - 1, &child);
    bench.hart.put(TREE, &node);
    bench.hart.put(TREE + 0x200, &TriRange { first: 0, count: 2, base: 0 }.to_bytes());
    for (n, z) in [(0, 6.0), (1, 4.0)] {
        bench.hart.put_floats(TRIANGLES + 36 * n, &[0.0, 0.0, z, 0.0, 1.0, z, 1.0, 0.0, z]);
    }
    let rays: [[f32; 2]; 3] = [[0.25, 0.5], [5.0, 5.0], [0.125, 0.125]];
    for (n, [x, y]) in rays.into_iter().enumerate() {
        let at = ENTRIES[0] + 40 * n as u64;
        bench.hart.put_floats(at, &[x, y, 0.0, 0.0, 0.0, 1.0, 0.0, 16.0]);
        bench.hart.put_words(at + 32, &[100 + n as u32, 0]);
    }
    for (k, tail) in [3, 0, 0].into_iter().enumerate() {
        let queue = Queue { head: 0, tail, cap: 8, base: ENTRIES[k] };
        bench.hart.put(QUEUES[k], &queue.to_bytes());
    }
    put_descriptor(&mut bench, |_| {});
    bench.hart.x[10] = DESCRIPTOR;
    bench
}

fn put_descriptor(bench: &mut Bench, change: impl FnOnce(&mut Descriptor)) {
    let mut descriptor = Descriptor {
        bvh_base: TREE,
        ray_queue: QUEUES[0],
        hit_queue: QUEUES[1],
        miss_queue: QUEUES[2],
        triangles: TRIANGLES,
        options: 0,
        memory: MemoryControl::default(),
    };
    change(&mut descriptor);
    bench.hart.put(DESCRIPTOR, &descriptor.to_bytes());
}

fn plain() -> Bench {
    scene(&[], NodeLayout::Packed, false)
}

/// Heads and tails of the three queues.
fn indices(bench: &mut Bench) -> [[u32; 2]; 3] {
    QUEUES.map(|queue| bench.hart.words(queue, 2).try_into().unwrap())
}

const DONE: [[u32; 2]; 3] = [[3, 3], [0, 2], [0, 1]];

#[test]
fn x45_both_layouts_and_x46_both_widths() {
    for (reading, layout) in [
        ("node_layout=packed", NodeLayout::Packed),
        ("node_layout=literal88", NodeLayout::Literal88),
    ] {
        for (wide, options) in [(false, 0), (true, 0x200)] {
            let mut bench = scene(&[reading], layout, wide);
            put_descriptor(&mut bench, |descriptor| descriptor.options = options);
            bench.ok(&["xsubmit.rt a1, (a0)"]);
            assert_eq!((bench.hart.x[11], indices(&mut bench)), (1, DONE), "{reading} {wide}");
        }
    }
}

#[test]
fn x47_siliray_s_own_encodings_refuse_what_they_do_not_say() {
    for word in [0x0000_207Bu32, 0x0030_307B, 0x0110_307B, 0x0030_407B, 0x0000_507B, 0x0012_80FB] {
        let mut bench = plain();
        assert_eq!(
            bench.unit.execute(word, &mut bench.hart),
            Err(Trap::illegal(word)),
            "{word:#x}"
        );
        assert_eq!(bench.last_error(), 0);
    }
}

#[test]
fn x48_bad_and_full_queues_stop_the_job() {
    for (queue, words) in [(0, [0, 3, 1]), (1, [9, 0, 8]), (2, [0, 8, 8])] {
        let mut bench = plain();
        bench.hart.put_words(QUEUES[queue], &words);
        bench.ok(&["xsubmit.rt a1, (a0)"]);
        assert_eq!((bench.hart.x[11], bench.read(EVENTS)), (1, DMA_ERR));
    }
    let mut bench = plain();
    bench.hart.put_words(QUEUES[1] + 8, &[2]); // one usable slot
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!((indices(&mut bench), bench.read(EVENTS)), ([[2, 3], [0, 1], [0, 1]], DMA_ERR));
}

#[test]
fn x49_x52_entries_and_the_closest_hit() {
    let mut bench = plain();
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    let hit = bench.hart.words(ENTRIES[1], 8);
    let values = [4.0f32, 0.5, 0.25].map(f32::to_bits);
    assert_eq!(hit, [100, 1, 0x20, 0, values[0], values[1], values[2], 0]);
    assert_eq!(bench.hart.words(ENTRIES[2], 2), [101, 0]);
    // Any hit: the first in visiting order, which is farther away.
    let mut bench = plain();
    put_descriptor(&mut bench, |descriptor| descriptor.options = 0x100);
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!(bench.hart.words(ENTRIES[1], 2), [100, 0]);
}

#[test]
fn x50_zero_addresses_stand_for_registers_and_unknown_options_are_unsupported() {
    let mut bench = plain();
    put_descriptor(&mut bench, |descriptor| {
        *descriptor =
            Descriptor { bvh_base: 0, ray_queue: 0, hit_queue: 0, miss_queue: 0, ..*descriptor };
    });
    for (register, value) in
        [(0x8A3, TREE), (0x8A4, QUEUES[0]), (0x8A5, QUEUES[1]), (0x8A6, QUEUES[2])]
    {
        bench.write(register, value);
    }
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!(indices(&mut bench), DONE);
    for options in [2, 0x10, 0x400] {
        put_descriptor(&mut bench, |descriptor| descriptor.options = options);
        assert_eq!(bench.trap("xsubmit.rt a1, (a0)").0, Trap::ILLEGAL);
        assert_eq!(bench.last_error(), 2);
    }
    for (rtcap, options) in [("rtcap=0x3D", 0x200), ("rtcap=0x3E", 0), ("rtcap=0x2F", 8)] {
        let mut bench = scene(&[rtcap], NodeLayout::Packed, false);
        put_descriptor(&mut bench, |descriptor| descriptor.options = options);
        assert_eq!(bench.trap("xsubmit.rt a1, (a0)").0, Trap::ILLEGAL, "{rtcap}");
    }
}

#[test]
fn x51_rejections_have_ticket_0() {
    let reject = |expected: Refusal, change: fn(&mut Bench)| {
        let mut bench = plain();
        change(&mut bench);
        let executed = bench.run("xsubmit.rt a1, (a0)").unwrap();
        assert_eq!((bench.hart.x[11], bench.read(EVENTS)), (0, DMA_ERR));
        assert_eq!(executed.refused, Some(expected));
        assert_eq!(executed.remark(), Some(format!("job refused: {expected}")));
    };
    reject(Refusal::Descriptor { address: DESCRIPTOR + 4 }, |bench| {
        bench.hart.x[10] = DESCRIPTOR + 4;
    });
    let queue = |field, register, address| Refusal::Queue { field, register, address };
    reject(queue("hitq", "RTQ_HIT", QUEUES[1] + 4), |bench| {
        put_descriptor(bench, |descriptor| descriptor.hit_queue += 4);
    });
    reject(queue("missq", "RTQ_MISS", 0), |bench| {
        put_descriptor(bench, |descriptor| descriptor.miss_queue = 0);
    });
    reject(Refusal::Base { address: TREE + 32 }, |bench| {
        put_descriptor(bench, |descriptor| descriptor.bvh_base += 32);
    });
    reject(Refusal::Domain { found: 3, own: 2 }, |bench| {
        put_descriptor(bench, |descriptor| descriptor.memory.domain = 3);
        bench.write(0x7E6, 2);
        bench.write(0x7ED, 1 << 6);
    });
    let mut bench = plain();
    bench.hart.x[10] = 0x4000_0000;
    assert_eq!(bench.trap("xsubmit.rt a1, (a0)"), (Trap::LOAD_ACCESS, 0x4000_0000));
}

#[test]
fn x51_a_deferred_job_runs_at_the_wait() {
    for (reading, busy) in [("submit=immediate", 0), ("submit=deferred", 1)] {
        let mut bench = scene(&[reading], NodeLayout::Packed, false);
        bench.ok(&["xsubmit.rt a1, (a0)"]);
        assert_eq!(bench.read(0x8A1) & 1, busy);
        assert_eq!(indices(&mut bench) == DONE, busy == 0);
        bench.hart.x[12] = 77; // never issued
        bench.ok(&["xfence.wait a2"]);
        assert_eq!(indices(&mut bench) == DONE, busy == 0);
        let jobs = bench.run("xfence.wait a1").unwrap().jobs;
        assert_eq!((jobs.len() as u64, indices(&mut bench)), (busy, DONE));
    }
    // At the program's end at the latest.
    let mut bench = scene(&["submit=deferred"], NodeLayout::Packed, false);
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!(bench.unit.finish(&mut bench.hart).len(), 1);
    assert_eq!(indices(&mut bench), DONE);
}

#[test]
fn x51_events_are_armed_when_earlier_jobs_are_complete() {
    let mut bench = scene(&["submit=deferred"], NodeLayout::Packed, false);
    bench.hart.x[12] = 7;
    bench.ok(&["xsubmit.rt a1, (a0)", "xfence.signal a2"]);
    assert_eq!(bench.unit.submissions(), (1, 0));
    let executed = bench.run("xfence.wait.e a2").unwrap();
    assert_eq!((executed.jobs.len(), indices(&mut bench)), (1, DONE));
    // The token is used up: nobody can signal it again.
    assert!(matches!(bench.run("xfence.wait.e a2").unwrap().flow, Flow::Deadlock(_)));
    bench.hart.x[12] = 64;
    assert_eq!(bench.trap("xfence.signal a2").0, Trap::ILLEGAL);
}

#[test]
fn x52_a_cycle_ends() {
    let mut bench = plain();
    let shape = NodeShape::new(ElementFormat::Fp32, NodeLayout::Packed, false);
    let mut node = vec![0; shape.bytes()];
    let bounds = [-9.0f32, -9.0, -9.0, 9.0, 9.0, 9.0].map(f32::to_bits);
    shape.set_child(&mut node, 0, &Child { kind: ChildKind::Node, index: 0, bounds });
    bench.hart.put(TREE, &node);
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!((bench.hart.x[11], bench.read(EVENTS)), (1, DMA_ERR));
    assert_eq!(indices(&mut bench)[0], [0, 3]);
}

/// A triangle waits where rays graze its box: rounding loses some of them for RT.BBOX, none for a
/// job.
#[test]
fn x53_jobs_enter_boxes_that_rounding_hides() {
    let shape = NodeShape::new(ElementFormat::Fp32, NodeLayout::Packed, false);
    let mut node = vec![0; shape.bytes()];
    let bounds = EDGED.map(f32::to_bits);
    shape.set_child(&mut node, 0, &Child { kind: ChildKind::Leaf, index: 0x20, bounds });
    let mut hidden = 0;
    for ray in grazing_rays() {
        let mut scalar = Bench::new(&[]);
        scalar.hart.put_floats(RAY, &ray);
        scalar.hart.put_floats(OPERAND, &EDGED);
        scalar.ok(&["rt.bbox a1, (a0), pred_only"]);
        hidden += usize::from(scalar.read(0x8AA) == 0);

        let mut job = plain();
        job.hart.put(TREE, &node);
        job.hart.put(TREE + 0x200, &TriRange { first: 0, count: 1, base: 0 }.to_bytes());
        job.hart.put_floats(TRIANGLES, &[0.0, 0.0, 6.0, 0.0, 4.0, 6.0, 4.0, 0.0, 6.0]);
        job.hart.put_floats(ENTRIES[0], &ray);
        let rays = Queue { head: 0, tail: 1, cap: 8, base: ENTRIES[0] };
        job.hart.put(QUEUES[0], &rays.to_bytes());
        job.ok(&["xsubmit.rt a1, (a0)"]);
        assert_eq!(indices(&mut job), [[1, 1], [0, 1], [0, 0]], "{ray:?}");
    }
    assert!(hidden > 0);
}

#[test]
fn x54_errors_stop_the_job_and_complete_its_ticket() {
    let mut bench = plain();
    bench.hart.put(TREE + 124, &[0xC0]); // child 3 reserved
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!((bench.hart.x[11], bench.read(EVENTS), bench.last_error()), (1, DMA_ERR, 0));
    let mut bench = plain();
    bench.hart.put_words(TREE + 0x204, &[1 << 20]); // a range that leaves memory
    bench.ok(&["xsubmit.rt a1, (a0)", "xfence.wait a1"]);
    assert_eq!((bench.read(EVENTS), indices(&mut bench)[1]), (DMA_ERR, [0, 0]));
    // Exceptions of jobs only set stickies.
    let mut bench = plain();
    bench.write(0x7D3, 0x1F);
    bench.hart.put_words(TRIANGLES, &[0x7F80_0001]);
    bench.ok(&["xsubmit.rt a1, (a0)"]);
    assert_eq!((bench.read(0x7D4), indices(&mut bench)), (0x50, DONE));
}

/// Runs the job with a MEMCTL after some register writes: what it did, and all of memory.
fn with_memory(control: MemoryControl, registers: &[(u16, u64)]) -> (JobRecord, Vec<u8>, u64) {
    let mut bench = plain();
    put_descriptor(&mut bench, |descriptor| descriptor.memory = control);
    registers.iter().for_each(|(number, value)| bench.write(*number, *value));
    let job = bench.run("xsubmit.rt t0, (a0)").unwrap().jobs[0];
    put_descriptor(&mut bench, |_| {});
    (job, bench.hart.bytes.clone(), bench.read(EVENTS))
}

const RTCLSDEF: u16 = 0x8A8;
const RTSPROF: u16 = 0x8A9;
const L1CFG: u16 = 0x7E2;
const CLSMAP: u16 = 0x7E3;
const DOM: u16 = 0x7E6;
const STREAM_CTL: u16 = 0x7E7;
const SPROF0: u16 = 0x7E8;
const DESCPOL: u16 = 0x7ED;
const HYB_FALLBK: u64 = 0x80;

#[test]
fn x50_x59_policy_comes_from_the_descriptor_then_rt_then_xmem() {
    let policy = |control: MemoryControl, registers: &[(u16, u64)]| {
        with_memory(control, registers).0.memory.unwrap().policy
    };
    let all = [(RTCLSDEF, 2), (RTSPROF, 2), (DESCPOL, 7), (DOM, 2), (SPROF0 + 1, 0x10040)];
    let asked = MemoryControl { class: 1, stream_profile: 1, domain: 5, ..Default::default() };
    let found = policy(asked, &all);
    assert_eq!((found.class, found.profile, found.domain), (1, 1, 5));
    assert_eq!((found.stream.stride, found.stream.depth), (64, 1));
    let found = policy(MemoryControl::default(), &all);
    assert_eq!((found.class, found.profile, found.domain), (2, 2, 2));
    let found = policy(MemoryControl::default(), &[(DESCPOL, 7)]);
    assert_eq!((found.class, found.profile, found.domain), (3, 0, 0));
    let found = policy(MemoryControl::default(), &[]);
    assert_eq!((found.class, found.ways, found.line, found.hybrid), (0, 0xFF, 64, true));
    // Only the low bits of a class or profile count, and zero cannot be forced.
    let odd = MemoryControl { class: 0xFC, stream_profile: 0xFF, ..MemoryControl::default() };
    let found = policy(odd, &[(RTCLSDEF, 3)]);
    assert_eq!((found.class, found.profile), (3, 3));
    // Lines: the descriptor's, then L1CFG's power of two, then PARAMS'; odd ones count as none.
    let line = |bytes| MemoryControl { line_size: bytes, ..MemoryControl::default() };
    assert_eq!(policy(line(128), &[(L1CFG, 5 << 8)]).line, 128);
    assert_eq!(policy(line(100), &[(L1CFG, 5 << 8)]).line, 32);
    assert_eq!(policy(line(8), &[(L1CFG, 200 << 8)]).line, 64);
    let qos = MemoryControl { qos: 9, class: 1, ..MemoryControl::default() };
    assert_eq!(policy(qos, &[(CLSMAP, 0x75_0000_0000)]).qos, 9);
    assert_eq!(policy(MemoryControl { qos: 0, ..qos }, &[(CLSMAP, 0x75_0000_0000)]).qos, 7);
}

/// Nothing of MEMCTL, of RT's defaults or of XMEM changes what a job writes.
#[test]
fn x60_memory_policy_changes_counts_and_never_a_result() {
    let (plain, memory, _) = with_memory(MemoryControl::default(), &[]);
    assert_eq!((plain.rays, plain.hits, plain.misses, plain.error), (3, 2, 1, None));
    let counts = plain.memory.unwrap().counts;
    // Three rays, each loads its entry and node 0; two also load a range and two triangles.
    assert!(counts.loads > 3 * 2 + 2 * 3 && counts.stores == 3 * 3, "{counts:?}");
    assert!(counts.hits > counts.misses && counts.prefetches == 0, "{counts:?}");
    let mut random = 7u64;
    let mut differing = 0;
    for _ in 0..200 {
        let mut draw = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random >> 20
        };
        let control = MemoryControl {
            domain: draw() as u8,
            l1_hint: draw() as u8,
            l2_hint: draw() as u8,
            lds_hint: draw() as u8,
            line_size: 1 << (draw() % 14),
            qos: draw() as u16,
            lds_softpin: draw(),
            class: draw() as u8,
            stream_profile: draw() as u8,
            hybrid: draw() as u8,
            security: draw() as u8,
        };
        let registers: Vec<(u16, u64)> =
            (0x7E2..=0x7ED).chain([RTCLSDEF, RTSPROF]).map(|number| (number, draw())).collect();
        // A strict domain may refuse the job.
        let registers: Vec<_> = registers
            .into_iter()
            .map(|(number, value)| (number, if number == DESCPOL { value & 0x3F } else { value }))
            .collect();
        let (job, left, _) = with_memory(control, &registers);
        assert_eq!((job.rays, job.hits, job.misses, job.error), (3, 2, 1, None));
        assert!(left == memory, "{control:?} {registers:x?}");
        let others = job.memory.unwrap().counts;
        assert_eq!((others.loads, others.stores), (counts.loads, counts.stores));
        differing += usize::from(others != counts);
    }
    assert!(differing > 100, "{differing}");
}

#[test]
fn x61_a_stream_profile_fetches_ahead() {
    let counts = |registers: &[(u16, u64)], profile: u8| {
        let control = MemoryControl { stream_profile: profile, ..MemoryControl::default() };
        with_memory(control, registers).0.memory.unwrap().counts
    };
    let none = counts(&[], 0);
    assert_eq!((none.prefetches, none.useful), (0, 0));
    for (registers, profile) in [
        (vec![(SPROF0 + 2, 4 << 16)], 2),
        (vec![(SPROF0, 4 << 16)], 0),
        (vec![(STREAM_CTL, 4 << 16)], 0),
        (vec![(STREAM_CTL, 4 << 16)], 1),
    ] {
        let ahead = counts(&registers, profile);
        assert!(ahead.useful > 0 && ahead.useful <= ahead.prefetches, "{ahead:?}");
        assert_eq!(ahead.hits + ahead.misses, none.hits + none.misses);
        assert!(ahead.misses < none.misses, "{ahead:?}");
    }
    // Another stride goes elsewhere; policy 1 fetches at hits too; 16 lines ahead at most.
    let far = counts(&[(SPROF0 + 2, 4 << 16 | 0x7777)], 2);
    assert!(far.prefetches > 0 && far.useful == 0, "{far:?}");
    let always = counts(&[(SPROF0 + 2, 1 << 24 | 4 << 16)], 2);
    assert!(always.prefetches > counts(&[(SPROF0 + 2, 4 << 16)], 2).prefetches, "{always:?}");
    assert_eq!(counts(&[(SPROF0 + 2, 255 << 16)], 2), counts(&[(SPROF0 + 2, 16 << 16)], 2));
    // What is not kept is never hit.
    let fleeting = counts(&[(STREAM_CTL, 1 << 24)], 0);
    assert_eq!((fleeting.hits, fleeting.misses), (0, none.hits + none.misses));
}

#[test]
fn x62_a_class_without_ways_borrows_or_keeps_nothing() {
    let run = |class: u8, hybrid: u8, registers: &[(u16, u64)]| {
        let control = MemoryControl { class, hybrid, security: 3, ..MemoryControl::default() };
        let (job, _, events) = with_memory(control, registers);
        (job.memory.unwrap(), events)
    };
    let (own, events) = run(0, 0, &[]);
    assert_eq!((own.policy.ways, own.policy.borrows, events), (0xFF, false, 0));
    // CLSMAP gives class 1 no way, and HYB_ENABLE is set at reset.
    let (borrowed, events) = run(1, 0, &[]);
    assert_eq!((borrowed.policy.ways, borrowed.policy.borrows, events), (0xFF, true, HYB_FALLBK));
    assert_eq!(borrowed.counts, own.counts);
    let (none, events) = run(1, 0, &[(DESCPOL, 0)]);
    assert_eq!((none.policy.ways, none.counts.hits, events), (0, 0, 0));
    let (asked, events) = run(1, 0b1011, &[(DESCPOL, 0)]);
    assert_eq!((asked.policy.borrow_qos, asked.policy.borrows, events), (5, true, HYB_FALLBK));
    let (few, events) = run(1, 0, &[(CLSMAP, 0x01FE)]);
    assert_eq!((few.policy.ways, few.policy.borrows, events), (1, false, 0));
}

/// Totals are kept by class and domain, and the log tells of each job.
#[test]
fn x60_totals_are_by_class_and_domain() {
    let mut bench = plain();
    for (class, domain) in [(1, 2), (0, 0), (1, 2)] {
        put_descriptor(&mut bench, |it| (it.memory.class, it.memory.domain) = (class, domain));
        bench.hart.put_words(QUEUES[0], &[0, 3]);
        let executed = bench.run("xsubmit.rt t0, (a0)").unwrap();
        let text = executed.report().join("\n");
        let policy = format!("; memory class {class} (ways 0xff");
        assert!(text.contains(": 3 rays, 2 hits, 1 misses; ") && text.contains(&policy), "{text}");
    }
    let totals = bench.unit.memory_totals();
    let rows: Vec<_> = totals.iter().map(|it| (it.class, it.domain, it.jobs, it.rays)).collect();
    assert_eq!(rows, [(0, 0, 1, [3, 2, 1]), (1, 2, 2, [6, 4, 2])]);
    assert_eq!(totals[1].counts.loads, 2 * totals[0].counts.loads);
    bench.unit.reset();
    assert_eq!(bench.unit.memory_totals(), []);
}
