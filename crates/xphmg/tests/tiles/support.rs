//! Trees to lay out.

use build::Options;
use machine::{Checked, Format, TreeFormat};
use scene::Scene;
use scene::builtin::Builtin;
use tree::Tree;
use xphmg::Tiles;

pub(crate) fn tree(scene: &Scene) -> Tree {
    Options::default().build(scene).unwrap()
}

pub(crate) fn organic() -> Tree {
    tree(&Builtin::Organic.scene(700))
}

/// An instanced scene.
pub(crate) fn forest() -> Tree {
    tree(&Builtin::Forest.scene(3000))
}

pub(crate) fn checked(tree: &Tree, format: &Tiles) -> Checked<Tiles> {
    let report = Tiles::check(format.encode(tree).unwrap());
    assert_eq!(report.findings, []);
    report.checked.unwrap()
}
