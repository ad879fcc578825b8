//! Tests of the module behind the page, natively.

#[cfg(test)]
mod questions;
