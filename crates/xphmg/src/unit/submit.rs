//! `xsubmit.rt` and the fences.

use super::record::{Executed, Flow};
use super::rt_registers::{ErrorCode, Features, features};
use super::xmem::Events;
use super::{Trap, Unit};
use crate::layout::node::NodeShape;
use crate::layout::records::Descriptor;
use crate::memory::{HartPort, load_array};
use crate::offload::walk::Walk;
use crate::offload::{Job, JobOptions, JobRecord, Refusal};
use crate::readings::Submit;

impl Unit {
    pub(super) fn submit(
        &mut self,
        word: u32,
        rd: u8,
        rs1: u8,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        if !features(self.readings()).contains(Features::DESCQ) {
            return Err(self.rt_error(word, ErrorCode::UnsupportedFeature));
        }
        let address = hart.x(rs1);
        let job = if address.is_multiple_of(8) {
            let bytes = load_array(hart, address).map_err(Trap::load)?;
            let descriptor = Descriptor::from_bytes(&bytes);
            let options = self.job_options(descriptor.options);
            let options =
                options.ok_or_else(|| self.rt_error(word, ErrorCode::UnsupportedFeature))?;
            self.job(&descriptor, options)
        } else {
            Err(Refusal::Descriptor { address })
        };
        let job = match job {
            Ok(job) => job,
            Err(refusal) => {
                self.xmem.raise(Events::DMA_ERR);
                hart.set_x(rd, 0);
                return Ok(Executed { refused: Some(refusal), ..Executed::next() });
            }
        };
        let ticket = self.pending.submit(job);
        let jobs = match self.readings().submit {
            Submit::Immediate => self.pending.wait(ticket, hart),
            Submit::Deferred => self.pending.limit(hart),
        };
        hart.set_x(rd, ticket);
        Ok(self.completed(jobs))
    }

    pub(super) fn wait(&mut self, ticket: u64, hart: &mut dyn HartPort) -> Executed {
        let jobs = self.pending.wait(ticket, hart);
        self.completed(jobs)
    }

    pub(super) fn signal(
        &mut self,
        word: u32,
        token: u64,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        let token = event_token(word, token)?;
        self.pending.signal(token);
        let jobs = self.pending.limit(hart);
        Ok(self.completed(jobs))
    }

    pub(super) fn wait_event(
        &mut self,
        word: u32,
        token: u64,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        let token = event_token(word, token)?;
        Ok(match self.pending.wait_event(token, hart) {
            Ok(jobs) => self.completed(jobs),
            Err(deadlock) => Executed { flow: Flow::Deadlock(deadlock), ..Executed::next() },
        })
    }

    fn completed(&mut self, jobs: Vec<JobRecord>) -> Executed {
        self.complete(&jobs);
        Executed { jobs, ..Executed::next() }
    }

    /// The options of a job; `None` for a bit, or a feature, that there is not.
    fn job_options(&self, word: u32) -> Option<JobOptions> {
        let options = JobOptions::from_bits(word)?;
        let features = features(self.readings());
        let node =
            if options.contains(JobOptions::NODE8) { Features::NODE8 } else { Features::NODE4 };
        let mut needs = node;
        needs.set(Features::EPS_CTL, options.contains(JobOptions::EPS_CTL));
        needs.set(Features::PACK_HINT, options.contains(JobOptions::PACK_HINT));
        features.contains(needs).then_some(options)
    }

    /// The job of a descriptor with everything that it depends on copied.
    fn job(&self, descriptor: &Descriptor, options: JobOptions) -> Result<Job, Refusal> {
        let or = |address: u64, register: u64| if address == 0 { register } else { address };
        let [ray, hit, miss] = self.rt.queues;
        let queue = |field, address, register, stored| match or(address, stored) {
            address if address == 0 || address % 8 != 0 => {
                Err(Refusal::Queue { field, register, address })
            }
            address => Ok(address),
        };
        let ray_queue = queue("rayq", descriptor.ray_queue, "RTQ_RAY", ray)?;
        let hit_queue = queue("hitq", descriptor.hit_queue, "RTQ_HIT", hit)?;
        let miss_queue = queue("missq", descriptor.miss_queue, "RTQ_MISS", miss)?;
        let base = or(descriptor.bvh_base, self.rt.base);
        if base % 64 != 0 {
            return Err(Refusal::Base { address: base });
        }
        let asked = &descriptor.memory;
        if self.wrong_domain(asked.domain) {
            let (found, own) = (asked.domain, self.xmem.domain());
            return Err(Refusal::Domain { found, own });
        }
        let policy = self.prec.policy(self.readings());
        let walk = Walk {
            policy,
            options,
            epsilon: self.epsilon(&policy),
            watertight: features(self.readings()).contains(Features::WATERTIGHT),
            shape: NodeShape::new(
                policy.format,
                self.readings().node_layout,
                options.contains(JobOptions::NODE8),
            ),
            base,
            triangles: descriptor.triangles,
        };
        let memory = Some(self.memory_policy(asked));
        Ok(Job { walk, ray_queue, hit_queue, miss_queue, memory })
    }

    /// STRICT_DOM: a descriptor's domain must be the hart's, unless either says nothing.
    fn wrong_domain(&self, domain: u8) -> bool {
        let own = self.xmem.domain();
        self.xmem.strict_domain() && domain != 0 && own != 0 && own != 15 && domain != own
    }
}

/// Tokens are 0 to 63; others are illegal.
fn event_token(word: u32, token: u64) -> Result<u32, Trap> {
    u32::try_from(token).ok().filter(|token| *token < 64).ok_or_else(|| Trap::illegal(word))
}
