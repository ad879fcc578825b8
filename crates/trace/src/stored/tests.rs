//! Files made by hand.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use super::checksum::checksum;
use super::{HEADER, sum};
use crate::{Options, Tracer};
use geometry::Ray;
use geometry::random::Random;
use testkit::worlds;

/// Makes the checksums of a changed file right again.
fn mend(bytes: &mut [u8]) {
    let tables = u64::from_ne_bytes(std::array::from_fn(|k| bytes[16 + k])) as usize;
    let (head, body) = bytes.split_at_mut(HEADER);
    let (tables, arena) = body.split_at(tables);
    head[32..40].copy_from_slice(&sum(tables).to_ne_bytes());
    head[40..48].copy_from_slice(&sum(arena).to_ne_bytes());
    let own = checksum(&head[..48]);
    head[48..56].copy_from_slice(&own.to_ne_bytes());
}

/// The same with checksums made right again: whatever is read, nothing goes out of bounds.
#[test]
fn crafted_files_are_refused_or_walked_within_bounds() {
    let name = format!("siliray-crafted-{}.tracer", std::process::id());
    let file = std::env::temp_dir().join(name);
    let tree = worlds::instanced();
    Tracer::from_tree(&tree, Options::default()).unwrap().save(&file).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let rays: Vec<Ray> =
        worlds::rays(&tree.bounds(), 3, 60).iter().map(|query| query.shape).collect();
    let (mut random, mut refused, mut walked) = (Random(9), 0, 0);
    for _ in 0..1_500 {
        let mut changed = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = 64 + random.below(bytes.len() - 68);
            let word = random.pick(&[0, u32::MAX, 0x8000_0010, 0xC000_0001, random.0 as u32]);
            changed[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        }
        mend(&mut changed);
        std::fs::write(&file, &changed).unwrap();
        match Tracer::load(&file) {
            Ok(read) => {
                walked += 1;
                let _ = (read.closest(&rays), read.all(&rays), read.nearest_point(rays[0].origin));
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    std::fs::remove_file(&file).unwrap();
    assert!(refused > 200 && walked > 200, "{refused} {walked}");
}
