//! The machine cycle by cycle: closed forms, bounds, sweeps, threads.
#![allow(clippy::unwrap_used, clippy::panic, clippy::unreachable)]

mod answers;
mod beams;
mod closed_forms;
mod false_positives;
mod golden;
mod hand_made;
mod scheduling;
mod throughput;
mod traffic;
mod watched;
