//! Structures in memory, little-endian (specification, sections 12, 14 and 15).
//!
//! | file | structures |
//! |---|---|
//! | [`node`] | node tiles of four and eight children, and the literal structure |
//! | [`records`] | ray records, triangles, TriRanges, queues and their entries, descriptors |

pub mod node;
pub mod records;
