//! The machine `hart`: a program on the hart answers queries.
//!
//! The program is `examples/riscv/wavefront.c`: it takes rays from a queue, walks the tree in its
//! own code, lets RT.BBOX and RT.TRI do the tests, and puts hits and misses into two other queues.
//! So that nobody needs a cross compiler, the program lies here as an ELF file of a few kilobytes;
//! a test compiles it again and compares.
//!
//! RT.BBOX as published is not conservative: a ray that grazes a box within rounding may be
//! rejected. The machine runs with the reading that makes it so (X-27,
//! `bbox_rounding=conservative`).
//!
//! | file | concept |
//! |---|---|
//! | `loaded_program` | a hart with the program and an image in its memory |
//! | `reporter` | what an observer is told of the program |

mod loaded_program;
mod reporter;

use ::machine::registry::NodeNames;
use ::machine::{
    Answer, Hit, HitKind, MachineEntry, MachineError, Observer, Query, RayQuery, Step,
};
pub use loaded_program::LoadedProgramError;
use loaded_program::{Answered, LoadedProgram};
use reporter::Reporter;
use std::sync::{Mutex, PoisonError};
use xphmg::Precision;
use xphmg::machines::{BruteForce, TilesImage};
use xphmg::offload::reporter::NOT_CLOSER;
use xphmg::offload::walk::WalkHit;
use xphmg::readings::{BboxRounding, Readings};
use xphmg::registry::{may_lose_outside_box, reads_tiles, tiles_of};

/// The name of the machine in options and reports.
pub const NAME: &str = "hart";

/// The program that walks by itself.
pub const WAVEFRONT: &[u8] = include_bytes!("../../programs/wavefront.elf");
/// The program that hands its queues to the offload.
pub const OFFLOAD: &[u8] = include_bytes!("../../programs/offload.elf");

/// Instructions that one query may take.
const BUDGET: u64 = 1 << 33;

/// The machine, for the registry.
pub const MACHINES: &[MachineEntry] = &[MachineEntry {
    name: NAME,
    summary: "a program on a RISC-V hart with XPHMG_RT",
    reads: reads_tiles,
    format: Precision::Fp32.name(),
    settings: &[],
    takes_trees: false,
    nodes: NodeNames::Image,
    takes_beams: false,
    // A program orders by the narrowed t, which is all that it sees.
    oracle: Some(|input| Ok(Box::new(BruteForce::by_narrowed_t(tiles_of(NAME, input)?)))),
    may_lose: may_lose_outside_box,
    make: |input, _| Ok(Box::new(HartMachine::new(tiles_of(NAME, input)?)?)),
}];

/// What a program is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Closest = 0,
    Any = 1,
    All = 2,
}

/// Harts that run one program over one image. Queries of several threads get a hart each.
pub struct HartMachine {
    tiles: TilesImage,
    program: &'static [u8],
    readings: Readings,
    idle: Mutex<Vec<LoadedProgram>>,
}

impl HartMachine {
    /// A machine that runs [`WAVEFRONT`] over an image, with box tests that lose nothing.
    pub fn new(tiles: TilesImage) -> Result<Self, LoadedProgramError> {
        let readings =
            Readings { bbox_rounding: BboxRounding::Conservative, ..Readings::default() };
        Self::with_program(tiles, WAVEFRONT, readings)
    }

    /// A machine that runs a program with the interface of `examples/riscv/image.h`.
    pub fn with_program(
        tiles: TilesImage,
        program: &'static [u8],
        readings: Readings,
    ) -> Result<Self, LoadedProgramError> {
        if tiles.contents().header.literal {
            return Err(LoadedProgramError::Literal);
        }
        // One now, so that what cannot work is found out before the first query.
        let loaded = LoadedProgram::new(tiles.image(), program, readings)?;
        Ok(Self { tiles, program, readings, idle: Mutex::new(vec![loaded]) })
    }

    fn ask<O: Observer + ?Sized>(
        &self,
        query: &RayQuery,
        kind: Kind,
        cull_back: bool,
        observer: &mut O,
    ) -> Result<Answered, LoadedProgramError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut loaded = match idle {
            Some(loaded) => loaded,
            None => LoadedProgram::new(self.tiles.image(), self.program, self.readings)?,
        };
        let width = self.tiles.policy().format.bytes();
        let record: Vec<u8> = self
            .tiles
            .ray_record(query)
            .iter()
            .flat_map(|element| element.to_le_bytes()[..width].to_vec())
            .collect();
        let mut reporter =
            observer.is_watching().then(|| Reporter::new(observer, &self.tiles, &self.readings));
        let answered = loaded.ask(&record, kind, cull_back, BUDGET, reporter.as_mut())?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(loaded);
        Ok(answered)
    }

    fn answer_query<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let query = &query.as_ray(NAME)?;
        let Answer { hits, counters } = answer;
        hits.clear();
        counters.queries += 1;
        if !query.can_hit() {
            return Ok(());
        }
        let (options, is_known) = TilesImage::options(query);
        let kind = match query.kind {
            // Other flags need to see every hit.
            _ if !is_known => Kind::All,
            HitKind::Closest => Kind::Closest,
            HitKind::Any => Kind::Any,
            HitKind::All => Kind::All,
        };
        let cull_back = is_known && !options.is_empty();
        let answered = self
            .ask(query, kind, cull_back, observer)
            .map_err(|error| MachineError::Failed { machine: NAME, reason: error.to_string() })?;
        // Every tile of a node is tested, and of a tile the boxes of children that are there.
        let shape = self.tiles.contents().shape;
        counters.nodes += answered.tiles * shape.tile_width() as u64 / shape.width() as u64;
        counters.box_tests += answered.boxes;
        counters.triangle_tests += answered.triangles;
        let mut found: Vec<(Hit, u32)> = Vec::new();
        for entry in &answered.hits {
            let hit = self.tiles.hit_of_elements(entry.primitive, entry.values);
            let seen = WalkHit {
                values: [hit.t, hit.u, hit.v],
                primitive: entry.primitive,
                leaf: entry.leaf,
                back: entry.back,
            };
            if TilesImage::sees(query, &seen) {
                found.push((hit, entry.primitive));
            } else if observer.is_watching() {
                let reason = "the flags of the query hide it";
                observer.see(Step::Refuse { hit, reason });
            }
        }
        // The program orders by the narrowed t, then by the place in the triangle buffer.
        found.sort_by(|(a, first), (b, second)| {
            let order = a.t.partial_cmp(&b.t).unwrap_or(std::cmp::Ordering::Equal);
            order.then(first.cmp(second))
        });
        found.dedup_by_key(|(_, primitive)| *primitive);
        let kept = if query.kind == HitKind::All { found.len() } else { found.len().min(1) };
        if observer.is_watching() {
            for (number, &(hit, _)) in found.iter().enumerate() {
                let refused = Step::Refuse { hit, reason: NOT_CLOSER };
                observer.see(if number < kept { Step::Accept { hit } } else { refused });
            }
        }
        found.truncate(kept);
        hits.extend(found.into_iter().map(|(hit, _)| hit));
        Ok(())
    }
}

::machine::traced_machine!(HartMachine, NAME, answer_query);

impl std::fmt::Debug for HartMachine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("HartMachine").field("readings", &self.readings).finish_non_exhaustive()
    }
}
