//! Progress and cancellation.
//!
//! Work is counted in primitives. A build calls its callback whenever another hundredth of the work
//! is done, from whatever thread did it, and stops soon after the callback answers
//! [`ControlFlow::Break`]: every pass over many primitives looks at the flag once per block.

use crate::BuildError;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a build has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Share of the work done, 0 to 1.
    pub fraction: f32,
}

impl Progress {
    /// So many parts of so many.
    #[must_use]
    pub fn of(done: usize, parts: usize) -> Self {
        Self { fraction: done as f32 / parts.max(1) as f32 }
    }

    /// What this, of part `number` of so many equal ones, is of the whole.
    #[must_use]
    pub fn within(self, number: usize, parts: usize) -> Self {
        Self { fraction: (number as f32 + self.fraction) / parts.max(1) as f32 }
    }
}

/// What a caller passes to watch a build: break to cancel.
pub type ProgressFn<'a> = dyn Fn(Progress) -> ControlFlow<()> + Sync + 'a;

/// Goes on without looking: for work that nobody watches.
pub fn unwatched(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Counts work and remembers whether to go on.
pub(crate) struct Monitor<'a> {
    watch: &'a ProgressFn<'a>,
    total: u64,
    done: AtomicU64,
    cancelled: AtomicBool,
}

impl<'a> Monitor<'a> {
    /// A monitor of `total` units of work.
    pub(crate) fn new(watch: &'a ProgressFn<'a>, total: u64) -> Self {
        let (done, cancelled) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { watch, total: total.max(1), done, cancelled }
    }

    /// Whether nobody asked to stop.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(BuildError::Cancelled) } else { Ok(()) }
    }

    /// Notes `units` of work as done; tells the caller when another hundredth is complete.
    pub(crate) fn advance(&self, units: usize) -> Result<(), BuildError> {
        let before = self.done.fetch_add(units as u64, Ordering::Relaxed);
        let after = (before + units as u64).min(self.total);
        let hundredth = |done: u64| done as u128 * 100 / self.total as u128;
        if hundredth(after) > hundredth(before.min(self.total)) {
            let fraction = after as f32 / self.total as f32;
            if (self.watch)(Progress { fraction }).is_break() {
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn reports_each_hundredth_once_and_stops_when_told() {
        let seen = Mutex::new(Vec::new());
        let watch = |progress: Progress| {
            seen.lock().unwrap().push(progress.fraction);
            if progress.fraction >= 0.5 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let monitor = Monitor::new(&watch, 1000);
        let steps = (0..1000).take_while(|_| monitor.advance(1).is_ok()).count();
        assert_eq!(steps, 499);
        assert_eq!(seen.lock().unwrap().len(), 50);
        assert_eq!(monitor.check(), Err(BuildError::Cancelled));
    }
}
