//! A hierarchy made to fit: at most eight children a node, at most three items a leaf, nothing
//! empty.
//!
//! A leaf with more items is cut into parts of up to three. They take free slots of the node above,
//! or, where those do not suffice, nodes of their own. A tree that fits stays as it is.

use crate::encode::CwbvhEncodeError;
use crate::node::{MAX_LEAF, SLOTS};
use geometry::Aabb;
use tree::reshape::halve;
use tree::{Bvh, Node};

/// A child of a node.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) bounds: Aabb,
    pub(crate) below: Below,
}

/// What is below a child.
#[derive(Debug, Clone)]
pub(crate) enum Below {
    /// One to eight children, by the number of their group.
    Group(usize),
    /// One to three items.
    Items(Vec<u32>),
}

/// All nodes of a level, each with its children.
#[derive(Debug, Default)]
pub(crate) struct Fitted {
    pub(crate) groups: Vec<Vec<Part>>,
    /// The group of the root; `None` for a level without items.
    pub(crate) root: Option<usize>,
}

/// Makes a hierarchy fit. `item_bounds` knows the boxes of items, where they have any here.
pub(crate) fn fit(
    level: usize,
    bvh: &Bvh,
    item_bounds: &dyn Fn(u32) -> Option<Aabb>,
) -> Result<Fitted, CwbvhEncodeError> {
    let mut fitting = Fitting { item_bounds, fitted: Fitted::default() };
    // Children lie behind their parents, so that backward every child is known first.
    let mut known: Vec<Option<Part>> = vec![None; bvh.nodes().len()];
    for (number, node) in bvh.nodes().iter().enumerate().rev() {
        let part = if node.link.is_leaf() {
            let items = bvh.items(node).to_vec();
            let is_empty = items.is_empty();
            (!is_empty).then_some(Part { bounds: node.bounds, below: Below::Items(items) })
        } else {
            let children = known[node.link.range()].iter_mut().filter_map(Option::take).collect();
            fitting.group(node.bounds, children)
        };
        if part.is_some() {
            check_box(level, number, node)?;
        }
        known[number] = part;
    }
    if let Some(root) = known.into_iter().next().flatten() {
        let group = match root.below {
            Below::Group(group) => Some(group),
            Below::Items(_) => fitting.group(root.bounds, vec![root]).and_then(|part| {
                let Below::Group(group) = part.below else { return None };
                Some(group)
            }),
        };
        fitting.fitted.root = group;
    }
    Ok(fitting.fitted)
}

fn check_box(level: usize, node: usize, found: &Node) -> Result<(), CwbvhEncodeError> {
    if found.bounds.is_finite() && !found.bounds.is_empty() {
        return Ok(());
    }
    Err(CwbvhEncodeError::Box { level, node })
}

struct Fitting<'a> {
    item_bounds: &'a dyn Fn(u32) -> Option<Aabb>,
    fitted: Fitted,
}

impl Fitting<'_> {
    /// A node over these children; a box that does not contain theirs grows until it does.
    fn group(&mut self, bounds: Aabb, children: Vec<Part>) -> Option<Part> {
        let mut free = SLOTS.checked_sub(children.len())?;
        let mut group: Vec<Part> = Vec::with_capacity(SLOTS);
        for child in children {
            match child.below {
                Below::Items(items) if items.len() > MAX_LEAF => {
                    let parts = self.cut(items, &child.bounds);
                    let more = parts.len() - 1;
                    if more <= free {
                        free -= more;
                        group.extend(parts);
                    } else {
                        group.push(self.join(parts));
                    }
                }
                _ => group.push(child),
            }
        }
        (!group.is_empty()).then(|| {
            let part = self.node(group);
            Part { bounds: part.bounds.union(bounds), ..part }
        })
    }

    /// The items of a leaf in parts of up to three.
    fn cut(&self, items: Vec<u32>, leaf: &Aabb) -> Vec<Part> {
        let bounds = |item: u32| (self.item_bounds)(item).unwrap_or(*leaf);
        let fits = |items: &[u32]| items.len() <= MAX_LEAF;
        let mut parts = Vec::new();
        halve(items, leaf, MAX_LEAF, &fits, &bounds, &mut parts);
        let part = |(items, bounds)| Part { bounds, below: Below::Items(items) };
        parts.into_iter().map(part).collect()
    }

    /// One child above all of these, with nodes between where they are more than eight.
    fn join(&mut self, mut parts: Vec<Part>) -> Part {
        while parts.len() > SLOTS {
            parts = parts.chunks(SLOTS).map(|chunk| self.node(chunk.to_vec())).collect();
        }
        self.node(parts)
    }

    fn node(&mut self, children: Vec<Part>) -> Part {
        let bounds = children.iter().fold(Aabb::EMPTY, |sum, child| sum.union(child.bounds));
        self.fitted.groups.push(children);
        Part { bounds, below: Below::Group(self.fitted.groups.len() - 1) }
    }
}
