//! What traversal loops share.
//!
//! | file | concept |
//! |---|---|
//! | [`found`] | hits so far, and how far boxes matter |
//! | [`box_ray`] | what an observer is told of a box's children |

pub mod box_ray;
pub mod found;

pub use box_ray::BoxRay;
pub use found::Found;
