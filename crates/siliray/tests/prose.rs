//! Documents, code and scripts can be read side by side in one window: no line has more than 100
//! characters.
//! Links between documents lead to files and headings, the book has all of its pages, and tables of
//! files list all of them.
#![allow(clippy::panic, reason = "a test that cannot go on fails")]

use crate::project_files;

use project_files::{root, text, with_extension};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Most characters of a line.
const WIDTH: usize = 100;

/// Endings of files that people read; files without one are scripts, licences and such.
const ENDINGS: [&str; 14] =
    ["", "S", "c", "css", "h", "html", "ld", "md", "mjs", "py", "pyi", "rs", "toml", "ts"];

#[test]
fn lines_fit() {
    let mut long = Vec::new();
    for file in ENDINGS.iter().flat_map(|ending| with_extension(ending)) {
        for (line, content) in text(&file).lines().enumerate() {
            let length = content.chars().count();
            if length > WIDTH {
                long.push(format!("{}:{}: {length} characters", file.display(), line + 1));
            }
        }
    }
    assert!(long.is_empty(), "lines of more than {WIDTH} characters:\n{}", long.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for file in with_extension("md") {
        let folder = file.parent().unwrap_or(Path::new(""));
        for target in links(&text(&file)) {
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            if path.contains([':', ' ']) {
                continue;
            }
            let page = if path.is_empty() { file.clone() } else { flat(&folder.join(path)) };
            // The book has no pages but those in its folder.
            let leaves_the_book = file.starts_with(BOOK) && !page.starts_with(BOOK);
            let is_there = root().join(&page).exists();
            let is_anchored = anchor.is_empty() || is_there && anchors(&page).contains(anchor);
            if leaves_the_book || !is_there || !is_anchored {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to nowhere:\n{}", broken.join("\n"));
}

/// A table of files or modules at the head of a file lists all of them, and none that is gone.
#[test]
fn tables_of_files_are_complete() {
    let mut wrong = Vec::new();
    for file in with_extension("rs").into_iter().filter(|file| file.starts_with("crates")) {
        let code = text(&file);
        let head = code.lines().map_while(|line| line.strip_prefix("//!"));
        let is_title =
            |line: &&str| line.starts_with(" | file |") || line.starts_with(" | module |");
        let table = head.skip_while(|line| !is_title(line)).skip(2);
        let rows = table.take_while(|line| line.starts_with(" | "));
        let cells: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
        if cells.is_empty() {
            continue;
        }
        let names = || cells.iter().flat_map(|cell| cell.split(", ")).map(str::trim);
        let bare = |name: &str| name.split('`').nth(1).map(|it| it.replace("mod@", ""));
        let listed: BTreeSet<String> = names().filter_map(bare).collect();
        let declared = |line: &str| {
            let (_, name) = line.strip_suffix(';')?.split_once("mod ")?;
            (!line.starts_with("//") && name != "tests").then(|| name.to_owned())
        };
        let modules: BTreeSet<String> = code.lines().filter_map(declared).collect();
        // Names in brackets are links, which rustdoc follows; they may lead to other crates.
        let plain: BTreeSet<String> =
            names().filter(|name| name.starts_with('`')).filter_map(bare).collect();
        let missing = modules.difference(&listed).map(|name| format!("lacks {name}"));
        let gone = plain.difference(&modules).map(|name| format!("has {name}"));
        wrong.extend(missing.chain(gone).map(|what| format!("{}: {what}", file.display())));
    }
    assert!(wrong.is_empty(), "tables of files:\n{}", wrong.join("\n"));
}

/// Every page of the book is in its table of contents.
#[test]
fn the_book_is_complete() {
    let summary = Path::new(BOOK).join("SUMMARY.md");
    let listed: BTreeSet<PathBuf> =
        links(&text(&summary)).into_iter().map(|page| Path::new(BOOK).join(page)).collect();
    let pages = with_extension("md").into_iter().filter(|file| file.starts_with(BOOK));
    let missing: Vec<PathBuf> = pages.filter(|file| !listed.contains(file)).collect();
    assert_eq!(missing, [summary], "not in the book");
}

/// The folder of the book.
const BOOK: &str = "docs";

/// What the links of a page lead to.
fn links(page: &str) -> Vec<String> {
    let mut targets = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let ends = line.split("](").skip(1).filter(|_| !is_code);
        targets.extend(ends.filter_map(|rest| rest.split(')').next()).map(str::to_owned));
    }
    targets
}

/// The places of a page that links can name: headings, and anchors of their own.
fn anchors(page: &Path) -> BTreeSet<String> {
    let page = text(page);
    let named = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    });
    headings.chain(named.map(str::to_owned)).collect()
}

/// A path without `..`.
fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = flat.pop(),
            part => flat.push(part),
        }
    }
    flat
}
