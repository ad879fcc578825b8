//! Trees of every preset, judged from outside.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod invariants;
mod promises;
mod scenes;
