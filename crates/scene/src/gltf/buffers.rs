//! Where the bytes of buffers come from: the GLB itself, a `data:` URI, or a file beside the
//! document; and the parts of them that views name.

use super::document::{Document, Image};
use super::{item, meshopt};
use crate::ImageSource;
use crate::error::{ErrorKind, ParseError};
use crate::read::beside;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::path::Path;

/// The buffers of a document, each fetched when it is first used.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    binary: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    fetched: Vec<OnceCell<Cow<'a, [u8]>>>,
    /// The bytes of views that are compressed.
    decoded: Vec<OnceCell<Vec<u8>>>,
    fetched_bytes: Cell<u64>,
    decoded_bytes: Cell<u64>,
}

/// A view may be compressed well, but not like this: it keeps memory in proportion to the file.
const DECODED_PER_BYTE: u64 = 256;

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &'a Document,
        binary: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        let fetched = document.buffers.iter().map(|_| OnceCell::new()).collect();
        let decoded = document.buffer_views.iter().map(|_| OnceCell::new()).collect();
        let (fetched_bytes, decoded_bytes) = (Cell::new(0), Cell::new(0));
        Self { document, binary, folder, fetched, decoded, fetched_bytes, decoded_bytes }
    }

    /// The bytes of a buffer view, and the distance between its elements where it says one.
    pub(super) fn view(
        &self,
        index: usize,
        from: &str,
    ) -> Result<(&[u8], Option<usize>), ParseError> {
        let views = &self.document.buffer_views;
        let view = item(views, index, "buffer view", || format!("{from}.bufferView"))?;
        let path = format!("bufferViews[{index}]");
        let stride = view.byte_stride.map(|s| usize::try_from(s).unwrap_or(usize::MAX));
        let Some(meshopt) = view.extensions.meshopt() else {
            let bytes = self.slice(view.buffer, view.byte_offset, view.byte_length, &path)?;
            return Ok((bytes, stride));
        };
        if let Some(bytes) = self.decoded[index].get() {
            return Ok((bytes, stride));
        }
        let (from, length) = (meshopt.byte_offset, meshopt.byte_length);
        let compressed = self.slice(meshopt.buffer, from, length, &path)?;
        let count = meshopt.count.saturating_mul(meshopt.byte_stride);
        let most = self.fetched_bytes().saturating_mul(DECODED_PER_BYTE);
        let most = most.saturating_sub(self.decoded_bytes.get());
        if count > most {
            let kind = ErrorKind::TooMany { what: "decompressed bytes", count, most };
            return Err(ParseError::json(path, kind));
        }
        self.decoded_bytes.set(self.decoded_bytes.get() + count);
        let bytes = meshopt::decode(meshopt, compressed).map_err(|reason| {
            ParseError::json(path, ErrorKind::Compressed { codec: "meshopt", reason })
        })?;
        Ok((self.decoded[index].get_or_init(|| bytes), stride))
    }

    /// A part of a buffer.
    fn slice(&self, index: usize, from: u64, length: u64, path: &str) -> Result<&[u8], ParseError> {
        let buffer = self.buffer(index, path)?;
        let left = buffer.len() as u64;
        let start = from.min(left);
        let end = from.checked_add(length).filter(|&end| end <= left);
        let end = end.ok_or_else(|| {
            let kind = ErrorKind::Truncated { needed: length, left: left - start };
            ParseError::json(path, kind)
        })?;
        // Lengths that fit into a buffer fit into a usize.
        Ok(&buffer[start as usize..end as usize])
    }

    /// Where a picture is; its bytes are not looked at.
    pub(super) fn image(&self, place: &str, image: &Image) -> Result<ImageSource, String> {
        let source = |bytes| ImageSource::Embedded { place: place.to_owned(), bytes };
        match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match uri.strip_prefix("data:") {
                Some(data) => embedded(data).map(source),
                None => beside::find(self.folder, &percent_decoded(uri)).map(ImageSource::File),
            },
            (None, Some(view)) => match self.view(view, "images") {
                Ok((bytes, _)) => Ok(source(bytes.to_vec())),
                Err(_) => Err("its buffer view cannot be read".to_owned()),
            },
            (None, None) => Err("it has neither a `uri` nor a buffer view".to_owned()),
        }
    }

    /// The size of all buffers that were fetched.
    pub(super) const fn fetched_bytes(&self) -> u64 {
        self.fetched_bytes.get()
    }

    fn buffer(&self, index: usize, from: &str) -> Result<&[u8], ParseError> {
        let cell = item(&self.fetched, index, "buffer", || format!("{from}.buffer"))?;
        if let Some(bytes) = cell.get() {
            return Ok(bytes);
        }
        let bytes = self.fetch(index)?;
        self.fetched_bytes.set(self.fetched_bytes.get() + bytes.len() as u64);
        Ok(cell.get_or_init(|| bytes))
    }

    fn fetch(&self, index: usize) -> Result<Cow<'a, [u8]>, ParseError> {
        let buffer = &self.document.buffers[index];
        let path = || format!("buffers[{index}]");
        let bytes = match (&buffer.uri, self.binary) {
            (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
            (None, _) => {
                let kind = ErrorKind::Unexpected {
                    found: "a buffer without a `uri`".to_owned(),
                    expected: "one, or the binary chunk of a GLB".to_owned(),
                };
                return Err(ParseError::json(path(), kind));
            }
            (Some(uri), _) => {
                let fetched = match uri.strip_prefix("data:") {
                    Some(data) => embedded(data),
                    None => beside::read(self.folder, &percent_decoded(uri), buffer.byte_length),
                };
                Cow::Owned(fetched.map_err(|reason| {
                    let uri = uri.chars().take(64).collect();
                    ParseError::json(path(), ErrorKind::OtherFile { uri, reason })
                })?)
            }
        };
        if (bytes.len() as u64) < buffer.byte_length {
            let left = bytes.len() as u64;
            let kind = ErrorKind::Truncated { needed: buffer.byte_length, left };
            return Err(ParseError::json(path(), kind));
        }
        Ok(bytes)
    }
}

/// The bytes of a `data:` URI after its scheme.
fn embedded(data: &str) -> Result<Vec<u8>, String> {
    let (kind, text) = data.split_once(',').ok_or("it has no comma")?;
    if !kind.ends_with(";base64") {
        return Err("only base64 is understood".to_owned());
    }
    let padding = DecodePaddingMode::Indifferent;
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(padding);
    GeneralPurpose::new(&STANDARD, config).decode(text).map_err(|error| error.to_string())
}

/// A URI with `%20` and its like replaced by their bytes.
fn percent_decoded(uri: &str) -> String {
    let (mut decoded, mut rest) = (Vec::new(), uri.as_bytes());
    while let [first, others @ ..] = rest {
        let hex = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|h| u8::from_str_radix(h, 16).ok());
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
