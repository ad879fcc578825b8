//! What registers mean, before the instruction and after it.

use crate::instruction::Operands;
use crate::layout::Resource;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer};
use bvh4::unit::NOTHING;

impl Operands {
    /// The operands by name.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        let names = [
            ["origin_x", "origin_y", "origin_z"],
            ["direction_x", "direction_y", "direction_z"],
            ["inverse_x", "inverse_y", "inverse_z"],
        ];
        let vectors = [self.origin, self.direction, self.inverse];
        let mut named = vec![("node", self.node), ("extent", self.extent.to_bits().into())];
        for (names, vector) in names.into_iter().zip(vectors) {
            named.extend(names.into_iter().zip(vector.map(|x| x.to_bits().into())));
        }
        named
    }
}

/// The kind of a node, and name and meaning of each result of an instruction on it.
#[must_use]
pub fn decode(
    node: Bvh4Pointer,
    resource: &Resource,
    words: [u32; 4],
) -> (&'static str, Vec<(&'static str, String)>) {
    let names = match (node.kind(), resource.triangle_return_mode) {
        (Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box, _) => ["child_0", "child_1", "child_2", "child_3"],
        (Bvh4Kind::Instance | Bvh4Kind::User, _) => ["nothing"; 4],
        (_, true) => ["t_num", "t_den", "i_num", "j_num"],
        (_, false) => ["t_num", "t_den", "id_word", "hit"],
    };
    let value = |name: &str, word: u32| match name {
        "nothing" => String::new(),
        "id_word" => format!("{word:#010x}"),
        "hit" => word.to_string(),
        _ if name.starts_with("child") && word == NOTHING => "none".to_owned(),
        _ if name.starts_with("child") => {
            let child = Bvh4Pointer(word);
            format!("{} at base + {:#x}", child.kind_name(), child.byte_offset())
        }
        _ => format!("{:?}", f32::from_bits(word)),
    };
    let kind = match node.kind() {
        Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => "box",
        Bvh4Kind::Instance => "instance",
        Bvh4Kind::User => "user",
        _ => "triangle",
    };
    let named = names.into_iter().zip(words).map(|(name, word)| (name, value(name, word)));
    (kind, named.collect())
}
