//! The trait of everything that answers queries.

use crate::{BudgetExhausted, Counters, Hit, RayQuery};

/// Something that answers queries about one world.
///
/// Answers are values: the same query gets the same hits, whatever was asked before and on whichever
/// thread. A machine is built over a tree or a checked image and is told its triangle rule then.
pub trait Machine: Sync {
    /// The name used in options and reports.
    fn name(&self) -> &'static str;

    /// Answers `query` into `hits`, which is cleared first, and adds what it did to `counters`.
    ///
    /// A closest or any query yields at most one hit; an all query yields each primitive's hit once,
    /// in the order of [`Hit::total_cmp`].
    ///
    /// # Errors
    /// When the machine's step budget ends before the walk does. `hits` is then empty.
    fn answer(
        &self,
        query: &RayQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted>;
}
