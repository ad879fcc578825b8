//! `rt.bbox` and `rt.tri`: checks, lanes, commit (specification, sections 1, 6 and 9).
//!
//! Order of checks: reserved bits (by decoding), features, destination registers and lane
//! steps; then lane by lane the ray record, the operand, the arithmetic, enabled exceptions.
//! Everything is read before anything is written: a trap leaves registers, masks and P0 as
//! they were.

use super::lane::{LaneFault, LaneOutcome, Operation};
use super::record::{Executed, LaneRecord, RtRecord};
use super::rt_registers::{ErrorCode, Features, features};
use super::{Trap, Unit};
use crate::encoding::{BboxFlags, TriFlags};
use crate::flags::Raised;
use crate::memory::HartPort;
use crate::policy::Policy;
use crate::readings::FofFirstLane;

/// An RT instruction, decoded.
pub(super) struct RtInstruction {
    word: u32,
    rd: u8,
    rs1: u8,
    flags: u8,
    operation: Operation,
    predicate_only: bool,
    pack_hint: bool,
}

/// How results reach registers.
#[derive(Clone, Copy)]
struct Destination {
    writes: bool,
    packed: bool,
    /// Registers of one lane.
    tuple: u8,
    base: u8,
    step: u8,
}

impl Unit {
    pub(super) fn bbox(
        &mut self,
        word: u32,
        rd: u8,
        rs1: u8,
        flags: BboxFlags,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        let instruction = RtInstruction {
            word,
            rd,
            rs1,
            flags: flags.bits(),
            operation: Operation::Bbox {
                clamp: flags.contains(BboxFlags::T_CLAMP),
                w_guard: flags.contains(BboxFlags::W_GUARD),
            },
            predicate_only: flags.contains(BboxFlags::PRED_ONLY),
            pack_hint: flags.contains(BboxFlags::PACK_HINT),
        };
        let executed = self.execute_rt(&instruction, hart)?;
        self.rt.bbox_count = self.rt.bbox_count.wrapping_add(1);
        Ok(executed)
    }

    pub(super) fn tri(
        &mut self,
        word: u32,
        rd: u8,
        rs1: u8,
        flags: TriFlags,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        if flags.contains(TriFlags::EPS_CTL) && !self.has(Features::EPS_CTL) {
            return Err(self.rt_error(word, ErrorCode::UnsupportedFeature));
        }
        let instruction = RtInstruction {
            word,
            rd,
            rs1,
            flags: flags.bits(),
            operation: Operation::Tri {
                cull_back: flags.contains(TriFlags::CULL_BACK),
                epsilon: flags.contains(TriFlags::EPS_CTL),
            },
            predicate_only: flags.contains(TriFlags::PRED_ONLY),
            pack_hint: flags.contains(TriFlags::PACK_HINT),
        };
        let executed = self.execute_rt(&instruction, hart)?;
        self.rt.tri_count = self.rt.tri_count.wrapping_add(1);
        Ok(executed)
    }

    fn execute_rt(
        &mut self,
        instruction: &RtInstruction,
        hart: &mut dyn HartPort,
    ) -> Result<Executed, Trap> {
        if instruction.pack_hint && !self.has(Features::PACK_HINT) {
            return Err(self.rt_error(instruction.word, ErrorCode::UnsupportedFeature));
        }
        let policy = self.prec.policy_with(self.rsv.pending_override(), self.readings());
        let lanes = if self.rsv.is_on() { self.rsv.length(self.readings()) } else { 1 };
        let illegal = ErrorCode::IllegalInstruction;
        let Some(destination) = self.destination(instruction, &policy, lanes) else {
            return Err(self.rt_error(instruction.word, illegal));
        };
        let Some(ray_step) = self.ray_step() else {
            return Err(self.rt_error(instruction.word, illegal));
        };
        let ray_base =
            if self.rsv.is_on() { self.rsv.rays().base(instruction.rs1) } else { instruction.rs1 };
        let mut outcomes = Vec::with_capacity(lanes.into());
        let mut raised = Raised::default();
        let mut any_active = false;
        for lane in 0..lanes {
            if self.rsv.is_on() && self.rsv.mask >> lane & 1 == 0 {
                outcomes.push(None);
                continue;
            }
            let ray = hart.x(lane_register(ray_base, ray_step, lane));
            match self.run_lane(
                instruction.operation,
                &policy,
                lane,
                ray,
                instruction.predicate_only,
                hart,
            ) {
                Ok(outcome) => {
                    raised |= outcome.raised;
                    if !policy.trapping(outcome.raised.exceptions).is_empty() {
                        self.prec.accumulate(raised);
                        let trap = Trap::fp(outcome.raised.exceptions, self.readings());
                        return Err(self.lane_trap(trap, lane, &policy));
                    }
                    outcomes.push(Some(outcome));
                }
                Err(LaneFault { trap, events }) => {
                    self.xmem.raise(events);
                    if !self.may_truncate(any_active) {
                        return Err(self.lane_trap(trap, lane, &policy));
                    }
                    self.rsv.fault_lane = lane;
                    break;
                }
            }
            any_active = true;
        }
        self.commit(&outcomes, lanes, destination, &policy, hart);
        self.prec.accumulate(raised);
        let record = RtRecord {
            operation: instruction.operation.name(),
            flags: instruction.flags,
            policy,
            lanes: outcomes.into_iter().map(lane_record).collect(),
        };
        Ok(Executed { rt: Some(record), ..Executed::next() })
    }

    fn has(&self, feature: Features) -> bool {
        features(self.readings()).contains(feature)
    }

    /// Where results go; `None` if that is illegal.
    fn destination(
        &self,
        instruction: &RtInstruction,
        policy: &Policy,
        lanes: u8,
    ) -> Option<Destination> {
        let values = instruction.operation.values();
        let wants_packing = instruction.pack_hint || self.rt.packs_by_default();
        let packed = wants_packing && u32::from(values) * policy.format.bits() < 64;
        let tuple = if packed { 1 } else { values + 1 };
        let writes = !instruction.predicate_only;
        if !writes {
            return Some(Destination { writes, packed, tuple, base: 0, step: 0 });
        }
        let (base, step) = if self.rsv.is_on() {
            let walk = self.rsv.destinations();
            (walk.base(instruction.rd), walk.step()?)
        } else {
            (instruction.rd, 0)
        };
        let destination = Destination { writes, packed, tuple, base, step };
        let overlap = !packed && lanes > 1 && step < tuple;
        let passes_x31 = |lane| {
            let first = lane_register(base, step, lane);
            first != 0 && first + tuple > 32
        };
        (!overlap && !(0..lanes).any(passes_x31)).then_some(destination)
    }

    fn ray_step(&self) -> Option<u8> {
        if self.rsv.is_on() { self.rsv.rays().step() } else { Some(0) }
    }

    /// Whether a memory fault only cuts the instruction short.
    fn may_truncate(&self, any_active: bool) -> bool {
        let quiet = self.readings().fof_first_lane == FofFirstLane::Quiet;
        self.rsv.is_on() && self.svmem.fault_only_first() && (any_active || quiet)
    }

    fn lane_trap(&mut self, trap: Trap, lane: u8, policy: &Policy) -> Trap {
        self.prec.show_suppress(policy.suppress);
        if !self.rsv.is_on() {
            return trap;
        }
        self.rsv.fault_lane = lane;
        Trap { lane: Some(lane), ..trap }
    }

    /// Writes registers, masks and P0 of the lanes that completed.
    fn commit(
        &mut self,
        outcomes: &[Option<LaneOutcome>],
        lanes: u8,
        destination: Destination,
        policy: &Policy,
        hart: &mut dyn HartPort,
    ) {
        let on = self.rsv.is_on();
        for (lane, outcome) in (0..).zip(outcomes) {
            let first = lane_register(destination.base, destination.step, lane);
            if let Some(outcome) = outcome {
                if on {
                    let bit = 1 << lane;
                    let hit = if outcome.hit { bit } else { 0 };
                    self.rsv.mask = self.rsv.mask & !bit | hit;
                } else {
                    self.rt.predicate = outcome.hit;
                }
                destination.write(first, outcome, policy, hart);
            } else if destination.writes && policy.zero_masked && first != 0 {
                (first..first + destination.tuple).for_each(|register| hart.set_x(register, 0));
            }
        }
        if on {
            self.rt.predicate = self.rsv.mask & 1 == 1;
            if self.svmem.fault_only_first() && outcomes.len() == usize::from(lanes) {
                self.rsv.fault_lane = lanes;
            }
        }
        self.rsv.retire();
    }
}

impl Destination {
    ///
    fn write(&self, first: u8, outcome: &LaneOutcome, policy: &Policy, hart: &mut dyn HartPort) {
        if !self.writes || first == 0 {
            return;
        }
        let width = policy.format.bits();
        if self.packed {
            let values = (0..).zip(&outcome.values);
            let packed = values.fold(0, |word, (k, value)| word | u64::from(*value) << (k * width));
            hart.set_x(first, packed | u64::from(outcome.hit) << 63);
            return;
        }
        hart.set_x(first, outcome.hit.into());
        let zero_extends = policy.unsigned && policy.format.float_layout().is_none();
        for (register, value) in (first + 1..).zip(&outcome.values) {
            let shift = 64 - width;
            let high = u64::from(*value) << shift;
            let extended = if zero_extends { high >> shift } else { (high as i64 >> shift) as u64 };
            hart.set_x(register, extended);
        }
    }
}

/// Register numbers wrap modulo 32.
fn lane_register(base: u8, step: u8, lane: u8) -> u8 {
    ((u32::from(base) + u32::from(step) * u32::from(lane)) % 32) as u8
}

fn lane_record(outcome: Option<LaneOutcome>) -> LaneRecord {
    match outcome {
        None => LaneRecord {
            active: false,
            ray: 0,
            operand: 0,
            hit: false,
            values: Vec::new(),
            raised: Raised::default(),
        },
        Some(outcome) => LaneRecord {
            active: true,
            ray: outcome.ray,
            operand: outcome.operand,
            hit: outcome.hit,
            values: outcome.values,
            raised: outcome.raised,
        },
    }
}
