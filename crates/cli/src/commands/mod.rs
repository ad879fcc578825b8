//! One file for each command, and what several of them do.

mod build;
mod completions;
mod conformance;
mod demo;
mod info;
mod render;

use crate::args::{Cli, Command, Demo, TreeShape};
use crate::failure::Failure;
use crate::output::Output;
use siliray::build::{Built, Options, Preset};
use siliray::open::Source;
use siliray::scene::builtin::Builtin;
use siliray::scene::{Scene, SceneError};
use std::ffi::OsStr;

/// Runs the command that the user asked for.
pub(crate) fn run(cli: Cli, output: &Output) -> Result<(), Failure> {
    let triangles = cli.global.triangles;
    match cli.command {
        None => demo::run(&Demo::default(), triangles, output),
        Some(Command::Demo(args)) => demo::run(&args, triangles, output),
        Some(Command::Info(args)) => info::run(&args, triangles, output),
        Some(Command::Build(args)) => build::run(&args, triangles, output),
        Some(Command::Render(args)) => render::run(&args, triangles, output),
        Some(Command::Conformance(args)) => conformance::run(&args, output),
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Man(args)) => completions::man(&args),
    }
}

/// The scene that `name` stands for.
fn open(name: &OsStr, triangles: Option<usize>) -> Result<Scene, Failure> {
    let source = Source::new(name, triangles).map_err(Failure::usage)?;
    source.open().map_err(|error| {
        let failure = Failure::input(&error);
        match (&source, error) {
            (Source::File(path), SceneError::Unreadable { .. }) if path.extension().is_none() => {
                failure.hint(format!(
                    "built-in scenes are {}",
                    Builtin::ALL.map(Builtin::name).join(", ")
                ))
            }
            _ => failure,
        }
    })
}

/// The tree of `scene`, with a progress bar.
fn build_tree(
    scene: &Scene,
    preset: Preset,
    shape: TreeShape,
    output: &Output,
) -> Result<Built, Failure> {
    let options =
        Options { width: shape.width, max_leaf: shape.max_leaf, ..Options::preset(preset) };
    let bar = output.bar("building");
    siliray::build::build(scene, &options, &|progress| bar.update(progress)).map_err(Failure::input)
}
