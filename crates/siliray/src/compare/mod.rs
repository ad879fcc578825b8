//! Formats side by side: the same scene, built for each of them, and the same rays.
//!
//! A row is a scene, a preset, a format with its settings and a machine. It says what the image
//! takes, what the tree is worth as the image holds it, what a ray costs the machine, what a ray
//! costs the one traversal unit that runs every format with blocks, and which hits are lost. The
//! figures of work are those of [`machine::Counters`], so that they mean the same for every
//! machine. Everything but the two times is the same each time.
//!
//! What is lost is counted against the fast tracer over the scene itself, which by the law gives
//! the answers of brute force: an image that rounds geometry answers for its rounding.
//!
//! | file | concept |
//! |---|---|
//! | [`variant`] | a format with settings: which of them there are |
//! | [`row`] | what a row says, column by column |
//! | [`rays`] | the same rays for all, and their answers |
//! | [`run`](mod@run) | scene → rows |
//! | [`page`] | rows as one HTML file |
//! | `plot` | points, bars and axes in SVG |

pub mod page;
mod plot;
pub mod rays;
pub mod row;
pub mod run;
pub mod variant;

pub use row::{Row, RowKey, Work};
pub use run::{CompareError, Compared, Plan, PlanError, Skipped, compare};
pub use variant::{Variant, VariantError};
