//! The proof that walks stay within a world that was read: POINTER-PROVED, LEAF-ROOM, STACK-ROOM,
//! and that every number names something.
//!
//! The nodes of a level are one range, in the order of levels, that begins with its root. A pointer
//! to a node leads forward within that range, so that no walk goes round; one that leads elsewhere
//! leads to what its kind of level holds.

use super::StoredError;
use crate::world::{Level, Pointer, PrimitiveIds, Target, World};
use rayon::prelude::*;

/// Checks everything, and returns how many entries a walk's stack can have.
pub(super) fn stack_size(world: &World) -> Result<usize, StoredError> {
    let World { boxes, box_lists, blases, primitive_ids, tlas, .. } = world;
    if let Some(number) =
        box_lists.iter().position(|list| list.start > list.end || list.end as usize > boxes.len())
    {
        return Err(StoredError::broken(format!("list {number} names boxes that are not there")));
    }
    if primitive_ids.len() != blases.len() || blases.is_empty() {
        let what = format!("{} objects with {} tables of ids", blases.len(), primitive_ids.len());
        return Err(StoredError::broken(what));
    }
    if tlas.is_none() && blases.len() != 1 {
        return Err(StoredError::broken("several objects, and no instances"));
    }
    let instances = tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
    if let Some(number) =
        instances.iter().position(|instance| instance.blas as usize >= blases.len())
    {
        return Err(StoredError::broken(format!("instance {number} is of no object")));
    }
    let mut needed = vec![1u32; world.arena.node_count()];
    let of_blases = blases.iter().zip(primitive_ids).map(|(level, ids)| (level, Some(ids)));
    let of_tlas = tlas.as_ref().map(|tlas| (&tlas.level, None));
    let levels: Vec<_> = of_blases.chain(of_tlas).collect();
    // Levels whose roots are nodes share all nodes among themselves.
    let starts: Vec<usize> = levels
        .iter()
        .filter(|(level, _)| level.root.is_node())
        .map(|(level, _)| level.root.node_number())
        .chain([world.arena.node_count()])
        .collect();
    let is_shared = starts[0] == 0 && starts.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_shared {
        return Err(StoredError::broken(
            "the nodes of its levels are not one range after the other",
        ));
    }
    let (mut next, mut stacks) = (0, Vec::with_capacity(levels.len()));
    for (level, ids) in levels {
        let end = if level.root.is_node() {
            next += 1;
            starts[next]
        } else {
            0
        };
        stacks.push(Checker { world, end, ids }.level(level, &mut needed)?);
    }
    let of_tlas = tlas.as_ref().and_then(|_| stacks.pop()).map_or(0, |stack| stack + 1);
    Ok(1 + stacks.into_iter().max().unwrap_or(0) + of_tlas)
}

/// One level under examination.
struct Checker<'a> {
    world: &'a World,
    /// Behind its last node.
    end: usize,
    /// Names of triangles; `None` for the TLAS.
    ids: Option<&'a PrimitiveIds>,
}

impl Checker<'_> {
    fn level(&self, level: &Level, needed: &mut [u32]) -> Result<usize, StoredError> {
        if level.bounds.min.is_nan() || level.bounds.max.is_nan() {
            return Err(StoredError::broken("the box of a level is not a number"));
        }
        if level.root == Pointer::DONE {
            return Ok(1);
        }
        if !level.root.is_node() {
            self.pointer(None, level.root)?;
            return Ok(1);
        }
        let first = level.root.node_number();
        self.holds(None, level.root)?;
        (first..self.end).into_par_iter().try_for_each(|number| self.node(number))?;
        for number in (first..self.end).rev() {
            let node = self.world.arena.node(self.node_pointer(number)?);
            let deepest = node.slots().map(|slot| match node.children[slot] {
                child if child.is_node() => needed[child.node_number()],
                _ => 1,
            });
            let (deepest, count) = (deepest.max().unwrap_or(1), node.slots().count() as u32);
            needed[number] = deepest.saturating_add(count.saturating_sub(1));
        }
        Ok(needed[first] as usize)
    }

    fn node_pointer(&self, number: usize) -> Result<Pointer, StoredError> {
        Pointer::node(number)
            .ok_or_else(|| StoredError::broken("it has more nodes than can be named"))
    }

    fn node(&self, number: usize) -> Result<(), StoredError> {
        let node = self.world.arena.node(self.node_pointer(number)?);
        for slot in 0..8 {
            let child = node.children[slot];
            let planes = || node.planes.iter().flatten().map(|row| row[slot]);
            if child == Pointer::DONE {
                if !planes().all(f32::is_nan) {
                    let what = format!("node {number} has a box in its empty slot {slot}");
                    return Err(StoredError::broken(what));
                }
                continue;
            }
            if planes().any(f32::is_nan) {
                let what = format!("node {number} has no box in its slot {slot}");
                return Err(StoredError::broken(what));
            }
            self.pointer(Some(number), child)?;
        }
        for (octant, &order) in node.orders.iter().enumerate() {
            let named = (0..8).fold(0, |named, place| named | 1u32 << (order >> (3 * place) & 7));
            if named != 0xFF || order >> 24 != 0 {
                let what = format!("node {number} has no order for octant {octant}");
                return Err(StoredError::broken(what));
            }
        }
        Ok(())
    }

    /// Checks a pointer of a node, or of a root.
    fn pointer(&self, from: Option<usize>, pointer: Pointer) -> Result<(), StoredError> {
        let World { box_lists, tlas, .. } = self.world;
        let is_sound = match (pointer.target(), self.ids) {
            (Target::Node, _) => {
                let number = pointer.node_number();
                self.holds(from, pointer)?;
                from.is_none_or(|from| from < number) && number < self.end
            }
            (Target::Leaf, Some(ids)) => {
                self.holds(from, pointer)?;
                let arena = &self.world.arena;
                (0..pointer.triangles()).all(|column| ids.has(arena.name(pointer, column)))
            }
            (Target::Boxes(list), Some(_)) => list < box_lists.len(),
            (Target::Instance(number), None) => {
                tlas.as_ref().is_some_and(|tlas| number < tlas.instances.len())
            }
            _ => false,
        };
        if is_sound { Ok(()) } else { Err(lost(from, pointer)) }
    }

    fn holds(&self, from: Option<usize>, pointer: Pointer) -> Result<(), StoredError> {
        if self.world.arena.holds(pointer) { Ok(()) } else { Err(lost(from, pointer)) }
    }
}

fn lost(from: Option<usize>, pointer: Pointer) -> StoredError {
    let place = from.map_or_else(|| "a root".to_owned(), |number| format!("node {number}"));
    StoredError::broken(format!("the pointer {:#010x} of {place} leads nowhere", pointer.0))
}
