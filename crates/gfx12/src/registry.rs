//! The formats and machines of this hardware, for the registry.

use crate::bvh4x2::file as bvh4x2_file;
use crate::bvh4x2::{self, BoxPrecision, Gfx12Bvh4x2};
use crate::encode::{Options, Policy, Report};
use crate::layout::bvh4x2::triangle_node::IdWord;
use crate::layout::bvh4x2::{
    Bvh4x2InstanceNode, Fp32BoxNode, HighPrecisionBoxNode, TriangleInfo, TriangleNode,
};
use crate::layout::{
    BoxFrame, BoxNode, ChildEntry, GeometryInfo, GpurtHeader, GpurtSideband, HiprtFrame,
    HiprtGeometry, HiprtInstance, HiprtScene, InstanceNode, NODE_BYTES, PairDescriptor,
    PrimitiveHeader, RadvGeometryInfo, RadvHeader, RadvInstanceData, TriangleDescriptor,
};
use crate::rra::container::Magic;
use crate::rra::{self, RraError};
use crate::stack::StackAddress;
use crate::walk::{Dual, Gpurt, Hiprt, Options as WalkOptions, Radv, RadvLiteral, Shipped};
use crate::{Gfx12, NAME, check, describe, dump, encode, outline};
use bvh4::writer::Writer;
use machine::file::{is_container_of, read_container};
use machine::registry::{MadeMachine, NodeNames, StackSizes, loses_beyond_margin};
use machine::{
    ByteSplit, Capabilities, Checked, Detail, EncodeError, Encoded, Figures, Format, FormatEntry,
    Image, ImageFile, Machine, MachineEntry, MachineInput, MachineOptions, MakeError, Outline,
    ReadError, ReadOptions, Setting, Settings, StructureSummary, TreeEntry, TreeFormat, TreeShape,
    WrongFormat, downcast,
};
use std::sync::Arc;
use tree::Tree;

/// The formats.
pub const FORMATS: &[FormatEntry] = &[
    FormatEntry {
        name: NAME,
        summary: "AMD GFX12: compressed 8-wide nodes",
        ending: "rra",
        sniff: |bytes| {
            is_container_of(NAME, bytes)
                || Magic::of(bytes).is_some() && !bvh4x2_file::is_file(bytes)
                || dump::is_file(bytes)
        },
        read,
        check: |image| Gfx12::check(image).erase(),
        outline: outline::outline,
        describe: describe::describe,
        trees: Some(TreeEntry {
            capabilities: |settings| Capabilities {
                procedural: settings.get("policy") != Some("hiprt"),
                ..Capabilities::ALL
            },
            settings: &[
                Setting {
                    key: "policy",
                    values: &["dense", "radv", "gpurt", "hiprt"],
                    meaning: "whose memory it is, how primitives are packed and planes are rounded",
                    is_compared: true,
                },
                Setting {
                    key: "obb",
                    values: &["off", "on"],
                    meaning: "let box nodes be oriented where that pays",
                    is_compared: true,
                },
                Setting {
                    key: "rebraid",
                    values: &["off", "on"],
                    meaning: "let instances be entered below the roots of their structures where \
                              that pays",
                    is_compared: false,
                },
                Setting {
                    key: "updatable",
                    values: &["off", "on"],
                    meaning: "lay triangles out so that updates can move them: nothing \
                              compressed, one triangle (radv) or pair (gpurt) a node, none shared \
                              (dense); hiprt compresses nothing",
                    is_compared: false,
                },
                Setting {
                    key: "margin",
                    values: &["auto", "on", "off"],
                    meaning: "widen boxes so that the hardware loses no hit; auto: with dense only",
                    is_compared: false,
                },
            ],
            shape,
            encode,
            figures: |image| {
                let outline = outline::outline(image);
                figures(image, &outline, NODE_BYTES, outline::id_bits(image, &outline))
            },
            write,
            keeps_boxes: true,
            has_blocks: true,
        }),
        structures: &[
            BoxNode::TABLE,
            BoxFrame::TABLE,
            ChildEntry::TABLE,
            PrimitiveHeader::TABLE,
            PairDescriptor::TABLE,
            TriangleDescriptor::TABLE,
            InstanceNode::TABLE,
            RadvInstanceData::TABLE,
            GpurtSideband::TABLE,
            RadvHeader::TABLE,
            RadvGeometryInfo::TABLE,
            HiprtGeometry::TABLE,
            HiprtScene::TABLE,
            HiprtInstance::TABLE,
            HiprtFrame::TABLE,
            GpurtHeader::TABLE,
            GeometryInfo::TABLE,
            StackAddress::TABLE,
        ],
        rules: check::Rule::ENTRIES,
        writers: &Writer::NAMES,
    },
    FormatEntry {
        name: bvh4x2::NAME,
        summary: "AMD GFX12: uncompressed 4-wide nodes, for the dual instruction",
        ending: "bvh4x2",
        sniff: |bytes| is_container_of(bvh4x2::NAME, bytes) || bvh4x2_file::is_file(bytes),
        read: read_bvh4x2,
        check: |image| Gfx12Bvh4x2::check(image).erase(),
        outline: outline::bvh4x2_outline,
        describe: describe::bvh4x2_describe,
        trees: Some(TreeEntry {
            capabilities: |_| Capabilities::ALL,
            settings: &[Setting {
                key: "precision",
                values: &["fp32", "high"],
                meaning: "how the planes of boxes are stored",
                is_compared: true,
            }],
            // A node holds one pair.
            shape: |_| TreeShape { width: 4, max_leaf: 2, leaf_test_width: 2, splits: true },
            encode: encode_bvh4x2,
            figures: |image| {
                let outline = outline::bvh4x2_outline(image);
                let id_bits = TriangleNode::ID_BITS * outline.total("primitive_nodes");
                figures(image, &outline, TriangleNode::BYTES, id_bits)
            },
            write: |image, _| Ok(bvh4x2_file::write(image)),
            keeps_boxes: true,
            has_blocks: true,
        }),
        structures: &[
            Fp32BoxNode::TABLE,
            HighPrecisionBoxNode::TABLE,
            TriangleNode::TABLE,
            IdWord::TABLE,
            TriangleInfo::TABLE,
            Bvh4x2InstanceNode::TABLE,
        ],
        rules: bvh4x2::Rule::ENTRIES,
        writers: &[],
    },
];

/// The machines.
pub const MACHINES: &[MachineEntry] = &[
    walk("gfx12-gpurt", "GPURT's loop over image_bvh8_intersect_ray", |input, options| {
        let walk = walk_options(WalkOptions::gpurt, options);
        machine(Gpurt::new(image("gfx12-gpurt", input)?, walk))
    }),
    MachineEntry {
        settings: ONE_PAIR,
        ..walk("gfx12-radv", "RADV's loop, repaired: its stack loses nothing", |input, options| {
            let walk = walk_options(WalkOptions::radv, options);
            machine(Radv::new(image("gfx12-radv", input)?, walk))
        })
    },
    shipped(
        "gfx12-radv-25.2",
        "RADV's loop of Mesa 25.2 to 26.0.4: its losses",
        |input, options| literal(Shipped::Mesa25_2, input, options),
    ),
    shipped("gfx12-radv-26.0.5", "RADV's loop of Mesa 26.0.5: its losses", |input, options| {
        literal(Shipped::Mesa26_0_5, input, options)
    }),
    shipped("gfx12-radv-26.2", "RADV's loop of Mesa 26.2: its losses", |input, options| {
        literal(Shipped::Mesa26_2, input, options)
    }),
    MachineEntry {
        settings: HIPRT,
        stack_sizes: SPILLING_SIZES,
        ..walk(
            "gfx12-hiprt",
            "HIPRT's loop, with a stack that spills to memory",
            |input, options| {
                let walk = walk_options(WalkOptions::hiprt, options);
                machine(Hiprt::new(image("gfx12-hiprt", input)?, walk))
            },
        )
    },
    MachineEntry {
        reads: |format| format.name == bvh4x2::NAME,
        format: bvh4x2::NAME,
        ..walk("gfx12-dual", "the loop around image_bvh_dual_intersect_ray", |input, options| {
            let walk = walk_options(WalkOptions::dual, options);
            machine(Dual::new(image("gfx12-dual", input)?, walk))
        })
    },
];

/// What the stack instruction has room for.
const STACK_SIZES: StackSizes = &[1..=31];
/// HIPRT's stack spills, so that its size is free.
const SPILLING_SIZES: StackSizes = &[1..=255];

/// A machine that walks images with the box test of the hardware.
const fn walk(
    name: &'static str,
    summary: &'static str,
    make: fn(&MachineInput, &MachineOptions) -> MadeMachine,
) -> MachineEntry {
    MachineEntry {
        name,
        summary,
        reads: |format| format.name == NAME,
        format: NAME,
        settings: &[],
        takes_trees: false,
        nodes: NodeNames::Image,
        stack_sizes: STACK_SIZES,
        has_capabilities: false,
        takes_beams: false,
        oracle: None,
        may_lose: loses_beyond_margin,
        make,
    }
}

/// A loop that a driver ships, with the hits that it loses.
const fn shipped(
    name: &'static str,
    summary: &'static str,
    make: fn(&MachineInput, &MachineOptions) -> MadeMachine,
) -> MachineEntry {
    MachineEntry { settings: ONE_PAIR, may_lose: |_, _, _| true, ..walk(name, summary, make) }
}

fn literal(shipped: Shipped, input: &MachineInput, options: &MachineOptions) -> MadeMachine {
    let walk = walk_options(WalkOptions::radv, options);
    machine(RadvLiteral::new(shipped, image(shipped.name(), input)?, walk))
}

/// RADV's loop visits one pair of each child. The margin makes up for the hardware's roundings.
const ONE_PAIR: &[(&str, &str)] = &[("policy", "radv"), ("margin", "on")];
const HIPRT: &[(&str, &str)] = &[("policy", "hiprt"), ("margin", "on")];

fn image<F: TreeFormat>(
    machine: &'static str,
    input: &MachineInput,
) -> Result<Arc<Checked<F>>, WrongFormat> {
    let image = match input {
        MachineInput::Image(image) => downcast(image),
        MachineInput::Tree(_) => None,
    };
    image.ok_or(WrongFormat { machine, format: input.format() })
}

fn machine<M: Machine + 'static, E: Into<MakeError>>(made: Result<M, E>) -> MadeMachine {
    made.map(|machine| Box::new(machine) as Box<dyn Machine>).map_err(Into::into)
}

fn walk_options(
    usual: fn(geometry::TriangleRule) -> WalkOptions,
    options: &MachineOptions,
) -> WalkOptions {
    let usual = usual(options.rule);
    WalkOptions { stack_size: options.stack_size.unwrap_or(usual.stack_size), ..usual }
}

fn encode(tree: &Tree, settings: &Settings) -> Result<Encoded, EncodeError> {
    let policy: Policy = settings.get("policy").unwrap_or("dense").parse()?;
    let usual = Options {
        obb: settings.is_on("obb"),
        rebraid: settings.is_on("rebraid"),
        updatable: settings.is_on("updatable"),
        ..Options::new(policy)
    };
    let margin = match settings.get("margin") {
        Some("on") => true,
        Some("off") => false,
        _ => usual.margin,
    };
    let encode::Encoded { image, report } = encode::encode(tree, &Options { margin, ..usual })?;
    let mut details = details(&report);
    if usual.rebraid && tree.tlas.is_some() {
        let plain = Options { rebraid: false, margin, ..usual };
        let before = encode::encode(tree, &plain)?.report;
        details.extend([
            ("opened_instances", Detail::Count(report.opened_instances as u64)),
            ("instance_nodes_whole", Detail::Count(before.instance_nodes as u64)),
            ("tlas_cost_whole", Detail::Number(before.tlas_cost)),
            ("tlas_cost", Detail::Number(report.tlas_cost)),
        ]);
    }
    Ok(Encoded { image, details })
}

/// A range of the driver's policies is one pair; siliray's own chooses its ranges itself.
fn shape(settings: &Settings) -> TreeShape {
    let (max_leaf, leaf_test_width) = match settings.get("policy") {
        None | Some("dense") => (8, 1),
        Some("hiprt") => (8, 2),
        Some("radv") if settings.is_on("updatable") => (1, 1),
        _ => (2, 2),
    };
    TreeShape { width: 8, max_leaf, leaf_test_width, splits: true }
}

fn encode_bvh4x2(tree: &Tree, settings: &Settings) -> Result<Encoded, EncodeError> {
    let precision = match settings.get("precision") {
        Some("high") => BoxPrecision::High,
        _ => BoxPrecision::Fp32,
    };
    let image = bvh4x2::encode::encode(tree, &bvh4x2::Options::new(precision))?;
    let details = details(&bvh4x2::report::report(tree, &image));
    Ok(Encoded { image, details })
}

fn details(report: &Report) -> Vec<(&'static str, Detail)> {
    let mut details = vec![
        ("pairs_per_node", Detail::Number(report.pairs_per_node())),
        ("vertex_bits_saved", Detail::Count(report.vertex_bits_saved() as u64)),
    ];
    if report.oriented_nodes > 0 {
        details.extend([
            ("oriented_nodes", Detail::Count(report.oriented_nodes as u64)),
            ("sah_cost_axis_aligned", Detail::Number(report.sah_encoded)),
            ("sah_cost", Detail::Number(report.sah_oriented)),
        ]);
    }
    details
}

/// The figures of an image whose primitive nodes have so many bytes each, and so many bits of ids
/// in all. The rest of these nodes is geometry.
fn figures(image: &Image, outline: &Outline, node_bytes: u64, id_bits: u64) -> Figures {
    let count = |name| outline.total(name) as usize;
    let ids = id_bits.div_ceil(8);
    let geometry = (node_bytes * outline.total("primitive_nodes")).saturating_sub(ids);
    Figures {
        bytes: ByteSplit::new(image.byte_count() as u64, geometry, ids),
        box_nodes: count("boxes"),
        primitive_nodes: count("primitive_nodes"),
        instance_nodes: count("instances"),
        details: Vec::new(),
    }
}

/// Memory that a driver laid out is written as it is, unless a file for the viewer is asked for.
fn write(image: &Image, ending: Option<&str>) -> Result<Vec<u8>, EncodeError> {
    let is_for_viewer = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("rra"));
    let is_dump = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("gamma"));
    if let Some(dump) = dump::write_gamma(image).filter(|_| is_dump) {
        return Ok(dump);
    }
    if dump::is_memory(image) && !is_for_viewer {
        return Ok(dump::write_memory(image)?);
    }
    Ok(rra::write(image)?)
}

fn broken(error: RraError) -> ReadError {
    ReadError::Broken(Box::new(error.0))
}

fn read(bytes: &[u8], options: &ReadOptions) -> Result<ImageFile, ReadError> {
    if let Some(layout) = &options.raw {
        let mut file = ImageFile::raw(NAME, bytes, layout);
        let writer = layout.writer.and_then(Writer::of_name);
        file.image.bases.extend(writer.map(Writer::code));
        return Ok(file);
    }
    if is_container_of(NAME, bytes) {
        return read_container(NAME, bytes);
    }
    if dump::is_file(bytes) {
        return dump::read(bytes, options.structure);
    }
    let file = rra::read(bytes).map_err(broken)?;
    let count = file.structures.len();
    if let Some(number) = options.structure.filter(|&number| number >= count) {
        return Err(ReadError::NoStructure { number, count });
    }
    let opened = file.open(options.structure).map_err(broken)?;
    let structures = file.structures.iter().map(|structure| {
        let header = structure.header();
        StructureSummary {
            level: structure.level.name(),
            address: structure.segment.address,
            offset: structure.place.offset(0),
            bytes: structure.segment.bytes().len(),
            primitives: header.primitive_count,
            nodes: [header.internal_fp32_count, header.leaf_node_count],
            name: None,
            allocated: None,
        }
    });
    let findings = file.findings.iter().chain(&opened.findings).cloned().collect();
    let rra::Opened { image, places, structure, .. } = opened;
    let structures = structures.collect();
    Ok(ImageFile { findings, structures, structure, ..ImageFile::of(image, places) })
}

fn read_bvh4x2(bytes: &[u8], options: &ReadOptions) -> Result<ImageFile, ReadError> {
    if let Some(layout) = &options.raw {
        return Ok(ImageFile::raw(bvh4x2::NAME, bytes, layout));
    }
    if is_container_of(bvh4x2::NAME, bytes) {
        return read_container(bvh4x2::NAME, bytes);
    }
    let file = bvh4x2_file::read(bytes)
        .map_err(broken)?
        .unwrap_or(bvh4x2_file::File { structures: Vec::new() });
    let structures = file.structures.iter().map(|stored| StructureSummary {
        level: stored.level.name(),
        address: stored.segment.address,
        offset: stored.place.offset(0),
        bytes: stored.segment.bytes().len(),
        primitives: stored.primitive_count,
        nodes: [stored.box_count, stored.leaf_count],
        name: None,
        allocated: None,
    });
    let structures: Vec<StructureSummary> = structures.collect();
    let (number, count) = (options.structure.unwrap_or(0), structures.len());
    let opened = file.open(number).ok_or(ReadError::NoStructure { number, count })?;
    let rra::Opened { image, places, structure, findings } = opened;
    Ok(ImageFile { findings, structures, structure, ..ImageFile::of(image, places) })
}
