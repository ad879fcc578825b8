//! Parallel iterators on one thread.
//!
//! WebAssembly has no threads here, and rayon's machinery for them would be a tenth of a module.
//! This crate has the part of rayon's interface that the toolkit uses, under the same names, on top
//! of plain iterators; crates take it in rayon's place where they are compiled for WebAssembly. The
//! results are the same: the toolkit's do not depend on how many threads there are.
//!
//! ```
//! use sequential::prelude::*;
//! let doubled: Vec<i32> = [1, 2, 3].par_iter().map(|number| 2 * number).collect();
//! assert_eq!(doubled, [2, 4, 6]);
//! assert_eq!(sequential::join(|| 1, || 2), (1, 2));
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`iterator`] | what can be done with each item |
//! | [`source`] | where items come from |
//! | `sort` | sorting |

pub mod iterator;
mod sort;
pub mod source;

/// What `use` needs.
pub mod prelude {
    pub use crate::iterator::{IndexedParallelIterator, ParallelIterator};
    pub use crate::source::{
        IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelExtend,
        ParallelSlice, ParallelSliceMut,
    };
}

/// Runs both, the first one first.
pub fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}

/// Runs the task, which has nothing to spawn on.
pub fn scope<T>(task: impl FnOnce(&()) -> T) -> T {
    task(&())
}

/// One.
#[must_use]
pub const fn current_num_threads() -> usize {
    1
}
