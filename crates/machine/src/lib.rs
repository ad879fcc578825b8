//! What all machines share.
//!
//! A *machine* answers queries about a world: which primitive does this ray meet first, does it meet
//! any, which are all of them. A *format* turns a [`tree::Tree`] into an [`Image`], the bytes that a
//! machine reads, and proves untrusted bytes sound. The law of siliray is that every machine gives
//! the same answer as the brute-force [`Oracle`] on the geometry that its image holds.
//!
//! | file | concept |
//! |---|---|
//! | [`query`] | a ray with the kind of answer wanted, a mask and flags |
//! | [`hit`] | hits and their order |
//! | [`primitive_test`] | one primitive against one query: shared by the oracle and the walks |
//! | [`machine`] | the trait [`Machine`] |
//! | [`beam`] | beam queries: the trait [`BeamMachine`], its oracle and its reference machine |
//! | [`oracle`] | brute force over every primitive |
//! | [`reference`](mod@reference) | the plain walk over a tree |
//! | [`instance_dilation`] | how much a TLAS must widen a ray, with its proof |
//! | [`budget`] | step budgets: no walk runs for ever |
//! | [`counters`] | what a machine counts |
//! | [`image`] | segments of memory, and images proved sound |
//! | [`finding`] | located diagnostics |
//! | [`findings`] | collecting them: the first of each rule, and the sum of the rest |
//! | [`bits`] | bits by name of their place |
//! | [`fields`](mod@fields) | a structure of a format as a table of its fields |
//! | [`description`] | what stands in an image, in words |
//! | [`rules`](mod@rules) | the rules that a check knows, by name |
//! | [`format`](mod@format) | the trait [`Format`] and what a format can express |
//! | [`tree_format`] | the tree itself as bytes: the simplest format |
//! | [`block_format`] | the trait [`BlockFormat`], what a block-based traversal unit needs |

pub mod beam;
pub mod bits;
pub mod block_format;
pub mod budget;
pub mod counters;
pub mod description;
pub mod fields;
pub mod finding;
pub mod findings;
pub mod format;
pub mod hit;
pub mod image;
pub mod instance_dilation;
pub mod machine;
pub mod oracle;
pub mod primitive_test;
pub mod query;
pub mod reference;
pub mod rules;
pub mod tree_format;

pub use beam::{BeamHit, BeamKind, BeamMachine, BeamQuery, LeafRule, Visit};
pub use block_format::{BlockFormat, BlockImage};
pub use budget::{BudgetExhausted, StepBudget};
pub use counters::Counters;
pub use description::{
    DescribeError, DescribedField, Description, EntryState, NodeRef, Outline, OutlineEntry,
    PrimitiveRef, Total,
};
pub use finding::{Finding, Severity};
pub use findings::{FINDINGS_PER_RULE, Findings};
pub use format::{Capabilities, CheckReport, EncodeError, Format};
pub use hit::Hit;
pub use image::{CheckedImage, Image, ProvedFacts, Segment};
pub use machine::Machine;
pub use oracle::Oracle;
pub use query::{HitKind, RayFlags, RayQuery};
pub use reference::Reference;
pub use rules::CheckRule;
pub use tree_format::TreeFormat;
