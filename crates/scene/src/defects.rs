//! What is odd about a mesh, though it can be traced: for reports, never a reason to refuse a
//! scene.
//!
//! Triangles and edges are sorted into buckets by their lowest vertex, which takes linear time and
//! four bytes for each triangle or edge, and every bucket is then searched on its own.

use crate::{Scene, Shape};
use geometry::Vec3;
use rayon::prelude::*;
use std::fmt;

/// One kind of oddity in one geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defect {
    /// What is odd.
    pub kind: DefectKind,
    /// How many triangles, vertices or edges are so.
    pub count: usize,
    /// The object that has them.
    pub object: usize,
    /// The geometry of that object.
    pub geometry: usize,
    /// The first triangle concerned, or for unused vertices the first vertex.
    pub example: usize,
}

/// What can be odd about a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DefectKind {
    /// Triangles without area.
    DegenerateTriangles,
    /// Triangles that have the same three vertices as an earlier one, in any order.
    DuplicateTriangles,
    /// Vertices that no triangle uses.
    UnusedVertices,
    /// Edges where more than two triangles meet.
    NonManifoldEdges,
    /// Edges that two triangles run along in the same direction: one of them is turned over.
    InconsistentWinding,
}

impl DefectKind {
    /// The words for `count` of them.
    const fn words(self, one: bool) -> &'static str {
        match (self, one) {
            (Self::DegenerateTriangles, true) => "triangle without area",
            (Self::DegenerateTriangles, false) => "triangles without area",
            (Self::DuplicateTriangles, true) => "duplicate triangle",
            (Self::DuplicateTriangles, false) => "duplicate triangles",
            (Self::UnusedVertices, true) => "unused vertex",
            (Self::UnusedVertices, false) => "unused vertices",
            (Self::NonManifoldEdges, true) => "edge of more than two triangles",
            (Self::NonManifoldEdges, false) => "edges of more than two triangles",
            (Self::InconsistentWinding, true) => "edge with inconsistent winding",
            (Self::InconsistentWinding, false) => "edges with inconsistent winding",
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, count, object, geometry, example } = self;
        let thing = if *kind == DefectKind::UnusedVertices { "vertex" } else { "triangle" };
        let words = kind.words(*count == 1);
        write!(
            f,
            "{count} {words} (object {object}, geometry {geometry}, first: {thing} {example})"
        )
    }
}

/// The defects of every mesh of a scene, each object looked at once.
#[must_use]
pub fn defects(scene: &Scene) -> Vec<Defect> {
    let mut all = Vec::new();
    for (object, geometries) in scene.objects.iter().map(|o| &o.geometries).enumerate() {
        for (geometry, part) in geometries.iter().enumerate() {
            if let Shape::Triangles { positions, indices } = &part.shape {
                let found = |(kind, tally): (DefectKind, Tally)| {
                    let Tally { count, example } = tally;
                    (count > 0).then_some(Defect { kind, count, object, geometry, example })
                };
                all.extend(of_mesh(positions, indices).into_iter().filter_map(found));
            }
        }
    }
    all
}

/// How many, and the first of them.
#[derive(Clone, Copy)]
struct Tally {
    count: usize,
    example: usize,
}

impl Tally {
    const NONE: Self = Self { count: 0, example: usize::MAX };

    fn add(&mut self, example: usize) {
        *self = self.with(Self { count: 1, example });
    }

    fn with(self, other: Self) -> Self {
        Self { count: self.count + other.count, example: self.example.min(other.example) }
    }
}

fn of_mesh(positions: &[Vec3], indices: &[[u32; 3]]) -> [(DefectKind, Tally); 5] {
    let [many, turned] = edges(positions.len(), indices);
    [
        (DefectKind::DegenerateTriangles, degenerate(positions, indices)),
        (DefectKind::DuplicateTriangles, duplicates(positions.len(), indices)),
        (DefectKind::UnusedVertices, unused(positions.len(), indices)),
        (DefectKind::NonManifoldEdges, many),
        (DefectKind::InconsistentWinding, turned),
    ]
}

fn degenerate(positions: &[Vec3], indices: &[[u32; 3]]) -> Tally {
    let without_area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| positions[corner as usize].as_dvec3());
        (b - a).cross(c - a) == glam::DVec3::ZERO
    };
    tally(indices.par_iter().enumerate(), |(number, corners), tally| {
        if without_area(corners) {
            tally.add(number);
        }
    })
}

fn unused(vertices: usize, indices: &[[u32; 3]]) -> Tally {
    let mut is_used = vec![false; vertices];
    indices.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    let mut tally = Tally::NONE;
    is_used.iter().enumerate().filter(|(_, used)| !**used).for_each(|(v, _)| tally.add(v));
    tally
}

fn duplicates(vertices: usize, indices: &[[u32; 3]]) -> Tally {
    let sorted = |triangle: u32| {
        let mut corners = indices[triangle as usize];
        corners.sort_unstable();
        corners
    };
    let lowest = |triangle: usize| indices[triangle].iter().copied().min().unwrap_or(0);
    let mut buckets = Buckets::new(vertices, indices.len(), lowest);
    buckets.search(|bucket, tally| {
        bucket.sort_unstable_by_key(|&triangle| (sorted(triangle), triangle));
        for pair in bucket.windows(2).filter(|pair| sorted(pair[0]) == sorted(pair[1])) {
            tally.add(pair[1] as usize);
        }
    })
}

/// Edges of more than two triangles, and edges that are run along twice in the same direction.
fn edges(vertices: usize, indices: &[[u32; 3]]) -> [Tally; 2] {
    // Edge 3t + k runs from corner k of triangle t to the next.
    let ends = |edge: u32| {
        let (triangle, corner) = (indices[edge as usize / 3], edge as usize % 3);
        (triangle[corner], triangle[(corner + 1) % 3])
    };
    let undirected = |edge: u32| {
        let (from, to) = ends(edge);
        (from.min(to), from.max(to))
    };
    if indices.len() > u32::MAX as usize / 3 {
        return [Tally::NONE; 2];
    }
    let mut buckets = Buckets::new(vertices, 3 * indices.len(), |edge| undirected(edge as u32).0);
    let many = buckets.search(|bucket, tally| {
        bucket.sort_unstable_by_key(|&edge| (undirected(edge), edge));
        for same in bucket.chunk_by(|&a, &b| undirected(a) == undirected(b)) {
            let (from, to) = ends(same[0]);
            if same.len() > 2 && from != to {
                tally.add(same[0] as usize / 3);
            }
        }
    });
    let turned = buckets.search(|bucket, tally| {
        for same in bucket.chunk_by(|&a, &b| undirected(a) == undirected(b)) {
            if let &[first, second] = same
                && ends(first) == ends(second)
                && ends(first).0 != ends(first).1
            {
                tally.add(second as usize / 3);
            }
        }
    });
    [many, turned]
}

/// Things in buckets by a vertex: a counting sort.
struct Buckets {
    /// Where each bucket begins, and the end.
    starts: Vec<u32>,
    things: Vec<u32>,
}

impl Buckets {
    fn new(vertices: usize, things: usize, vertex: impl Fn(usize) -> u32) -> Self {
        let mut starts = vec![0u32; vertices + 1];
        (0..things).for_each(|thing| starts[vertex(thing) as usize] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut sorted = vec![0; things];
        // From the back, so that each bucket keeps the order and `starts` ends as beginnings.
        for thing in (0..things).rev() {
            let start = &mut starts[vertex(thing) as usize];
            *start -= 1;
            sorted[*start as usize] = thing as u32;
        }
        Self { starts, things: sorted }
    }

    /// Searches every bucket; the search may reorder it.
    fn search(&mut self, look: impl Fn(&mut [u32], &mut Tally) + Sync) -> Tally {
        const VERTICES_AT_ONCE: usize = 1 << 14;
        let mut jobs = Vec::new();
        let mut rest = self.things.as_mut_slice();
        for first in (0..self.starts.len() - 1).step_by(VERTICES_AT_ONCE) {
            let last = (first + VERTICES_AT_ONCE).min(self.starts.len() - 1);
            let starts = &self.starts[first..=last];
            let (job, after) = rest.split_at_mut((starts[starts.len() - 1] - starts[0]) as usize);
            jobs.push((starts, job));
            rest = after;
        }
        tally(jobs.into_par_iter(), |(starts, things), tally| {
            for range in starts.windows(2) {
                let bucket = (range[0] - starts[0]) as usize..(range[1] - starts[0]) as usize;
                look(&mut things[bucket], tally);
            }
        })
    }
}

/// Adds up what each item contributes; the same for any number of threads.
fn tally<T: Send>(
    items: impl ParallelIterator<Item = T>,
    look: impl Fn(T, &mut Tally) + Sync + Send,
) -> Tally {
    items
        .fold(
            || Tally::NONE,
            |mut sum, item| {
                look(item, &mut sum);
                sum
            },
        )
        .reduce(|| Tally::NONE, Tally::with)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::Builtin;
    use crate::read::single_mesh;
    use DefectKind as K;

    fn found(positions: &[Vec3], indices: &[[u32; 3]]) -> Vec<(K, usize, usize)> {
        let scene = single_mesh(positions.to_vec(), indices.to_vec());
        defects(&scene).iter().map(|d| (d.kind, d.count, d.example)).collect()
    }

    fn corners() -> Vec<Vec3> {
        [(0., 0., 0.), (3., 0., 0.), (1., 2., 0.), (1., 1., 4.), (-1., 5., 1.), (6., 0., 0.)]
            .map(|(x, y, z)| Vec3::new(x, y, z))
            .to_vec()
    }

    #[test]
    fn each_kind_is_found() {
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert_eq!(found(&corners()[..4], &tetrahedron), []);
        assert_eq!(found(&corners(), &tetrahedron), [(K::UnusedVertices, 2, 4)]);

        let mut turned = tetrahedron;
        turned[2].swap(0, 1);
        assert_eq!(found(&corners()[..4], &turned), [(K::InconsistentWinding, 3, 2)]);

        let flat = [[0, 2, 1], [0, 1, 5], [3, 3, 4]];
        let all = [(K::DegenerateTriangles, 2, 1)];
        assert_eq!(found(&corners(), &flat), all);

        let fins = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        assert_eq!(found(&corners()[..5], &fins), [(K::NonManifoldEdges, 1, 0)]);

        let twice = [[0, 1, 2], [0, 2, 4], [2, 1, 0], [1, 2, 3]];
        let kinds: Vec<K> = found(&corners()[..5], &twice).iter().map(|f| f.0).collect();
        assert_eq!(kinds, [K::DuplicateTriangles, K::NonManifoldEdges]);
        assert_eq!(found(&corners()[..5], &twice)[0], (K::DuplicateTriangles, 1, 2));
    }

    #[test]
    fn a_closed_surface_has_none() {
        assert_eq!(defects(&Builtin::Organic.scene(50_000)), []);
    }

    #[test]
    fn the_text_says_where() {
        let scene = single_mesh(corners(), vec![[0, 1, 2]]);
        let text = defects(&scene)[0].to_string();
        assert_eq!(text, "3 unused vertices (object 0, geometry 0, first: vertex 3)");
    }
}
