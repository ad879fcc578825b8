//! Every decision X-n has a test that names it, and every switch one that looks at both sides.
//!
//! The names of tests begin with the number of their decision. X-18 (privilege) and X-38 (handlers) need a
//! hart and are tested there; X-53's proof is in `arithmetic.rs`, X-19 and X-21 have a thousand cases in the
//! vectors.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

mod hart;
mod lanes;
mod memory;
mod numbers;
mod offload;
mod registers;
mod results;
#[path = "../test_hart/mod.rs"]
mod test_hart;
