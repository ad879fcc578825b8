//! `siliray isbe attributes`: what attributes are called and mean, and their bits in a header.

use crate::failure::Failure;
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::isbe::AttributeId;
use siliray::isbe::attribute::WordType;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    attributes: Vec<JsonAttribute>,
}

/// One scalar attribute.
#[derive(Serialize)]
pub(super) struct JsonAttribute {
    pub(super) id: u16,
    pub(super) name: String,
    pub(super) imap_bit: usize,
    pub(super) omap_bit: usize,
    pub(super) word: &'static str,
    pub(super) meaning: &'static str,
}

impl From<AttributeId> for JsonAttribute {
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

/// Lists every attribute by id.
pub(crate) fn run(output: &Output) -> Result<(), Failure> {
    let ids = (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot);
    let json = Json { attributes: ids.map(JsonAttribute::from).collect() };
    let mut table = Table::new(&["id", "name", "word", "meaning", "imap bit", "omap bit"]).left(4);
    for JsonAttribute { id, name, imap_bit, omap_bit, word, meaning } in &json.attributes {
        let [imap, omap] = [imap_bit, omap_bit].map(ToString::to_string);
        let (word, meaning) = ((*word).to_owned(), (*meaning).to_owned());
        table.row(vec![format!("{id:#05x}"), name.clone(), word, meaning, imap, omap]);
    }
    output.result(&json, &table.text())
}
