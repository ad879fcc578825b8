//! One ray through the tree.
//!
//! The whole tree in pre-order, children in slot order, every child box against the ray's own
//! interval. Box tests are conservative: only hits are visible, so nothing may be lost to rounding.

use super::JobOptions;
use super::reporter::{NOT_CLOSER, Reporter};
use crate::flags::Raised;
use crate::instruction::bbox::{BboxOptions, SlabRounding, bbox};
use crate::instruction::tri::{TriOptions, tri};
use crate::instruction::{RayElements, Verdict, read_elements};
use crate::layout::node::{ChildKind, NodeShape};
use crate::layout::records::{TRI_RANGE_BYTES, TriRange, triangle_bytes};
use crate::memory::{Memory, MemoryFault, element_at, load_array};
use crate::policy::Policy;
use machine::Observer;
use std::ops::ControlFlow;

/// Steps that one ray may take: node visits, and triangles, which a range of any length could
/// otherwise stretch for ever.
pub const BUDGET: u32 = 1 << 24;

/// What a walk needs to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walk {
    /// Numeric policy.
    pub policy: Policy,
    /// Options of the job.
    pub options: JobOptions,
    /// Epsilon of EPS_CTL.
    pub epsilon: f32,
    /// RTCAP.WATERTIGHT.
    pub watertight: bool,
    /// Layout of nodes.
    pub shape: NodeShape,
    /// Address of node 0 and of TriRange 0.
    pub base: u64,
    /// Address of triangle 0 where a range gives none.
    pub triangles: u64,
}

/// The hit of a ray, in FP32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkHit {
    /// `t`, `u`, `v`.
    pub values: [f32; 3],
    /// The instance; 0 without instances.
    pub instance: u32,
    /// Number of the triangle: first + k.
    pub primitive: u32,
    /// Number of the TriRange.
    pub leaf: u32,
    /// The back face was seen.
    pub back: bool,
}

/// What one walk did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalkCounts {
    /// Nodes visited.
    pub nodes: u64,
    /// Boxes tested.
    pub boxes: u64,
    /// Leaves visited.
    pub leaves: u64,
    /// Triangles tested.
    pub triangles: u64,
    /// Bytes of nodes, ranges and triangles loaded.
    pub bytes: u64,
}

impl WalkCounts {
    /// Steps, as the budget of a ray counts them.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.nodes + self.leaves + self.triangles
    }
}

/// Why a walk cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// Memory that is not there.
    #[error(transparent)]
    Fault(#[from] MemoryFault),
    /// Child flags 11.
    #[error("node {node}: child {child} has the reserved flags 11")]
    ReservedChild {
        /// The node.
        node: u32,
        /// The child.
        child: usize,
    },
    /// Too many steps: a cycle, most likely.
    #[error("the walk of one ray did not end within {BUDGET} steps")]
    Budget,
}

impl Walk {
    /// How boxes are tested.
    pub(super) const BOX_TEST: BboxOptions =
        BboxOptions { rounding: SlabRounding::Conservative, clamp: false, w: None };

    /// Finds the closest hit, or the first in visiting order with ANY_HIT.
    ///
    /// # Errors
    /// When memory is not there, a child is reserved, or the walk does not end.
    pub fn trace<O: Observer + ?Sized>(
        &self,
        memory: &mut (impl Memory + ?Sized),
        ray: &RayElements,
        raised: &mut Raised,
        counts: &mut WalkCounts,
        reporter: &mut Reporter<'_, O>,
    ) -> Result<Option<WalkHit>, WalkError> {
        let mut best: Option<WalkHit> = None;
        let any = self.options.contains(JobOptions::ANY_HIT);
        let mut keep_best = |hit: WalkHit, reporter: &mut Reporter<'_, O>| {
            let is_better = best.is_none_or(|best| hit.comes_before(&best));
            reporter.judged(&hit, (!is_better).then_some(NOT_CLOSER));
            if is_better {
                best = Some(hit);
            }
            if any { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        self.each_hit(memory, ray, raised, counts, reporter, &mut keep_best)?;
        Ok(best)
    }

    /// Hands over every accepted triangle, in visiting order, until told to stop.
    ///
    /// # Errors
    /// When memory is not there, a child is reserved, or the walk does not end.
    pub fn each_hit<O: Observer + ?Sized>(
        &self,
        memory: &mut (impl Memory + ?Sized),
        ray: &RayElements,
        raised: &mut Raised,
        counts: &mut WalkCounts,
        reporter: &mut Reporter<'_, O>,
        accept: &mut Accept<'_, O>,
    ) -> Result<(), WalkError> {
        self.each_leaf(memory, ray, raised, counts, reporter, &mut |memory, leaf, progress| {
            progress.counts.leaves += 1;
            progress.counts.bytes += TRI_RANGE_BYTES as u64;
            self.visit_leaf(memory, leaf, progress, accept)
        })
    }

    /// Hands over the index of every leaf that the ray reaches, in visiting order, until told to
    /// stop.
    ///
    /// # Errors
    /// As [`Self::each_hit`].
    pub fn each_leaf<M: Memory + ?Sized, O: Observer + ?Sized>(
        &self,
        memory: &mut M,
        ray: &RayElements,
        raised: &mut Raised,
        counts: &mut WalkCounts,
        reporter: &mut Reporter<'_, O>,
        visit: &mut VisitLeaf<'_, M, O>,
    ) -> Result<(), WalkError> {
        let mut progress = Progress { ray, raised, counts, steps: 0, reporter };
        let mut stack = vec![(ChildKind::Node, 0)];
        progress.reporter.pushed((ChildKind::Node, 0), 1);
        let mut node = vec![0; self.shape.bytes()];
        while let Some((kind, index)) = stack.pop() {
            progress.reporter.popped(self, (kind, index), stack.len());
            progress.step()?;
            if kind == ChildKind::Node {
                progress.counts.nodes += 1;
                progress.counts.bytes += node.len() as u64;
                self.push_children(memory, index, &mut node, &mut stack, &mut progress)?;
            } else if visit(memory, index, &mut progress)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Pushes the children whose boxes the ray meets, the first slot on top.
    fn push_children<O: Observer + ?Sized>(
        &self,
        memory: &mut (impl Memory + ?Sized),
        index: u32,
        node: &mut [u8],
        stack: &mut Vec<(ChildKind, u32)>,
        progress: &mut Progress<'_, '_, O>,
    ) -> Result<(), WalkError> {
        memory.load(self.node_address(index), node)?;
        let start = stack.len();
        for slot in 0..self.shape.width() {
            let child = self.shape.child(node, slot);
            match child.kind {
                ChildKind::Empty => continue,
                ChildKind::Reserved => {
                    return Err(WalkError::ReservedChild { node: index, child: slot });
                }
                ChildKind::Node | ChildKind::Leaf => {}
            }
            progress.counts.boxes += 1;
            let [x0, y0, z0, x1, y1, z1] =
                read_elements(child.bounds, &self.policy, progress.raised);
            let corners = [[x0, y0, z0], [x1, y1, z1]];
            let verdict = bbox(progress.ray, corners[0], corners[1], &Self::BOX_TEST);
            *progress.raised |= verdict.raised();
            let entry = (child.kind, child.index);
            progress.reporter.child_tested(slot, entry, progress.ray, corners, verdict);
            if matches!(verdict, Verdict::Hit(_)) {
                stack.push(entry);
            }
        }
        stack[start..].reverse();
        for (place, &entry) in stack.iter().enumerate().skip(start) {
            progress.reporter.pushed(entry, place + 1);
        }
        progress.expect(stack.len())
    }

    fn visit_leaf<O: Observer + ?Sized>(
        &self,
        memory: &mut (impl Memory + ?Sized),
        leaf: u32,
        progress: &mut Progress<'_, '_, O>,
        accept: &mut Accept<'_, O>,
    ) -> Result<ControlFlow<()>, WalkError> {
        let range = TriRange::from_bytes(&load_array(memory, self.range_address(leaf))?);
        let base = if range.base == 0 { self.triangles } else { range.base };
        for k in 0..range.count {
            progress.step()?;
            progress.counts.triangles += 1;
            progress.counts.bytes += triangle_bytes(self.policy.format) as u64;
            let primitive = range.first.wrapping_add(k);
            let vertices = self.load_triangle(memory, base, primitive, progress.raised)?;
            let verdict = tri(progress.ray, vertices, &self.tri_options());
            *progress.raised |= verdict.verdict.raised();
            progress.reporter.triangle_tested(primitive, progress.ray, vertices, verdict.verdict);
            let Verdict::Hit(values) = verdict.verdict else { continue };
            let (instance, back) = (progress.reporter.instance(), verdict.back);
            let hit = WalkHit { values, instance, primitive, leaf, back };
            if accept(hit, progress.reporter).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn load_triangle(
        &self,
        memory: &mut (impl Memory + ?Sized),
        base: u64,
        primitive: u32,
        raised: &mut Raised,
    ) -> Result<[[f32; 3]; 3], WalkError> {
        let (bytes, width) = (triangle_bytes(self.policy.format), self.policy.format.bytes());
        let mut buffer = [0; 36];
        let offset = u64::from(primitive).wrapping_mul(bytes as u64);
        memory.load(base.wrapping_add(offset), &mut buffer[..bytes])?;
        let elements: [u32; 9] = std::array::from_fn(|k| element_at(&buffer, k * width, width));
        let values = read_elements(elements, &self.policy, raised);
        Ok(std::array::from_fn(|v| std::array::from_fn(|k| values[3 * v + k])))
    }

    /// Address of a node.
    pub(super) fn node_address(&self, index: u32) -> u64 {
        self.base.wrapping_add(u64::from(index).wrapping_mul(self.shape.stride() as u64))
    }

    /// Address of the TriRange that a leaf's index names.
    pub(super) fn range_address(&self, leaf: u32) -> u64 {
        self.base.wrapping_add(u64::from(leaf) * TRI_RANGE_BYTES as u64)
    }

    /// How triangles are tested.
    #[must_use]
    pub fn tri_options(&self) -> TriOptions {
        let epsilon = if self.options.contains(JobOptions::EPS_CTL) { self.epsilon } else { 0.0 };
        TriOptions {
            rounding: self.policy.rounding,
            cull_back: self.options.contains(JobOptions::CULL_BACK),
            epsilon,
            watertight: self.watertight,
        }
    }
}

/// Is handed every hit, and says whether the walk goes on.
pub type Accept<'a, O> = dyn FnMut(WalkHit, &mut Reporter<'_, O>) -> ControlFlow<()> + 'a;

/// Is handed the index of every leaf, and says whether the walk goes on.
pub type VisitLeaf<'a, M, O> =
    dyn FnMut(&mut M, u32, &mut Progress<'_, '_, O>) -> Result<ControlFlow<()>, WalkError> + 'a;

/// One ray under way.
#[derive(Debug)]
pub struct Progress<'a, 'o, O: ?Sized> {
    ray: &'a RayElements,
    raised: &'a mut Raised,
    counts: &'a mut WalkCounts,
    steps: u32,
    reporter: &'a mut Reporter<'o, O>,
}

impl<O: ?Sized> Progress<'_, '_, O> {
    fn step(&mut self) -> Result<(), WalkError> {
        self.steps += 1;
        self.expect(0)
    }

    /// Whether the budget is enough for what waits: each entry will take a step. This keeps the
    /// stack of a cycle small.
    fn expect(&self, waiting: usize) -> Result<(), WalkError> {
        if self.steps as usize + waiting > BUDGET as usize {
            Err(WalkError::Budget)
        } else {
            Ok(())
        }
    }
}

impl WalkHit {
    /// The order of hits: smallest `t`, then instance, triangle and leaf. It does not depend on the
    /// order of visits.
    #[must_use]
    pub fn comes_before(&self, other: &Self) -> bool {
        let ids = |hit: &Self| (hit.instance, hit.primitive, hit.leaf);
        self.values[0] < other.values[0]
            || (self.values[0] == other.values[0] && ids(self) < ids(other))
    }
}
