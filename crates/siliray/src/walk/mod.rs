//! Walks, watched: what a machine does for one query, step by step.
//!
//! ```
//! use siliray::geometry::{Ray, TriangleRule, Vec3};
//! use siliray::machine::{HitKind, Query, Reference};
//! use siliray::walk::{Walk, text};
//! # let scene = siliray::scene::builtin::Builtin::Organic.scene(1_000);
//! # let tree = siliray::build::Options::default().build(&scene)?;
//! let machine = Reference::new(&tree, TriangleRule::Watertight);
//! let down = Ray::new(Vec3::new(0.1, 0.2, 50.0), Vec3::NEG_Z);
//! let walk = Walk::watch(&machine, &Query::ray(HitKind::Closest, down));
//! print!("{}", text::table(&walk, 0..usize::MAX));
//! # assert!(walk.steps.len() > 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`text`] | a walk as a table, with the stack |
//! | [`hierarchy`] | which nodes lead to a primitive |
//! | [`why`] | where a walk loses a primitive |
//! | [`against`] | where two walks first differ |

pub mod against;
pub mod hierarchy;
pub mod text;
pub mod why;

use machine::registry::NodeNames;
use machine::{
    Answer, AnyChecked, Machine, MachineEntry, MachineError, MachineInput, NodePlace, Observer,
    Query, Shape, Step, tree_format,
};

/// What a machine did for one query.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Who walked.
    pub machine: &'static str,
    /// The question.
    pub query: Query,
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// What was found.
    pub answer: Result<Answer, MachineError>,
}

/// Watches a machine over what it stands on, and says how the steps name nodes: as the image does
/// wherever that can be said.
#[must_use]
pub fn watch_over(
    entry: &MachineEntry,
    input: &MachineInput,
    machine: &dyn Machine,
    query: &Query,
) -> (Walk, NodeNames) {
    watch_first(entry, input, machine, query, &mut FirstSteps::of(usize::MAX))
}

/// The same, of which no more than the first steps are kept.
#[must_use]
pub fn watch_first(
    entry: &MachineEntry,
    input: &MachineInput,
    machine: &dyn Machine,
    query: &Query,
    first: &mut FirstSteps,
) -> (Walk, NodeNames) {
    let walk = Walk::watch_first(machine, query, first);
    let is_named = |step: &Step| !matches!(step, Step::Node { address: None, .. });
    match (entry.nodes, input) {
        // A tree is no memory that nodes could have addresses in.
        (NodeNames::Image, _) if input.format() == tree_format::NAME => (walk, NodeNames::Own),
        // Whoever reads an image knows addresses; without them a copy was walked.
        (NodeNames::Image, _) if !walk.steps.iter().all(is_named) => (walk, NodeNames::Own),
        (NodeNames::Tree, MachineInput::Image(image)) => match walk.named_by(&**image) {
            Some(named) => (named, NodeNames::Image),
            None => (walk, NodeNames::Tree),
        },
        (names, _) => (walk, names),
    }
}

/// Watches, and keeps the first steps.
#[derive(Debug, Clone, Default)]
pub struct FirstSteps {
    most: usize,
    steps: Vec<Step>,
    /// How many steps came after them.
    pub left_out: u64,
}

impl FirstSteps {
    /// Keeps as many at most.
    #[must_use]
    pub fn of(most: usize) -> Self {
        Self { most, ..Self::default() }
    }
}

impl Observer for FirstSteps {
    fn see(&mut self, step: Step) {
        if self.steps.len() < self.most {
            self.steps.push(step);
        } else {
            self.left_out += 1;
        }
    }
}

impl Walk {
    /// Asks `machine` and watches.
    #[must_use]
    pub fn watch(machine: &dyn Machine, query: &Query) -> Self {
        Self::watch_first(machine, query, &mut FirstSteps::of(usize::MAX))
    }

    /// The same with the first steps alone.
    fn watch_first(machine: &dyn Machine, query: &Query, first: &mut FirstSteps) -> Self {
        let mut answer = Answer::default();
        let outcome = machine.watch(query, &mut answer, first);
        let answer = outcome.map(|()| answer);
        let steps = std::mem::take(&mut first.steps);
        Self { machine: machine.name(), query: *query, steps, answer }
    }

    /// Why the query can hit nothing, if that is so: `docs/law.md` says which rays do.
    #[must_use]
    pub fn hits_nothing(&self) -> Option<&'static str> {
        match self.query.shape {
            _ if self.query.mask == 0 => Some("nothing can be hit: the mask of the query is 0"),
            Shape::Ray(ray) if !ray.is_traceable() => Some(
                "nothing can be hit: the ray has a coordinate that is not finite, no direction, or \
                 a range from tmin to tmax that is none",
            ),
            Shape::Ray(_) | Shape::Beam(_) => None,
        }
    }

    /// The same walk of a machine over a tree, with nodes named as the image does from which the
    /// tree was decoded; `None` if the image cannot name them.
    #[must_use]
    pub fn named_by(&self, image: &dyn AnyChecked) -> Option<Self> {
        let (places, tree) = (image.node_places()?, image.tree());
        let world = if tree.tlas.is_some() { tree.blases.len() } else { 0 };
        let (mut level, mut last) = (world, None);
        let mut named = self.clone();
        for step in &mut named.steps {
            let place = |pointer: u64| places.get(level)?.get(pointer as usize).copied();
            match step {
                Step::Instance { instance, pointer, address, .. } => {
                    let leaf: NodePlace = last?;
                    (*pointer, *address) = (leaf.pointer, Some(leaf.address));
                    let placed = tree.tlas.as_ref()?.instances.get(*instance as usize)?;
                    level = placed.blas as usize;
                }
                Step::Leave => level = world,
                Step::Node { pointer, address, .. } => {
                    let place = place(*pointer)?;
                    last = Some(place);
                    (*pointer, *address) = (place.pointer, Some(place.address));
                }
                Step::Primitive(test) => test.pointer = last?.pointer,
                Step::Child(child) => child.pointer = place(child.pointer)?.pointer,
                Step::Push { pointer, .. } | Step::Skip { pointer, .. } => {
                    *pointer = place(*pointer)?.pointer;
                }
                Step::Pop { pointer: Some(pointer), .. } => *pointer = place(*pointer)?.pointer,
                _ => (),
            }
        }
        Some(named)
    }
}
