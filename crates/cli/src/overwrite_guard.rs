//! The files that a command reads and writes, and the one place where a command is kept from
//! writing over what it reads, or twice over the same file.

use crate::args::Command;
use crate::commands::isbe::args::IsbeCommand;
use crate::failure::Failure;
use crate::output::is_stdout;
use siliray::scene::builtin::Builtin;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The files of a command.
#[derive(Default)]
struct Files<'a> {
    read: Vec<&'a Path>,
    /// Each with the option that names it.
    written: Vec<(&'static str, &'a Path)>,
}

/// Refuses a command that would write over a file that it reads, or to `-`.
pub(crate) fn check(command: &Command) -> Result<(), Failure> {
    let Files { read, written } = Files::of(command);
    let takes_pipes = matches!(command, Command::Trace(_) | Command::Rays(_));
    for (number, &(option, file)) in written.iter().enumerate() {
        if is_stdout(file) && takes_pipes {
            continue;
        }
        if is_stdout(file) {
            let message = format!("{option} -: nothing is written to standard output this way");
            return Err(Failure::usage(message).hint("name a file; ./- is a file of that name"));
        }
        let Some(place) = place_of(file) else { continue };
        if read.iter().any(|file| place_of(file).as_ref() == Some(&place)) {
            let file = file.display();
            let message =
                format!("{option} {file}: the command reads this file, and would replace it");
            return Err(Failure::usage(message).hint("name another file"));
        }
        let same = |(_, other): &&(_, &Path)| place_of(other).as_ref() == Some(&place);
        if let Some((other, _)) = written[..number].iter().find(same) {
            let message = format!("{other} and {option} name the same file, {}", file.display());
            return Err(Failure::usage(message).hint("name another file"));
        }
    }
    Ok(())
}

impl<'a> Files<'a> {
    fn of(command: &'a Command) -> Self {
        let mut files = Self::default();
        match command {
            Command::Build(args) => {
                files.scene(&args.scene).output(args.image.output.as_deref());
            }
            Command::Refit(args) => {
                files.scene(&args.scene).output(Some(&args.output));
                files.read.push(&args.file);
            }
            Command::Convert(args) => {
                files.scene(&args.scene).output(Some(&args.output));
            }
            Command::Render(args) => {
                files.scene(&args.scene).output(Some(&args.output));
            }
            Command::View(args) => {
                args.scene.iter().for_each(|scene| {
                    files.scene(scene);
                });
                files.writes("--export", args.export.as_deref());
            }
            Command::Trace(args) => {
                files.scene(&args.scene).reads(&args.rays).output(Some(&args.output.file));
            }
            Command::Rays(args) => {
                files.scene(&args.scene).output(Some(&args.output.file));
            }
            Command::Sim(args) => {
                files.reads(Path::new(&args.config));
                args.scene.iter().for_each(|scene| {
                    files.scene(scene);
                });
                files
                    .writes("--csv", args.csv.as_deref())
                    .writes("--trace", args.trace.as_deref())
                    .writes("--report", args.report.as_deref())
                    .writes("--resume", args.resume.as_deref());
            }
            Command::Compare(args) => {
                args.scenes.iter().for_each(|scene| {
                    files.scene(scene);
                });
                files
                    .writes("--csv", args.csv.as_deref())
                    .writes("--html", args.html.as_deref())
                    .writes("--resume", args.resume.as_deref());
            }
            Command::Run(args) => {
                files.reads(&args.program);
                args.loads.iter().for_each(|load| {
                    files.reads(load.file());
                });
                files
                    .writes("--log", args.log.as_deref())
                    .writes("--trace", args.trace.as_deref())
                    .writes("--signature", args.signature.as_deref());
                args.dumps.iter().for_each(|dump| {
                    files.writes("--dump", Some(dump.file()));
                });
            }
            Command::Isbe(args) => match &args.command {
                IsbeCommand::Asm(args) => {
                    args.source.program.file.iter().for_each(|file| {
                        files.reads(file);
                    });
                    files.output(args.output.as_deref());
                }
                IsbeCommand::Run(args) => {
                    args.program.file.iter().chain(&args.input).for_each(|file| {
                        files.reads(file);
                    });
                    files.output(args.output.as_deref());
                }
                IsbeCommand::Mesh(args) => {
                    files.reads(&args.dump.file).output(Some(&args.output));
                    args.inverse_view_projection.iter().for_each(|file| {
                        files.reads(file);
                    });
                }
                IsbeCommand::Capture(args) => {
                    files.scene(&args.scene).output(Some(&args.output));
                }
                IsbeCommand::Info(_)
                | IsbeCommand::Check(_)
                | IsbeCommand::Inspect(_)
                | IsbeCommand::Layout(_)
                | IsbeCommand::Attributes
                | IsbeCommand::Disasm(_) => (),
            },
            Command::Asm(args) => {
                args.program.file.iter().for_each(|file| {
                    files.reads(file);
                });
                files.output(args.output.as_deref());
            }
            // The demo writes pictures and a page, and reads none.
            Command::Demo(_)
            | Command::Info(_)
            | Command::Walk(_)
            | Command::Beam(_)
            | Command::Clearance(_)
            | Command::Bench(_)
            | Command::Conformance(_)
            | Command::Check(_)
            | Command::Inspect(_)
            | Command::Intersect(_)
            | Command::Diff(_)
            | Command::Stats(_)
            | Command::Vectors(_)
            | Command::Disasm(_)
            | Command::Completions(_)
            | Command::Man(_) => (),
        }
        files
    }

    fn scene(&mut self, name: &'a OsStr) -> &mut Self {
        let is_builtin = name.to_str().and_then(Builtin::from_name).is_some();
        if is_builtin { self } else { self.reads(Path::new(name)) }
    }

    fn reads(&mut self, file: &'a Path) -> &mut Self {
        self.read.push(file);
        self
    }

    fn output(&mut self, file: Option<&'a Path>) -> &mut Self {
        self.writes("-o", file)
    }

    fn writes(&mut self, option: &'static str, file: Option<&'a Path>) -> &mut Self {
        self.written.extend(file.map(|file| (option, file)));
        self
    }
}

/// Where a name leads, through links and folders, whether a file is there yet or not; `None` for
/// what writing does not replace, such as a device.
fn place_of(name: &Path) -> Option<PathBuf> {
    match name.canonicalize() {
        Ok(place) => place.is_file().then_some(place),
        Err(_) => {
            let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(name.file_name()?))
        }
    }
}
