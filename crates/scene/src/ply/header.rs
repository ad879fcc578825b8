//! The header: which elements follow, with which properties of which types.

use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::text::{number, words};

/// A whole header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// The byte at which the body begins.
    pub(super) body: usize,
    /// The number of lines before the body.
    pub(super) lines: u64,
}

/// How the body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A table of the body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    /// The declared number of rows; not to be trusted.
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
    /// The line that declares it.
    pub(super) line: u64,
}

/// A column of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a row holds in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

/// The types of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    pub(super) const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) const fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    fn from_word(word: &[u8]) -> Result<Self, ErrorKind> {
        match word {
            b"char" | b"int8" => Ok(Self::I8),
            b"uchar" | b"uint8" => Ok(Self::U8),
            b"short" | b"int16" => Ok(Self::I16),
            b"ushort" | b"uint16" => Ok(Self::U16),
            b"int" | b"int32" => Ok(Self::I32),
            b"uint" | b"uint32" => Ok(Self::U32),
            b"float" | b"float32" => Ok(Self::F32),
            b"double" | b"float64" => Ok(Self::F64),
            _ => Err(ErrorKind::unexpected(word, "a PLY type such as `float` or `uchar`")),
        }
    }
}

impl Element {
    /// The fewest bytes of a binary row: its scalars and the counts of its lists.
    pub(super) fn least_row(&self) -> usize {
        let least = |p: &Property| match p.kind {
            Kind::Scalar(scalar) | Kind::List { count: scalar, .. } => scalar.size(),
        };
        self.properties.iter().map(least).sum()
    }

    /// Whether every binary row has [`Self::least_row`] bytes.
    pub(super) fn is_fixed(&self) -> bool {
        self.properties.iter().all(|p| matches!(p.kind, Kind::Scalar(_)))
    }
}

impl Header {
    pub(super) fn read(bytes: &[u8], warnings: &mut Warnings) -> Result<Self, ParseError> {
        let mut lines = HeaderLines::new(bytes);
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            let Some(line) = lines.next() else {
                let expected = "`end_header`".to_owned();
                return Err(ParseError::line(lines.number, ErrorKind::UnexpectedEnd { expected }));
            };
            let number = lines.number;
            let mut words = words(line);
            let keyword = words.next().unwrap_or_default();
            let step = match keyword {
                b"ply" if number == 1 => Ok(()),
                _ if number == 1 => Err(ErrorKind::unexpected(keyword, "`ply`")),
                b"comment" | b"obj_info" => Ok(()),
                b"format" => encoding_of(words).map(|found| encoding = Some(found)),
                b"element" => element(words, number).map(|element| elements.push(element)),
                b"property" => property(words, elements.last_mut()),
                b"end_header" => break,
                _ if is_nearly_a_keyword(keyword) => {
                    Err(ErrorKind::unexpected(keyword, "a keyword of a PLY header"))
                }
                _ => {
                    let text = "a line of the header without a keyword is passed over";
                    warnings.add(Position::Line(number), text);
                    Ok(())
                }
            };
            step.map_err(|kind| ParseError::line(number, kind))?;
        }
        let encoding = encoding.ok_or_else(|| {
            ParseError::line(
                lines.number,
                ErrorKind::unexpected(b"end_header", "`format` before it"),
            )
        })?;
        Ok(Self { encoding, elements, body: lines.at, lines: lines.number })
    }
}

/// Whether a word is a keyword with a mistake in it: to pass over such a line would shift columns.
fn is_nearly_a_keyword(word: &[u8]) -> bool {
    let starts =
        |start: &[u8]| word.get(..start.len()).is_some_and(|w| w.eq_ignore_ascii_case(start));
    [&b"prop"[..], b"elem", b"form", b"end"].into_iter().any(starts)
}

/// The lines of the header. The first line's end tells how all of them end: a binary body may begin
/// with a byte that looks like half a line end.
struct HeaderLines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: u64,
    end: u8,
}

impl<'a> HeaderLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let first = memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
        let lone_return = bytes[first..].starts_with(b"\r") && !bytes[first..].starts_with(b"\r\n");
        Self { bytes, at: 0, number: 0, end: if lone_return { b'\r' } else { b'\n' } }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let length = memchr::memchr(self.end, rest)?;
        self.at += length + 1;
        self.number += 1;
        Some(&rest[..length])
    }
}

fn encoding_of<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<Encoding, ErrorKind> {
    let name = words.next().unwrap_or_default();
    let encoding = match name {
        b"ascii" => Encoding::Text,
        b"binary_little_endian" => Encoding::LittleEndian,
        b"binary_big_endian" => Encoding::BigEndian,
        _ => {
            let expected = "`ascii`, `binary_little_endian` or `binary_big_endian`";
            return Err(ErrorKind::unexpected(name, expected));
        }
    };
    match words.next().unwrap_or_default() {
        b"1.0" => Ok(encoding),
        version => Err(ErrorKind::unexpected(version, "version `1.0`")),
    }
}

fn element<'a>(mut words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<Element, ErrorKind> {
    let name = name(words.next(), "the name of an element")?;
    let count = number(words.next().unwrap_or_default(), "the number of rows")?;
    Ok(Element { name, count, properties: Vec::new(), line })
}

fn property<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    element: Option<&mut Element>,
) -> Result<(), ErrorKind> {
    let element =
        element.ok_or_else(|| ErrorKind::unexpected(b"property", "`element` before it"))?;
    let mut scalar = || words.next().unwrap_or_default();
    let kind = match scalar() {
        b"list" => {
            let word = scalar();
            let count = Scalar::from_word(word)?;
            if !count.is_integer() {
                return Err(ErrorKind::unexpected(
                    word,
                    "an integer type for the length of a list",
                ));
            }
            Kind::List { count, item: Scalar::from_word(scalar())? }
        }
        word => Kind::Scalar(Scalar::from_word(word)?),
    };
    let name = name(words.next(), "the name of a property")?;
    element.properties.push(Property { name, kind });
    Ok(())
}

fn name(word: Option<&[u8]>, expected: &str) -> Result<String, ErrorKind> {
    let word = word.ok_or_else(|| ErrorKind::unexpected(b"", expected))?;
    Ok(String::from_utf8_lossy(word).into_owned())
}
