//! Field tables: a structure of a format, described once.
//!
//! [`fields!`](crate::fields!) declares a structure by its fields: each with its meaning (the doc
//! comment), its type, its bits, and how it is shown. From that one table come the type itself, its
//! `decode` and `encode`, the described fields that people read ([`crate::Description`]), the page
//! of the book ([`FieldTable`]), and one constant for each field, named like it, for the bit ranges
//! of findings:
//!
//! ```
//! use machine::fields::{MinusOne, Show, hex};
//! machine::fields! {
//!     /// A node of two dwords.
//!     #[derive(Clone, Copy, PartialEq, Debug)]
//!     pub struct Node: 2 words {
//!         /// Where the children start.
//!         pub base: u32 = 0..28, Show::Each(hex);
//!         /// How many there are.
//!         pub count: u8 as MinusOne = 28..32, Show::Each(|raw| format!("{} children", raw + 1));
//!         /// Lower corner.
//!         pub min: [u16; 3] = 32..44 | 44..56 | 56..64;
//!     }
//! }
//! let node = Node { base: 0x40, count: 8, min: [5, 6, 7] };
//! let bits = node.encode();
//! assert_eq!(bits.words(), &[0x7000_0040, 0x0700_6005]);
//! assert_eq!(Node::decode(&bits), node);
//! assert_eq!(Node::count.bits(), 28..32);
//! assert_eq!(Node::min.element(1), 44..56);
//! let fields = Node::describe(&bits);
//! assert_eq!((fields[1].raw, fields[1].value.as_str()), (7, "8 children"));
//! assert_eq!((fields[3].name.as_str(), fields[3].meaning), ("min_y", "Lower corner."));
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`value`](FieldValue) | what can stand in a field, and how it is read, written and shown |
//! | `table` | the macro |

mod table;
mod value;

pub use value::{Codec, FieldList, FieldValue, Halved, MinusOne, Plain, hex};

use crate::bits::Bits;
use crate::description::DescribedField;
use std::ops::Range;

/// A structure as a table of fields, for documents.
#[derive(Debug, Clone, Copy)]
pub struct FieldTable {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Where that comes from: a public document or a decision.
    pub source: &'static str,
    /// Its size in dwords.
    pub words: usize,
    /// Its fields.
    pub fields: &'static [Field],
    /// Every number of it by name, as [`crate::Description`] shows them: of zeros.
    pub parts: fn() -> Vec<DescribedField>,
}

/// One field of a structure.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its bits. An array has one place that its elements share evenly, or one for each of them.
    pub places: &'static [Range<usize>],
    /// Its type.
    pub type_name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What its numbers count; empty for plain counts, names and flags.
    pub unit: &'static str,
    /// Where that comes from: a public document or a decision.
    pub source: &'static str,
    /// How it is shown.
    pub show: Show,
    /// The fields of the structure, or of each of the structures, that stands there; else none.
    pub fields: &'static [Field],
    /// Elements of an array; 1 if the field is none.
    pub elements: usize,
}

/// How a field is shown.
#[derive(Debug, Clone, Copy)]
pub enum Show {
    /// As its type is.
    Value,
    /// Each number of it in words.
    Each(fn(u64) -> String),
    /// All of it, at most 64 bits, as one number in words.
    Whole(fn(u64) -> String),
    /// The fields of the structure that stands there, without its name before theirs.
    Flat,
    /// By its bits only: nothing reads it.
    Unused,
}

impl Field {
    /// From its first bit to its last.
    #[must_use]
    pub const fn bits(&self) -> Range<u32> {
        let last = &self.places[self.places.len() - 1];
        self.places[0].start as u32..last.end as u32
    }

    /// The bits of an element.
    #[must_use]
    #[inline]
    pub const fn element(&self, index: usize) -> Range<usize> {
        element(self.places, self.elements, index)
    }

    /// The bits of an element, as findings name them.
    #[must_use]
    pub const fn element_bits(&self, index: usize) -> Range<u32> {
        let Range { start, end } = self.element(index);
        start as u32..end as u32
    }

    /// Its bits where the structure starts at a bit of another.
    #[must_use]
    pub const fn bits_from(&self, start: usize) -> Range<u32> {
        let Range { start: first, end } = self.bits();
        first + start as u32..end + start as u32
    }

    /// What stands there, at most 32 bits.
    #[must_use]
    #[inline]
    pub fn get<const WORDS: usize>(&self, bits: &Bits<WORDS>) -> u32 {
        bits.get(self.places[0].start..self.places[0].end)
    }
}

/// The bits of an element of an array.
#[inline(always)]
const fn element(places: &[Range<usize>], count: usize, index: usize) -> Range<usize> {
    let Range { start, end } = places[0];
    if places.len() > 1 {
        return places[index].start..places[index].end;
    }
    let width = (end - start) / count;
    start + width * index..start + width * (index + 1)
}
