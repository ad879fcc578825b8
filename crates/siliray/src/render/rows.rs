//! Rows in parallel, with progress and cancellation.

use super::RenderError;
use build::{Progress, ProgressFn};
use machine::Counters;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The rows of a picture, visited once or more, as one piece of work that can be watched.
pub(crate) struct Rows<'a> {
    watch: &'a ProgressFn<'a>,
    first: u32,
    height: u32,
    total: u64,
    done: AtomicU64,
    cancelled: AtomicBool,
}

impl<'a> Rows<'a> {
    /// `passes` visits of `height` rows.
    pub(crate) fn new(watch: &'a ProgressFn<'a>, height: u32, passes: u32) -> Self {
        let total = u64::from(height) * u64::from(passes);
        let (done, cancelled) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { watch, first: 0, height, total, done, cancelled }
    }

    /// The same from a row on.
    pub(crate) fn from(self, first: u32) -> Self {
        Self { first, ..self }
    }

    /// How many rows there are.
    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    /// Fills `items`, `width` for each row, by `row(y, items of the row, counters)`, in parallel.
    pub(crate) fn fill<T: Send>(
        &self,
        items: &mut [T],
        width: u32,
        row: impl Fn(u32, &mut [T], &mut Counters) -> Result<(), RenderError> + Sync,
    ) -> Result<Counters, RenderError> {
        items
            .par_chunks_mut(width as usize)
            .enumerate()
            .map(|(y, items)| {
                if self.cancelled.load(Ordering::Relaxed) {
                    return Err(RenderError::Cancelled);
                }
                let mut counters = Counters::default();
                row(self.first + y as u32, items, &mut counters)?;
                self.advance();
                Ok(counters)
            })
            .try_reduce(Counters::default, |mut sum, counters| {
                sum += counters;
                Ok(sum)
            })
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let fraction = done as f32 / self.total as f32;
        if (self.watch)(Progress { fraction }).is_break() {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}
