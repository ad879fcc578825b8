//! Findings about the rules of the compressed format.

use crate::rule::Rule;
pub(crate) use bvh4::survey::findings::Place;

/// Findings so far, about the rules of a format.
pub type Findings<R = Rule> = bvh4::survey::Findings<R>;
