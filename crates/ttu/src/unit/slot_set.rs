//! A set of slot numbers.

/// A set of slot numbers.
#[derive(Debug, Clone)]
pub(crate) struct SlotSet {
    words: Vec<u64>,
    len: u32,
}

impl SlotSet {
    pub(crate) fn new(slots: u32, full: bool) -> Self {
        let mut set = Self { words: vec![0; slots.div_ceil(64) as usize], len: 0 };
        if full {
            (0..slots).for_each(|slot| set.insert(slot));
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn insert(&mut self, slot: u32) {
        let word = &mut self.words[slot as usize / 64];
        self.len += u32::from(*word >> (slot % 64) & 1 == 0);
        *word |= 1 << (slot % 64);
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        let word = &mut self.words[slot as usize / 64];
        self.len -= u32::from(*word >> (slot % 64) & 1 == 1);
        *word &= !(1 << (slot % 64));
    }

    /// Takes a slot out; says whether it was there.
    pub(crate) fn take(&mut self, slot: u32) -> bool {
        let is_there = self.words[slot as usize / 64] >> (slot % 64) & 1 == 1;
        self.remove(slot);
        is_there
    }

    /// The first at or after `start`, else the first of all.
    pub(crate) fn next_from(&self, start: u32) -> Option<u32> {
        let first = start as usize / 64;
        let masked = self.words.get(first).map_or(0, |word| word & (!0 << (start % 64)));
        if masked != 0 {
            return Some((first * 64) as u32 + masked.trailing_zeros());
        }
        let found = |k: usize| {
            (self.words[k] != 0).then(|| (k * 64) as u32 + self.words[k].trailing_zeros())
        };
        (first + 1..self.words.len())
            .find_map(found)
            .or_else(|| (0..=first.min(self.words.len() - 1)).find_map(found))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(k, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    (k * 64) as u32 + bit
                })
            })
        })
    }
}
