//! The format and the machine of this hardware, for the registry.

use crate::format::{Density, NAME, Rule, TtuFormat, directory};
use crate::{Config, TtuMachine, World, ttu_machine};
use machine::registry::{NodeNames, loses_nothing};
use machine::{
    Capabilities, Encoded, Figures, Format, FormatEntry, ImageFile, MachineEntry, MachineInput,
    TreeEntry, TreeFormat, WrongFormat,
};

/// The format.
pub const FORMATS: &[FormatEntry] = &[FormatEntry {
    name: NAME,
    summary: "blocks of the tree traversal unit: a treelet in 128 bytes",
    ending: "ttu",
    sniff: |bytes| bytes.starts_with(&directory::MAGIC),
    read: |bytes, _| Ok(ImageFile::whole(NAME, bytes, vec![0], 0)),
    check: |image| TtuFormat::check(image).erase(),
    outline: crate::format::outline::outline,
    describe: crate::format::describe::describe,
    trees: Some(TreeEntry {
        capabilities: Capabilities { ids: false, ..Capabilities::ALL },
        settings: &[],
        encode: |tree, _| {
            let image = TtuFormat.encode(tree)?;
            let density = Density::of(&image).unwrap_or_default();
            let figures = Figures {
                bytes: image.byte_count() as u64,
                node_bytes: density.bytes(),
                box_nodes: density.blocks,
                primitive_nodes: 0,
                instance_nodes: density.instances,
                triangles: density.triangles,
                details: vec![
                    ("blocks", density.blocks as f64),
                    ("block_nodes", density.nodes as f64),
                    ("references", density.references as f64),
                    ("nodes_per_block", density.nodes_per_block()),
                    ("fill", density.fill()),
                ],
            };
            Ok(Encoded { image, figures })
        },
        // One segment, as it lies in memory.
        write: |image| Ok(image.segments[0].bytes().to_vec()),
        has_blocks: true,
    }),
    structures: crate::format::STRUCTURES,
    rules: Rule::ENTRIES,
}];

/// The machine, which runs every format with blocks.
pub const MACHINES: &[MachineEntry] = &[MachineEntry {
    name: ttu_machine::NAME,
    summary: "the tree traversal unit, cycle by cycle",
    reads: |format| format.trees.as_ref().is_some_and(|trees| trees.has_blocks),
    format: NAME,
    settings: &[],
    takes_trees: false,
    nodes: NodeNames::Own,
    takes_beams: true,
    oracle: None,
    may_lose: loses_nothing,
    make: |input, options| {
        let MachineInput::Image(image) = input else {
            let (machine, format) = (ttu_machine::NAME, input.format());
            return Err(WrongFormat { machine, format }.into());
        };
        let world = World::new(&**image, options.rule)?;
        Ok(Box::new(TtuMachine::new(world, Config::default())?))
    },
}];
