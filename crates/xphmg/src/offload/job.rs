//! One job: rays from one queue, an entry in one of two others for each.

use super::memory_model::{MemoryPolicy, MemoryUse, Modelled};
use super::reporter::Reporter;
use super::walk::{Walk, WalkCounts, WalkError, WalkHit};
use crate::flags::{Raised, Stickies};
use crate::instruction::{RayElements, read_elements};
use crate::layout::records::{
    HIT_ENTRY_BYTES, MISS_ENTRY_BYTES, QUEUE_HEAD, QUEUE_TAIL, Queue, ray_entry_bytes,
};
use crate::memory::{Memory, MemoryFault, element_at, load_array, u32_at};
use crate::numeric::{ElementFormat, narrow};
use machine::{Observer, Unwatched};

/// A submitted job: everything that it needs was copied at submission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Job {
    /// How rays are traced.
    pub walk: Walk,
    /// Address of the ray queue.
    pub ray_queue: u64,
    /// Address of the hit queue.
    pub hit_queue: u64,
    /// Address of the miss queue.
    pub miss_queue: u64,
    /// How its memory is treated; `None` where nobody counts it.
    pub memory: Option<MemoryPolicy>,
}

/// What a job did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobRecord {
    /// Its ticket.
    pub ticket: u64,
    /// Rays taken from the queue.
    pub rays: u32,
    /// Hit entries written.
    pub hits: u32,
    /// Miss entries written.
    pub misses: u32,
    /// Why it stopped early: EVENTS.DMA_ERR.
    pub error: Option<JobError>,
    /// For the sticky flags, at completion.
    pub raised: Raised,
    /// Work done.
    pub counts: WalkCounts,
    /// What its memory did, where that is counted.
    pub memory: Option<MemoryUse>,
}

/// Why a job stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// A queue with cap below 2 or an index beyond it.
    #[error("the queue at {address:#x} has head {head}, tail {tail} and cap {cap}")]
    BadQueue {
        /// Its address.
        address: u64,
        /// Its head.
        head: u32,
        /// Its tail.
        tail: u32,
        /// Its capacity.
        cap: u32,
    },
    /// No room for an entry.
    #[error("the queue at {address:#x} is full")]
    QueueFull {
        /// Its address.
        address: u64,
    },
    /// Whoever runs the program has set a limit.
    #[error("the limit of the run was reached")]
    Limit,
    /// The walk of a ray stopped.
    #[error(transparent)]
    Walk(#[from] WalkError),
}

impl JobRecord {
    /// What it did, in one line.
    #[must_use]
    pub fn report(&self) -> String {
        let Self { ticket, rays, hits, misses, .. } = self;
        let mut text = format!("job {ticket}: {rays} rays, {hits} hits, {misses} misses");
        if let Some(MemoryUse { policy, counts }) = &self.memory {
            let MemoryPolicy { class, domain, profile, line, ways, .. } = policy;
            let borrowed = if policy.borrows { ", borrowed" } else { "" };
            text += &format!(
                "; memory class {class} (ways {ways:#04x}{borrowed}), domain {domain}, profile \
                 {profile}, lines of {line} bytes"
            );
            for (name, count) in counts.named() {
                text += &format!(", {name} {count}");
            }
            if policy.asked.security != 0 {
                text += &format!(", sec {} ignored", policy.asked.security);
            }
        }
        if let Some(error) = self.error {
            text += &format!("; stopped: {error}");
        }
        text
    }
}

impl From<MemoryFault> for JobError {
    fn from(fault: MemoryFault) -> Self {
        Self::Walk(WalkError::Fault(fault))
    }
}

impl Job {
    /// Runs the job to its end.
    #[must_use]
    pub fn run(&self, ticket: u64, memory: &mut (impl Memory + ?Sized)) -> JobRecord {
        self.watch(ticket, memory, &mut Reporter::unwatched(&mut Unwatched))
    }

    /// Runs the job to its end and reports what its rays do.
    #[must_use]
    pub fn watch<O: Observer + ?Sized>(
        &self,
        ticket: u64,
        memory: &mut (impl Memory + ?Sized),
        reporter: &mut Reporter<'_, O>,
    ) -> JobRecord {
        let mut record = JobRecord { ticket, ..JobRecord::default() };
        record.error = match self.memory {
            None => self.take_rays(memory, &mut record, reporter).err(),
            Some(policy) => {
                let mut modelled = Modelled::new(memory, policy);
                let error = self.take_rays(&mut modelled, &mut record, reporter).err();
                record.memory = Some(modelled.usage());
                error
            }
        };
        record
    }

    fn take_rays<O: Observer + ?Sized>(
        &self,
        memory: &mut (impl Memory + ?Sized),
        record: &mut JobRecord,
        reporter: &mut Reporter<'_, O>,
    ) -> Result<(), JobError> {
        load_queue(memory, self.hit_queue)?;
        load_queue(memory, self.miss_queue)?;
        let queue = load_queue(memory, self.ray_queue)?;
        let mut head = queue.head;
        while head != queue.tail {
            let (ray, ray_id) = self.load_ray(memory, &queue, head, record)?;
            let before = record.counts.steps();
            let JobRecord { raised, counts, .. } = &mut *record;
            let hit = self.walk.trace(memory, &ray, raised, counts, reporter);
            if !memory.spend(record.counts.steps() - before + 1) {
                return Err(JobError::Limit);
            }
            let hit = hit?;
            match hit {
                Some(hit) => {
                    let entry = self.hit_entry(ray_id, &hit, &mut record.raised);
                    push(memory, self.hit_queue, &entry)?;
                    record.hits += 1;
                }
                None => {
                    let mut entry = [0; MISS_ENTRY_BYTES];
                    entry[..4].copy_from_slice(&ray_id.to_le_bytes());
                    push(memory, self.miss_queue, &entry)?;
                    record.misses += 1;
                }
            }
            head = queue.after(head);
            memory.store(self.ray_queue.wrapping_add(QUEUE_HEAD), &head.to_le_bytes())?;
            record.rays += 1;
        }
        Ok(())
    }

    fn load_ray(
        &self,
        memory: &mut (impl Memory + ?Sized),
        queue: &Queue,
        head: u32,
        record: &mut JobRecord,
    ) -> Result<(RayElements, u32), JobError> {
        let format = self.walk.policy.format;
        let (bytes, width) = (ray_entry_bytes(format), format.bytes());
        let mut entry = [0; 40];
        let offset = u64::from(head) * bytes as u64;
        memory.load(queue.base.wrapping_add(offset), &mut entry[..bytes])?;
        let elements: [u32; 8] = std::array::from_fn(|k| element_at(&entry, k * width, width));
        let values = read_elements(elements, &self.walk.policy, &mut record.raised);
        Ok((RayElements::from_record(values), u32_at(&entry, 8 * width)))
    }

    fn hit_entry(&self, ray_id: u32, hit: &WalkHit, raised: &mut Raised) -> [u8; HIT_ENTRY_BYTES] {
        let values = hit.values.map(|value| {
            let narrowed = narrow(value, &self.walk.policy);
            *raised |= narrowed.raised;
            narrowed.bits
        });
        if self.walk.policy.format != ElementFormat::Fp32 {
            raised.stickies |= Stickies::DOWNCAST_TAKEN;
        }
        let [t, u, v] = values;
        let words = [ray_id, hit.primitive, hit.leaf, u32::from(hit.back), t, u, v, 0];
        let mut entry = [0; HIT_ENTRY_BYTES];
        for (chunk, word) in entry.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        entry
    }
}

fn load_queue(memory: &mut (impl Memory + ?Sized), address: u64) -> Result<Queue, JobError> {
    let queue = Queue::from_bytes(&load_array(memory, address)?);
    let Queue { head, tail, cap, .. } = queue;
    if queue.is_valid() { Ok(queue) } else { Err(JobError::BadQueue { address, head, tail, cap }) }
}

/// Appends an entry. Hit and miss queue may be the same, so the indices are read anew.
fn push(memory: &mut (impl Memory + ?Sized), address: u64, entry: &[u8]) -> Result<(), JobError> {
    let queue = load_queue(memory, address)?;
    if queue.is_full() {
        return Err(JobError::QueueFull { address });
    }
    let offset = u64::from(queue.tail) * entry.len() as u64;
    memory.store(queue.base.wrapping_add(offset), entry)?;
    let tail = queue.after(queue.tail);
    memory.store(address.wrapping_add(QUEUE_TAIL), &tail.to_le_bytes())?;
    Ok(())
}
