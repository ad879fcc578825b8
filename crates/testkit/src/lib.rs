//! What the tests of several crates share. Nothing that ships depends on it.
//!
//! | file | concept |
//! |---|---|
//! | [`damage`](mod@damage) | damaged images, and what their checks let through |
//! | [`walks`] | answers like the oracle's; walks that are watched, and the order of their steps |
//! | [`worlds`] | small trees with every kind of primitive and instance, and rays through them |
//!
//! The generator of random numbers is [`geometry::random::Random`], which workloads use too.
#![allow(clippy::unwrap_used, reason = "a helper of tests may fail as a test does")]

pub mod damage;
pub mod walks;
pub mod worlds;

pub use geometry::random::Random;
