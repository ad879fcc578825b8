//! siliray's trees and those of Embree's medium builder, by their surface-area cost: binary, a box
//! and a triangle cost 1 each, leaves of at most 8.
//!
//!     cargo run --release -p siliray-peers --example embree_sah -- bunny.ply sponza.ply
#![allow(clippy::print_stdout)] // a program that prints a table

use build::{Options, Preset, build, unwatched};
use peers::{embree::binary, flat::Flat};

/// Most triangles of a leaf.
const MAX_LEAF: u32 = 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<16} {:>10} {:>14} {:>10} {:>14}", "scene", "Embree", "", "balanced", "");
    for path in std::env::args().skip(1) {
        let scene = scene::open(&path)?;
        let embree = binary::medium(&Flat::new(&scene).triangles, MAX_LEAF)?;
        let options = Options { max_leaf: MAX_LEAF as usize, ..Options::preset(Preset::Balanced) };
        let ours = build(&scene, &options, &unwatched)?;
        println!(
            "{:<16} {:>10.3} {:>12.3} s {:>10.3} {:>12.3} s",
            scene.name, embree.sah_cost, embree.seconds, ours.report.sah_cost, ours.report.seconds
        );
    }
    Ok(())
}
