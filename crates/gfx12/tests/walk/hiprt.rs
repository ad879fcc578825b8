//! HIPRT's loop: on its own memory and on others', however little shared memory it has.

use super::support::{Questions, World, aimed, soup};
use geometry::{InstanceFlags, TriangleRule};
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::walk::{Gpurt, Hiprt, Options, Radv, WalkError};
use gfx12::{registry, walk};
use machine::{HitKind, Machine, Observer, Query, ReadOptions, Step};
use scene::builtin::Builtin;
use std::sync::Arc;

const RULE: TriangleRule = TriangleRule::Watertight;

fn with_margin(policy: Policy) -> EncodeOptions {
    EncodeOptions { margin: true, ..EncodeOptions::new(policy) }
}

/// A forest whose instances have masks and flags.
fn forest() -> scene::Scene {
    let mut scene = Builtin::Forest.scene(2000);
    for (n, instance) in scene.instances.iter_mut().enumerate() {
        instance.mask = [0xFF, 0x0F, 0x81][n % 3];
        instance.flags = InstanceFlags::from_bits_truncate(n as u8 % 16);
    }
    scene
}

#[test]
fn nothing_is_lost() {
    for scene in [soup(300, 5), forest()] {
        for policy in Policy::ALL {
            let world = World::new(&scene, &with_margin(policy));
            let questions = Questions::new(&world.tree, RULE, 7, 200, aimed);
            assert!(questions.hitting() > 50);
            for stack_size in [1, 2, 16, 64, 255] {
                let options = Options { stack_size, ..Options::hiprt(RULE) };
                let machine = Hiprt::new(Arc::clone(&world.image), options).unwrap();
                assert_eq!(questions.losses(&machine), [0; 3], "{policy}, {stack_size} entries");
            }
        }
    }
}

/// The other loops walk HIPRT's memory too, as long as their stacks lose nothing: its parents are
/// not theirs.
#[test]
fn other_loops_on_its_memory() {
    let world = World::new(&soup(12, 5), &with_margin(Policy::Hiprt));
    let questions = Questions::new(&world.tree, RULE, 7, 100, aimed);
    let gpurt = Gpurt::new(Arc::clone(&world.image), Options::gpurt(RULE)).unwrap();
    assert_eq!(questions.losses(&gpurt), [0; 3]);
    let large = World::new(&soup(300, 5), &with_margin(Policy::Hiprt));
    let refused = Gpurt::new(Arc::clone(&large.image), Options::gpurt(RULE));
    assert!(matches!(refused, Err(WalkError::Parents { .. })));
    let refused = Radv::new(Arc::clone(&large.image), Options::radv(RULE));
    assert!(matches!(refused, Err(WalkError::LongRange { .. })));
    let none = Options { stack_size: 0, ..Options::hiprt(RULE) };
    assert!(matches!(Hiprt::new(large.image, none), Err(WalkError::StackSize { .. })));
}

#[derive(Default)]
struct Steps {
    pushes: usize,
    pops: usize,
    instances: usize,
    leaves: usize,
}

impl Observer for Steps {
    fn see(&mut self, step: Step) {
        match step {
            Step::Push { .. } => self.pushes += 1,
            Step::Pop { pointer: Some(_), .. } => self.pops += 1,
            Step::Instance { .. } => self.instances += 1,
            Step::Leave => self.leaves += 1,
            Step::WalkBack { .. } | Step::Restart { .. } | Step::Overflow { .. } => {
                panic!("nothing is lost: {step:?}")
            }
            _ => (),
        }
    }
}

/// Watched, the answer is the same; what is pushed is popped, and every instance is left.
#[test]
fn a_walk_that_is_watched() {
    let world = World::new(&forest(), &with_margin(Policy::Hiprt));
    let options = Options { stack_size: 2, ..Options::hiprt(RULE) };
    let machine = Hiprt::new(Arc::clone(&world.image), options).unwrap();
    let mut random = super::support::Random(3);
    let mut entered = 0;
    for _ in 0..100 {
        let query = aimed(&world.tree, &mut random);
        let query = Query::from(machine::RayQuery { kind: HitKind::All, ..query });
        let mut steps = Steps::default();
        let mut answer = machine::Answer::default();
        machine.watch(&query, &mut answer, &mut steps).unwrap();
        assert_eq!(answer.hits, machine.answer(&query).unwrap().hits);
        assert_eq!((steps.pushes, steps.instances), (steps.pops, steps.leaves));
        entered += steps.instances;
    }
    assert!(entered > 50);
}

/// The dump that HIPRT wrote, walked by its own loop.
#[test]
fn the_dump() {
    let bytes = include_bytes!("../vectors/hiprt-cornell-bvh8.bin");
    let file = (registry::FORMATS[0].read)(bytes, &ReadOptions::default()).unwrap();
    let world = World::of_image(file.image).unwrap();
    let questions = Questions::new(&world.tree, RULE, 11, 300, aimed);
    assert!(questions.hitting() > 100);
    let machine = walk::Hiprt::new(world.image, Options::hiprt(RULE)).unwrap();
    assert_eq!(questions.losses(&machine)[0], 0);
}
