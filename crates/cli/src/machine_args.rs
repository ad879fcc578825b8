//! Which machine, and the format that it walks.

use clap::{Args, ValueEnum};
use siliray::machines::{FormatName, MachineName};
use siliray::xphmg::Precision;

/// Who traces.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MachineChoice {
    /// The format that the tree is laid out in [default: the one that the machine walks]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<FormatArg>,

    /// The machine that traces [default: fast, or reference in other formats than gfx12]
    #[arg(long, value_name = "MACHINE", value_enum)]
    machine: Option<MachineArg>,
}

impl MachineChoice {
    /// The machine: as asked for, else the fastest that walks the format.
    pub(crate) fn machine(self) -> MachineName {
        match (self.machine, self.format) {
            (Some(machine), _) => machine.into(),
            (None, None | Some(FormatArg::Gfx12)) => MachineName::Fast,
            (None, Some(_)) => MachineName::Reference,
        }
    }

    /// The format: as asked for, else what the machine walks.
    pub(crate) fn format(self) -> FormatName {
        self.format.map_or(self.machine().own_format(), FormatName::from)
    }
}

/// A format that machines walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// The tree itself
    Tree,
    /// AMD GFX12: compressed 8-wide nodes
    Gfx12,
    /// AMD GFX12: uncompressed 4-wide nodes
    #[value(name = "gfx12-bvh4x2")]
    Gfx12Bvh4x2,
    /// Blocks of the tree traversal unit, 128 bytes each
    Ttu,
    /// XPHMG_RT tiles, FP32
    XphmgFp32,
    /// XPHMG_RT tiles, FP16
    XphmgFp16,
    /// XPHMG_RT tiles, bfloat16
    XphmgBf16,
    /// XPHMG_RT tiles, quantised 16-bit integers
    #[value(name = "xphmg-int16q")]
    XphmgInt16q,
}

impl From<FormatArg> for FormatName {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Tree => Self::Tree,
            FormatArg::Gfx12 => Self::Gfx12,
            FormatArg::Gfx12Bvh4x2 => Self::Gfx12Bvh4x2,
            FormatArg::Ttu => Self::Ttu,
            FormatArg::XphmgFp32 => Self::Xphmg(Precision::Fp32),
            FormatArg::XphmgFp16 => Self::Xphmg(Precision::Fp16),
            FormatArg::XphmgBf16 => Self::Xphmg(Precision::Bf16),
            FormatArg::XphmgInt16q => Self::Xphmg(Precision::Int16q),
        }
    }
}

/// A machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MachineArg {
    /// The fast tracer
    Fast,
    /// The plain walk over the decoded tree
    Reference,
    /// GPURT's loop over image_bvh8_intersect_ray
    Gfx12Gpurt,
    /// RADV's loop, which loses nothing here
    Gfx12Radv,
    /// RADV's loop as shipped
    Gfx12RadvLiteral,
    /// The loop around image_bvh_dual_intersect_ray
    Gfx12Dual,
    /// The tree traversal unit, cycle by cycle
    Ttu,
    /// The offload job of XPHMG_RT
    Offload,
    /// A program on a RISC-V hart with XPHMG_RT
    Hart,
}

impl From<MachineArg> for MachineName {
    fn from(machine: MachineArg) -> Self {
        match machine {
            MachineArg::Fast => Self::Fast,
            MachineArg::Reference => Self::Reference,
            MachineArg::Gfx12Gpurt => Self::Gfx12Gpurt,
            MachineArg::Gfx12Radv => Self::Gfx12Radv,
            MachineArg::Gfx12RadvLiteral => Self::Gfx12RadvLiteral,
            MachineArg::Gfx12Dual => Self::Gfx12Dual,
            MachineArg::Ttu => Self::Ttu,
            MachineArg::Offload => Self::Offload,
            MachineArg::Hart => Self::Hart,
        }
    }
}
