//! Encodes scenes with every policy and prints what it came to.
//!
//! `cargo run --release -p siliray-gfx12 --example density -- bunny.ply hairball`
#![allow(clippy::print_stdout)]

use gfx12::encode::{Options, Policy, encode};
use scene::builtin::Builtin;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;
use tree::Tree;

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
            show(name, &built.tree, &Options::new(policy))?;
        }
        show(name, &built.tree, &Options { obb: true, ..Options::default() })?;
    }
    Ok(())
}

fn show(name: &str, tree: &Tree, options: &Options) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let report = encode(tree, options)?.report;
    let seconds = start.elapsed().as_secs_f64();
    let stored = report.stored_triangles.max(1) as f64;
    println!(
        "{name} {}{}: {:.2} bytes a triangle ({:.2} with tables), {:.2} triangles and {:.2} pairs \
         a node, {} box nodes, {:.2} vertices and {:.1} vertex bits a triangle, SAH {:.3} -> {:.3} \
         ({:+.1} %), {seconds:.2} s",
        options.policy,
        if options.obb { " oriented" } else { "" },
        report.bytes_per_triangle(),
        report.bytes as f64 / report.triangles.max(1) as f64,
        report.triangles_per_node(),
        report.pairs_per_node(),
        report.box_nodes,
        report.vertices as f64 / stored,
        report.vertex_bits as f64 / stored,
        report.sah_given,
        report.sah_encoded,
        100.0 * (report.sah_encoded / report.sah_given - 1.0),
    );
    if options.obb {
        println!(
            "    {} oriented nodes, SAH {:.3} ({:+.1} %)",
            report.oriented_nodes,
            report.sah_oriented,
            100.0 * (report.sah_oriented / report.sah_encoded - 1.0)
        );
    }
    Ok(())
}
