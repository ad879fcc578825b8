//! A tree as triangles in order and one hierarchy over them.
//!
//! Boxes are not taken over: they are formed anew from the stored geometry. What is kept is which
//! triangles stand together.

use geometry::{Aabb, Triangle, Vec3};
use tree::reshape::split_leaves;
use tree::{Blas, Bvh, BvhError, Instance, Node, NodeLink, Tree};

/// Which instance, geometry and primitive a triangle came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Instance; 0 without instances.
    pub instance: u32,
    /// Geometry.
    pub geometry: u32,
    /// Primitive.
    pub primitive: u32,
}

/// The flattened tree.
#[derive(Debug, Clone)]
pub struct Flat {
    /// All triangles in the order of their names, each once.
    pub triangles: Vec<(Name, Triangle)>,
    /// The hierarchy over them. The items of a leaf ascend; boxes mean nothing.
    pub bvh: Bvh,
    /// Whether there were instances.
    pub instanced: bool,
}

/// Flattens a tree without procedural boxes.
///
/// # Errors
/// When the result has more nodes than a hierarchy can.
pub fn flatten(tree: &Tree) -> Result<Flat, BvhError> {
    let placed: Vec<(&Blas, Option<&Instance>)> = match &tree.tlas {
        None => tree.blases.first().map(|blas| (blas, None)).into_iter().collect(),
        Some(tlas) => {
            let instances = tlas.instances.iter();
            instances.map(|it| (&tree.blases[it.blas as usize], Some(it))).collect()
        }
    };
    let mut named = Vec::new();
    let mut firsts = Vec::with_capacity(placed.len());
    for (number, (blas, instance)) in (0..).zip(&placed) {
        firsts.push(named.len());
        for (triangle, id) in blas.primitives.triangles.iter().zip(&blas.primitives.ids) {
            let name = Name { instance: number, geometry: id.geometry, primitive: id.primitive };
            let vertices = match instance {
                None => triangle.vertices,
                Some(instance) => triangle.vertices.map(|v| instance.object_to_world.point(v)),
            };
            named.push((name, Triangle { vertices }, named.len()));
        }
    }
    // Stable, so that triangles of one name keep the order of the tree.
    named.sort_by_key(|(name, ..)| *name);
    let mut ranks = vec![0; named.len()];
    let mut triangles: Vec<(Name, Triangle)> = Vec::with_capacity(named.len());
    for (name, triangle, source) in named {
        // One that equals the one before it in name and corners is the same, stored twice.
        if triangles.last() != Some(&(name, triangle)) {
            triangles.push((name, triangle));
        }
        ranks[source] = triangles.len() as u32 - 1;
    }
    let mut joined = Joined { nodes: top(tree)?, indices: Vec::new() };
    for number in 0..joined.nodes.len() {
        let link = joined.nodes[number].link;
        let instance = link.range().start;
        if let Some((blas, _)) =
            placed.get(instance).filter(|_| link.count() == 1 && link.is_leaf())
        {
            joined.hang(number, &blas.bvh, &ranks[firsts[instance]..]);
        }
    }
    let bvh = Bvh::new(joined.nodes, joined.indices, triangles.len())?;
    Ok(Flat { triangles, bvh, instanced: tree.tlas.is_some() })
}

/// The nodes above the BLASes. A leaf names one instance, or none.
fn top(tree: &Tree) -> Result<Vec<Node>, BvhError> {
    let something = Aabb::new(Vec3::ZERO, Vec3::ZERO);
    let Some(tlas) = &tree.tlas else {
        return Ok(vec![Node { bounds: something, link: NodeLink::leaf(0, 1) }]);
    };
    let filled = tlas.bvh.refitted(|_| something);
    let single = split_leaves(
        &filled,
        |instances| instances.len() <= 1,
        |instances, bounds| instances.iter().map(|&one| (vec![one], *bounds)).collect(),
    )?;
    let mut nodes = single.nodes().to_vec();
    for node in &mut nodes {
        if let &[instance] = single.items(node) {
            node.link = NodeLink::leaf(instance, 1);
        }
    }
    Ok(nodes)
}

/// A hierarchy out of several.
struct Joined {
    nodes: Vec<Node>,
    indices: Vec<u32>,
}

impl Joined {
    /// Puts a hierarchy in the place of a node. Its items become the ranks of the triangles.
    fn hang(&mut self, number: usize, bvh: &Bvh, ranks: &[u32]) {
        // The root is there already, so that node n comes to lie n - 1 behind the others.
        let first = self.nodes.len() as u32;
        for (n, node) in bvh.nodes().iter().enumerate() {
            let range = node.link.range();
            let link = if node.link.is_leaf() {
                let start = self.indices.len();
                let mut items: Vec<u32> =
                    bvh.items(node).iter().map(|&item| ranks[item as usize]).collect();
                items.sort_unstable();
                items.dedup();
                self.indices.append(&mut items);
                NodeLink::leaf(start as u32, self.indices.len() - start)
            } else {
                NodeLink::inner(first + range.start as u32 - 1, range.len())
            };
            match n {
                0 => self.nodes[number].link = link,
                _ => self.nodes.push(Node { link, ..*node }),
            }
        }
    }
}
