//! The sessions of the book, to the letter: each page in an empty folder, in a shell, as its
//! reader.
//!
//! A block of the language `console` is a session. A line that begins with `$ ` is a command; lines
//! that begin with `> `, or come after a `\`, belong to it. What follows is what it prints, on
//! standard error too. `…` on a line of its own stands for any lines, within a line for anything.
//! A command that fails shows its error, or is followed by `echo $?`. A block whose language is
//! followed by `file=NAME` is that file. A page that needs a tool says so: `<!-- needs: TOOL -->`;
//! without the tool it is skipped. `$SILIRAY` is the checkout.
//!
//! `TRYCMD=overwrite cargo test -p siliray-cli book` records what is printed now.

use crate::support::{Folder, Said};
use snapbox::data::DataFormat;
use snapbox::filter::NormalizeToExpected;
use snapbox::{Assert, Data, IntoData};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Most characters of a line in a document.
const WIDTH: usize = 100;

/// Parts what the shell prints: after a command stands its status between two of these.
const SEPARATOR: char = '\u{1e}';

#[test]
fn sessions() {
    let folders = [checkout().join("docs"), checkout().join("docs/tutorials")];
    let files = folders.into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut pages: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    pages.push(checkout().join("README.md"));
    pages.retain(|file| std::fs::read_to_string(file).is_ok_and(|t| t.contains("\n```console\n")));
    assert!(pages.len() > 7);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = pages.iter().map(|page| scope.spawn(|| run_page(page))).collect();
        runs.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    assert!(outcomes.iter().all(Result::is_ok), "see above");
}

fn run_page(path: &Path) {
    let page = Page::parse(&std::fs::read_to_string(path).unwrap());
    if let Some(tool) = page.tool.as_ref().filter(|tool| !is_installed(tool)) {
        let message = format!("{} is skipped: there is no {tool}\n", path.display());
        std::io::stderr().write_all(message.as_bytes()).unwrap();
        return;
    }
    let printed = page.run();
    let recorded = Data::read_from(path, Some(DataFormat::Text)).raw();
    Assert::new().action_env("TRYCMD").eq(page.with(&printed), recorded);
}

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn is_installed(tool: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(tool).is_file())
}

/// A tutorial.
#[derive(Default)]
struct Page {
    pieces: Vec<Piece>,
    /// What it cannot be run without.
    tool: Option<String>,
}

enum Piece {
    /// A line that nothing is done with.
    Line(String),
    /// A file, written by the shell as the block ends.
    File(String),
    /// A command as it stands in the page, and what it prints there.
    Command { lines: String, output: String },
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            page.pieces.push(Piece::Line(line.to_owned()));
            if let Some(needs) = line.strip_prefix("<!-- needs: ") {
                page.tool = Some(needs.trim_end_matches(" -->").to_owned());
            }
            let Some(language) = line.strip_prefix("```").filter(|name| !name.is_empty()) else {
                continue;
            };
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if language == "console" {
                page.session(&block);
            } else {
                page.pieces.extend(block.iter().map(|line| Piece::Line((*line).to_owned())));
                if let Some((_, name)) = language.split_once("file=") {
                    let script = format!("cat > {name} <<'END_OF_FILE'\n{}", block.join("\n"));
                    page.pieces.push(Piece::File(script + "\nEND_OF_FILE\n"));
                }
            }
            page.pieces.push(Piece::Line("```".to_owned()));
        }
        page
    }

    fn session(&mut self, block: &[&str]) {
        for line in block {
            match self.pieces.last_mut() {
                Some(Piece::Command { lines, output }) if !line.starts_with("$ ") => {
                    let is_continued = line.starts_with("> ") || lines.ends_with("\\\n");
                    let part = if is_continued && output.is_empty() { lines } else { output };
                    *part += &format!("{line}\n");
                }
                _ => {
                    assert!(line.starts_with("$ "), "a session begins with a command: {line}");
                    let (lines, output) = (format!("{line}\n"), String::new());
                    self.pieces.push(Piece::Command { lines, output });
                }
            }
        }
    }

    /// Runs all commands in one shell and gives what each of them printed.
    fn run(&self) -> Vec<String> {
        let mut script = String::new();
        let mut commands = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Line(_) => {}
                Piece::File(writing) => script += writing,
                Piece::Command { lines, .. } => {
                    let command = lines[2..].replace("\n> ", "\n");
                    script += &format!("{{ (exit $status)\n{command}}} 2>&1\nstatus=$?\n");
                    script += &format!("printf '{SEPARATOR}%d{SEPARATOR}' $status\n");
                    commands.push(command);
                }
            }
        }
        let folder = Folder::new();
        let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_siliray")).parent().unwrap());
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null());
        shell.env("PATH", path).env("SILIRAY", checkout()).env("LC_ALL", "C");
        let printed = shell.output().unwrap();
        let printed = printed.text();
        let parts: Vec<&str> = printed.split(SEPARATOR).collect();
        let outputs = parts.chunks_exact(2).map(|part| (part[0].to_owned(), part[1]));
        let outputs: Vec<(String, &str)> = outputs.collect();
        assert_eq!(outputs.len(), commands.len(), "the shell ended early:\n{printed}");
        for (k, (output, status)) in outputs.iter().enumerate() {
            let is_explained = output.lines().any(|line| line.starts_with("error: "))
                || commands.get(k + 1).is_some_and(|next| next == "echo $?\n");
            let command = &commands[k];
            assert!(*status == "0" || is_explained, "{command}\nstatus {status}\n{output}");
        }
        outputs.into_iter().map(|(output, _)| output).collect()
    }

    /// The page with other outputs; what `…` stood for in the old ones and still matches stays.
    fn with(&self, printed: &[String]) -> String {
        let mut text = String::new();
        let mut printed = printed.iter();
        for piece in &self.pieces {
            match piece {
                Piece::Line(line) => text += &format!("{line}\n"),
                Piece::File(_) => {}
                Piece::Command { lines, output } => {
                    let actual = printed.next().map_or("", String::as_str);
                    text += lines;
                    text.extend(merged(output, actual).lines().map(|line| {
                        let is_long = line.chars().count() > WIDTH;
                        let kept: String = line.chars().take(WIDTH - 1).collect();
                        if is_long { kept + "…\n" } else { format!("{line}\n") }
                    }));
                }
            }
        }
        text
    }
}

/// What was printed, with the elisions of what was recorded, and the empty line behind it.
fn merged(recorded: &str, printed: &str) -> String {
    let each_line = |text: &str, change: fn(&str) -> String| {
        text.trim_end().lines().map(|line| change(line) + "\n").collect::<String>()
    };
    let blank = if recorded == "\n" || recorded.ends_with("\n\n") { "\n" } else { "" };
    let pattern = each_line(recorded, |line| match line {
        "…" => "...".to_owned(),
        _ => line.replace('…', "[..]"),
    });
    let pattern = pattern.into_data();
    let printed = NormalizeToExpected::new().redact().normalize(printed.into_data(), &pattern);
    let merged = each_line(&printed.to_string(), |line| match line {
        "..." => "…".to_owned(),
        _ => line.replace("[..]", "…"),
    });
    merged + blank
}
