//! One structure of an image in words. The image may be unsound. A pointer is an address; it names
//! the directory, a level, or the element of an array that begins there.

use crate::directory::{
    HEADER_BYTES, HeaderFields, ID_BYTES, INSTANCE_BYTES, IdFields, InstanceFields, Level,
    LevelFields, RECORD_BYTES, REFERENCE_BYTES, ReferenceFields, TRIANGLE_BYTES, TriangleFields,
    record_address, records,
};
use crate::node::{Child, NODE_BYTES, Node};
use machine::bits::Bits;
use machine::{DescribeError, DescribedField, Description, Image, NodeRef};

/// Describes the structure at an address.
///
/// # Errors
/// When none begins there, or memory does not have it.
pub(crate) fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let structure = Structure::at(image, node.pointer).ok_or(DescribeError::NoStructure(node))?;
    structure.describe(image, node)
}

/// What begins at an address.
enum Structure<'a> {
    Directory,
    Level,
    Node(Level<'a>),
    /// A triangle, and where its ids lie.
    Triangle {
        ids: u64,
    },
    Reference(Level<'a>),
    Ids,
    Instance,
}

impl<'a> Structure<'a> {
    fn at(image: &'a Image, address: u64) -> Option<Self> {
        if address == image.root {
            return Some(Self::Directory);
        }
        let (_, records) = records(image)?;
        (0..).zip(&records).find_map(|(number, record)| {
            if record_address(image, number) == Some(address) {
                return Some(Self::Level);
            }
            let level = Level::open(image, record);
            let mut arrays = record.arrays().into_iter().enumerate();
            let (array, number) = arrays.find_map(|(array, (start, count, size))| {
                let byte = address.checked_sub(start)?;
                let number = byte / size as u64;
                (byte % size as u64 == 0 && number < count.into()).then_some((array, number))
            })?;
            Some(match (array, record.is_tlas()) {
                (0, _) => Self::Node(level),
                (1, true) => Self::Reference(level),
                (1, false) => Self::Triangle {
                    ids: record.side_table.saturating_add(number * ID_BYTES as u64),
                },
                (_, true) => Self::Instance,
                (_, false) => Self::Ids,
            })
        })
    }

    fn describe(&self, image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
        let address = node.pointer;
        let (kind, bytes) = match self {
            Self::Directory => ("directory", HEADER_BYTES),
            Self::Level => ("level", RECORD_BYTES),
            Self::Node(_) => ("node", NODE_BYTES),
            Self::Triangle { .. } => ("triangle", TRIANGLE_BYTES),
            Self::Reference(_) => ("reference", REFERENCE_BYTES),
            Self::Ids => ("ids", ID_BYTES),
            Self::Instance => ("instance", INSTANCE_BYTES),
        };
        let memory = image.get(address, bytes).ok_or(DescribeError::Outside { node, address })?;
        let mut beside = Vec::new();
        let fields = match self {
            Self::Directory => HeaderFields::describe(&Bits::from_bytes(memory)),
            Self::Level => {
                let fields = LevelFields::describe(&Bits::from_bytes(memory));
                linked(fields, "nodes", |raw| reference(image, raw))
            }
            Self::Node(level) => node_fields(image, level, memory),
            Self::Triangle { ids } => {
                beside.extend(Self::Ids.describe(image, NodeRef { pointer: *ids, ..node }).ok());
                TriangleFields::describe(&Bits::from_bytes(memory))
            }
            Self::Reference(level) => {
                let fields = ReferenceFields::describe(&Bits::from_bytes(memory));
                let start = level.record.side_table;
                let at = |raw: u64| start.saturating_add(INSTANCE_BYTES as u64 * raw);
                linked(fields, "instance", |raw| reference(image, at(raw)))
            }
            Self::Ids => IdFields::describe(&Bits::from_bytes(memory)),
            Self::Instance => {
                let fields = InstanceFields::describe(&Bits::from_bytes(memory));
                let record = |raw: u64| record_address(image, u32::try_from(raw).ok()?);
                linked(fields, "blas", |raw| reference(image, record(raw)?))
            }
        };
        Ok(Description { node, kind, address, bytes, fields, beside })
    }
}

fn node_fields(image: &Image, level: &Level<'_>, memory: &[u8]) -> Vec<DescribedField> {
    let node = Node::from_bytes(memory);
    let mut fields = Node::describe(&Bits::from_bytes(memory));
    for (slot, child) in node.children() {
        let address = match child {
            Child::Node(number) => level.node_address(number),
            Child::Leaf { first, .. } => level.item_address(first),
            Child::Empty => continue,
        };
        fields = linked(fields, &format!("meta[{slot}]"), |_| reference(image, address));
    }
    fields
}

/// The reference to a structure that memory has.
fn reference(image: &Image, address: u64) -> Option<NodeRef> {
    image.get(address, 1).map(|_| NodeRef::from_root(image, address))
}

fn linked(
    mut fields: Vec<DescribedField>,
    name: &str,
    link: impl Fn(u64) -> Option<NodeRef>,
) -> Vec<DescribedField> {
    for field in fields.iter_mut().filter(|field| field.name == name) {
        field.link = link(field.raw);
    }
    fields
}
