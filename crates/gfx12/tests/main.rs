//! The format, its check, its instructions and its walks, tried from outside.

mod bvh4x2;
mod check;
mod dual_instruction;
mod encode;
mod lds_stack;
mod rra;
mod vectors;
mod walk;
mod worked_ranges;
