//! Random damage: the check ends, and what it calls sound can be decoded and walked.

use geometry::TriangleRule;
use machine::{Format, Image, Machine, Reference, Segment, TreeFormat};
use testkit::Random;
use testkit::worlds::{instanced, rays};
use ttu::format::TtuFormat;

#[test]
fn no_bytes_are_too_bad() {
    let tree = instanced();
    let image = TtuFormat.encode(&tree).unwrap();
    let queries = rays(&tree.bounds(), 9, 4);
    let mut random = Random(42);
    let mut sound = 0;
    for _ in 0..2000 {
        let mut damaged = image.clone();
        let bytes = damaged.segments[0].bytes_mut();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            bytes[at] = random.bits() as u8;
        }
        if let Some(checked) = TtuFormat::check(damaged).checked {
            sound += 1;
            let reference = Reference::new(&**checked.tree(), TriangleRule::Watertight);
            for query in &queries {
                reference.answer(&(*query).into()).unwrap();
            }
        }
    }
    assert!(sound > 100, "{sound}");
}

#[test]
fn cut_images_are_refused() {
    let image = TtuFormat.encode(&instanced()).unwrap();
    let bytes = image.segments[0].bytes();
    // Behind the last array stands nothing but the rest of its line.
    for len in (0..bytes.len() - 128).step_by(bytes.len() / 97) {
        let segments = vec![Segment::new(0, &bytes[..len])];
        let cut = Image { segments, ..image.clone() };
        assert!(TtuFormat::check(cut).checked.is_none());
    }
}
