//! Saved tracers: the same answers when read again, and an error or the same answers when damaged.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;
use build::Preset;
use geometry::random::Random;
use geometry::{Ray, TriangleRule, Vec3};
use scene::builtin::Builtin;
use std::path::PathBuf;
use testkit::worlds;
use trace::{Hit, Kernel, Mode, Options, StoredError, Tracer};
use tree::Tree;

/// A file of its own for each test.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("siliray-stored-{name}-{}.tracer", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn rays(tree: &Tree, count: usize) -> Vec<Ray> {
    worlds::rays(&tree.bounds(), 3, count).iter().map(|query| query.shape).collect()
}

/// Hits and nearest points, as bits.
fn answers(tracer: &Tracer, rays: &[Ray]) -> (Vec<[u32; 6]>, Vec<[u64; 2]>) {
    let hits = tracer.all(rays).into_iter().flatten().chain(tracer.closest(rays));
    let points: Vec<Vec3> = rays.iter().take(16).map(|ray| ray.origin).collect();
    let nearest = tracer.nearest_points(&points);
    let nearest = nearest.iter().map(|p| [p.distance.to_bits(), p.primitive.into()]).collect();
    (hits.map(|hit: Hit| common::bits(&hit)).collect(), nearest)
}

#[test]
fn what_was_saved_answers_alike() {
    let file = File::new("alike");
    let mut trees = worlds::scenes();
    trees.extend([worlds::mixed(), worlds::instanced()]);
    for tree in &trees {
        let rays = rays(tree, 400);
        for rule in [TriangleRule::Watertight, TriangleRule::MollerTrumbore] {
            for (keeps_boxes, preset) in [(false, Preset::Best), (true, Preset::Fast)] {
                let options = Options { rule, keeps_boxes, preset, ..Options::default() };
                let saved = Tracer::from_tree(tree, options).unwrap();
                saved.save(&file.0).unwrap();
                for kernel in common::kernels() {
                    let read = Tracer::load_with(&file.0, Some(kernel)).unwrap();
                    assert_eq!(answers(&read, &rays), answers(&saved, &rays), "{kernel}");
                    assert_eq!(read.byte_count(), saved.byte_count());
                    assert_eq!(read.triangle_count(), saved.triangle_count());
                    assert_eq!(read.options(), Options { kernel: Some(kernel), ..options });
                }
            }
        }
    }
    let empty = scene::Scene { objects: vec![scene::Object::default()], ..Default::default() };
    Tracer::new(&empty).unwrap().save(&file.0).unwrap();
    assert!(Tracer::load(&file.0).unwrap().closest(&rays(&trees[0], 5))[0].is_miss());
}

#[test]
fn flipped_bits_are_found() {
    let file = File::new("flips");
    for tree in [worlds::instanced(), worlds::mixed()] {
        let saved = Tracer::from_tree(&tree, Options::default()).unwrap();
        saved.save(&file.0).unwrap();
        let bytes = std::fs::read(&file.0).unwrap();
        let rays = rays(&tree, 50);
        let expected = answers(&saved, &rays);
        let (mut random, mut refused) = (Random(8), 0);
        for round in 0..1_000 {
            let mut flipped = bytes.clone();
            // Half of the flips in the header and the tables, where there is more to go wrong.
            let most = if round % 2 == 0 { bytes.len() } else { bytes.len().min(4096) };
            let bit = random.below(8 * most);
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&file.0, &flipped).unwrap();
            match Tracer::load(&file.0) {
                Ok(read) => assert_eq!(answers(&read, &rays), expected, "bit {bit}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 900, "{refused}");
    }
}

#[test]
fn other_files_are_refused_by_name() {
    let file = File::new("others");
    let tracer = Tracer::new(&Builtin::Interior.scene(300)).unwrap();
    tracer.save(&file.0).unwrap();
    let bytes = std::fs::read(&file.0).unwrap();
    let load = |bytes: &[u8]| {
        std::fs::write(&file.0, bytes).unwrap();
        Tracer::load(&file.0).unwrap_err()
    };
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    assert!(matches!(load(b""), StoredError::NotATracer));
    assert!(matches!(load(&[b'x'; 500]), StoredError::NotATracer));
    let turned: Vec<u8> = bytes[8..12].iter().rev().copied().collect();
    assert!(matches!(load(&with(8, &turned)), StoredError::ByteOrder));
    let other = with(12, &7u32.to_ne_bytes());
    assert!(matches!(load(&other), StoredError::Version { found: 7, expected: 2 }));
    assert!(matches!(load(&bytes[..bytes.len() - 1]), StoredError::Length { .. }));
    assert!(matches!(load(&[&bytes[..], &[0]].concat()), StoredError::Length { .. }));
    assert!(matches!(load(&with(bytes.len() - 9, &[1])), StoredError::Damaged { .. }));
    let missing = Tracer::load(file.0.with_extension("missing")).unwrap_err();
    assert!(matches!(missing, StoredError::Unreadable { .. }), "{missing}");
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let tracer = Tracer::new(&Builtin::Interior.scene(300)).unwrap();
    let nowhere = std::env::temp_dir().join("siliray-no-such-folder").join("x.tracer");
    assert!(matches!(tracer.save(nowhere), Err(StoredError::Unwritable { .. })));
    let (image, _) = common::world(Builtin::Interior, 300, Preset::Fast);
    let options = Options { mode: Mode::InPlace, ..Options::default() };
    let in_place = Tracer::from_image(image, options).unwrap();
    let file = File::new("in-place");
    assert!(matches!(in_place.save(&file.0), Err(StoredError::InPlace)));
    assert!(!file.0.exists());
    tracer.save(&file.0).unwrap();
    let lacks = Kernel::ALL.into_iter().find(|kernel| !kernel.is_available());
    if let Some(kernel) = lacks {
        assert!(matches!(Tracer::load_with(&file.0, Some(kernel)), Err(StoredError::Kernel)));
    }
}
