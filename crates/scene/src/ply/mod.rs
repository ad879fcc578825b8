//! PLY, text and binary in both byte orders, after Greg Turk's "The PLY Polygon File Format"
//! (1994).
//!
//! A text header declares elements and their properties in any order and number; the body holds
//! them row by row. Read are `vertex` (properties `x`, `y`, `z` of any type), `face` and
//! `tristrips` (the list `vertex_indices` or `vertex_index`; -1 begins a new strip); everything
//! else is passed over. What the header declares is believed only as far as the bytes reach.
//!
//! | file | concept |
//! |---|---|
//! | `header` | elements, properties, types |
//! | `binary` | rows of binary bodies |
//! | `text` | rows of text bodies |
//! | `faces` | lists of corners become triangles |
//! | `write` | a mesh becomes a file |

mod binary;
mod faces;
mod header;
mod text;
mod write;

pub use write::write;

use crate::Scene;
use crate::error::{ErrorKind, ParseError};
use crate::read::single_mesh;
use faces::Faces;
use geometry::Vec3;
use header::{Element, Encoding, Header, Kind};

/// The body of a file, read element by element.
trait Body: Clone {
    /// Reads positions; `axes` are the properties that hold x, y and z.
    fn vertices(&mut self, element: &Element, axes: [usize; 3]) -> Result<Vec<Vec3>, ParseError>;
    /// Reads lists of corners; `list` is the property that holds them.
    fn faces(
        &mut self,
        element: &Element,
        list: usize,
        faces: &mut Faces,
    ) -> Result<(), ParseError>;
    /// Passes over an element.
    fn skip(&mut self, element: &Element) -> Result<(), ParseError>;
}

pub(crate) fn read(bytes: &[u8]) -> Result<Scene, ParseError> {
    let header = Header::read(bytes)?;
    match header.encoding {
        Encoding::Text => elements(&header, text::Rows::new(bytes, &header)),
        Encoding::LittleEndian => elements(&header, binary::Rows::new(bytes, &header, false)),
        Encoding::BigEndian => elements(&header, binary::Rows::new(bytes, &header, true)),
    }
}

/// Reads the elements in order; faces that come before their vertices wait for them.
fn elements(header: &Header, mut body: impl Body) -> Result<Scene, ParseError> {
    let mut positions = None;
    let mut waiting = Vec::new();
    let mut indices = Vec::new();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" if positions.is_none() => {
                positions = Some(body.vertices(element, axes(element)?)?);
            }
            "vertex" => return Err(unexpected(element, "a second vertex element", "only one")),
            "face" | "tristrips" => {
                let list = corner_list(element)?;
                if let Some(positions) = &positions {
                    let mut faces = Faces::new(positions, element, &mut indices);
                    body.faces(element, list, &mut faces)?;
                } else {
                    waiting.push((element, list, body.clone()));
                    body.skip(element)?;
                }
            }
            _ => body.skip(element)?,
        }
    }
    let positions = positions.unwrap_or_default();
    for (element, list, mut body) in waiting {
        body.faces(element, list, &mut Faces::new(&positions, element, &mut indices))?;
    }
    Ok(single_mesh(positions, indices))
}

fn axes(element: &Element) -> Result<[usize; 3], ParseError> {
    let [x, y, z] = ["x", "y", "z"].map(|axis| {
        let is_axis = |p: &header::Property| p.name == axis && matches!(p.kind, Kind::Scalar(_));
        element.properties.iter().position(is_axis).ok_or_else(|| {
            unexpected(element, "a vertex element without it", &format!("a property {axis}"))
        })
    });
    Ok([x?, y?, z?])
}

fn corner_list(element: &Element) -> Result<usize, ParseError> {
    let is_list = |p: &header::Property| {
        let whole = matches!(p.kind, Kind::List { item, .. } if item.is_integer());
        whole && matches!(p.name.as_str(), "vertex_indices" | "vertex_index")
    };
    element.properties.iter().position(is_list).ok_or_else(|| {
        let expected = "a list of integers called vertex_indices or vertex_index";
        unexpected(element, &format!("a {} element without it", element.name), expected)
    })
}

fn unexpected(element: &Element, found: &str, expected: &str) -> ParseError {
    let kind = ErrorKind::Unexpected { found: found.to_owned(), expected: expected.to_owned() };
    ParseError::line(element.line, kind)
}
