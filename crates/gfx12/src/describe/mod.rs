//! Nodes as named fields: what people read and compare.
//!
//! The fields are those of the tables in [`crate::layout`]; here they get what only the whole node
//! tells: decoded planes, and where children lie. Fields of packed nodes lie where the node's
//! header says. Of bits that nothing reads only those of primitive nodes are left out.
//!
//! ```
//! use gfx12::describe::fields;
//! use gfx12::layout::{NodeBits, NodePointer};
//! let mut words = [0; 32];
//! words[0] = 0x10;
//! let fields = fields(NodePointer(0x15), &NodeBits::from_words(words));
//! assert_eq!((fields[0].name.as_str(), fields[0].bits.clone()), ("internal_base", 0..32));
//! assert_eq!((fields[0].raw, fields[0].value.as_str()), (0x10, "base + 0x80"));
//! ```
//!
//! | file | concept |
//! |---|---|
//! | `compressed` | nodes of the format `gfx12` |
//! | `primitive` | its primitive nodes |
//! | `bvh4x2` | nodes of the format `gfx12-bvh4x2` |

mod bvh4x2;
mod compressed;
mod primitive;

pub use bvh4x2::{bvh4x2_describe, dual_fields};
pub use compressed::{describe, fields};

use crate::layout::NodeBits;
use machine::DescribedField;

/// Dwords that nothing reads.
fn dwords(bits: &NodeBits, count: u32) -> Vec<DescribedField> {
    (0..count)
        .zip(bits.words())
        .map(|(dword, &raw)| DescribedField {
            name: format!("dword {dword}"),
            bits: 32 * dword..32 * dword + 32,
            raw: raw.into(),
            value: String::new(),
            meaning: "A node of a type that nothing reads.",
            unit: "",
            source: "RDNA4 ISA guide 10.9",
            link: None,
        })
        .collect()
}

/// The field of a name: tables give each of them one.
fn field<'a>(fields: &'a mut [DescribedField], name: &str) -> Option<&'a mut DescribedField> {
    fields.iter_mut().find(|field| field.name == name)
}

/// Says more of a field than its own bits do.
fn set_value(fields: &mut [DescribedField], name: &str, value: String) {
    if let Some(field) = field(fields, name) {
        field.value = value;
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];
