//! Tests of the crate, in one binary.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod core_alone;
mod damage;
mod dumps;
mod files;
mod flips;
mod gallery;
mod images;
mod round_trip;
mod rules;
mod support;
mod updates;
mod vectors;
mod walks;
