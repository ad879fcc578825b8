//! The leaves of a BLAS: triangles alone or in pairs, and procedurals.

use super::contents::Contents;
use super::draft::{Leaf, LooseLeaf, NewLeaf};
use super::error::{EncodeError, is_finite};
use super::pairing::{PairRole, Reference, pair_up, shared_edge};
use crate::layout::CullFlags;
use geometry::Aabb;
use tree::primitives::Primitive;
use tree::{Blas, PrimitiveFlags, Primitives};

/// Whether all primitives of a BLAS can be stored: finite ones, with geometry ids below a limit.
///
/// # Errors
/// The first that cannot.
pub fn check_primitives(level: usize, blas: &Blas, limit: u32) -> Result<(), EncodeError> {
    let primitives = &blas.primitives;
    for primitive in blas.bvh.indices().iter().map(|&item| item as usize) {
        let geometry = primitives.ids[primitive].geometry;
        if geometry >= limit {
            let which = "geometry";
            return Err(EncodeError::Id { level, primitive, which, found: geometry, limit });
        }
        if !is_finite(primitives, primitive) {
            return Err(EncodeError::NotFinite { level, primitive });
        }
    }
    Ok(())
}

/// Pairs among all leaves of a node. A leaf node's box is what its references stand for: the
/// primitives' boxes, but not beyond the leaves, which a spatial split may have cut.
#[must_use]
pub fn paired_leaves(loose: &[LooseLeaf<'_>], primitives: &Primitives) -> Vec<NewLeaf> {
    let (references, origins) = references(loose, primitives);
    let roles = pair_up(&references, primitives);
    let mut leaves = Vec::with_capacity(references.len());
    for (position, role) in roles.iter().enumerate() {
        let Reference { item, bounds } = references[position];
        let origin = origins[position];
        match role {
            PairRole::Second => {}
            PairRole::Alone => {
                leaves.push(NewLeaf { origin, bounds, leaf: lone(item, primitives) })
            }
            PairRole::First(partner) => {
                let second = references[partner.position];
                leaves.push(NewLeaf {
                    origin,
                    bounds: bounds.union(second.bounds),
                    leaf: Leaf::Pair { items: [item, second.item], edge: partner.edge },
                });
            }
        }
    }
    leaves
}

/// One leaf node for each reference.
#[must_use]
pub fn single_leaves(loose: &[LooseLeaf<'_>], primitives: &Primitives) -> Vec<NewLeaf> {
    let (references, origins) = references(loose, primitives);
    let leaves = references.into_iter().zip(origins);
    leaves
        .map(|(Reference { item, bounds }, origin)| NewLeaf {
            origin,
            bounds,
            leaf: lone(item, primitives),
        })
        .collect()
}

/// The references of loose leaves, and which leaf each is from.
fn references(loose: &[LooseLeaf<'_>], primitives: &Primitives) -> (Vec<Reference>, Vec<usize>) {
    let (mut references, mut origins) = (Vec::new(), Vec::new());
    for (origin, leaf) in loose.iter().enumerate() {
        for &item in leaf.items {
            let own = primitives.bounds(item as usize);
            if !own.is_empty() {
                let inside = own.intersection(leaf.bounds);
                let bounds = if inside.is_empty() { leaf.bounds } else { inside };
                references.push(Reference { item, bounds });
                origins.push(origin);
            }
        }
    }
    (references, origins)
}

/// One leaf node a leaf, with the leaf's own box, where the leaf is what a node can hold; what a
/// foreign tree may hold besides is left to [`paired_leaves`], leaf by leaf.
#[must_use]
pub fn kept_leaves(loose: &[LooseLeaf<'_>], primitives: &Primitives) -> Vec<NewLeaf> {
    let mut leaves = Vec::with_capacity(loose.len());
    for (origin, given) in loose.iter().enumerate() {
        let whole = match *given.items {
            [item] => Some(lone(item, primitives)),
            [a, b] => shared_edge(primitives, a, b).map(|edge| Leaf::Pair { items: [a, b], edge }),
            _ => None,
        };
        match whole {
            Some(leaf) => leaves.push(NewLeaf { origin, bounds: given.bounds, leaf }),
            None => {
                let parts = paired_leaves(std::slice::from_ref(given), primitives);
                leaves.extend(parts.into_iter().map(|part| NewLeaf { origin, ..part }));
            }
        }
    }
    leaves
}

fn lone(item: u32, primitives: &Primitives) -> Leaf {
    match primitives.get(item as usize) {
        Primitive::Triangle(_) => Leaf::Triangle(item),
        Primitive::Box(_) => Leaf::Procedural(item),
    }
}

/// What a leaf of a BLAS holds.
#[must_use]
pub fn contents(leaf: &Leaf, primitives: &Primitives) -> Contents {
    let opacity = |item: u32| {
        if primitives.ids[item as usize].flags.contains(PrimitiveFlags::OPAQUE) {
            CullFlags::ONLY_OPAQUE
        } else {
            CullFlags::ONLY_NON_OPAQUE
        }
    };
    let (kind, opacity, triangles) = match *leaf {
        Leaf::Triangle(item) => (CullFlags::ONLY_TRIANGLES, opacity(item), 1),
        Leaf::Pair { items: [a, b], .. } => (CullFlags::ONLY_TRIANGLES, opacity(a) & opacity(b), 2),
        Leaf::Procedural(item) => (CullFlags::ONLY_PROCEDURAL, opacity(item), 0),
        Leaf::Instance(_) => (CullFlags::empty(), CullFlags::empty(), 0),
    };
    Contents { cull_flags: kind | opacity, triangles }
}

/// The box around the primitives that a hierarchy refers to.
#[must_use]
pub fn referred_bounds(blas: &Blas) -> Aabb {
    let items = blas.bvh.indices().iter();
    items.fold(Aabb::EMPTY, |all, &item| {
        let bounds = blas.primitives.bounds(item as usize);
        if bounds.is_empty() { all } else { all.union(bounds) }
    })
}
