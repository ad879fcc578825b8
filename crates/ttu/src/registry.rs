//! The format and the machine of this hardware, for the registry.

use crate::format::{Density, NAME, Rule, TtuFormat, directory};
use crate::{Config, TtuMachine, World, ttu_machine};
use machine::registry::{NodeNames, loses_nothing};
use machine::{
    Capabilities, Detail, Figures, Format, FormatEntry, Image, ImageFile, MachineEntry,
    MachineInput, TreeEntry, TreeFormat, TreeShape, WrongFormat,
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
        capabilities: |_| Capabilities { ids: false, ..Capabilities::ALL },
        settings: &[],
        shape: |_| TreeShape { width: 8, max_leaf: 8, leaf_test_width: 1, splits: true },
        encode: |tree, _| Ok(TtuFormat.encode(tree)?.into()),
        figures,
        // One segment, as it lies in memory.
        write: |image, _| Ok(image.segments[0].bytes().to_vec()),
        keeps_boxes: true,
        has_blocks: true,
    }),
    structures: crate::format::STRUCTURES,
    rules: Rule::ENTRIES,
    writers: &[],
}];

fn figures(image: &Image) -> Figures {
    let density = Density::of(image).unwrap_or_default();
    Figures {
        bytes: density.bytes,
        box_nodes: density.blocks,
        primitive_nodes: 0,
        instance_nodes: density.instances,
        details: vec![
            ("blocks", Detail::Count(density.blocks as u64)),
            ("block_nodes", Detail::Count(density.nodes as u64)),
            ("references", Detail::Count(density.references as u64)),
            ("nodes_per_block", Detail::Number(density.nodes_per_block())),
            ("fill", Detail::Number(density.fill())),
        ],
    }
}

/// The machine, which runs every format with blocks.
pub const MACHINES: &[MachineEntry] = &[MachineEntry {
    name: ttu_machine::NAME,
    summary: "the tree traversal unit, cycle by cycle",
    reads: |format| format.trees.as_ref().is_some_and(|trees| trees.has_blocks),
    format: NAME,
    settings: &[],
    takes_trees: false,
    nodes: NodeNames::Blocks,
    stack_sizes: &[],
    has_capabilities: false,
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
