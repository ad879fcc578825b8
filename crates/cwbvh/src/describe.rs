//! One structure of an image in words. The image may be unsound. A pointer is an address; it names
//! the directory, a level, or the element of an array that begins there.

use crate::directory::{
    HEADER_BYTES, HeaderFields, ID_BYTES, INSTANCE_BYTES, IdFields, InstanceFields, Level,
    LevelFields, RECORD_BYTES, REFERENCE_BYTES, ReferenceFields, TRIANGLE_BYTES, TriangleFields,
    record_address, records,
};
use crate::node::{Child, NODE_BYTES, Node};
use geometry::Aabb;
use geometry::grid::inner_box;
use machine::bits::Bits;
use machine::description::linked;
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
        Ok(Description { node, kind, address, bytes, fields, beside, frame: None })
    }
}

/// Planes of children as the node names them, and as other formats do.
const PLANES: [(&str, &str); 6] = [
    ("qlo_x", "min_x"),
    ("qlo_y", "min_y"),
    ("qlo_z", "min_z"),
    ("qhi_x", "max_x"),
    ("qhi_y", "max_y"),
    ("qhi_z", "max_z"),
];

/// The fields of a node; those of a child have a name in common, as in `children[3].min_x`.
fn node_fields(image: &Image, level: &Level<'_>, memory: &[u8]) -> Vec<DescribedField> {
    let node = Node::from_bytes(memory);
    let mut fields = Node::describe(&Bits::from_bytes(memory));
    for field in &mut fields {
        let indexed = field.name.strip_suffix(']').and_then(|name| name.split_once('['));
        let Some((name, Ok(slot))) = indexed.map(|(name, slot)| (name, slot.parse())) else {
            continue;
        };
        if name == "meta" {
            let address = match node.child(slot) {
                Some(Child::Node(number)) => Some(level.node_address(number)),
                Some(Child::Leaf { first, .. }) => Some(level.item_address(first)),
                Some(Child::Empty) => {
                    field.value = "slot not used".to_owned();
                    None
                }
                None => None,
            };
            field.link = address.and_then(|address| reference(image, address));
            field.name = format!("children[{slot}].meta");
        } else if let Some(plane) = PLANES.iter().position(|(own, _)| *own == name) {
            let Aabb { min, max } = inner_box(&node.axes(), node.low(slot), node.high(slot));
            let value = if plane < 3 { min[plane] } else { max[plane - 3] };
            field.value = format!("{} → {value:?}", field.raw);
            field.name = format!("children[{slot}].{}", PLANES[plane].1);
        }
    }
    fields
}

/// The reference to a structure that memory has.
fn reference(image: &Image, address: u64) -> Option<NodeRef> {
    image.get(address, 1).map(|_| NodeRef::from_root(image, address))
}
