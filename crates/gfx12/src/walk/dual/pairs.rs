//! Phase 1: two nodes a step.

use super::Ended;
use super::lane::{Lane, is_leaf};
use crate::layout::NodePointer;
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use machine::{MachineError, Observer};

/// Runs until the query has its answer or entries were lost.
pub(super) fn run<O: Observer + ?Sized>(lane: &mut Lane<'_, O>) -> Result<Ended, MachineError> {
    let mut nodes = [lane.image.root, Bvh4Pointer::INVALID];
    while !nodes[0].is_special() {
        let answer = lane.intersect(nodes, lane.found.extent())?;
        let data = if nodes[0].kind() == Bvh4Kind::Instance {
            lane.enter(nodes[0], &answer)?
        } else {
            let mut data = [0; 8];
            data.copy_from_slice(&answer.vdst[..8]);
            // Slot 1 was on top of the stack, so it is the nearer one.
            if is_leaf(nodes[1]) {
                if lane.take(nodes[1], &answer.vdst[4..8])?.is_break() {
                    return Ok(Ended::Done);
                }
                data[7] = NodePointer::SKIP_4_7.0;
            } else if nodes[1].is_special() {
                // Some parts leave these registers as they were.
                data[4..].fill(Bvh4Pointer::INVALID.0);
            }
            if is_leaf(nodes[0]) {
                if lane.take(nodes[0], &answer.vdst[..4])?.is_break() {
                    return Ok(Ended::Done);
                }
                if nodes[0].kind() == Bvh4Kind::Triangle1 {
                    // A pair that was popped second comes without its partner.
                    data[3] = nodes[0].partner().0;
                    data[2] = NodePointer::SKIP_0_3.0;
                } else {
                    data[3] = NodePointer::SKIP_0_3.0;
                }
            }
            data
        };
        nodes = lane.push_pop_two(data);
        if lane.popped_to_top() {
            lane.leave();
        }
    }
    Ok(if nodes[0] == Bvh4Pointer::INVALID { Ended::Lost } else { Ended::Done })
}
