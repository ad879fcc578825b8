//! The traversal unit: its format and its cycles.

mod cycles;
mod format;
