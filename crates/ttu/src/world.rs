//! What the machine looks at: an image as blocks, and the geometry that the SM tests.

use crate::beam_overhang::BeamOverhang;
use crate::config::Config;
use crate::local_query::LocalQuery;
use crate::program::{Program, ProgramError, bounds_of, moved};
use geometry::beam::construct::Corners;
use geometry::{Beam, Ray, TriangleRule, slab};
use machine::beam::BeamWorldError;
use machine::instance_dilation::InstanceDilation;
use machine::{AnyChecked, BlockImage, Query, Shape};
use std::sync::{Arc, OnceLock};
use tree::Tree;

/// An image, ready to be run.
#[derive(Debug)]
pub struct World {
    pub(crate) program: Program,
    pub(crate) tree: Arc<Tree>,
    pub(crate) rule: TriangleRule,
    instance_dilation: InstanceDilation,
    /// What beams need, found when the first is asked.
    beams: OnceLock<Result<BeamOverhang, BeamWorldError>>,
}

/// Why a world and a configuration do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: a block of this format takes {lines} lines of {line_bytes} bytes")]
pub struct TooSmall {
    /// The parameter.
    pub key: &'static str,
    /// Its value.
    pub value: u32,
    /// Lines of the largest block.
    pub lines: u64,
    /// Bytes of a line.
    pub line_bytes: u32,
}

impl World {
    /// Decodes a proved image.
    ///
    /// # Errors
    /// When the format has no blocks, or one is too large for the machine.
    pub fn new(image: &dyn AnyChecked, rule: TriangleRule) -> Result<Self, ProgramError> {
        let format = image.image().format;
        let blocks = image.blocks().ok_or(ProgramError::NoBlocks { format })?;
        Self::of_blocks(&blocks, Arc::clone(image.tree()), rule)
    }

    /// The same from blocks and the geometry that their items number.
    ///
    /// # Errors
    /// When a block is too large for the machine.
    pub fn of_blocks(
        blocks: &BlockImage,
        tree: Arc<Tree>,
        rule: TriangleRule,
    ) -> Result<Self, ProgramError> {
        let program = Program::new(blocks)?;
        let instance_dilation = tree.tlas.as_ref().map(InstanceDilation::new).unwrap_or_default();
        Ok(Self { program, tree, rule, instance_dilation, beams: OnceLock::new() })
    }

    /// The geometry.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Checks that the L0 can hold every block.
    pub(crate) fn fits(&self, config: &Config) -> Result<(), TooSmall> {
        let line_bytes = config.l0_line_bytes;
        let lines = self.program.most_lines(line_bytes);
        let refuse = |key, value| Err(TooSmall { key, value, lines, line_bytes });
        let sets = u64::from(config.l0_lines / config.l0_ways());
        if u64::from(config.l0_lines) < lines {
            return refuse("l0_lines", config.l0_lines);
        }
        if lines.div_ceil(sets) > u64::from(config.l0_ways()) {
            return refuse("l0_assoc", config.l0_assoc);
        }
        if u64::from(config.l0_mshrs) < lines {
            return refuse("l0_mshrs", config.l0_mshrs);
        }
        Ok(())
    }

    /// The level that a query walks: below an instance, or the whole.
    pub(crate) fn level_of(&self, instance: Option<u32>) -> usize {
        match (&self.tree.tlas, instance) {
            (Some(tlas), Some(instance)) => tlas.instances[instance as usize].blas as usize,
            (Some(_), None) => self.program.levels.len() - 1,
            (None, _) => 0,
        }
    }

    /// Whether there is anything to walk.
    pub(crate) fn has_root(&self, instance: Option<u32>) -> bool {
        let level = self.program.levels.get(self.level_of(instance));
        level.is_some_and(|level| level.root.is_some())
    }

    /// The world as beams see it.
    ///
    /// # Errors
    /// As [`BeamOverhang::new`].
    pub(crate) fn beams(&self) -> Result<&BeamOverhang, BeamWorldError> {
        let found = self.beams.get_or_init(|| BeamOverhang::new(&self.program, &self.tree));
        found.as_ref().map_err(|error| *error)
    }

    /// The query in the space of its level.
    pub(crate) fn local_query(
        &self,
        query: &Query,
        instance: Option<u32>,
        beams: Option<&BeamOverhang>,
    ) -> LocalQuery {
        let level = self.level_of(instance);
        let bounds = bounds_of(&self.program.levels[level]);
        match (&query.shape, &self.tree.tlas, instance) {
            (Shape::Ray(ray), Some(_), None) => {
                let reach = slab::reach(ray.origin, &bounds);
                let dilation = self.instance_dilation.dilation(ray.origin, reach);
                LocalQuery::dilated(ray, dilation)
            }
            (Shape::Ray(ray), ..) => LocalQuery::ray(&self.ray(ray, instance), &bounds),
            (Shape::Beam(shape), ..) => {
                let query = query.with_shape(*shape);
                let space = beams.and_then(|beams| beams.world.space(&self.tree, &query, instance));
                let beam = space.and_then(|space| space.beam);
                let overhang = beams.map(|beams| beams.overhang(&self.tree, level, shape.leaf));
                let overhang = overhang.unwrap_or_default();
                LocalQuery::beam(beam.as_ref(), &bounds, shape.beam.tmin(), overhang)
            }
        }
    }

    /// The query in the space of its level as it came, neither dilated nor widened; `None` if that
    /// is no valid beam.
    pub(crate) fn exact_beam(
        &self,
        query: &Query,
        instance: Option<u32>,
        beams: Option<&BeamOverhang>,
    ) -> Option<Beam> {
        match query.shape {
            Shape::Ray(ray) => Beam::new(&Corners::around(&self.ray(&ray, instance))).ok(),
            Shape::Beam(shape) => {
                beams?.world.space(&self.tree, &query.with_shape(shape), instance)?.beam
            }
        }
    }

    fn ray(&self, ray: &Ray, instance: Option<u32>) -> Ray {
        let instance = instance.and_then(|instance| {
            self.tree.tlas.as_ref().map(|tlas| &tlas.instances[instance as usize])
        });
        moved(ray, instance.map(|instance| &instance.world_to_object))
    }
}
