//! Sets of attribute ids, as the imap and omap of a header hold them.

use crate::AttributeId;

/// A set of attributes, in ascending order of their ids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AttributeSet {
    words: [u64; 4],
}

impl AttributeSet {
    /// Adds an attribute.
    pub const fn insert(&mut self, id: AttributeId) {
        self.words[id.slot() / 64] |= 1 << (id.slot() % 64);
    }

    /// Whether it is a member.
    #[must_use]
    pub const fn contains(&self, id: AttributeId) -> bool {
        self.words[id.slot() / 64] >> (id.slot() % 64) & 1 == 1
    }

    /// How many members lie below `id`, which may be one or not.
    #[must_use]
    pub fn rank(&self, id: AttributeId) -> usize {
        let (word, bit) = (id.slot() / 64, id.slot() % 64);
        let below: u32 = self.words[..word].iter().map(|word| word.count_ones()).sum();
        (below + (self.words[word] & ((1 << bit) - 1)).count_ones()) as usize
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words == [0; 4]
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = AttributeId> + '_ {
        (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot).filter(|id| self.contains(*id))
    }
}

impl FromIterator<AttributeId> for AttributeSet {
    fn from_iter<I: IntoIterator<Item = AttributeId>>(ids: I) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_sorted_list(
            slots in proptest::collection::btree_set(0usize..240, 0..240),
        ) {
            let ids: Vec<AttributeId> =
                slots.iter().filter_map(|s| AttributeId::from_slot(*s)).collect();
            let set: AttributeSet = ids.iter().rev().copied().collect();
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), ids.clone());
            prop_assert_eq!((set.len(), set.is_empty()), (ids.len(), ids.is_empty()));
            for slot in 0..240 {
                let id = AttributeId::from_slot(slot).unwrap();
                prop_assert_eq!(set.contains(id), slots.contains(&slot));
                prop_assert_eq!(set.rank(id), slots.range(..slot).count());
            }
        }
    }
}
