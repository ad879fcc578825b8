//! Instruction to text. Flags are joined by `|` in the order of their bits and left out when there
//! are none.

use super::{Instruction, PipeDomain, Prefix, REGISTERS};
use crate::numeric::Rounding;
use std::fmt;

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bbox { rd, rs1, flags } => {
                write!(
                    f,
                    "rt.bbox {}, ({}){}",
                    register(rd),
                    register(rs1),
                    flag_list(flags.iter_names())
                )
            }
            Self::Tri { rd, rs1, flags } => {
                write!(
                    f,
                    "rt.tri {}, ({}){}",
                    register(rd),
                    register(rs1),
                    flag_list(flags.iter_names())
                )
            }
            Self::Prefix(prefix) => prefix.fmt(f),
            Self::Branch { on, offset } => {
                write!(f, "bp.{} pc{offset:+}", if on { 't' } else { 'f' })
            }
            Self::Submit { rd, rs1 } => {
                write!(f, "xsubmit.rt {}, ({})", register(rd), register(rs1))
            }
            Self::FenceWait { rs1 } => write!(f, "xfence.wait {}", register(rs1)),
            Self::FenceSignal { rs1 } => write!(f, "xfence.signal {}", register(rs1)),
            Self::FenceWaitEvent { rs1 } => write!(f, "xfence.wait.e {}", register(rs1)),
            Self::FencePipe { domain } => {
                let name = match domain {
                    PipeDomain::Rt => "rt",
                    PipeDomain::Mtx => "mtx",
                    PipeDomain::All => "all",
                };
                write!(f, "xfence.pipe {name}")
            }
            Self::LdsAlloc { rd, rs1 } => {
                write!(f, "xlds.alloc {}, {}", register(rd), register(rs1))
            }
            Self::LdsFree { rs1 } => write!(f, "xlds.free {}", register(rs1)),
            Self::LdsBarrier => f.write_str("xlds.bar"),
            Self::MtxLoad { rs1, shape, transpose, row_major, with_bias, stride } => {
                let flags =
                    [("transpose", transpose), ("rowmajor", row_major), ("with_bias", with_bias)];
                write!(f, "mtx.ld ({}), {}x{}", register(rs1), shape.rows, shape.columns)?;
                mtx_tail(f, &flags, stride)
            }
            Self::MtxMultiply { rd, rs1, shape, transpose, saturate, count, stride, add_bias } => {
                let name = if add_bias { "mad" } else { "mul" };
                let (rd, rs1) = (register(rd), register(rs1));
                write!(f, "mtx.{name} {rd}, ({rs1}), {}x{}, n={count}", shape.rows, shape.columns)?;
                mtx_tail(f, &[("transpose", transpose), ("sat_hint", saturate)], stride)
            }
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SetLength { rd, rs1 } => write!(f, "svsetvl {}, {}", register(rd), register(rs1)),
            Self::SetLengthTo { rd, length } => write!(f, "svsetvl {}, {length}", register(rd)),
            Self::One => f.write_str("svon.one"),
            Self::Block { count } => write!(f, "svon.blk {count}"),
            Self::End => f.write_str("svend"),
            Self::OneWithSteps { length, source, destination } => {
                write!(f, "svp.one.vlstep {length}, {source}, {destination}")
            }
            Self::FpControl { rounding, suppress, zero_masked } => {
                let (sae, z) = (u8::from(suppress), u8::from(zero_masked));
                match Rounding::from_riscv_code(rounding.into()) {
                    Some(mode) => write!(f, "svon.fpctl {mode}, {sae}, {z}"),
                    None => write!(f, "svon.fpctl {rounding}, {sae}, {z}"),
                }
            }
        }
    }
}

/// Name of a register.
fn register(number: u8) -> &'static str {
    REGISTERS[usize::from(number & 31)]
}

/// `, a|b`, or nothing.
fn flag_list<T>(names: impl Iterator<Item = (&'static str, T)>) -> String {
    let names: Vec<String> = names.map(|(name, _)| name.to_lowercase()).collect();
    if names.is_empty() { String::new() } else { format!(", {}", names.join("|")) }
}

fn mtx_tail(f: &mut fmt::Formatter<'_>, flags: &[(&'static str, bool)], stride: u8) -> fmt::Result {
    let set = flags.iter().filter(|(_, is_set)| *is_set).copied();
    f.write_str(&flag_list(set))?;
    if stride != 0 {
        write!(f, ", stride={stride}")?;
    }
    Ok(())
}
