//! The offload job, one ray at a time: queues in scratch memory, the image beside them.
//!
//! A job finds the closest or the first hit and knows one flag, CULL_BACK. All hits of a ray, and
//! other flags, are what a program would have to do around it: the same walk, with every accepted
//! triangle looked at. [`crate::offload::reporter`] says what an observer sees of it.

use super::tiles_image::TilesImage;
use crate::flags::Raised;
use crate::layout::records::{HIT_ENTRY_BYTES, QUEUE_BYTES, Queue};
use crate::memory::{FaultKind, Memory, MemoryFault, load_array, u32_at};
use crate::offload::job::JobError;
use crate::offload::reporter::{NOT_CLOSER, Reporter};
use crate::offload::walk::{BUDGET, WalkCounts, WalkError, WalkHit};
use crate::offload::{Job, JobOptions};
use machine::{
    Answer, BudgetExhausted, Counters, Hit, HitKind, MachineError, Observer, Query, RayQuery,
};
use std::ops::ControlFlow;

/// The name of the machine in options and reports.
pub const NAME: &str = "offload";

/// The machine `offload`.
#[derive(Debug, Clone)]
pub struct Offload {
    tiles: TilesImage,
}

impl Offload {
    /// Over an image.
    #[must_use]
    pub const fn new(tiles: TilesImage) -> Self {
        Self { tiles }
    }

    /// Runs a job on one ray.
    fn job<O: Observer + ?Sized>(
        &self,
        query: &RayQuery,
        options: JobOptions,
        counters: &mut Counters,
        observer: &mut O,
    ) -> Result<Option<Hit>, JobError> {
        let width = self.tiles.policy().format.bytes();
        let mut memory = Scratch::new(&self.tiles);
        memory.put_ray(&self.tiles.ray_record(query), width);
        let job = Job {
            walk: self.tiles.walk(options),
            ray_queue: RAY_QUEUE,
            hit_queue: HIT_QUEUE,
            miss_queue: MISS_QUEUE,
            memory: None,
        };
        let record = job.watch(1, &mut memory, &mut Reporter::new(observer, &self.tiles));
        count(record.counts, counters);
        if let Some(error) = record.error {
            return Err(error);
        }
        if record.hits == 0 {
            return Ok(None);
        }
        let entry: [u8; HIT_ENTRY_BYTES] = load_array(&mut memory, HIT_ENTRIES)?;
        let values = [16, 20, 24].map(|offset| u32_at(&entry, offset));
        Ok(Some(self.tiles.hit_of_elements(u32_at(&entry, 4), values)))
    }

    /// Walks as a job does and looks at every accepted triangle.
    fn all<O: Observer + ?Sized>(
        &self,
        query: &RayQuery,
        counters: &mut Counters,
        observer: &mut O,
    ) -> Result<Vec<WalkHit>, WalkError> {
        let walk = self.tiles.walk(JobOptions::empty());
        let ray = self.tiles.ray(query);
        let (mut raised, mut counts) = (Raised::default(), WalkCounts::default());
        let is_watching = observer.is_watching();
        let mut found: Vec<WalkHit> = Vec::new();
        let mut keep = |hit: WalkHit, reporter: &mut Reporter<'_, O>| {
            let is_seen = TilesImage::sees(query, &hit);
            if is_watching {
                reporter.judged(&hit, refusal(query.kind, &hit, is_seen, &found));
            }
            found.extend(is_seen.then_some(hit));
            ControlFlow::Continue(())
        };
        let reporter = &mut Reporter::new(observer, &self.tiles);
        let memory = &mut self.tiles.memory();
        walk.each_hit(memory, &ray, &mut raised, &mut counts, reporter, &mut keep)?;
        count(counts, counters);
        found.sort_by(|a, b| match (a.comes_before(b), b.comes_before(a)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        });
        found.dedup_by_key(|hit| hit.primitive); // met in several leaves
        Ok(found)
    }

    fn ask<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(NAME)?;
        let Answer { hits, counters } = answer;
        hits.clear();
        counters.queries += 1;
        if !query.can_hit() {
            return Ok(());
        }
        // A proved image has no cycle and no hole, so a walk can only run out of steps.
        let exhausted = BudgetExhausted { limit: BUDGET.into() };
        let (mut options, known) = TilesImage::options(query);
        if query.kind == HitKind::All || !known {
            let mut found = self.all(query, counters, observer).map_err(|_| exhausted)?;
            if query.kind != HitKind::All {
                found.truncate(1);
            }
            hits.extend(found.iter().map(|hit| self.tiles.hit(hit)));
            return Ok(());
        }
        options.set(JobOptions::ANY_HIT, query.kind == HitKind::Any);
        hits.extend(self.job(query, options, counters, observer).map_err(|_| exhausted)?);
        Ok(())
    }
}

machine::traced_machine!(Offload, NAME, ask);

/// Why a hit does not count, where every hit is looked at.
fn refusal(kind: HitKind, hit: &WalkHit, is_seen: bool, found: &[WalkHit]) -> Option<&'static str> {
    let is_known = |known: &WalkHit| known.primitive == hit.primitive;
    match kind {
        _ if !is_seen => Some("the flags of the query hide it"),
        HitKind::All if found.iter().any(is_known) => Some("it was met in another leaf before"),
        HitKind::All => None,
        HitKind::Any | HitKind::Closest => {
            found.iter().any(|known| known.comes_before(hit)).then_some(NOT_CLOSER)
        }
    }
}

fn count(counts: WalkCounts, counters: &mut Counters) {
    counters.nodes += counts.nodes;
    counters.box_tests += counts.boxes;
    counters.leaves += counts.leaves;
    counters.triangle_tests += counts.triangles;
    counters.bytes += counts.bytes;
}

/// Queues and their entries, below the image's addresses.
const SCRATCH: u64 = 0x1000;
const RAY_QUEUE: u64 = SCRATCH;
const HIT_QUEUE: u64 = SCRATCH + 32;
const MISS_QUEUE: u64 = SCRATCH + 64;
const RAY_ENTRIES: u64 = SCRATCH + 96;
const HIT_ENTRIES: u64 = SCRATCH + 192;
const MISS_ENTRIES: u64 = SCRATCH + 256;
const SCRATCH_BYTES: usize = 320;

/// Scratch memory before an image.
struct Scratch<'a> {
    bytes: [u8; SCRATCH_BYTES],
    image: super::tiles_image::ImageMemory<'a>,
}

impl<'a> Scratch<'a> {
    fn new(tiles: &'a TilesImage) -> Self {
        let mut scratch = Self { bytes: [0; SCRATCH_BYTES], image: tiles.memory() };
        let empty = |base| Queue { head: 0, tail: 0, cap: 2, base };
        let queues = [
            (RAY_QUEUE, Queue { tail: 1, ..empty(RAY_ENTRIES) }),
            (HIT_QUEUE, empty(HIT_ENTRIES)),
            (MISS_QUEUE, empty(MISS_ENTRIES)),
        ];
        for (address, queue) in queues {
            let start = (address - SCRATCH) as usize;
            scratch.bytes[start..start + QUEUE_BYTES].copy_from_slice(&queue.to_bytes());
        }
        scratch
    }

    fn put_ray(&mut self, record: &[u32; 8], width: usize) {
        let start = (RAY_ENTRIES - SCRATCH) as usize;
        for (chunk, element) in self.bytes[start..].chunks_exact_mut(width).zip(record) {
            chunk.copy_from_slice(&element.to_le_bytes()[..width]);
        }
    }

    fn place(&self, address: u64, length: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address.checked_sub(SCRATCH)?).ok()?;
        let end = start.checked_add(length)?;
        (end <= SCRATCH_BYTES).then_some(start..end)
    }
}

impl Memory for Scratch<'_> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        match self.place(address, bytes.len()) {
            Some(range) => {
                bytes.copy_from_slice(&self.bytes[range]);
                Ok(())
            }
            None => self.image.load(address, bytes),
        }
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        let fault = MemoryFault { kind: FaultKind::Access, address };
        let range = self.place(address, bytes.len()).ok_or(fault)?;
        self.bytes[range].copy_from_slice(bytes);
        Ok(())
    }
}
