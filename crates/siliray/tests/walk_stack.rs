//! The stack that a watched walk shows is the one it uses: every pop takes what was pushed last.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use siliray::build::Options;
use siliray::conformance::aimed_rays;
use siliray::input::encode_checked;
use siliray::machine::{HitKind, MachineInput, MachineOptions, Query, Settings, Step};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::walk::Walk;

/// What is wrong with the pushes and pops of a walk, and where.
fn broken(steps: &[Step]) -> Option<(usize, String)> {
    let mut stack: Vec<u64> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let depth = match step {
            Step::Push { pointer, depth } => {
                stack.push(*pointer);
                depth
            }
            Step::Pop { pointer, depth } => {
                let top = stack.pop();
                if top != *pointer {
                    return Some((number, format!("{pointer:x?} was popped, {top:x?} was on top")));
                }
                depth
            }
            Step::Overflow { lost } => {
                stack.drain(..*lost as usize);
                continue;
            }
            Step::Restart { .. } => {
                stack.clear();
                continue;
            }
            _ => continue,
        };
        if *depth as usize != stack.len() {
            return Some((number, format!("{depth} entries, expected {}", stack.len())));
        }
    }
    None
}

#[test]
fn pops_take_what_was_pushed_last() {
    let scene = Builtin::Forest.scene(3_000);
    let tree = Options::default().build(&scene).unwrap();
    let with = |policy: &str| Settings::default().with("policy", policy);
    for (format, settings, name) in [
        ("gfx12", with("dense"), "gfx12-gpurt"),
        ("gfx12", with("radv"), "gfx12-radv"),
        ("gfx12", with("radv"), "gfx12-radv-25.2"),
        ("gfx12-bvh4x2", Settings::default(), "gfx12-dual"),
        ("xphmg-fp32", Settings::default(), "hart"),
    ] {
        let format = registry().format(format).unwrap();
        let image = encode_checked(&tree, format, &settings).unwrap();
        let input = MachineInput::Image(image);
        for stack_size in [16, 3, 1] {
            let options =
                MachineOptions { stack_size: Some(stack_size), ..MachineOptions::default() };
            let machine = (registry().machine(name).unwrap().make)(&input, &options).unwrap();
            let mut overflows = 0;
            for ray in aimed_rays(input.tree(), 5, 200) {
                for kind in [HitKind::Closest, HitKind::All] {
                    let walk = Walk::watch(&*machine, &Query { kind, ..ray.into() });
                    let found = broken(&walk.steps);
                    assert_eq!(found, None, "{name}, {stack_size} entries, {ray:?}");
                    let lost = |step: &&Step| matches!(step, Step::Overflow { .. });
                    overflows += walk.steps.iter().filter(lost).count();
                }
            }
            assert!(overflows > 0 || stack_size == 16, "{name}, {stack_size} entries");
        }
    }
}
