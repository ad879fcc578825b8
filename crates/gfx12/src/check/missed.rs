//! How many slots could say more than they do, for statistics: opacity flags that are true and not
//! set, and masks that are too wide.

use super::below::Below;
use super::contents::{Contents, contents, leaf_contents};
use super::instances;
use crate::decode::Pairs;
use crate::encode::OPACITY;
use crate::layout::BoxNode;
use crate::survey::{Memory, Survey, Surveyed};

/// Slots of each structure that could say more. Unlike the rule, this counts slots of triangles in
/// RADV's structures too.
pub(crate) fn missed_culling(memory: &Memory<'_>, survey: &Survey) -> Vec<usize> {
    let mut below = Vec::new();
    let mut counts = vec![0; survey.structures.len()];
    for (number, surveyed) in survey.structures.iter().enumerate().skip(1) {
        let (count, summed) = level(memory, surveyed, &[]);
        counts[number] = count;
        below.push(summed);
    }
    counts[0] = level(memory, &survey.structures[0], &below).0;
    counts
}

fn level(memory: &Memory<'_>, surveyed: &Surveyed, below: &[Below]) -> (usize, Below) {
    let pairs = Pairs::new(memory, surveyed);
    let leaves = leaf_contents(memory, surveyed, &pairs);
    let of_instance = |number| instances::contents(memory, surveyed, number, below);
    let contents = contents(surveyed, &leaves, of_instance);
    let is_top = !surveyed.instances.is_empty();
    let mut count = 0;
    for record in &surveyed.boxes {
        let node = BoxNode::decode(&surveyed.node(memory, record.pointer));
        for position in record.children() {
            let slots = surveyed.children[position].slots;
            let slots = (0..8usize).filter(|slot| slots >> slot & 1 == 1);
            count +=
                slots.filter(|&slot| is_missed(&node, slot, &contents[position], is_top)).count();
        }
    }
    (count, Below::new(surveyed, &contents, &leaves))
}

fn is_missed(node: &BoxNode, slot: usize, contents: &Contents, is_top: bool) -> bool {
    let entry = &node.children[slot];
    let said = entry.cull_flags | contents.untrue;
    let is_wide = is_top && entry.mask & !contents.mask != 0;
    !contents.bounds.is_empty() && (is_wide || !OPACITY.difference(said).is_empty())
}
