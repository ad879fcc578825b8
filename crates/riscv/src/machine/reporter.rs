//! What an observer is told of a program that walks.
//!
//! The hart has instructions, not a walk. A step is what can be seen of them when they retire:
//!
//! | what retires | steps |
//! |---|---|
//! | RT.BBOX on boxes of a node | the node, the instruction, a child for each lane |
//! | a load from a TriRange | the range, once for all loads until another node is read |
//! | RT.TRI that gives values | the instruction, the primitive |
//! | RT.TRI for the predicate alone | the instruction: it asks for a side of what is known |
//! | what runs jobs of the offload | the instruction; what the jobs do is for `offload` to show |
//!
//! The stack is the program's own memory, and which hits it keeps is decided by its own branches:
//! there are no pushes and no pops, and hits are judged at the end, when the queues are read.
//! Nodes, ranges and triangles go by the numbers of [`Target`], as the outline of an image names
//! them.

use super::loaded_program::xphmg_of;
use crate::commit::Register;
use crate::disassemble::INTEGER_NAMES;
use crate::hart::{Event, Hart};
use crate::instruction::Op;
use crate::xphmg::Xphmg;
use ::machine::{ChildTest, Instruction, Observer, PrimitiveTest, Step, Verdict};
use xphmg::flags::Raised;
use xphmg::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use xphmg::instruction::{self, RayElements, read_elements};
use xphmg::layout::node::ChildKind;
use xphmg::layout::records::triangle_bytes;
use xphmg::machines::TilesImage;
use xphmg::numeric::widen;
use xphmg::readings::{BboxRounding, Readings};
use xphmg::tiles::contents::Contents;
use xphmg::tiles::target::Target;
use xphmg::unit::record::{LaneRecord, RtRecord};

/// Tells an observer what a program does with an image.
pub(super) struct Reporter<'a, O: ?Sized> {
    observer: &'a mut O,
    tiles: &'a TilesImage,
    contents: Contents<'a>,
    rounding: SlabRounding,
    /// The node or the range that the program looks at.
    current: Option<Target>,
}

/// Operands of the first lanes; those of others are not shown.
const OPERANDS: [&str; 8] = [
    "operand_0",
    "operand_1",
    "operand_2",
    "operand_3",
    "operand_4",
    "operand_5",
    "operand_6",
    "operand_7",
];

impl<'a, O: Observer + ?Sized> Reporter<'a, O> {
    pub(super) fn new(observer: &'a mut O, tiles: &'a TilesImage, readings: &Readings) -> Self {
        let contents = tiles.contents();
        let rounding = match readings.bbox_rounding {
            BboxRounding::Mode => SlabRounding::Mode(contents.policy.rounding),
            BboxRounding::Conservative => SlabRounding::Conservative,
        };
        Self { observer, tiles, contents, rounding, current: None }
    }

    /// Runs the hart as [`Hart::run`] does.
    pub(super) fn run(&mut self, hart: &mut Hart, most: u64) -> Event {
        hart.set_recording(true);
        let mut event = Event::Retired;
        for _ in 0..most {
            event = hart.step();
            if event != Event::Retired {
                break;
            }
            self.retired(hart);
        }
        hart.set_recording(false);
        event
    }

    fn retired(&mut self, hart: &Hart) {
        let commit = hart.commit();
        if commit.instruction.op != Op::Custom {
            for load in &commit.loads {
                self.loaded(load.address);
            }
            return;
        }
        let Some(executed) = xphmg_of(hart).map(Xphmg::executed) else { return };
        if let Some(record) = &executed.rt {
            let is_bbox = record.operation == "bbox";
            if is_bbox && let Some((node, _)) = self.first_box(record) {
                self.reads(Target::Node(node));
            }
            self.executed(hart, if is_bbox { "rt.bbox" } else { "rt.tri" }, record);
            for lane in record.lanes.iter().filter(|lane| lane.active) {
                if is_bbox { self.box_tested(hart, lane) } else { self.triangle_tested(lane) }
            }
        } else if !executed.jobs.is_empty() {
            let number = commit.instruction.imm as usize;
            let name = hart.registry.instructions.get(number).map_or("", |it| it.pattern.mnemonic);
            let sum = |of: fn(&xphmg::offload::JobRecord) -> u32| {
                executed.jobs.iter().map(|job| u64::from(of(job))).sum()
            };
            let outputs = vec![
                ("rays", sum(|job| job.rays)),
                ("hits", sum(|job| job.hits)),
                ("misses", sum(|job| job.misses)),
            ];
            self.observer.see(Step::Instruction(Instruction { name, inputs: vec![], outputs }));
        }
    }

    /// A base instruction has read memory.
    fn loaded(&mut self, address: u64) {
        let Some(offset) = address.checked_sub(self.contents.range_address(0)) else { return };
        let first = self.contents.first_range();
        let ranges = first..first + u64::from(self.contents.header.ranges);
        if ranges.contains(&(offset / 16)) {
            self.reads(Target::Range((offset / 16) as u32));
        }
    }

    /// The program looks at a node or a range; told once.
    fn reads(&mut self, target: Target) {
        if self.current != Some(target) {
            self.current = Some(target);
            let (address, _) = target.place(self.tiles.image(), &self.contents);
            let (pointer, kind) = (target.pointer(), target.kind());
            self.observer.see(Step::Node { pointer, address: Some(address), kind });
        }
    }

    /// The instruction with what it read and what it wrote.
    fn executed(&mut self, hart: &Hart, name: &'static str, record: &RtRecord) {
        let commit = hart.commit();
        let active = || record.lanes.iter().filter(|lane| lane.active);
        let ray = active().next().map_or(0, |lane| lane.ray);
        let mut inputs = vec![(INTEGER_NAMES[usize::from(commit.instruction.rs1)], ray)];
        let lanes = OPERANDS.into_iter().zip(&record.lanes).filter(|(_, lane)| lane.active);
        inputs.extend(lanes.map(|(name, lane)| (name, lane.operand)));
        let hits = record.lanes.iter().zip(0..64).filter(|(lane, _)| lane.hit);
        let mut outputs = vec![("hits", hits.fold(0, |mask, (_, lane)| mask | 1 << lane))];
        outputs.extend(commit.registers.iter().filter_map(|write| match write.register {
            Register::Integer(number) => Some((INTEGER_NAMES[usize::from(number)], write.value)),
            Register::Float(_) => None,
            Register::Csr(number) => {
                let csrs = &hart.registry.csr_list;
                let csr = csrs.iter().find(|csr| csr.number == number)?;
                Some((csr.name, write.value))
            }
        }));
        self.observer.see(Step::Instruction(Instruction { name, inputs, outputs }));
    }

    fn first_box(&self, record: &RtRecord) -> Option<(u32, usize)> {
        record.lanes.iter().filter(|lane| lane.active).find_map(|lane| self.slot_at(lane.operand))
    }

    /// The node and the slot whose box lies at an address.
    fn slot_at(&self, address: u64) -> Option<(u32, usize)> {
        let shape = self.contents.shape;
        let offset = address.checked_sub(self.contents.node_address(0))?;
        let stride = shape.stride() as u64;
        let node = u32::try_from(offset / stride).ok();
        let node = node.filter(|&node| node < self.contents.header.nodes)?;
        let is_there = |&slot: &usize| shape.element_offset(slot, 0) as u64 == offset % stride;
        (0..shape.width()).find(is_there).map(|slot| (node, slot))
    }

    fn box_tested(&mut self, hart: &Hart, lane: &LaneRecord) {
        let Some((node, slot)) = self.slot_at(lane.operand) else { return };
        let child = self.contents.child(node, slot);
        let target = match child.kind {
            ChildKind::Leaf => Target::Range(child.index),
            _ => Target::Node(child.index),
        };
        let bounds = self.contents.bounds(&child);
        let interval = self.ray(hart, lane.ray).and_then(|ray| {
            let endless = RayElements { tmax: f32::INFINITY, ..ray };
            let options = BboxOptions { rounding: self.rounding, clamp: false, w: None };
            match bbox(&endless, bounds.min.to_array(), bounds.max.to_array(), &options) {
                instruction::Verdict::Hit(interval) => Some(interval),
                _ => None,
            }
        });
        let verdict = match (lane.hit, interval) {
            (true, _) => Verdict::Visit,
            (false, Some(_)) => Verdict::Behind,
            (false, None) => Verdict::Miss,
        };
        let (slot, pointer, frame) = (slot as u8, target.pointer(), None);
        let test = ChildTest { slot, pointer, bounds, frame, interval, verdict };
        self.observer.see(Step::Child(test));
    }

    /// The ray record at an address.
    fn ray(&self, hart: &Hart, address: u64) -> Option<RayElements> {
        let policy = &self.contents.policy;
        let width = policy.format.bytes();
        let bytes = hart.core.memory.slice(address, 8 * width as u64)?;
        let element = |k: usize| {
            let bytes = bytes[k * width..][..width].iter().rev();
            bytes.fold(0, |bits, &byte| bits << 8 | u32::from(byte))
        };
        let values = read_elements(std::array::from_fn(element), policy, &mut Raised::default());
        Some(RayElements::from_record(values))
    }

    fn triangle_tested(&mut self, lane: &LaneRecord) {
        let size = triangle_bytes(self.contents.policy.format) as u64;
        let offset = lane.operand.checked_sub(self.contents.triangle_address(0));
        let number = offset.filter(|offset| offset % size == 0).map(|offset| offset / size);
        let number = number.filter(|&number| number < self.contents.header.triangles.into());
        let (Some(number), Some(&t)) = (number, lane.values.first()) else { return };
        let target = Target::Triangle(number as u32);
        let named = self.tiles.hit_of_elements(number as u32, [0; 3]);
        self.observer.see(Step::Primitive(PrimitiveTest {
            pointer: target.pointer(),
            instance: named.instance,
            geometry: named.geometry,
            primitive: named.primitive,
            t: lane.hit.then(|| widen(t, &self.contents.policy).value),
        }));
    }
}
