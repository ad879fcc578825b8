//! Rays and hits as bytes.

use super::record::NAMES;
use super::table_writer::{TableError, TableWriter, Value, Values};
use super::{Layout, npy};
use geometry::{Ray, Vec3};
use machine::Hit;
use std::fmt::Write;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Rays, eight numbers each.
    Rays,
    /// One hit for each ray.
    Closest(Extras),
    /// One byte for each ray: whether it hits anything.
    Any,
    /// Any number of hits for each ray, each behind the number of its ray.
    All(Extras),
}

/// What a file tells of a hit beside distance, weights and ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extras {
    /// Where it is.
    pub positions: bool,
    /// The unit normal on the side that the ray came from.
    pub normals: bool,
}

/// A hit, with the vectors that were asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HitRow {
    /// The hit.
    pub hit: Hit,
    /// Where it is, and its normal; NaN for a miss.
    pub vectors: [Option<Vec3>; 2],
}

/// Writes items of one content in one layout.
#[derive(Debug)]
pub struct RowWriter {
    content: Content,
    layout: Layout,
    /// Where items are gathered that are columns of a table.
    table: Option<TableWriter>,
}

impl Extras {
    fn vectors(self) -> impl Iterator<Item = (&'static str, [&'static str; 3])> {
        let position = self.positions.then_some(("position", ["px", "py", "pz"]));
        position.into_iter().chain(self.normals.then_some(("normal", ["nx", "ny", "nz"])))
    }
}

impl RowWriter {
    /// Who writes `content` as `layout`.
    ///
    /// # Errors
    /// When a table of such columns cannot be begun.
    pub fn new(content: Content, layout: Layout) -> Result<Self, TableError> {
        let table = TableWriter::new(layout, columns(content))?;
        Ok(Self { content, layout, table })
    }

    /// What the items are.
    #[must_use]
    pub fn content(&self) -> Content {
        self.content
    }

    /// How they are stored.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// What such a file begins with, for so many items. Headers of the same content have the same
    /// length for all numbers below 10^19.
    #[must_use]
    pub fn header(&self, count: u64) -> Vec<u8> {
        match self.layout {
            Layout::Raw | Layout::Parquet | Layout::Arrow => Vec::new(),
            Layout::Npy => {
                let shape = match self.content {
                    Content::Rays => format!("({count}, 8)"),
                    _ => format!("({count},)"),
                };
                npy::header(&self.descr(), &format!("{shape:<24}"))
            }
            Layout::Csv => {
                let columns = columns(self.content).into_iter().map(|(name, _)| name);
                (columns.collect::<Vec<_>>().join(",") + "\n").into_bytes()
            }
        }
    }

    /// What an element of the array is, as Python writes it.
    fn descr(&self) -> String {
        let hit = |extras: Extras| {
            let hit = "('t', '<f4'), ('u', '<f4'), ('v', '<f4'), \
                       ('instance', '<u4'), ('geometry', '<u4'), ('primitive', '<u4')";
            let vectors = extras.vectors().map(|(name, _)| format!(", ('{name}', '<f4', (3,))"));
            hit.to_owned() + &vectors.collect::<String>()
        };
        match self.content {
            Content::Rays => "'<f4'".to_owned(),
            Content::Any => "'|b1'".to_owned(),
            Content::Closest(extras) => format!("[{}]", hit(extras)),
            Content::All(extras) => format!("[('ray', '<u8'), {}]", hit(extras)),
        }
    }

    /// Appends a ray.
    pub fn ray(&mut self, bytes: &mut Vec<u8>, ray: &Ray) {
        let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
        let numbers = [ox, oy, oz, ray.tmin, dx, dy, dz, ray.tmax];
        if let Some(table) = &mut self.table {
            return table.push(numbers.into_iter().map(Value::Float));
        }
        match self.layout {
            Layout::Csv => line(bytes, numbers.map(|number| number.to_string())),
            _ => bytes.extend_from_slice(numbers.map(f32::to_le_bytes).as_flattened()),
        }
    }

    /// Appends whether a ray hits anything.
    pub fn any(&mut self, bytes: &mut Vec<u8>, hit: bool) {
        if let Some(table) = &mut self.table {
            return table.push([Value::Truth(hit)].into_iter());
        }
        match self.layout {
            Layout::Csv => line(bytes, [u8::from(hit).to_string()]),
            _ => bytes.push(hit.into()),
        }
    }

    /// Appends a hit of the ray with the number `ray`, which is written where rays may have several
    /// hits.
    pub fn hit(&mut self, bytes: &mut Vec<u8>, ray: u64, row: &HitRow) {
        let Hit { t, u, v, instance, geometry, primitive } = row.hit;
        let number = matches!(self.content, Content::All(_)).then_some(ray);
        let vectors = row.vectors.into_iter().flatten().flat_map(|vector| vector.to_array());
        if let Some(table) = &mut self.table {
            let number = number.into_iter().map(Value::Number);
            let ids = [instance, geometry, primitive].map(Value::Id);
            let cells = number.chain([t, u, v].map(Value::Float)).chain(ids);
            return table.push(cells.chain(vectors.map(Value::Float)));
        }
        if self.layout == Layout::Csv {
            let number = number.into_iter().map(|number| number.to_string());
            let ids = [instance, geometry, primitive].map(|id| id.to_string());
            let cells = number.chain([t, u, v].map(|n| n.to_string())).chain(ids);
            return line(bytes, cells.chain(vectors.map(|n| n.to_string())));
        }
        bytes.extend(number.into_iter().flat_map(u64::to_le_bytes));
        let words = [t.to_bits(), u.to_bits(), v.to_bits(), instance, geometry, primitive];
        bytes.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
        bytes.extend(vectors.flat_map(f32::to_le_bytes));
    }

    /// Appends what a part of a table becomes. Other layouts have appended it already.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn end_part(&mut self, bytes: &mut Vec<u8>) -> Result<(), TableError> {
        self.table.as_mut().map_or(Ok(()), |table| table.write(bytes))
    }

    /// Appends what stands at the end of the file.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn finish(mut self, bytes: &mut Vec<u8>) -> Result<(), TableError> {
        self.table.as_mut().map_or(Ok(()), |table| table.finish(bytes))
    }
}

/// The columns of a content, in the order of the values of a row.
fn columns(content: Content) -> Vec<(&'static str, Values)> {
    let float = |name| (name, Values::Float(Vec::new()));
    let hit = |extras: Extras| {
        let floats = ["t", "u", "v"].map(float);
        let ids = ["instance", "geometry", "primitive"].map(|name| (name, Values::Id(Vec::new())));
        let vectors = extras.vectors().flat_map(|(_, columns)| columns).map(float);
        floats.into_iter().chain(ids).chain(vectors.collect::<Vec<_>>())
    };
    match content {
        Content::Rays => NAMES.map(float).into(),
        Content::Any => vec![("hit", Values::Truth(Vec::new()))],
        Content::Closest(extras) => hit(extras).collect(),
        Content::All(extras) => {
            std::iter::once(("ray", Values::Number(Vec::new()))).chain(hit(extras)).collect()
        }
    }
}

fn line(bytes: &mut Vec<u8>, cells: impl IntoIterator<Item = String>) {
    let mut text = String::new();
    for (position, cell) in cells.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{cell}", if position == 0 { "" } else { "," });
    }
    text.push('\n');
    bytes.extend(text.into_bytes());
}
