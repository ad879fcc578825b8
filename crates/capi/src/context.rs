//! The context: everything that a program has opened, and the threads that work on it.

use crate::boundary::{self, Out};
use crate::description::Description;
use crate::ids::{Id, Ids};
use crate::image::Image;
use crate::report::Report;
use crate::statistics::Statistics;
use crate::status::{CError, Failure, SilirayStatus, failed, guarded};
use crate::walk::Walked;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use siliray::machine::source::Geometry;
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How a context works. All zeros are the usual way.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ContextOptions {
    /// Threads that share the work of a call; 0: as many as the processor has.
    pub threads: u32,
    /// Zero.
    pub reserved: u32,
    /// Most bytes of one input; 0: 4 GiB.
    pub most_bytes: u64,
}

/// Everything that a program has opened. Any number of threads may use it.
pub struct Context {
    things: Mutex<Ids<Thing>>,
    workers: Workers,
    most_bytes: u64,
}

/// Threads of a context's own, which end with it.
struct Workers {
    /// Always there, until it is dropped.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        let mut threads = Vec::new();
        let pool = ThreadPoolBuilder::new().num_threads(count).spawn_handler(|thread| {
            let name = format!("siliray {}", thread.index());
            let spawned = std::thread::Builder::new().name(name).spawn(|| thread.run());
            spawned.map(|handle| threads.push(handle))
        });
        let pool = pool.build()?;
        Ok(Self { pool: Some(pool), threads })
    }

    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // Only then do the threads end.
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // A thread that panicked has ended too.
            let _ = thread.join();
        }
    }
}

/// Most threads of a context.
const MOST_THREADS: u32 = 1024;

/// Most bytes of an input unless somebody says more.
const USUAL_BYTES: u64 = 4 << 30;

/// What an id can name. Whoever works on a thing shares it.
#[derive(Debug, Clone)]
pub(crate) enum Thing {
    Image(Arc<Image>),
    Scene(Arc<Geometry>),
    Report(Arc<Report>),
    Description(Arc<Description>),
    Statistics(Arc<Statistics>),
    Walk(Arc<Walked>),
}

impl Thing {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Image(_) => "an image",
            Self::Scene(_) => "a scene",
            Self::Report(_) => "a report",
            Self::Description(_) => "a description",
            Self::Statistics(_) => "statistics",
            Self::Walk(_) => "a walk",
        }
    }
}

/// How one kind of thing is found.
macro_rules! finds {
    ($($name:ident, $kind:ident, $thing:ty, $words:literal;)*) => {
        impl Context {
            $(
                pub(crate) fn $name(&self, id: Id) -> Result<Arc<$thing>, Failure> {
                    match self.thing(id)? {
                        Thing::$kind(thing) => Ok(thing),
                        other => {
                            let text = format!("{id:#x} is {}, expected {}", other.kind(), $words);
                            Err(Failure::new(SilirayStatus::WrongKind, text))
                        }
                    }
                }
            )*
        }
    };
}

finds! {
    image, Image, Image, "an image";
    scene, Scene, Geometry, "a scene";
    report, Report, Report, "a report";
    description, Description, Description, "a description";
    statistics, Statistics, Statistics, "statistics";
    walk, Walk, Walked, "a walk";
}

impl Context {
    fn new(options: ContextOptions) -> Result<Self, Failure> {
        if options.threads > MOST_THREADS || options.reserved != 0 {
            let text = format!(
                "threads {}, reserved {}; expected at most {MOST_THREADS}, and 0",
                options.threads, options.reserved
            );
            return Err(Failure::new(SilirayStatus::Option, text));
        }
        let count = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            count => count as usize,
        };
        let most = options.most_bytes;
        Ok(Self {
            things: Mutex::default(),
            workers: Workers::new(count).map_err(failed(SilirayStatus::Exhausted))?,
            most_bytes: if most == 0 { USUAL_BYTES } else { most },
        })
    }

    /// Most bytes of an input.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Does work on the threads of this context.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.workers.run(work)
    }

    /// Takes a thing in.
    pub(crate) fn keep(&self, thing: Thing) -> Result<Id, Failure> {
        let none = || Failure::new(SilirayStatus::Exhausted, "there are no more ids");
        self.things().insert(thing).ok_or_else(none)
    }

    fn thing(&self, id: Id) -> Result<Thing, Failure> {
        self.things().get(id).cloned().ok_or_else(|| stale(id))
    }

    /// A thread that panicked while it held the lock left nothing half done: it only looks up.
    fn things(&self) -> MutexGuard<'_, Ids<Thing>> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stale(id: Id) -> Failure {
    Failure::new(SilirayStatus::StaleId, format!("{id:#x} was released, or never given"))
}

/// Makes a context. `options` may be null: the usual way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_context_new(
    options: *const ContextOptions,
    context: *mut *mut Context,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let place = Out::new(context, "context")?;
        let options = boundary::get_or(options, ContextOptions::default(), "options")?;
        boundary::give(Context::new(options)?, place);
        Ok(())
    })
}

/// Frees a context and all that it holds, ends its threads, and sets the variable to null. No other
/// thread may use the context any more; copies of the pointer lead nowhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_context_free(
    context: *mut *mut Context,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || boundary::take_back(context).map(drop))
}

/// Releases what an id names. Calls that are at work on it finish; texts that it gave are gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siliray_release(
    context: *const Context,
    id: Id,
    error: *mut CError,
) -> SilirayStatus {
    guarded(error, || {
        let released = boundary::context(context)?.things().remove(id);
        released.map(drop).ok_or_else(|| stale(id))
    })
}
