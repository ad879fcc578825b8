//! The formats and machines that are tried.
//!
//! `fast` is the tracer with the best kernel of this processor over its own copy of the image; `fast-avx2` the same with AVX2,
//! `fast-scalar` its plain walk over that copy, and `fast-in-place` the one over the image. These are asked ray by ray; `fast-bundle`,
//! `fast-batch` and `fast-in-place-batch` in batches (`batched`).
//!
//! `gfx12-radv` and its literal twin need ranges of one pair, so they run on images packed that way, with the
//! margin. What drivers really write has none: `gfx12:radv` and `gfx12:gpurt` are copies of them, and the
//! hits that the hardware loses there are losses. `xphmg-fp32:bare` has no margin either, and a program with RT.BBOX as
//! published runs on it. `gfx12-bvh4x2:high` has boxes of high precision.

use super::make;
use build::Preset;
use geometry::TriangleRule;
use gfx12::Gfx12;
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::uncompressed::{BoxPrecision, Gfx12Bvh4x2, Options as DualLayout};
use machine::{CheckedImage, Format, Machine, TreeFormat};
use std::fmt;
use tree::Tree;
use ttu::Tb12;
use xphmg::{Precision, Tiles};

/// A machine on a format.
pub(super) struct Contender {
    pub(super) format: &'static dyn Format,
    /// The format's name in the table; a copy of a driver has a name of its own.
    pub(super) name: &'static str,
    /// How trees are laid out. Contenders with one layout stand together and share images.
    pub(super) layout: &'static str,
    /// The machine's name.
    pub(super) machine: &'static str,
    /// Makes the machine over a proved image.
    pub(super) make: for<'a> fn(Ground<'a>) -> Result<Box<dyn Machine + 'a>, MakeError>,
    /// What its answers are compared with.
    pub(super) truth: Truth,
    /// What it is known to lose.
    pub(super) loses: Loses,
    /// The trees that it is tried on.
    pub(super) presets: &'static [Preset],
}

/// What a machine is made of.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) image: &'a CheckedImage,
    /// What the image decodes to.
    pub(super) decoded: &'a Tree,
    pub(super) rule: TriangleRule,
    /// Entries of the traversal stack, for machines that have one.
    pub(super) stack_size: u8,
}

/// Why there is no machine.
pub(super) type MakeError = Box<dyn std::error::Error + Send + Sync>;

/// What the answers of a machine are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    /// The oracle on the decoded geometry, by either triangle rule.
    Oracle,
    /// Every triangle by the hardware's own arithmetic: rays rounded to the elements, closed intervals.
    Tiles,
    /// The same, ordered by the narrowed `t` that a program sees.
    TilesNarrowed,
}

/// Which differences a machine is known for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loses {
    /// None.
    Nothing,
    /// Hits of rays that the margin of the image does not cover ([`gfx12::walk::Promise`]).
    BeyondTheMargin,
    /// Any hits: it copies a driver.
    Hits,
    /// Hits of rays that the margin does not cover, and those that the triangle test accepts by rounding alone
    /// although the ray misses the triangle's own box ([`xphmg::machines::hits_outside_box`]).
    OutsideTheirBoxes,
}

pub(super) const DENSE: Gfx12 = Gfx12 { options: EncodeOptions::new(Policy::Dense) };
const ORIENTED: Gfx12 =
    Gfx12 { options: EncodeOptions { obb: true, ..EncodeOptions::new(Policy::Dense) } };
const ONE_PAIR: Gfx12 =
    Gfx12 { options: EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Radv) } };
const AS_RADV: Gfx12 = Gfx12 { options: EncodeOptions::new(Policy::Radv) };
const AS_GPURT: Gfx12 = Gfx12 { options: EncodeOptions::new(Policy::Gpurt) };
const BVH4X2: Gfx12Bvh4x2 = Gfx12Bvh4x2 { options: DualLayout::new(BoxPrecision::Fp32) };
const FP32: Tiles = Tiles::new(Precision::Fp32);
const FP32_WIDE: Tiles = Tiles { wide: true, ..FP32 };
const FP32_BARE: Tiles = Tiles { margin: false, ..FP32 };
pub(super) const FP16: Tiles = Tiles::new(Precision::Fp16);
const BF16: Tiles = Tiles::new(Precision::Bf16);
const INT16Q: Tiles = Tiles::new(Precision::Int16q);
const BVH4X2_HIGH: Gfx12Bvh4x2 = Gfx12Bvh4x2 { options: DualLayout::new(BoxPrecision::High) };

/// All of them, in the order of the table.
pub(super) static CONTENDERS: &[Contender] = &[
    Contender {
        format: &TreeFormat,
        name: "tree",
        layout: "tree",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "gfx12-gpurt",
        make: make::gpurt,
        truth: Truth::Oracle,
        loses: Loses::BeyondTheMargin,
        presets: &Preset::ALL,
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast",
        make: make::fast,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast-scalar",
        make: make::fast_scalar,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Best],
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast-avx2",
        make: make::fast_avx2,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced, Preset::Best],
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast-in-place",
        make: make::fast_in_place,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast-bundle",
        make: make::fast_bundle,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced, Preset::Best],
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast-batch",
        make: make::fast_batch,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Best],
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense",
        machine: "fast-in-place-batch",
        make: make::fast_in_place_batch,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced, Preset::Best],
    },
    Contender {
        format: &ONE_PAIR,
        name: "gfx12",
        layout: "one pair",
        machine: "gfx12-radv",
        make: make::radv,
        truth: Truth::Oracle,
        loses: Loses::BeyondTheMargin,
        presets: &[Preset::Balanced, Preset::Best],
    },
    Contender {
        format: &ONE_PAIR,
        name: "gfx12",
        layout: "one pair",
        machine: "gfx12-radv-literal",
        make: make::radv_literal,
        truth: Truth::Oracle,
        loses: Loses::Hits,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &AS_RADV,
        name: "gfx12:radv",
        layout: "radv",
        machine: "gfx12-radv",
        make: make::radv,
        truth: Truth::Oracle,
        loses: Loses::Hits,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &AS_GPURT,
        name: "gfx12:gpurt",
        layout: "gpurt",
        machine: "gfx12-gpurt",
        make: make::gpurt,
        truth: Truth::Oracle,
        loses: Loses::Hits,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &BVH4X2,
        name: "gfx12-bvh4x2",
        layout: "bvh4x2",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &BVH4X2,
        name: "gfx12-bvh4x2",
        layout: "bvh4x2",
        machine: "gfx12-dual",
        make: make::dual,
        truth: Truth::Oracle,
        loses: Loses::BeyondTheMargin,
        presets: &Preset::ALL,
    },
    Contender {
        format: &BVH4X2_HIGH,
        name: "gfx12-bvh4x2:high",
        layout: "bvh4x2 high",
        machine: "gfx12-dual",
        make: make::dual,
        truth: Truth::Oracle,
        loses: Loses::BeyondTheMargin,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &Tb12,
        name: "ttu",
        layout: "tb12",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &Tb12,
        name: "ttu",
        layout: "tb12",
        machine: "ttu",
        make: make::ttu_on_blocks,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &Preset::ALL,
    },
    Contender {
        format: &DENSE,
        name: "gfx12",
        layout: "dense as blocks",
        machine: "ttu",
        make: make::ttu_on_gfx12,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced, Preset::Best],
    },
    Contender {
        format: &ORIENTED,
        name: "gfx12:obb",
        layout: "oriented as blocks",
        machine: "ttu",
        make: make::ttu_on_gfx12,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &TreeFormat,
        name: "tree",
        layout: "tree as blocks",
        machine: "ttu",
        make: make::ttu_on_tree,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP32,
        name: "xphmg-fp32",
        layout: "tiles fp32",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP32,
        name: "xphmg-fp32",
        layout: "tiles fp32",
        machine: "offload",
        make: make::offload,
        truth: Truth::Tiles,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced, Preset::Best],
    },
    Contender {
        format: &FP32,
        name: "xphmg-fp32",
        layout: "tiles fp32",
        machine: "hart",
        make: make::hart,
        truth: Truth::TilesNarrowed,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP32_WIDE,
        name: "xphmg-fp32",
        layout: "tiles fp32 node8",
        machine: "offload",
        make: make::offload,
        truth: Truth::Tiles,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP16,
        name: "xphmg-fp16",
        layout: "tiles fp16",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP16,
        name: "xphmg-fp16",
        layout: "tiles fp16",
        machine: "offload",
        make: make::offload,
        truth: Truth::Tiles,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP16,
        name: "xphmg-fp16",
        layout: "tiles fp16",
        machine: "hart",
        make: make::hart,
        truth: Truth::TilesNarrowed,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &BF16,
        name: "xphmg-bf16",
        layout: "tiles bf16",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &BF16,
        name: "xphmg-bf16",
        layout: "tiles bf16",
        machine: "offload",
        make: make::offload,
        truth: Truth::Tiles,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &BF16,
        name: "xphmg-bf16",
        layout: "tiles bf16",
        machine: "hart",
        make: make::hart,
        truth: Truth::TilesNarrowed,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &INT16Q,
        name: "xphmg-int16q",
        layout: "tiles int16q",
        machine: "reference",
        make: make::reference,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &INT16Q,
        name: "xphmg-int16q",
        layout: "tiles int16q",
        machine: "offload",
        make: make::offload,
        truth: Truth::Tiles,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &INT16Q,
        name: "xphmg-int16q",
        layout: "tiles int16q",
        machine: "hart",
        make: make::hart,
        truth: Truth::TilesNarrowed,
        loses: Loses::OutsideTheirBoxes,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP32_BARE,
        name: "xphmg-fp32:bare",
        layout: "tiles fp32 bare",
        machine: "hart",
        make: make::published_hart,
        truth: Truth::TilesNarrowed,
        loses: Loses::Hits,
        presets: &[Preset::Balanced],
    },
    Contender {
        format: &FP16,
        name: "xphmg-fp16",
        layout: "tiles as blocks",
        machine: "ttu",
        make: make::ttu_on_tiles,
        truth: Truth::Oracle,
        loses: Loses::Nothing,
        presets: &[Preset::Balanced],
    },
];

impl Contender {
    /// Whether it is asked under a triangle rule. Hardware with arithmetic of its own is asked once.
    pub(super) fn takes_rule(&self, rule: TriangleRule) -> bool {
        self.truth == Truth::Oracle || rule == TriangleRule::Watertight
    }

    pub(super) fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {} ({})", self.machine, self.name, self.layout)
    }
}
