//! The traversal loops against brute force.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // helpers of tests

mod flips;
mod hiprt;
mod literal;
mod margin;
mod parents;
mod parts;
mod ranges;
mod registers;
mod stack_sizes;
mod support;
