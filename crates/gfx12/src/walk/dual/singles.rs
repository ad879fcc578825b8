//! Phase 2: one node a step, walking back where entries were lost.

use super::lane::{Lane, is_leaf};
use crate::layout::NodePointer;
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use machine::{MachineError, Observer};

/// Runs from the root until the query has its answer.
pub(super) fn run<O: Observer + ?Sized>(lane: &mut Lane<'_, O>) -> Result<(), MachineError> {
    // The order of a box's children must not depend on the extent.
    lane.resource.sort_triangles_first = false;
    let (mut current, mut last) = (lane.image.root, Bvh4Pointer::INVALID);
    loop {
        let walks_back = !last.is_special();
        let extent = if walks_back { lane.found.original_extent() } else { lane.found.extent() };
        // A pair is tested in one step.
        let nodes = match current.kind() {
            Bvh4Kind::Triangle1 => [current.partner(), current],
            _ => [current, Bvh4Pointer::INVALID],
        };
        let answer = lane.intersect(nodes, extent)?;
        let mut data = [Bvh4Pointer::INVALID.0; 8];
        if current.kind() == Bvh4Kind::Instance {
            data = lane.enter(current, &answer)?;
        } else if is_leaf(current) {
            for (slot, node) in nodes.into_iter().enumerate().filter(|(_, node)| is_leaf(*node)) {
                if lane.take(node, &answer.vdst[4 * slot..4 * slot + 4])?.is_break() {
                    return Ok(());
                }
            }
        } else {
            data[..4].copy_from_slice(&answer.vdst[..4]);
        }
        let previous = current;
        current = lane.push_pop_one(last, data);
        last = Bvh4Pointer::INVALID;
        if lane.popped_to_top() {
            lane.leave();
        }
        if current == Bvh4Pointer::INVALID {
            let Some(back) = walk_back(lane, previous)? else { return Ok(()) };
            (current, last) = back;
        } else if current.is_special() {
            debug_assert_eq!(current.0, NodePointer::TERMINAL.0);
            return Ok(());
        }
    }
}

/// The parent of the node that the walk was at last, and the child that it leaves; nothing above
/// the root. From the root below an instance the way leads to the instance, in the TLAS.
fn walk_back<O: Observer + ?Sized>(
    lane: &mut Lane<'_, O>,
    previous: Bvh4Pointer,
) -> Result<Option<(Bvh4Pointer, Bvh4Pointer)>, MachineError> {
    let mut left = previous;
    if let Some(inside) = lane.inside()
        && (left == inside.root || left == inside.instance)
    {
        left = inside.instance;
        lane.leave();
    }
    let parent = lane.parent(left)?;
    Ok((!parent.is_special()).then(|| {
        lane.show_walk_back(parent, left);
        (parent, left)
    }))
}
