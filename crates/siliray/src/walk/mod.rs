//! Walks, watched: what a machine does for one query, step by step.
//!
//! ```
//! use siliray::geometry::{Ray, TriangleRule, Vec3};
//! use siliray::machine::{HitKind, Query, Reference};
//! use siliray::walk::{Walk, text};
//! # let scene = siliray::scene::builtin::Builtin::Organic.scene(1_000);
//! # let tree = siliray::build::build(&scene, &Default::default(), &|_| std::ops::ControlFlow::Continue(()))?.tree;
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

use machine::{Answer, Machine, MachineError, Query, Step};

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

impl Walk {
    /// Asks `machine` and watches.
    #[must_use]
    pub fn watch(machine: &dyn Machine, query: &Query) -> Self {
        let (mut steps, mut answer) = (Vec::new(), Answer::default());
        let outcome = machine.watch(query, &mut answer, &mut steps);
        let answer = outcome.map(|()| answer);
        Self { machine: machine.name(), query: *query, steps, answer }
    }
}
