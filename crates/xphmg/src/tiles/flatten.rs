//! A tree as triangles in order and a topology over ranges of them.
//!
//! Boxes are not taken over: they are formed anew from the stored geometry. What is kept is which
//! triangles stand together.

use geometry::Triangle;
use tree::{Blas, Bvh, Instance, Node, Tree};

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
    /// The parts; children lie before their parents.
    pub parts: Vec<Part>,
    /// The whole; `None` for an empty tree.
    pub root: Option<usize>,
    /// Whether there were instances.
    pub instanced: bool,
}

/// A part of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Neighbours in the order of triangles.
    Run {
        /// The first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Two or more parts, by position.
    Group(Vec<usize>),
}

/// Flattens a tree without procedural boxes into groups of at most `width` parts.
#[must_use]
pub fn flatten(tree: &Tree, width: usize) -> Flat {
    let mut named = Vec::new();
    match &tree.tlas {
        None => {
            for blas in &tree.blases {
                gather(blas, 0, None, &mut named);
            }
        }
        Some(tlas) => {
            for (number, instance) in (0..).zip(&tlas.instances) {
                let blas = &tree.blases[instance.blas as usize];
                gather(blas, number, Some(instance), &mut named);
            }
        }
    }
    // Stable, so that triangles of one name keep the order of the tree.
    named.sort_by_key(|(name, ..)| *name);
    let mut ranks = Ranks { by_source: Vec::new(), triangles: Vec::with_capacity(named.len()) };
    for (name, triangle, source) in named {
        ranks.add(name, triangle, source);
    }
    let mut flat = Flat {
        triangles: std::mem::take(&mut ranks.triangles),
        parts: Vec::new(),
        root: None,
        instanced: tree.tlas.is_some(),
    };
    ranks.by_source.sort_unstable();
    let mut topology = Topology { flat: &mut flat, ranks: &ranks, width };
    let root = match &tree.tlas {
        None => {
            let blases = tree.blases.iter();
            let roots = blases.filter_map(|blas| topology.blas(blas, 0)).collect();
            topology.join(roots)
        }
        Some(tlas) => {
            let placed: Vec<Option<usize>> = (0..)
                .zip(&tlas.instances)
                .map(|(number, instance)| {
                    topology.blas(&tree.blases[instance.blas as usize], number)
                })
                .collect();
            topology.hierarchy(&tlas.bvh, |topology, items| {
                let parts = items.iter().filter_map(|item| placed[*item as usize]).collect();
                topology.join(parts)
            })
        }
    };
    flat.root = root;
    flat
}

/// Instance and position of a triangle in its BLAS.
type Source = (u32, u32);

fn gather(
    blas: &Blas,
    number: u32,
    instance: Option<&Instance>,
    named: &mut Vec<(Name, Triangle, Source)>,
) {
    for (index, triangle) in (0..).zip(&blas.primitives.triangles) {
        let id = blas.primitives.ids[index as usize];
        let name = Name { instance: number, geometry: id.geometry, primitive: id.primitive };
        let vertices = match instance {
            None => triangle.vertices,
            Some(instance) => triangle.vertices.map(|v| instance.object_to_world.point(v)),
        };
        named.push((name, Triangle { vertices }, (number, index)));
    }
}

/// Positions of triangles in the order of names.
struct Ranks {
    by_source: Vec<(Source, u32)>,
    triangles: Vec<(Name, Triangle)>,
}

impl Ranks {
    /// A triangle that equals the one before it in name and corners is the same, stored twice.
    fn add(&mut self, name: Name, triangle: Triangle, source: Source) {
        if self.triangles.last() != Some(&(name, triangle)) {
            self.triangles.push((name, triangle));
        }
        self.by_source.push((source, self.triangles.len() as u32 - 1));
    }

    fn of(&self, source: Source) -> Option<u32> {
        let at = self.by_source.binary_search_by_key(&source, |(known, _)| *known).ok()?;
        Some(self.by_source[at].1)
    }
}

struct Topology<'a> {
    flat: &'a mut Flat,
    ranks: &'a Ranks,
    width: usize,
}

impl Topology<'_> {
    fn blas(&mut self, blas: &Blas, instance: u32) -> Option<usize> {
        self.hierarchy(&blas.bvh, |topology, items| {
            let known = items.iter().filter_map(|item| topology.ranks.of((instance, *item)));
            let mut ranks: Vec<u32> = known.collect();
            ranks.sort_unstable();
            ranks.dedup();
            let runs = ranks.chunk_by(|a, b| a + 1 == *b);
            let runs = runs.map(|run| Part::Run { first: run[0], count: run.len() as u32 });
            let parts = runs.map(|run| topology.add(run)).collect();
            topology.join(parts)
        })
    }

    /// Turns a hierarchy into parts from its end to its root: children lie behind their parents.
    fn hierarchy(
        &mut self,
        bvh: &Bvh,
        mut leaf: impl FnMut(&mut Self, &[u32]) -> Option<usize>,
    ) -> Option<usize> {
        let nodes: &[Node] = bvh.nodes();
        let mut parts: Vec<Option<usize>> = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            parts[index] = if node.link.is_leaf() {
                leaf(self, bvh.items(node))
            } else {
                let children = parts[node.link.range()].iter().flatten().copied().collect();
                self.join(children)
            };
        }
        parts.into_iter().next().flatten()
    }

    fn add(&mut self, part: Part) -> usize {
        self.flat.parts.push(part);
        self.flat.parts.len() - 1
    }

    /// One part that holds all of these; neighbours stay together.
    fn join(&mut self, mut parts: Vec<usize>) -> Option<usize> {
        while parts.len() > self.width {
            let size = parts.len().div_ceil(self.width).min(self.width);
            let groups: Vec<Vec<usize>> = parts.chunks(size).map(<[usize]>::to_vec).collect();
            parts = groups
                .into_iter()
                .map(|group| match group.as_slice() {
                    [one] => *one,
                    _ => self.add(Part::Group(group)),
                })
                .collect();
        }
        match parts.as_slice() {
            [] => None,
            [one] => Some(*one),
            _ => Some(self.add(Part::Group(parts))),
        }
    }
}
