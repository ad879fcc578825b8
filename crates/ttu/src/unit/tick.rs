//! What every unit is given in a cycle, beside its ports.

use super::stats::Stats;
use crate::beam_overhang::BeamOverhang;
use crate::config::Config;
use crate::reporter::Reporter;
use crate::world::World;
use std::ops::Range;

/// What a run has in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Env<'a> {
    pub(crate) config: &'a Config,
    pub(crate) world: &'a World,
    /// What beams need, if any are asked.
    pub(crate) beams: Option<&'a BeamOverhang>,
    /// Whether tests are compared with exact arithmetic.
    pub(crate) counts_false_positives: bool,
}

impl Env<'_> {
    /// The lines of a block.
    pub(crate) fn lines(&self, block: u32) -> Range<u64> {
        self.world.program.blocks[block as usize].lines(self.config.l0_line_bytes)
    }
}

/// One cycle of a TTU.
pub(crate) struct Tick<'a, 'r, O: ?Sized> {
    pub(crate) cycle: u64,
    pub(crate) env: &'a Env<'a>,
    /// What is counted.
    pub(crate) stats: &'a mut Stats,
    /// Who watches.
    pub(crate) reporter: &'a mut Reporter<'r, O>,
}
