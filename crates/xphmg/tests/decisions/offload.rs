//! Offload.

use super::hart::{BASE, Bench, EDGED, OPERAND, RAY, grazing_rays};
use xphmg::Trap;
use xphmg::layout::node::{Child, ChildKind, NodeShape};
use xphmg::layout::records::{Descriptor, Queue, TriRange};
use xphmg::numeric::ElementFormat;
use xphmg::offload::Refusal;
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
        domain: 0,
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
        put_descriptor(bench, |descriptor| descriptor.domain = 3);
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
