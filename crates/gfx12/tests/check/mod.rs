//! Checking and decoding: a real image, images of siliray's, broken ones and noise.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

mod beside;
mod driver_rules;
mod dump;
mod dumps;
mod edit;
mod flips;
mod gallery;
mod hiprt;
mod hiprt_memory;
mod oriented;
mod radv_files;
mod radv_memory;
mod round_trip;
mod rule_names;
mod rules;
mod statistics;
mod updates;
mod worlds;
