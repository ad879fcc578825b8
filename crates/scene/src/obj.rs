//! Wavefront OBJ, after the "Object Files" appendix of the Advanced Visualizer manual.
//!
//! Read are `v`, `f`, `g` and `o`; other statements of the manual are passed over, and anything
//! else is an error. Each object or group becomes a geometry, one that is taken up again continues.
//! A file with one geometry keeps its vertices as they are; otherwise each geometry gets those that
//! it uses, in the file's order. A face may only use vertices defined before it.

use crate::Scene;
use crate::error::{ErrorKind, ParseError};
use crate::read::text::{self, Lines, words};
use crate::read::{mesh, only_used, polygon, single_object};
use geometry::Vec3;
use std::borrow::Cow;
use std::collections::HashMap;

/// Statements that say nothing about where a surface is.
const PASSED_OVER: [&[u8]; 38] = [
    b"vt",
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
    b"usemtl",
    b"mtllib",
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
    indices: Vec<[u32; 3]>,
}

/// Everything read so far.
#[derive(Default)]
struct Reader {
    positions: Vec<Vec3>,
    parts: Vec<Part>,
    by_name: HashMap<Vec<u8>, usize>,
    current: usize,
    object: Vec<u8>,
    group: Vec<u8>,
    corners: Vec<u32>,
}

/// Whether the first statement of a text is one of OBJ's.
pub(crate) fn is_obj(text: &[u8]) -> bool {
    Lines::new(text)
        .take(10_000)
        .find_map(|line| words(line).next().filter(|word| !word.starts_with(b"#")))
        .is_some_and(|word| {
            matches!(word, b"v" | b"f" | b"g" | b"o") || PASSED_OVER.contains(&word)
        })
}

pub(crate) fn read(bytes: &[u8]) -> Result<Scene, ParseError> {
    let mut reader = Reader::default();
    reader.choose_part();
    let mut lines = Lines::new(text::without_mark(bytes));
    while let Some(line) = lines.next() {
        let number = lines.number();
        let line = joined(line, &mut lines);
        reader.statement(&line).map_err(|kind| ParseError::line(number, kind))?;
    }
    Ok(reader.into_scene())
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

impl Reader {
    fn statement(&mut self, line: &[u8]) -> Result<(), ErrorKind> {
        let mut words = words(line);
        match words.next() {
            None => Ok(()),
            Some(word) if word.starts_with(b"#") => Ok(()),
            Some(b"v") => self.vertex(words),
            Some(b"f" | b"fo") => self.face(words),
            Some(b"o") => {
                self.object = line.trim_ascii()[1..].trim_ascii().to_vec();
                self.group.clear();
                self.choose_part();
                Ok(())
            }
            Some(b"g") => {
                self.group = line.trim_ascii()[1..].trim_ascii().to_vec();
                self.choose_part();
                Ok(())
            }
            Some(word) if PASSED_OVER.contains(&word) => Ok(()),
            Some(word) => Err(ErrorKind::unexpected(word, "a statement of OBJ")),
        }
    }

    fn vertex<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>) -> Result<(), ErrorKind> {
        let mut next = || match words.next() {
            Some(word) => text::coordinate(word),
            None => Err(ErrorKind::unexpected(b"", "three coordinates")),
        };
        self.positions.push(Vec3::new(next()?, next()?, next()?));
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), ErrorKind> {
        self.corners.clear();
        for word in words {
            if word.starts_with(b"#") {
                break;
            }
            self.corners.push(corner(word, self.positions.len())?);
        }
        if self.corners.len() < 3 {
            return Err(ErrorKind::TooFewCorners { corners: self.corners.len() as u64 });
        }
        let triangles = &mut self.parts[self.current].indices;
        polygon::triangulate(&self.corners, &self.positions, triangles);
        Ok(())
    }

    /// Makes the part of the current object and group the one that faces go to.
    fn choose_part(&mut self) {
        let name = [self.object.as_slice(), self.group.as_slice()].join(&b"\n"[..]);
        self.current = *self.by_name.entry(name).or_insert_with(|| {
            let names = [&self.object, &self.group].map(|n| String::from_utf8_lossy(n));
            let shown = match names.each_ref().map(|n| n.as_ref()) {
                [object, ""] => object.to_owned(),
                ["", group] => group.to_owned(),
                [object, group] => format!("{object}/{group}"),
            };
            self.parts.push(Part { name: shown, indices: Vec::new() });
            self.parts.len() - 1
        });
    }

    fn into_scene(self) -> Scene {
        let Self { positions, parts, .. } = self;
        let mut parts: Vec<Part> = parts.into_iter().filter(|p| !p.indices.is_empty()).collect();
        if parts.len() == 1 {
            let only = parts.swap_remove(0);
            return single_object(vec![mesh(only.name, positions, only.indices)]);
        }
        let mut scratch = vec![0; positions.len()];
        let geometries = parts
            .into_iter()
            .map(|mut part| {
                let used = only_used(&positions, &mut part.indices, &mut scratch);
                mesh(part.name, used, part.indices)
            })
            .collect();
        single_object(geometries)
    }
}

/// The vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`: counted from 1, or backwards from -1.
fn corner(word: &[u8], vertices: usize) -> Result<u32, ErrorKind> {
    let end = word.iter().position(|&b| b == b'/').unwrap_or(word.len());
    let index: i64 = text::number(&word[..end], "a vertex number")?;
    let position = if index < 0 { vertices as i64 + index } else { index - 1 };
    match u32::try_from(position) {
        Ok(position) if (position as usize) < vertices => Ok(position),
        _ => Err(ErrorKind::NoSuchVertex { index, vertices: vertices as u64 }),
    }
}
