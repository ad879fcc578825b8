//! Encodes scenes with every policy and prints what it came to.
//!
//! `cargo run --release -p siliray-gfx12 --example density -- bunny.ply hairball`
#![allow(clippy::print_stdout)]

use gfx12::encode::{Options, Policy, encode};
use scene::builtin::Builtin;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    for name in std::env::args().skip(1) {
        let (name, size) = name.split_once(':').unwrap_or((&name, ""));
        let scene = match Builtin::from_name(name) {
            Some(builtin) => {
                builtin.scene(size.parse().unwrap_or_else(|_| builtin.default_triangles()))
            }
            None => scene::open(name)?,
        };
        let built =
            build::build(&scene, &build::Options::default(), &|_| ControlFlow::Continue(()))?;
        for policy in Policy::ALL {
            let start = Instant::now();
            let report = encode(&built.tree, &Options::new(policy))?.report;
            println!(
                "{name} {policy}: {:.2} bytes a triangle ({:.2} with tables), {:.2} triangles and {:.2} pairs a node, {} box nodes, {:.2} vertices and {:.1} vertex bits a triangle, SAH {:.3} -> {:.3} ({:+.1} %), {:.2} s",
                report.bytes_per_triangle(),
                report.bytes as f64 / report.triangles.max(1) as f64,
                report.triangles_per_node(),
                report.pairs_per_node(),
                report.box_nodes,
                report.vertices as f64 / report.stored_triangles.max(1) as f64,
                report.vertex_bits as f64 / report.stored_triangles.max(1) as f64,
                report.sah_given,
                report.sah_encoded,
                100.0 * (report.sah_encoded / report.sah_given - 1.0),
                start.elapsed().as_secs_f64(),
            );
        }
    }
    Ok(())
}
