//! Thirty-two lanes over ISBE memory: the semantics of the instructions (sections 2 and 6).
//!
//! Each instruction is a method on [`Warp`] over lane values, so that a kernel can be written in
//! Rust; [`Warp::execute`] runs an [`Instruction`] over registers with the same methods. Where two
//! lanes store to one address, the higher lane wins. Addresses add up modulo 2^32.

use crate::generation::Sm;
use crate::instruction::{Al2p, Ald, Ast, Guard, Instruction, Isberd, Isbewr, Operation, Register};
use crate::limits::{LANES, LINE_BYTES};
use crate::memory::{Access, Memory, Region, Size, Store};
use crate::{AttributeId, Fault, Layout, Warning};
use std::collections::BTreeSet;

/// A value for each lane.
pub type Lanes = [u32; LANES];

/// Which lanes take part, lane `n` at bit `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneMask(pub u32);

/// A fault and the lane that met it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("lane {lane}: {fault}")]
pub struct LaneFault {
    /// The lane; 0 if the instruction itself is at fault.
    pub lane: usize,
    /// The fault.
    pub fault: Fault,
}

/// One warp with its memory.
#[derive(Debug, Clone)]
pub struct Warp {
    /// The generation, which says what is legal.
    pub sm: Sm,
    /// The input and output spaces.
    pub memory: Memory,
    /// The layout of the input ATTR, for ALD.
    pub input_layout: Layout,
    /// The layout of the output ATTR, for ALD and AST.
    pub output_layout: Layout,
    /// The lanes that exist.
    pub active: LaneMask,
    registers: Vec<Lanes>,
    predicates: [LaneMask; 7],
    warnings: BTreeSet<Warning>,
}

impl Warp {
    /// A warp with all lanes, all registers 0 and all predicates false.
    #[must_use]
    pub fn new(sm: Sm, memory: Memory, input_layout: Layout, output_layout: Layout) -> Self {
        Self {
            sm,
            memory,
            input_layout,
            output_layout,
            active: LaneMask::ALL,
            registers: vec![[0; LANES]; 255],
            predicates: [LaneMask(0); 7],
            warnings: BTreeSet::new(),
        }
    }

    /// The oddities met so far, each once.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter()
    }

    /// A register; RZ is 0 in every lane.
    #[must_use]
    pub fn register(&self, register: Register) -> Lanes {
        self.registers.get(usize::from(register.0)).copied().unwrap_or([0; LANES])
    }

    /// Sets a register in all lanes; RZ stays 0.
    pub fn set_register(&mut self, register: Register, lanes: Lanes) {
        self.set_lanes(register, LaneMask::ALL, &lanes);
    }

    /// Sets predicate `number & 7`; 7 stays true.
    pub fn set_predicate(&mut self, number: u8, lanes: LaneMask) {
        if let Some(predicate) = self.predicates.get_mut(usize::from(number & 7)) {
            *predicate = lanes;
        }
    }

    /// Runs one instruction: it reads all its operands before it writes any result, and where it
    /// faults, registers, memory and warnings are as before.
    ///
    /// # Errors
    /// When the SM does not have the instruction, or a lane faults.
    pub fn execute(&mut self, instruction: &Instruction) -> Result<(), LaneFault> {
        let operation = &instruction.operation;
        self.check(operation)?;
        let mask = self.guarded(instruction.guard);
        match operation {
            Operation::Isberd(load) => {
                let addresses = plus(self.register(load.address), load.immediate.into());
                let lanes = self.isberd(load.access, &addresses, mask)?;
                self.set_lanes(load.destination, mask, &lanes);
            }
            Operation::Isbewr(store) => {
                let addresses = plus(self.register(store.address), store.immediate.into());
                self.isbewr(store.access, &addresses, &self.register(store.data), mask)?;
            }
            Operation::Ald(load) => self.ald(load, mask)?,
            Operation::Ast(store) => self.ast(store, mask)?,
            Operation::Al2p(address) => self.al2p(address, mask),
            Operation::Vild(load) => {
                let handles =
                    Access { output: false, region: Region::Map, skew: false, size: Size::B8 };
                let addresses = plus(self.register(load.index), load.immediate as u32);
                let lanes = self.read_lanes(handles, &addresses, mask)?;
                self.set_lanes(load.destination, mask, &lanes);
            }
        }
        Ok(())
    }

    /// ISBERD: reads each lane's address; lanes that take no part get 0.
    ///
    /// # Errors
    /// When the SM does not have such an access, or a lane faults.
    pub fn isberd(
        &mut self,
        access: Access,
        addresses: &Lanes,
        mask: LaneMask,
    ) -> Result<Lanes, LaneFault> {
        let (destination, address) = (Register::ZERO, Register::ZERO);
        self.check(&Operation::Isberd(Isberd { destination, address, immediate: 0, access }))?;
        let lanes = self.read_lanes(access, addresses, mask)?;
        self.warn_skew_on_map(access);
        Ok(lanes)
    }

    /// ISBEWR: writes the low bits of each lane's value to each lane's address.
    ///
    /// # Errors
    /// When the SM does not have such an access, or a lane faults; then nothing is stored.
    pub fn isbewr(
        &mut self,
        access: Access,
        addresses: &Lanes,
        values: &Lanes,
        mask: LaneMask,
    ) -> Result<(), LaneFault> {
        let (data, address) = (Register::ZERO, Register::ZERO);
        self.check(&Operation::Isbewr(Isbewr { data, address, immediate: 0, access }))?;
        let store = |lane: usize| {
            let store = self.memory.store(access, addresses[lane], values[lane]);
            store.map_err(|fault| LaneFault { lane, fault })
        };
        let lanes = mask.and(self.active).lanes();
        let stores = lanes.map(store).collect::<Result<Vec<Store>, LaneFault>>()?;
        stores.into_iter().for_each(|store| self.memory.apply(store));
        self.warn_skew_on_map(access);
        Ok(())
    }

    fn check(&self, operation: &Operation) -> Result<(), LaneFault> {
        operation.check(self.sm).map_err(|fault| LaneFault { lane: 0, fault })
    }

    fn read_lanes(
        &self,
        access: Access,
        addresses: &Lanes,
        mask: LaneMask,
    ) -> Result<Lanes, LaneFault> {
        let mut lanes = [0; LANES];
        for lane in mask.and(self.active).lanes() {
            let read = self.memory.read(access, addresses[lane]);
            lanes[lane] = read.map_err(|fault| LaneFault { lane, fault })?;
        }
        Ok(lanes)
    }

    /// ALD: every component of every lane is read before the first register changes.
    fn ald(&mut self, load: &Ald, mask: LaneMask) -> Result<(), LaneFault> {
        let operands = AttributeOperands {
            offset: self.register(load.offset),
            vertex: self.register(load.vertex),
            id: load.id.into(),
            patch: load.patch,
            physical: load.physical,
            output: load.output,
        };
        let mut loaded = vec![[0; LANES]; load.components as usize];
        let mut missing = BTreeSet::new();
        for (lanes, component) in loaded.iter_mut().zip(0..) {
            for lane in mask.lanes() {
                match self.attribute_address(&operands, component, lane) {
                    Ok((access, address)) => {
                        let read = self.memory.read(access, address);
                        lanes[lane] = read.map_err(|fault| LaneFault { lane, fault })?;
                    }
                    Err(MissingId(id)) => drop(missing.insert(Warning::MissingLoad { id })),
                }
            }
        }
        for (lanes, component) in loaded.iter().zip(0..) {
            self.set_lanes(next(load.destination, component), mask, lanes);
        }
        self.warnings.append(&mut missing);
        Ok(())
    }

    /// AST: every address is known to exist before the first byte changes. The patch region cannot
    /// be stored to with ISBEWR, but with AST it can.
    fn ast(&mut self, store: &Ast, mask: LaneMask) -> Result<(), LaneFault> {
        let operands = AttributeOperands {
            offset: self.register(store.offset),
            vertex: self.register(store.vertex),
            id: store.id.into(),
            patch: store.patch,
            physical: store.physical,
            output: true,
        };
        let mut stores = Vec::new();
        let mut missing = BTreeSet::new();
        for component in 0..store.components as u32 {
            let values = self.register(next(store.data, component));
            for lane in mask.lanes() {
                match self.attribute_address(&operands, component, lane) {
                    Ok((access, address)) => {
                        let store = self.memory.store_attribute(access, address, values[lane]);
                        stores.push(store.map_err(|fault| LaneFault { lane, fault })?);
                    }
                    Err(MissingId(id)) => drop(missing.insert(Warning::MissingStore { id })),
                }
            }
        }
        stores.into_iter().for_each(|store| self.memory.apply(store));
        self.warnings.append(&mut missing);
        Ok(())
    }

    /// AL2P: the SKEW line base of an id with its offset (I-14).
    fn al2p(&mut self, address: &Al2p, mask: LaneMask) {
        let layout = if address.output { &self.output_layout } else { &self.input_layout };
        let set = *layout.vertices.set();
        let mut lanes = plus(self.register(address.offset), address.id.into());
        for lane in mask.lanes() {
            let id = lanes[lane];
            lanes[lane] = match known(id) {
                Some(known) if set.contains(known) => LINE_BYTES * set.rank(known) as u32,
                _ => {
                    self.warnings.insert(Warning::MissingLoad { id });
                    0
                }
            };
        }
        self.set_lanes(address.destination, mask, &lanes);
    }

    /// Where a component of an attribute lies for a lane.
    fn attribute_address(
        &self,
        operands: &AttributeOperands,
        component: u32,
        lane: usize,
    ) -> Result<(Access, u32), MissingId> {
        let output = operands.output;
        let (offset, vertex) = (operands.offset[lane], operands.vertex[lane]);
        let id = offset.wrapping_add(operands.id + 4 * component);
        let access = |region, skew| Access { output, region, skew, size: Size::B32 };
        if operands.patch {
            return Ok((access(Region::Patch, false), id));
        }
        let layout = if output { &self.output_layout } else { &self.input_layout };
        let line = if operands.physical {
            offset.wrapping_add(LINE_BYTES * component)
        } else {
            let known = known(id).filter(|known| layout.vertices.set().contains(*known));
            LINE_BYTES * layout.vertices.set().rank(known.ok_or(MissingId(id))?) as u32
        };
        let base = layout.vertices.element_base(vertex);
        Ok((access(Region::Attr, true), base.wrapping_add(line)))
    }

    fn guarded(&self, guard: Guard) -> LaneMask {
        let index = usize::from(guard.predicate());
        let lanes = self.predicates.get(index).copied().unwrap_or(LaneMask::ALL);
        LaneMask(if guard.negate { !lanes.0 } else { lanes.0 }).and(self.active)
    }

    fn set_lanes(&mut self, register: Register, mask: LaneMask, lanes: &Lanes) {
        if let Some(target) = self.registers.get_mut(usize::from(register.0)) {
            mask.lanes().for_each(|lane| target[lane] = lanes[lane]);
        }
    }

    fn warn_skew_on_map(&mut self, access: Access) {
        if access.skew && access.region == Region::Map {
            self.warnings.insert(Warning::SkewOnMap);
        }
    }
}

impl LaneMask {
    /// Every lane.
    pub const ALL: Self = Self(u32::MAX);

    /// The first `count` lanes.
    #[must_use]
    pub const fn first(count: usize) -> Self {
        if count >= LANES { Self::ALL } else { Self((1 << count) - 1) }
    }

    /// The lanes in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The numbers of the lanes, ascending.
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        (0..LANES).filter(move |lane| self.0 >> lane & 1 == 1)
    }
}

/// The value of `f` for each lane.
pub fn lanes(f: impl Fn(u32) -> u32) -> Lanes {
    std::array::from_fn(|lane| f(lane as u32))
}

/// What an ALD or AST says, with its registers read.
struct AttributeOperands {
    offset: Lanes,
    vertex: Lanes,
    id: u32,
    patch: bool,
    physical: bool,
    output: bool,
}

/// An id that the header does not name.
struct MissingId(u32);

fn known(id: u32) -> Option<AttributeId> {
    u16::try_from(id).ok().and_then(AttributeId::new)
}

fn plus(lanes: Lanes, offset: u32) -> Lanes {
    lanes.map(|lane| lane.wrapping_add(offset))
}

/// The register `component` behind `register`; past R254 there is only RZ.
fn next(register: Register, component: u32) -> Register {
    Register(register.0.saturating_add(component as u8))
}
