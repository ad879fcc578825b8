//! Triangles become meshlets.
//!
//! Greedy growth, as meshlet builders usually work: a meshlet starts at a triangle and takes, again
//! and again, a neighbour that needs the fewest new vertices, until it is full; the next one starts
//! at its border. Triangles without neighbours fill up meshlets in their order. Around a vertex
//! only the first [`FAN_LIMIT`] free triangles are looked at, so that a fan of a million triangles
//! takes no longer than a grid. The same mesh gives the same meshlets.

use std::collections::VecDeque;

/// How many free triangles around a vertex are looked at.
pub const FAN_LIMIT: usize = 64;

/// A few triangles over a few vertices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meshlet {
    /// The vertices of the mesh.
    pub vertices: Vec<u32>,
    /// The triangles of the mesh.
    pub triangles: Vec<u32>,
    /// The corners of each triangle, as positions in `vertices`.
    pub corners: Vec<[u8; 3]>,
}

/// Splits triangles over `vertex_count` vertices; every vertex is in some meshlet, used or not.
///
/// `max_vertices` is 3 to 256, `max_triangles` at least 1, and every index below `vertex_count`.
#[must_use]
pub fn split(
    triangles: &[[u32; 3]],
    vertex_count: usize,
    max_vertices: usize,
    max_triangles: usize,
) -> Vec<Meshlet> {
    let mut splitter = Splitter {
        triangles,
        fans: Fans::new(triangles, vertex_count),
        taken: vec![false; triangles.len()],
        local: vec![ABSENT; vertex_count],
        candidates: Default::default(),
        max_vertices: max_vertices.clamp(3, 256),
        max_triangles: max_triangles.max(1),
    };
    let mut meshlets = Vec::new();
    let mut next = 0;
    let mut border = None;
    loop {
        while next < triangles.len() && splitter.taken[next] {
            next += 1;
        }
        let Some(start) = border
            .filter(|t: &u32| !splitter.taken[*t as usize])
            .or_else(|| (next < triangles.len()).then_some(next as u32))
        else {
            break;
        };
        let (meshlet, left) = splitter.grow(start, next);
        border = left;
        meshlets.push(meshlet);
    }
    splitter.unused_vertices(&mut meshlets);
    meshlets
}

/// No position in the meshlet.
const ABSENT: u16 = u16::MAX;

struct Splitter<'a> {
    triangles: &'a [[u32; 3]],
    fans: Fans,
    taken: Vec<bool>,
    /// The position of each vertex in the meshlet that grows.
    local: Vec<u16>,
    /// Neighbours that were seen to need 0, 1 or 2 new vertices; may have been taken since.
    candidates: [VecDeque<u32>; 3],
    max_vertices: usize,
    max_triangles: usize,
}

impl Splitter<'_> {
    /// Grows a meshlet and names a free triangle at its border. No triangle before `next` is free.
    fn grow(&mut self, start: u32, mut next: usize) -> (Meshlet, Option<u32>) {
        let mut meshlet = Meshlet::default();
        let mut border = None;
        self.take(start, &mut meshlet);
        while meshlet.triangles.len() < self.max_triangles {
            let Some(triangle) = self.candidate().or_else(|| self.first_free(&mut next)) else {
                break;
            };
            if self.fits(triangle, &meshlet) {
                self.take(triangle, &mut meshlet);
            } else if border.is_some() && self.candidates.iter().all(VecDeque::is_empty) {
                break;
            } else {
                border = border.or(Some(triangle));
            }
        }
        border = border.filter(|t| !self.taken[*t as usize]).or_else(|| self.candidate());
        self.candidates.iter_mut().for_each(VecDeque::clear);
        meshlet.vertices.iter().for_each(|vertex| self.local[*vertex as usize] = ABSENT);
        (meshlet, border)
    }

    /// The free neighbour with the fewest new vertices, the first seen of those.
    fn candidate(&mut self) -> Option<u32> {
        for bucket in &mut self.candidates {
            while let Some(triangle) = bucket.pop_front() {
                if !self.taken[triangle as usize] {
                    return Some(triangle);
                }
            }
        }
        None
    }

    /// The first free triangle at all, each offered once to a meshlet.
    fn first_free(&self, next: &mut usize) -> Option<u32> {
        while *next < self.triangles.len() && self.taken[*next] {
            *next += 1;
        }
        let triangle = (*next < self.triangles.len()).then_some(*next as u32);
        *next += 1;
        triangle
    }

    fn fits(&self, triangle: u32, meshlet: &Meshlet) -> bool {
        meshlet.vertices.len() + self.new_vertices(triangle) <= self.max_vertices
    }

    fn new_vertices(&self, triangle: u32) -> usize {
        let [a, b, c] = self.triangles[triangle as usize];
        let absent = |vertex: u32| self.local[vertex as usize] == ABSENT;
        usize::from(absent(a))
            + usize::from(absent(b) && b != a)
            + usize::from(absent(c) && c != a && c != b)
    }

    fn take(&mut self, triangle: u32, meshlet: &mut Meshlet) {
        self.taken[triangle as usize] = true;
        let corners = self.triangles[triangle as usize];
        let mut added = [false; 3];
        for (vertex, added) in corners.into_iter().zip(&mut added) {
            self.fans.remove(vertex, &self.taken);
            if self.local[vertex as usize] == ABSENT {
                self.local[vertex as usize] = meshlet.vertices.len() as u16;
                meshlet.vertices.push(vertex);
                *added = true;
            }
        }
        meshlet.triangles.push(triangle);
        meshlet.corners.push(corners.map(|vertex| self.local[vertex as usize] as u8));
        for (vertex, added) in corners.into_iter().zip(added) {
            if added {
                self.offer_fan(vertex);
            }
        }
    }

    fn offer_fan(&mut self, vertex: u32) {
        for position in self.fans.free(vertex).take(FAN_LIMIT) {
            let triangle = self.fans.triangles[position];
            if !self.taken[triangle as usize] {
                let bucket = self.new_vertices(triangle).min(2);
                self.candidates[bucket].push_back(triangle);
            }
        }
    }

    /// Meshlets without triangles carry the vertices that no triangle uses.
    fn unused_vertices(&self, meshlets: &mut Vec<Meshlet>) {
        let unused: Vec<u32> =
            (0..self.local.len() as u32).filter(|vertex| self.fans.is_unused(*vertex)).collect();
        for vertices in unused.chunks(self.max_vertices) {
            meshlets.push(Meshlet { vertices: vertices.to_vec(), ..Meshlet::default() });
        }
    }
}

/// The triangles around each vertex, in their order.
struct Fans {
    triangles: Vec<u32>,
    /// Where the free triangles of each vertex begin, and where its triangles end.
    ranges: Vec<(usize, usize)>,
    used: Vec<bool>,
}

impl Fans {
    fn new(triangles: &[[u32; 3]], vertex_count: usize) -> Self {
        let mut starts = vec![0usize; vertex_count + 1];
        for vertex in triangles.as_flattened() {
            starts[*vertex as usize + 1] += 1;
        }
        for vertex in 0..vertex_count {
            starts[vertex + 1] += starts[vertex];
        }
        let mut ranges: Vec<(usize, usize)> = starts.windows(2).map(|w| (w[0], w[0])).collect();
        let mut around = vec![0; 3 * triangles.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            for vertex in corners {
                let range = &mut ranges[*vertex as usize];
                around[range.1] = triangle as u32;
                range.1 += 1;
            }
        }
        let used = ranges.iter().map(|(start, end)| start < end).collect();
        Self { triangles: around, ranges, used }
    }

    /// Steps over the taken triangles at the front of a fan.
    fn remove(&mut self, vertex: u32, taken: &[bool]) {
        let (start, end) = &mut self.ranges[vertex as usize];
        while *start < *end && taken[self.triangles[*start] as usize] {
            *start += 1;
        }
    }

    fn free(&self, vertex: u32) -> std::ops::Range<usize> {
        let (start, end) = self.ranges[vertex as usize];
        start..end
    }

    fn is_unused(&self, vertex: u32) -> bool {
        !self.used[vertex as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(triangles: &[[u32; 3]], vertices: usize, limits: (usize, usize)) -> Vec<Meshlet> {
        let meshlets = split(triangles, vertices, limits.0, limits.1);
        let mut seen = vec![0; triangles.len()];
        let mut covered = vec![false; vertices];
        for meshlet in &meshlets {
            assert!(meshlet.vertices.len() <= limits.0 && meshlet.triangles.len() <= limits.1);
            for vertex in &meshlet.vertices {
                covered[*vertex as usize] = true;
            }
            for (triangle, corners) in meshlet.triangles.iter().zip(&meshlet.corners) {
                seen[*triangle as usize] += 1;
                let back = corners.map(|corner| meshlet.vertices[usize::from(corner)]);
                assert_eq!(back, triangles[*triangle as usize]);
            }
        }
        assert!(seen.iter().all(|count| *count == 1) && covered.iter().all(|c| *c));
        meshlets
    }

    proptest! {
        #[test]
        fn every_triangle_and_vertex_is_kept_once(
            triangles in proptest::collection::vec(proptest::array::uniform3(0u32..60), 0..200),
            max_vertices in 3usize..=40,
            max_triangles in 1usize..=40,
        ) {
            check(&triangles, 64, (max_vertices, max_triangles));
        }
    }

    /// A grid has half as many vertices as triangles: compact meshlets are nearly full.
    #[test]
    fn a_shuffled_grid_gives_compact_meshlets() {
        let side = 100u32;
        let mut triangles = Vec::new();
        for (x, y) in (0..side * side).map(|i| (i % side, i / side)) {
            let [a, b] = [y * (side + 1) + x, (y + 1) * (side + 1) + x];
            triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
        }
        let mut state = 1u64;
        for last in (1..triangles.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            triangles.swap(last, (state >> 33) as usize % (last + 1));
        }
        let meshlets = check(&triangles, ((side + 1) * (side + 1)) as usize, (128, 256));
        let ideal = triangles.len().div_ceil(200);
        assert!(meshlets.len() < 2 * ideal, "{} meshlets, {ideal} would be few", meshlets.len());
    }

    #[test]
    fn a_fan_of_a_million_triangles_ends() {
        let triangles: Vec<[u32; 3]> = (1..1_000_000).map(|i| [0, i, i + 1]).collect();
        let meshlets = split(&triangles, 1_000_001, 128, 256);
        assert!(meshlets.len() < 16_000, "{}", meshlets.len());
    }
}
