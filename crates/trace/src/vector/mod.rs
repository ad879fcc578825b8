//! What the vector kernels have in common: compiled for AVX2, and inlined into each of them.
//!
//! | file | concept |
//! |---|---|
//! | `walk` | what rays do between box tests |
//! | `single_ray` | one ray alone |
//! | `ray_setup` | eight rays set up at once |
//! | `active_ray` | a ray |
//! | `stack` | what it has still to visit |
//! | `source` | what rays walk over |
//! | `prepared` | the CPU's copy as such |
//! | `boxes` | one ray against eight boxes |
//! | `rule` | the triangle rules as types |
//! | `triangles` | triangles by the watertight rule |
//! | `moller_trumbore` | the same by the other rule |

pub(crate) mod active_ray;
pub(crate) mod boxes;
pub(crate) mod moller_trumbore;
pub(crate) mod prepared;
pub(crate) mod ray_setup;
pub(crate) mod rule;
pub(crate) mod single_ray;
pub(crate) mod source;
pub(crate) mod stack;
pub(crate) mod triangles;
pub(crate) mod walk;
