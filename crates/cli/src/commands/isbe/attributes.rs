//! `siliray isbe attributes`: what attributes are called and mean, and their bits in a header.

use crate::failure::Failure;
use crate::output::{Output, Table};
use siliray::documents::isbe::attributes::{AttributeDocument, AttributesDocument};

/// Lists every attribute by id.
pub(crate) fn run(output: &Output) -> Result<(), Failure> {
    let json = AttributesDocument::new();
    let mut table = Table::new(&["id", "name", "word", "meaning", "imap bit", "omap bit"]).left(4);
    for AttributeDocument { id, name, imap_bit, omap_bit, word, meaning } in &json.attributes {
        let [imap, omap] = [imap_bit, omap_bit].map(ToString::to_string);
        let (word, meaning) = ((*word).to_owned(), (*meaning).to_owned());
        table.row(vec![format!("{id:#05x}"), name.clone(), word, meaning, imap, omap]);
    }
    output.result(&json, &table.text())
}
