//! The ten result registers of the intersection instructions, by name and in words.
//!
//! What a register means depends on the node that was asked for (2.4 to 2.7 of AMD's guide and
//! GPURT's emulation); here it is written out for readers.

use crate::instruction::{Answer, Bvh8Operands, DualOperands};
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use crate::layout::{BasePointer, NodeKind, NodePointer, Resource};

/// What the registers of an answer mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The kind of node: for two nodes, of both.
    pub kind: &'static str,
    /// The registers, VGPR0..=9.
    pub registers: Vec<Register>,
}

/// One register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Its name for this kind of node.
    pub name: &'static str,
    /// What it says.
    pub value: String,
}

/// The registers of `image_bvh8_intersect_ray`.
#[must_use]
pub fn decode_bvh8(operands: &Bvh8Operands, answer: &Answer) -> Decoded {
    let words = &answer.vdst;
    let instances = operands.resource.instance_enabled;
    if words.iter().all(|&word| word == NodePointer::INVALID.0) {
        let kind = operands.node.kind_name();
        return Decoded {
            kind,
            registers: name_all(&["nothing"; 10], words, |_, _| "nothing".to_owned()),
        };
    }
    match operands.node.kind() {
        NodeKind::Box => Decoded {
            kind: "box",
            registers: name_all(&CHILDREN, words, |_, word| pointer(NodePointer(word))),
        },
        NodeKind::Primitive { .. } => primitive(&operands.resource, words),
        NodeKind::Instance if instances => instance(words),
        NodeKind::Instance | NodeKind::Unused => Decoded {
            kind: "unused",
            registers: name_all(&["nothing"; 10], words, |_, _| String::new()),
        },
    }
}

/// The registers of `image_bvh_dual_intersect_ray`.
#[must_use]
pub fn decode_dual(operands: &DualOperands, answer: &Answer) -> Decoded {
    let words = &answer.vdst;
    if is_instance(operands.nodes, &operands.resource) {
        return instance(words);
    }
    let [first, second] = operands.nodes.map(dual_kind);
    let names = dual_names(operands.nodes, &operands.resource);
    Decoded {
        kind: if first == second { first } else { "mixed" },
        registers: name_all(&names, words, |number, word| dual_value(names[number], word)),
    }
}

/// What an instruction on a node wrote, by name; registers that mean nothing are left out.
pub(crate) fn bvh8_outputs(node: NodePointer, answer: &Answer) -> Vec<(&'static str, u64)> {
    named(if node.is_box() { &CHILDREN } else { &INSTANCE }, answer)
}

/// The same for the dual instruction.
pub(crate) fn dual_outputs(
    nodes: [Bvh4Pointer; 2],
    resource: &Resource,
    answer: &Answer,
) -> Vec<(&'static str, u64)> {
    let is_instance = is_instance(nodes, resource);
    named(&if is_instance { INSTANCE } else { dual_names(nodes, resource) }, answer)
}

fn named(names: &[&'static str; 10], answer: &Answer) -> Vec<(&'static str, u64)> {
    let all = names.iter().copied().zip(answer.vdst.map(u64::from));
    all.filter(|(name, _)| !["unused", "undefined", "nothing"].contains(name)).collect()
}

/// Whether the dual instruction enters an instance.
fn is_instance([first, second]: [Bvh4Pointer; 2], resource: &Resource) -> bool {
    let is_one = |node: Bvh4Pointer| node.kind() == Bvh4Kind::Instance && !node.is_special();
    is_one(first) && resource.instance_enabled && !is_one(second)
}

const CHILDREN: [&str; 10] = [
    "child_0", "child_1", "child_2", "child_3", "child_4", "child_5", "child_6", "child_7",
    "unused", "unused",
];
const PRIMITIVE: [&str; 10] = [
    "t_0",
    "u_0",
    "v_0",
    "primitive_id_0",
    "t_1",
    "u_1",
    "v_1",
    "primitive_id_1",
    "geometry_id_0",
    "geometry_id_1",
];
/// Triangles of the dual instruction, with or without their ids.
const QUOTIENTS: [&str; 10] = [
    "t_num_0",
    "t_den_0",
    "i_num_0",
    "j_num_0",
    "t_num_1",
    "t_den_1",
    "i_num_1",
    "j_num_1",
    "geometry_id_0",
    "geometry_id_1",
];
const IDS: [&str; 10] = [
    "t_num_0",
    "t_den_0",
    "id_word_0",
    "hit_0",
    "t_num_1",
    "t_den_1",
    "id_word_1",
    "hit_1",
    "geometry_id_0",
    "geometry_id_1",
];
const INSTANCE: [&str; 10] = [
    "undefined",
    "undefined",
    "child_base_low",
    "child_base_high",
    "undefined",
    "undefined",
    "user_data",
    "child_results",
    "unused",
    "unused",
];

fn name_all(
    names: &[&'static str; 10],
    words: &[u32; 10],
    value: impl Fn(usize, u32) -> String,
) -> Vec<Register> {
    let both = names.iter().zip(words).enumerate();
    both.map(|(number, (&name, &word))| Register { name, value: value(number, word) }).collect()
}

fn pointer(pointer: NodePointer) -> String {
    match pointer.kind() {
        _ if pointer == NodePointer::INVALID => "nothing".to_owned(),
        NodeKind::Box => format!("box at base + {:#x}", pointer.byte_offset()),
        NodeKind::Instance => format!("instance at base + {:#x}", pointer.byte_offset()),
        NodeKind::Primitive { pair } => {
            format!("pair {pair} at base + {:#x}", pointer.byte_offset())
        }
        NodeKind::Unused => "a pointer of an unused type".to_owned(),
    }
}

/// With pointer flags, the signs of u and v say "procedural" and "not opaque".
fn primitive(resource: &Resource, words: &[u32; 10]) -> Decoded {
    let signs = resource.pointer_flags;
    let value = |number: usize, word: u32| {
        let float = f32::from_bits(word);
        let negative = word >> 31 != 0 && !float.is_nan();
        match number {
            0 | 4 if float == f32::INFINITY => "miss".to_owned(),
            1 | 5 if signs && negative => format!("{:?}, procedural", float.abs()),
            2 | 6 if signs && negative => format!("{:?}, not opaque", float.abs()),
            0..=2 | 4..=6 => format!("{float:?}"),
            3 | 7 => {
                format!("primitive {}, {}", word >> 1, if word & 1 != 0 { "back" } else { "front" })
            }
            _ => {
                let next = match word & 3 {
                    0 => "next: the next pair",
                    1 => "next: pair 0 of the next node",
                    _ => "the range ends",
                };
                format!("geometry {}, {next}", word >> 2)
            }
        }
    };
    Decoded { kind: "primitive", registers: name_all(&PRIMITIVE, words, value) }
}

fn instance(words: &[u32; 10]) -> Decoded {
    let base = BasePointer::from_words(words[2], words[3]);
    let value = |number: usize, word: u32| match number {
        2 => format!("address {:#x}", base.address()),
        3 => {
            let flags: Vec<String> =
                base.flags().iter_names().map(|(name, _)| name.to_lowercase()).collect();
            if flags.is_empty() { "no flags".to_owned() } else { flags.join(", ") }
        }
        6 => format!("{}", word & 0xFF_FFFF),
        7 if word == NodePointer::INVALID.0 => "nothing: missed or culled".to_owned(),
        7 => format!("{:02x?}, nearest first; ff is a miss", word.to_le_bytes()),
        _ => String::new(),
    };
    Decoded { kind: "instance", registers: name_all(&INSTANCE, words, value) }
}

/// The kind of a node of the dual instruction.
fn dual_kind(node: Bvh4Pointer) -> &'static str {
    match node.kind() {
        _ if node.is_special() => "nothing",
        Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 => "triangle",
        Bvh4Kind::Fp32Box | Bvh4Kind::HalfBox => "box",
        _ => "user",
    }
}

/// Names of the registers: four words for each node, and a geometry for each. Two boxes may be
/// sorted together: their children are numbered as one list.
fn dual_names(nodes: [Bvh4Pointer; 2], resource: &Resource) -> [&'static str; 10] {
    let mut names = ["nothing"; 10];
    for (slot, node) in nodes.into_iter().enumerate() {
        let places = [4 * slot, 4 * slot + 1, 4 * slot + 2, 4 * slot + 3, 8 + slot];
        let table = match dual_kind(node) {
            "triangle" if resource.triangle_return_mode => &QUOTIENTS,
            "triangle" => &IDS,
            "box" => &CHILDREN,
            _ => &["nothing"; 10],
        };
        places.into_iter().for_each(|place| names[place] = table[place]);
        names[8 + slot] = IDS[8 + slot];
    }
    names
}

fn dual_value(name: &str, word: u32) -> String {
    match name.trim_end_matches(|letter: char| letter == '_' || letter.is_ascii_digit()) {
        "nothing" => "nothing".to_owned(),
        "t_num" | "t_den" | "i_num" | "j_num" => format!("{:?}", f32::from_bits(word)),
        "id_word" => format!("{word:#x}"),
        _ if word == NodePointer::INVALID.0 => "nothing".to_owned(),
        "geometry_id" | "hit" => word.to_string(),
        _ => {
            let pointer = Bvh4Pointer(word);
            format!("{} at base + {:#x}", pointer.kind_name(), pointer.byte_offset())
        }
    }
}
