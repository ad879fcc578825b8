//! The formats and machines of this hardware, for the registry.

use crate::dump::signs::Told;
use crate::encode::{self, Options, Policy};
use crate::format::Bvh4;
use crate::layout::{
    GpurtInstanceNode, GpurtTriangleNode, ProceduralNode, RadvInstanceNode, RadvProceduralNode,
    RadvTriangleNode,
};
use crate::rra;
use crate::structure::{Structure, Survey};
use crate::walk::{Loop, Walk};
use crate::{GFX10_NAME, GFX11_NAME, Generation, Writer, describe, dump};
use bvh4::dump::memory;
use bvh4::image::{Dialect, Rule, outline};
use bvh4::layout::triangle_info::{IdWord, TriangleInfo};
use bvh4::layout::{Fp16BoxNode, Fp32BoxNode, GeometryInfo, GpurtHeader, RadvHeader};
use bvh4::rra::container::Magic;
use bvh4::survey::Memory;
use machine::file::{is_container_of, read_container, write_container};
use machine::registry::{MadeMachine, NodeNames, StackSizes, loses_beyond_margin};
use machine::{
    ByteSplit, Capabilities, Checked, EncodeError, Encoded, Figures, Format, FormatEntry, Hit,
    Image, ImageFile, MachineEntry, MachineInput, MachineOptions, RayQuery, ReadError, ReadOptions,
    Setting, Settings, StructureSummary, TreeEntry, TreeShape, WrongFormat, downcast,
};
use std::sync::Arc;
use tree::Tree;

/// Bytes of a leaf node, and of its ids.
const LEAF_BYTES: u64 = 64;
const ID_BYTES: u64 = 16;

/// The formats.
pub const FORMATS: &[FormatEntry] = &[
    format::<false>("AMD GFX10.3: 4-wide nodes of RDNA2"),
    format::<true>("AMD GFX11: 4-wide nodes of RDNA3, with flags"),
];

const fn format<const GFX11: bool>(summary: &'static str) -> FormatEntry {
    FormatEntry {
        name: Bvh4::<GFX11>::NAME,
        summary,
        ending: if GFX11 { "gfx11" } else { "gfx10" },
        sniff: |bytes| {
            let own = Bvh4::<GFX11>::GENERATION;
            is_container_of(Bvh4::<GFX11>::NAME, bytes)
                || rra::generation(bytes) == Some(own)
                || dump::generation(bytes).is_some_and(|told| told.or(Generation::Gfx10) == own)
        },
        read: read::<GFX11>,
        check: |image| Bvh4::<GFX11>::check(image).erase(),
        outline: outline::<Structure>,
        describe: describe::describe,
        trees: Some(TreeEntry {
            capabilities: |_| Capabilities::ALL,
            settings: SETTINGS,
            shape,
            encode: |tree, settings| encode(tree, Bvh4::<GFX11>::GENERATION, settings),
            figures,
            write,
            keeps_boxes: true,
            has_blocks: true,
        }),
        structures: STRUCTURES,
        rules: Rule::ENTRIES,
        writers: &Writer::NAMES,
    }
}

const SETTINGS: &[Setting] = &[
    Setting {
        key: "policy",
        values: &["own", "radv", "gpurt"],
        meaning: "whose memory it is: where nodes lie, what they hold beside the geometry",
        is_compared: true,
    },
    Setting {
        key: "half",
        values: &["auto", "on", "off"],
        meaning: "store boxes in halves where they hardly grow; auto: with radv only",
        is_compared: false,
    },
    Setting {
        key: "margin",
        values: &["auto", "on", "off"],
        meaning: "widen boxes so that the hardware loses no hit; auto: with own only",
        is_compared: false,
    },
];

const STRUCTURES: &[machine::fields::FieldTable] = &[
    Fp32BoxNode::TABLE,
    Fp16BoxNode::TABLE,
    GpurtTriangleNode::TABLE,
    RadvTriangleNode::TABLE,
    IdWord::TABLE,
    TriangleInfo::TABLE,
    ProceduralNode::TABLE,
    RadvProceduralNode::TABLE,
    GpurtInstanceNode::TABLE,
    RadvInstanceNode::TABLE,
    RadvHeader::TABLE,
    GpurtHeader::TABLE,
    GeometryInfo::TABLE,
];

/// The machines.
pub const MACHINES: &[MachineEntry] = &[
    MachineEntry {
        settings: SINGLES,
        ..walk(Generation::Gfx10, "gfx10-radv", "RADV's loop on RDNA2", |input, options| {
            make::<false>("gfx10-radv", input, options)
        })
    },
    walk(Generation::Gfx10, "gfx10-gpurt", "GPURT's loop on RDNA2", |input, options| {
        make::<false>("gfx10-gpurt", input, options)
    }),
    MachineEntry {
        settings: SINGLES,
        ..walk(
            Generation::Gfx11,
            "gfx11-radv",
            "RADV's loop on RDNA3, repaired: its stack loses nothing",
            |input, options| make::<true>("gfx11-radv", input, options),
        )
    },
    MachineEntry {
        settings: SINGLES,
        may_lose: |_, _, _| true,
        ..walk(
            Generation::Gfx11,
            "gfx11-radv-literal",
            "RADV's loop on RDNA3 as once shipped, with the hits that it loses",
            |input, options| make::<true>("gfx11-radv-literal", input, options),
        )
    },
    walk(Generation::Gfx11, "gfx11-gpurt", "GPURT's loop on RDNA3", |input, options| {
        make::<true>("gfx11-gpurt", input, options)
    }),
    MachineEntry {
        may_lose: |_, _, _| true,
        ..walk(
            Generation::Gfx11,
            "gfx11-gpurt-literal",
            "GPURT's ray query on RDNA3 as published, with the hits that it loses",
            |input, options| make::<true>("gfx11-gpurt-literal", input, options),
        )
    },
];

/// RADV's loops see one triangle of a node. The margin makes up for the hardware's roundings.
const SINGLES: &[(&str, &str)] = &[("policy", "radv"), ("margin", "on")];

/// GFX10.3 has no instruction for a stack: its ring may be of any size.
const RING_SIZES: StackSizes = &[1..=255];
/// What two bits of GFX11's stack instruction say.
const LDS_SIZES: StackSizes = &[8..=8, 16..=16, 32..=32, 64..=64];

/// A machine that walks images with the box test of the hardware.
const fn walk(
    generation: Generation,
    name: &'static str,
    summary: &'static str,
    make: fn(&MachineInput, &MachineOptions) -> MadeMachine,
) -> MachineEntry {
    let reads: fn(&FormatEntry) -> bool = match generation {
        Generation::Gfx10 => |format| format.name == GFX10_NAME,
        Generation::Gfx11 => |format| format.name == GFX11_NAME,
    };
    let (format, stack_sizes) = match generation {
        Generation::Gfx10 => (GFX10_NAME, RING_SIZES),
        Generation::Gfx11 => (GFX11_NAME, LDS_SIZES),
    };
    MachineEntry {
        name,
        summary,
        reads,
        format,
        settings: &[],
        takes_trees: false,
        nodes: NodeNames::Image,
        stack_sizes,
        has_capabilities: false,
        takes_beams: false,
        oracle: None,
        may_lose,
        make,
    }
}

/// Hits of rays that start beyond the reach of the margin, and of procedurals in RADV's memory:
/// such a box is that of its slot, so that no margin lies between it and the box test.
fn may_lose(input: &MachineInput, query: &RayQuery, hit: &Hit) -> bool {
    let is_slot = || match input {
        MachineInput::Image(checked) => {
            let image = checked.image();
            Structure::of_root(image, &Memory::new(image)).writer == Writer::Radv
                && checked.tree().is_procedural(hit.instance, hit.geometry)
        }
        MachineInput::Tree(_) => false,
    };
    loses_beyond_margin(input, query, hit) || is_slot()
}

fn make<const GFX11: bool>(
    machine: &'static str,
    input: &MachineInput,
    options: &MachineOptions,
) -> MadeMachine {
    let image = match input {
        MachineInput::Image(image) => downcast::<Bvh4<GFX11>>(image),
        MachineInput::Tree(_) => None,
    };
    let wrong = || WrongFormat { machine, format: input.format() };
    let image: Arc<Checked<Bvh4<GFX11>>> = image.ok_or_else(wrong)?;
    let kind = Loop::of_name(machine).ok_or_else(wrong)?;
    Ok(Box::new(Walk::over(kind, image, options.rule, options.stack_size)?))
}

fn encode(
    tree: &Tree,
    generation: Generation,
    settings: &Settings,
) -> Result<Encoded, EncodeError> {
    let policy = settings.get("policy").and_then(Policy::of_name).unwrap_or_default();
    let usual = Options::new(policy);
    let switch = |key, usual| match settings.get(key) {
        Some("on") => true,
        Some("off") => false,
        _ => usual,
    };
    let options = Options {
        half: switch("half", usual.half),
        margin: switch("margin", usual.margin),
        ..usual
    };
    let image = encode::encode(tree, generation, &options)?;
    Ok(Encoded { image, details: Vec::new() })
}

/// A node holds one pair, or with RADV one triangle, which no two nodes share.
fn shape(settings: &Settings) -> TreeShape {
    let is_radv = settings.get("policy") == Some("radv");
    let max_leaf = if is_radv { 1 } else { 2 };
    TreeShape { width: 4, max_leaf, leaf_test_width: max_leaf, splits: !is_radv }
}

fn figures(image: &Image) -> Figures {
    let outline = outline::<Structure>(image);
    let nodes = outline.total("primitive_nodes");
    let (geometry, ids) = ((LEAF_BYTES - ID_BYTES) * nodes, ID_BYTES * nodes);
    Figures {
        bytes: ByteSplit::new(image.byte_count() as u64, geometry, ids),
        box_nodes: outline.total("boxes") as usize,
        primitive_nodes: nodes as usize,
        instance_nodes: outline.total("instances") as usize,
        details: Vec::new(),
    }
}

fn read<const GFX11: bool>(bytes: &[u8], options: &ReadOptions) -> Result<ImageFile, ReadError> {
    let format = Bvh4::<GFX11>::NAME;
    match &options.raw {
        Some(layout) => {
            let mut file = ImageFile::raw(format, bytes, layout);
            let writer = layout.writer.and_then(Writer::of_name);
            file.image.bases.extend(writer.map(Writer::code));
            Ok(file)
        }
        None if Magic::of(bytes).is_some() => rra::read(format, bytes, options.structure),
        None if dump::is_file(bytes) => dump::read::<GFX11>(bytes, options.structure),
        None => open_container(read_container(format, bytes)?, options.structure),
    }
}

/// An image with its structures listed, from one of them on.
fn open_container(mut file: ImageFile, number: Option<usize>) -> Result<ImageFile, ReadError> {
    let survey = Survey::new(&file.image);
    let memory = Memory::new(&file.image);
    let wholes = survey.structures.iter().filter(|surveyed| !surveyed.is_part);
    let listed = wholes.filter_map(|surveyed| {
        let segment = memory.segment_of(surveyed.structure.base)?;
        Some((surveyed, segment, &file.image.segments[segment]))
    });
    let listed: Vec<_> = listed.collect();
    let structures = listed.iter().map(|(surveyed, number, segment)| StructureSummary {
        level: if surveyed.instances.is_empty() { "BLAS" } else { "TLAS" },
        address: segment.address,
        offset: file.places[*number].offset(0),
        bytes: segment.bytes().len(),
        primitives: surveyed.leaves.len().max(surveyed.instances.len()) as u32,
        nodes: [surveyed.boxes.len(), surveyed.leaves.len() + surveyed.instances.len()]
            .map(|count| count as u32),
        name: None,
        allocated: None,
    });
    let structures: Vec<StructureSummary> = structures.collect();
    let chosen = number.unwrap_or(0);
    if chosen >= structures.len() && number.is_some() {
        return Err(ReadError::NoStructure { number: chosen, count: structures.len() });
    }
    let alone =
        listed.get(chosen).filter(|(surveyed, ..)| chosen > 0 && surveyed.instances.is_empty());
    if let Some((surveyed, number, segment)) = alone {
        let structure = &surveyed.structure;
        let bases = vec![structure.base, structure.leaf_base, structure.writer.code()];
        let (format, root) = (file.image.format, structure.root.0.into());
        let places = vec![file.places[*number].clone()];
        let image = Image { format, segments: vec![(*segment).clone()], bases, root };
        return Ok(ImageFile { structures, structure: chosen, ..ImageFile::of(image, places) });
    }
    file.structures = structures;
    Ok(file)
}

/// The container, unless a file for the viewer or a dump is asked for; RADV's memory as it is,
/// where its bytes tell the generation.
fn write(image: &Image, ending: Option<&str>) -> Result<Vec<u8>, EncodeError> {
    if ending.is_some_and(|ending| ending.eq_ignore_ascii_case("rra")) {
        return rra::write(image);
    }
    let is_dump = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("gamma"));
    if let Some(dump) = dump::write_gamma(image).filter(|_| is_dump) {
        return Ok(dump);
    }
    let root = Structure::of_root(image, &Memory::new(image));
    let memory = memory::write(image).ok().filter(|_| root.writer == Writer::Radv);
    let memory = memory.filter(|it| dump::generation(it) == Some(Told::Is(root.generation)));
    Ok(memory.unwrap_or_else(|| write_container(image)))
}
