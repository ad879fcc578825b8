//! The law, asked of the user's own image: every machine that reads it against brute force on what
//! it stores.
//!
//! Half of the rays are aimed at edges and corners of its triangles, half at the boxes of its
//! nodes. A hit that a machine does not have is a *loss*: which primitive, and through which node
//! and child, is found by watching the walk. An answer with a hit that brute force does not have is
//! a *mismatch*.

use super::aimed_rays::AimedRays;
use super::question::Question;
use crate::input::StoredImage;
use crate::registry::registry;
use crate::walk::hierarchy::Wanted;
use crate::walk::watch_over;
use crate::walk::why::{Reason, why};
use build::{Progress, ProgressFn};
use geometry::TriangleRule;
use machine::{
    Hit, HitKind, Machine, MachineEntry, MachineInput, MachineOptions, MakeError, Oracle, Query,
    RayQuery, Reference, Shape, StackSizeError,
};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tree::Tree;

/// What to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageOptions {
    /// Chooses the rays.
    pub seed: u64,
    /// Rays for each machine.
    pub rays: usize,
    /// Entries of the traversal stack, for machines that have one.
    pub stack_size: u8,
    /// Lost primitives that are followed, for each machine.
    pub followed: usize,
}

/// Most tests of a triangle that brute force may take.
const MOST_TESTS: usize = 4_000_000_000;

/// What came of an image.
#[derive(Debug, Clone)]
pub struct ImageReport {
    /// The file.
    pub name: String,
    /// Its format.
    pub format: &'static str,
    /// Rays that were asked.
    pub rays: usize,
    /// One for each machine that reads the format.
    pub machines: Vec<MachineReport>,
}

/// What came of one machine.
#[derive(Debug, Clone)]
pub struct MachineReport {
    /// Its name.
    pub machine: &'static str,
    /// Whether it is made for the format, rather than for any tree.
    pub is_of_format: bool,
    /// Why it does not walk the image, if it refuses.
    pub refused: Option<String>,
    /// Hits that brute force has.
    pub hits: usize,
    /// Hits that the machine does not have.
    pub losses: usize,
    /// Of these, hits that it is known to lose on any image of the format.
    pub known: usize,
    /// Answers with something that brute force does not have.
    pub mismatches: usize,
    /// Lost primitives, those that are lost most often first.
    pub lost: Vec<LostPrimitive>,
}

/// A primitive that a machine loses.
#[derive(Debug, Clone)]
pub struct LostPrimitive {
    /// Instance, geometry and primitive.
    pub ids: (u32, u32, u32),
    /// How many rays lose it.
    pub rays: usize,
    /// One of them.
    pub example: RayQuery,
    /// Where the walk loses it, if it was followed.
    pub reason: Option<Reason>,
}

impl ImageReport {
    /// Whether nothing was compared that hardware would do: every machine that is made for the
    /// format refuses the image, or every one that reads it where there is none.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        let own = || self.machines.iter().filter(|machine| machine.is_of_format);
        let tried = self.machines.iter().any(|machine| machine.refused.is_none());
        let tried_own = own().any(|machine| machine.refused.is_none());
        !tried || (own().next().is_some() && !tried_own)
    }
}

impl MachineReport {
    /// Whether the machine loses something that it should not, or finds something that is not
    /// there.
    #[must_use]
    pub const fn is_wrong(&self) -> bool {
        self.mismatches > 0 || self.losses > self.known
    }
}

/// Runs the law on an image.
///
/// # Errors
/// When no machine has a stack of that size, an oracle cannot be made, or the caller cancels.
pub fn run_image(
    image: &StoredImage,
    options: &ImageOptions,
    watch: &ProgressFn<'_>,
) -> Result<ImageReport, ImageError> {
    let input = MachineInput::Image(Arc::clone(&image.checked));
    let tree = input.tree();
    let instances = tree.tlas.as_ref().map_or(1, |tlas| tlas.instances.len().max(1));
    let most = MOST_TESTS / (tree.primitive_count().max(1) * instances.min(64));
    let rays = options.rays.min(most.max(64));
    let queries = image_rays(tree, options.seed, rays);
    let readers: Vec<&'static MachineEntry> = registry().readers(image.format).collect();
    require_stack(&readers, options.stack_size)?;
    let mut machines = Vec::new();
    for (number, entry) in readers.iter().enumerate() {
        let told = |part: Progress| watch(part.within(number, readers.len()));
        machines.push(run_machine(entry, &input, &queries, options, &told)?);
        if watch(Progress::of(number + 1, readers.len())).is_break() {
            return Err(ImageError::Cancelled);
        }
    }
    Ok(ImageReport { name: image.name.clone(), format: image.format.name, rays, machines })
}

/// Refuses a size that no machine with a stack has.
fn require_stack(readers: &[&'static MachineEntry], size: u8) -> Result<(), ImageError> {
    let with_stack = readers.iter().filter(|entry| !entry.stack_sizes.is_empty());
    let refusals: Vec<_> = with_stack.map(|entry| entry.accepts_stack(size).err()).collect();
    match refusals.iter().all(Option::is_some) {
        true => refusals.into_iter().flatten().next().map_or(Ok(()), |error| Err(error.into())),
        false => Ok(()),
    }
}

/// Why an image was not tried.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// None of the machines that read it has a stack of that size; the first that has another.
    #[error(transparent)]
    StackSize(#[from] StackSizeError),
    /// Brute force by the hardware's own arithmetic is not to be had.
    #[error("{0}")]
    Oracle(MakeError),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// `count` rays that are likely to go wrong on `tree`: half of them are aimed at its triangles,
/// half at its boxes.
#[must_use]
pub fn image_rays(tree: &Tree, seed: u64, count: usize) -> Vec<RayQuery> {
    let aimed = AimedRays::new(tree, seed);
    let query = |i| if i % 2 == 0 { aimed.query(i) } else { aimed.box_query(i) };
    (0..count).map(query).collect()
}

/// Asks one machine, over what it stands on. `watch` is told before every ray.
///
/// # Errors
/// When its oracle cannot be made, or the caller cancels.
pub fn run_machine(
    entry: &'static MachineEntry,
    input: &MachineInput,
    queries: &[RayQuery],
    options: &ImageOptions,
    watch: &ProgressFn<'_>,
) -> Result<MachineReport, ImageError> {
    let rule = TriangleRule::Watertight;
    let mut report = MachineReport {
        machine: entry.name,
        is_of_format: entry.format == input.format(),
        refused: None,
        hits: 0,
        losses: 0,
        known: 0,
        mismatches: 0,
        lost: Vec::new(),
    };
    let made =
        MachineOptions { rule, stack_size: Some(options.stack_size), ..MachineOptions::default() };
    if let Err(error) = entry.accepts_stack(options.stack_size) {
        return Ok(MachineReport { refused: Some(error.to_string()), ..report });
    }
    let machine = match (entry.make)(input, &made) {
        Ok(machine) => machine,
        Err(error) => return Ok(MachineReport { refused: Some(error.to_string()), ..report }),
    };
    // What the tree's own boxes hide is the image's fault, whatever the machine is known for.
    let references = [TriangleRule::Watertight, TriangleRule::MollerTrumbore]
        .map(|rule| Reference::new(Arc::clone(input.tree()), rule));
    let is_reached = |query: &Query, hit: &Hit| {
        references.iter().any(|reference| {
            let answer = reference.answer(query);
            answer.is_ok_and(|answer| answer.hits.iter().any(|other| other.ids() == hit.ids()))
        })
    };
    let oracle: Box<dyn Machine> = match entry.oracle {
        Some(make) => make(input).map_err(ImageError::Oracle)?,
        None => Box::new(Oracle::new(Arc::clone(input.tree()), rule)),
    };
    let asked = AtomicUsize::new(0);
    let verdicts: Option<Vec<_>> = queries
        .par_iter()
        .map(|&query| {
            let done = asked.fetch_add(1, Ordering::Relaxed);
            if watch(Progress::of(done, queries.len())).is_break() {
                return None;
            }
            let question = Question::new(query.into(), &*oracle);
            Some((question.hits(), HitKind::ALL.map(|kind| question.verdict(&*machine, kind))))
        })
        .collect();
    let verdicts = verdicts.ok_or(ImageError::Cancelled)?;
    let mut lost: BTreeMap<(u32, u32, u32), (usize, RayQuery, Hit)> = BTreeMap::new();
    for (hits, verdicts) in verdicts {
        report.hits += hits;
        for found in verdicts.iter().flatten() {
            report.mismatches += usize::from(!found.only_lost);
            let Shape::Ray(ray) = found.query.shape else { continue };
            let query = found.query.with_shape(ray);
            // All hits count once; the other two kinds of query only show that one was needed.
            if found.query.kind == HitKind::All {
                for hit in found.missing() {
                    report.losses += 1;
                    let is_known =
                        (entry.may_lose)(input, &query, hit) && is_reached(&found.query, hit);
                    report.known += usize::from(is_known);
                    lost.entry(hit.ids()).or_insert((0, query, *hit)).0 += 1;
                }
            }
        }
    }
    let mut primitives: Vec<LostPrimitive> = lost
        .into_iter()
        .map(|(ids, (rays, example, _))| LostPrimitive { ids, rays, example, reason: None })
        .collect();
    primitives.sort_by_key(|lost| std::cmp::Reverse(lost.rays));
    for lost in primitives.iter_mut().take(options.followed) {
        lost.reason = follow(input, entry, &*machine, lost);
    }
    Ok(MachineReport { lost: primitives, ..report })
}

/// Watches the walk that loses a primitive.
fn follow(
    input: &MachineInput,
    entry: &MachineEntry,
    machine: &dyn Machine,
    lost: &LostPrimitive,
) -> Option<Reason> {
    let (instance, geometry, primitive) = lost.ids;
    let instance = input.tree().tlas.is_some().then_some(instance);
    let wanted = Wanted { instance, geometry: Some(geometry), primitive };
    let (walk, names) = watch_over(entry, input, machine, &Query::from(lost.example));
    let mut reason = why(&walk, input, names, &wanted)?;
    if reason.accepted {
        reason.text +=
            " by the walk that is watched; unwatched, boxes are tested with other roundings";
    }
    Some(reason)
}
