//! Images of blocks: there and back, rule by rule, and damaged.
#![allow(clippy::unwrap_used, clippy::panic, clippy::unreachable)]

mod damage;
mod round_trip;
mod rules;
