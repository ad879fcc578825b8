//! ISBE: dumps, layouts, programs.
//!
//! | file | concept |
//! |---|---|
//! | [`dump`] | what is in a dump |
//! | [`workgroup`] | one workgroup of it, and what its bytes are |
//! | [`attributes`] | all attributes |
//! | [`layout`] | where attributes and indices lie |
//! | [`instructions`] | programs as text and as words |
//! | [`program_run`] | what a program leaves |
//! | [`mesh`] | dumps that become meshes, and scenes that become dumps |

pub mod attributes;
pub mod dump;
pub mod instructions;
pub mod layout;
pub mod mesh;
pub mod program_run;
pub mod workgroup;
