//! The offload job, one ray at a time: queues in scratch memory, the image beside them.
//!
//! A job finds the closest or the first hit and knows one flag, CULL_BACK. All hits of a ray, and
//! other flags, are what a program would have to do around it: the same walk, with every accepted
//! triangle looked at. So are instances: the walk over the TLAS is the program's, and each instance
//! that the ray meets is a job of its own over its BLAS, with the ray that MTX.MUL moves.
//! [`crate::offload::reporter`] says what an observer sees of it.

use super::tiles_image::TilesImage;
use crate::flags::Raised;
use crate::layout::records::{HIT_ENTRY_BYTES, QUEUE_BYTES, Queue};
use crate::memory::{FaultKind, Memory, MemoryFault, load_array, u32_at};
use crate::offload::job::JobError;
use crate::offload::reporter::{NOT_CLOSER, Reporter};
use crate::offload::walk::{BUDGET, WalkCounts, WalkError, WalkHit};
use crate::offload::{Job, JobOptions};
use crate::tiles::instance::INSTANCE_BYTES;
use machine::{
    Answer, BudgetExhausted, Counters, Hit, HitKind, MachineError, Observer, Query, RayQuery, Step,
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
        space: &Space,
        options: JobOptions,
        counters: &mut Counters,
        observer: &mut O,
    ) -> Result<Option<Hit>, JobError> {
        let width = self.tiles.policy().format.bytes();
        let mut memory = Scratch::new(&self.tiles);
        memory.put_ray(&space.record, width);
        let job = Job {
            walk: self.tiles.walk(options, space.level),
            ray_queue: RAY_QUEUE,
            hit_queue: HIT_QUEUE,
            miss_queue: MISS_QUEUE,
            memory: None,
        };
        let record = job.watch(1, &mut memory, &mut space.reporter(observer, &self.tiles));
        count(record.counts, counters);
        if let Some(error) = record.error {
            return Err(error);
        }
        if record.hits == 0 {
            return Ok(None);
        }
        let entry: [u8; HIT_ENTRY_BYTES] = load_array(&mut memory, HIT_ENTRIES)?;
        let values = [16, 20, 24].map(|offset| u32_at(&entry, offset));
        Ok(Some(self.tiles.hit_of_elements(space.instance, u32_at(&entry, 4), values)))
    }

    /// Walks as a job does and looks at every accepted triangle.
    fn all<O: Observer + ?Sized>(
        &self,
        query: &RayQuery,
        space: &Space,
        found: &mut Vec<WalkHit>,
        counters: &mut Counters,
        observer: &mut O,
    ) -> Result<(), WalkError> {
        let walk = self.tiles.walk(JobOptions::empty(), space.level);
        let ray = self.tiles.ray(space.record);
        let (mut raised, mut counts) = (Raised::default(), WalkCounts::default());
        let is_watching = observer.is_watching();
        let mut keep = |hit: WalkHit, reporter: &mut Reporter<'_, O>| {
            let is_seen = TilesImage::sees(query, &hit);
            if is_watching {
                reporter.judged(&hit, refusal(query.kind, &hit, is_seen, found));
            }
            found.extend(is_seen.then_some(hit));
            ControlFlow::Continue(())
        };
        let reporter = &mut space.reporter(observer, &self.tiles);
        let memory = &mut self.tiles.memory();
        walk.each_hit(memory, &ray, &mut raised, &mut counts, reporter, &mut keep)?;
        count(counts, counters);
        Ok(())
    }

    /// The spaces that a ray is looked at in: the world, or those of the instances that it meets.
    fn spaces<O: Observer + ?Sized>(
        &self,
        query: &RayQuery,
        counters: &mut Counters,
        observer: &mut O,
    ) -> Result<Vec<Space>, WalkError> {
        let world = Space { level: 0, instance: 0, record: self.tiles.ray_record(query) };
        if self.tiles.instance_count().is_none() {
            return Ok(vec![world]);
        }
        let (mut raised, mut counts) = (Raised::default(), WalkCounts::default());
        let mut met = Vec::new();
        self.tiles.walk(JobOptions::empty(), 0).each_leaf(
            &mut self.tiles.memory(),
            &self.tiles.ray(world.record),
            &mut raised,
            &mut counts,
            &mut world.reporter(observer, &self.tiles),
            &mut |_, leaf, _| {
                met.extend(self.tiles.contents().instance_number(leaf));
                Ok(ControlFlow::Continue(()))
            },
        )?;
        counts.leaves += met.len() as u64;
        counts.bytes += (met.len() * INSTANCE_BYTES) as u64;
        count(counts, counters);
        let space = |instance| {
            let (level, record) = self.tiles.enter(instance, world.record);
            Space { level, instance, record }
        };
        Ok(met.into_iter().map(space).collect())
    }

    fn ask<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(NAME)?;
        let Some((hits, counters)) = answer.begin(query) else { return Ok(()) };
        // A proved image has no cycle and no hole, so a walk can only run out of steps.
        let exhausted = BudgetExhausted { limit: BUDGET.into() };
        let (mut options, known) = TilesImage::options(query);
        options.set(JobOptions::ANY_HIT, query.kind == HitKind::Any);
        let looks_at_all = query.kind == HitKind::All || !known;
        let mut found = Vec::new();
        for space in self.spaces(query, counters, observer).map_err(|_| exhausted)? {
            self.entered(&space, counters, observer);
            if looks_at_all {
                let all = self.all(query, &space, &mut found, counters, observer);
                all.map_err(|_| exhausted)?;
            } else {
                let hit = self.job(&space, options, counters, observer);
                hits.extend(hit.map_err(|_| exhausted)?);
            }
            if space.level != 0 && observer.is_watching() {
                observer.see(Step::Leave);
            }
            if options.contains(JobOptions::ANY_HIT) && !hits.is_empty() {
                break;
            }
        }
        hits.sort_by(Hit::total_cmp);
        found.sort_by(|a: &WalkHit, b| match (a.comes_before(b), b.comes_before(a)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        });
        found.dedup_by_key(|hit| (hit.instance, hit.primitive)); // met in several leaves
        hits.extend(found.iter().map(|hit| self.tiles.hit(hit)));
        if query.kind != HitKind::All {
            hits.truncate(1);
        }
        Ok(())
    }

    /// The ray is in the space of an instance.
    fn entered<O: Observer + ?Sized>(
        &self,
        space: &Space,
        counters: &mut Counters,
        observer: &mut O,
    ) {
        if space.level == 0 {
            return;
        }
        counters.instances += 1;
        if observer.is_watching() {
            observer.see(self.tiles.entered(space.instance, space.record));
        }
    }
}

/// Where a ray is looked at.
struct Space {
    /// 0 is the world, `n + 1` BLAS `n`.
    level: u32,
    instance: u32,
    /// The ray there.
    record: [u32; 8],
}

impl Space {
    fn reporter<'a, O: Observer + ?Sized>(
        &self,
        observer: &'a mut O,
        tiles: &'a TilesImage,
    ) -> Reporter<'a, O> {
        Reporter::new(observer, tiles, self.level, self.instance)
    }
}

machine::traced_machine!(Offload, NAME, ask);

/// Why a hit does not count, where every hit is looked at.
fn refusal(kind: HitKind, hit: &WalkHit, is_seen: bool, found: &[WalkHit]) -> Option<&'static str> {
    let is_known =
        |known: &WalkHit| (known.instance, known.primitive) == (hit.instance, hit.primitive);
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
