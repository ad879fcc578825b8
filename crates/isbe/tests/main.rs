//! The memory, its container and its instructions, tried from outside.

mod container;
mod instructions;
mod layout;
mod round_trip;
mod vectors;
mod warp;
