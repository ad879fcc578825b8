//! How many box nodes a second one core tests: `cargo run --release -p siliray-gfx10 --example
//! speed`.
#![allow(clippy::print_stdout, reason = "an example that reports")]

use bvh4::layout::SortHeuristic;
use geometry::random::Random;
use gfx10::Generation;
use gfx10::instruction::{Memory, Operands, image_bvh64_intersect_ray};
use gfx10::layout::Resource;
use std::hint::black_box;
use std::time::Instant;

/// Guest memory from address 0 on.
struct Guest<'a>(&'a [u8]);

impl Memory for Guest<'_> {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.0.get(usize::try_from(address).ok()?..)?.get(..len)
    }
}

fn main() {
    const NODES: u64 = 512;
    const ROUNDS: u64 = 20_000;
    let random = &mut Random(7);
    let mut bytes = Vec::new();
    for node in 0..NODES as u32 {
        for child in 1..=4 {
            bytes.extend(((16 * (4 * node + child)) | 5).to_le_bytes());
        }
        for _ in 0..4 {
            let min: [f32; 3] = std::array::from_fn(|_| random.range(-9.0, 8.0));
            let max = min.map(|low| low + random.range(0.5, 6.0));
            for plane in min.into_iter().chain(max) {
                bytes.extend(plane.to_le_bytes());
            }
        }
        bytes.extend([0; 16]);
    }
    let memory = Guest(&bytes);
    for generation in Generation::ALL {
        let resource = Resource::radv(generation, SortHeuristic::Closest);
        let start = Instant::now();
        let mut hits = 0u64;
        for round in 0..ROUNDS {
            let slope = (round % 97) as f32 / 97.0;
            let origin = [-20.0, slope, -slope];
            for node in 0..NODES {
                let pointer = node << 4 | 5;
                let operands = Operands::of_ray(pointer, 100.0, origin, [1.0, slope, 0.5]);
                let words = image_bvh64_intersect_ray(
                    black_box(&memory),
                    generation,
                    &resource,
                    black_box(&operands),
                );
                hits += words.iter().filter(|&&word| word != u32::MAX).count() as u64;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let millions = (NODES * ROUNDS) as f64 / seconds / 1e6;
        let (name, share) = (generation.name(), hits as f64 / (NODES * ROUNDS) as f64);
        println!(
            "{name}: {millions:.1} million box nodes a second, {share:.2} children hit a node"
        );
    }
}
