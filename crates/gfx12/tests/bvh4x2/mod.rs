//! The format `gfx12-bvh4x2` and the machine that walks it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod damage;
mod round_trip;
mod rules;
mod walks;
