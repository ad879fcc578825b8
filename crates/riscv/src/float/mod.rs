//! Binary floating point with RISC-V's rounding modes, flags and NaNs (IEEE 754-2019), in integers.
//!
//! | file | concept |
//! |---|---|
//! | `format` | the two formats, and what bits stand for |
//! | `round` | what a rounded result becomes |
//! | `arithmetic` | sums, products, quotients, roots, fused operations |
//! | `convert` | to and from integers, and between the formats |
//! | `compare` | order, minimum, maximum, classes |
//!
//! Every operation gives its bits and the flags that it raises, in the places of `fflags`. NaN
//! results are canonical: neither sign nor payload of an operand survives.

mod arithmetic;
mod compare;
mod convert;
mod format;
mod round;

pub(crate) use arithmetic::{add, divide, fused_multiply_add, multiply, square_root};
pub(crate) use compare::{class, equal, less, less_or_equal, maximum, minimum};
pub(crate) use convert::{from_integer, to_double, to_integer, to_single};
pub(crate) use format::Format;

/// Invalid operation.
pub(crate) const NV: u8 = 16;
/// Division by zero.
pub(crate) const DZ: u8 = 8;
/// Overflow.
pub(crate) const OF: u8 = 4;
/// Underflow: inexact, and tiny after rounding.
pub(crate) const UF: u8 = 2;
/// Inexact.
pub(crate) const NX: u8 = 1;

/// A single in a double register: the upper half is all ones.
pub(crate) fn nan_boxed(single: u64) -> u64 {
    single | 0xFFFF_FFFF_0000_0000
}

/// The single in a register; the canonical NaN if none is boxed there.
pub(crate) fn unboxed(register: u64) -> u64 {
    if register >> 32 == 0xFFFF_FFFF { register & 0xFFFF_FFFF } else { Format::Single.nan() }
}

#[cfg(test)]
mod tests;
