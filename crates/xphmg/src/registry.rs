//! The formats and the machine of this hardware, for the registry.

use crate::layout::records::TriRange;
use crate::machines::{BruteForce, Offload, TilesImage, hits_outside_box, offload};
use crate::numeric::ElementFormat;
use crate::readings::NodeLayout;
use crate::tiles::Rule;
use crate::tiles::contents::Contents;
use crate::tiles::header::{Header, NAME_BYTES, image_of_file};
use crate::tiles::instance::{BlasRecord, InstanceRecord};
use crate::tiles::precision::Registers;
use crate::{Precision, Tiles};
use machine::registry::{NodeNames, loses_beyond_margin};
use machine::{
    ByteSplit, Capabilities, EncodeError, Encoded, Figures, FilePlace, Format, FormatEntry, Hit,
    Image, ImageFile, MachineEntry, MachineInput, RayQuery, Setting, Settings, TreeEntry,
    TreeFormat, TreeShape, WrongFormat, downcast,
};
use tree::Tree;

/// The formats, one for each precision.
pub const FORMATS: &[FormatEntry] = &[
    entry::<0>("XPHMG_RT tiles, FP32"),
    entry::<1>("XPHMG_RT tiles, FP16"),
    entry::<2>("XPHMG_RT tiles, bfloat16"),
    entry::<3>("XPHMG_RT tiles, quantised 16-bit integers"),
    entry::<4>("XPHMG_RT tiles, quantised 8-bit integers"),
    entry::<5>("XPHMG_RT tiles, FP8 E4M3"),
    entry::<6>("XPHMG_RT tiles, FP8 E5M2"),
];

/// The machine.
pub const MACHINES: &[MachineEntry] = &[MachineEntry {
    name: offload::NAME,
    summary: "the offload job of XPHMG_RT",
    reads: reads_tiles,
    format: Precision::Fp32.name(),
    settings: &[],
    takes_trees: false,
    nodes: NodeNames::Image,
    stack_sizes: &[],
    has_capabilities: false,
    takes_beams: false,
    oracle: Some(|input| Ok(Box::new(BruteForce::new(tiles_of(offload::NAME, input)?)))),
    may_lose: may_lose_outside_box,
    make: |input, _| Ok(Box::new(Offload::new(tiles_of(offload::NAME, input)?))),
}];

/// The triangle test accepts some near edge-on triangles by rounding alone, where the ray misses
/// the triangle's own box; and the margin covers rays that start within its reach.
#[must_use]
pub fn may_lose_outside_box(input: &MachineInput, query: &RayQuery, hit: &Hit) -> bool {
    let slips = |tiles: TilesImage| hits_outside_box(&tiles, query, hit);
    loses_beyond_margin(input, query, hit) || tiles_of("", input).is_ok_and(slips)
}

/// Whether a format is one of tiles.
#[must_use]
pub fn reads_tiles(format: &FormatEntry) -> bool {
    Precision::ALL.iter().any(|precision| precision.name() == format.name)
}

/// The image that a machine of this hardware stands on.
///
/// # Errors
/// When the input is something else.
pub fn tiles_of(machine: &'static str, input: &MachineInput) -> Result<TilesImage, WrongFormat> {
    let image = match input {
        MachineInput::Image(image) => downcast(image),
        MachineInput::Tree(_) => None,
    };
    let wrong = WrongFormat { machine, format: input.format() };
    image.map(TilesImage::new).ok_or(wrong)
}

/// What can be set in every precision.
const SETTINGS: &[Setting] = &[NODE_WIDTH, NODE_LAYOUT, MARGIN];
const FP32_SETTINGS: &[Setting] = &[NODE_WIDTH, NODE_LAYOUT, MARGIN, LEVELS];

const NODE_WIDTH: Setting = Setting {
    key: "node_width",
    values: &["4", "8"],
    meaning: "children of a node; of a literal one three quarters of that",
    is_compared: false,
};
const NODE_LAYOUT: Setting = Setting {
    key: "node_layout",
    values: &["packed", "literal88"],
    meaning: "tiles packed by their elements, or the published 88-byte structure",
    is_compared: false,
};
const MARGIN: Setting = Setting {
    key: "margin",
    values: &["on", "off"],
    meaning: "widen boxes so that rounding in box tests loses nothing",
    is_compared: false,
};
const LEVELS: Setting = Setting {
    key: "levels",
    values: &["two", "one"],
    meaning: "of an instanced scene: a TLAS over BLASes, or one level with all geometry placed",
    is_compared: false,
};

/// The format of precision number `P`.
const fn entry<const P: usize>(summary: &'static str) -> FormatEntry {
    FormatEntry {
        name: Precision::ALL[P].name(),
        summary,
        ending: "xphmg",
        sniff: |bytes| image_of_file(bytes).is_some_and(|i| i.format == Precision::ALL[P].name()),
        read: |bytes, _| {
            let image = image_of_file(bytes).unwrap_or_default();
            Ok(ImageFile::of(image, vec![FilePlace::at(0)]))
        },
        check: |image| Tiles::check(image).erase(),
        outline: crate::tiles::outline::outline,
        describe: crate::tiles::describe::describe,
        trees: Some(TreeEntry {
            capabilities: |_| Capabilities {
                instances: P == 0,
                masks: false,
                flags: false,
                procedural: false,
                ids: false,
            },
            settings: if P == 0 { FP32_SETTINGS } else { SETTINGS },
            // Triangles lie in the order of their ids, and leaf boxes hold whole triangles: a leaf
            // of several would mostly become a node over single ones.
            shape: |settings| TreeShape {
                width: tiles::<P>(settings).shape(ElementFormat::Fp32).width(),
                max_leaf: 1,
                leaf_test_width: 1,
                splits: false,
            },
            encode: encode::<P>,
            figures,
            // One segment, as it lies in memory.
            write: |image, _| Ok(image.segments[0].bytes().to_vec()),
            // Tiles form all boxes from the triangles.
            keeps_boxes: false,
            has_blocks: true,
        }),
        structures: &[
            Header::TABLE,
            Registers::TABLE,
            TriRange::TABLE,
            InstanceRecord::TABLE,
            BlasRecord::TABLE,
        ],
        rules: Rule::ENTRIES,
        writers: &[],
    }
}

fn encode<const P: usize>(tree: &Tree, settings: &Settings) -> Result<Encoded, EncodeError> {
    Ok(tiles::<P>(settings).encode(tree)?.into())
}

/// The format that settings ask for.
fn tiles<const P: usize>(settings: &Settings) -> Tiles {
    Tiles {
        precision: Precision::ALL[P],
        wide: settings.get("node_width") == Some("8"),
        margin: settings.get("margin") != Some("off"),
        flat: settings.get("levels") == Some("one"),
        layout: match settings.get("node_layout") {
            Some("literal88") => NodeLayout::Literal88,
            _ => NodeLayout::Packed,
        },
    }
}

fn figures(image: &Image) -> Figures {
    let Some(contents) = Contents::new(image) else { return Figures::default() };
    let header = contents.header;
    let geometry = header.names.saturating_sub(header.triangle_base);
    let ids = (NAME_BYTES * header.triangles as usize) as u64;
    let blases = || (0..header.blases).map(|number| contents.blas(number));
    let (ranges, instances) = match contents.has_instances() {
        true => (blases().map(|blas| blas.ranges as usize).sum(), header.ranges as usize),
        false => (header.ranges as usize, 0),
    };
    Figures {
        bytes: ByteSplit::new(image.byte_count() as u64, geometry, ids),
        box_nodes: header.nodes as usize + blases().map(|blas| blas.nodes as usize).sum::<usize>(),
        primitive_nodes: ranges,
        instance_nodes: instances,
        ..Figures::default()
    }
}
