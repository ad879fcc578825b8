//! `siliray inspect`: what is in an image.

use super::inspect_blocks;
use super::inspect_node::show_node;
use super::open_image;
use crate::failure::Failure;
use crate::image_args::Inspect;
use crate::output::number::{counted, grouped};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::gfx12::outline::{dual_outline, outline};
use siliray::gfx12::uncompressed::NAME as UNCOMPRESSED;
use siliray::machine::{ImageFile, Outline, OutlineEntry};
use std::collections::BTreeMap;

/// What `--json` prints without `--node`.
#[derive(Serialize)]
struct JsonImage {
    file: String,
    format: &'static str,
    structure: usize,
    structures: Vec<JsonStructure>,
    root: String,
    bytes: usize,
    totals: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Vec<JsonVisit>>,
    /// Nodes below the levels that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

#[derive(Serialize)]
struct JsonStructure {
    level: &'static str,
    address: String,
    offset: u64,
    bytes: usize,
    primitives: u32,
    box_nodes: u32,
    leaf_nodes: u32,
}

/// A line of a tree.
#[derive(Serialize)]
pub(super) struct JsonVisit {
    pub(super) depth: u32,
    pub(super) slot: u32,
    pub(super) pointer: String,
    pub(super) offset: Option<u64>,
    pub(super) kind: &'static str,
    pub(super) state: &'static str,
}

/// Shows a node, the tree, or the totals.
pub(crate) fn run(args: &Inspect, output: &Output) -> Result<(), Failure> {
    if inspect_blocks::is_blocks(&args.file) {
        return inspect_blocks::run(args, output);
    }
    let file = open_image(&args.file, &args.image, args.node)?.file;
    match args.node {
        Some(pointer) => show_node(&args.file, &file, pointer, output),
        None if file.image.format == UNCOMPRESSED => {
            show_image(args, &file, &dual_outline(&file.image), output)
        }
        None => show_image(args, &file, &outline(&file.image), output),
    }
}

/// Shows an outline.
fn show_image(
    args: &Inspect,
    file: &ImageFile,
    outline: &Outline,
    output: &Output,
) -> Result<(), Failure> {
    let shown = |entry: &&OutlineEntry| args.depth.is_none_or(|depth| entry.depth < depth);
    let tree: Option<Vec<JsonVisit>> = args.tree.then(|| {
        outline.entries.iter().filter(shown).map(|entry| json_visit(file, entry)).collect()
    });
    let left_out = args.tree.then(|| outline.entries.iter().filter(|entry| !shown(entry)).count());
    let json = JsonImage {
        file: args.file.display().to_string(),
        format: file.image.format,
        structure: file.structure,
        structures: structures(file),
        root: format!("{:#x}", file.image.root),
        bytes: file.image.byte_count(),
        totals: outline.totals.iter().map(|total| (total.name, total.count)).collect(),
        tree,
        left_out,
    };
    let text = match &json.tree {
        Some(tree) => {
            let name = |visit: &JsonVisit| format!("{} {}", visit.pointer, visit.kind);
            tree_text(tree, json.left_out.unwrap_or(0), name)
        }
        None => summary(&json, outline),
    };
    output.result(&json, &text)
}

fn structures(file: &ImageFile) -> Vec<JsonStructure> {
    file.structures
        .iter()
        .map(|structure| JsonStructure {
            level: structure.level,
            address: format!("{:#x}", structure.address),
            offset: structure.offset,
            bytes: structure.bytes,
            primitives: structure.primitives,
            box_nodes: structure.nodes[0],
            leaf_nodes: structure.nodes[1],
        })
        .collect()
}

fn json_visit(file: &ImageFile, entry: &OutlineEntry) -> JsonVisit {
    JsonVisit {
        depth: entry.depth,
        slot: entry.slot,
        pointer: entry.node.to_string(),
        offset: file.offset_of(entry.address),
        kind: entry.kind,
        state: entry.state.name(),
    }
}

fn summary(json: &JsonImage, outline: &Outline) -> String {
    let mut text =
        format!("{}: {}, {} bytes\n", json.file, json.format, grouped(json.bytes as u64));
    if !json.structures.is_empty() {
        let header =
            ["structure", "level", "address", "offset", "bytes", "primitives", "boxes", "leaves"];
        let mut table = Table::new(&header).left(2);
        for (number, structure) in json.structures.iter().enumerate() {
            let chosen = if number == json.structure { " *" } else { "" };
            table.row(vec![
                format!("{number}{chosen}"),
                structure.level.to_owned(),
                structure.address.clone(),
                format!("{:#x}", structure.offset),
                grouped(structure.bytes as u64),
                grouped(structure.primitives.into()),
                grouped(structure.box_nodes.into()),
                grouped(structure.leaf_nodes.into()),
            ]);
        }
        text += &format!("\n{}", table.text());
    }
    text += &format!("\nfrom the root {}:\n", json.root);
    for total in &outline.totals {
        text += &format!("  {:<20}{:>14}\n", total.label, grouped(total.count));
    }
    text
}

/// One line for each node, indented by its depth.
pub(super) fn tree_text(
    tree: &[JsonVisit],
    left_out: usize,
    name: fn(&JsonVisit) -> String,
) -> String {
    let mut text = String::new();
    for visit in tree {
        let JsonVisit { depth, slot, offset, state, .. } = visit;
        let slot = if *depth == 0 { String::new() } else { format!("[{slot}] ") };
        let place = match (*state, offset) {
            ("outside", _) | (_, None) => "leads nowhere".to_owned(),
            ("again", Some(offset)) => format!("at {offset:#x}, shown above"),
            (_, Some(offset)) => format!("at {offset:#x}"),
        };
        let indent = 2 * *depth as usize;
        text += &format!("{:indent$}{slot}{} {place}\n", "", name(visit));
    }
    if left_out > 0 {
        text += &format!("… {} below\n", counted(left_out, "node"));
    }
    text
}
