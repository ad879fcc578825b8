//! Parents are asked for only where they are needed.

use super::support::{Questions, Random, World, across, soup};
use geometry::TriangleRule;
use gfx12::decode::{NodeBody, nodes};
use gfx12::encode::Options as EncodeOptions;
use gfx12::walk::{Gpurt, Options, WalkError};
use machine::Image;
use std::sync::Arc;

/// The image with the parent of one box made wrong.
fn with_wrong_parent(mut image: Image, random: &mut Random) -> Image {
    let boxes: Vec<u64> = nodes(&image)
        .filter(|node| matches!(node.body, NodeBody::Box(_)))
        .map(|node| node.offset)
        .collect();
    let at = boxes[1 + random.below(boxes.len() - 1)] as usize + 8;
    image.segments[0].bytes_mut()[at] ^= 0x10;
    image
}

#[test]
fn wrong_parents_are_no_matter_where_nothing_is_lost() {
    let mut random = Random(6);
    let whole = World::new(&soup(60, 2), &EncodeOptions::default());
    let broken = with_wrong_parent(whole.image.image().clone(), &mut random);
    let world = World::of_image(broken).unwrap();
    assert!(!world.image.facts().parents && world.image.facts().lossless);
    let rule = TriangleRule::Watertight;
    let options = |stack_size| Options { stack_size, ..Options::gpurt(rule) };
    let refused = Gpurt::new(Arc::clone(&world.image), options(2)).unwrap_err();
    let WalkError::Parents { size: 2, needed } = refused else { panic!("{refused}") };
    assert!((3..=31).contains(&needed), "{needed}");
    let needed = needed as u8;
    assert!(Gpurt::new(Arc::clone(&world.image), options(needed - 1)).is_err());
    let machine = Gpurt::new(Arc::clone(&world.image), options(needed)).unwrap();
    let questions = Questions::new(&world.tree, rule, 51, 300, across);
    assert_eq!(questions.losses(&machine), [0; 3]);
    assert!(Gpurt::new(Arc::clone(&whole.image), options(2)).is_ok());
}
