//! The loop: the same for both drivers and generations, apart from what [`Loop`](super::Loop) says.

use super::lane::Lane;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer};
use geometry::Aabb;
use machine::{MachineError, Observer};

const INVALID: Bvh4Pointer = Bvh4Pointer::INVALID;

/// Runs from the root until the query has its answer.
pub(super) fn run<O: Observer + ?Sized>(lane: &mut Lane<'_, O>) -> Result<(), MachineError> {
    let root = lane.image.structure.root;
    let (mut current, mut previous) = (root, INVALID);
    // How the parent names the node that was tested last.
    let mut named = INVALID;
    while current != Bvh4Pointer::TERMINAL {
        let is_lost = current == INVALID;
        if let Some(inside) = lane.space.inside {
            let is_popped = lane.stack.depth() < inside.depth;
            if is_popped || is_lost && previous == inside.root {
                lane.leave();
                (previous, named) = (inside.instance, inside.instance);
            }
        }
        if is_lost && lane.must_restart() {
            lane.restart();
            (current, previous) = (root, INVALID);
        } else if is_lost {
            current = lane.parent(previous)?;
            if current == INVALID {
                break;
            }
            previous = named;
        } else {
            previous = INVALID;
        }
        let before = previous;
        (previous, named) = (current, current);
        // Only a box has an answer that is pushed from.
        let (mut last, mut data) = (Bvh4Pointer::TERMINAL, [INVALID.0; 4]);
        match current.kind() {
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => {
                data = lane.intersect(current)?;
                last = before;
            }
            Bvh4Kind::Instance => {
                if let Some(root) = lane.enter(current)? {
                    data[0] = root.0;
                    last = INVALID;
                }
            }
            Bvh4Kind::Triangle1 => {
                // Triangle 1 of a pair brings triangle 0 (and has no box of its own).
                if lane.take(current, &Aabb::EMPTY)?.is_break() {
                    break;
                }
                if lane.take(current.partner(), &Aabb::EMPTY)?.is_break() {
                    break;
                }
                previous = current.partner();
                // the published ray query looks for the pointer of triangle 0.
                named = if lane.image.kind.forgets_pairs { previous } else { current };
            }
            Bvh4Kind::Triangle0 | Bvh4Kind::OldTriangle => {
                if lane.take(current, &Aabb::EMPTY)?.is_break() {
                    break;
                }
            }
            Bvh4Kind::User => {
                let slot = lane.slot_of(current)?;
                if lane.take(current, &slot)?.is_break() {
                    break;
                }
            }
        }
        current = lane.next(last, data);
    }
    Ok(())
}
