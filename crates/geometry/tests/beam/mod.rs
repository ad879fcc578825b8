//! Beams against exact arithmetic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod boxes;
mod constructors;
mod dilation;
mod translations;
mod triangles;
