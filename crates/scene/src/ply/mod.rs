//! PLY, text and binary in both byte orders, after Greg Turk's "The PLY Polygon File Format"
//! (1994).
//!
//! A text header declares elements and their properties in any order and number; the body holds
//! them row by row. Read are `vertex` (properties `x`, `y`, `z` of any type; `red`, `green`,
//! `blue`, whole numbers up to the most of their type or fractions up to 1), `face` and `tristrips`
//! (the list `vertex_indices` or `vertex_index`; -1 begins a new strip); everything else is passed
//! over. What the header declares is believed only as far as the bytes reach. With a warning:
//! header lines that begin with no keyword, as a comment without `comment` does, faces of fewer
//! than three corners, and lines of text with more values than there are properties.
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

use crate::error::{ErrorKind, ParseError, Warnings};
use crate::read::single_mesh;
use crate::{Appearance, Scene};
use faces::Faces;
use geometry::Vec3;
use header::{Element, Encoding, Header, Kind, Scalar};

/// What a property of a vertex says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A coordinate.
    Axis(usize),
    /// A channel of a colour.
    Channel(usize),
    Other,
}

/// Rows of the element `vertex`.
struct Vertices {
    positions: Vec<Vec3>,
    /// As many, if the file has colours.
    colours: Vec<[u8; 3]>,
}

impl Vertices {
    fn with_capacity(count: usize, roles: &[Role]) -> Self {
        let colours = if roles.contains(&Role::Channel(0)) { count } else { 0 };
        Self { positions: Vec::with_capacity(count), colours: Vec::with_capacity(colours) }
    }

    fn push(&mut self, position: Vec3, colour: [u8; 3], roles: &[Role]) {
        self.positions.push(position);
        if roles.contains(&Role::Channel(0)) {
            self.colours.push(colour);
        }
    }
}

/// The body of a file, read element by element.
trait Body: Clone {
    /// Reads vertices; `roles` says what their properties are.
    fn vertices(&mut self, element: &Element, roles: &[Role]) -> Result<Vertices, ParseError>;
    /// Reads lists of corners; `list` is the property that holds them.
    fn faces(
        &mut self,
        element: &Element,
        list: usize,
        faces: &mut Faces,
    ) -> Result<(), ParseError>;
    /// Passes over an element.
    fn skip(&mut self, element: &Element) -> Result<(), ParseError>;
    /// What rows had beyond their properties.
    fn surplus(&mut self) -> Warnings {
        Warnings::default()
    }
}

pub(crate) fn read(bytes: &[u8], warnings: &mut Warnings) -> Result<Scene, ParseError> {
    let header = Header::read(bytes, warnings)?;
    let binary = |big_endian| binary::Rows::new(bytes, &header, big_endian);
    match header.encoding {
        Encoding::Text => elements(&header, text::Rows::new(bytes, &header), warnings),
        Encoding::LittleEndian => elements(&header, binary(false), warnings),
        Encoding::BigEndian => elements(&header, binary(true), warnings),
    }
}

/// Reads the elements in order; faces that come before their vertices wait for them.
fn elements(
    header: &Header,
    mut body: impl Body,
    warnings: &mut Warnings,
) -> Result<Scene, ParseError> {
    let mut vertices: Option<Vertices> = None;
    let mut waiting = Vec::new();
    let mut indices = Vec::new();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" if vertices.is_none() => {
                vertices = Some(body.vertices(element, &roles(element)?)?);
            }
            "vertex" => return Err(unexpected(element, "a second vertex element", "only one")),
            "face" | "tristrips" => {
                let list = corner_list(element)?;
                if let Some(vertices) = &vertices {
                    let positions = &vertices.positions;
                    let mut faces = Faces::new(positions, element, &mut indices, warnings);
                    body.faces(element, list, &mut faces)?;
                } else {
                    waiting.push((element, list, body.clone()));
                    body.skip(element)?;
                }
            }
            _ => body.skip(element)?,
        }
    }
    warnings.extend(body.surplus());
    let Vertices { positions, colours } =
        vertices.unwrap_or_else(|| Vertices::with_capacity(0, &[]));
    for (element, list, mut body) in waiting {
        body.faces(element, list, &mut Faces::new(&positions, element, &mut indices, warnings))?;
    }
    let mut scene = single_mesh(positions, indices);
    if !colours.is_empty() {
        let appearance = Appearance { vertex_colours: colours, ..Appearance::default() };
        scene.objects[0].geometries[0].appearance = Some(Box::new(appearance));
    }
    Ok(scene)
}

/// What each property of a vertex says.
fn roles(element: &Element) -> Result<Vec<Role>, ParseError> {
    let column = |name: &str| {
        let is_it = |p: &header::Property| p.name == name && matches!(p.kind, Kind::Scalar(_));
        element.properties.iter().position(is_it)
    };
    let mut roles = vec![Role::Other; element.properties.len()];
    for (number, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let expected = format!("a property {axis}");
        let column = column(axis)
            .ok_or_else(|| unexpected(element, "a vertex element without it", &expected))?;
        roles[column] = Role::Axis(number);
    }
    let names = [["red", "green", "blue"], ["diffuse_red", "diffuse_green", "diffuse_blue"]];
    let channels = names.map(|names| names.map(column)).into_iter();
    if let Some(channels) = channels.into_iter().find(|three| three.iter().all(Option::is_some)) {
        for (number, column) in channels.into_iter().flatten().enumerate() {
            roles[column] = Role::Channel(number);
        }
    }
    Ok(roles)
}

/// A channel of a colour as a byte: whole numbers are shares of the most of their type, fractions
/// are shares of 1; fractions beyond 1 are taken for bytes.
fn channel(scalar: Scalar, value: f64) -> u8 {
    let byte = match scalar {
        Scalar::U16 => value / 257.0,
        Scalar::U32 => value / 16_843_009.0,
        Scalar::F32 | Scalar::F64 if value <= 1.0 => value * 255.0,
        _ => value,
    };
    byte.clamp(0.0, 255.0).round() as u8
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
