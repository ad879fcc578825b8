//! The command, run as users run it.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

mod blocks;
#[cfg(unix)]
mod book;
mod console;
mod convert;
mod driver_kit;
mod dual_images;
#[cfg(unix)]
mod examples;
#[cfg(unix)]
mod files;
mod formats;
mod four_wide;
mod hart;
mod images;
mod isbe;
mod json;
mod pictures;
mod queries;
mod stored;
mod support;
mod threads;
mod trace;
