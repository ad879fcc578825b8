//! How many box nodes a second one core tests: `cargo run --release -p siliray-gfx10 --example
//! speed`.
#![allow(clippy::print_stdout, reason = "an example that reports")]

use bvh4::layout::SortHeuristic;
use geometry::random::Random;
use gfx10::Generation;
use gfx10::instruction::{Memory, Operands, image_bvh64_intersect_ray};
use gfx10::layout::Resource;
use gfx10::layout::halves;
use std::hint::black_box;
use std::time::Instant;

/// Guest memory from address 0 on.
struct Guest<'a>(&'a [u8]);

impl Memory for Guest<'_> {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.0.get(usize::try_from(address).ok()?..)?.get(..len)
    }
}

const NODES: u64 = 512;
const ROUNDS: u64 = 20_000;

/// Nodes of a kind, with boxes about the origin that rays through it often meet.
struct Nodes {
    name: &'static str,
    /// The type of their pointers.
    node_type: u64,
    /// Units of 64 bytes that each has.
    units: u64,
    bytes: Vec<u8>,
}

fn main() {
    for nodes in [nodes(false), nodes(true)] {
        for generation in Generation::ALL {
            measure(generation, &nodes);
        }
    }
}

fn nodes(half: bool) -> Nodes {
    let random = &mut Random(7);
    let mut bytes = Vec::new();
    for node in 0..NODES as u32 {
        for child in 1..=4 {
            bytes.extend(((16 * (4 * node + child)) | 5).to_le_bytes());
        }
        for _ in 0..4 {
            let min: [f32; 3] = std::array::from_fn(|_| random.range(-6.0, 2.0));
            let max = min.map(|low| low + random.range(2.0, 8.0));
            for plane in min.into_iter().chain(max) {
                match half {
                    true => bytes.extend(halves::round_down(plane).to_le_bytes()),
                    false => bytes.extend(plane.to_le_bytes()),
                }
            }
        }
        if !half {
            bytes.extend([0; 16]);
        }
    }
    match half {
        true => Nodes { name: "fp16", node_type: 4, units: 1, bytes },
        false => Nodes { name: "fp32", node_type: 5, units: 2, bytes },
    }
}

fn measure(generation: Generation, nodes: &Nodes) {
    let memory = Guest(&nodes.bytes);
    let resource = Resource::radv(generation, SortHeuristic::Closest);
    let start = Instant::now();
    let mut hits = 0u64;
    for round in 0..ROUNDS {
        let slope = (round % 97) as f32 / 97.0;
        // The caller forms the inverse direction once for a ray, as a shader does.
        let ray = Operands::of_ray(0, 100.0, [-20.0, slope, -slope], [1.0, 0.1 * slope, 0.05]);
        for node in 0..NODES {
            let operands = Operands { node: (nodes.units * node) << 3 | nodes.node_type, ..ray };
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
    let share = hits as f64 / (NODES * ROUNDS) as f64;
    let (generation, name) = (generation.name(), nodes.name);
    println!(
        "{generation}: {millions:.1} million {name} box nodes a second, {share:.2} children hit a \
         node"
    );
}
