//! The options of commands that read images, and their help.

use crate::failure::Failure;
use crate::finding_args::FindingChoice;
use crate::machine_args::{all_formats, tree_formats, writers};
use crate::values;
use clap::Args;
use siliray::find::Wanted;
use siliray::gfx12::layout::{PointerFlags, Resource};
use siliray::input::Reading;
use siliray::machine::{FormatEntry, RawLayout, ReadOptions, Settings};
use siliray::registry::registry;
use std::ffi::OsString;
use std::path::PathBuf;

/// Which image.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImageChoice {
    /// Start in structure N of the file [default: the largest TLAS, else the largest BLAS]
    #[arg(long, value_name = "N", conflicts_with = "raw", help_heading = "Image options")]
    #[arg(value_parser = values::index, allow_negative_numbers = true)]
    pub(crate) structure: Option<usize>,

    /// The file is raw memory
    #[arg(long, requires = "base", help_heading = "Image options")]
    pub(crate) raw: bool,

    /// Raw memory: the address of its first byte, so that the addresses in instances lead to their
    /// structures [default: 0]
    #[arg(long, value_name = "ADDR", requires = "raw", help_heading = "Image options")]
    #[arg(value_parser = values::address, allow_negative_numbers = true)]
    pub(crate) address: Option<u64>,

    /// Raw memory: the address that box nodes count from
    #[arg(long, value_name = "ADDR", requires = "raw", help_heading = "Image options")]
    #[arg(value_parser = values::address, allow_negative_numbers = true)]
    pub(crate) base: Option<u64>,

    /// Raw memory: the address that other nodes count from [default: the base]
    #[arg(long, value_name = "ADDR", requires = "raw", help_heading = "Image options")]
    #[arg(value_parser = values::address, allow_negative_numbers = true)]
    pub(crate) primitive_base: Option<u64>,

    /// Raw memory: the pointer of the first node; behind GPURT's header it is 0x15, else 0x5, as
    /// RADV and HIPRT count from behind theirs
    #[arg(long, value_name = "PTR", requires = "raw", help_heading = "Image options")]
    #[arg(value_parser = values::word, allow_negative_numbers = true)]
    pub(crate) root: Option<u32>,

    /// The format of raw memory, or of a file whose bytes do not tell it [default: as the bytes
    /// tell; of raw memory gfx12]
    #[arg(long, value_name = "FORMAT", value_parser = all_formats())]
    #[arg(help_heading = "Image options")]
    pub(crate) raw_format: Option<&'static FormatEntry>,

    /// Raw memory of gfx10-bvh4, gfx11-bvh4 and gfx12: who wrote it [default: as the headers before
    /// its nodes say, else own]
    #[arg(long, value_name = "WRITER", value_parser = writers())]
    #[arg(requires = "raw", help_heading = "Image options")]
    pub(crate) writer: Option<&'static str>,
}

impl ImageChoice {
    /// The first option that is given.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        let options = [
            ("--structure", self.structure.is_some()),
            ("--raw", self.raw),
            ("--raw-format", self.raw_format.is_some()),
        ];
        options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// How the image in the file is found. Raw memory does not say where its nodes begin, and a
    /// header can be read as a box: the root must be given, or the one node that is asked for.
    pub(crate) fn reading(&self, node: Option<u64>) -> Result<Reading, Failure> {
        let (structure, format) = (self.structure, self.raw_format);
        let Some(base) = self.base.filter(|_| self.raw) else {
            return Ok(Reading { format, options: ReadOptions { structure, raw: None } });
        };
        let Some(root) = self.root.map(u64::from).or(node) else {
            return Err(Failure::usage("raw memory needs --root, the pointer of its first node")
                .hint("behind GPURT's header the first node is 0x15, with other writers 0x5"));
        };
        let read_as = format.or_else(|| registry().format(siliray::gfx12::NAME));
        if let (Some(writer), Some(FormatEntry { name, writers, .. })) = (self.writer, read_as)
            && !writers.contains(&writer)
        {
            let message = format!("--writer {writer}: {name} has one layout, whoever writes it");
            return Err(Failure::usage(message)
                .hint("a writer goes with --raw-format gfx10-bvh4, gfx11-bvh4 or gfx12"));
        }
        let (address, writer) = (self.address.unwrap_or(0), self.writer);
        let raw = RawLayout { address, base, primitive_base: self.primitive_base, root, writer };
        Ok(Reading { format, options: ReadOptions { structure, raw: Some(raw) } })
    }
}

/// The image to lay a tree out as.
#[derive(Debug, Clone, Args)]
pub(crate) struct ImageOutput {
    /// Lay the tree out in this format
    #[arg(long, value_name = "FORMAT", value_parser = tree_formats())]
    #[arg(help_heading = "Image options")]
    pub(crate) format: Option<&'static FormatEntry>,

    /// Write the image to this file. AMD's formats: under the ending .rra a file that Radeon
    /// Raytracing Analyzer opens (gfx12: under any, but for the policies radv and hiprt), under
    /// .gamma, of the policy radv, a dump as RADV writes it, and under any other the memory as the
    /// driver of the policy has it, or siliray's container. xphmg: the memory from 0x81000000 on,
    /// which `run --load` puts there
    #[arg(long, short, value_name = "FILE", requires = "format", help_heading = "Image options")]
    pub(crate) output: Option<PathBuf>,

    /// Whose memory it is, how primitives are packed and planes are rounded; gfx12: dense, radv,
    /// gpurt or hiprt [default: dense]; gfx10-bvh4 and gfx11-bvh4: own, radv or gpurt [default:
    /// own]
    #[arg(long, value_name = "POLICY", requires = "format", help_heading = "Image options")]
    pub(crate) policy: Option<String>,

    /// gfx12: let box nodes be oriented where that pays
    #[arg(long, requires = "format", help_heading = "Image options")]
    pub(crate) obb: bool,

    /// gfx12: let instances be entered below the roots of their structures where that pays
    #[arg(long, requires = "format", help_heading = "Image options")]
    pub(crate) rebraid: bool,

    /// gfx12-bvh4x2: how the planes of boxes are stored: fp32 or high [default: fp32]
    #[arg(long, value_name = "PRECISION", requires = "format", help_heading = "Image options")]
    pub(crate) precision: Option<String>,

    /// Any setting of the format; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "format")]
    #[arg(value_parser = values::setting, help_heading = "Image options")]
    pub(crate) settings: Vec<(String, String)>,
}

impl ImageOutput {
    /// What is set, whichever option set it; twice is once too often.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        let named = [("policy", &self.policy), ("precision", &self.precision)];
        let named = named.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
        let switches = [("obb", self.obb), ("rebraid", self.rebraid)];
        let switched = switches.into_iter().filter(|(_, on)| *on).map(|(key, _)| (key, "on"));
        let set = self.settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        named.chain(switched).chain(set).try_fold(
            Settings::default(),
            |all, (key, value)| match all.get(key) {
                Some(other) => Err(Failure::usage(format!(
                    "{key} is set twice, to {other} and to {value}: expected one --set or option"
                ))),
                None => Ok(all.with(key, value)),
            },
        )
    }
}

/// Prove that images are safe to walk, or say what is wrong with them.
///
/// Errors are what makes a walk unsafe: a pointer out of memory, a cycle, a range without an end;
/// or what makes Radeon Raytracing Analyzer refuse the file. Warnings are what loses hits or is
/// odd: a vertex outside a box above it, a parent that disagrees. Each finding has its byte offset
/// in the file, its bits, its rule, what was found and what was expected. Errors are listed first,
/// then how often each rule is broken; --rule, --severity and --all list the rest. Notes are habits
/// of drivers that do no harm. The exit status is 1 if there is an error, listed or not, and with
/// --fail-on warning also if there is a warning.
///
/// Of several files, or a folder with those in it, each has one line with its verdict; what was
/// found is listed where it fails the command, or was asked for. In folders, files that are no
/// images are left out. The exit status is the worst of all.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray check capture.rra
  siliray check capture.rra --fail-on warning
  siliray check dumps/ --fail-on warning
  siliray check capture.rra --rule contained --limit 3
  siliray check capture.rra --severity warning
  siliray check capture.rra --structure 3 --json
  siliray check before.bin --scene bunny.ply
  siliray check after.bin --update before.bin --scene bunny.ply
  siliray check dump.bin --raw --base 0x40 --primitive-base 0x4c0 --root 0x5
  siliray check mesh.isbe")]
pub(crate) struct Check {
    /// Files that build wrote, captures (.rra), dumps (.gamma, .isbe), raw memory, or folders of
    /// them
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// The scene that the image was made of: its primitives must be in the image, bit for bit; any
    /// that is not is an error. Dumps (.isbe) are not compared
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Option<OsString>,

    /// The file is this one after an update (a refit): check what an update may change, and what
    /// it must
    #[arg(long, value_name = "BEFORE")]
    pub(crate) update: Option<PathBuf>,

    /// An update into another structure: BEFORE, read again when the update had been made
    #[arg(long, value_name = "BEFORE2", requires = "update")]
    pub(crate) old: Option<PathBuf>,

    /// What the same update made in another run
    #[arg(long, value_name = "AFTER2", requires = "update")]
    pub(crate) twice: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) findings: FindingChoice,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Show what is in an image: totals, a node, or the tree.
///
/// Without an option, the structures of the file and sums over the image. With --node, one node as
/// fields: name, bits, what stands there, what it means; and what software keeps beside it. With
/// --tree, every node from the root down. With --find, the way from the root to each node that
/// holds a primitive, a byte of the file or a point. The image may be unsound: nothing is followed
/// that does not lead to memory.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A point is searched in the space of the root; below an instance whose transform the image shows,
in the space of the instance. The levels of the formats tree, ttu and cwbvh are searched one by
one, each in its own space.

Examples:
  siliray inspect capture.rra
  siliray inspect capture.rra --node 0x15
  siliray inspect capture.rra --tree --depth 3
  siliray inspect capture.rra --find 1042
  siliray inspect capture.rra --find 2:1042
  siliray inspect capture.rra --find @0x1c80
  siliray inspect capture.rra --find 0.1,0.2,0.3
  siliray inspect mesh.isbe --node 0x12c4
  siliray inspect dump.bin --raw --base 0x40 --primitive-base 0x4c0 --node 0x12 --json")]
pub(crate) struct Inspect {
    /// A file that build wrote, a capture (.rra), a dump (.isbe), or raw memory
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Show the node behind this pointer, as --tree and walk show it (not its address); of a dump,
    /// the part around this byte of the file
    #[arg(long, value_name = "PTR", value_parser = values::pointer, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["tree", "depth", "find"])]
    pub(crate) node: Option<u64>,

    /// Find a primitive (1042, or geometry:primitive), a byte of the file as check and diff name it
    /// (@0x1c80; not an address), or a point (0.1,0.2,0.3)
    #[arg(long, value_name = "WHAT", value_parser = values::find, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["tree", "depth"])]
    pub(crate) find: Option<Wanted>,

    /// Show the tree as an outline
    #[arg(long)]
    pub(crate) tree: bool,

    /// Show N levels of the tree; the root is the first
    #[arg(long, value_name = "N", requires = "tree", allow_negative_numbers = true)]
    #[arg(value_parser = values::levels)]
    pub(crate) depth: Option<u32>,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Execute one intersection instruction on a node.
///
/// Runs image_bvh8_intersect_ray on the node, or, on an image of the format gfx12-bvh4x2,
/// image_bvh_dual_intersect_ray on one or two nodes, or, on one of gfx10-bvh4 or gfx11-bvh4,
/// image_bvh64_intersect_ray, and shows the result registers, bit for bit, and what they mean. The
/// image may be unsound: every instruction has an answer for any bytes.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray intersect capture.rra --node 0x15 --origin 0,5,5 --direction 1,0,0
  siliray intersect capture.rra --node 0x15 --origin 0,5,5 --direction 1,0,0 --extent 4 --mask 0x01
  siliray intersect dump.bin --raw --base 0x40 --primitive-base 0x4c0 --node 0x12 \\
      --origin 278,273,-800 --direction 0,0,1 --resource 0,0x80100000,0xffffffff,0x816803ff
  siliray intersect bunny.bvh4x2 --node 0x15 --node 0x25 --origin 0,0,-3 --direction 0,0,1
  siliray intersect nodes.bin --raw --raw-format gfx12-bvh4x2 --base 0 --node 0x5 --node 0x15 \\
      --origin 0,0,0 --direction 1,0,0
  siliray intersect guest.bin --raw --raw-format gfx10-bvh4 --base 0x40 --node 0x5 \\
      --origin 0,0,0 --direction 1,0,0")]
pub(crate) struct Intersect {
    /// A file that build wrote, a capture (.rra), or raw memory
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The node pointer; twice for the dual instruction
    #[arg(long, value_name = "PTR", value_parser = values::word, required = true)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) node: Vec<u32>,

    /// Where the ray starts
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true)]
    pub(crate) origin: [f32; 3],

    /// Where the ray goes; of any length
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true)]
    pub(crate) direction: [f32; 3],

    /// The largest t that boxes are tested against
    #[arg(long, value_name = "T", default_value = "inf", allow_hyphen_values = true)]
    #[arg(value_parser = values::float)]
    pub(crate) extent: f32,

    /// The ray's instance mask
    #[arg(long, value_name = "MASK", default_value = "0xff", value_parser = values::mask)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) mask: u8,

    /// The four words of the resource descriptor T# [default: as RADV sets them; for the dual
    /// instruction, closest first with a growth of 6]
    #[arg(long, value_name = "W0,W1,W2,W3", value_parser = values::resource)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) resource: Option<Resource>,

    /// Flags of the base pointer, by name or as a number from bit 54 on: force_opaque,
    /// force_non_opaque, disable_face_cull, flip_facing, cull_back_facing, cull_front_facing,
    /// cull_opaque, cull_non_opaque, skip_triangles, skip_procedural
    #[arg(long, value_name = "FLAGS", default_value = "0", value_parser = values::pointer_flags)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) flags: PointerFlags,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Print the figures of acceleration structures in the drivers' own words.
///
/// The columns, weights and roundings are those of the file that RADV writes if
/// RADV_BVH_STATS_FILE names one; such files are read as well as images. Of two inputs the
/// differences are shown in the form of commit messages: totals over the structures in which any
/// figure changed. Folders are read whole, in parallel.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray stats capture.rra --more
  siliray stats dumps/ --csv
  siliray stats before.bin after.bin")]
pub(crate) struct Stats {
    /// Images, CSV files of a driver's, or folders of them; two are compared
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) inputs: Vec<PathBuf>,

    /// Add what the driver leaves out: slots used, pairs and primitives a node, overlap of
    /// siblings, slots that could say more of what is below
    #[arg(long)]
    pub(crate) more: bool,

    /// Print the driver's CSV
    #[arg(long)]
    pub(crate) csv: bool,

    /// List the structures of two inputs, rather than compare them
    #[arg(long)]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Update an image: the same tree over geometry that moved.
///
/// Leaves get the vertices of the scene, and boxes are fitted to them from the bottom up, with the
/// rounding of whoever wrote the image; no other byte changes, as the updates of RADV, GPURT and
/// HIPRT have it. Primitives are found by their ids. A compressed leaf may have no room for
/// vertices that moved: `build --set updatable=on` lays images out for updates. The cost of the
/// tree is told before, after, and of a new tree over the scene; games refit too long.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray refit before.bin --scene bunny.ply -o after.bin
  siliray refit before.bin --scene bunny.ply -o after.bin --no-rebuild --json")]
pub(crate) struct Refit {
    /// The image
    #[arg(value_name = "IMAGE")]
    pub(crate) file: PathBuf,

    /// The scene after it moved: a file, or a built-in scene
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// Write the image to this file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Do not build the scene anew to compare the costs
    #[arg(long)]
    pub(crate) no_rebuild: bool,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Show how two images differ, node by node and field by field.
///
/// Nodes are compared by structure and place, fields by their bits. A summary comes first: how many
/// nodes of each kind are equal, changed or only in one image, and which fields changed how often,
/// with the first place. The options for raw memory hold for both files. The exit status is 0 if
/// the images are the same, 1 if they differ or one cannot be read, and 2 for wrong usage.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray diff before.rra after.rra
  siliray diff before.rra after.rra --limit 1000
  siliray diff before.rra after.rra --all
  siliray diff before.isbe after.isbe
  siliray diff a.bin b.bin --raw --base 0x40 --primitive-base 0x4c0 --root 0x5 --json")]
pub(crate) struct Diff {
    /// The first file
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,

    /// The second file
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,

    /// List N differences [default: 10; with --json all]
    #[arg(long, value_name = "N", value_parser = values::index, allow_negative_numbers = true)]
    #[arg(conflicts_with = "all")]
    pub(crate) limit: Option<usize>,

    /// List all differences
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Run vector files: cases with known answers.
///
/// A vector file is JSON with the schema siliray-vectors/1 and a kind, which says what to run. A
/// file that cannot be run is one failed case, and the others are run all the same. The exit status
/// is 1 if a case gives another answer than the file says.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray vectors gfx12-bvh8.json
  siliray vectors vectors/*.json --json")]
pub(crate) struct Vectors {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}
