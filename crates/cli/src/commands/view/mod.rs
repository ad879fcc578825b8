//! `siliray view`: the tree, the ray and the bytes in a browser.
//!
//! | file | concept |
//! |---|---|
//! | this one | what is shown, and where |
//! | `files` | the files of the page |
//! | `server` | the page and one file on loopback |
//! | `export` | both as one HTML file |

mod export;
mod files;
mod server;

use super::open_input;
use crate::args::View;
use crate::failure::Failure;
use crate::output::number::grouped;
use crate::output::{AtomicFile, Output, print};
use files::PageFiles;
use serde_json::json;
use server::Server;
use siliray::input::{Input, encode_checked, format_of, format_options};
use siliray::machine::Settings;
use siliray::machine::file::write_container;
use siliray::registry::registry;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Serves the page until Ctrl-C, or writes it down.
pub(crate) fn run(args: &View, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let page = PageFiles::find()?;
    let exported = args.export.as_deref().map(AtomicFile::create).transpose()?;
    let shown = args.scene.as_deref().map(|name| shown(args, name, triangles, output));
    let shown = shown.transpose()?;
    if let Some(file) = exported {
        let Some((name, bytes)) = &shown else {
            return Err(Failure::usage("--export writes the page of a file: name one"));
        };
        let html = export::one_page(&page, name, bytes)?;
        file.write(html.as_bytes())?;
        let path = args.export.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let json = json!({"output": path, "file": name, "bytes": html.len()});
        let text = format!("{path}: {} bytes, {name} inside\n", grouped(html.len() as u64));
        return output.result(&json, &text);
    }
    let cannot = |error: std::io::Error| Failure::input(format!("cannot serve: {error}"));
    let server = Server::bind(args.port, page, shown).map_err(cannot)?;
    let address = server.address();
    if output.is_json() {
        print(&format!("{}\n", json!({"address": address})))?;
    } else {
        print(&format!("{address}\nthe page is there until Ctrl-C\n"))?;
    }
    if args.open {
        open_browser(&address);
    }
    server.run().map_err(cannot)
}

/// The name and the bytes of an image: the file as it is, or what a scene becomes.
fn shown(
    args: &View,
    name: &OsStr,
    triangles: Option<usize>,
    output: &Output,
) -> Result<(String, Vec<u8>), Failure> {
    let path = Path::new(name);
    if args.image.asked().is_some() {
        return chosen(args, path);
    }
    if path.is_file() {
        let bytes = siliray::scene::read_file(path).map_err(Failure::input)?;
        if format_of(path, &bytes).is_some() || is_program(path, &bytes) {
            refuse_encoding(args, path)?;
            let name = path.file_name().unwrap_or(name).to_string_lossy().into_owned();
            return Ok((name, bytes));
        }
    }
    let opened = open_input(name, triangles);
    let scene = match opened.map_err(|failure| failure.or_hint(kinds_shown))? {
        Input::Scene(scene) => scene,
        input @ Input::Image(_) => input.into_scene().map_err(Failure::input)?,
    };
    let usual = || registry().format("gfx12").unwrap_or(registry().formats()[0]);
    let (format, settings) = (args.format.unwrap_or_else(usual), Settings::default());
    let Some(trees) = &format.trees else {
        return Err(Failure::usage(format!("the format {} holds no trees", format.name)));
    };
    let options = format_options(format, &settings, args.preset.preset().unwrap_or_default());
    let tree = super::build_tree(&scene, &options, output)?.tree;
    let image = encode_checked(&tree, format, &settings).map_err(super::about(name))?;
    let bytes = (trees.write)(image.image(), None).map_err(super::about(name))?;
    Ok((format!("{}.{}", scene.name, format.ending), bytes))
}

/// An image that options say how to read, as a file that says it itself.
fn chosen(args: &View, path: &Path) -> Result<(String, Vec<u8>), Failure> {
    refuse_encoding(args, path)?;
    let image = super::open_image(path, &args.image, None)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok((name, write_container(&image.file.image)))
}

/// Refuses options about encoding where an image is shown.
fn refuse_encoding(args: &View, path: &Path) -> Result<(), Failure> {
    match args.preset.asked().or(args.format.map(|_| "--format")) {
        None => Ok(()),
        Some(option) => {
            let message = format!("{} is shown as it is: {option} has no effect", path.display());
            Err(Failure::usage(message))
        }
    }
}

/// What the page can show.
fn kinds_shown() -> String {
    let formats = registry().formats().iter();
    let formats: Vec<String> = formats.map(|f| format!("{} (.{})", f.name, f.ending)).collect();
    format!(
        "the page shows images and dumps in the formats {}, programs (ELF or .s), scenes (OBJ, \
         PLY, STL, glTF, .scene.toml), and built-in scenes",
        formats.join(", ")
    )
}

/// Whether the page steps through it: an ELF file, or text for the assembler.
fn is_program(path: &Path, bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") || path.extension().is_some_and(|ending| ending == "s")
}

/// Asks the desktop to show an address; where there is none, the printed address will do.
fn open_browser(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    let quiet = command.arg(address).stdin(Stdio::null()).stdout(Stdio::null());
    let _ = quiet.stderr(Stdio::null()).spawn();
}
