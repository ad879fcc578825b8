//! Which memory policy a job has: its descriptor's, then RT's registers', then XMEM's.

use super::Unit;
use crate::bits::{bit, field};
use crate::layout::records::MemoryControl;
use crate::offload::{JobRecord, MemoryCounts, MemoryPolicy, Stream};

/// What the jobs of one class in one domain did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryTotal {
    /// The class, 0 to 3.
    pub class: u8,
    /// The domain, 0 to 15.
    pub domain: u8,
    /// Jobs.
    pub jobs: u64,
    /// Rays that they took, hit and miss entries that they wrote.
    pub rays: [u64; 3],
    /// Their memory.
    pub counts: MemoryCounts,
}

/// The first that is not zero.
fn first(values: [u64; 3]) -> u64 {
    values.into_iter().find(|value| *value != 0).unwrap_or(0)
}

impl Unit {
    /// What all jobs did so far, by class and domain.
    #[must_use]
    pub fn memory_totals(&self) -> &[MemoryTotal] {
        &self.memory_totals
    }

    /// The policy of a job that asks for this.
    pub(super) fn memory_policy(&self, asked: &MemoryControl) -> MemoryPolicy {
        let xmem = |number: u16| self.xmem.read(number).unwrap_or(0);
        let (defaults, policy) = (self.rt.class_default(), xmem(0x7ED));
        let low = |value: u8, bits: u32| u64::from(value) & ((1 << bits) - 1);
        let class = first([low(asked.class, 2), field(defaults, 1, 0), field(policy, 1, 0)]);
        let profile = first([low(asked.stream_profile, 2), self.rt.stream_profile(), 0]);
        // Bit 0 enables, bits 3:1 are the quality of service, as bits 2 and 5:3 of the registers.
        let registers = [field(defaults, 5, 2), field(policy, 5, 2)];
        let hybrid = first([low(asked.hybrid, 4), registers[0], registers[1]]);
        let (classes, line) = (xmem(0x7E3), field(xmem(0x7E1), 19, 16));
        let own = (classes >> (8 * class)) as u8;
        let borrows = own == 0 && bit(hybrid, 0);
        let (smallest, largest) = (1u64 << 4, 1u64 << 12);
        let lines = [u64::from(asked.line_size), 1 << field(xmem(0x7E2), 15, 8).min(63)];
        let is_line = |bytes: &u64| bytes.is_power_of_two() && (smallest..=largest).contains(bytes);
        MemoryPolicy {
            asked: *asked,
            domain: first([low(asked.domain, 4), u64::from(self.xmem.domain()), 0]) as u8,
            class: class as u8,
            profile: profile as u8,
            stream: stream(xmem(0x7E8 + profile as u16), xmem(0x7E7)),
            hybrid: bit(hybrid, 0),
            borrow_qos: field(hybrid, 3, 1) as u8,
            qos: first([asked.qos.into(), field(classes >> (4 * class), 35, 32), 0]) as u16,
            line: lines.into_iter().find(is_line).unwrap_or(1 << line) as u32,
            ways: if borrows { u8::MAX } else { own },
            borrows,
        }
    }

    /// Adds what a job did to the totals of its class and domain.
    pub(super) fn add_to_totals(&mut self, job: &JobRecord) {
        let Some(usage) = &job.memory else { return };
        let key = (usage.policy.class, usage.policy.domain);
        let at = self.memory_totals.binary_search_by_key(&key, |it| (it.class, it.domain));
        let at = at.unwrap_or_else(|at| {
            let (class, domain) = key;
            let (jobs, rays, counts) = (0, [0; 3], MemoryCounts::default());
            self.memory_totals.insert(at, MemoryTotal { class, domain, jobs, rays, counts });
            at
        });
        let total = &mut self.memory_totals[at];
        total.jobs += 1;
        let rays = [job.rays, job.hits, job.misses];
        total.rays.iter_mut().zip(rays).for_each(|(sum, count)| *sum += u64::from(count));
        total.counts.add(&usage.counts);
    }
}

/// A profile that says nothing leaves it to STREAM_CTL; non-temporal is STREAM_CTL's alone.
fn stream(profile: u64, control: u64) -> Stream {
    let chosen = if profile == 0 { control & 0xFF_FFFF } else { profile };
    Stream {
        stride: field(chosen, 15, 0) as u32,
        depth: field(chosen, 23, 16) as u32,
        always: field(chosen, 27, 24) == 1,
        non_temporal: bit(control, 24),
    }
}
