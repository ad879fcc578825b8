//! `siliray intersect`: one instruction on one node.

use super::open_image;
use crate::failure::Failure;
use crate::image_args::Intersect;
use crate::output::{Output, Table};
use siliray::intersect::{IntersectDocument, IntersectError, Operands, intersect};

/// Executes the instruction and shows its registers.
pub(crate) fn run(args: &Intersect, output: &Output) -> Result<(), Failure> {
    let file = open_image(&args.file, &args.image, args.node.first().copied().map(u64::from))?.file;
    let Intersect { origin, direction, extent, mask, resource, flags, .. } = *args;
    let nodes = args.node.clone();
    let operands = Operands { nodes, origin, direction, extent, mask, resource, flags };
    let json = intersect(&file, &operands).map_err(|error| match error {
        IntersectError::Nodes { expected: "one node", .. } => {
            let hint = "two nodes are for images of the format gfx12-bvh4x2";
            Failure::usage(error).hint(hint)
        }
        IntersectError::Nodes { .. } => Failure::usage(error),
        IntersectError::Flags(_) => Failure::usage(error),
        IntersectError::Base(_) => Failure::input(error),
        _ => Failure::input(format!("{}: {error}", args.file.display())),
    })?;
    output.result(&json, &text(&json))
}

fn text(json: &IntersectDocument) -> String {
    let decoded = &json.decoded;
    let article = if decoded.kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let mut text = format!("{} on {article} {} node\n\n", decoded.instruction, decoded.kind);
    let mut table = Table::new(&["register", "word", "name", "value"]).left(4);
    for (number, (word, register)) in json.registers.iter().zip(&decoded.registers).enumerate() {
        let (name, value) = (register.name.to_owned(), register.value.clone());
        table.row(vec![format!("VGPR{number}"), word.clone(), name, value]);
    }
    text += &table.text();
    let [ox, oy, oz] = decoded.origin;
    let [dx, dy, dz] = decoded.direction;
    text += &format!("\norigin {ox:?}, {oy:?}, {oz:?}; direction {dx:?}, {dy:?}, {dz:?}\n");
    if let Some(warning) = &decoded.warning {
        text += &format!("warning: {warning}\n");
    }
    text
}
