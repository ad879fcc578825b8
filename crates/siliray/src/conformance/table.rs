//! Cells of the table and their sums.

use build::Preset;
use geometry::TriangleRule;
use machine::{Hit, HitKind, LeafRule, MachineError, Query};

/// What was tried and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The seed that chose the rays.
    pub seed: u64,
    /// One cell for each line, in a fixed order.
    pub cells: Vec<Cell>,
}

impl Table {
    /// Mismatches in all cells.
    #[must_use]
    pub fn mismatches(&self) -> usize {
        self.cells.iter().map(|cell| cell.mismatches).sum()
    }
}

/// One machine on one world.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What the machine reads.
    pub format: &'static str,
    /// Who answers.
    pub machine: &'static str,
    /// What is asked, and by which rule primitives are met.
    pub query: QueryKind,
    /// The world.
    pub scene: &'static str,
    /// How its tree was built.
    pub preset: Preset,
    /// How many rays or beams were asked.
    pub cases: usize,
    /// Answers that differ from the oracle's.
    pub mismatches: usize,
    /// Answers that differ in a way that this machine is known for.
    pub losses: usize,
    /// The first mismatch, else the first loss.
    pub example: Option<Disagreement>,
}

/// What a cell asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// Rays, with the arithmetic of triangles.
    Ray(TriangleRule, HitKind),
    /// Beams, with the rule for leaves.
    Beam(LeafRule, HitKind),
}

impl QueryKind {
    /// The name of the query.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ray(_, kind) => kind.name(),
            Self::Beam(_, HitKind::Any) => "beam-any",
            Self::Beam(_, HitKind::Closest) => "beam-first",
            Self::Beam(_, HitKind::All) => "beam-collect",
        }
    }

    /// The name of the rule.
    #[must_use]
    pub const fn rule_name(self) -> &'static str {
        match self {
            Self::Ray(rule, _) => rule.name(),
            Self::Beam(leaf, _) => leaf.name(),
        }
    }
}

/// A query on which a machine and the oracle disagree.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// The question.
    pub query: Query,
    /// The oracle's hits.
    pub expected: Vec<Hit>,
    /// The machine's hits, or why there are none.
    pub got: Result<Vec<Hit>, MachineError>,
    /// Whether hits are lost but none is wrong: the machine gave an answer, and all of it is hits
    /// that the oracle has too.
    pub only_lost: bool,
}
