//! The extension: decisions, arithmetic, tiles and vectors.

mod arithmetic;
mod decisions;
mod fuzz;
mod test_hart;
mod tiles;
mod vectors;
