//! `siliray inspect`: what is in an image.
//!
//! | file | concept |
//! |---|---|
//! | this one | totals, and the tree as an outline |
//! | `node` | one structure, field by field |
//! | `find` | the ways to something |

mod find;
mod node;

use super::{OpenImage, open_image};
use crate::failure::Failure;
use crate::image_args::Inspect;
use crate::output::number::{counted, grouped};
use crate::output::{Output, Table};
use siliray::documents::inspect::{InspectDocument, levels};
use siliray::machine::{EntryState, ImageFile, Outline, OutlineEntry};

/// Shows a node, what was looked for, the tree, or the totals.
pub(crate) fn run(args: &Inspect, output: &Output) -> Result<(), Failure> {
    let image = open_image(&args.file, &args.image, args.node)?;
    match (args.node, &args.find) {
        (Some(pointer), _) => node::show(&args.file, &image, pointer, output),
        (None, Some(wanted)) => find::show(&args.file, &image, wanted, output),
        (None, None) => show_image(args, &image, output),
    }
}

/// Shows an outline.
fn show_image(args: &Inspect, image: &OpenImage, output: &Output) -> Result<(), Failure> {
    let OpenImage { format, file } = image;
    let outline = (format.outline)(&file.image);
    if outline.entries.is_empty() {
        let name = args.file.display();
        let message = format!("{name}: there is nothing that can be shown, not even a root");
        return Err(Failure::input(message).hint(format!("try `siliray check {name}`")));
    }
    let entries = levels(&outline, args.depth);
    let left_out = outline.entries.len() - entries.len();
    let name = args.file.display().to_string();
    let tree = args.tree.then_some(&entries[..]);
    let json = InspectDocument::new(name, format, file, &outline, tree);
    let text = if args.tree {
        let mut text: String = entries.iter().map(|entry| line(file, entry)).collect();
        if left_out > 0 {
            text += &format!("… {} below\n", counted(left_out, "node"));
        }
        text
    } else {
        summary(&json, &outline)
    };
    output.result(&json, &text)
}

/// A node of a tree, indented by its depth.
fn line(file: &ImageFile, entry: &OutlineEntry) -> String {
    let OutlineEntry { depth, slot, node, kind, address, state, .. } = entry;
    let slot = if *depth == 0 { String::new() } else { format!("[{slot}] ") };
    let place = match (*state, file.offset_of(*address)) {
        (EntryState::Outside, _) | (_, None) => "leads nowhere".to_owned(),
        (EntryState::Again, Some(offset)) => format!("at byte {offset:#x}, shown above"),
        (EntryState::Read, Some(offset)) => format!("at byte {offset:#x}"),
    };
    let indent = 2 * *depth as usize;
    format!("{:indent$}{slot}{node} {kind} {place}\n", "")
}

fn summary(json: &InspectDocument, outline: &Outline) -> String {
    let mut text =
        format!("{}: {}, {} bytes\n", json.file, json.format, grouped(json.bytes as u64));
    if !json.structures.is_empty() {
        let header =
            ["structure", "level", "address", "byte", "bytes", "primitives", "boxes", "leaves"];
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
    let width = outline.totals.iter().map(|total| total.label.len()).max().unwrap_or(0).max(18);
    for total in &outline.totals {
        text += &format!("  {:<width$}  {:>14}\n", total.label, grouped(total.count));
    }
    text
}
