//! siliray.

pub use {build, geometry, machine, scene, tree};

pub mod conformance;
pub mod open;
pub mod render;
