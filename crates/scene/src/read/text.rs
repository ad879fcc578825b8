//! Lines, words and numbers of text formats. Lines end with LF, CR LF or CR.

use super::coordinate;
use crate::error::ErrorKind;

/// The lines of a text with their numbers, from 1 or from where a binary part left off.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self { rest: text, number: 0 }
    }

    /// The rest of a file of which `before` lines have been read.
    pub(crate) const fn continuing(text: &'a [u8], before: u64) -> Self {
        Self { rest: text, number: before }
    }

    /// What has not been read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The number of the line that was read last.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// The next line that holds a word.
    pub(crate) fn next_filled(&mut self) -> Option<&'a [u8]> {
        self.find(|line| !line.trim_ascii().is_empty())
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let Some(end) = memchr::memchr2(b'\n', b'\r', self.rest) else {
            return Some(std::mem::take(&mut self.rest));
        };
        let line = &self.rest[..end];
        let both = self.rest[end..].starts_with(b"\r\n");
        self.rest = &self.rest[end + 1 + usize::from(both)..];
        Some(line)
    }
}

/// The words of a line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A text without its byte-order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// A number, as Rust reads them.
pub(crate) fn number<T: std::str::FromStr>(word: &[u8], expected: &str) -> Result<T, ErrorKind> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| ErrorKind::unexpected(word, expected))
}

/// A coordinate, rounded once from the decimal text.
pub(crate) fn coordinate(word: &[u8]) -> Result<f32, ErrorKind> {
    match number::<f32>(word, "a number")? {
        value if value.abs() <= coordinate::MOST => Ok(value),
        _ => coordinate::narrow(number::<f64>(word, "a number")?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_is_one() {
        let mut lines = Lines::new(b"a\nb\r\nc\rd\n\ne");
        let read: Vec<&[u8]> = lines.by_ref().collect();
        assert_eq!(read, [b"a", b"b", b"c", b"d", b"" as &[u8], b"e"]);
        assert_eq!(lines.number(), 6);
    }
}
