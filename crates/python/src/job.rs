//! Long work: off the interpreter's lock, on threads of its own, interruptible and with progress.
//!
//! Threads do not survive a fork, so each process has its own pools. They are looked up only while
//! the interpreter's lock is held, as it is held by whoever forks: no child finds the table locked.

use crate::errors;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use siliray::build::Progress;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often Python is asked whether a signal has come, and told how far the work is.
const PATIENCE: Duration = Duration::from_millis(50);

const UNANSWERED: &str = "the work has ended without an answer";

type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The pool of this process with so many threads; 0 is one for each processor.
pub(crate) fn pool(_: Python<'_>, threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_with(HashMap::new);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let made = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(made.map_err(|error| errors::option(format!("threads: {error}")))?);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}

/// What work and its caller know of each other.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Watch {
    /// Says how much there is to do.
    pub(crate) fn begin(&self, total: usize) {
        self.total.store(total as u64, Ordering::Relaxed);
    }

    /// Says that more is done, and learns whether to go on.
    pub(crate) fn advance(&self, by: usize) -> ControlFlow<()> {
        self.done.fetch_add(by as u64, Ordering::Relaxed);
        self.verdict()
    }

    /// The same by shares of one, as builders tell it.
    pub(crate) fn tell(&self, progress: Progress) -> ControlFlow<()> {
        self.total.store(100, Ordering::Relaxed);
        self.done.fetch_max((progress.fraction * 100.0) as u64, Ordering::Relaxed);
        self.verdict()
    }

    /// Who tells the same of one part of so many.
    pub(crate) fn part(
        &self,
        number: usize,
        parts: usize,
    ) -> impl Fn(Progress) -> ControlFlow<()> + Sync {
        let fraction = move |fraction| (number as f32 + fraction) / parts as f32;
        move |progress| self.tell(Progress { fraction: fraction(progress.fraction) })
    }

    /// Says that nothing is left to do.
    pub(crate) fn finish(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether somebody has interrupted the work.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Whether to go on.
    pub(crate) fn verdict(&self) -> ControlFlow<()> {
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs `work` on the threads of a pool. The interpreter is free meanwhile; a signal or a failing
/// callback ends the work, and then it is the exception that is returned. `progress` is called with
/// what is done and what there is to do.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let pool = pool(py, threads)?;
    let watch = Watch::default();
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let mut told = None;
    let mut tell = |watch: &Watch| {
        let state = (watch.done.load(Ordering::Relaxed), watch.total.load(Ordering::Relaxed));
        match progress {
            Some(callback) if told != Some(state) && state.1 > 0 => {
                told = Some(state);
                callback.call1(state).map(|_| ())
            }
            _ => Ok(()),
        }
    };
    let answer = pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            // Nobody listens any more only if the caller has panicked.
            let _ = sender.send(guarded(|| work(&watch)));
        });
        let mut interrupted = None;
        loop {
            let (back, answer) = patient(py, receiver);
            receiver = back;
            match answer {
                Ok(answer) => return (Some(answer), interrupted),
                Err(RecvTimeoutError::Disconnected) => return (None, interrupted),
                Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                    interrupted = py.check_signals().and_then(|()| tell(&watch)).err();
                    watch.is_cancelled.store(interrupted.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    match answer {
        (_, Some(error)) => Err(error),
        (Some(answer), None) => answer.and_then(|answer| tell(&watch).map(|()| answer)),
        (None, None) => Err(errors::machine(UNANSWERED)),
    }
}

/// Runs work that cannot be told to end. The interpreter is free meanwhile; after a signal the
/// caller goes on with its exception at once, and the work ends by itself, unheard.
pub(crate) fn leave<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::sync_channel(1);
    pool(py, 0)?.spawn(move || {
        // Nobody listens any more after a signal.
        let _ = sender.send(guarded(work));
    });
    loop {
        let (back, answer) = patient(py, receiver);
        receiver = back;
        match answer {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Disconnected) => return Err(errors::machine(UNANSWERED)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

/// What comes within a while, in which the interpreter is free.
fn patient<T: Send>(
    py: Python<'_>,
    receiver: Receiver<T>,
) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    py.detach(move || {
        let answer = receiver.recv_timeout(PATIENCE);
        (receiver, answer)
    })
}

/// What work answers. A panic, which is a fault of the library, has been printed; it goes no
/// farther, or the caller would wait for ever.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| errors::machine(UNANSWERED))
}
