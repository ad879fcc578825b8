//! Collecting what a check finds at addresses of an image.

use super::memory::Memory;
use machine::{CheckRule, Finding};
use std::ops::{Deref, Range};

/// Findings so far, about the rules of a format.
#[derive(Debug)]
pub struct Findings<R>(machine::Findings<R>);

impl<R> Default for Findings<R> {
    fn default() -> Self {
        Self(machine::Findings::default())
    }
}

impl<R> Deref for Findings<R> {
    type Target = machine::Findings<R>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Where a finding is: bits of a node or record, and its name in words.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The image.
    pub memory: &'a Memory<'a>,
    /// Address of the node or record.
    pub address: u64,
    /// What it is called.
    pub name: &'a dyn Fn() -> String,
}

impl<R: CheckRule> Findings<R> {
    /// Notes that `rule` is broken. The texts are made only when they are kept.
    pub fn add(
        &mut self,
        rule: R,
        place: &Place<'_>,
        bits: Range<u32>,
        texts: impl FnOnce() -> (String, String),
    ) {
        self.add_at(rule, place.memory, place.address, bits, || {
            let (found, expected) = texts();
            [found, expected, (place.name)()]
        });
    }

    /// Notes that `rule` is broken by bits of what lies at `address`. The texts (found, expected,
    /// place) are made only when they are kept.
    pub fn add_at(
        &mut self,
        rule: R,
        memory: &Memory<'_>,
        address: u64,
        bits: Range<u32>,
        texts: impl FnOnce() -> [String; 3],
    ) {
        self.0.add_with(rule, memory.offset_of(address), bits, texts);
    }

    /// The same for a rule that can say how badly it is broken.
    pub fn add_weighted(
        &mut self,
        rule: R,
        weight: u64,
        place: &Place<'_>,
        bits: Range<u32>,
        texts: impl FnOnce() -> (String, String),
    ) {
        let offset = place.memory.offset_of(place.address);
        self.0.add_weighted(rule, weight, offset, bits, || {
            let (found, expected) = texts();
            [found, expected, (place.name)()]
        });
    }

    /// Takes over what another collector found.
    pub fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
    }

    /// The report, in its order.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Finding> {
        self.0.into_sorted()
    }
}
