//! The tracer, compared with brute force and tried with bad input.

mod beam;
mod beam_queries;
mod bundles;
mod common;
mod flips;
mod hostile;
mod kernels;
mod nearest;
mod questions;
mod refit;
mod stored;
mod stored_boxes;
mod watched;
