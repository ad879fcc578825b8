//! The offload, watched.

use super::support::{checked, forest, organic};
use geometry::random::Random;
use geometry::{Ray, Vec3};
use machine::{HitKind, Instruction, Query, RayFlags, Step};
use std::collections::HashMap;
use std::sync::Arc;
use testkit::walks::watched;
use xphmg::machines::{Offload, TilesImage};
use xphmg::tiles::outline::outline;
use xphmg::{Precision, Tiles};

/// A ray between two random points of a box.
fn ray(random: &mut Random, least: Vec3, most: Vec3) -> Ray {
    let mut unit = || random.bits_below(1 << 24) as f32 / (1 << 24) as f32;
    let mut point = || least + (most - least) * Vec3::new(unit(), unit(), unit());
    let (from, to) = (point(), point());
    Ray::new(from, to - from)
}

/// What is reported is what is counted; nodes go by the names of the outline.
#[test]
fn every_test_of_the_offload_is_reported_once() {
    let wide = Tiles { wide: true, ..Tiles::new(Precision::Fp32) };
    let (fp32, fp16) = (Tiles::new(Precision::Fp32), Tiles::new(Precision::Fp16));
    let formats = [wide, fp16, Tiles::new(Precision::Int16q), fp32];
    for (format, tree) in formats.iter().zip([organic(), forest(), organic(), forest()]) {
        let checked = Arc::new(checked(&tree, format));
        let entries = outline(checked.image()).entries;
        let known: HashMap<(u64, u64), &str> =
            entries.iter().map(|it| ((it.node.pointer, it.address), it.kind)).collect();
        let bounds = checked.tree().bounds();
        let offload = Offload::new(TilesImage::new(checked));
        let mut random = Random(41);
        let (mut accepted, mut refused) = (0, 0);
        for round in 0..60 {
            let kind = HitKind::ALL[round % 3];
            let ray = ray(&mut random, bounds.min, bounds.max);
            let flags = match round % 4 {
                0 => RayFlags::CULL_BACK,
                1 => RayFlags::CULL_FRONT,
                _ => RayFlags::empty(),
            };
            let query = Query { flags, ..Query::ray(kind, ray) };
            let (steps, answer) = watched(&offload, &query);
            let count = |wanted: &dyn Fn(&Step) -> bool| {
                steps.iter().filter(|step| wanted(step)).count() as u64
            };
            let node = |wanted: &'static str| {
                count(&|step| matches!(step, Step::Node { kind, .. } if *kind == wanted))
            };
            let executed = |wanted: &'static str| {
                let is = |it: &Instruction| it.name == wanted;
                count(&|step| matches!(step, Step::Instruction(it) if is(it)))
            };
            let counters = &answer.counters;
            let leaves = node("range") + node("instance");
            assert_eq!((node("node"), leaves), (counters.nodes, counters.leaves));
            let entered = count(&|step| matches!(step, Step::Instance { .. }));
            assert_eq!(entered, counters.instances);
            assert_eq!(count(&|step| matches!(step, Step::Child(_))), counters.box_tests);
            assert_eq!(executed("rt.bbox"), counters.box_tests);
            assert_eq!(count(&|step| matches!(step, Step::Primitive(_))), counters.triangle_tests);
            assert_eq!(executed("rt.tri"), counters.triangle_tests);
            let mut stack = Vec::new();
            let mut hits = Vec::new();
            for step in &steps {
                match *step {
                    Step::Push { pointer, depth } => {
                        stack.push(pointer);
                        assert_eq!(stack.len(), depth as usize);
                    }
                    Step::Pop { pointer, depth } => {
                        assert_eq!((stack.pop(), stack.len()), (pointer, depth as usize));
                    }
                    Step::Node { pointer, address, kind } => {
                        assert_eq!(known.get(&(pointer, address.unwrap())), Some(&kind));
                    }
                    Step::Accept { hit } => hits.push(hit),
                    Step::Refuse { .. } => refused += 1,
                    _ => (),
                }
            }
            accepted += hits.len();
            if kind == HitKind::All {
                assert_eq!(hits.len(), answer.hits.len());
                assert!(answer.hits.iter().all(|hit| hits.contains(hit)));
            } else {
                // The best of those that were accepted is the answer; without instances the last.
                let best = hits.iter().min_by(|a, b| a.total_cmp(b));
                let is_any = kind == HitKind::Any && flags.is_empty();
                let expected = if is_any { hits.last() } else { best };
                assert_eq!(expected, answer.hits.first());
            }
        }
        assert!(accepted > 30 && refused > 10, "{accepted} accepted, {refused} refused");
    }
}
