//! One bit flipped: either the check says that hits may be lost, or nothing changes but the world.

use super::support::{Questions, Random, World, across, ask, soup};
use geometry::{InstanceFlags, Transform, TriangleRule, Vec3};
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::walk::{Gpurt, Options, Radv, RadvLiteral, Shipped, WalkError};
use machine::{Answer, Machine, Step};
use scene::{Instance, Scene};
use std::sync::Arc;

/// Some instances of one object, near each other.
fn instanced(mut scene: Scene) -> Scene {
    let mut random = Random(1);
    for n in 0..12u8 {
        let mut transform = Transform::translation(random.vector(-4.0, 4.0));
        transform.rows[usize::from(n) % 3][usize::from(n / 3) % 3] += random.range(-0.5, 0.5);
        scene.instances.push(Instance {
            mask: 0xFF >> (n % 3),
            flags: InstanceFlags::from_bits_truncate(n),
            ..Instance::new(0, transform)
        });
    }
    scene
}

fn survives(scene: &Scene, encoding: &EncodeOptions, seed: u64, flips: usize) {
    let whole = World::new(scene, encoding);
    let mut random = Random(seed);
    let (mut sound, mut lossless) = (0, 0);
    for flip in 0..flips {
        let mut image = whole.image.image().clone();
        let segment = random.below(image.segments.len());
        let bytes = image.segments[segment].bytes_mut();
        let (byte, bit) = (random.below(bytes.len()), random.below(8));
        bytes[byte] ^= 1 << bit;
        let Some(world) = World::of_image(image) else { continue };
        sound += 1;
        let rule = TriangleRule::ALL[flip % 2];
        let questions = Questions::new(&world.tree, rule, seed + flip as u64, 12, across);
        let stack_size = [2, 16][flip / 2 % 2];
        let gpurt = Options { stack_size, ..Options::gpurt(rule) };
        let radv = Options { stack_size, ..Options::radv(rule) };
        let machines: [Result<Box<dyn Machine>, WalkError>; 3] = [
            Gpurt::new(Arc::clone(&world.image), gpurt).map(|machine| Box::new(machine) as _),
            Radv::new(Arc::clone(&world.image), radv).map(|machine| Box::new(machine) as _),
            RadvLiteral::new(Shipped::Mesa26_2, Arc::clone(&world.image), radv)
                .map(|machine| Box::new(machine) as _),
        ];
        for machine in machines.iter().flatten() {
            let losses = questions.losses(&**machine);
            for (query, _) in &questions.asked[..2] {
                let (mut seen, mut steps) = (Answer::default(), Vec::new());
                machine.watch(&(*query).into(), &mut seen, &mut steps).unwrap();
                assert_eq!(seen.hits, ask(&**machine, query));
                assert_eq!(steps.last(), Some(&Step::End));
            }
            let place = format!("segment {segment}, byte {byte:#x}, bit {bit}");
            if world.image.facts().lossless && machine.name() != Shipped::Mesa26_2.name() {
                lossless += 1;
                assert_eq!(losses, [0; 3], "{} {place}", machine.name());
            }
        }
    }
    assert!(sound > flips / 3 && lossless > flips / 10, "{sound} {lossless}");
}

#[test]
fn in_a_dense_image() {
    survives(&soup(60, 4), &EncodeOptions::default(), 61, 300);
}

#[test]
fn in_an_image_of_pairs() {
    let options = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Gpurt) };
    survives(&soup(60, 4), &options, 62, 300);
}

#[test]
fn in_an_instanced_image() {
    survives(&instanced(soup(30, 4)), &EncodeOptions::default(), 63, 300);
    let options = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Gpurt) };
    survives(&instanced(soup(30, 4)), &options, 64, 300);
}

/// What the instances look like is what the law is tested on.
#[test]
fn the_instances_overlap() {
    let world = World::new(&instanced(soup(30, 4)), &EncodeOptions::default());
    let tlas = world.tree.tlas.as_ref().unwrap();
    assert_eq!(tlas.instances.len(), 12);
    assert!(world.tree.bounds().contains_point(Vec3::ZERO));
}
