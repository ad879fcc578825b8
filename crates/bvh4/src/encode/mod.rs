//! From a tree to nodes: what encoders share, before anything is laid out.
//!
//! | file | concept |
//! |---|---|
//! | [`pairing`] | two triangles in one node |
//! | [`draft`] | a tree of any width as boxes of four children above single nodes |
//! | [`leaves`], [`instances`] | the leaf nodes of a BLAS and of a TLAS |
//! | [`contents`] | what lies below each slot |
//! | [`margin`] | how far boxes are widened |
//! | [`error`] | what no format can hold |

pub mod contents;
pub mod draft;
pub mod error;
pub mod instances;
pub mod leaves;
pub mod margin;
pub mod pairing;

pub use error::EncodeError;
