//! What a caller may choose.

use std::fmt;
use std::str::FromStr;
use tree::bvh::MAX_WIDTH;

/// How much time to spend on a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Preset {
    /// Clusters along a Morton curve (PLOC): the quickest build.
    Fast,
    /// Binned surface-area heuristic; with a split budget, spatial splits where they gain most.
    #[default]
    Balanced,
    /// Surface-area heuristic with spatial splits, then reinsertion: the best tree.
    Best,
    /// An octree: equal cells of space as boxes, for comparison.
    Octree,
    /// A k-d tree by the surface-area heuristic: cells of space as boxes, for comparison.
    KdTree,
}

impl Preset {
    /// Hierarchies of bounding boxes, from the quickest build to the best tree.
    pub const BVHS: [Self; 3] = [Self::Fast, Self::Balanced, Self::Best];

    /// The same, and trees whose boxes are cells of space.
    pub const ALL: [Self; 5] = [Self::Fast, Self::Balanced, Self::Best, Self::Octree, Self::KdTree];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Best => "best",
            Self::Octree => "octree",
            Self::KdTree => "kd-tree",
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Preset {
    type Err = OptionsError;

    fn from_str(name: &str) -> Result<Self, OptionsError> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| OptionsError::Preset(name.to_owned()))
    }
}

/// Most references that a leaf may be allowed.
pub const MAX_LEAF: usize = 64;

/// The knobs of a build.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// How much time to spend.
    pub preset: Preset,
    /// Most children of a node, 2 to 8.
    pub width: usize,
    /// Most references of a leaf, 1 to [`MAX_LEAF`]. How many a leaf really gets is decided by the
    /// surface-area heuristic; beyond 8 it hardly ever takes more.
    pub max_leaf: usize,
    /// How many references of a leaf are tested at once, 1 to [`MAX_LEAF`]: to the heuristic, a
    /// leaf costs as much as the number of such tests that it takes.
    pub leaf_test_width: usize,
    /// How many references spatial splits may add, as a share of the primitives, 0 to 4; 0 turns
    /// splits off. If nothing is said, [`Preset::Best`] may add 0.3 and the others nothing; octrees
    /// and k-d trees do not split.
    pub split_budget: Option<f32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            preset: Preset::Balanced,
            width: 8,
            max_leaf: 8,
            leaf_test_width: 1,
            split_budget: None,
        }
    }
}

/// An option out of its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionsError {
    /// No preset has this name.
    #[error("no preset is called {0:?}, expected fast, balanced, best, octree or kd-tree")]
    Preset(String),
    /// Too few or too many children.
    #[error("a width of {0} children, expected 2 to {MAX_WIDTH}")]
    Width(usize),
    /// Too few or too many references.
    #[error("leaves of at most {0} references, expected 1 to {MAX_LEAF}")]
    MaxLeaf(usize),
    /// Too few or too many references tested at once.
    #[error("{0} references tested at once, expected 1 to {MAX_LEAF}")]
    LeafTestWidth(usize),
    /// The share of added references is not sensible.
    #[error("a split budget of {0}, expected 0 to 4")]
    SplitBudget(f32),
}

impl Options {
    /// The default options with another preset.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        Self { preset, ..Self::default() }
    }

    /// Checks every knob.
    ///
    /// # Errors
    /// The first option out of its range.
    pub fn validate(&self) -> Result<(), OptionsError> {
        if !(2..=MAX_WIDTH).contains(&self.width) {
            return Err(OptionsError::Width(self.width));
        }
        if !(1..=MAX_LEAF).contains(&self.max_leaf) {
            return Err(OptionsError::MaxLeaf(self.max_leaf));
        }
        if !(1..=MAX_LEAF).contains(&self.leaf_test_width) {
            return Err(OptionsError::LeafTestWidth(self.leaf_test_width));
        }
        if !(0.0..=4.0).contains(&self.split_budget()) {
            return Err(OptionsError::SplitBudget(self.split_budget()));
        }
        Ok(())
    }

    /// How many references splits may add, asked for or usual.
    #[must_use]
    pub fn split_budget(&self) -> f32 {
        let usual = if self.preset == Preset::Best { 0.3 } else { 0.0 };
        self.split_budget.unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
        }
        assert_eq!("medium".parse::<Preset>(), Err(OptionsError::Preset("medium".into())));
    }

    #[test]
    fn ranges_are_enforced() {
        let good = Options::default();
        assert_eq!(good.validate(), Ok(()));
        let wide = Options { width: 9, ..good };
        assert_eq!(wide.validate(), Err(OptionsError::Width(9)));
        let narrow = Options { width: 1, ..good };
        assert_eq!(narrow.validate(), Err(OptionsError::Width(1)));
        let no_leaf = Options { max_leaf: 0, ..good };
        assert_eq!(no_leaf.validate(), Err(OptionsError::MaxLeaf(0)));
        let none = Options { leaf_test_width: 0, ..good };
        assert_eq!(none.validate(), Err(OptionsError::LeafTestWidth(0)));
        let splits = Options { split_budget: Some(f32::NAN), ..good };
        assert!(splits.validate().is_err());
    }
}
