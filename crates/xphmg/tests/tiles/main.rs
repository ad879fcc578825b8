//! Tiles: trees go in and come back, every rule of the check can be broken, and nothing panics.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

mod damage;
mod round_trip;
mod rules;
mod support;
