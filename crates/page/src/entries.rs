//! Every structure of the open file, in little room: a large file has a million.

use siliray::machine::{EntryState, NodeRef, Outline, OutlineEntry, Total};
use std::collections::HashMap;

/// Every structure, in the order of the outline: one element of each list.
pub(crate) struct Entries {
    pub(crate) depths: Vec<u32>,
    pub(crate) slots: Vec<u16>,
    pub(crate) states: Vec<EntryState>,
    /// By number in [`Entries::kind_names`].
    pub(crate) kinds: Vec<u8>,
    pub(crate) pointers: Vec<u64>,
    pub(crate) addresses: Vec<u64>,
    pub(crate) bytes: Vec<u32>,
    /// How many primitives each is the first to refer to.
    pub(crate) primitives: Vec<u32>,
    /// By number in `base_values`.
    bases: Vec<u32>,
    base_values: Vec<u64>,
    /// The kinds, in the order in which they first appear.
    pub(crate) kind_names: Vec<&'static str>,
    /// Sums over all.
    pub(crate) totals: Vec<Total>,
}

/// One structure.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) node: NodeRef,
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    pub(crate) state: EntryState,
}

impl Entries {
    /// The entries of an outline.
    pub(crate) fn new(outline: &Outline) -> Self {
        let entries = &outline.entries;
        let mut bases = Numbers::default();
        let mut kinds = Numbers::default();
        macro_rules! each {
            ($entry:ident => $value:expr) => {
                entries.iter().map(|$entry: &OutlineEntry| $value).collect()
            };
        }
        Self {
            depths: each!(entry => entry.depth),
            slots: each!(entry => entry.slot.min(u16::MAX.into()) as u16),
            states: each!(entry => entry.state),
            kinds: each!(entry => kinds.of(entry.kind) as u8),
            pointers: each!(entry => entry.node.pointer),
            addresses: each!(entry => entry.address),
            bytes: each!(entry => entry.bytes as u32),
            primitives: each!(entry => entry.primitives.len() as u32),
            bases: each!(entry => bases.of(entry.node.base)),
            base_values: bases.values,
            kind_names: kinds.values,
            totals: outline.totals.clone(),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.pointers.len()
    }

    /// An entry, if there is one of that number.
    pub(crate) fn get(&self, entry: usize) -> Option<Entry> {
        Some(Entry {
            node: NodeRef { base: self.base(entry), pointer: *self.pointers.get(entry)? },
            address: self.addresses[entry],
            bytes: self.bytes[entry] as usize,
            state: self.states[entry],
        })
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry> {
        (0..self.len()).filter_map(|entry| self.get(entry))
    }

    /// The base that the pointer of an entry counts from.
    pub(crate) fn base(&self, entry: usize) -> u64 {
        self.bases.get(entry).map_or(0, |&number| self.base_values[number as usize])
    }

    /// Which structure an entry is.
    pub(crate) fn node(&self, entry: usize) -> Option<NodeRef> {
        self.get(entry).map(|entry| entry.node)
    }

    /// The first entry of a structure.
    pub(crate) fn position(&self, node: NodeRef) -> Option<usize> {
        let is_it = |entry: &usize| self.base(*entry) == node.base;
        let same = self.pointers.iter().enumerate().filter(|(_, other)| **other == node.pointer);
        same.map(|(entry, _)| entry).find(is_it)
    }
}

/// Numbers for values, in the order in which they first appear.
struct Numbers<T> {
    values: Vec<T>,
    known: HashMap<T, u32>,
    /// The last value: neighbours mostly share theirs.
    last: Option<(T, u32)>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { values: Vec::new(), known: HashMap::new(), last: None }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Numbers<T> {
    fn of(&mut self, value: T) -> u32 {
        if let Some((last, number)) = self.last
            && last == value
        {
            return number;
        }
        let next = self.values.len() as u32;
        let number = *self.known.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        self.last = Some((value, number));
        number
    }
}
