//! Encoded images, read back with nothing but the layouts.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod blas;
mod reader;
mod tlas;
mod trees;
