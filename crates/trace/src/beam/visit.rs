//! What a visitor of a beam's hits wants next.

/// What a visitor wants next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Visit {
    /// Everything else.
    Continue,
    /// Only what is met at this parameter or before. A later bound than an earlier one has no
    /// effect.
    Until(f32),
    /// Nothing more.
    Stop,
}
