//! Instruction words: what they mean, and how they are written as text.
//!
//! | opcode | instructions | encoding by |
//! |---|---|---|
//! | custom-0, 0x0B | `rt.bbox`, `rt.tri` (funct3 6, 7); RSV prefixes (0 to 5) | RT, RSV 0.1.0 |
//! | custom-2, 0x5B | `mtx.ld`, `mtx.mul`, `mtx.mad` | MTX 0.1.0, fields by siliray (X-56, X-57) |
//! | custom-3, 0x7B | `bp.f`, `bp.t`, `xsubmit.rt`, `xfence.*`, `xlds.*` | siliray (X-47) |
//!
//! | file | concept |
//! |---|---|
//! | [`decode`](mod@decode) | word to instruction |
//! | [`encode`](mod@encode) | instruction to word |
//! | [`text`] | instruction to text |
//! | [`parse`](mod@parse) | text to instruction |
//!
//! ```
//! use xphmg::encoding::{assemble, disassemble};
//! assert_eq!(assemble("rt.bbox a1, (a0), pack_hint"), Ok(0x0045_658B));
//! assert_eq!(disassemble(0x0015_758B), Some("rt.tri a1, (a0), cull_back".to_owned()));
//! ```

pub mod decode;
pub mod encode;
pub mod parse;
pub mod text;

pub use decode::{IllegalWord, decode};
pub use encode::encode;
pub use parse::{ParseError, parse};

/// The opcode of RT instructions and RSV prefixes.
pub const CUSTOM_0: u32 = 0x0B;
/// The opcode of MTX.
pub const CUSTOM_2: u32 = 0x5B;
/// The opcode of siliray's own encodings (X-47).
pub const CUSTOM_3: u32 = 0x7B;

bitflags::bitflags! {
    /// Immediate bits of `rt.bbox`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct BboxFlags: u8 {
        /// Return the clamped pair.
        const T_CLAMP = 1;
        /// Write the predicate only.
        const PRED_ONLY = 2;
        /// Pack the results into one register where they fit.
        const PACK_HINT = 4;
        /// A ninth ray element of 0 forces a miss (X-28).
        const W_GUARD = 8;
    }
}

bitflags::bitflags! {
    /// Immediate bits of `rt.tri`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct TriFlags: u8 {
        /// Reject back faces.
        const CULL_BACK = 1;
        /// Write the predicate only.
        const PRED_ONLY = 2;
        /// Pack the results into one register where they fit.
        const PACK_HINT = 4;
        /// Raise the lower bound by epsilon (X-32).
        const EPS_CTL = 8;
    }
}

/// One instruction. Registers are numbers below 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction {
    /// `rt.bbox rd, (rs1), flags`.
    Bbox {
        /// First destination register.
        rd: u8,
        /// Address of the ray record.
        rs1: u8,
        /// Immediate.
        flags: BboxFlags,
    },
    /// `rt.tri rd, (rs1), flags`.
    Tri {
        /// First destination register.
        rd: u8,
        /// Address of the ray record.
        rs1: u8,
        /// Immediate.
        flags: TriFlags,
    },
    /// An RSV prefix.
    Prefix(Prefix),
    /// `bp.f` or `bp.t`: branch on P0.
    Branch {
        /// The value of P0 that branches.
        on: bool,
        /// Distance in bytes, even.
        offset: i16,
    },
    /// `xsubmit.rt rd, (rs1)`.
    Submit {
        /// Receives the ticket.
        rd: u8,
        /// Address of the descriptor.
        rs1: u8,
    },
    /// `xfence.wait rs1`: waits for a ticket.
    FenceWait {
        /// Ticket.
        rs1: u8,
    },
    /// `xfence.signal rs1`: arms an event token.
    FenceSignal {
        /// Token.
        rs1: u8,
    },
    /// `xfence.wait.e rs1`: waits for an event token.
    FenceWaitEvent {
        /// Token.
        rs1: u8,
    },
    /// `xfence.pipe domain`: no effect.
    FencePipe {
        /// Which pipe.
        domain: PipeDomain,
    },
    /// `xlds.alloc rd, rs1`.
    LdsAlloc {
        /// Receives the address.
        rd: u8,
        /// Bytes.
        rs1: u8,
    },
    /// `xlds.free rs1`.
    LdsFree {
        /// Address.
        rs1: u8,
    },
    /// `xlds.bar`: no effect.
    LdsBarrier,
    /// `mtx.ld (rs1), shape, flags`.
    MtxLoad {
        /// Address of the matrix.
        rs1: u8,
        /// Rows and columns.
        shape: Shape,
        /// TRANSPOSE.
        transpose: bool,
        /// ROWMAJOR; column-major otherwise.
        row_major: bool,
        /// WITH_BIAS: a bias vector follows the matrix.
        with_bias: bool,
        /// STRIDE, a hint.
        stride: u8,
    },
    /// `mtx.mul rd, (rs1), shape, n=…` or `mtx.mad`.
    MtxMultiply {
        /// Register with the address of the output vectors.
        rd: u8,
        /// Register with the address of the input vectors.
        rs1: u8,
        /// Rows and columns.
        shape: Shape,
        /// TRANSPOSE.
        transpose: bool,
        /// SAT_HINT.
        saturate: bool,
        /// Vectors, 1 to 8.
        count: u8,
        /// STRIDE, a hint.
        stride: u8,
        /// `mtx.mad`: add the bias bank.
        add_bias: bool,
    },
}

/// RSV prefixes (specification, section 9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    /// `svsetvl rd, rs1`.
    SetLength {
        /// Receives the effective length.
        rd: u8,
        /// The length is in its low eight bits.
        rs1: u8,
    },
    /// `svsetvl rd, n`.
    SetLengthTo {
        /// Receives the effective length.
        rd: u8,
        /// The length, not 0.
        length: u8,
    },
    /// `svon.one`.
    One,
    /// `svon.blk n`.
    Block {
        /// How many instructions; 0 acts as `svend`.
        count: u8,
    },
    /// `svend`.
    End,
    /// `svp.one.vlstep vl, s, d`.
    OneWithSteps {
        /// Length, 1 to 64.
        length: u8,
        /// Step code of the sources.
        source: u8,
        /// Step code of the destination.
        destination: u8,
    },
    /// `svon.fpctl rc, sae, z`.
    FpControl {
        /// RISC-V rounding code; 5 to 7 use MODE's.
        rounding: u8,
        /// SAE.
        suppress: bool,
        /// ZMODE.
        zero_masked: bool,
    },
}

/// Domains of `xfence.pipe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeDomain {
    /// Ray tracing, 2.
    Rt,
    /// Matrices, 3.
    Mtx,
    /// All, 15.
    All,
}

impl PipeDomain {
    const ALL: [(Self, u32, &str); 3] =
        [(Self::Rt, 2, "rt"), (Self::Mtx, 3, "mtx"), (Self::All, 15, "all")];
}

/// Shape of a matrix (X-56).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows, 2 to 4.
    pub rows: u8,
    /// Columns, 2 to 4.
    pub columns: u8,
}

impl Shape {
    /// The seven published shapes; 3×4 and 4×3 are not among them.
    pub const ALL: [Self; 7] = [
        Self { rows: 2, columns: 2 },
        Self { rows: 2, columns: 3 },
        Self { rows: 2, columns: 4 },
        Self { rows: 3, columns: 2 },
        Self { rows: 3, columns: 3 },
        Self { rows: 4, columns: 2 },
        Self { rows: 4, columns: 4 },
    ];

    /// The code in the immediate: `(rows-1) << 2 | columns-1`.
    #[must_use]
    pub const fn code(self) -> u32 {
        ((self.rows as u32 - 1) << 2) | (self.columns as u32 - 1)
    }

    /// The shape of a code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.code() == code)
    }
}

/// Assembles one line of text.
///
/// # Errors
/// When the text is no instruction of this extension.
pub fn assemble(line: &str) -> Result<u32, ParseError> {
    parse(line).map(encode)
}

/// The text of a word; `None` if it is no instruction of this extension.
#[must_use]
pub fn disassemble(word: u32) -> Option<String> {
    decode(word).ok().map(|instruction| instruction.to_string())
}

/// ABI names of the integer registers; x0 keeps its number.
const REGISTERS: [&str; 32] = [
    "x0", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5",
    "t6",
];
