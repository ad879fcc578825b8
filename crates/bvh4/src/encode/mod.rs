//! From a tree to nodes: what encoders share.
//!
//! | file | concept |
//! |---|---|
//! | [`pairing`] | two triangles in one node |
//! | [`draft`] | a tree of any width as boxes of four children above single nodes |
//! | [`leaves`], [`instances`] | the leaf nodes of a BLAS and of a TLAS |
//! | [`contents`] | what lies below each slot |
//! | [`margin`] | how far boxes are widened |
//! | [`places`] | which unit a node gets; nodes and parent tables as bytes |
//! | [`levels`] | BLASes and TLAS as segments |
//! | [`error`] | what no format can hold |

pub mod contents;
pub mod draft;
pub mod error;
pub mod instances;
pub mod leaves;
pub mod levels;
pub mod margin;
pub mod pairing;
pub mod places;

pub use error::EncodeError;
