//! How many hits does hardware lose? Millions of rays aimed at shared edges, corners and box
//! planes.
//!
//! ```text
//! cargo run --release -p siliray --example gfx12_losses [RAYS [TRIANGLES [SEED]]]
//! ```
//!
//! For each scene, layout and machine, the rays that lost a hit; every layout has rays of its own,
//! and every ray is asked for its closest hit and for all its hits, by the watertight rule. With
//! the margin (G-36) the machines must lose nothing, and the exit status says so; without it, and
//! with RADV's loop as shipped on short stacks (G-35), the figures are what a driver loses. The
//! default, 150,000 rays for each of three scenes and six layouts, 2.7 million in all, takes some
//! minutes. The judge is the reference machine on the tree before it is laid out: formats keep
//! corners and ids, that machine equals brute force (`siliray conformance`), and it is faster.

#![allow(clippy::print_stdout)] // an example's output

use rayon::prelude::*;
use siliray::build::{Options as BuildOptions, Preset};
use siliray::conformance::aimed_rays;
use siliray::geometry::TriangleRule;
use siliray::gfx12::Gfx12;
use siliray::gfx12::bvh4x2::{self, Gfx12Bvh4x2, Options as Bvh4x2Options};
use siliray::gfx12::encode::{self, Options as EncodeOptions, Policy};
use siliray::gfx12::walk::{Dual, Gpurt, Options, Radv, RadvLiteral, Shipped, WalkError};
use siliray::machine::{Format, Hit, HitKind, Machine, Promise, RayQuery, Reference};
use siliray::scene::builtin::Builtin;
use siliray::tree::Tree;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

const RULE: TriangleRule = TriangleRule::Watertight;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let argument = |n: usize, default| arguments.get(n).copied().unwrap_or(default);
    let (rays, triangles, seed) = (argument(0, 150_000), argument(1, 20_000), argument(2, 1));
    println!(
        "{:<9} {:<14} {:<19} {:>7} {:>10} {:>9}",
        "scene", "layout", "machine", "entries", "rays", "lost"
    );
    let (mut broken_promises, mut distinct, mut total) = (0, 0, 0);
    for builtin in [Builtin::Interior, Builtin::Forest, Builtin::Organic] {
        let scene = builtin.scene(triangles);
        let tree = BuildOptions::preset(Preset::Balanced).build(&scene)?;
        for (number, layout) in LAYOUTS.iter().enumerate() {
            let subject = Subject::new(&tree, rays, (seed * LAYOUTS.len() + number) as u64);
            for (entries, machine) in layout.machines(&tree)? {
                let lost = subject.losses(&*machine);
                let (name, asked) = (machine.name(), subject.asked.len());
                total += asked;
                println!(
                    "{:<9} {:<14} {name:<19} {entries:>7} {asked:>10} {lost:>9}",
                    builtin.name(),
                    layout.name
                );
                if layout.margin && !Shipped::ALL.iter().any(|shipped| shipped.name() == name) {
                    broken_promises += lost;
                }
            }
            distinct += subject.asked.len();
        }
    }
    println!("{distinct} different rays, {total} in all");
    Ok(if broken_promises == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How trees are laid out.
struct Layout {
    name: &'static str,
    /// None for the format `gfx12-bvh4x2`.
    policy: Option<Policy>,
    margin: bool,
}

const LAYOUTS: [Layout; 6] = [
    Layout { name: "dense, margin", policy: Some(Policy::Dense), margin: true },
    Layout { name: "radv, margin", policy: Some(Policy::Radv), margin: true },
    Layout { name: "bvh4x2, margin", policy: None, margin: true },
    Layout { name: "radv", policy: Some(Policy::Radv), margin: false },
    Layout { name: "gpurt", policy: Some(Policy::Gpurt), margin: false },
    Layout { name: "bvh4x2", policy: None, margin: false },
];

type Machines = Vec<(u8, Box<dyn Machine>)>;

impl Layout {
    /// The machines that can walk the tree laid out, with the entries of their stacks.
    fn machines(&self, tree: &Tree) -> Result<Machines, Box<dyn Error>> {
        const UNSOUND: &str = "the image is unsound";
        let margin = self.margin;
        let sizes = [2, 16];
        let Some(policy) = self.policy else {
            let options = Bvh4x2Options { margin, ..Bvh4x2Options::default() };
            let image = Gfx12Bvh4x2::check(bvh4x2::encode::encode(tree, &options)?);
            let image = Arc::new(image.checked.ok_or(UNSOUND)?);
            let dual = |stack_size| -> Result<(u8, Box<dyn Machine>), WalkError> {
                let options = Options { stack_size, ..Options::dual(RULE) };
                Ok((stack_size, Box::new(Dual::new(Arc::clone(&image), options)?)))
            };
            return Ok(sizes.into_iter().map(dual).collect::<Result<_, _>>()?);
        };
        let options = EncodeOptions { margin, ..EncodeOptions::new(policy) };
        let image = Gfx12::check(encode::encode(tree, &options)?.image).checked.ok_or(UNSOUND)?;
        let image = Arc::new(image);
        let shared = || Arc::clone(&image);
        let mut machines = Machines::new();
        for stack_size in sizes {
            let [gpurt, radv] = [Options::gpurt(RULE), Options::radv(RULE)]
                .map(|options| Options { stack_size, ..options });
            machines.push((stack_size, Box::new(Gpurt::new(shared(), gpurt)?)));
            if policy == Policy::Radv {
                machines.push((stack_size, Box::new(Radv::new(shared(), radv)?)));
                for shipped in Shipped::ALL {
                    let literal = RadvLiteral::new(shipped, shared(), radv)?;
                    machines.push((stack_size, Box::new(literal)));
                }
            }
        }
        Ok(machines)
    }
}

/// Rays that the margin covers, with everything that they hit.
struct Subject {
    asked: Vec<(RayQuery, Vec<Hit>)>,
}

impl Subject {
    fn new(tree: &Tree, rays: usize, seed: u64) -> Self {
        let promise = Promise::new(&tree.bounds());
        let judge = Reference::new(tree, RULE);
        let asked = aimed_rays(tree, seed, rays)
            .into_par_iter()
            .filter(|query| promise.holds_for(&query.shape))
            .map(|query| {
                let query = RayQuery { kind: HitKind::All, ..query };
                (query, ask(&judge, &query))
            })
            .collect();
        Self { asked }
    }

    /// How many rays get another closest hit or other hits than they should.
    fn losses(&self, machine: &dyn Machine) -> usize {
        let is_wrong = |(query, truth): &&(RayQuery, Vec<Hit>)| {
            let closest = ask(machine, &RayQuery { kind: HitKind::Closest, ..*query });
            closest.first() != truth.first() || ask(machine, query) != *truth
        };
        self.asked.par_iter().filter(is_wrong).count()
    }
}

fn ask(machine: &dyn Machine, query: &RayQuery) -> Vec<Hit> {
    // An exhausted budget leaves no hits, which is wrong as well.
    machine.answer(&(*query).into()).map(|answer| answer.hits).unwrap_or_default()
}
