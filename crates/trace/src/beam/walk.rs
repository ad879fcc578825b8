//! The walk of a beam over a tree, eight boxes at a time.

use super::boxes::{BoxGroup, GROUP};
use super::kernel::BeamKernel;
use geometry::beam::Overlap;
use geometry::{Aabb, Beam};
use machine::beam::covering::covering_boxes;
use machine::beam::{BeamView, BeamWorld, BeamWorldError};
use machine::{BeamHit, BeamMachine, BeamQuery, BudgetExhausted, Counters, Visit};
use std::ops::ControlFlow;
use tree::{Bvh, Tree};

/// Answers beam queries about a tree with the vector instructions of this processor. The answers are those of
/// [`machine::beam::BeamReference`], bit for bit.
///
/// ```
/// use build::Options;
/// use geometry::{Aabb, Beam, Vec3};
/// use machine::{BeamMachine, BeamQuery, Counters};
/// use std::ops::ControlFlow;
/// use trace::beam::BeamTracer;
///
/// let scene = scene::builtin::Builtin::Interior.scene(5_000);
/// let built = build::build(&scene, &Options::default(), &|_| ControlFlow::Continue(()))?;
/// let tracer = BeamTracer::new(&built.tree)?;
/// let all = built.tree.bounds();
/// let start = Aabb::new(all.min, all.center());
/// let query = BeamQuery::new(Beam::swept(&start, Vec3::ONE, 1.0)?);
/// assert!(tracer.any(&query, &mut Counters::default())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct BeamTracer<'a> {
    world: BeamWorld<'a>,
    bottoms: Vec<Level>,
    top: Option<Level>,
    kernel: BeamKernel,
}

/// A hierarchy with the boxes of siblings side by side.
#[derive(Debug, Clone)]
struct Level {
    /// The children of each node.
    groups: Vec<BoxGroup>,
    /// For each entry that is a node, its group.
    group_of: Vec<u32>,
    root: Aabb,
}

impl<'a> BeamTracer<'a> {
    /// A machine over `tree`, with the fastest kernel.
    ///
    /// # Errors
    /// As [`BeamWorld::new`].
    pub fn new(tree: &'a Tree) -> Result<Self, BeamWorldError> {
        Self::with_kernel(tree, BeamKernel::fastest())
    }

    /// The same with a kernel of one's choice.
    ///
    /// # Errors
    /// As [`BeamWorld::new`].
    pub fn with_kernel(tree: &'a Tree, kernel: BeamKernel) -> Result<Self, BeamWorldError> {
        let world = BeamWorld::new(tree)?;
        let bottoms = tree.bottoms.iter();
        let bottoms = bottoms.map(|b| Level::new(&b.bvh, |item| b.primitives.bounds(item)));
        let bottoms = bottoms.collect();
        let placed = |instance| world.placed_bounds(instance as u32);
        let top = tree.top.as_ref().map(|top| Level::new(&top.bvh, placed));
        Ok(Self { world, bottoms, top, kernel })
    }
}

impl Level {
    /// Lays out boxes that contain the boxes of all items below them, whatever the tree.
    fn new(bvh: &Bvh, item_bounds: impl Fn(usize) -> Aabb) -> Self {
        let covering = covering_boxes(bvh, item_bounds);
        let entries = bvh.entries();
        let bounds =
            |index: usize| covering.as_ref().map_or(entries[index].bounds, |boxes| boxes[index]);
        let (mut groups, mut group_of) = (Vec::new(), vec![0; entries.len()]);
        for (index, entry) in entries.iter().enumerate().filter(|(_, e)| !e.link.is_leaf()) {
            group_of[index] = groups.len() as u32;
            let children = entry.link.range().map(bounds);
            groups.push(BoxGroup::of(children.map(|b| if b.is_empty() { Aabb::EMPTY } else { b })));
        }
        Self { groups, group_of, root: bounds(0) }
    }
}

impl BeamMachine for BeamTracer<'_> {
    fn name(&self) -> &'static str {
        "fast"
    }

    fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&BeamHit) -> Visit,
    ) -> Result<(), BudgetExhausted> {
        counters.queries += 1;
        let mut walk = Walk { tracer: self, counters, visitor, until: query.beam.tmax() };
        let tree = self.world.tree();
        let _stopped = match (&tree.top, &self.top) {
            (Some(top), Some(level)) => {
                walk.level(&top.bvh, level, &query.beam, &mut |walk, instance| {
                    let Some(view) = self.world.placed(query, instance) else {
                        return ControlFlow::Continue(());
                    };
                    walk.counters.instances += 1;
                    walk.bottom(top.placements[instance as usize].bottom as usize, &view)
                })
            }
            _ => (0..tree.bottoms.len()).try_for_each(|bottom| {
                let view = self.world.world(query, bottom);
                view.map_or(ControlFlow::Continue(()), |view| walk.bottom(bottom, &view))
            }),
        };
        Ok(())
    }
}

/// One query under way.
struct Walk<'a> {
    tracer: &'a BeamTracer<'a>,
    counters: &'a mut Counters,
    visitor: &'a mut dyn FnMut(&BeamHit) -> Visit,
    /// Later contacts are of no interest.
    until: f32,
}

impl Walk<'_> {
    fn bottom(&mut self, bottom: usize, view: &BeamView<'_>) -> ControlFlow<()> {
        let tracer = self.tracer;
        let Some(beam) = &view.beam else {
            // A beam that cannot be told from all of space meets everything.
            return (0..view.primitives.len()).try_for_each(|index| self.primitive(view, index));
        };
        let bvh = &tracer.world.tree().bottoms[bottom].bvh;
        self.level(bvh, &tracer.bottoms[bottom], beam, &mut |walk, item| {
            walk.primitive(view, item as usize)
        })
    }

    fn primitive(&mut self, view: &BeamView<'_>, index: usize) -> ControlFlow<()> {
        self.counters.triangle_tests += 1;
        let Some(hit) = view.hit(index) else { return ControlFlow::Continue(()) };
        match (self.visitor)(&hit) {
            Visit::Continue => {}
            Visit::Until(t) => self.until = self.until.min(t),
            Visit::Stop => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Walks a hierarchy nearest first and hands over the items of every leaf that the beam reaches in
    /// time.
    fn level(
        &mut self,
        bvh: &Bvh,
        level: &Level,
        beam: &Beam,
        item: &mut dyn FnMut(&mut Self, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut stack: Vec<(f32, usize)> = Vec::with_capacity(64);
        self.counters.box_tests += 1;
        let root = (!level.root.is_empty()).then(|| beam.overlap(&level.root)).flatten();
        stack.extend(root.map(|overlap| (beam.t_lower(&overlap), 0)));
        while let Some((t, index)) = stack.pop() {
            if t > self.until {
                continue;
            }
            let entry = &bvh.entries()[index];
            if entry.link.is_leaf() {
                self.counters.leaves += 1;
                for &reference in bvh.items(entry) {
                    item(self, reference)?;
                }
                continue;
            }
            self.counters.nodes += 1;
            self.counters.box_tests += entry.link.count() as u64;
            let group = &level.groups[level.group_of[index] as usize];
            let overlaps: [Overlap; GROUP / 2] = self.tracer.kernel.first_half(beam, group);
            let start = stack.len();
            for (child, overlap) in entry.link.range().zip(overlaps).rev() {
                if overlap.is_hit() {
                    stack.push((beam.t_lower(&overlap), child));
                }
            }
            stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        ControlFlow::Continue(())
    }
}
