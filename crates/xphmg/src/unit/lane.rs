//! One lane: load the ray, load the operand, test, narrow.

use super::rt_registers::{Features, features};
use super::svmem::IndexError;
use super::xmem::Events;
use super::{Trap, Unit};
use crate::flags::{Raised, Stickies};
use crate::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use crate::instruction::tri::{TriOptions, tri};
use crate::instruction::{RayElements, Verdict, read_elements};
use crate::memory::{HartPort, Memory, MemoryFault, element_at};
use crate::numeric::{ElementFormat, narrow};
use crate::policy::Policy;
use crate::readings::BboxRounding;

/// Which test, with the flags that change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Bbox { clamp: bool, w_guard: bool },
    Tri { cull_back: bool, epsilon: bool },
}

/// What a lane gives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LaneOutcome {
    pub(super) ray: u64,
    pub(super) operand: u64,
    pub(super) hit: bool,
    /// Narrowed; empty for predicate-only.
    pub(super) values: Vec<u32>,
    pub(super) raised: Raised,
}

/// A lane whose memory is not there or not aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaneFault {
    pub(super) trap: Trap,
    pub(super) events: Events,
}

impl Operation {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bbox { .. } => "bbox",
            Self::Tri { .. } => "tri",
        }
    }

    /// Values beside the hit.
    pub(super) const fn values(self) -> u8 {
        match self {
            Self::Bbox { .. } => 2,
            Self::Tri { .. } => 3,
        }
    }
}

impl Unit {
    pub(super) fn run_lane(
        &mut self,
        operation: Operation,
        policy: &Policy,
        lane: u8,
        ray: u64,
        predicate_only: bool,
        hart: &mut dyn HartPort,
    ) -> Result<LaneOutcome, LaneFault> {
        let format = policy.format;
        let mut raised = Raised::default();
        let has_w = matches!(operation, Operation::Bbox { w_guard: true, .. });
        let record = load_elements::<9>(hart, ray, format, 8 + usize::from(has_w))?;
        let operand = self.lane_operand(lane, hart)?;
        let [ox, oy, oz, dx, dy, dz, tmin, tmax, w] = record;
        let record = [ox, oy, oz, dx, dy, dz, tmin, tmax];
        let elements = RayElements::from_record(read_elements(record, policy, &mut raised));
        let verdict = match operation {
            Operation::Bbox { clamp, .. } => {
                let bounds = self.load_operand::<6>(hart, operand, format)?;
                let w = has_w.then(|| read_elements([w], policy, &mut raised)[0]);
                let [x0, y0, z0, x1, y1, z1] = read_elements(bounds, policy, &mut raised);
                let rounding = match self.readings().bbox_rounding {
                    BboxRounding::Mode => SlabRounding::Mode(policy.rounding),
                    BboxRounding::Conservative => SlabRounding::Conservative,
                };
                let options = BboxOptions { rounding, clamp, w };
                AnyVerdict::from(bbox(&elements, [x0, y0, z0], [x1, y1, z1], &options))
            }
            Operation::Tri { cull_back, epsilon } => {
                let corners = self.load_operand::<9>(hart, operand, format)?;
                let corners = read_elements(corners, policy, &mut raised);
                let vertices = std::array::from_fn(|v| std::array::from_fn(|k| corners[3 * v + k]));
                let options = TriOptions {
                    rounding: policy.rounding,
                    cull_back,
                    epsilon: if epsilon { self.epsilon(policy) } else { 0.0 },
                    watertight: features(self.readings()).contains(Features::WATERTIGHT),
                };
                AnyVerdict::from(tri(&elements, vertices, &options).verdict)
            }
        };
        raised |= verdict.raised;
        let values = if predicate_only {
            Vec::new()
        } else {
            verdict.narrow(operation.values(), policy, &mut raised)
        };
        Ok(LaneOutcome { ray, operand, hit: verdict.hit, values, raised })
    }

    /// a whole number of units; exact.
    pub(super) fn epsilon(&self, policy: &Policy) -> f32 {
        f32::from(self.rt.epsilon_units()) * policy.unit()
    }

    fn lane_operand(&self, lane: u8, hart: &mut dyn HartPort) -> Result<u64, LaneFault> {
        let index = self.svmem.lane_index(lane, hart).map_err(|error| match error {
            IndexError::Misaligned(address) => misaligned(address),
            IndexError::Fault(fault) => {
                LaneFault { trap: Trap::load(fault), events: Events::empty() }
            }
        })?;
        Ok(self.svmem.operand_address(index, self.rt.base))
    }

    /// what happens where there is no memory depends on SVMMODE.
    fn load_operand<const N: usize>(
        &mut self,
        hart: &mut dyn HartPort,
        address: u64,
        format: ElementFormat,
    ) -> Result<[u32; N], LaneFault> {
        load_elements::<N>(hart, address, format, N).or_else(|fault| {
            if fault.trap.cause != Trap::LOAD_ACCESS || !self.svmem.checks_bounds() {
                return Err(fault);
            }
            if self.svmem.reads_zeros_outside() {
                self.xmem.raise(Events::INV_MISS);
                return Ok([0; N]);
            }
            Err(LaneFault { events: Events::INV_MISS, ..fault })
        })
    }
}

/// A verdict of either test.
struct AnyVerdict {
    hit: bool,
    /// FP32 values of a hit.
    values: [f32; 3],
    nan: bool,
    raised: Raised,
}

impl<const N: usize> From<Verdict<N>> for AnyVerdict {
    fn from(verdict: Verdict<N>) -> Self {
        let mut values = [0.0; 3];
        if let Verdict::Hit(hit) = verdict {
            values[..N].copy_from_slice(&hit);
        }
        Self {
            hit: matches!(verdict, Verdict::Hit(_)),
            values,
            nan: matches!(verdict, Verdict::Nan { .. }),
            raised: verdict.raised(),
        }
    }
}

impl AnyVerdict {
    /// The values as elements: zeros of a miss are not narrowed, the NaNs of the NaN case are
    ///
    fn narrow(&self, count: u8, policy: &Policy, raised: &mut Raised) -> Vec<u32> {
        let count = usize::from(count);
        if !self.hit && !self.nan {
            return vec![0; count];
        }
        if self.hit && policy.format != ElementFormat::Fp32 {
            raised.stickies |= Stickies::DOWNCAST_TAKEN;
        }
        let elements = self.values[..count].iter().map(|value| {
            let narrowed = narrow(if self.nan { f32::NAN } else { *value }, policy);
            *raised |= narrowed.raised;
            narrowed.bits
        });
        elements.collect()
    }
}

/// Loads the first `count` of `N` elements; the others are 0. A fault names the first element that
/// is not there.
fn load_elements<const N: usize>(
    memory: &mut (impl Memory + ?Sized),
    address: u64,
    format: ElementFormat,
    count: usize,
) -> Result<[u32; N], LaneFault> {
    let width = format.bytes();
    if !address.is_multiple_of(width as u64) {
        return Err(misaligned(address));
    }
    let mut buffer = [0; 36];
    let bytes = &mut buffer[..count * width];
    if let Err(fault) = memory.load(address, bytes) {
        let fault = first_fault(memory, address, width, count).unwrap_or(fault);
        return Err(LaneFault { trap: Trap::load(fault), events: Events::empty() });
    }
    Ok(std::array::from_fn(|k| if k < count { element_at(&buffer, k * width, width) } else { 0 }))
}

fn first_fault(
    memory: &mut (impl Memory + ?Sized),
    address: u64,
    width: usize,
    count: usize,
) -> Option<MemoryFault> {
    (0..count).find_map(|k| {
        let element = address.wrapping_add((k * width) as u64);
        let fault = memory.load(element, &mut [0; 4][..width]).err()?;
        Some(MemoryFault { address: element, ..fault })
    })
}

fn misaligned(address: u64) -> LaneFault {
    LaneFault { trap: Trap::misaligned(address), events: Events::INV_MISS }
}
