//! Top-down building: ranges of references are split ([`crate::object_split`]) down to single ones.
//! Which of them share a leaf is decided on the finished tree, where the cost of either choice is
//! known. Ranges above [`PARALLEL`] have their halves built side by side.

use crate::BuildError;
use crate::binary::{FIRST_CHILD, Node};
use crate::object_split::{Range, split};
use crate::progress::Monitor;
use crate::scratch::Scratch;
use crate::tagged_box::TaggedBox;

/// The halves of ranges above this size are built by several threads.
pub(crate) const PARALLEL: usize = 1 << 14;

/// Builds a tree; the references are reordered. There must be at least one.
///
/// # Errors
/// Cancellation.
pub(crate) fn build(
    mut references: Scratch<TaggedBox>,
    monitor: &Monitor<'_>,
) -> Result<Scratch<TaggedBox>, BuildError> {
    let mut nodes = Scratch::zeros(2 * references.len());
    let range = Range::root(&references);
    let (root, below) = nodes.split_at_mut(FIRST_CHILD);
    grow(&mut references, range, &mut root[0], below, FIRST_CHILD, monitor)?;
    Ok(nodes)
}

/// Builds the subtree over `references`: its root into `node`, its descendants into `below`, whose
/// first element has the number `base`.
pub(crate) fn grow(
    references: &mut [TaggedBox],
    range: Range,
    node: &mut TaggedBox,
    below: &mut [TaggedBox],
    base: usize,
    monitor: &Monitor<'_>,
) -> Result<(), BuildError> {
    if references.len() == 1 {
        *node = TaggedBox::leaf(range.bounds, references[0].tag_a());
        return Ok(());
    }
    *node = TaggedBox::inner(range.bounds, base, references.len());
    let (middle, left, right) = split(references, &range);
    let (left_references, right_references) = references.split_at_mut(middle);
    let (children, below) = below.split_at_mut(2);
    let (left_node, right_node) = children.split_at_mut(1);
    let (left_below, right_below) = below.split_at_mut(2 * middle - 2);
    let (left_base, right_base) = (base + 2, base + 2 * middle);
    let count = left_references.len() + right_references.len();
    let mut grow_left =
        || grow(left_references, left, &mut left_node[0], left_below, left_base, monitor);
    let mut grow_right =
        || grow(right_references, right, &mut right_node[0], right_below, right_base, monitor);
    if count > PARALLEL {
        monitor.check()?;
        let (left, right) = rayon::join(grow_left, grow_right);
        left.and(right)?;
        if middle <= PARALLEL {
            monitor.advance(middle)?;
        }
        if count - middle <= PARALLEL {
            monitor.advance(count - middle)?;
        }
        Ok(())
    } else {
        grow_left()?;
        grow_right()
    }
}
