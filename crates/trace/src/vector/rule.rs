//! The triangle rules as types: a kernel is compiled once for each.

use geometry::TriangleRule;

/// Which arithmetic decides whether a triangle is hit.
pub(crate) trait Rule {
    /// The rule.
    const RULE: TriangleRule;
}

/// [`geometry::watertight`].
pub(crate) struct Watertight;

/// [`geometry::moller_trumbore`].
pub(crate) struct MollerTrumbore;

impl Rule for Watertight {
    const RULE: TriangleRule = TriangleRule::Watertight;
}

impl Rule for MollerTrumbore {
    const RULE: TriangleRule = TriangleRule::MollerTrumbore;
}
