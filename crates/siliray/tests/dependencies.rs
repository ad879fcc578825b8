//! The crates depend on each other as the table in `ARCHITECTURE.md` says: upward only, never
//! sideways, and on nothing that a crate's row does not name. Development dependencies are free.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::project_files;

use project_files::{text, with_extension};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One line of the table.
#[derive(Debug)]
struct Row {
    layer: u32,
    may_use: BTreeSet<String>,
}

#[test]
fn every_crate_has_a_row_and_every_row_a_crate() {
    let rows: BTreeSet<String> = table().into_keys().collect();
    assert_eq!(rows, crates(), "rows of ARCHITECTURE.md, and crates");
}

#[test]
fn rows_name_crates_of_smaller_layers() {
    let table = table();
    for (name, row) in &table {
        for used in &row.may_use {
            let below = table.get(used).unwrap_or_else(|| panic!("{name} may use {used}: no row"));
            assert!(below.layer < row.layer, "{name} may use {used}, which is not below it");
        }
    }
}

#[test]
fn manifests_keep_to_the_table() {
    let (table, crates) = (table(), crates());
    let mut wrong = Vec::new();
    for name in &crates {
        let Some(row) = table.get(name) else { continue };
        for used in dependencies(&manifest(name), &crates) {
            if !row.may_use.contains(&used) {
                wrong.push(format!("{name} depends on {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "not in the table of ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn dependencies_are_found_however_they_are_written() {
    let manifest = "\
        [dependencies]\n\
        geometry = { workspace = true }\n\
        tree.workspace = true\n\
        hull = { package = \"siliray-scene\", version = \"0.1.0\" }\n\
        [dependencies.machine]\n\
        workspace = true\n\
        [target.'cfg(unix)'.dependencies]\n\
        build = { workspace = true }\n\
        [dev-dependencies]\n\
        testkit = { workspace = true }\n";
    let names = ["build", "geometry", "machine", "scene", "testkit", "tree"];
    let found = dependencies(manifest, &names.map(str::to_owned).into());
    let expected = ["build", "geometry", "machine", "scene", "tree"];
    assert_eq!(found, expected.map(str::to_owned).into());
}

/// The table of crates, by name.
fn table() -> BTreeMap<String, Row> {
    let page = text(Path::new("ARCHITECTURE.md"));
    let lines = page.lines().skip_while(|line| !line.starts_with("| crate | layer |"));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let cells: Vec<(String, u32, String)> = rows.map(cells).collect();
    assert!(cells.len() > 10, "ARCHITECTURE.md has no table of crates");
    let below = |layer| cells.iter().filter(move |row| row.1 < layer).map(|row| row.0.clone());
    let row = |(name, layer, uses): &(String, u32, String)| {
        let may_use = match uses.as_str() {
            "–" => BTreeSet::new(),
            "all" => below(*layer).collect(),
            list => list.split(", ").map(str::to_owned).collect(),
        };
        (name.clone(), Row { layer: *layer, may_use })
    };
    cells.iter().map(row).collect()
}

/// Name, layer and what may be used.
fn cells(line: &str) -> (String, u32, String) {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, name, layer, _, uses, _] = cells[..] else { panic!("not four columns: {line}") };
    let layer = layer.parse().unwrap_or_else(|_| panic!("no layer: {line}"));
    (name.trim_matches('`').to_owned(), layer, uses.to_owned())
}

/// The folders below `crates`.
fn crates() -> BTreeSet<String> {
    let manifests = with_extension("toml").into_iter().filter(|file| file.ends_with("Cargo.toml"));
    let folders = manifests.filter_map(|file| Some(file.parent()?.to_owned()));
    let names = folders.filter_map(|folder| Some(folder.strip_prefix("crates").ok()?.to_owned()));
    names.filter_map(|name| name.into_os_string().into_string().ok()).collect()
}

fn manifest(name: &str) -> String {
    text(&Path::new("crates").join(name).join("Cargo.toml"))
}

/// Crates of this project that a manifest depends on, for more than tests.
fn dependencies(manifest: &str, crates: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut counts = false;
    let mut see = |name: &str| {
        let name = name.trim();
        found.extend(crates.get(name.strip_prefix("siliray-").unwrap_or(name)).cloned());
    };
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let kind = section.split('.').rev().find(|part| part.ends_with("dependencies"));
            counts = kind.is_some_and(|kind| kind != "dev-dependencies");
            if let Some((_, name)) = section.split_once("dependencies.").filter(|_| counts) {
                see(name);
            }
        } else if counts {
            see(line.split(['=', '.']).next().unwrap_or_default());
            line.split('"').for_each(&mut see);
        }
    }
    found
}
