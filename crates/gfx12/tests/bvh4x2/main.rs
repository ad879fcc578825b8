//! The format `gfx12-bvh4x2` and the machine that walks it.

mod damage;
mod round_trip;
mod rules;
mod walks;
mod worlds;
