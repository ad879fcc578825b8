//! Where a program spends its instructions.

use crate::elf::Program;
use crate::hart::Hart;
use std::collections::{BTreeMap, HashMap};

/// Addresses of one page: counts are kept for the pages that were run.
const PAGE: u64 = 4096;

/// How often the instruction at each address has retired.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Counts of a page, one for each even address.
    pages: Vec<Vec<u64>>,
    places: HashMap<u64, usize>,
    /// The page of the last instruction, and its place.
    last: Option<(u64, usize)>,
    total: u64,
}

/// Something that instructions were spent on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spent {
    /// A mnemonic or a symbol.
    pub name: String,
    /// Instructions.
    pub count: u64,
}

impl Profile {
    /// Counts the instruction at `pc`.
    #[inline]
    pub fn count(&mut self, pc: u64) {
        let page = pc / PAGE;
        let place = match self.last {
            Some((known, place)) if known == page => place,
            _ => {
                let pages = &mut self.pages;
                let place = *self.places.entry(page).or_insert_with(|| {
                    pages.push(vec![0; PAGE as usize / 2]);
                    pages.len() - 1
                });
                self.last = Some((page, place));
                place
            }
        };
        self.pages[place][(pc % PAGE / 2) as usize] += 1;
        self.total += 1;
    }

    /// Instructions in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// By mnemonic, the most frequent first. Code is taken as it stands in memory now.
    #[must_use]
    pub fn instructions(&self, hart: &Hart) -> Vec<Spent> {
        self.by_name(|pc| match hart.instruction_bits(pc) {
            Some(bits) => hart.disassemble(bits, pc).mnemonic,
            None => NOWHERE.to_owned(),
        })
    }

    /// By the symbol before each instruction, the hottest first.
    #[must_use]
    pub fn functions(&self, program: &Program) -> Vec<Spent> {
        let labels = program.labels();
        self.by_name(|pc| {
            let behind = labels.partition_point(|(address, _)| *address <= pc);
            let label = behind.checked_sub(1).map(|before| labels[before].1);
            label.unwrap_or(NOWHERE).to_owned()
        })
    }

    fn by_name(&self, name: impl Fn(u64) -> String) -> Vec<Spent> {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for (page, place) in &self.places {
            for (slot, count) in (0..).zip(&self.pages[*place]).filter(|(_, count)| **count > 0) {
                *sums.entry(name(page * PAGE + 2 * slot)).or_default() += count;
            }
        }
        let mut spent: Vec<Spent> =
            sums.into_iter().map(|(name, count)| Spent { name, count }).collect();
        spent.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        spent
    }
}

/// What no symbol, or no memory, stands for.
const NOWHERE: &str = "?";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_to_the_symbol_before_them() {
        let mut profile = Profile::default();
        for (pc, times) in [(0x8000_0FFE, 3), (0x8000_1000, 5), (0x8000_1002, 1), (0x10, 2)] {
            (0..times).for_each(|_| profile.count(pc));
        }
        let symbols = [("main", 0x8000_0000), ("loop", 0x8000_1000), (".L1", 0x8000_1002)];
        let program = Program {
            symbols: symbols.map(|(name, at)| (name.to_owned(), at)).into_iter().collect(),
            code: vec![(0x8000_0000, 0x2000)],
            ..Program::default()
        };
        let spent = profile.functions(&program);
        let spent: Vec<(&str, u64)> = spent.iter().map(|it| (it.name.as_str(), it.count)).collect();
        assert_eq!(spent, [("loop", 6), ("main", 3), ("?", 2)]);
        assert_eq!(profile.total(), 11);
    }
}
