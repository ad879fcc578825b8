//! `siliray inspect` on an image of the format ttu: totals, one block, or the tree.

use super::inspect::{JsonVisit, tree_text};
use crate::failure::Failure;
use crate::image_args::Inspect;
use crate::output::Output;
use crate::output::number::{counted, grouped};
use serde::Serialize;
use siliray::machine::Image;
use siliray::machine::{EntryState, OutlineEntry};
use siliray::ttu::format::block::{BLOCK_BYTES, Block, Lead};
use siliray::ttu::format::outline::outline;
use siliray::ttu::format::target::Target;
use siliray::ttu::format::{Density, directory};
use std::path::Path;

/// What `--json` prints without `--node`.
#[derive(Serialize)]
struct JsonTotals {
    file: String,
    format: &'static str,
    bytes: usize,
    blocks: usize,
    nodes: usize,
    references: usize,
    triangles: usize,
    instances: usize,
    nodes_per_block: f64,
    bytes_per_triangle: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Vec<JsonVisit>>,
    /// Nodes below the levels that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

/// What `--json` prints with `--node`.
#[derive(Serialize)]
struct JsonBlock {
    block: u32,
    offset: u64,
    origin: [f32; 3],
    exponents: [i8; 3],
    root_children: u8,
    refit_dirty: bool,
    block_base: u32,
    reference_base: u32,
    root_max: [u8; 3],
    flags: u8,
    parent: u32,
    nodes: Vec<JsonNode>,
}

#[derive(Serialize)]
struct JsonNode {
    min: [u8; 3],
    max: [u8; 3],
    mask: u8,
    leads_to: String,
}

/// Whether the file is one of blocks, by its first bytes.
pub(super) fn is_blocks(path: &Path) -> bool {
    use std::io::Read;
    if !path.is_file() {
        return false; // a pipe would wait for a writer
    }
    let mut start = [0; 8];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == directory::MAGIC
}

/// Shows the totals, the block that `--node` numbers, or the tree.
pub(super) fn run(args: &Inspect, output: &Output) -> Result<(), Failure> {
    let file = super::open_image(&args.file, &args.image, args.node)?.file;
    match args.node {
        Some(number) => show_block(&file.image, number, output),
        None => show_image(args, &file.image, output),
    }
}

fn show_image(args: &Inspect, image: &Image, output: &Output) -> Result<(), Failure> {
    let density = match Density::of(image) {
        Some(density) => density,
        None if args.tree => Density::default(),
        None => {
            let file = args.file.display();
            let message = format!("{file}: the header does not describe the file");
            return Err(Failure::input(message).hint(format!("try `siliray check {file}`")));
        }
    };
    let visits = if args.tree { outline(image).entries } else { Vec::new() };
    let shown = |visit: &&OutlineEntry| args.depth.is_none_or(|depth| visit.depth < depth);
    let json = JsonTotals {
        file: args.file.display().to_string(),
        format: image.format,
        bytes: image.byte_count(),
        blocks: density.blocks,
        nodes: density.nodes,
        references: density.references,
        triangles: density.triangles,
        instances: density.instances,
        nodes_per_block: density.nodes_per_block(),
        bytes_per_triangle: density.bytes_per_triangle(),
        tree: args.tree.then(|| visits.iter().filter(shown).map(JsonVisit::from).collect()),
        left_out: args.tree.then(|| visits.iter().filter(|visit| !shown(visit)).count()),
    };
    let text = match &json.tree {
        Some(tree) => {
            let name = |visit: &JsonVisit| format!("{} {}", visit.kind, visit.pointer);
            tree_text(tree, json.left_out.unwrap_or(0), name)
        }
        None => summary(&json),
    };
    output.result(&json, &text)
}

fn summary(json: &JsonTotals) -> String {
    format!(
        "{}: {}, {} bytes\n{}, {} ({:.2} a block), {}, {}, {}\n\
         {:.1} bytes of blocks and references a triangle\n",
        json.file,
        json.format,
        grouped(json.bytes as u64),
        counted(json.blocks, "block"),
        counted(json.nodes, "node"),
        json.nodes_per_block,
        counted(json.references, "reference"),
        counted(json.triangles, "triangle"),
        counted(json.instances, "instance"),
        json.bytes_per_triangle
    )
}

impl From<&OutlineEntry> for JsonVisit {
    fn from(entry: &OutlineEntry) -> Self {
        let pointer = match Target::from_pointer(entry.node.pointer) {
            Some(Target::Node { node, .. }) => node.to_string(),
            Some(Target::References { first, count }) => {
                format!("{first}..{}", first + u64::from(count))
            }
            _ => (entry.node.pointer as u32).to_string(),
        };
        Self {
            depth: entry.depth,
            slot: entry.slot,
            pointer,
            offset: (entry.state != EntryState::Outside).then_some(entry.address),
            kind: entry.kind,
            state: entry.state.name(),
        }
    }
}

fn show_block(image: &Image, number: u32, output: &Output) -> Result<(), Failure> {
    let Some(offset) = directory::block_offset(image, number) else {
        return Err(Failure::input(format!("no block {number} in this image")));
    };
    let bytes = image.get(offset, BLOCK_BYTES).and_then(|bytes| bytes.first_chunk());
    let Some(bytes) = bytes else {
        return Err(Failure::input(format!("block {number} does not lie in the file")));
    };
    let block = Block::from_bytes(bytes);
    let nodes = block.nodes.iter().map(|node| JsonNode {
        min: node.min,
        max: node.max,
        mask: node.mask,
        leads_to: leads_to(&block, node.lead),
    });
    let json = JsonBlock {
        block: number,
        offset,
        origin: block.origin,
        exponents: block.exponents,
        root_children: block.root_children,
        refit_dirty: block.refit_dirty,
        block_base: block.block_base,
        reference_base: block.reference_base,
        root_max: block.root_max,
        flags: block.flags,
        parent: block.parent,
        nodes: nodes.collect(),
    };
    let mut text = format!(
        "block {number} at {offset:#x}\n  origin {:?}, cells 2^{:?}, root 0 to {:?}\n  {} of {} \
         nodes below the root, flags {:#04x}, parent {:#x}\n",
        json.origin,
        json.exponents,
        json.root_max,
        json.root_children,
        json.nodes.len(),
        json.flags,
        json.parent
    );
    for (number, node) in json.nodes.iter().enumerate() {
        text +=
            &format!("  node {number:>2}: {:?} to {:?}, {}\n", node.min, node.max, node.leads_to);
    }
    output.result(&json, &text)
}

fn leads_to(block: &Block, lead: Lead) -> String {
    match lead {
        Lead::Inside { first, count } => format!("nodes {first}..{}", first + count),
        Lead::Foreign { offset } => {
            format!("block {}", u64::from(block.block_base) + u64::from(offset))
        }
        Lead::Leaf { offset, count } => {
            let first = u64::from(block.reference_base) + u64::from(offset);
            format!("references {first}..{}", first + u64::from(count))
        }
        Lead::Unused => "nothing".to_owned(),
    }
}
