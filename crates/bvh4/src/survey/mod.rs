//! Every node that can be reached, structure by structure, with how it is reached: what surveys of
//! all formats share.
//!
//! | file | concept |
//! |---|---|
//! | [`memory`] | bytes by address, over several segments |
//! | [`records`] | what a survey lists |
//! | [`visited`] | each node once |
//! | [`findings`] | what a check finds at addresses |

pub mod findings;
pub mod memory;
pub mod records;
pub mod visited;

pub use findings::{Findings, Place};
pub use memory::{Memory, address_order};
pub use records::{
    BoxRecord, ChildRecord, InstanceRecord, LeafRecord, NO_BOX, Space, Survey, Surveyed, Target,
};
pub use visited::Visited;
