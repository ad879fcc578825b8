//! Packing as drivers do: one pair a range, and the triangles of a box in nodes of their own.
//!
//! | policy | nodes of a box |
//! |---|---|
//! | `gpurt` | the longest prefixes that fit, in order |
//! | `radv` | the smallest pair, then whichever pair gives the smallest total, until none fits |
//!
//! A single triangle that would have a node to itself shares it with one of another box. RADV does
//! so with the last node of a box; the first box then reaches the node by a range length of at most
//! 15, or by its base where the triangle is all it has. Both boxes test both triangles. GPURT does
//! so with boxes that have one triangle; each tests its own.
//!
//! Which boxes share is decided here in the order of memory; on a GPU it depends on timing.

use super::Policy;
use super::error::EncodeError;
use super::radv_node::{RadvPair, layout, merged_singles, updatable};
use super::run::{PackedRun, RangeStart, RunPacker};
use super::triangle_fill::{ALL_VERTICES, NODE_BITS, TriangleFill};
use crate::layout::{
    PAIR_DESCRIPTOR_BITS, PackError, PairDescriptor, PrimitiveContents, PrimitiveHeader,
    PrimitiveNode, TriangleDescriptor, type_of_pair,
};
use geometry::Triangle;
use tree::{PrimitiveFlags, PrimitiveId};

/// The largest range length.
const MAX_JUMP: u32 = 15;

/// A node to be: positions of its leaves in the run.
#[derive(Debug, Clone)]
enum Group {
    /// Pairs of one box.
    Pairs(Vec<usize>),
    /// A procedural.
    Procedural(usize),
    /// Single triangles of two boxes.
    Singles([usize; 2]),
}

impl Group {
    fn members(&self) -> &[usize] {
        match self {
            Self::Pairs(members) => members,
            Self::Procedural(member) => std::slice::from_ref(member),
            Self::Singles(members) => members,
        }
    }
}

/// A node, and for each member the pairs of its first and last triangle.
struct Written {
    node: PrimitiveNode,
    pairs: Vec<[u8; 2]>,
    pair_count: usize,
}

impl Written {
    /// A node in which each member has one pair.
    fn one_each(node: PrimitiveNode) -> Self {
        let pair_count = node.pair_count();
        Self { node, pairs: (0..pair_count as u8).map(|pair| [pair; 2]).collect(), pair_count }
    }
}

/// A single triangle that may share its node.
#[derive(Debug, Clone, Copy)]
struct Single {
    /// Its group, and its leaf.
    group: usize,
    leaf: usize,
    /// Whether its box reaches it by a range length from the group before.
    jumps: bool,
}

/// An order for the leaves of a box: node by node, within a node as they were, procedurals last.
pub(crate) fn order_family(family: &[u32], packer: &RunPacker<'_>, policy: Policy) -> Vec<u32> {
    let is_box = |&leaf: &u32| packer.items(leaf).iter().any(|&item| !packer.is_triangle(item));
    let (boxes, pairs): (Vec<u32>, Vec<u32>) = family.iter().copied().partition(is_box);
    let mut order = Vec::with_capacity(family.len());
    let mut waiting = pairs;
    while policy == Policy::Radv && !waiting.is_empty() {
        let chosen = radv_choice(&waiting, packer);
        order.extend(chosen.iter().map(|&position| waiting[position]));
        let mut position = 0;
        waiting.retain(|_| {
            position += 1;
            !chosen.contains(&(position - 1))
        });
    }
    order.extend(waiting);
    order.extend(boxes);
    order
}

/// Packs a run; `parents` tells the boxes of its leaves apart.
pub(crate) fn pack(
    leaves: &[u32],
    parents: &[u32],
    packer: &RunPacker<'_>,
    policy: Policy,
) -> Result<PackedRun, EncodeError> {
    let groups = share_singles(groups(leaves, parents, packer, policy), leaves, packer, policy);
    let nothing = RangeStart { node: 0, node_type: 0, length: 1 };
    let mut run = PackedRun { starts: vec![nothing; leaves.len()], ..PackedRun::default() };
    let mut places = vec![[0u32; 2]; leaves.len()];
    for group in &groups {
        let number = run.nodes.len();
        let written = packer.named(number, write(group, leaves, packer, policy))?;
        let node = number as u32;
        for (&member, pairs) in group.members().iter().zip(&written.pairs) {
            let types = pairs.map(type_of_pair);
            let ends_node = usize::from(pairs[1]) + 1 == written.pair_count;
            let length = u8::from(ends_node);
            run.starts[member] = RangeStart { node, node_type: types[0], length };
            places[member] = types.map(|node_type| node << 4 | u32::from(node_type));
        }
        let items = group.members().iter().flat_map(|&member| packer.items(leaves[member]));
        let triangles = items.filter(|&&item| packer.is_triangle(item)).count();
        run.stored.add_node(written.node.bits(), triangles);
        run.nodes.push(*written.node.bits());
    }
    for (&leaf, place) in leaves.iter().zip(places) {
        run.pointers.extend(place.iter().take(packer.items(leaf).len()));
    }
    Ok(run)
}

/// Packs a run for updates: a node for each of RADV's triangles, of GPURT's pairs, and each
/// procedural.
pub(crate) fn pack_updatable(
    leaves: &[u32],
    packer: &RunPacker<'_>,
    policy: Policy,
) -> Result<PackedRun, EncodeError> {
    let mut run = PackedRun::default();
    for (number, &leaf) in leaves.iter().enumerate() {
        let items = packer.items(leaf);
        let is_triangle = packer.is_triangle(items[0]);
        let node = match policy {
            _ if !is_triangle => packer.procedural(items[0]),
            Policy::Radv => updatable(packer.triangle(items[0])),
            Policy::Dense | Policy::Gpurt | Policy::Hiprt => {
                updatable_pair(items.iter().map(|&item| packer.triangle(item)))
            }
        };
        let node = packer.named(number, node)?;
        run.starts.push(RangeStart { node: number as u32, node_type: 0, length: 1 });
        // Where the second triangle would look absent, it is in the last pair alone.
        let last = type_of_pair(node.pair_count() as u8 - 1);
        let types = [0, last].into_iter().take(items.len());
        run.pointers.extend(types.map(|pair| (number as u32) << 4 | u32::from(pair)));
        run.stored.add_node(node.bits(), if is_triangle { items.len() } else { 0 });
        run.nodes.push(*node.bits());
    }
    Ok(run)
}

/// GPURT's node of a pair that is to be updated: nothing is compressed.
fn updatable_pair<'a>(
    triangles: impl Iterator<Item = (&'a Triangle, PrimitiveId)>,
) -> Result<PrimitiveNode, PackError> {
    let mut fill = TriangleFill::with_vertex_limit(ALL_VERTICES);
    for (triangle, id) in triangles {
        // Two triangles always fit.
        let _ = fill.push(triangle, id);
    }
    let pairs = fill.pair_count();
    let (primitive_bits, geometry_bits) = (31, 30);
    let header = PrimitiveHeader {
        vertex_bits: [32; 3],
        trailing_zeros: 0,
        geometry_base_bits: geometry_bits,
        geometry_payload_bits: geometry_bits,
        pair_count: pairs as u8,
        vertex_type: false,
        primitive_base_bits: primitive_bits,
        primitive_payload_bits: primitive_bits,
        midpoint: (NODE_BITS - pairs * (PAIR_DESCRIPTOR_BITS + 2 * usize::from(primitive_bits)))
            as u16,
    };
    fill.pack_with(header, &[pairs == 1, true][..pairs])
}

/// The nodes of each box, before any sharing.
fn groups(
    leaves: &[u32],
    parents: &[u32],
    packer: &RunPacker<'_>,
    policy: Policy,
) -> Vec<(Group, u32)> {
    let mut groups: Vec<(Group, u32)> = Vec::new();
    for (position, (&leaf, &parent)) in leaves.iter().zip(parents).enumerate() {
        if packer.items(leaf).iter().any(|&item| !packer.is_triangle(item)) {
            groups.push((Group::Procedural(position), parent));
            continue;
        }
        if let Some((Group::Pairs(open), same)) = groups.last_mut()
            && *same == parent
        {
            open.push(position);
            if fits(open, leaves, packer, policy) {
                continue;
            }
            open.pop();
        }
        groups.push((Group::Pairs(vec![position]), parent));
    }
    groups
}

fn fits(members: &[usize], leaves: &[u32], packer: &RunPacker<'_>, policy: Policy) -> bool {
    match policy {
        Policy::Radv => {
            let pairs: Vec<RadvPair<'_>> =
                members.iter().map(|&member| pair_of(leaves[member], packer)).collect();
            layout(&pairs).is_some_and(|layout| layout.fits())
        }
        Policy::Dense | Policy::Gpurt | Policy::Hiprt => {
            let items = members.iter().map(|&member| packer.items(leaves[member]));
            items
                .into_iter()
                .try_fold(packer.empty_node(), |open, items| packer.extend(items, &open))
                .is_some()
        }
    }
}

/// Positions of the pairs that RADV puts into the next node, in the order of their slots.
fn radv_choice(waiting: &[u32], packer: &RunPacker<'_>) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let mut best: Option<(usize, Vec<usize>)> = None;
        for position in (0..waiting.len()).filter(|position| !chosen.contains(position)) {
            let mut members = chosen.clone();
            members.insert(members.partition_point(|&member| member < position), position);
            let pairs: Vec<RadvPair<'_>> =
                members.iter().map(|&member| pair_of(waiting[member], packer)).collect();
            let Some(layout) = layout(&pairs).filter(|layout| layout.fits()) else { continue };
            // Of equals, the highest slot.
            if best.as_ref().is_none_or(|best| layout.size <= best.0) {
                best = Some((layout.size, members));
            }
        }
        match best {
            Some((_, members)) => chosen = members,
            None if chosen.is_empty() => return vec![0],
            None => return chosen,
        }
    }
}

fn pair_of<'a>(leaf: u32, packer: &RunPacker<'a>) -> RadvPair<'a> {
    let items = packer.items(leaf);
    RadvPair {
        first: packer.triangle(items[0]),
        second: items.get(1).map(|&item| packer.triangle(item)),
    }
}

/// Lets single triangles of different boxes share nodes.
fn share_singles(
    groups: Vec<(Group, u32)>,
    leaves: &[u32],
    packer: &RunPacker<'_>,
    policy: Policy,
) -> Vec<Group> {
    let mut waiting: Option<Single> = None;
    let mut shared: Vec<(usize, usize, [usize; 2])> = Vec::new();
    for (group, (members, parent)) in groups.iter().enumerate() {
        let Group::Pairs(members) = members else { continue };
        let is_single = members.len() == 1 && packer.items(leaves[members[0]]).len() == 1;
        let follows = group.checked_sub(1).is_some_and(|before| groups[before].1 == *parent);
        let precedes = groups.get(group + 1).is_some_and(|after| after.1 == *parent);
        let may_share = match policy {
            Policy::Radv => !precedes,
            Policy::Dense | Policy::Gpurt | Policy::Hiprt => !precedes && !follows,
        };
        if !is_single || !may_share {
            continue;
        }
        let single = Single { group, leaf: members[0], jumps: follows };
        match waiting {
            Some(first) if !first.jumps || (group - first.group) as u32 <= MAX_JUMP => {
                shared.push((first.group, group, [first.leaf, single.leaf]));
                waiting = None;
            }
            _ => waiting = Some(single),
        }
    }
    let mut result: Vec<Option<Group>> = groups.into_iter().map(|(group, _)| Some(group)).collect();
    for (first, second, members) in shared {
        result[first] = None;
        result[second] = Some(Group::Singles(members));
    }
    result.into_iter().flatten().collect()
}

fn write(
    group: &Group,
    leaves: &[u32],
    packer: &RunPacker<'_>,
    policy: Policy,
) -> Result<Written, PackError> {
    let single = |member: usize| packer.triangle(packer.items(leaves[member])[0]);
    match (group, policy) {
        (Group::Procedural(member), _) => {
            Ok(Written::one_each(packer.procedural(packer.items(leaves[*member])[0])?))
        }
        (Group::Pairs(members), Policy::Radv) => {
            let pairs: Vec<RadvPair<'_>> =
                members.iter().map(|&member| pair_of(leaves[member], packer)).collect();
            match layout(&pairs) {
                Some(layout) => Ok(Written::one_each(layout.pack(&pairs)?)),
                None => Err(PackError::PairCount { found: pairs.len(), expected: 8 }),
            }
        }
        (Group::Singles(members), Policy::Radv) => {
            let [first, second] = members.map(single);
            let node = merged_singles(&RadvPair { first, second: Some(second) })?;
            Ok(Written { node, pairs: vec![[0; 2]; 2], pair_count: 1 })
        }
        (Group::Singles(members), Policy::Dense | Policy::Gpurt | Policy::Hiprt) => {
            Ok(Written::one_each(two_singles(members.map(single))?))
        }
        (Group::Pairs(members), Policy::Dense | Policy::Gpurt | Policy::Hiprt) => {
            prefix_node(members.iter().map(|&member| packer.items(leaves[member])), packer)
        }
    }
}

/// GPURT's node of pairs. Two pairs for two triangles only where a second one would look absent.
fn prefix_node<'a>(
    ranges: impl Iterator<Item = &'a [u32]>,
    packer: &RunPacker<'_>,
) -> Result<Written, PackError> {
    let mut fill = TriangleFill::with_vertex_limit(packer.vertex_limit());
    let mut stops = [false; 8];
    let mut pairs = Vec::new();
    for items in ranges {
        let first = fill.pair_count() as u8;
        for &item in items {
            let (triangle, id) = packer.triangle(item);
            // It was found to fit.
            let _ = fill.push(triangle, id);
        }
        let last = fill.pair_count().saturating_sub(1);
        stops[last] = true;
        pairs.push([first, last as u8]);
        fill.close_pair();
    }
    let pair_count = fill.pair_count();
    Ok(Written { node: fill.pack(&stops[..pair_count])?, pairs, pair_count })
}

/// GPURT's node for single triangles of two boxes: two pairs without a second triangle.
fn two_singles(triangles: [(&Triangle, PrimitiveId); 2]) -> Result<PrimitiveNode, PackError> {
    let header = PrimitiveHeader {
        vertex_bits: [32; 3],
        trailing_zeros: 0,
        geometry_base_bits: 30,
        geometry_payload_bits: 30,
        pair_count: 2,
        vertex_type: false,
        primitive_base_bits: 31,
        primitive_payload_bits: 31,
        midpoint: 873,
    };
    let corners = triangles.iter().flat_map(|triangle| triangle.0.vertices);
    let vertices: Vec<[u32; 3]> =
        corners.map(|corner| corner.to_array().map(f32::to_bits)).collect();
    let descriptor = |(_, id): (&Triangle, PrimitiveId), first: u8| PairDescriptor {
        prim_range_stop: true,
        triangles: [
            TriangleDescriptor {
                indices: [first, first + 1, first + 2],
                double_sided: id.flags.contains(PrimitiveFlags::DOUBLE_SIDED),
                opaque: id.flags.contains(PrimitiveFlags::OPAQUE),
            },
            TriangleDescriptor::default(),
        ],
    };
    let [a, b] = triangles;
    let contents = PrimitiveContents {
        header,
        vertices: &vertices,
        primitive_ids: &[Some(a.1.primitive), None, Some(b.1.primitive), None],
        geometry_ids: &[Some(a.1.geometry), None, Some(b.1.geometry), None],
        pairs: &[descriptor(a, 0), descriptor(b, 3)],
    };
    contents.pack()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    #[test]
    fn two_singles_lie_where_the_table_says() {
        let triangle = |x: f32| Triangle::new(Vec3::splat(x), Vec3::new(x, 0.0, 1.0), Vec3::X);
        let id = |geometry, primitive| PrimitiveId {
            geometry,
            primitive,
            flags: PrimitiveFlags::OPAQUE,
        };
        let (a, b) = (triangle(1.5), triangle(-2.25));
        let node = two_singles([(&a, id(5, 1000)), (&b, id(6, 1 << 28))]).unwrap();
        assert_eq!((node.triangle(0, 0), node.triangle(1, 0)), (a, b));
        assert_eq!((node.primitive_id(0), node.primitive_id(2)), (1000, 1 << 28));
        assert_eq!((node.geometry_id(0), node.geometry_id(2)), (5, 6));
        assert_eq!(node.bits().get(935..966), 1 << 28);
    }
}
