//! Beams against exact arithmetic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod boxes;
#[path = "../common/mod.rs"]
mod common;
mod constructors;
mod dilation;
mod translations;
mod triangles;
