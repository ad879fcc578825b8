//! The tree traversal unit of US 9,569,559, as a simulator.
//!
//! | module | what it knows |
//! |---|---|
//! | [`tb12`] | the 128-byte block format |

pub mod tb12;
