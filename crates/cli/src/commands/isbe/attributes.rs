//! `siliray isbe attributes`: what attributes are called, and their bits in a header.

use crate::failure::Failure;
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::isbe::AttributeId;

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
}

impl From<AttributeId> for JsonAttribute {
    fn from(id: AttributeId) -> Self {
        let (imap_bit, omap_bit) = (id.imap_bit(), id.omap_bit());
        Self { id: id.value(), name: id.to_string(), imap_bit, omap_bit }
    }
}

/// Lists every attribute by id.
pub(crate) fn run(output: &Output) -> Result<(), Failure> {
    let ids = (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot);
    let json = Json { attributes: ids.map(JsonAttribute::from).collect() };
    let mut table = Table::new(&["id", "name", "imap bit", "omap bit"]).left(2);
    for JsonAttribute { id, name, imap_bit, omap_bit } in &json.attributes {
        let bits = [imap_bit, omap_bit].map(ToString::to_string);
        table.row([format!("{id:#05x}"), name.clone()].into_iter().chain(bits).collect());
    }
    output.result(&json, &table.text())
}
