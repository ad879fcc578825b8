//! The bytes of the open file. Those that its image holds are not kept a second time.

use siliray::machine::{ImageFile, Segment};
use std::ops::Range;

/// Fewer bytes are not worth a part of their own.
const LEAST: usize = 1 << 12;

/// The bytes of a file, in parts.
pub(crate) struct StoredBytes {
    len: usize,
    parts: Vec<Part>,
}

/// Bytes that lie behind each other in the file.
enum Part {
    Own(Vec<u8>),
    /// Some bytes of a segment.
    Held(Segment, Range<usize>),
}

impl Part {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Held(segment, range) => &segment.bytes()[range.clone()],
        }
    }
}

impl StoredBytes {
    /// The bytes of a file whose image is known.
    pub(crate) fn new(bytes: Vec<u8>, file: &ImageFile) -> Self {
        let mut held = runs(&bytes, file);
        held.sort_by_key(|(offset, ..)| *offset);
        let len = bytes.len();
        let mut parts = Vec::new();
        let mut next = 0;
        for (offset, segment, range) in held {
            if offset < next {
                continue;
            }
            parts.push(Part::Own(bytes[next..offset].to_vec()));
            next = offset + range.len();
            parts.push(Part::Held(segment.clone(), range));
        }
        let rest = if parts.is_empty() { bytes } else { bytes[next..].to_vec() };
        parts.push(Part::Own(rest));
        Self { len, parts }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All of them, part by part.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(Part::bytes)
    }

    /// All of them.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        self.get(0..self.len)
    }

    /// Some of them, as far as the file reaches.
    pub(crate) fn get(&self, wanted: Range<usize>) -> Vec<u8> {
        let mut found = Vec::with_capacity(wanted.len().min(self.len));
        let mut start = 0;
        for part in self.parts() {
            let within = |at: usize| at.saturating_sub(start).min(part.len());
            found.extend_from_slice(&part[within(wanted.start)..within(wanted.end)]);
            start += part.len();
        }
        found
    }
}

/// Runs of bytes that are the same in the file and in a segment: where they begin in the file, and
/// which of the segment's they are.
fn runs<'a>(bytes: &[u8], file: &'a ImageFile) -> Vec<(usize, &'a Segment, Range<usize>)> {
    let mut found = Vec::new();
    let stored = file.image.segments.iter().zip(&file.places);
    for (segment, place) in stored.filter(|(_, place)| place.compressed.is_none()) {
        let ends = place.runs.iter().skip(1).map(|(first, _)| *first as usize);
        let ends = ends.chain([segment.bytes().len()]);
        for (&(first, offset), end) in place.runs.iter().zip(ends) {
            let (first, offset) = (first as usize, offset as usize);
            let own = segment.bytes().get(first..end).filter(|own| own.len() >= LEAST);
            let same = own.zip(own.and_then(|own| bytes.get(offset..offset + own.len())));
            if same.is_some_and(|(own, other)| is_same(own, other)) {
                found.push((offset, segment, first..end));
            }
        }
    }
    found
}

/// Whether two runs of as many bytes are the same: word by word, which is quick everywhere.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let ((one, end), (other, other_end)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes);
    end == other_end && one.iter().zip(other).all(|(one, other)| word(one) == word(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use siliray::machine::{FilePlace, Image};

    #[test]
    fn bytes_of_segments_are_kept_once_and_read_as_if_they_were_not() {
        let bytes: Vec<u8> = (0..40_000u32).map(|n| ((n * n) >> 3) as u8).collect();
        let place = |runs: &[(u64, u64)]| FilePlace { runs: runs.to_vec(), ..FilePlace::default() };
        let mut padded = bytes[100..220].to_vec();
        padded.extend([0; 8]);
        padded.extend(&bytes[220..10_000]);
        let other = &bytes[12_000..30_000];
        let image = Image {
            segments: vec![Segment::new(0, other), Segment::new(1 << 20, &padded)],
            ..Image::default()
        };
        // The second overlaps the first, the third is not what the file holds.
        let mut places = vec![place(&[(0, 12_000)]), place(&[(0, 100), (128, 220)])];
        let mut segments = image.segments.clone();
        segments.extend([Segment::new(2 << 20, other), Segment::new(3 << 20, &[7; 9000])]);
        places.extend([place(&[(0, 12_000)]), place(&[(0, 31_000)])]);
        let file = ImageFile::of(Image { segments, ..image }, places);
        let stored = StoredBytes::new(bytes.clone(), &file);
        let own = stored.parts.iter().filter(|part| matches!(part, Part::Own(_)));
        let own: usize = own.map(|part| part.bytes().len()).sum();
        assert_eq!(own, bytes.len() - 9780 - other.len());
        assert_eq!(stored.to_vec(), bytes);
        for range in [0..1, 99..300, 9_999..12_001, 20_000..40_000, 39_990..50_000, 50_000..60_000]
        {
            let end = range.end.min(bytes.len());
            assert_eq!(stored.get(range.clone()), bytes[range.start.min(end)..end]);
        }
    }
}
