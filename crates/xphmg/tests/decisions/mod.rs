//! Every decision X-n has a test that names it, and every switch one that looks at both sides.
//!
//! The names of tests begin with the number of their decision. X-2 (what RT leaves alone), X-18
//! (privilege) and X-38 (handlers) need a hart and are tested there, under such names too.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

mod hart;
mod lanes;
mod memory;
mod numbers;
mod offload;
mod registers;
mod results;
