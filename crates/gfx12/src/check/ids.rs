//! Primitives with equal ids. A triangle that was split is stored once for each leaf, every copy
//! with the same bits; anything else that shares an id cannot be told apart in a hit.

use super::extent::Given;
use super::{Findings, Place, Rule, extent};
use crate::decode::{Pairs, Stored, split_key, stored};
use crate::layout::primitive_header::ID_FIELDS;
use crate::layout::{NodePointer, PrimitiveNode, pair_descriptor_bits, type_of_pair};
use crate::survey::{Memory, Surveyed};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Pairs in one task.
const CHUNK: usize = 1 << 12;

/// What two primitives must share if they share their ids.
pub(super) type Bits = ([u32; 9], u8);

/// Checks the ids of a structure's primitives.
pub(super) fn check(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    pairs: &Pairs,
    findings: &mut Findings,
) {
    let ids = held(memory, surveyed, pairs);
    let given = extent::check_ids(memory, surveyed, &ids, findings);
    check_opacity(memory, surveyed, pairs, findings);
    let mut repeated: Vec<u64> =
        ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    repeated.dedup();
    check_list(memory, surveyed, pairs, &given, &repeated, findings);
    if repeated.is_empty() {
        return;
    }
    drop(ids);
    let mut first: BTreeMap<u64, Bits> = BTreeMap::new();
    read(memory, surveyed, pairs.keys(), |key, id, stored| {
        if repeated.binary_search(&id).is_err() {
            return;
        }
        let bits = bits(stored);
        if *first.entry(id).or_insert(bits) == bits {
            return;
        }
        let (offset, pair) = split_key(key);
        let Some(pointer) = NodePointer::new(offset, 0) else { return };
        let name = || format!("primitive node {pointer}, pair {pair}");
        let address = surveyed.structure.address_of(pointer);
        findings.add(Rule::PrimitiveId, &Place { memory, address, name: &name }, ID_FIELDS, || {
            let found = format!("geometry {}, primitive {} again", id >> 32, id as u32);
            (found, "the same primitive as before".into())
        });
    });
}

/// GPURT's list has for each primitive the pair that holds it, unless several do.
fn check_list(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    pairs: &Pairs,
    given: &[Given],
    repeated: &[u64],
    findings: &mut Findings,
) {
    if given.iter().all(|given| given.pointers.is_none()) {
        return;
    }
    let chunks = pairs.keys().par_chunks(CHUNK).map(|keys| {
        let mut findings = Findings::default();
        read(memory, surveyed, keys, |key, id, _| {
            let own = given.get((id >> 32) as usize);
            let own = own.filter(|own| u64::from(id as u32) < own.count);
            let Some(list) = own.and_then(|own| own.pointers) else { return };
            let (offset, pair) = split_key(key);
            let place = list + 4 * u64::from(id as u32);
            let word = memory.get(place, 4).and_then(|word| word.first_chunk().copied());
            let found = word.map(|word| NodePointer(u32::from_le_bytes(word)));
            let holder = NodePointer::new(offset, type_of_pair(pair as u8));
            if found == holder || found.is_none() || repeated.binary_search(&id).is_ok() {
                return;
            }
            let name = || format!("node pointer of geometry {}, primitive {}", id >> 32, id as u32);
            let place = Place { memory, address: place, name: &name };
            findings.add(Rule::PrimitivePointer, &place, 0..32, || {
                let text = |it: Option<NodePointer>| it.map_or("none".into(), |it| it.to_string());
                (text(found), format!("{}, which holds it", text(holder)))
            });
        });
        findings
    });
    let chunks: Vec<Findings> = chunks.collect();
    chunks.into_iter().for_each(|chunk| findings.merge(chunk));
}

/// A geometry is opaque or not; the rarer of both is wrong. HIPRT, which alone has two bases, has
/// no geometries.
fn check_opacity(memory: &Memory<'_>, surveyed: &Surveyed, pairs: &Pairs, findings: &mut Findings) {
    if surveyed.structure.box_base != surveyed.structure.primitive_base {
        return;
    }
    type Counts = BTreeMap<u64, [u64; 2]>;
    let counted = |keys: &[u64]| {
        let mut counts = Counts::new();
        for_each_id(memory, surveyed, keys, |_, id, opaque| {
            counts.entry(id >> 32).or_default()[usize::from(opaque)] += 1;
        });
        counts
    };
    let parts: Vec<Counts> = pairs.keys().par_chunks(CHUNK).map(counted).collect();
    let mut counts = Counts::new();
    for (geometry, [not, opaque]) in parts.into_iter().flatten() {
        let sums = counts.entry(geometry).or_default();
        *sums = [sums[0] + not, sums[1] + opaque];
    }
    counts.retain(|_, [not, opaque]| *not > 0 && *opaque > 0);
    if counts.is_empty() {
        return;
    }
    for_each_id(memory, surveyed, pairs.keys(), |key, id, is_opaque| {
        let Some([not, opaque]) = counts.get(&(id >> 32)) else { return };
        let rarer = opaque <= not;
        let (offset, pair) = split_key(key);
        let Some(pointer) = NodePointer::new(offset, 0).filter(|_| is_opaque == rarer) else {
            return;
        };
        let name = || format!("primitive node {pointer}, pair {pair}");
        let address = surveyed.structure.address_of(pointer);
        let bits = pair_descriptor_bits(pair);
        let bits = bits.start as u32..bits.end as u32;
        findings.add(Rule::Opacity, &Place { memory, address, name: &name }, bits, || {
            let text = |is_opaque| if is_opaque { "opaque" } else { "not opaque" };
            let most = format!("{}, as most of geometry {}", text(!rarer), id >> 32);
            (format!("primitive {}: {}", id as u32, text(rarer)), most)
        });
    });
}

/// The ids of all primitives, in order, as often as they are stored.
pub(crate) fn held(memory: &Memory<'_>, surveyed: &Surveyed, pairs: &Pairs) -> Vec<u64> {
    let mut ids: Vec<u64> = pairs
        .keys()
        .par_chunks(CHUNK)
        .flat_map_iter(|keys| {
            let mut ids = Vec::with_capacity(2 * CHUNK);
            for_each_id(memory, surveyed, keys, |_, id, _| ids.push(id));
            ids
        })
        .collect();
    ids.par_sort_unstable();
    ids
}

/// Hands over the primitives of some pairs with their keys and ids.
fn read(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    keys: &[u64],
    mut visit: impl FnMut(u64, u64, &Stored),
) {
    for_each_node(memory, surveyed, keys, |node, keys| {
        for &key in keys {
            for stored in stored(node, split_key(key).1).iter().flatten() {
                visit(key, id_of(stored), stored);
            }
        }
    });
}

/// Hands over the keys and ids of the primitives of some pairs, and whether each is opaque. Corners
/// would take longer to read.
fn for_each_id(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    keys: &[u64],
    mut visit: impl FnMut(u64, u64, bool),
) {
    for_each_node(memory, surveyed, keys, |node, keys| {
        for &key in keys {
            let pair = split_key(key).1;
            let [first, second] = node.pair(pair).triangles;
            visit(key, id_at(node, 2 * pair), first.opaque);
            if !second.is_absent() {
                visit(key, id_at(node, 2 * pair + 1), second.opaque);
            }
        }
    });
}

/// Hands over the nodes of some pairs, each with the keys of its pairs.
fn for_each_node(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    keys: &[u64],
    mut visit: impl FnMut(&PrimitiveNode, &[u64]),
) {
    for same_node in keys.chunk_by(|a, b| a / 8 == b / 8) {
        let Some(pointer) = NodePointer::new(split_key(same_node[0]).0, 0) else { continue };
        visit(&surveyed.structure.primitive_node(&surveyed.node(memory, pointer)), same_node);
    }
}

/// The ids of a primitive as one number.
pub(super) fn id_of(stored: &Stored) -> u64 {
    let (Stored::Triangle(_, id) | Stored::Box(_, id)) = stored;
    id_from(id.geometry, id.primitive)
}

fn id_at(node: &PrimitiveNode, number: usize) -> u64 {
    id_from(node.geometry_id(number), node.primitive_id(number))
}

fn id_from(geometry: u32, primitive: u32) -> u64 {
    u64::from(geometry) << 32 | u64::from(primitive)
}

pub(super) fn bits(stored: &Stored) -> Bits {
    match stored {
        Stored::Triangle(triangle, id) => {
            let corners = triangle.to_bits();
            (std::array::from_fn(|k| corners[k / 3][k % 3]), id.flags.bits())
        }
        Stored::Box(bounds, id) => {
            let planes = [bounds.min.to_array(), bounds.max.to_array()];
            let bit = |k: usize| planes.as_flattened().get(k).map_or(0, |x| x.to_bits());
            (std::array::from_fn(bit), id.flags.bits() | 0x80)
        }
    }
}
