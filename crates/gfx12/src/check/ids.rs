//! Primitives with equal ids. A triangle that was split is stored once for each leaf, every copy
//! with the same bits; anything else that shares an id cannot be told apart in a hit.

use super::{Findings, Place, Rule, extent};
use crate::decode::{Pairs, Stored, split_key, stored};
use crate::layout::NodePointer;
use crate::layout::primitive_header::ID_FIELDS;
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
    extent::check_ids(memory, surveyed, &ids, findings);
    let mut repeated: Vec<u64> =
        ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    repeated.dedup();
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

/// The ids of all primitives, in order, as often as they are stored.
pub(crate) fn held(memory: &Memory<'_>, surveyed: &Surveyed, pairs: &Pairs) -> Vec<u64> {
    let mut ids: Vec<u64> = pairs
        .keys()
        .par_chunks(CHUNK)
        .flat_map_iter(|keys| {
            let mut ids = Vec::with_capacity(2 * CHUNK);
            read(memory, surveyed, keys, |_, id, _| ids.push(id));
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
    for same_node in keys.chunk_by(|a, b| a / 8 == b / 8) {
        let Some(pointer) = NodePointer::new(split_key(same_node[0]).0, 0) else { continue };
        let node = surveyed.structure.primitive_node(&surveyed.node(memory, pointer));
        for &key in same_node {
            for stored in stored(&node, split_key(key).1).iter().flatten() {
                visit(key, id_of(stored), stored);
            }
        }
    }
}

/// The ids of a primitive as one number.
pub(super) fn id_of(stored: &Stored) -> u64 {
    let (Stored::Triangle(_, id) | Stored::Box(_, id)) = stored;
    u64::from(id.geometry) << 32 | u64::from(id.primitive)
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
