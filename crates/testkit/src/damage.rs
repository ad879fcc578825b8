//! Images that are damaged: what their checks let through can be walked.

use geometry::TriangleRule;
use geometry::random::Random;
use machine::{HitKind, Image, Machine, Oracle, RayQuery, Segment};
use std::sync::Arc;
use tree::Tree;

/// A dword of the first segment.
///
/// # Panics
/// Where there is none.
#[must_use]
pub fn get(image: &Image, at: usize) -> u32 {
    u32::from_le_bytes(image.segments[0].bytes()[at..at + 4].try_into().unwrap())
}

/// Writes a dword of the first segment.
///
/// # Panics
/// Where there is none.
pub fn set(image: &mut Image, at: usize, word: u32) {
    image.segments[0].bytes_mut()[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// Replaces up to thirty bytes, and cuts a segment if asked to.
pub fn damage(image: &mut Image, random: &mut Random, cut: bool) {
    for _ in 0..1 + random.below(30) {
        let segment = random.below(image.segments.len());
        let bytes = image.segments[segment].bytes_mut();
        let at = random.below(bytes.len());
        bytes[at] = random.bits() as u8;
    }
    if cut {
        let cut = random.below(image.segments.len());
        let segment = &image.segments[cut];
        let kept = random.below(segment.bytes().len());
        image.segments[cut] = Segment::new(segment.address, &segment.bytes()[..kept]);
    }
}

/// A damaged image that can be walked.
pub struct Opened {
    /// A machine over it.
    pub machine: Box<dyn Machine>,
    /// What it decodes to.
    pub tree: Arc<Tree>,
    /// Whether its check has findings.
    pub is_named: bool,
}

/// Flips one bit, `rounds` times. Says how often the check named it or the image could not be
/// walked, and how often the answers were the oracle's for want of a finding.
///
/// # Panics
/// When a flip has no finding and changes an answer.
pub fn flip_bits(
    sound: &Image,
    rule: TriangleRule,
    queries: &[RayQuery],
    rounds: usize,
    random: &mut Random,
    open: impl Fn(Image) -> Option<Opened>,
) -> [usize; 2] {
    let (mut named, mut harmless) = (0, 0);
    for _ in 0..rounds {
        let mut image = sound.clone();
        let segment = random.below(image.segments.len());
        let bytes = image.segments[segment].bytes_mut();
        let (byte, bit) = (random.below(bytes.len()), random.below(8));
        bytes[byte] ^= 1 << bit;
        let Some(Opened { machine, tree, is_named }) = open(image) else {
            named += 1;
            continue;
        };
        let oracle = Oracle::new(&*tree, rule);
        for query in queries {
            let got = machine.answer(&(*query).into()).unwrap().hits;
            if is_named {
                continue; // that the walk came back is enough
            }
            let expected = oracle.answer(&(*query).into()).unwrap().hits;
            if query.kind == HitKind::Any {
                assert_eq!(got.is_empty(), expected.is_empty());
            } else {
                assert_eq!(got, expected, "segment {segment}, byte {byte:#x}, bit {bit}");
            }
        }
        named += usize::from(is_named);
        harmless += usize::from(!is_named);
    }
    [named, harmless]
}
