//! Machines over tiles, in the terms of siliray's law.
//!
//! The hardware has its own triangle arithmetic, a closed interval, and elements of low precision.
//! A query's ray is rounded to the image's elements first, as a program would have to; hits come
//! back with the narrowed values of a hit entry and are ordered by the FP32 `t` that the job orders
//! by.
//!
//! | file | concept |
//! |---|---|
//! | [`tiles_image`] | what both machines share: the image, the ray, the hits |
//! | [`offload`] | the offload job |
//! | [`hits_outside_box`](mod@hits_outside_box) | hits that lie outside their triangle's box |
//! | [`brute_force`] | every triangle, no box: the truth that the job is compared with |

pub mod brute_force;
pub mod hits_outside_box;
pub mod offload;
pub mod tiles_image;

pub use brute_force::BruteForce;
pub use hits_outside_box::hits_outside_box;
pub use offload::Offload;
pub use tiles_image::TilesImage;
