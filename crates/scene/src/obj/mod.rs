//! Wavefront OBJ, after the "Object Files" appendix of the Advanced Visualizer manual.
//!
//! Read are `v` (with colours, as scanners write them), `vt`, `f`, `g`, `o`, `usemtl` and `mtllib`;
//! other statements of the manual are passed over. Each object, group and material becomes a
//! geometry, one that is taken up again continues. A file with one geometry keeps its vertices as
//! they are; otherwise each geometry gets those that it uses, in the file's order. A face may only
//! use vertices defined before it. With a warning: statements that the manual does not have, faces
//! of fewer than three corners, libraries of materials that cannot be read.
//!
//! | file | concept |
//! |---|---|
//! | `mtl` | libraries of materials |

mod mtl;

use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::text::{self, Lines, words};
use crate::read::{TOO_FEW_CORNERS, gather, mesh, polygon, renumber, single_object};
use crate::{Appearance, Geometry, Scene, Texture};
use geometry::Vec3;
use mtl::Library;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

/// Statements that say nothing about where a surface is.
const PASSED_OVER: [&[u8]; 35] = [
    b"vn",
    b"vp",
    b"deg",
    b"bmat",
    b"step",
    b"cstype",
    b"p",
    b"l",
    b"curv",
    b"curv2",
    b"surf",
    b"parm",
    b"trim",
    b"hole",
    b"scrv",
    b"sp",
    b"end",
    b"con",
    b"s",
    b"mg",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"usemap",
    b"maplib",
    b"shadow_obj",
    b"trace_obj",
    b"ctech",
    b"stech",
    b"call",
    b"csh",
    b"vc",
    b"mtl",
    b"res",
];

/// A geometry in the making.
#[derive(Default)]
struct Part {
    name: String,
    material: Vec<u8>,
    is_textured: bool,
    indices: Vec<[u32; 3]>,
    /// For each triangle, the texture coordinates of its corners; empty without a texture.
    texture_corners: Vec<[u32; 3]>,
}

/// Everything read so far.
struct Reader<'a> {
    folder: Option<&'a Path>,
    warnings: &'a mut Warnings,
    positions: Vec<Vec3>,
    /// As many as positions, or none if no vertex has a colour.
    colours: Vec<[u8; 3]>,
    /// Read only if a material has a texture.
    texture_coordinates: Vec<[f32; 2]>,
    library: Library,
    parts: Vec<Part>,
    by_name: HashMap<Vec<u8>, usize>,
    current: usize,
    object: Vec<u8>,
    group: Vec<u8>,
    material: Vec<u8>,
    corners: Vec<u32>,
    corner_textures: Vec<u32>,
    /// The first statement that is none: what is wrong with a file without faces.
    unknown: Option<ParseError>,
}

/// The texture coordinates of a corner that has none.
const NO_TEXTURE: u32 = u32::MAX;

/// Whether the first statement of a text is one of OBJ's.
pub(crate) fn is_obj(text: &[u8]) -> bool {
    Lines::new(text)
        .take(10_000)
        .find_map(|line| words(line).next().filter(|word| !word.starts_with(b"#")))
        .is_some_and(|word| {
            matches!(word, b"v" | b"vt" | b"f" | b"g" | b"o" | b"usemtl" | b"mtllib")
                || PASSED_OVER.contains(&word)
        })
}

/// Reads a file; libraries of materials are looked for in `folder`.
pub(crate) fn read(
    bytes: &[u8],
    folder: Option<&Path>,
    warnings: &mut Warnings,
) -> Result<Scene, ParseError> {
    let mut reader = Reader::new(folder, warnings);
    reader.choose_part();
    let mut lines = Lines::new(text::without_mark(bytes));
    while let Some(line) = lines.next() {
        let number = lines.number();
        let line = joined(line, &mut lines);
        reader.statement(&line, number).map_err(|kind| ParseError::line(number, kind))?;
    }
    reader.into_scene()
}

/// A line with those that a backslash at its end joins to it.
fn joined<'a>(line: &'a [u8], lines: &mut Lines<'a>) -> Cow<'a, [u8]> {
    let mut whole = Cow::Borrowed(line);
    while whole.last() == Some(&b'\\') {
        let whole = whole.to_mut();
        whole.pop();
        whole.push(b' ');
        whole.extend_from_slice(lines.next().unwrap_or_default());
    }
    whole
}

impl<'a> Reader<'a> {
    fn new(folder: Option<&'a Path>, warnings: &'a mut Warnings) -> Self {
        Self {
            folder,
            warnings,
            positions: Vec::new(),
            colours: Vec::new(),
            texture_coordinates: Vec::new(),
            library: Library::default(),
            parts: Vec::new(),
            by_name: HashMap::new(),
            current: 0,
            object: Vec::new(),
            group: Vec::new(),
            material: Vec::new(),
            corners: Vec::new(),
            corner_textures: Vec::new(),
            unknown: None,
        }
    }

    fn statement(&mut self, line: &[u8], number: u64) -> Result<(), ErrorKind> {
        let mut words = words(line);
        let word = words.next().unwrap_or_default();
        // What follows the first word, which may hold blanks.
        let rest = || line.trim_ascii()[word.len()..].trim_ascii();
        match word {
            b"" => {}
            b"v" => self.vertex(words)?,
            b"vt" => self.texture_coordinate(words)?,
            b"f" | b"fo" => self.face(words, number)?,
            b"o" => {
                self.object = rest().to_vec();
                self.group.clear();
                self.choose_part();
            }
            b"g" => {
                self.group = rest().to_vec();
                self.choose_part();
            }
            b"usemtl" => {
                self.material = rest().to_vec();
                self.choose_part();
            }
            b"mtllib" => self.read_library(rest(), number),
            _ if word.starts_with(b"#") || PASSED_OVER.contains(&word) => {}
            _ => {
                let kind = ErrorKind::unexpected(word, "a statement of OBJ");
                self.unknown.get_or_insert_with(|| ParseError::line(number, kind));
                let text = "a line that is no statement of OBJ is passed over";
                self.warnings.add(Position::Line(number), text);
            }
        }
        Ok(())
    }

    /// Three coordinates; perhaps a weight, which says nothing, or three shares of a colour.
    fn vertex<'w>(&mut self, mut words: impl Iterator<Item = &'w [u8]>) -> Result<(), ErrorKind> {
        let mut next = || match words.next() {
            Some(word) => text::coordinate(word),
            None => Err(ErrorKind::unexpected(b"", "three coordinates")),
        };
        self.positions.push(Vec3::new(next()?, next()?, next()?));
        let share = |word: &[u8]| text::number::<f32>(word, "a number").ok();
        let colour = [words.next(), words.next(), words.next()].map(|word| word.and_then(share));
        if let [Some(red), Some(green), Some(blue)] = colour {
            self.colours.resize(self.positions.len() - 1, [255; 3]);
            self.colours.push([red, green, blue].map(|share| (share * 255.0).round() as u8));
        } else if !self.colours.is_empty() {
            self.colours.push([255; 3]);
        }
        Ok(())
    }

    /// Counted from the lower left corner of a picture, while pictures begin with their upper row.
    fn texture_coordinate<'w>(
        &mut self,
        mut words: impl Iterator<Item = &'w [u8]>,
    ) -> Result<(), ErrorKind> {
        if self.library.has_textures {
            let mut next = || text::number::<f32>(words.next().unwrap_or(b"0"), "a number");
            self.texture_coordinates.push([next()?, 1.0 - next()?]);
        }
        Ok(())
    }

    fn face<'w>(
        &mut self,
        words: impl Iterator<Item = &'w [u8]>,
        number: u64,
    ) -> Result<(), ErrorKind> {
        self.corners.clear();
        self.corner_textures.clear();
        for word in words.take_while(|word| !word.starts_with(b"#")) {
            let mut numbers = word.split(|&byte| byte == b'/');
            let vertex = numbers.next().unwrap_or_default();
            self.corners.push(corner(vertex, self.positions.len())?);
            let texture = numbers.next().filter(|_| !self.texture_coordinates.is_empty());
            let texture = texture.and_then(|t| corner(t, self.texture_coordinates.len()).ok());
            self.corner_textures.push(texture.unwrap_or(NO_TEXTURE));
        }
        if self.corners.len() < 3 {
            self.warnings.add(Position::Line(number), TOO_FEW_CORNERS);
            return Ok(());
        }
        let Part { indices, texture_corners, is_textured, .. } = &mut self.parts[self.current];
        let before = indices.len();
        polygon::triangulate(&self.corners, &self.positions, indices);
        if *is_textured && !self.texture_coordinates.is_empty() {
            let texture = |vertex: u32| {
                let corner = self.corners.iter().position(|&corner| corner == vertex);
                corner.map_or(NO_TEXTURE, |corner| self.corner_textures[corner])
            };
            let new = indices[before..].iter().map(|triangle| triangle.map(texture));
            // A corner without coordinates has those of the first.
            let filled = new.map(|t| t.map(|corner| if corner == NO_TEXTURE { 0 } else { corner }));
            texture_corners.extend(filled);
        }
        Ok(())
    }

    fn read_library(&mut self, name: &[u8], number: u64) {
        let name = String::from_utf8_lossy(name).replace('\\', "/");
        let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
        let texts = match self.library.read(self.folder, &name) {
            Ok(missing) => {
                let text = |(line, reason)| format!("`{shown}`, line {line}: no picture: {reason}");
                missing.into_iter().map(text).collect()
            }
            Err(reason) => vec![format!("no materials from `{shown}`: {reason}")],
        };
        for text in texts {
            self.warnings.add(Position::Line(number), text.replace("document's", "file's"));
        }
    }

    /// Makes the part of the current object, group and material the one that faces go to.
    fn choose_part(&mut self) {
        let names = [&self.object, &self.group, &self.material];
        let name = names.map(Vec::as_slice).join(&b"\n"[..]);
        self.current = *self.by_name.entry(name).or_insert_with(|| {
            let named = [&self.object, &self.group].into_iter().filter(|name| !name.is_empty());
            let named: Vec<_> = named.map(|name| String::from_utf8_lossy(name)).collect();
            let name = match named.is_empty() {
                true => String::from_utf8_lossy(&self.material).into_owned(),
                false => named.join("/"),
            };
            let material = self.material.clone();
            let is_textured = self.library.texture(&material).is_some();
            self.parts.push(Part { name, material, is_textured, ..Part::default() });
            self.parts.len() - 1
        });
    }

    fn into_scene(self) -> Result<Scene, ParseError> {
        let Self { positions, colours, texture_coordinates, library, parts, unknown, .. } = self;
        let parts: Vec<Part> = parts.into_iter().filter(|p| !p.indices.is_empty()).collect();
        if let (true, Some(error)) = (parts.is_empty(), unknown) {
            return Err(error);
        }
        let is_alone = parts.len() == 1;
        let mut scratch = vec![0; if is_alone { 0 } else { positions.len() }];
        let mut texture_scratch = vec![0; texture_coordinates.len()];
        let mut all = (positions, colours);
        let mut geometries = Vec::with_capacity(parts.len());
        for Part { name, material, mut indices, mut texture_corners, .. } in parts {
            let (positions, vertex_colours) = if is_alone {
                std::mem::take(&mut all)
            } else {
                let used = renumber(&mut indices, &mut scratch);
                let colours = if all.1.is_empty() { Vec::new() } else { gather(&all.1, &used) };
                (gather(&all.0, &used), colours)
            };
            let is_textured = texture_corners.len() == indices.len();
            let texture = library.texture(&material).filter(|_| is_textured).map(|image| {
                let used = renumber(&mut texture_corners, &mut texture_scratch);
                let coordinates = gather(&texture_coordinates, &used);
                Texture { image, coordinates, corners: texture_corners }
            });
            let colour = library.colour(&material);
            let is_plain = colour.is_none() && texture.is_none() && vertex_colours.is_empty();
            let colour = colour.unwrap_or(Vec3::ONE);
            let appearance = Appearance { colour, vertex_colours, texture };
            let appearance = (!is_plain).then(|| Box::new(appearance));
            geometries.push(Geometry { appearance, ..mesh(name, positions, indices) });
        }
        Ok(single_object(geometries))
    }
}

/// A number of a list: counted from 1, or backwards from -1.
fn corner(word: &[u8], count: usize) -> Result<u32, ErrorKind> {
    let index: i64 = text::number(word, "a vertex number")?;
    let position = if index < 0 { count as i64 + index } else { index - 1 };
    match u32::try_from(position) {
        Ok(position) if (position as usize) < count => Ok(position),
        _ => Err(ErrorKind::NoSuchVertex { index, vertices: count as u64 }),
    }
}
