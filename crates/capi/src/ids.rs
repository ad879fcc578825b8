//! Generational ids: a slot, and how often it was given away.
//!
//! Id 0 is never given. A slot whose generations are used up is left alone for ever, so that no id
//! comes twice.
//!
//! ```text
//! bits 0..32    slot + 1
//! bits 32..64   generation
//! ```

/// A thing that a context holds.
pub type Id = u64;

/// Things under ids.
#[derive(Debug)]
pub struct Ids<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    thing: Option<T>,
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Ids<T> {
    /// Takes a thing in; `None` if there are no more ids.
    pub fn insert(&mut self, thing: T) -> Option<Id> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                let slot = u32::try_from(self.slots.len()).ok().filter(|slot| *slot < u32::MAX)?;
                self.slots.push(Slot { generation: 0, thing: None });
                slot
            }
        };
        let place = self.slots.get_mut(slot as usize)?;
        place.thing = Some(thing);
        Some(u64::from(place.generation) << 32 | u64::from(slot + 1))
    }

    /// The thing of an id; `None` if it was released, or never given.
    #[must_use]
    pub fn get(&self, id: Id) -> Option<&T> {
        let place = self.slots.get(slot(id)?)?;
        place.thing.as_ref().filter(|_| place.generation == generation(id))
    }

    /// Gives a thing back, whose id is good no more.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let number = slot(id)?;
        let place = self.slots.get_mut(number).filter(|slot| slot.generation == generation(id))?;
        let thing = place.thing.take()?;
        if let Some(next) = place.generation.checked_add(1) {
            place.generation = next;
            self.free.push(number as u32);
        }
        Some(thing)
    }
}

fn slot(id: Id) -> Option<usize> {
    (id as u32).checked_sub(1).map(|slot| slot as usize)
}

const fn generation(id: Id) -> u32 {
    (id >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_good_until_it_is_released() {
        let mut ids = Ids::default();
        let (first, second) = (ids.insert('a').unwrap(), ids.insert('b').unwrap());
        assert_eq!((ids.get(first), ids.get(second)), (Some(&'a'), Some(&'b')));
        assert_eq!(ids.remove(first), Some('a'));
        assert_eq!((ids.remove(first), ids.get(first)), (None, None));
        let third = ids.insert('c').unwrap();
        assert_eq!(third as u32, first as u32, "the slot is used again");
        assert_eq!((ids.get(first), ids.get(third)), (None, Some(&'c')));
        for wrong in [0, 1 << 32, 3, u64::MAX, u64::from(u32::MAX)] {
            assert_eq!((ids.get(wrong).copied(), ids.remove(wrong)), (None, None), "{wrong:#x}");
        }
    }

    #[test]
    fn a_slot_without_generations_is_left_alone() {
        let mut ids = Ids::default();
        let first = ids.insert(1).unwrap();
        ids.slots[0].generation = u32::MAX;
        let last = first | u64::from(u32::MAX) << 32;
        assert_eq!(ids.remove(last), Some(1));
        assert_eq!(ids.remove(last), None);
        assert_ne!(ids.insert(2).unwrap() as u32, first as u32);
    }
}
