//! A page for each format: what it holds, who walks it, its structures, what is checked.

use super::bit_diagram::diagram;
use super::markdown::{MADE, item, paragraphs, with_decisions};
use super::{Pages, book};
use siliray::machine::fields::FieldTable;
use siliray::machine::{FormatEntry, MachineEntry, Settings};
use siliray::registry::standard;
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn pages() -> Pages {
    let mut overview = format!("# Formats and machines\n\n{MADE}## Formats\n\n");
    let mut pages = Pages::new();
    for group in standard().formats().chunk_by(|a, b| is_alike(a, b)) {
        let page = format!("{}.md", page_name(group));
        for format in group {
            let linked = match group[0].structures {
                [] => format!("`{}`", format.name),
                _ => format!("[`{}`]({page})", format.name),
            };
            let FormatEntry { summary, ending, .. } = format;
            overview += &item(0, &format!("{linked} (`.{ending}` files): {summary}"));
        }
        if !group[0].structures.is_empty() {
            pages.insert(page, format_page(group));
        }
    }
    overview += "\n## Machines\n\n";
    for machine in standard().machines() {
        overview += &machine_item(machine);
    }
    pages.insert("README.md".to_owned(), overview);
    pages
}

/// Whether formats share one page.
fn is_alike(a: &FormatEntry, b: &FormatEntry) -> bool {
    let names = |format: &FormatEntry| format.structures.iter().map(|t| t.name).collect::<Vec<_>>();
    !a.structures.is_empty() && names(a) == names(b)
}

/// What the names have in common.
fn page_name(group: &[&FormatEntry]) -> &'static str {
    match group {
        [format] => format.name,
        _ => group[0].name.split('-').next().unwrap_or_default(),
    }
}

fn machine_item(machine: &MachineEntry) -> String {
    let registry = standard();
    let formats = registry.formats().iter().filter(|format| (machine.reads)(format));
    let formats = quoted(formats.map(|format| format.name));
    let trees = if machine.takes_trees { ", and trees that have never been bytes" } else { "" };
    let shapes = if machine.takes_beams { "rays and beams" } else { "rays" };
    let text = format!(
        "`{}`: {}. Walks {formats}{trees}. Answers {shapes}.",
        machine.name, machine.summary
    );
    item(0, &text)
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn format_page(group: &[&FormatEntry]) -> String {
    // The names of siblings without what they share with the first.
    let stem = group[0].name.split('-').next().unwrap_or_default();
    let names = group.iter().enumerate().map(|(number, format)| match number {
        0 => format.name,
        _ => format.name.strip_prefix(stem).unwrap_or(format.name),
    });
    let mut page = format!("# {}\n\n{MADE}", quoted(names));
    for format in group {
        page += &item(0, &format!("`{}`: {}", format.name, format.summary));
    }
    let format = group[0];
    let endings = BTreeSet::from_iter(group.iter().map(|format| format!("`.{}`", format.ending)));
    page += &item(0, &format!("files: {}", Vec::from_iter(endings).join(", ")));
    let machines = standard();
    let readers = |machine: &&&MachineEntry| group.iter().any(|format| (machine.reads)(format));
    let machines = quoted(machines.machines().iter().filter(readers).map(|machine| machine.name));
    page += &item(0, &format!("machines that walk it: {machines}"));
    if !format.writers.is_empty() {
        let writers = quoted(format.writers.iter().copied());
        page += &item(0, &format!("writers of raw memory, for `--writer`: {writers}"));
    }
    if let Some(trees) = &format.trees {
        let able = (trees.capabilities)(&Settings::default());
        let holds = [
            (able.instances, "instances"),
            (able.masks, "masks"),
            (able.flags, "flags"),
            (able.procedural, "procedural boxes"),
            (able.ids, "ids of geometries and primitives"),
        ];
        let holds = holds.iter().filter(|(able, _)| *able).map(|(_, what)| *what);
        let holds = ["triangles"].into_iter().chain(holds).collect::<Vec<_>>().join(", ");
        page += &item(0, &format!("holds {holds}"));
        for setting in trees.settings {
            let values = quoted(setting.values.iter().copied());
            let text = format!("`--set {}=`: {} ({values})", setting.key, setting.meaning);
            page += &item(0, &text);
        }
    }
    for (folder, name) in [("", "guide"), ("spec/", "specification")] {
        let guide =
            format!("{folder}{}.md", page_name(group).split('-').next().unwrap_or_default());
        if book().join(&guide).is_file() {
            page += &item(0, &format!("{name}: [{guide}](../{guide})"));
        }
    }
    page += "\n## Structures\n\n";
    page += &paragraphs(
        "Little endian; bit `n` is bit `n % 8` of byte `n / 8`. In the diagrams the highest bit of \
         a dword is on the left; what has no room for its name has a letter.",
    );
    for table in format.structures {
        page += &structure(table);
    }
    page += "\n## Rules of the check\n\n";
    for rule in format.rules {
        let (name, severity) = (rule.name, rule.severity.name());
        let promise = with_decisions(rule.promise);
        page += &item(0, &format!("`{name}` ({severity}): {promise}"));
    }
    page
}

fn structure(table: &FieldTable) -> String {
    let diagram = diagram(table);
    let bits = table.fields.iter().flat_map(|field| field.places).map(|place| place.end).max();
    let size = match bits {
        Some(bits) if bits < 32 * table.words => format!("{bits} bits"),
        _ => format!("{} bytes", 4 * table.words),
    };
    let mut text = format!("\n### {}: {size}\n\n", short(table.name));
    text += &paragraphs(&with_decisions(table.meaning));
    text += &format!("\n```text\n{}```\n\n", diagram.text);
    for (field, letters) in table.fields.iter().zip(diagram.letters) {
        let letters: String = letters.iter().map(|letter| format!("**{letter}** ")).collect();
        let bits = bits_text(field.places);
        let (name, kind, meaning) =
            (field.name, short(field.type_name), with_decisions(field.meaning));
        text += &item(0, &format!("{letters}`{name}`, {bits}, `{kind}`: {meaning}"));
    }
    text
}

/// Types whose name says that they are tables.
fn short(type_name: &str) -> String {
    type_name.replace("Fields", "")
}

fn bits_text(places: &[Range<usize>]) -> String {
    match places {
        [place] if place.len() == 1 => format!("bit {}", place.start),
        _ => {
            let places = places.iter().map(|place| format!("{}..{}", place.start, place.end));
            format!("bits {}", places.collect::<Vec<_>>().join(", "))
        }
    }
}
