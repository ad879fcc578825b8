//! Building anew what has decayed, and nothing else.
//!
//! A world is laid out again from a tree. What has not decayed is in that tree as it is in the
//! world; subtrees, whole BLASes or the TLAS that have are built from the scene. Laying out takes a
//! fraction of the time of building.

use crate::Tracer;
use crate::decay::{self, LevelCost};
use crate::world::{Boxes, Level, Pointer, Target, World};
use build::{Options as BuildOptions, Preset};
use geometry::Aabb;
use scene::{Geometry, Object, Scene, Shape};
use std::collections::HashMap;
use std::ops::Range;
use tree::{Blas, Bvh, NodeLink, PrimitiveId, Primitives, Tlas, Tree};

/// A world of which parts are new.
pub(crate) struct Rebuilt {
    pub(crate) world: World,
    /// What its levels cost when they were built.
    pub(crate) costs: Vec<LevelCost>,
    /// Primitives and instances in what is new.
    pub(crate) rebuilt: usize,
}

/// What of a level is to be built.
enum Stale {
    Nothing,
    /// Subtrees, by their nodes.
    Parts(Vec<Range<usize>>),
    Everything,
}

/// Builds what has decayed by more than `limit` in a world that has followed a scene. `None` if
/// that is not possible: the world is right as it is.
pub(crate) fn stale_parts(
    world: &World,
    built: &[LevelCost],
    moved: &Scene,
    limit: f64,
    preset: Preset,
) -> Option<Rebuilt> {
    let how = Tracer::build_options(preset);
    let now = decay::whole_costs(world);
    let levels = decay::levels(world).zip(built).zip(now);
    let stale: Vec<Stale> =
        levels.map(|((level, built), now)| stale(world, level, built, now, limit)).collect();
    let (primitives, _) = build::contents(moved).ok()?;
    let (mut blases, mut rebuilt) = (Vec::with_capacity(primitives.len()), 0);
    for (object, (primitives, stale)) in primitives.into_iter().zip(&stale).enumerate() {
        let bvh = match stale {
            Stale::Everything => {
                rebuilt += primitives.len();
                build::blas(&moved.objects[object], &how).ok()?.bvh
            }
            Stale::Nothing => Copied::blas(world, object, &primitives, &HashMap::new())?,
            Stale::Parts(parts) => {
                let items = |part: &Range<usize>| items_below(world, object, part, &primitives);
                let anew = |part: &Range<usize>| {
                    let items = items(part);
                    Some((part.start, Graft::new(items, &primitives, &how)?))
                };
                let grafts: HashMap<usize, Graft> =
                    parts.iter().map(anew).collect::<Option<_>>()?;
                rebuilt += grafts.values().map(|graft| graft.items.len()).sum::<usize>();
                Copied::blas(world, object, &primitives, &grafts)?
            }
        };
        blases.push(Blas { primitives, bvh });
    }
    let tlas = match &world.tlas {
        None => None,
        Some(tlas) if matches!(stale.last(), Some(Stale::Nothing)) => {
            let bvh =
                Copied::level(world, &tlas.level, tlas.instances.len(), None, &HashMap::new());
            Some(Tlas { instances: tlas.instances.clone(), bvh: bvh? })
        }
        Some(tlas) => {
            rebuilt += tlas.instances.len();
            let bounds: Vec<Aabb> = blases.iter().map(|blas| blas.bvh.root().bounds).collect();
            Some(build::tlas(tlas.instances.clone(), &bounds, &how).ok()?)
        }
    };
    let world = World::new(&Tree { blases, tlas }, Boxes::Built).ok()?;
    let mut costs = decay::costs(&world);
    for ((cost, built), stale) in costs.iter_mut().zip(built).zip(&stale) {
        // What was built before is still compared with what it was then.
        if !matches!(stale, Stale::Everything) {
            cost.whole = built.whole;
        }
    }
    Some(Rebuilt { world, costs, rebuilt })
}

/// What of a level is to be built, given what all of it costs now.
fn stale(world: &World, level: &Level, built: &LevelCost, now: f64, limit: f64) -> Stale {
    if LevelCost::decay((built, now)) <= limit {
        return Stale::Nothing;
    }
    // Whether it is enough to bring the worst parts back to what they were.
    let (mut parts, mut gain, mut nodes) = (Vec::new(), 0.0, 0);
    for part in &built.parts {
        nodes += part.nodes.len();
        let cost = decay::part_cost(world, &part.nodes);
        if part.cost > 0.0 && cost > limit * part.cost {
            gain += (cost - part.cost) * decay::part_area(world, &part.nodes);
            parts.push(part.nodes.clone());
        }
    }
    let stale_nodes: usize = parts.iter().map(Range::len).sum();
    let area = decay::area(&level.bounds);
    let then = if area > 0.0 { now - gain / area } else { f64::INFINITY };
    if then <= limit * built.whole && 2 * stale_nodes < nodes {
        Stale::Parts(parts)
    } else {
        Stale::Everything
    }
}

/// Which item of a BLAS has an id.
struct Items {
    /// For each geometry, the item of its first primitive.
    first: Vec<usize>,
}

impl Items {
    fn new(primitives: &Primitives) -> Self {
        let mut first = Vec::new();
        for (item, id) in primitives.ids.iter().enumerate() {
            let geometry = id.geometry as usize;
            if geometry >= first.len() {
                first.resize(geometry + 1, 0);
            }
            if id.primitive == 0 {
                first[geometry] = item;
            }
        }
        Self { first }
    }

    fn item(&self, id: &PrimitiveId) -> u32 {
        (self.first[id.geometry as usize] + id.primitive as usize) as u32
    }
}

/// The ids of what a leaf of a BLAS holds.
fn ids_in(world: &World, object: usize, leaf: Pointer) -> Vec<PrimitiveId> {
    match leaf.target() {
        Target::Leaf => {
            let name = |column| world.arena.name(leaf, column);
            let ids = &world.primitive_ids[object];
            (0..leaf.triangles()).map(|column| ids.id(name(column))).collect()
        }
        Target::Boxes(list) => world.box_list(list).iter().map(|(_, id)| *id).collect(),
        _ => Vec::new(),
    }
}

/// The items below some nodes of a BLAS, each once, in order.
fn items_below(
    world: &World,
    object: usize,
    nodes: &Range<usize>,
    primitives: &Primitives,
) -> Vec<u32> {
    let items = Items::new(primitives);
    let below = world.arena.nodes()[nodes.clone()].iter();
    let leaves = below.flat_map(|node| node.slots().map(|slot| node.children[slot]));
    let mut found: Vec<u32> =
        leaves.flat_map(|leaf| ids_in(world, object, leaf)).map(|id| items.item(&id)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A new subtree over some items.
struct Graft {
    bvh: Bvh,
    items: Vec<u32>,
}

impl Graft {
    fn new(items: Vec<u32>, primitives: &Primitives, how: &BuildOptions) -> Option<Self> {
        let (triangles, boxes): (Vec<u32>, Vec<u32>) =
            items.iter().partition(|&&item| (item as usize) < primitives.triangles.len());
        let corners = |&item: &u32| primitives.triangles[item as usize].vertices;
        let positions = triangles.iter().flat_map(corners).collect();
        let indices = (0..triangles.len() as u32).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        let boxes = boxes.iter().map(|&item| primitives.bounds(item as usize)).collect();
        let shapes = [Shape::Triangles { positions, indices }, Shape::Boxes(boxes)];
        let geometries = shapes.map(|shape| Geometry::new("", true, shape)).into();
        let object = Object { name: String::new(), geometries };
        Some(Self { bvh: build::blas(&object, how).ok()?.bvh, items })
    }
}

/// A level of a world, written down as a tree.
struct Copied<'a> {
    world: &'a World,
    /// Of a BLAS: its object, and how its items are found.
    object: Option<(usize, Items)>,
    /// What takes the place of subtrees, by the number of their roots.
    grafts: &'a HashMap<usize, Graft>,
    nodes: Vec<tree::Node>,
    indices: Vec<u32>,
    /// Entries still without children.
    pending: Vec<(usize, Pointer)>,
}

impl<'a> Copied<'a> {
    fn blas(
        world: &'a World,
        object: usize,
        primitives: &Primitives,
        grafts: &'a HashMap<usize, Graft>,
    ) -> Option<Bvh> {
        let items = Some((object, Items::new(primitives)));
        Self::level(world, &world.blases[object], primitives.len(), items, grafts)
    }

    fn level(
        world: &'a World,
        level: &Level,
        item_count: usize,
        object: Option<(usize, Items)>,
        grafts: &'a HashMap<usize, Graft>,
    ) -> Option<Bvh> {
        let (nodes, indices, pending) = (Vec::new(), Vec::new(), Vec::new());
        let mut copied = Self { world, object, grafts, nodes, indices, pending };
        copied.entry(level.bounds, level.root);
        while let Some((entry, pointer)) = copied.pending.pop() {
            copied.below(entry, pointer);
        }
        Bvh::new(copied.nodes, copied.indices, item_count).ok()
    }

    /// Writes an entry, and notes what is to be written below it.
    fn entry(&mut self, bounds: Aabb, pointer: Pointer) {
        let first = self.indices.len();
        match (pointer.target(), &self.object) {
            (Target::Node, _) => self.pending.push((self.nodes.len(), pointer)),
            (Target::Instance(number), _) => self.indices.push(number as u32),
            (_, Some((object, items))) => {
                let ids = ids_in(self.world, *object, pointer);
                self.indices.extend(ids.iter().map(|id| items.item(id)));
            }
            _ => (),
        }
        let link = NodeLink::leaf(first as u32, self.indices.len() - first);
        self.nodes.push(tree::Node { bounds, link });
    }

    fn below(&mut self, entry: usize, pointer: Pointer) {
        if let Some(graft) = self.grafts.get(&pointer.node_number()) {
            return self.graft(entry, graft);
        }
        let (first, node) = (self.nodes.len(), self.world.arena.node(pointer));
        for slot in node.slots() {
            self.entry(node.bounds(slot), node.children[slot]);
        }
        self.nodes[entry].link = NodeLink::inner(first as u32, self.nodes.len() - first);
    }

    /// Puts a new subtree in the place of an entry.
    fn graft(&mut self, entry: usize, graft: &Graft) {
        // Its root lies there, and all else behind what there is.
        let (shift, first_index) = (self.nodes.len() - 1, self.indices.len());
        let moved = |node: &tree::Node| {
            let (range, count) = (node.link.range(), node.link.count());
            let link = match node.link.is_leaf() {
                true => NodeLink::leaf((first_index + range.start) as u32, count),
                false => NodeLink::inner((shift + range.start) as u32, count),
            };
            tree::Node { link, ..*node }
        };
        let mut nodes = graft.bvh.nodes().iter().map(moved);
        self.nodes[entry] = nodes.next().unwrap_or(self.nodes[entry]);
        self.nodes.extend(nodes);
        let items = graft.bvh.indices().iter();
        self.indices.extend(items.map(|&item| graft.items[item as usize]));
    }
}
