//! The machine `hart`: a program on the hart answers queries.
//!
//! The program is `examples/riscv/wavefront.c` with `walk.c`: it takes rays from a queue, walks the
//! tree in its own code with a short stack in local memory, lets RT.BBOX and RT.TRI do the
//! tests, and puts hits and misses into two other queues. It asks RTCAP what the hart has and falls
//! back where a feature is missing. So that nobody needs a cross compiler, the program lies
//! here as an ELF file of a few kilobytes; a test compiles it again and compares.
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
use loaded_program::{Answered, Entry, LoadedProgram};
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
    stack_sizes: &[1..=255],
    has_capabilities: true,
    takes_beams: false,
    // A program orders by the narrowed t, which is all that it sees.
    oracle: Some(|input| Ok(Box::new(BruteForce::by_narrowed_t(tiles_of(NAME, input)?)))),
    may_lose: may_lose_outside_box,
    make: |input, options| {
        let usual = Options::default();
        let rtcap = options.capabilities.unwrap_or(usual.readings.rtcap);
        let readings = Readings { rtcap, ..usual.readings };
        let stack_size = options.stack_size.unwrap_or(usual.stack_size);
        let options = Options { readings, stack_size, ..usual };
        Ok(Box::new(HartMachine::new(tiles_of(NAME, input)?, options)?))
    },
}];

/// What runs, and on which hart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// A program with the interface of `examples/riscv/image.h` and `walk.h`.
    pub program: &'static [u8],
    /// The readings of the extension; RTCAP is one of them.
    pub readings: Readings,
    /// Entries of the program's stack.
    pub stack_size: u8,
}

/// [`WAVEFRONT`] with box tests that lose nothing and a stack of 16 entries.
impl Default for Options {
    fn default() -> Self {
        let readings =
            Readings { bbox_rounding: BboxRounding::Conservative, ..Readings::default() };
        Self { program: WAVEFRONT, readings, stack_size: 16 }
    }
}

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
    options: Options,
    idle: Mutex<Vec<LoadedProgram>>,
}

impl HartMachine {
    /// A machine that runs a program over an image.
    ///
    /// # Errors
    /// When the image does not fit into a hart, or the program does not have the interface.
    pub fn new(tiles: TilesImage, options: Options) -> Result<Self, LoadedProgramError> {
        if options.stack_size == 0 {
            return Err(LoadedProgramError::NoStack);
        }
        // One now, so that what cannot work is found out before the first query.
        let loaded = LoadedProgram::new(tiles.image(), &options)?;
        Ok(Self { tiles, options, idle: Mutex::new(vec![loaded]) })
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
            None => LoadedProgram::new(self.tiles.image(), &self.options)?,
        };
        let width = self.tiles.policy().format.bytes();
        let record: Vec<u8> = self
            .tiles
            .ray_record(query)
            .iter()
            .flat_map(|element| element.to_le_bytes()[..width].to_vec())
            .collect();
        let mut reporter = observer
            .is_watching()
            .then(|| Reporter::new(observer, &self.tiles, &self.options.readings));
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
        let Some((hits, counters)) = answer.begin(query) else { return Ok(()) };
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
        counters.nodes += answered.nodes;
        counters.box_tests += answered.boxes;
        counters.leaves += answered.leaves;
        counters.triangle_tests += answered.triangles;
        counters.instances += answered.instances;
        let mut found: Vec<(Hit, (u32, u32))> = Vec::new();
        for entry in &answered.hits {
            let Entry { instance, primitive, .. } = *entry;
            let hit = self.tiles.hit_of_elements(instance, primitive, entry.values);
            let seen = WalkHit {
                values: [hit.t, hit.u, hit.v],
                instance,
                primitive,
                leaf: entry.leaf,
                back: entry.back,
            };
            if TilesImage::sees(query, &seen) {
                found.push((hit, (instance, primitive)));
            } else if observer.is_watching() {
                let reason = "the flags of the query hide it";
                observer.see(Step::Refuse { hit, reason });
            }
        }
        // The program orders by the narrowed t, then by instance and place in the triangle buffer.
        found.sort_by(|(a, first), (b, second)| {
            let order = a.t.partial_cmp(&b.t).unwrap_or(std::cmp::Ordering::Equal);
            order.then(first.cmp(second))
        });
        found.dedup_by_key(|(_, ids)| *ids);
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
        out.debug_struct("HartMachine").field("options", &self.options).finish_non_exhaustive()
    }
}
