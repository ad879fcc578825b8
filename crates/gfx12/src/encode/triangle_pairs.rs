//! Triangles that should share a range, two by two.
//!
//! A pair of triangles with a common edge often has a box hardly larger than the larger of theirs.
//! Two references become one [`Part`] where what that saves, a range, is worth more than what the
//! common box adds to the cost. The best pairs are made first. Then references that were left over
//! take a partner from another pair where its partner finds another one in turn, and all of that
//! gains.

use geometry::{Aabb, Triangle};
use rayon::prelude::*;
use tree::Primitives;
use tree::quality::half_area;

/// A reference to a primitive: what of it lies in a leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reference {
    pub(super) item: u32,
    pub(super) bounds: Aabb,
}

/// One reference or two that are not parted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The box around them.
    pub(super) bounds: Aabb,
    /// Their items; of a single reference, the first.
    pub(super) items: [u32; 2],
    /// How many references.
    pub(super) count: u32,
}

/// At most so many triangles at an edge are compared with each other.
const MOST_AT_AN_EDGE: usize = 4;

/// Leading bits of an edge's number that choose its bucket. Buckets are sorted side by side.
const BUCKET_BITS: u32 = 8;

/// Pairs references; `worth` is what one range less is worth, in half areas.
pub(super) fn pair(references: &[Reference], primitives: &Primitives, worth: f64) -> Vec<Part> {
    let mut pairs = candidates(references, primitives, worth);
    pairs.par_sort_unstable_by(|x, y| y.gain.total_cmp(&x.gain).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut partners = vec![NONE; references.len()];
    for &Candidate { a, b, .. } in &pairs {
        if partners[a as usize] == NONE && partners[b as usize] == NONE {
            (partners[a as usize], partners[b as usize]) = (b, a);
        }
    }
    rearrange(&mut partners, &pairs);
    let part = |(k, reference): (usize, &Reference)| {
        let Reference { item, bounds } = *reference;
        match partners[k] {
            NONE => Some(Part { bounds, items: [item; 2], count: 1 }),
            partner if (partner as usize) < k => None,
            partner => {
                let partner = &references[partner as usize];
                let bounds = bounds.union(partner.bounds);
                Some(Part { bounds, items: [item, partner.item], count: 2 })
            }
        }
    };
    references.iter().enumerate().filter_map(part).collect()
}

const NONE: u32 = u32::MAX;

/// Lengthens chains: where `a` has no partner, `b` and `c` are partners, and `d` has none, `a` and
/// `b` and `c` and `d` may be better.
fn rearrange(partners: &mut [u32], pairs: &[Candidate]) {
    let mut first_choices = vec![0u32; partners.len() + 1];
    for pair in pairs {
        first_choices[pair.a as usize + 1] += 1;
        first_choices[pair.b as usize + 1] += 1;
    }
    for k in 0..partners.len() {
        first_choices[k + 1] += first_choices[k];
    }
    let mut next = first_choices.clone();
    let mut choices = vec![(0.0, NONE); 2 * pairs.len()];
    for &Candidate { gain, a, b } in pairs {
        for (own, other) in [(a, b), (b, a)] {
            choices[next[own as usize] as usize] = (gain, other);
            next[own as usize] += 1;
        }
    }
    let of = |k: u32| {
        &choices[first_choices[k as usize] as usize..first_choices[k as usize + 1] as usize]
    };
    for a in 0..partners.len() as u32 {
        if partners[a as usize] != NONE {
            continue;
        }
        let mut best = (0.0, None);
        for &(taken, b) in of(a) {
            let c = partners[b as usize];
            if c == NONE {
                continue;
            }
            let lost = of(b).iter().find(|choice| choice.1 == c).map_or(0.0, |choice| choice.0);
            for &(found, d) in of(c) {
                let gain = taken + found - lost;
                if d != a && partners[d as usize] == NONE && gain > best.0 {
                    best = (gain, Some([a, b, c, d]));
                }
            }
        }
        if let Some([a, b, c, d]) = best.1 {
            for [x, y] in [[a, b], [c, d]] {
                (partners[x as usize], partners[y as usize]) = (y, x);
            }
        }
    }
}

/// Two references that would gain from being one part.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    gain: f64,
    a: u32,
    b: u32,
}

fn candidates(references: &[Reference], primitives: &Primitives, worth: f64) -> Vec<Candidate> {
    let room = references.len() * 4 / (1 << BUCKET_BITS);
    let mut buckets: Vec<Vec<(u64, u32)>> =
        (0..1 << BUCKET_BITS).map(|_| Vec::with_capacity(room)).collect();
    for (k, reference) in references.iter().enumerate() {
        if let Some(triangle) = primitives.triangles.get(reference.item as usize) {
            for key in edge_keys(triangle) {
                buckets[(key >> (u64::BITS - BUCKET_BITS)) as usize].push((key, k as u32));
            }
        }
    }
    let found = buckets.par_iter_mut().flat_map_iter(|edges| {
        edges.sort_unstable();
        let mut found = Vec::new();
        for at_edge in edges.chunk_by(|x, y| x.0 == y.0) {
            let at_edge = &at_edge[..at_edge.len().min(MOST_AT_AN_EDGE)];
            for (position, &(_, a)) in at_edge.iter().enumerate() {
                for &(_, b) in &at_edge[position + 1..] {
                    let [x, y] = [a, b].map(|k| &references[k as usize]);
                    let apart = half_area(&x.bounds) + half_area(&y.bounds);
                    let gain = worth + apart - 2.0 * half_area(&x.bounds.union(y.bounds));
                    if x.item != y.item && gain > 0.0 {
                        found.push(Candidate { gain, a, b });
                    }
                }
            }
        }
        found
    });
    found.collect()
}

/// A number for each edge, the same from both sides. Different edges may share one: then two
/// triangles are compared that have nothing in common, and no harm is done.
fn edge_keys(triangle: &Triangle) -> [u64; 3] {
    let mix = |x: u64| {
        let x = (x ^ x >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x ^ x >> 29
    };
    let [a, b, c] = triangle.vertices.map(|vertex| {
        let [x, y, z] = vertex.to_array().map(|component| u64::from(component.to_bits()));
        mix(mix(x << 32 | y) ^ z)
    });
    [(a, b), (b, c), (c, a)].map(|(a, b)| mix(a.min(b)).wrapping_add(a.max(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    /// A strip of `n` quads in a tilted plane, each of two triangles, in an order that hides it.
    fn strip(n: usize) -> Primitives {
        let corner = |k: usize, side: f32| Vec3::new(k as f32, side * 1.25, k as f32 * 0.125);
        let quad = |k: usize| {
            let [a, b, c, d] =
                [corner(k, 0.0), corner(k + 1, 0.0), corner(k + 1, 1.0), corner(k, 1.0)];
            [Triangle::new(a, b, c), Triangle::new(c, d, a)]
        };
        let (first, second): (Vec<_>, Vec<_>) = (0..n).map(|k| quad(k).into()).unzip();
        Primitives { triangles: [first, second].concat(), ..Primitives::default() }
    }

    fn references(primitives: &Primitives) -> Vec<Reference> {
        let count = primitives.triangles.len() as u32;
        let of = |item: u32| Reference { item, bounds: primitives.bounds(item as usize) };
        (0..count).map(of).collect()
    }

    #[test]
    fn halves_of_a_quad_find_each_other() {
        let primitives = strip(9);
        let parts = pair(&references(&primitives), &primitives, 1e-3);
        assert_eq!(parts.len(), 9);
        for part in parts {
            assert_eq!((part.count, part.items[1]), (2, part.items[0] + 9));
        }
    }

    #[test]
    fn a_pair_must_be_worth_it() {
        let mut primitives = strip(1);
        // The second triangle is drawn out to a needle along the edge that both have.
        primitives.triangles[1].vertices[1].z = 50.0;
        let references = references(&primitives);
        assert_eq!(pair(&references, &primitives, 1e-3).len(), 2);
        assert_eq!(pair(&references, &primitives, 1e3).len(), 1);
    }

    /// The best pair is the one in the middle, but two pairs are better.
    #[test]
    fn a_chain_of_four_makes_two_pairs() {
        let fan = |k: usize, height: f32| Vec3::new(k as f32, (k % 2) as f32, height);
        let heights = [3.0, 0.5, 0.25, 0.25, 0.5, 3.5];
        let corner = |k: usize| fan(k, heights[k]);
        let triangles =
            (0..4).map(|k| Triangle::new(corner(k), corner(k + 1), corner(k + 2))).collect();
        let primitives = Primitives { triangles, ..Primitives::default() };
        let references = references(&primitives);
        let best = candidates(&references, &primitives, 100.0)
            .into_iter()
            .max_by(|x, y| x.gain.total_cmp(&y.gain));
        assert!(matches!(best, Some(Candidate { a: 1, b: 2, .. })));
        let items: Vec<_> =
            pair(&references, &primitives, 100.0).iter().map(|part| part.items).collect();
        assert_eq!(items, [[0, 1], [2, 3]]);
    }

    #[test]
    fn parts_of_one_triangle_are_no_pair() {
        let primitives = strip(1);
        let twice = [references(&primitives)[0]; 2];
        assert_eq!(pair(&twice, &primitives, 1e3).len(), 2);
    }
}
