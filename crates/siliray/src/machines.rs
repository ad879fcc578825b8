//! Machines by name, over a tree laid out in a format that they walk.
//!
//! | format | machines | layout |
//! |---|---|---|
//! | `tree` | `reference`, `fast` | the tree itself |
//! | `gfx12` | `fast` | dense, leaves as built |
//! | `gfx12` | `reference`, `gfx12-gpurt` | dense, with the margin |
//! | `gfx12` | `gfx12-radv`, `gfx12-radv-literal` | one pair a range, with the margin |
//! | `gfx12-bvh4x2` | `reference`, `gfx12-dual` | fp32 boxes |
//! | `xphmg-fp32`, `-fp16`, `-bf16`, `-int16q` | `reference`, `offload`, `hart`, `ttu` | tiles of four children, with the margin |
//! | `ttu` | `reference`, `ttu` | blocks of 128 bytes |
//! | `tree`, `gfx12` | `ttu` | as above: the same machine on other blocks |

use build::{Options as BuildOptions, Preset};
use geometry::TriangleRule;
use gfx12::Gfx12;
use gfx12::encode::{Options as EncodeOptions, Policy};
use gfx12::uncompressed::{BoxPrecision, Gfx12Bvh4x2, Options as DualLayout};
use gfx12::walk::{Dual, Gpurt, Options as WalkOptions, Radv, RadvLiteral, WalkError};
use machine::{
    BlockFormat, CheckedImage, EncodeError, Finding, Format, Machine, Reference, TreeFormat,
};
use riscv::machine::{HartMachine, LoadedProgramError};
use trace::{Options as TracerOptions, TraceError, Tracer};
use tree::Tree;
use ttu::program::ProgramError;
use ttu::{Config as TtuConfig, RunError, Tb12, TtuMachine, World};
use xphmg::machines::{Offload, SceneNames, TilesImage, TilesImageError};
use xphmg::{Precision, Tiles};

/// Options matter to the encoder alone.
static GFX12: Gfx12 = Gfx12 { options: EncodeOptions::new(Policy::Dense) };

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormatName {
    /// The tree itself.
    Tree,
    /// AMD GFX12, compressed.
    Gfx12,
    /// AMD GFX12, uncompressed.
    Gfx12Bvh4x2,
    /// Blocks of the tree traversal unit.
    Ttu,
    /// Tiles of XPHMG_RT.
    Xphmg(Precision),
}

/// A machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MachineName {
    /// The fast tracer.
    Fast,
    /// The plain walk over the tree that an image decodes to.
    Reference,
    /// GPURT's loop.
    Gfx12Gpurt,
    /// RADV's loop, repaired.
    Gfx12Radv,
    /// RADV's loop as shipped.
    Gfx12RadvLiteral,
    /// The loop around the dual instruction.
    Gfx12Dual,
    /// The tree traversal unit, with its default configuration.
    Ttu,
    /// The offload job of XPHMG_RT.
    Offload,
    /// A program on a RISC-V hart with XPHMG_RT.
    Hart,
}

impl FormatName {
    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Gfx12 => "gfx12",
            Self::Gfx12Bvh4x2 => "gfx12-bvh4x2",
            Self::Ttu => "ttu",
            Self::Xphmg(precision) => precision.name(),
        }
    }

    /// The format as a traversal unit reads it; `None` if it has no blocks.
    #[must_use]
    pub fn blocks(self) -> Option<&'static dyn BlockFormat> {
        match self {
            Self::Tree => Some(&TreeFormat),
            Self::Ttu => Some(&Tb12),
            Self::Xphmg(precision) => Some(tiles(precision)),
            Self::Gfx12 => Some(&GFX12),
            Self::Gfx12Bvh4x2 => None,
        }
    }
}

impl MachineName {
    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Reference => "reference",
            Self::Gfx12Gpurt => "gfx12-gpurt",
            Self::Gfx12Radv => "gfx12-radv",
            Self::Gfx12RadvLiteral => "gfx12-radv-literal",
            Self::Gfx12Dual => "gfx12-dual",
            Self::Ttu => "ttu",
            Self::Offload => "offload",
            Self::Hart => "hart",
        }
    }

    /// The format that it walks, if it is not asked for another.
    #[must_use]
    pub const fn own_format(self) -> FormatName {
        match self {
            Self::Reference | Self::Fast => FormatName::Tree,
            Self::Gfx12Gpurt | Self::Gfx12Radv | Self::Gfx12RadvLiteral => FormatName::Gfx12,
            Self::Gfx12Dual => FormatName::Gfx12Bvh4x2,
            Self::Ttu => FormatName::Ttu,
            Self::Offload | Self::Hart => FormatName::Xphmg(Precision::Fp32),
        }
    }

    /// How trees are built for it: `preset`, or the one that suits it best.
    #[must_use]
    pub fn build_options(self, preset: Option<Preset>) -> BuildOptions {
        match self {
            Self::Fast => Tracer::build_options(preset.unwrap_or(Tracer::PRESET)),
            _ => BuildOptions::preset(preset.unwrap_or_default()),
        }
    }
}

/// A tree, laid out for a machine.
#[derive(Debug)]
pub struct LaidOut {
    machine: MachineName,
    format: FormatName,
    /// What the image decodes to; the tree itself where there is none.
    tree: Tree,
    image: Option<CheckedImage>,
}

/// Why there is no machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The machine cannot walk the format.
    #[error("the machine {machine} does not walk the format {format}")]
    Format {
        /// The machine.
        machine: &'static str,
        /// The format.
        format: &'static str,
    },
    /// The tree has no image.
    #[error("the tree has no image in the format {format}: {source}")]
    Encode {
        /// The format.
        format: &'static str,
        /// What it cannot hold.
        source: EncodeError,
    },
    /// The image is unsound: a defect of siliray.
    #[error("the image in the format {format} does not pass its own check ({} findings)", findings.len())]
    Unsound {
        /// The format.
        format: &'static str,
        /// Everything that was found.
        findings: Vec<Finding>,
    },
    /// The machine refuses the image.
    #[error(transparent)]
    Refused(#[from] WalkError),
    /// There is no tracer over the image.
    #[error(transparent)]
    Tracer(#[from] TraceError),
    /// The hart has no place for the image.
    #[error(transparent)]
    LoadedProgram(#[from] LoadedProgramError),
    /// The image is not one of tiles.
    #[error(transparent)]
    Ground(#[from] TilesImageError),
    /// A block of the image is too large for the traversal unit.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The traversal unit is too small for the image.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl LaidOut {
    /// Lays `tree` out for `machine` and proves the result.
    ///
    /// # Errors
    /// When the machine does not walk the format, or the format cannot hold the tree.
    pub fn new(tree: Tree, format: FormatName, machine: MachineName) -> Result<Self, MachineError> {
        let walks = match machine {
            MachineName::Reference => true,
            MachineName::Fast => matches!(format, FormatName::Tree | FormatName::Gfx12),
            MachineName::Ttu => format.blocks().is_some(),
            MachineName::Offload | MachineName::Hart => matches!(format, FormatName::Xphmg(_)),
            _ => machine.own_format() == format,
        };
        if !walks {
            let (machine, format) = (machine.name(), format.name());
            return Err(MachineError::Format { machine, format });
        }
        match format {
            FormatName::Tree if machine == MachineName::Ttu => {
                Self::encoded(&tree, &TreeFormat, format, machine)
            }
            FormatName::Tree => Ok(Self { machine, format, tree, image: None }),
            FormatName::Ttu => Self::encoded(&tree, &Tb12, format, machine),
            FormatName::Xphmg(precision) => Self::encoded(&tree, tiles(precision), format, machine),
            FormatName::Gfx12 => {
                let needs_pairs =
                    matches!(machine, MachineName::Gfx12Radv | MachineName::Gfx12RadvLiteral);
                let policy = if needs_pairs { Policy::Radv } else { Policy::Dense };
                // The tracer's own box test loses nothing, so it needs no margin.
                let is_fast = machine == MachineName::Fast;
                let (margin, keep_leaves) = (!is_fast, is_fast);
                let options = EncodeOptions { margin, keep_leaves, ..EncodeOptions::new(policy) };
                Self::encoded(&tree, &Gfx12 { options }, format, machine)
            }
            FormatName::Gfx12Bvh4x2 => {
                let options = DualLayout::new(BoxPrecision::Fp32);
                Self::encoded(&tree, &Gfx12Bvh4x2 { options }, format, machine)
            }
        }
    }

    fn encoded(
        tree: &Tree,
        encoder: &dyn Format,
        format: FormatName,
        machine: MachineName,
    ) -> Result<Self, MachineError> {
        let name = format.name();
        let image =
            encoder.encode(tree).map_err(|source| MachineError::Encode { format: name, source })?;
        let report = encoder.check(image);
        let findings = report.findings;
        let image = report.checked.ok_or(MachineError::Unsound { format: name, findings })?;
        let tree = encoder.decode(&image);
        Ok(Self { machine, format, tree, image: Some(image) })
    }

    /// The machine, with its usual options.
    ///
    /// # Errors
    /// When it refuses the image.
    pub fn machine(&self, rule: TriangleRule) -> Result<Box<dyn Machine + '_>, MachineError> {
        let tracer = TracerOptions { rule, ..TracerOptions::default() };
        let Some(image) = &self.image else {
            return Ok(match self.machine {
                MachineName::Fast => Box::new(Tracer::from_tree(&self.tree, tracer)?),
                _ => Box::new(Reference::new(&self.tree, rule)),
            });
        };
        let machine: Box<dyn Machine> = match self.machine {
            MachineName::Fast => Box::new(Tracer::from_image(image.clone(), tracer)?),
            MachineName::Reference => Box::new(Reference::new(&self.tree, rule)),
            MachineName::Gfx12Gpurt => Box::new(Gpurt::new(image, WalkOptions::gpurt(rule))?),
            MachineName::Gfx12Radv => Box::new(Radv::new(image, WalkOptions::radv(rule))?),
            MachineName::Gfx12RadvLiteral => {
                Box::new(RadvLiteral::new(image, WalkOptions::radv(rule))?)
            }
            MachineName::Gfx12Dual => Box::new(Dual::new(image, WalkOptions::dual(rule))?),
            MachineName::Ttu => Box::new(TtuMachine::new(self.world(rule)?, TtuConfig::default())?),
            MachineName::Hart => {
                Box::new(HartMachine::new(image, TilesImage::new(image, &self.tree)?)?)
            }
            MachineName::Offload => Box::new(Offload::new(TilesImage::new(image, &self.tree)?)),
        };
        Ok(match self.format {
            FormatName::Xphmg(_) => {
                Box::new(SceneNames::new(machine, TilesImage::new(image, &self.tree)?))
            }
            _ => machine,
        })
    }

    /// The image as a traversal unit reads it.
    ///
    /// # Errors
    /// When the format has no blocks, or one is too large.
    pub fn world(&self, rule: TriangleRule) -> Result<World, MachineError> {
        let (machine, format) = (MachineName::Ttu.name(), self.format.name());
        let blocks = self.format.blocks().ok_or(MachineError::Format { machine, format })?;
        let image = self.image.as_ref().ok_or(MachineError::Format { machine, format })?;
        Ok(World::new(blocks, image, rule)?)
    }

    /// The format that it was laid out in.
    #[must_use]
    pub const fn format(&self) -> FormatName {
        self.format
    }
}

/// Tiles of four children, with the margin.
fn tiles(precision: Precision) -> &'static Tiles {
    match precision {
        Precision::Fp32 => &const { Tiles::new(Precision::Fp32) },
        Precision::Fp16 => &const { Tiles::new(Precision::Fp16) },
        Precision::Bf16 => &const { Tiles::new(Precision::Bf16) },
        Precision::Int16q => &const { Tiles::new(Precision::Int16q) },
    }
}
