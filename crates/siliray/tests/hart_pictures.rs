//! The programs of `examples/riscv` as a user runs them: an image in memory, a picture on the
//! console. The reference machine, asked along the same rays, must see the same triangle in every
//! pixel.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use siliray::build::Options;
use siliray::geometry::{Ray, TriangleRule, Vec3};
use siliray::machine::{Checked, Format, Machine, Reference, TreeFormat};
use siliray::riscv::machine::{OFFLOAD, WAVEFRONT};
use siliray::riscv::xphmg::Xphmg;
use siliray::riscv::{Config, Ended, Hart, Limits, Observer, Trap};
use siliray::scene::builtin::Builtin;
use siliray::tree::Tree;
use siliray::xphmg::readings::{BboxRounding, Readings};
use siliray::xphmg::{Precision, Tiles};

const WIDTH: usize = 160;
const HEIGHT: usize = 120;

fn image(builtin: Builtin, wide: bool) -> Checked<Tiles> {
    let scene = builtin.scene(2500);
    let tree = Options::default().build(&scene).unwrap();
    let tiles = Tiles { wide, ..Tiles::new(Precision::Fp32) };
    Tiles::check(tiles.encode(&tree).unwrap()).checked.unwrap()
}

/// Keeps what the program prints.
#[derive(Default)]
struct Console(Vec<u8>);

impl Observer for Console {
    fn wants_instructions(&self) -> bool {
        false
    }

    fn retired(&mut self, _: &Hart, _: u64) -> bool {
        true
    }

    fn trapped(&mut self, _: &Hart, _: &Trap, _: u64) -> bool {
        true
    }

    fn printed(&mut self, bytes: &[u8], _: Vec<String>) -> bool {
        self.0.extend_from_slice(bytes);
        true
    }
}

/// What the program prints with the image in memory.
fn printed(program: &[u8], image: &Checked<Tiles>) -> Vec<u8> {
    // RT.BBOX as published may lose a ray that grazes a box.
    let readings = Readings { bbox_rounding: BboxRounding::Conservative, ..Readings::default() };
    let extension = Box::new(Xphmg::new(readings, false));
    let mut hart = Hart::new(Config::default(), vec![extension]).unwrap();
    hart.load_elf(program).unwrap();
    for segment in &image.image().segments {
        hart.write_memory(segment.address, segment.bytes()).unwrap();
    }
    let mut console = Console::default();
    let limits = Limits { instructions: 1_000_000_000, until_pc: None };
    let (ended, _) = hart.run_program(limits, &mut console);
    assert_eq!(ended, Ended::Exited(0));
    console.0
}

/// The picture that `examples/riscv/picture.c` makes, operation by operation, of the reference
/// machine's hits.
fn expected(tree: &Tree) -> Vec<u8> {
    let bounds = tree.bounds();
    let size = bounds.max - bounds.min;
    let radius = 0.5 * size.dot(size).sqrt();
    let target = 0.5 * (bounds.min + bounds.max);
    let eye = target + 2.2 * radius * Vec3::new(0.48, 0.36, 0.8);
    let unit = |vector: Vec3| vector / vector.dot(vector).sqrt();
    let forward = unit(target - eye);
    let right = unit(forward.cross(Vec3::Y));
    let up = right.cross(forward);
    let triangles = &tree.blases[0].primitives;
    let machine = Reference::new(tree, TriangleRule::Watertight);
    let mut picture = format!("P6 {WIDTH} {HEIGHT} 255\n").into_bytes();
    for pixel in 0..WIDTH * HEIGHT {
        let (column, row) = ((pixel % WIDTH) as f32, (pixel / WIDTH) as f32);
        let x = (2.0 * column + 1.0 - WIDTH as f32) / HEIGHT as f32 * 0.5;
        let y = (HEIGHT as f32 - 2.0 * row - 1.0) / HEIGHT as f32 * 0.5;
        let direction = forward + right * x + up * y;
        let Some(hit) = machine.closest(&Ray::new(eye, direction)).unwrap() else {
            picture.extend([0; 3]);
            continue;
        };
        let is_hit = |id: &siliray::tree::PrimitiveId| {
            (id.geometry, id.primitive) == (hit.geometry, hit.primitive)
        };
        let number = triangles.ids.iter().position(is_hit).unwrap();
        let [a, b, c] = triangles.triangles[number].vertices;
        let normal = unit((b - a).cross(c - a));
        let facing = normal.dot(unit(direction));
        let light = 0.25 + 0.75 * facing.abs();
        let toward_us = if facing < 0.0 { normal } else { -normal };
        picture.extend(toward_us.to_array().map(|n| (light * (127.5 + 127.5 * n)) as u8));
    }
    picture
}

#[test]
fn programs_render_the_reference_machines_picture() {
    for (builtin, wide) in [(Builtin::Organic, false), (Builtin::Interior, true)] {
        let image = image(builtin, wide);
        let truth = expected(image.tree());
        for (name, program) in [("wavefront", WAVEFRONT), ("offload", OFFLOAD)] {
            let printed = printed(program, &image);
            assert_eq!(printed.len(), truth.len(), "{builtin:?} {name}");
            let header = truth.len() - 3 * WIDTH * HEIGHT;
            assert_eq!(printed[..header], truth[..header]);
            let pixels = printed[header..].chunks(3).zip(truth[header..].chunks(3));
            let wrong = pixels.enumerate().filter(|(_, (ours, theirs))| ours != theirs);
            assert_eq!(wrong.collect::<Vec<_>>(), [], "{builtin:?} {name}");
            let seen = truth[header..].chunks(3).filter(|pixel| **pixel != [0; 3]).count();
            assert!(seen > 2000, "{builtin:?}: {seen} pixels show something");
        }
    }
}
