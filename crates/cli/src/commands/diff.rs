//! `siliray diff`: how two images differ.

use super::open_image;
use crate::failure::Failure;
use crate::image_args::Diff;
use crate::output::Output;
use crate::output::number::{counted, grouped};
use serde::Serialize;
use siliray::gfx12::decode::nodes;
use siliray::gfx12::describe::{dual_fields, fields, header_fields};
use siliray::gfx12::layout::uncompressed::DualPointer;
use siliray::gfx12::layout::{NodeBits, NodePointer};
use siliray::gfx12::uncompressed::{NAME as UNCOMPRESSED, nodes::nodes as dual_nodes};
use siliray::machine::{DescribedField, ImageFile};
use std::collections::BTreeMap;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    equal: bool,
    nodes: [usize; 2],
    differences: Vec<Difference>,
    other_bytes: usize,
}

/// A node that is not the same in both images.
#[derive(Serialize)]
struct Difference {
    structure: u32,
    pointer: String,
    kind: &'static str,
    /// "a" or "b" if the other image has no such node.
    only_in: Option<&'static str>,
    fields: Vec<FieldDifference>,
}

#[derive(Serialize)]
struct FieldDifference {
    name: String,
    bits: [u32; 2],
    a: String,
    b: String,
}

/// Compares the files.
pub(crate) fn run(args: &Diff, output: &Output) -> Result<(), Failure> {
    let first = open_image(&args.first, &args.image, None)?.file;
    let second = open_image(&args.second, &args.image, None)?.file;
    let (one, other) = (first.image.format, second.image.format);
    if one != other {
        let message = format!("one image has the format {one}, the other {other}");
        return Err(Failure::input(message));
    }
    let (a, b) = (by_pointer(&first), by_pointer(&second));
    let mut differences = header_differences(&first, &second);
    let keys: Vec<_> = a.keys().chain(b.keys().filter(|key| !a.contains_key(key))).collect();
    differences.extend(keys.into_iter().filter_map(|key| difference(*key, a.get(key), b.get(key))));
    differences.sort_by_key(|difference| difference.structure);
    let other_bytes = if differences.is_empty() { other_bytes(&first, &second) } else { 0 };
    let json = Json {
        equal: differences.is_empty() && other_bytes == 0,
        nodes: [a.len(), b.len()],
        differences,
        other_bytes,
    };
    output.result(&json, &text(&json))?;
    if json.equal { Ok(()) } else { Err(Failure::quiet()) }
}

type Key = (u32, u32);

/// A node of either format.
struct Node {
    pointer: u32,
    kind: &'static str,
    bits: NodeBits,
    fields: fn(u32, &NodeBits) -> Vec<DescribedField>,
}

/// The nodes of an image by structure and pointer.
fn by_pointer(file: &ImageFile) -> BTreeMap<Key, Node> {
    if file.image.format == UNCOMPRESSED {
        let node = |pointer: DualPointer, bits| Node {
            pointer: pointer.0,
            kind: pointer.kind_name(),
            bits,
            fields: |pointer, bits| dual_fields(DualPointer(pointer), bits),
        };
        let nodes = dual_nodes(&file.image).into_iter();
        nodes
            .map(|found| ((found.structure, found.pointer.0), node(found.pointer, found.bits)))
            .collect()
    } else {
        let node = |pointer: NodePointer, bits| Node {
            pointer: pointer.0,
            kind: pointer.kind_name(),
            bits,
            fields: |pointer, bits| fields(NodePointer(pointer), bits),
        };
        nodes(&file.image)
            .map(|found| {
                ((found.structure, found.pointer.0), node(found.pointer, found.body.bits()))
            })
            .collect()
    }
}

fn difference(key: Key, a: Option<&Node>, b: Option<&Node>) -> Option<Difference> {
    let node = a.or(b)?;
    let only_in = match (a, b) {
        (Some(_), None) => Some("a"),
        (None, Some(_)) => Some("b"),
        _ => None,
    };
    let fields = a.zip(b).map_or(Vec::new(), |(a, b)| {
        if a.bits == b.bits { Vec::new() } else { field_differences(a, b) }
    });
    let differs = only_in.is_some() || !fields.is_empty();
    differs.then(|| Difference {
        structure: key.0,
        pointer: format!("{:#x}", node.pointer),
        kind: node.kind,
        only_in,
        fields,
    })
}

/// Fields by name; where the bits differ but no field does, the dwords.
fn field_differences(a: &Node, b: &Node) -> Vec<FieldDifference> {
    let other: BTreeMap<String, _> = (b.fields)(b.pointer, &b.bits)
        .into_iter()
        .map(|field| (field.name.clone(), field))
        .collect();
    let mut found = Vec::new();
    let mut seen = 0;
    for field in (a.fields)(a.pointer, &a.bits) {
        let there = other.get(&field.name);
        seen += usize::from(there.is_some());
        if there.is_none_or(|there| (there.raw, &there.value) != (field.raw, &field.value)) {
            found.push(FieldDifference {
                bits: [field.bits.start, field.bits.end],
                a: field.value,
                b: there.map_or("none".to_owned(), |there| there.value.clone()),
                name: field.name,
            });
        }
    }
    if seen < other.len() || found.is_empty() {
        for (dword, (a, b)) in (0u32..).zip(a.bits.words().iter().zip(b.bits.words())) {
            if a != b {
                found.push(FieldDifference {
                    name: format!("dword {dword}"),
                    bits: [32 * dword, 32 * dword + 32],
                    a: format!("{a:#010x}"),
                    b: format!("{b:#010x}"),
                });
            }
        }
    }
    found
}

/// Headers of the structures, segment by segment.
fn header_differences(first: &ImageFile, second: &ImageFile) -> Vec<Difference> {
    let both = first.image.segments.iter().zip(&second.image.segments);
    let mut found = Vec::new();
    for (structure, (a, b)) in (0u32..).zip(both) {
        let (Some(a), Some(b)) = (header_fields(a.bytes()), header_fields(b.bytes())) else {
            continue;
        };
        let fields: Vec<FieldDifference> = a
            .into_iter()
            .zip(b)
            .filter(|(a, b)| a.raw != b.raw)
            .map(|(a, b)| FieldDifference {
                name: a.name,
                bits: [a.bits.start, a.bits.end],
                a: a.value,
                b: b.value,
            })
            .collect();
        if !fields.is_empty() {
            let pointer = "0x0".to_owned();
            found.push(Difference { structure, pointer, kind: "header", only_in: None, fields });
        }
    }
    found
}

/// Bytes that differ though all headers and nodes agree: what software keeps beside them.
fn other_bytes(first: &ImageFile, second: &ImageFile) -> usize {
    let (a, b) = (&first.image.segments, &second.image.segments);
    let missing: usize =
        a.iter().skip(b.len()).chain(b.iter().skip(a.len())).map(|s| s.bytes().len()).sum();
    let pairs = a.iter().zip(b).map(|(a, b)| (a.bytes(), b.bytes()));
    let differing = pairs
        .map(|(a, b)| a.len().abs_diff(b.len()) + a.iter().zip(b).filter(|(a, b)| a != b).count());
    missing + differing.sum::<usize>()
}

fn text(json: &Json) -> String {
    let mut text = String::new();
    for difference in &json.differences {
        let Difference { structure, pointer, kind, only_in, fields } = difference;
        text += &format!("structure {structure}, {kind} {pointer}");
        text += &only_in.map_or("\n".to_owned(), |file| format!(": only in {file}\n"));
        for field in fields {
            let [start, end] = field.bits;
            text += &format!("  {}, bits {start}..{end}\n", field.name);
            text += &format!("    a {}\n    b {}\n", field.a, field.b);
        }
    }
    let [a, b] = json.nodes;
    let verdict = if json.equal {
        "equal".to_owned()
    } else if json.differences.is_empty() {
        let differ = if json.other_bytes == 1 { "differs" } else { "differ" };
        format!("{} beside the nodes {differ}", counted(json.other_bytes, "byte"))
    } else {
        match json.differences.len() {
            1 => "1 node or header differs".to_owned(),
            many => format!("{} nodes and headers differ", grouped(many as u64)),
        }
    };
    text + &format!("{verdict}; {} and {}\n", grouped(a as u64), counted(b, "node"))
}
