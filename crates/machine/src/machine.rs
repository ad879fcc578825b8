//! The trait of everything that answers queries.

use crate::beam::BeamWorldError;
use crate::{BudgetExhausted, Counters, Hit, HitKind, Observer, Query, RayQuery, Unwatched};
use geometry::Ray;

/// Something that answers queries about one world.
///
/// Answers are values: the same query gets the same hits, whatever was asked before and on
/// whichever thread. A machine is built over a tree or a checked image and is told its triangle
/// rule then.
///
/// ```
/// use geometry::{Ray, TriangleRule, Vec3};
/// use machine::{Machine, Reference};
/// # use tree::Tree;
/// # fn example(tree: &Tree) -> Result<(), machine::MachineError> {
/// let machine = Reference::new(tree, TriangleRule::Watertight);
/// let ray = Ray::new(Vec3::new(0.0, 0.0, 10.0), Vec3::NEG_Z);
/// if let Some(hit) = machine.closest(&ray)? {
///     println!("primitive {} at {}", hit.primitive, hit.t);
/// }
/// # Ok(())
/// # }
/// ```
pub trait Machine: Send + Sync {
    /// The name used in options and reports.
    fn name(&self) -> &'static str;

    /// Answers `query` into `answer` and tells `observer` every step. The hits of `answer` are
    /// replaced, what was done is added to its counters.
    ///
    /// A closest or any query yields at most one hit; an all query yields each primitive's hit
    /// once, in the order of [`Hit::total_cmp`].
    ///
    /// # Errors
    /// When the machine does not take the shape, or cannot finish. There are no hits then.
    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut dyn Observer,
    ) -> Result<(), MachineError>;

    /// The same with nobody watching: the fast way.
    ///
    /// # Errors
    /// As [`Machine::watch`].
    fn answer_into(&self, query: &Query, answer: &mut Answer) -> Result<(), MachineError> {
        self.watch(query, answer, &mut Unwatched)
    }

    /// The answer to one query.
    ///
    /// # Errors
    /// As [`Machine::watch`].
    fn answer(&self, query: &Query) -> Result<Answer, MachineError> {
        let mut answer = Answer::default();
        self.answer_into(query, &mut answer)?;
        Ok(answer)
    }

    /// The closest hit of a ray.
    ///
    /// # Errors
    /// As [`Machine::watch`].
    fn closest(&self, ray: &Ray) -> Result<Option<Hit>, MachineError> {
        Ok(self.answer(&Query::ray(HitKind::Closest, *ray))?.hits.pop())
    }

    /// Whether a ray hits anything.
    ///
    /// # Errors
    /// As [`Machine::watch`].
    fn any(&self, ray: &Ray) -> Result<bool, MachineError> {
        Ok(!self.answer(&Query::ray(HitKind::Any, *ray))?.hits.is_empty())
    }

    /// All hits of a ray, in order.
    ///
    /// # Errors
    /// As [`Machine::watch`].
    fn all(&self, ray: &Ray) -> Result<Vec<Hit>, MachineError> {
        Ok(self.answer(&Query::ray(HitKind::All, *ray))?.hits)
    }
}

/// Implements [`Machine`] by one method of the type that is generic over who watches, so that
/// watching costs nothing when nobody does. The method takes the query, the answer and the
/// observer, and leaves [`Step::End`](crate::Step::End) to the macro. The name is an expression, or
/// `|machine| …` where machines of one type have several.
#[macro_export]
macro_rules! traced_machine {
    ($machine:ty, |$this:ident| $name:expr, $walk:ident) => {
        impl $crate::Machine for $machine {
            fn name(&self) -> &'static str {
                let $this = self;
                $name
            }

            fn watch(
                &self,
                query: &$crate::Query,
                answer: &mut $crate::Answer,
                observer: &mut dyn $crate::Observer,
            ) -> Result<(), $crate::MachineError> {
                let outcome = self.$walk(query, answer, observer);
                observer.see($crate::Step::End);
                outcome
            }

            fn answer_into(
                &self,
                query: &$crate::Query,
                answer: &mut $crate::Answer,
            ) -> Result<(), $crate::MachineError> {
                self.$walk(query, answer, &mut $crate::Unwatched)
            }
        }
    };
    ($machine:ty, $name:expr, $walk:ident) => {
        $crate::traced_machine!($machine, |_machine| $name, $walk);
    };
}

/// What a machine says, and what it did to find out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The hits.
    pub hits: Vec<Hit>,
    /// The work.
    pub counters: Counters,
}

impl Answer {
    /// Forgets the hits of another query and counts this one: where hits and work go. `None` if the
    /// ray can hit nothing.
    pub fn begin(&mut self, query: &RayQuery) -> Option<(&mut Vec<Hit>, &mut Counters)> {
        self.hits.clear();
        self.counters.queries += 1;
        query.can_hit().then_some((&mut self.hits, &mut self.counters))
    }
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// The walk did not end in time.
    #[error(transparent)]
    Budget(#[from] BudgetExhausted),
    /// The machine does not take beams.
    #[error("the machine {machine} answers rays, not beams")]
    Beam {
        /// Which machine.
        machine: &'static str,
    },
    /// Beams cannot be asked about this world.
    #[error(transparent)]
    BeamWorld(#[from] BeamWorldError),
    /// The machine itself failed.
    #[error("the machine {machine} has no answer: {reason}")]
    Failed {
        /// Which machine.
        machine: &'static str,
        /// Why.
        reason: String,
    },
}

impl<M: Machine + ?Sized> Machine for Box<M> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        (**self).watch(query, answer, observer)
    }

    fn answer_into(&self, query: &Query, answer: &mut Answer) -> Result<(), MachineError> {
        (**self).answer_into(query, answer)
    }
}
