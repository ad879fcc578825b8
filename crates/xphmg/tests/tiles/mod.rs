//! Tiles: trees go in and come back, every rule of the check can be broken, nothing panics, and the
//! offload can be watched.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

mod damage;
mod instances;
mod round_trip;
mod rules;
mod support;
mod watched;
