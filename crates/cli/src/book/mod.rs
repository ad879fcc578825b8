//! Pages of the book that are made from the code: commands from their help texts, formats from the
//! registry.
//!
//! They are compared with the pages in `docs`. `TRYCMD=overwrite cargo test -p siliray-cli` writes
//! them instead.
//!
//! | file | concept |
//! |---|---|
//! | `commands` | a page for each command |
//! | `formats` | a page for each format: settings, machines, structures, rules |
//! | `bit_diagram` | a structure as rows of dwords |
//! | `markdown` | paragraphs and list items of at most 100 characters a line |

mod bit_diagram;
mod commands;
mod formats;
mod markdown;

use snapbox::data::DataFormat;
use snapbox::{Assert, Data};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Pages by the names of their files.
type Pages = BTreeMap<String, String>;

#[test]
fn commands_are_documented() {
    compare("commands", &commands::pages());
}

#[test]
fn formats_are_documented() {
    compare("layout", &formats::pages());
}

/// The folder of the book.
fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Compares pages with those in a folder of the book, which holds no others.
fn compare(folder: &str, pages: &Pages) {
    let folder = book().join(folder);
    for (name, page) in pages {
        let recorded = Data::read_from(&folder.join(name), Some(DataFormat::Text)).raw();
        Assert::new().action_env("TRYCMD").eq(page, recorded);
    }
    for file in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = file.file_name();
        let is_made = name.to_str().is_some_and(|name| pages.contains_key(name));
        assert!(is_made, "nothing makes {}; delete it", file.path().display());
    }
}
