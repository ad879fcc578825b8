//! Attributes: what they are called and mean, and their bits in a header.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use isbe::AttributeId;
use isbe::attribute::WordType;
use serde::Serialize;

/// Every attribute, by id.
#[derive(Debug, Clone, Serialize)]
pub struct AttributesDocument {
    pub attributes: Vec<AttributeDocument>,
}

/// One scalar attribute.
#[derive(Debug, Clone, Serialize)]
pub struct AttributeDocument {
    pub id: u16,
    pub name: String,
    pub imap_bit: usize,
    pub omap_bit: usize,
    pub word: &'static str,
    pub meaning: &'static str,
}

impl From<AttributeId> for AttributeDocument {
    fn from(id: AttributeId) -> Self {
        let (imap_bit, omap_bit) = (id.imap_bit(), id.omap_bit());
        let word = match id.word_type() {
            WordType::Float => "f32",
            WordType::Integer => "u32",
        };
        let (name, meaning) = (id.to_string(), id.meaning());
        Self { id: id.value(), name, imap_bit, omap_bit, word, meaning }
    }
}

impl Default for AttributesDocument {
    fn default() -> Self {
        Self::new()
    }
}

impl AttributesDocument {
    /// All of them.
    #[must_use]
    pub fn new() -> Self {
        let ids = (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot);
        Self { attributes: ids.map(AttributeDocument::from).collect() }
    }
}
