//! Scene → tree.
//!
//! [`build`] makes one BLAS for each object and, for a scene with instances, a TLAS over
//! them. Each level goes the same way: boxes around the primitives, a binary tree by the
//! method of the preset, and the wide tree of the least cost that this binary tree allows. Every
//! result is the same for any number of threads.
//!
//! | file | concept |
//! |---|---|
//! | [`options`](Options) | presets and knobs |
//! | `primitives` | objects as numbered primitives with boxes |
//! | `tagged_box` | boxes in SIMD registers |
//! | `scratch` | memory for the time of a build |
//! | `binary` | the binary tree between a builder and the collapse |
//! | `object_split` | splitting a range of references with bins |
//! | `sweep` | the exact heuristic for small ranges |
//! | `full_sweep` | the exact heuristic for all ranges, where time does not count |
//! | `binned` | top-down building without spatial splits: preset `balanced` |
//! | `morton` | references along a Morton curve |
//! | `neighbours` | who should merge with whom along the curve |
//! | `ploc` | bottom-up building by clusters: preset `fast` |
//! | `clip` | cutting a reference at a plane, without losing any of it |
//! | `spatial_bins` | where to cut space |
//! | `spatial_split` | top-down building with spatial splits: `best`, and `balanced` if asked |
//! | `cells` | cells of space as boxes: presets `octree` and `kd-tree` |
//! | `reinsertion` | moving subtrees of a finished tree: preset `best` |
//! | [`objective`](Objective) | what nodes and leaves of a wide tree cost |
//! | `plan` | which wide tree to make of a binary one, by dynamic programming |
//! | `collapse` | making it |
//! | [`binary_tree`](BinaryTree) | the same over any boxes, with costs of one's own |
//! | [`report`](Report) | figures of a tree and of its making |
//! | `level` | BLASes, the TLAS, and the whole |
//! | [`progress`](Progress) | progress and cancellation |
//! | [`error`](BuildError) | why a scene has no tree |
//! | `coverage` | the proof by example that nothing is lost (tests) |
//!
//! # What a tree promises
//! * A leaf's box contains the box of each of its primitives, except where spatial splits cut a
//!   triangle: there the boxes of all references to the triangle together cover it, exactly. So
//!   do the cells of octrees and k-d trees, as far as what lies in them reaches.
//! * A node's box is the smallest around its children's.
//! * Each primitive that can be hit is referred to. Empty procedural boxes and instances of empty
//!   objects cannot and are not.

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

mod binary;
mod binary_tree;
mod binned;
mod cells;
mod clip;
mod collapse;
#[cfg(test)]
mod coverage;
mod error;
mod full_sweep;
mod level;
mod morton;
mod neighbours;
mod object_split;
mod objective;
mod options;
mod plan;
mod ploc;
mod primitives;
mod progress;
mod reinsertion;
mod report;
mod scratch;
mod spatial_bins;
mod spatial_split;
mod sweep;
mod tagged_box;

pub use binary_tree::{BinaryTree, Widened};
pub use error::BuildError;
pub use level::{Built, blas, build, contents, tlas, tree};
pub use objective::Objective;
pub use options::{MAX_LEAF, Options, OptionsError, Preset};
pub use progress::{Progress, ProgressFn, unwatched};
pub use reinsertion::Effort;
pub use report::Report;
