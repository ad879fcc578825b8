//! Documents and code can be read side by side in one window: no line has more than 100 characters.
//! Links between documents lead to files.
#![allow(clippy::panic, reason = "a test that cannot go on fails")]

mod project_files;

use project_files::{root, text, with_extension};

/// Most characters of a line.
const WIDTH: usize = 100;

#[test]
fn lines_fit() {
    let mut long = Vec::new();
    for file in with_extension("rs").into_iter().chain(with_extension("md")) {
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
fn links_lead_to_files() {
    let mut broken = Vec::new();
    for file in with_extension("md") {
        let page = text(&file);
        for target in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            let is_local = !path.is_empty() && !path.contains(':') && !path.contains(' ');
            let folder = root().join(&file).parent().map(|folder| folder.join(path));
            if is_local && !folder.is_some_and(|path| path.exists()) {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to nowhere:\n{}", broken.join("\n"));
}
