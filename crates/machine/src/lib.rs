//! What all machines share.
//!
//! A *machine* answers queries about a world: which primitive does this ray meet first, does it
//! meet any, which are all of them. A *format* turns a [`tree::Tree`] into an [`Image`], the bytes
//! that a machine reads, and proves untrusted bytes sound. The law of siliray is that every machine
//! gives the same answer as the brute-force [`Oracle`] on the geometry that its image holds.
//!
//! | file | concept |
//! |---|---|
//! | [`query`] | what is asked: a ray or a beam, which hits, a mask and flags |
//! | [`machine`] | the trait [`Machine`], answers, errors |
//! | [`observer`] | watching a walk step by step |
//! | [`hit`], [`found`] | hits and their order; the hits of a query under way |
//! | [`primitive_test`] | one primitive against one ray: shared by the oracle and the walks |
//! | [`beam`] | one primitive against one beam, likewise |
//! | [`oracle`] | brute force over every primitive |
//! | [`reference`](mod@reference) | the plain walk over a tree |
//! | [`instance_dilation`] | how much a TLAS must widen a ray, with its proof |
//! | [`promise`] | for which rays a margin promises that nothing is lost |
//! | [`budget`] | step budgets: no walk runs for ever |
//! | [`counters`], [`fetches`] | what a machine counts; what it would read of the image |
//! | [`image`], [`file`](mod@file) | segments of memory, and the files that they come from |
//! | [`source`] | whether an image holds the geometry of a scene |
//! | [`figures`], [`statistics`] | where bytes go; figures as drivers give them |
//! | [`format`](mod@format) | the traits [`Format`] and [`TreeFormat`] |
//! | [`checked`] | images proved sound, by type |
//! | [`bits`], [`fields`](mod@fields) | bits by their place; structures as tables of fields |
//! | [`finding`], [`findings`], [`rules`](mod@rules) | located diagnostics, collected by rule |
//! | [`description`] | what stands in an image, in words |
//! | [`registry`] | every format and every machine, as users meet them |
//! | [`nearest_name`](nearest_name()) | the name that was meant |
//! | [`tree_format`] | the tree itself as bytes: the simplest format |
//! | [`blocks`] | images as blocks, which a traversal unit runs |

pub mod beam;
pub mod bits;
pub mod blocks;
pub mod budget;
pub mod checked;
pub mod counters;
pub mod description;
pub mod fetches;
pub mod fields;
pub mod figures;
pub mod file;
pub mod finding;
pub mod findings;
pub mod format;
pub mod found;
pub mod hit;
pub mod image;
pub mod instance_dilation;
pub mod machine;
mod nearest_name;
pub mod observer;
pub mod oracle;
pub mod primitive_test;
pub mod promise;
pub mod query;
pub mod reference;
pub mod registry;
pub mod rules;
pub mod source;
pub mod statistics;
pub mod tree_format;

pub use blocks::{BlockImage, BlockLead};
pub use budget::{BudgetExhausted, StepBudget};
pub use checked::{AnyChecked, Checked, ProvedFacts, downcast};
pub use counters::Counters;
pub use description::{
    DescribeError, DescribedField, Description, EntryState, NodeRef, Outline, OutlineEntry,
    PrimitiveRef, Total,
};
pub use fetches::Fetches;
pub use figures::{ByteSplit, Detail, Figures};
pub use file::{FilePlace, ImageFile, ReadError, StructureSummary};
pub use finding::{Finding, Severity};
pub use findings::{FINDINGS_PER_RULE, Findings};
pub use format::{
    AnyReport, Capabilities, CheckReport, EncodeError, Format, NodePlace, OrientedBox, TreeFormat,
    TreeShape,
};
pub use found::Found;
pub use hit::Hit;
pub use image::{Image, Segment};
pub use machine::{Answer, Machine, MachineError};
pub use nearest_name::nearest_name;
pub use observer::{ChildTest, Instruction, Observer, PrimitiveTest, Step, Unwatched, Verdict};
pub use oracle::Oracle;
pub use promise::Promise;
pub use query::{BeamQuery, BeamShape, HitKind, LeafRule, Query, RayFlags, RayQuery, Shape};
pub use reference::Reference;
pub use registry::{
    Encoded, FormatEntry, MachineEntry, MachineInput, MachineOptions, MakeError, RawLayout,
    ReadOptions, Registry, Setting, Settings, StackSizeError, TreeEntry, WrongFormat,
};
pub use rules::{CheckRule, RuleEntry};
pub use tree_format::PlainTree;
