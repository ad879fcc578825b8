//! The compressed BVH8 format by name.

/// The name of the format in options, reports and images.
pub const NAME: &str = "gfx12";
