//! What tests of kernels share: random numbers, small worlds, and the reference machine's answers.

#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use build::{Options as BuildOptions, Preset};
use geometry::{Ray, TriangleRule};
use gfx12::Gfx12;
use gfx12::encode::{Options as EncodeOptions, Policy};
use machine::{Checked, Format, HitKind, Machine, Query, RayFlags, Reference, TreeFormat};
use scene::Scene;
use scene::builtin::Builtin;
use std::ops::ControlFlow;
use std::sync::Arc;
use trace::{Hit, Kernel};
use tree::Tree;

pub(crate) fn world(
    builtin: Builtin,
    triangles: usize,
    preset: Preset,
) -> (Arc<Checked<Gfx12>>, Tree) {
    checked(&builtin.scene(triangles), preset)
}

/// A proved image, and the tree that it holds.
pub(crate) fn checked(scene: &Scene, preset: Preset) -> (Arc<Checked<Gfx12>>, Tree) {
    checked_with(scene, preset, false)
}

/// The same, with oriented nodes or without.
pub(crate) fn checked_with(
    scene: &Scene,
    preset: Preset,
    obb: bool,
) -> (Arc<Checked<Gfx12>>, Tree) {
    let options = BuildOptions { preset, leaf_test_width: 8, ..BuildOptions::default() };
    let keep_going = |_| ControlFlow::Continue(());
    let built = build::build(scene, &options, &keep_going).unwrap();
    let format = Gfx12 {
        options: EncodeOptions { keep_leaves: true, obb, ..EncodeOptions::new(Policy::Dense) },
    };
    let image = Arc::new(Gfx12::check(format.encode(&built.tree).unwrap()).checked.unwrap());
    let tree = image.tree().as_ref().clone();
    (image, tree)
}

pub(crate) fn expected(
    tree: &Tree,
    rule: TriangleRule,
    kind: HitKind,
    flags: RayFlags,
    rays: &[Ray],
) -> Vec<Vec<Hit>> {
    let reference = Reference::new(tree, rule);
    rays.iter()
        .map(|&ray| reference.answer(&Query { flags, ..Query::ray(kind, ray) }).unwrap().hits)
        .collect()
}

/// Hits as bits, so that -0.0 is not 0.0.
pub(crate) fn bits(hit: &Hit) -> [u32; 6] {
    [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.instance, hit.geometry, hit.primitive]
}

pub(crate) fn kernels() -> Vec<Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()).collect()
}
