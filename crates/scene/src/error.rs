//! What can be wrong with a scene file, and where.

use crate::read::regular_file::FileError;
use std::fmt;

/// Why a file did not become a scene.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// The system could not give the file's bytes.
    #[error("{file}: {reason}")]
    Unreadable {
        /// The file as it was named.
        file: String,
        /// What the system says.
        reason: String,
        /// The system's number for it, if it has one.
        code: Option<i32>,
    },
    /// The bytes are not a scene.
    #[error("{file}: {location}{kind}")]
    Invalid {
        /// The file as it was named.
        file: String,
        /// Where in the file.
        location: Box<Location>,
        /// What is wrong there.
        kind: ErrorKind,
    },
}

impl From<FileError> for SceneError {
    fn from(error: FileError) -> Self {
        let (reason, code) = (error.reason.to_string(), error.reason.code());
        Self::Unreadable { file: error.file, reason, code }
    }
}

/// A place in a file. Its text ends with a colon and a space, or is empty for the whole file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// Where the bytes are.
    pub position: Position,
    /// Which thing they describe.
    pub item: Option<Item>,
}

/// Where the bytes of a [`Location`] are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Position {
    /// Nowhere in particular.
    #[default]
    File,
    /// On a line, counted from 1.
    Line(u64),
    /// At an offset from the start of the file.
    Byte(u64),
    /// In a JSON document, such as `nodes[3].mesh`.
    Json(String),
}

/// Which thing a [`Location`] describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The kind of element: `vertex`, `face`, `triangle` …
    pub element: String,
    /// Its number, from 0.
    pub index: u64,
    /// The property, where only one is meant.
    pub property: Option<String>,
}

/// What is wrong at a [`Location`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ErrorKind {
    /// Nothing to read.
    #[error("the file is empty")]
    Empty,
    /// No format fits.
    #[error(
        "neither the name nor the content is that of an OBJ, PLY, STL, glTF or .scene.toml file"
    )]
    Unrecognised,
    /// Binary content ends before it should.
    #[error("the file is truncated: {needed} bytes expected from here, {left} left")]
    Truncated {
        /// Bytes that must follow.
        needed: u64,
        /// Bytes that do follow.
        left: u64,
    },
    /// Text ends before it should.
    #[error("the file ends where {expected} should follow")]
    UnexpectedEnd {
        /// What should follow.
        expected: String,
    },
    /// Something else stands here.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What stands here, in backquotes where it is text of the file.
        found: String,
        /// What should stand here.
        expected: String,
    },
    /// Bytes after the end.
    #[error("{bytes} bytes follow the last triangle that the header declares")]
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// A coordinate is NaN or infinite.
    #[error("the coordinate {value} is not finite")]
    NotFinite {
        /// The coordinate.
        value: f64,
    },
    /// A coordinate is so large that distances overflow.
    #[error("the coordinate {value:e} is beyond 2^126")]
    TooLarge {
        /// The coordinate.
        value: f64,
    },
    /// A face refers to a vertex that is not there.
    #[error("vertex {index} does not exist; {vertices} are defined")]
    NoSuchVertex {
        /// The number as the file has it.
        index: i64,
        /// How many vertices there are.
        vertices: u64,
    },
    /// A face is a point or a line.
    #[error("a face of {corners} corners; at least 3 are needed")]
    TooFewCorners {
        /// How many it has.
        corners: u64,
    },
    /// There is nothing to trace.
    #[error("there are no triangles")]
    NoTriangles,
    /// More of something than 32-bit numbers can count, or than the file's size can explain.
    #[error("{count} {what} declared, at most {most} possible")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many are declared.
        count: u64,
        /// How many there may be.
        most: u64,
    },
    /// A reference inside the document leads nowhere.
    #[error("{what} {index} does not exist; there are {count}")]
    NoSuchItem {
        /// What is referred to.
        what: &'static str,
        /// The number referred to.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// The text is not JSON, or not of the shape that glTF asks for.
    #[error("not the JSON of a glTF file: {reason}")]
    Json {
        /// What the JSON reader says.
        reason: String,
    },
    /// The text is not TOML, or not of the shape that a description has.
    #[error("not a scene description: {reason}")]
    Description {
        /// What the TOML reader says.
        reason: String,
    },
    /// A compressed stream is damaged, or not what it is said to be.
    #[error("cannot decompress ({codec}): {reason}")]
    Compressed {
        /// Who compressed it.
        codec: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The node hierarchy is not a tree.
    #[error("the node has two parents or is its own ancestor")]
    NotATree,
    /// A file beside this one cannot be used.
    #[error("cannot use `{uri}`: {reason}")]
    OtherFile {
        /// How the file is named in the document.
        uri: String,
        /// Why not.
        reason: String,
    },
    /// Valid, but beyond what is read here.
    #[error("{what} is not supported")]
    Unsupported {
        /// What is not supported.
        what: String,
    },
}

/// Something in a file that was passed over, as other readers do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file as it was named.
    pub file: String,
    /// Where it first occurs.
    pub location: Location,
    /// What it is, and what was done.
    pub text: String,
    /// How often it occurs.
    pub count: u64,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, location, text, count } = self;
        write!(f, "{file}: {location}{text}")?;
        if *count > 1 { write!(f, " ({count} times)") } else { Ok(()) }
    }
}

/// Texts that are told apart; a file with more oddities is told enough.
const MOST_WARNINGS: usize = 100;

/// What a reader passes over, before the file's name is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings(Vec<Warning>);

impl Warnings {
    /// Notes something; the same text again is only counted.
    pub(crate) fn add(&mut self, position: Position, text: impl Into<String>) {
        let text = text.into();
        if let Some(warning) = self.0.iter_mut().find(|warning| warning.text == text) {
            warning.count += 1;
        } else if self.0.len() < MOST_WARNINGS {
            let location = Location { position, item: None };
            self.0.push(Warning { file: String::new(), location, text, count: 1 });
        }
    }

    /// Adds what another reader passed over.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The warnings about a named file.
    pub(crate) fn in_file(self, file: &str) -> Vec<Warning> {
        self.0.into_iter().map(|warning| Warning { file: file.to_owned(), ..warning }).collect()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = self.item.as_ref();
        match &self.position {
            Position::File => {}
            Position::Line(line) => write!(f, "line {line}")?,
            Position::Byte(byte) => write!(f, "byte {byte}")?,
            Position::Json(path) => write!(f, "{path}")?,
        }
        if let Some(Item { element, index, property }) = item {
            let comma = if self.position == Position::File { "" } else { ", " };
            write!(f, "{comma}{element} {index}")?;
            if let Some(property) = property {
                write!(f, ", property {property}")?;
            }
        }
        if self.position == Position::File && item.is_none() { Ok(()) } else { f.write_str(": ") }
    }
}

/// What is wrong and where, before the file's name is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParseError(Box<(Location, ErrorKind)>);

impl ParseError {
    /// Something wrong with the whole file.
    pub(crate) fn file(kind: ErrorKind) -> Self {
        Self::at(Position::File, kind)
    }

    pub(crate) fn at(position: Position, kind: ErrorKind) -> Self {
        Self(Box::new((Location { position, item: None }, kind)))
    }

    pub(crate) fn line(line: u64, kind: ErrorKind) -> Self {
        Self::at(Position::Line(line), kind)
    }

    pub(crate) fn byte(byte: usize, kind: ErrorKind) -> Self {
        Self::at(Position::Byte(byte as u64), kind)
    }

    pub(crate) fn json(path: impl Into<String>, kind: ErrorKind) -> Self {
        Self::at(Position::Json(path.into()), kind)
    }

    /// Names the element that the location belongs to.
    pub(crate) fn of(mut self, element: &str, index: usize) -> Self {
        let item = Item { element: element.to_owned(), index: index as u64, property: None };
        self.0.0.item = Some(item);
        self
    }

    /// Names the property of the element.
    pub(crate) fn property(mut self, name: &str) -> Self {
        if let Some(item) = &mut self.0.0.item {
            item.property = Some(name.to_owned());
        }
        self
    }

    /// The error for a named file.
    pub(crate) fn in_file(self, file: &str) -> SceneError {
        let (location, kind) = *self.0;
        SceneError::Invalid { file: file.to_owned(), location: Box::new(location), kind }
    }
}

impl ErrorKind {
    /// [`ErrorKind::Unexpected`] for text of the file, which is shortened and made printable.
    pub(crate) fn unexpected(found: &[u8], expected: impl Into<String>) -> Self {
        let text: String = String::from_utf8_lossy(&found[..found.len().min(160)])
            .chars()
            .take(32)
            .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
            .collect();
        let dots = if text.len() < found.len() && text.chars().count() == 32 { "…" } else { "" };
        let found = if found.is_empty() {
            "the end of the line".to_owned()
        } else {
            format!("`{text}{dots}`")
        };
        Self::Unexpected { found, expected: expected.into() }
    }
}
