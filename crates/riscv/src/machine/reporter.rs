//! What an observer is told of a program that walks.
//!
//! The hart has instructions, not a walk. A step is what can be seen of them when they retire:
//!
//! | what retires | steps |
//! |---|---|
//! | a load from a node or a TriRange | that, once for all loads until another is read |
//! | a load of an instance's base | the instance; leaving it when the TLAS is read again |
//! | RT.BBOX on boxes of the node | the instruction, a child for each lane |
//! | RT.TRI that gives values | the instruction, the primitive |
//! | RT.TRI for the predicate alone | the instruction: it asks for a side of what is known |
//! | what runs jobs of the offload | the instruction; what the jobs do is for `offload` to show |
//! | a store to the stack | a push, after an overflow if the stack is full |
//! | a load from the stack | a pop |
//! | a store to the count of restarts | a restart |
//!
//!
//! What is popped and not read next was left out: its box begins behind the end of the ray. Which
//! hits count is decided by the program's own branches: they are judged at the end, when the queues
//! are read. Triangles that the program tests by its own arithmetic are not seen. Nodes, ranges and
//! triangles go by the numbers of [`Target`], as the outline of an image names them.

use super::loaded_program::{RAY_ENTRIES, STACK_ENTRY_BYTES, Symbols, xphmg_of};
use crate::commit::Register;
use crate::disassemble::INTEGER_NAMES;
use crate::hart::{Event, Hart};
use crate::instruction::Op;
use crate::xphmg::Xphmg;
use ::machine::{ChildTest, Instruction, Observer, PrimitiveTest, Step, Verdict};
use std::collections::VecDeque;
use std::ops::Range;
use xphmg::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use xphmg::instruction::{self, RayElements};
use xphmg::layout::node::{Child, ChildKind};
use xphmg::layout::records::triangle_bytes;
use xphmg::machines::TilesImage;
use xphmg::numeric::widen;
use xphmg::readings::{BboxRounding, Readings};
use xphmg::tiles::contents::Contents;
use xphmg::tiles::instance::InstanceRecord;
use xphmg::tiles::target::Target;
use xphmg::unit::record::{LaneRecord, RtRecord};

/// Tells an observer what a program does with an image.
pub(super) struct Reporter<'a, O: ?Sized> {
    observer: &'a mut O,
    tiles: &'a TilesImage,
    contents: Contents<'a>,
    /// Where the nodes and ranges of each level begin and end, by address.
    levels: Vec<(Range<u64>, u32)>,
    rounding: SlabRounding,
    /// The node or the range that the program looks at.
    current: Option<Target>,
    /// The slot of the node where the tile that it looks at begins.
    first_slot: usize,
    /// The entries of its stack.
    stack: VecDeque<u64>,
    /// The instance that it is in.
    instance: Option<u32>,
    /// What it has popped and not looked at yet.
    popped: Option<u64>,
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
        let level = |level: u32| {
            let of_level = contents.level(level);
            let ranges = if of_level.has_instances() { 0 } else { of_level.header.ranges };
            let end = of_level.range_address(of_level.first_range() as u32 + ranges);
            (of_level.header.base..end, level)
        };
        let levels = (0..=contents.header.blases).map(level).collect();
        Self {
            observer,
            tiles,
            contents,
            levels,
            rounding,
            current: None,
            first_slot: 0,
            stack: VecDeque::new(),
            instance: None,
            popped: None,
        }
    }

    /// Runs the hart as [`Hart::run`] does.
    pub(super) fn run(
        &mut self,
        hart: &mut Hart,
        most: u64,
        symbols: Symbols,
        stack_size: u32,
    ) -> Event {
        hart.set_recording(true);
        let mut event = Event::Retired;
        for _ in 0..most {
            event = hart.step();
            if event != Event::Retired {
                break;
            }
            self.retired(hart, &symbols, stack_size);
        }
        self.left_out();
        hart.set_recording(false);
        event
    }

    fn retired(&mut self, hart: &Hart, symbols: &Symbols, stack_size: u32) {
        let commit = hart.commit();
        if commit.instruction.op != Op::Custom {
            let stack = symbols.stack(hart);
            // The entry that begins at an address.
            let is_entry = |address: u64| {
                let offset = address.wrapping_sub(stack);
                offset < u64::from(stack_size) * STACK_ENTRY_BYTES
                    && offset.is_multiple_of(STACK_ENTRY_BYTES)
            };
            for store in &commit.stores {
                if is_entry(store.address) {
                    self.pushed(&store.bytes, stack_size);
                } else if store.address == symbols.restarts() {
                    self.left_out();
                    let reason = "the stack is empty, and entries of it were lost";
                    self.observer.see(Step::Restart { reason });
                }
            }
            for load in &commit.loads {
                if is_entry(load.address) {
                    self.taken();
                } else {
                    self.loaded(hart, load.address);
                }
            }
            return;
        }
        let Some(executed) = xphmg_of(hart).map(Xphmg::executed) else { return };
        if let Some(record) = &executed.rt {
            let is_bbox = record.operation == "bbox";
            self.executed(hart, if is_bbox { "rt.bbox" } else { "rt.tri" }, record);
            for lane in record.lanes.iter().filter(|lane| lane.active) {
                if is_bbox {
                    self.box_tested(hart, symbols, lane);
                } else {
                    self.triangle_tested(lane);
                }
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

    /// An entry was laid on the stack.
    fn pushed(&mut self, bytes: &[u8], stack_size: u32) {
        const LEAF: u32 = 1 << 31;
        if self.stack.len() == stack_size as usize {
            self.stack.pop_front();
            self.observer.see(Step::Overflow { lost: 1 });
        }
        let word = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        let level = match self.current {
            Some(Target::Node(level, _)) => level,
            _ => 0,
        };
        let kind = if word & LEAF == 0 { ChildKind::Node } else { ChildKind::Leaf };
        let child = Child { kind, index: word & !LEAF, bounds: [0; 6] };
        let target = Target::of_child(&self.contents, level, &child);
        let pointer = target.map_or(0, Target::pointer);
        self.stack.push_back(pointer);
        self.observer.see(Step::Push { pointer, depth: self.stack.len() as u32 });
    }

    /// An entry was taken from the stack.
    fn taken(&mut self) {
        self.left_out();
        let pointer = self.stack.pop_back();
        self.popped = pointer;
        self.observer.see(Step::Pop { pointer, depth: self.stack.len() as u32 });
    }

    /// What was popped last is not looked at, if it was not.
    fn left_out(&mut self) {
        if let Some(pointer) = self.popped.take() {
            let reason = "its box begins behind the end of the ray";
            self.observer.see(Step::Skip { pointer, reason });
        }
    }

    /// A base instruction has read memory.
    fn loaded(&mut self, hart: &Hart, address: u64) {
        if let Some((level, offset)) = self.level_at(address) {
            let Contents { shape, header, .. } = self.contents.level(level);
            let node = offset / shape.stride() as u64;
            if node < u64::from(header.nodes) {
                let tile = offset as usize % shape.stride() / shape.tile_stride();
                self.first_slot = tile * shape.tile_width();
                self.reads(Target::Node(level, node as u32));
            } else {
                self.reads(Target::Range(level, (offset / 16) as u32));
            }
        } else if self.contents.has_instances() {
            let record = InstanceRecord::base.places[0].start as u64 / 8;
            let index = address.wrapping_sub(record + self.contents.header.base) / 16;
            let index = u32::try_from(index).ok();
            let is_base = |index: &u32| self.contents.range_address(*index) + record == address;
            let number = index.filter(is_base).and_then(|it| self.contents.instance_number(it));
            if let Some(number) = number {
                self.enters(hart, number);
            }
        }
    }

    /// The level whose nodes and ranges hold an address, and how far behind its first node.
    fn level_at(&self, address: u64) -> Option<(u32, u64)> {
        let place = self.levels.partition_point(|(range, _)| range.start <= address);
        let (range, level) = self.levels.get(place.checked_sub(1)?)?;
        range.contains(&address).then(|| (*level, address - range.start))
    }

    /// The ray moves into the space of an instance.
    fn enters(&mut self, hart: &Hart, number: u32) {
        let Some(world) = self.record(hart, RAY_ENTRIES) else { return };
        self.reads(Target::Instance(self.contents.instance_index(number)));
        self.instance = Some(number);
        let (_, local) = self.tiles.enter(number, world);
        self.observer.see(self.tiles.entered(number, local));
    }

    /// The program looks at a node or a range; told once.
    fn reads(&mut self, target: Target) {
        self.popped = None;
        if self.current != Some(target) {
            self.current = Some(target);
            let is_outside = matches!(target, Target::Node(0, _) | Target::Instance(_));
            if is_outside && self.instance.take().is_some() {
                self.observer.see(Step::Leave);
            }
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

    /// The node and the slot whose box lies at an address: in the image, or where the program puts
    /// the boxes of a literal tile.
    fn slot_at(&self, symbols: &Symbols, address: u64) -> Option<(u32, u32, usize)> {
        let shape = self.contents.shape;
        let gathered = 6 * self.contents.policy.format.bytes() as u64;
        let copied = address.wrapping_sub(symbols.literal_boxes) / gathered;
        if let Some(Target::Node(level, node)) = self.current
            && copied < shape.tile_width() as u64
        {
            return Some((level, node, self.first_slot + copied as usize));
        }
        let (level, offset) = self.level_at(address)?;
        let stride = shape.stride() as u64;
        let node = u32::try_from(offset / stride).ok();
        let node = node.filter(|&node| node < self.contents.level(level).header.nodes)?;
        let is_there = |&slot: &usize| shape.element_offset(slot, 0) as u64 == offset % stride;
        (0..shape.width()).find(is_there).map(|slot| (level, node, slot))
    }

    fn box_tested(&mut self, hart: &Hart, symbols: &Symbols, lane: &LaneRecord) {
        let Some((level, node, slot)) = self.slot_at(symbols, lane.operand) else { return };
        let child = self.contents.level(level).child(node, slot);
        let Some(target) = Target::of_child(&self.contents, level, &child) else { return };
        let bounds = self.contents.bounds(&child);
        let ray = self.record(hart, lane.ray).map(|record| self.tiles.ray(record));
        let interval = ray.and_then(|ray| {
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
    fn record(&self, hart: &Hart, address: u64) -> Option<[u32; 8]> {
        let width = self.contents.policy.format.bytes();
        let bytes = hart.core.memory.slice(address, 8 * width as u64)?;
        Some(std::array::from_fn(|k| {
            let bytes = bytes[k * width..][..width].iter().rev();
            bytes.fold(0, |bits, &byte| bits << 8 | u32::from(byte))
        }))
    }

    fn triangle_tested(&mut self, lane: &LaneRecord) {
        let size = triangle_bytes(self.contents.policy.format) as u64;
        let offset = lane.operand.checked_sub(self.contents.triangle_address(0));
        let number = offset.filter(|offset| offset % size == 0).map(|offset| offset / size);
        let number = number.filter(|&number| number < self.contents.header.triangles.into());
        let (Some(number), Some(&t)) = (number, lane.values.first()) else { return };
        let target = Target::Triangle(number as u32);
        let instance = self.instance.unwrap_or(0);
        let named = self.tiles.hit_of_elements(instance, number as u32, [0; 3]);
        self.observer.see(Step::Primitive(PrimitiveTest {
            pointer: target.pointer(),
            instance: named.instance,
            geometry: named.geometry,
            primitive: named.primitive,
            t: lane.hit.then(|| widen(t, &self.contents.policy).value),
        }));
    }
}
