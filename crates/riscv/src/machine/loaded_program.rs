//! A hart with a program and an image in its memory, ready to be asked.

use super::reporter::Reporter;
use super::{Kind, Options};
use crate::config::{Config, HartError, SIZE_STEP};
use crate::elf::ElfError;
use crate::hart::{Event, Hart};
use crate::memory::{RAM_BASE, Unbacked};
use crate::xphmg::Xphmg;
use ::machine::{Image, Observer};
use thiserror::Error;
use xphmg::layout::records::{HIT_ENTRY_BYTES, Queue};

/// Where the queues lie: behind the program, before any image.
const QUEUES: u64 = 0x8080_0000;
const RAY_QUEUE: u64 = QUEUES;
const HIT_QUEUE: u64 = QUEUES + 0x20;
const MISS_QUEUE: u64 = QUEUES + 0x40;
/// Where the record of the ray is.
pub(super) const RAY_ENTRIES: u64 = QUEUES + 0x100;
const MISS_ENTRIES: u64 = QUEUES + 0x200;
const HIT_ENTRIES: u64 = QUEUES + 0x1000;
/// Entries of the hit queue: all hits of a ray must fit.
const MOST_HITS: u32 = 1 << 17;
/// Where images may start.
const IMAGES: u64 = 0x8100_0000;

/// Bytes of the program's job.
const JOB_BYTES: usize = 48;
/// Bytes of an entry of its stack: node, tnear, tfar.
pub(super) const STACK_ENTRY_BYTES: u64 = 12;
/// Words of its counts, and which of them counts restarts.
const COUNTS: usize = 7;
const RESTARTS: u64 = 5;

/// Why a program cannot answer.
#[derive(Debug, Error)]
pub enum LoadedProgramError {
    /// No such hart.
    #[error(transparent)]
    Hart(#[from] HartError),
    /// The program cannot be loaded.
    #[error(transparent)]
    Program(#[from] ElfError),
    /// The program does not say where its job goes.
    #[error("the program has no symbol {0}")]
    NoSymbol(&'static str),
    /// The image cannot lie where it says.
    #[error(
        "the image wants to lie at {address:#x}; a hart has room for images from {IMAGES:#x} on"
    )]
    Place {
        /// Its address.
        address: u64,
    },
    /// A stack without entries.
    #[error("the program's stack has 0 entries, expected at least 1")]
    NoStack,
    /// The program gave up.
    #[error("the program ended with code {0}")]
    Code(u64),
    /// The program met a trap, or did not end.
    #[error("the program did not answer: {0}")]
    NoAnswer(String),
}

/// A hart that is ready.
pub(super) struct LoadedProgram {
    hart: Hart,
    entry: u64,
    symbols: Symbols,
    /// Address of the image's header.
    image: u64,
    stack_size: u8,
}

/// Where the program keeps what its host knows of (`examples/riscv/walk.h`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbols {
    job: u64,
    counts: u64,
    /// Holds the address of the stack.
    stack: u64,
    /// Where the elements of a literal tile's boxes are put side by side.
    pub(super) literal_boxes: u64,
}

impl Symbols {
    /// The count of restarts: it is stored when the walk begins again.
    pub(super) fn restarts(&self) -> u64 {
        self.counts + 4 * RESTARTS
    }

    /// The address of the stack.
    pub(super) fn stack(&self, hart: &Hart) -> u64 {
        hart.core.memory.read(self.stack).map_or(0, u64::from_le_bytes)
    }
}

/// What the program found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) hits: Vec<Entry>,
    /// What the program counted.
    pub(super) nodes: u64,
    pub(super) boxes: u64,
    pub(super) leaves: u64,
    pub(super) triangles: u64,
    pub(super) instances: u64,
}

/// A hit entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) instance: u32,
    pub(super) primitive: u32,
    pub(super) leaf: u32,
    pub(super) back: bool,
    /// The elements of t, u and v.
    pub(super) values: [u32; 3],
}

impl LoadedProgram {
    pub(super) fn new(image: &Image, options: &Options) -> Result<Self, LoadedProgramError> {
        let end =
            image.segments.iter().map(|it| it.address.saturating_add(it.bytes().len() as u64));
        let end = end.max().unwrap_or(IMAGES).max(IMAGES);
        let ram = (end - RAM_BASE).next_multiple_of(SIZE_STEP);
        let config = Config { ram, ..Config::default() };
        let mut hart = Hart::new(config, vec![Box::new(Xphmg::new(options.readings, false))])?;
        let loaded = hart.load_elf(options.program)?;
        let symbol =
            |name| loaded.symbols.get(name).copied().ok_or(LoadedProgramError::NoSymbol(name));
        let symbols = Symbols {
            job: symbol("job")?,
            counts: symbol("walk_counts")?,
            stack: symbol("short_stack")?,
            literal_boxes: symbol("literal_boxes")?,
        };
        for segment in &image.segments {
            let address = segment.address;
            let place = LoadedProgramError::Place { address };
            if address < IMAGES || hart.write_memory(address, segment.bytes()).is_err() {
                return Err(place);
            }
        }
        let (entry, stack_size) = (loaded.entry, options.stack_size);
        Ok(Self { hart, entry, symbols, image: image.root, stack_size })
    }

    /// Runs the program over one ray.
    pub(super) fn ask<O: Observer + ?Sized>(
        &mut self,
        record: &[u8],
        kind: Kind,
        cull_back: bool,
        budget: u64,
        reporter: Option<&mut Reporter<'_, O>>,
    ) -> Result<Answered, LoadedProgramError> {
        self.prepare(record, kind, cull_back)
            .map_err(|_| LoadedProgramError::NoAnswer("its queues have no memory".to_owned()))?;
        self.hart.core.pc = self.entry;
        let event = match reporter {
            Some(reporter) => {
                reporter.run(&mut self.hart, budget, self.symbols, self.stack_size.into())
            }
            None => self.hart.run(budget),
        };
        match event {
            Event::Exited(0) => {}
            Event::Exited(code) => return Err(LoadedProgramError::Code(code)),
            event => {
                let pc = self.hart.core.pc;
                return Err(LoadedProgramError::NoAnswer(format!("{event:?} at {pc:#x}")));
            }
        }
        let counted = |at: u64| {
            let bytes = self.hart.core.memory.read(self.symbols.counts + 4 * at);
            u64::from(bytes.map_or(0, u32::from_le_bytes))
        };
        Ok(Answered {
            hits: self.hits(),
            nodes: counted(0),
            boxes: counted(1),
            leaves: counted(2),
            triangles: counted(3),
            instances: counted(6),
        })
    }

    fn prepare(&mut self, record: &[u8], kind: Kind, cull_back: bool) -> Result<(), Unbacked> {
        let empty = |base, cap| Queue { head: 0, tail: 0, cap, base };
        let queues = [
            (RAY_QUEUE, Queue { tail: 1, ..empty(RAY_ENTRIES, 2) }),
            (HIT_QUEUE, empty(HIT_ENTRIES, MOST_HITS)),
            (MISS_QUEUE, empty(MISS_ENTRIES, 2)),
        ];
        for (address, queue) in queues {
            self.hart.write_memory(address, &queue.to_bytes())?;
        }
        self.hart.write_memory(RAY_ENTRIES, record)?;
        self.hart.write_memory(RAY_ENTRIES + record.len() as u64, &[0; 8])?;
        let mut job = [0; JOB_BYTES];
        let addresses = [self.image, RAY_QUEUE, HIT_QUEUE, MISS_QUEUE];
        for (place, address) in job.chunks_exact_mut(8).zip(addresses) {
            place.copy_from_slice(&address.to_le_bytes());
        }
        job[32..36].copy_from_slice(&(kind as u32).to_le_bytes());
        job[36..40].copy_from_slice(&u32::from(cull_back).to_le_bytes());
        job[40..44].copy_from_slice(&u32::from(self.stack_size).to_le_bytes());
        self.hart.write_memory(self.symbols.counts, &[0; 4 * COUNTS])?;
        self.hart.write_memory(self.symbols.job, &job)
    }

    fn hits(&self) -> Vec<Entry> {
        let memory = &self.hart.core.memory;
        let tail = memory.read(HIT_QUEUE + 4).map_or(0, u32::from_le_bytes).min(MOST_HITS);
        let entries = memory.slice(HIT_ENTRIES, u64::from(tail) * HIT_ENTRY_BYTES as u64);
        let entries = entries.unwrap_or_default().chunks_exact(HIT_ENTRY_BYTES);
        let word = |entry: &[u8], offset: usize| {
            entry[offset..offset + 4].iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte))
        };
        entries
            .map(|entry| Entry {
                instance: word(entry, 28),
                primitive: word(entry, 4),
                leaf: word(entry, 8),
                back: word(entry, 12) & 1 != 0,
                values: [word(entry, 16), word(entry, 20), word(entry, 24)],
            })
            .collect()
    }
}

/// The extension of a hart that has it.
pub(super) fn xphmg_of(hart: &Hart) -> Option<&Xphmg> {
    hart.extensions().find_map(|extension| extension.as_any()?.downcast_ref())
}
