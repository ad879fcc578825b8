//! A tree of any width as boxes of at most four children above single nodes.
//!
//! The format pairs triangles before a tree is built over the pairs. Here the tree comes first, so
//! pairs are looked for among the leaves of one node: small groups of neighbours, of which a
//! builder has already seen to it that they lie together. From the bottom up, each node then
//! becomes a box:
//!
//! 1. The references of its leaves become leaf nodes, in the order of their first reference.
//! 2. A node left with one child is that child.
//! 3. More than four children are grouped into boxes: up to eight by merging the two groups whose
//!    common box is smallest, more by cutting them along the longest axis.
//! 4. Free slots are filled by opening the largest box child whose children fit.
//!
//! A tree that was decoded is kept as it is: one leaf node a leaf, one box a node. Boxes are
//! numbered breadth first from the root, leaf nodes in the order in which that scan meets them.
//! Nothing here recurses deeper than the logarithm of a node's children.

use super::pairing::SharedEdge;
use geometry::Aabb;
use std::collections::VecDeque;
use tree::Bvh;

/// What a leaf node holds, by position in the list of primitives or instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf {
    /// One triangle.
    Triangle(u32),
    /// Two triangles that share an edge.
    Pair {
        /// Triangles 0 and 1.
        items: [u32; 2],
        /// The edge that they share.
        edge: SharedEdge,
    },
    /// A procedural.
    Procedural(u32),
    /// An instance.
    Instance(u32),
}

/// Where a slot leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// To a box of the draft.
    Box(u32),
    /// To a leaf of the draft.
    Leaf(u32),
}

/// One child of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// The box around what is below.
    pub bounds: Aabb,
    /// What is below.
    pub child: Child,
}

/// A box: the used slots come first.
pub type DraftBox = [Option<Slot>; WIDTH];

/// Children of a box.
pub const WIDTH: usize = 4;

/// The boxes breadth first, the root first even if it holds nothing, and the leaves as that scan
/// meets them.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The boxes.
    pub boxes: Vec<DraftBox>,
    /// The leaf nodes.
    pub leaves: Vec<Leaf>,
}

/// A leaf of the tree that is about to become leaf nodes.
#[derive(Debug, Clone, Copy)]
pub struct LooseLeaf<'a> {
    /// Its box.
    pub bounds: Aabb,
    /// What it refers to.
    pub items: &'a [u32],
}

/// A leaf node to be: the loose leaf that it begins in, its box, its contents.
#[derive(Debug, Clone, Copy)]
pub struct NewLeaf {
    /// The loose leaf.
    pub origin: usize,
    /// Its box.
    pub bounds: Aabb,
    /// Its contents.
    pub leaf: Leaf,
}

impl Draft {
    /// Drafts a hierarchy. `make_leaves` turns loose leaves of one node into leaf nodes.
    pub fn new(
        bvh: &Bvh,
        keep_shape: bool,
        make_leaves: impl Fn(&[LooseLeaf<'_>]) -> Vec<NewLeaf>,
    ) -> Self {
        let mut drafting = Drafting { boxes: Vec::new(), leaves: Vec::new(), keep_shape };
        let entries = bvh.nodes();
        let mut below: Vec<Option<Slot>> = vec![None; entries.len()];
        let mut root = Vec::new();
        for (index, entry) in entries.iter().enumerate().rev() {
            let children = match (entry.link.is_leaf(), index) {
                (false, _) => entry.link.range(),
                // The root is always a box, so a root that is a leaf stands below itself.
                (true, 0) => 0..1,
                (true, _) => continue,
            };
            let slots = drafting.children(bvh, children, &below, &make_leaves);
            if index == 0 {
                root = drafting.shaped(slots);
            } else {
                below[index] = drafting.enclosed(slots, entry.bounds);
            }
        }
        drafting.numbered(&root)
    }
}

struct Drafting {
    /// In the order in which they were made; some end up unused.
    boxes: Vec<DraftBox>,
    leaves: Vec<Leaf>,
    keep_shape: bool,
}

impl Drafting {
    /// The children of a node in slot order.
    fn children(
        &mut self,
        bvh: &Bvh,
        range: std::ops::Range<usize>,
        below: &[Option<Slot>],
        make_leaves: &impl Fn(&[LooseLeaf<'_>]) -> Vec<NewLeaf>,
    ) -> Vec<Slot> {
        let mut placed: Vec<(usize, Slot)> = Vec::new();
        let (mut loose, mut origins) = (Vec::new(), Vec::new());
        for index in range {
            let entry = &bvh.nodes()[index];
            if !entry.link.is_leaf() {
                placed.extend(below[index].map(|slot| (index, slot)));
            } else if !entry.bounds.is_empty() {
                loose.push(LooseLeaf { bounds: entry.bounds, items: bvh.items(entry) });
                origins.push(index);
            }
        }
        for NewLeaf { origin, bounds, leaf } in make_leaves(&loose) {
            let child = Child::Leaf(self.leaves.len() as u32);
            self.leaves.push(leaf);
            placed.push((origins[origin], Slot { bounds, child }));
        }
        placed.sort_by_key(|(index, _)| *index);
        placed.into_iter().map(|(_, slot)| slot).collect()
    }

    /// The slot that stands for a node with these children.
    fn enclosed(&mut self, slots: Vec<Slot>, bounds: Aabb) -> Option<Slot> {
        match slots[..] {
            [] => None,
            [only] if !self.keep_shape => Some(only),
            _ => {
                let slots = self.shaped(slots);
                Some(Slot { bounds, child: self.make_box(&slots) })
            }
        }
    }

    /// At most four children that hold the same.
    fn shaped(&mut self, slots: Vec<Slot>) -> Vec<Slot> {
        let mut slots = self.narrowed(slots);
        while !self.keep_shape && slots.len() < WIDTH {
            let free = WIDTH - slots.len();
            let opened = (0..slots.len())
                .filter(|&position| {
                    self.count(slots[position].child).is_some_and(|count| count <= free + 1)
                })
                .max_by(|&a, &b| {
                    let area = |position: usize| slots[position].bounds.half_area();
                    area(a).total_cmp(&area(b)).then(b.cmp(&a))
                });
            let Some(position) = opened else { break };
            let Child::Box(number) = slots[position].child else { break };
            let children = self.boxes[number as usize].into_iter().flatten();
            slots.splice(position..=position, children);
        }
        slots
    }

    fn narrowed(&mut self, mut slots: Vec<Slot>) -> Vec<Slot> {
        if slots.len() <= WIDTH {
            return slots;
        }
        let groups: Vec<Vec<Slot>> = if slots.len() <= 2 * WIDTH {
            merged_groups(slots)
        } else {
            let centers = Aabb::of_points(slots.iter().map(|slot| slot.bounds.center()));
            let extent = centers.extent().to_array();
            let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
            slots.sort_by(|a, b| a.bounds.center()[axis].total_cmp(&b.bounds.center()[axis]));
            let share = slots.len().div_ceil(WIDTH);
            slots.chunks(share).map(<[Slot]>::to_vec).collect()
        };
        groups.into_iter().map(|group| self.wrapped(group)).collect()
    }

    /// One slot above a group.
    fn wrapped(&mut self, group: Vec<Slot>) -> Slot {
        if let [only] = group[..] {
            return only;
        }
        let group = self.narrowed(group);
        let bounds = group.iter().fold(Aabb::EMPTY, |all, slot| all.union(slot.bounds));
        Slot { bounds, child: self.make_box(&group) }
    }

    fn make_box(&mut self, slots: &[Slot]) -> Child {
        self.boxes.push(std::array::from_fn(|n| slots.get(n).copied()));
        Child::Box(self.boxes.len() as u32 - 1)
    }

    /// How many children a box has.
    fn count(&self, child: Child) -> Option<usize> {
        match child {
            Child::Box(number) => Some(self.boxes[number as usize].iter().flatten().count()),
            Child::Leaf(_) => None,
        }
    }

    /// The boxes below `root` in breadth-first order.
    fn numbered(&self, root: &[Slot]) -> Draft {
        let mut draft = Draft { boxes: Vec::new(), leaves: Vec::new() };
        let mut open: VecDeque<DraftBox> =
            VecDeque::from([std::array::from_fn(|n| root.get(n).copied())]);
        let mut boxes_met = 1;
        while let Some(mut slots) = open.pop_front() {
            for slot in slots.iter_mut().flatten() {
                slot.child = match slot.child {
                    Child::Box(number) => {
                        open.push_back(self.boxes[number as usize]);
                        boxes_met += 1;
                        Child::Box(boxes_met - 1)
                    }
                    Child::Leaf(number) => {
                        draft.leaves.push(self.leaves[number as usize]);
                        Child::Leaf(draft.leaves.len() as u32 - 1)
                    }
                };
            }
            draft.boxes.push(slots);
        }
        draft
    }
}

/// Five to eight slots as four groups of at most four: the two groups with the smallest common box
/// merge until four are left. Two of five groups over eight slots always have room for each other.
fn merged_groups(slots: Vec<Slot>) -> Vec<Vec<Slot>> {
    let mut groups: Vec<(Aabb, Vec<Slot>)> =
        slots.into_iter().map(|slot| (slot.bounds, vec![slot])).collect();
    while groups.len() > WIDTH {
        let pairs = (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b)));
        let best = pairs.filter(|&(a, b)| groups[a].1.len() + groups[b].1.len() <= WIDTH).min_by(
            |&x, &y| {
                let area = |(a, b): (usize, usize)| groups[a].0.union(groups[b].0).half_area();
                area(x).total_cmp(&area(y))
            },
        );
        let Some((a, b)) = best else { break };
        let (bounds, members) = groups.remove(b);
        groups[a].0 = groups[a].0.union(bounds);
        groups[a].1.extend(members);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

impl Leaf {
    /// The first primitive, or the instance.
    #[must_use]
    pub const fn first_item(&self) -> u32 {
        match *self {
            Self::Triangle(item) | Self::Procedural(item) | Self::Instance(item) => item,
            Self::Pair { items: [first, _], .. } => first,
        }
    }

    /// 64-byte units of the node.
    #[must_use]
    pub const fn units(&self) -> u32 {
        match self {
            Self::Instance(_) => 2,
            Self::Triangle(_) | Self::Pair { .. } | Self::Procedural(_) => 1,
        }
    }
}
