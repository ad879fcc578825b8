//! Where two walks first differ.

use super::Walk;
use machine::Step;

/// What can be compared of a step: machines of one format visit the same nodes in the same
/// notation; others share only primitives and hits.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Node(u64, Option<u64>),
    Primitive(u32, u32, u32),
    Accept(u32, u32, u32, u32),
}

/// The steps at which two walks first differ: their numbers in each; `None` for the end of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstDifference {
    /// In the first walk.
    pub first: Option<usize>,
    /// In the second.
    pub second: Option<usize>,
}

/// The first difference, by nodes where both name them alike, else by primitives and hits.
#[must_use]
pub fn first_difference(a: &Walk, b: &Walk, same_nodes: bool) -> Option<FirstDifference> {
    let events = |walk: &Walk| -> Vec<(usize, Event)> {
        let steps = walk.steps.iter().enumerate();
        steps.filter_map(|(number, step)| Some((number, event(step, same_nodes)?))).collect()
    };
    let (a, b) = (events(a), events(b));
    let common = a.iter().zip(&b).take_while(|((_, a), (_, b))| a == b).count();
    let number = |events: &[(usize, Event)]| events.get(common).map(|(number, _)| *number);
    let (first, second) = (number(&a), number(&b));
    (first.is_some() || second.is_some()).then_some(FirstDifference { first, second })
}

fn event(step: &Step, same_nodes: bool) -> Option<Event> {
    match step {
        Step::Node { pointer, address, .. } if same_nodes => Some(Event::Node(*pointer, *address)),
        Step::Primitive(test) => {
            Some(Event::Primitive(test.instance, test.geometry, test.primitive))
        }
        Step::Accept { hit } => {
            Some(Event::Accept(hit.t.to_bits(), hit.instance, hit.geometry, hit.primitive))
        }
        _ => None,
    }
}
