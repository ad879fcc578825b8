//! One file for each command, and what several of them do.

mod beam;
mod beam_box;
mod bench;
mod build;
mod check;
mod clearance;
mod compare;
mod completions;
mod conformance;
mod conformance_images;
pub(crate) mod convert;
mod demo;
mod diff;
pub(crate) mod hart;
mod info;
mod inspect;
mod intersect;
pub(crate) mod isbe;
mod rays;
mod refit;
mod render;
mod sim;
mod stats;
mod trace;
mod vectors;
mod view;
mod walk;

use crate::args::{Cli, Command, Demo};
use crate::commands::isbe::args::IsbeCommand;
use crate::failure::Failure;
use crate::image_args::ImageChoice;
use crate::machine_args::no_route;
use crate::output::number::counted;
use crate::output::{self, Output};
use crate::overwrite_guard;
use crate::shared_args::CameraChoice;
use crate::values::View;
use siliray::build::{Built, Options};
use siliray::cameras::{self, Seen};
use siliray::input::{Input, InputError, Origin, Prepared, Reading, Route, Source, StoredImage};
use siliray::machine::{FormatEntry, ImageFile, ReadError};
use siliray::scene::builtin::Builtin;
use siliray::scene::{Camera, Scene, SceneError};
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The rule that a file breaks if it is nothing like an `.rra` file.
const NO_CONTAINER: &str = "container_magic";

/// How images come to be.
const BUILD: &str = "`siliray build SCENE --format FORMAT -o FILE`";

/// What a file may be that breaks that rule.
fn no_container_hint(path: &Path) -> String {
    let is_empty = std::fs::metadata(path).is_ok_and(|file| file.len() == 0);
    if is_empty {
        return format!("the file is empty; {BUILD} writes an image");
    }
    let is_scene = siliray::scene::read_file(path)
        .is_ok_and(|bytes| siliray::scene::is_scene(&path.to_string_lossy(), &bytes));
    if is_scene {
        let path = path.display();
        return format!(
            "it is a scene; `siliray build {path} --format FORMAT -o FILE` makes an image"
        );
    }
    format!(
        "raw memory needs --raw, --base and --root, and --raw-format where it is not gfx12's; \
         {BUILD} writes an image"
    )
}

/// Runs the command that the user asked for.
pub(crate) fn run(cli: Cli, output: &Output) -> Result<(), Failure> {
    let triangles = cli.global.triangles;
    if let Some(reason) = cli.command.as_ref().and_then(triangles_unsupported)
        && triangles.is_some()
    {
        return Err(Failure::usage(format!("--triangles has no effect here: {reason}")));
    }
    cli.command.as_ref().map_or(Ok(()), overwrite_guard::check)?;
    match cli.command {
        None => demo::run(&Demo::default(), triangles, output),
        Some(Command::Demo(args)) => demo::run(&args, triangles, output),
        Some(Command::Info(args)) => info::run(&args, triangles, output),
        Some(Command::Convert(args)) => convert::run(&args, triangles, output),
        Some(Command::Build(args)) => build::run(&args, triangles, output),
        Some(Command::Render(args)) => render::run(&args, triangles, output),
        Some(Command::Sim(args)) => sim::run(&args, triangles, output),
        Some(Command::Compare(args)) => compare::run(&args, triangles, output),
        Some(Command::Trace(args)) => trace::run(&args, triangles, output),
        Some(Command::Rays(args)) => rays::run(&args, triangles, output),
        Some(Command::Walk(args)) => walk::run(&args, triangles, output),
        Some(Command::View(args)) => view::run(&args, triangles, output),
        Some(Command::Beam(args)) => beam::run(&args, triangles, output),
        Some(Command::Clearance(args)) => clearance::run(&args, triangles, output),
        Some(Command::Bench(args)) => bench::run(&args, &cli.global, output),
        Some(Command::Conformance(args)) => conformance::run(&args, output),
        Some(Command::Check(args)) => check::run(&args, triangles, output),
        Some(Command::Inspect(args)) => inspect::run(&args, output),
        Some(Command::Intersect(args)) => intersect::run(&args, output),
        Some(Command::Diff(args)) => diff::run(&args, output),
        Some(Command::Stats(args)) => stats::run(&args, output),
        Some(Command::Refit(args)) => refit::run(&args, triangles, output),
        Some(Command::Vectors(args)) => vectors::run(&args, output),
        Some(Command::Isbe(args)) => isbe::run(&args, triangles, output),
        Some(Command::Run(args)) => hart::run::run(&args, output),
        Some(Command::Asm(args)) => hart::asm::run(&args, output),
        Some(Command::Disasm(args)) => hart::disasm::run(&args, output),
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Man(args)) => completions::man(&args),
    }
}

/// Why a command has no use for a number of triangles.
fn triangles_unsupported(command: &Command) -> Option<&'static str> {
    match command {
        Command::Demo(_)
        | Command::Info(_)
        | Command::Build(_)
        | Command::Render(_)
        | Command::Sim(_)
        | Command::Compare(_)
        | Command::Trace(_)
        | Command::Rays(_)
        | Command::Convert(_)
        | Command::Walk(_)
        | Command::View(_)
        | Command::Beam(_)
        | Command::Clearance(_)
        | Command::Bench(_)
        | Command::Check(_)
        | Command::Refit(_) => None,
        Command::Isbe(args) if matches!(args.command, IsbeCommand::Capture(_)) => None,
        Command::Conformance(_) => Some("conformance has scenes of its own"),
        Command::Inspect(_)
        | Command::Intersect(_)
        | Command::Diff(_)
        | Command::Stats(_)
        | Command::Vectors(_)
        | Command::Isbe(_)
        | Command::Run(_)
        | Command::Asm(_)
        | Command::Disasm(_)
        | Command::Completions(_)
        | Command::Man(_) => Some("this command makes no built-in scene"),
    }
}

/// The scene that `name` stands for: of an image, the geometry that it stores.
fn open(name: &OsStr, triangles: Option<usize>) -> Result<Scene, Failure> {
    open_input(name, triangles)?.into_scene().map_err(Failure::input)
}

/// The same, of which a tree is built to be walked: of an image that is said.
fn open_to_build(name: &OsStr, triangles: Option<usize>) -> Result<Scene, Failure> {
    let input = open_input(name, triangles)?;
    if input.as_scene().is_none() {
        let name = Path::new(name).display();
        output::warn(format!("{name}: rebuilt: {} is walked", Origin::Rebuilt));
    }
    input.into_scene().map_err(Failure::input)
}

/// What `name` stands for.
fn open_input(name: &OsStr, triangles: Option<usize>) -> Result<Input, Failure> {
    open_reading(name, triangles, &Reading::default())
}

/// The same, with what is said of an image in the file.
fn open_input_as(
    name: &OsStr,
    triangles: Option<usize>,
    choice: &ImageChoice,
) -> Result<Input, Failure> {
    let input = open_reading(name, triangles, &choice.reading(None)?)?;
    match (&input, choice.asked()) {
        (Input::Scene(_), Some(option)) => {
            let name = Path::new(name).display();
            Err(Failure::usage(format!("{name}: a scene, so {option} has no effect")))
        }
        (Input::Image(image), Some("--structure")) if image.structures.is_empty() => {
            Err(no_structures(Path::new(name), image.format))
        }
        _ => Ok(input),
    }
}

fn open_reading(
    name: &OsStr,
    triangles: Option<usize>,
    reading: &Reading,
) -> Result<Input, Failure> {
    let source = Source::new(name, triangles).map_err(Failure::usage)?;
    let input = source.open_as(reading).map_err(|error| {
        let failure = Failure::input(&error);
        match (&source, error) {
            (_, InputError::Broken { error, .. })
                if matches!(*error, ReadError::NoStructure { .. }) =>
            {
                Failure::usage(format!("{}: {error}", Path::new(name).display()))
            }
            (Source::File(path), InputError::Unsound { .. }) => {
                failure.hint(format!("try `siliray check {}`", path.display()))
            }
            (Source::File(path), InputError::Scene(SceneError::Unreadable { .. }))
                if path.extension().is_none() =>
            {
                failure.hint(format!(
                    "built-in scenes are {}",
                    Builtin::ALL.map(Builtin::name).join(", ")
                ))
            }
            _ => failure,
        }
    })?;
    if let Input::Scene(scene) = &input {
        scene.warnings.iter().for_each(output::warn);
    }
    Ok(input)
}

/// An error about a scene that could be read, behind its name.
fn about<E: Display>(scene: &OsStr) -> impl Fn(E) -> Failure {
    move |error| Failure::input(format!("{}: {error}", Path::new(scene).display()))
}

/// What `route` leads to, with a progress bar.
fn prepare_silently(
    route: &Route,
    input: &Input,
    scene: &OsStr,
    output: &Output,
) -> Result<Prepared, Failure> {
    let bar = output.bar("building");
    let prepared = route.prepare(input, &|progress| bar.update(progress));
    drop(bar);
    prepared.map_err(no_route(scene))
}

/// The same; whoever walks the boxes of an image is told what its check warns about.
fn prepare(
    route: &Route,
    input: &Input,
    scene: &OsStr,
    output: &Output,
) -> Result<Prepared, Failure> {
    let prepared = prepare_silently(route, input, scene, output)?;
    warn_if_stored(scene, input, &prepared);
    Ok(prepared)
}

/// Tells that hits may be lost where the boxes of an image are walked; says how many warnings its
/// check then has.
fn warn_if_stored(name: &OsStr, input: &Input, prepared: &Prepared) -> u32 {
    match input {
        Input::Image(image) if prepared.keeps_boxes() => {
            warn_of_losses(name, image);
            image.warnings()
        }
        _ => 0,
    }
}

/// Tells that hits may be lost in an image.
fn warn_of_losses(name: &OsStr, image: &StoredImage) {
    let warnings = image.warnings();
    if warnings > 0 {
        let (name, of) = (Path::new(name).display(), counted(warnings, "warning"));
        output::warn(format!("{name}: {of}, so hits may be lost; see `siliray check {name}`"));
    }
}

/// What there is to see of an input.
fn seen<'a>(input: &'a Input, prepared: &'a Prepared) -> Seen<'a> {
    input.as_scene().map_or_else(|| Seen::Tree(prepared.tree()), Seen::Scene)
}

/// The view that was chosen, or that of what is seen.
fn chosen_view(
    choice: &CameraChoice,
    name: &OsStr,
    seen: Seen<'_>,
    aspect: f32,
) -> Result<Camera, Failure> {
    let wanted = match &choice.camera {
        None => return view_of(name, seen, aspect),
        Some(View::Camera(camera)) => return Ok(*camera),
        Some(View::Named(wanted)) => wanted,
    };
    let cameras = match seen {
        Seen::Scene(scene) => &scene.cameras[..],
        Seen::Tree(_) => &[],
    };
    let camera = cameras.iter().find(|camera| camera.name == *wanted);
    camera.map(|named| named.camera).ok_or_else(|| {
        let names = cameras.iter().map(|camera| &camera.name).filter(|name| !name.is_empty());
        let names = names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "none".to_owned() } else { names };
        let scene = Path::new(name).display();
        Failure::usage(format!("{scene}: no camera is called {wanted:?}; named cameras: {names}"))
    })
}

/// The view of a scene: its own, that of a file `cameras.json` beside it, or one that fits it into
/// a picture `aspect` times as wide as it is high.
fn view_of(name: &OsStr, seen: Seen<'_>, aspect: f32) -> Result<Camera, Failure> {
    let source = Source::new(name, None).map_err(Failure::usage)?;
    cameras::choose(&source, seen, aspect).map_err(Failure::input)
}

/// The tree of `scene`, with a progress bar.
fn build_tree(scene: &Scene, options: &Options, output: &Output) -> Result<Built, Failure> {
    let bar = output.bar("building");
    siliray::build::build(scene, options, &|progress| bar.update(progress)).map_err(Failure::input)
}

/// The files of a folder and of those in it. Links are followed to files, not to folders, which may
/// lead back.
fn files_in(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error| Failure::input(format!("{}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            files_in(&entry.path(), files)?;
        } else if entry.path().is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// A file with an image, whatever its format.
struct OpenImage {
    format: &'static FormatEntry,
    file: ImageFile,
}

/// The image that a file holds, unchecked, for a command about one node or about all.
fn open_image(path: &Path, choice: &ImageChoice, node: Option<u64>) -> Result<OpenImage, Failure> {
    let (format, file) = read_image(path, choice, node)?;
    let file = file.map_err(|error| no_image(path, &error))?;
    Ok(OpenImage { format, file })
}

/// The format of a file, and its image unless it is broken.
fn read_image(
    path: &Path,
    choice: &ImageChoice,
    node: Option<u64>,
) -> Result<(&'static FormatEntry, Result<ImageFile, ReadError>), Failure> {
    let bytes = siliray::scene::read_file(path).map_err(Failure::input)?;
    let (format, file) = choice.reading(node)?.image_file(path, &bytes);
    if choice.structure.is_some() && file.as_ref().is_ok_and(|file| file.structures.is_empty()) {
        return Err(no_structures(path, format));
    }
    Ok((format, file))
}

/// There is nothing for `--structure` to choose from.
fn no_structures(path: &Path, format: &FormatEntry) -> Failure {
    let (path, name) = (path.display(), format.name);
    let message = format!("{path}: a file of the format {name} has no structures to start in");
    Failure::usage(message).hint("leave --structure out")
}

/// Why a file holds no image.
fn no_image(path: &Path, error: &ReadError) -> Failure {
    let message = format!("{}: {error}", path.display());
    match error {
        ReadError::NoStructure { .. } => Failure::usage(message),
        ReadError::Broken(finding) if finding.rule == NO_CONTAINER => {
            Failure::input(message).hint(no_container_hint(path))
        }
        ReadError::Broken(_) => Failure::input(message),
    }
}
