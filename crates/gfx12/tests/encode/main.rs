//! Encoded images, read back with nothing but the layouts.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod bottom;
mod reader;
mod top;
mod trees;
