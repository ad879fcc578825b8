//! How two images of one format differ, structure by structure and field by field.
//!
//! Structures are the same if they lie at the same place of the same segment, counted from the same
//! base, and are of the same kind. Of structures whose bytes differ, the fields are compared by
//! their bits; what words are made of them does not count. Bytes of no structure are counted.

use machine::{
    DescribedField, Description, EntryState, FormatEntry, ImageFile, OutlineEntry, Segment,
};
use std::collections::{BTreeMap, HashSet};

/// How two images differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageDiff {
    /// How many structures can be reached in each.
    pub structures: [usize; 2],
    /// How many of each kind are the same, differ, or are missing in one of the images. All kinds
    /// together are all structures.
    pub kinds: BTreeMap<&'static str, KindSums>,
    /// Records beside structures that differ, by kind.
    pub beside: BTreeMap<&'static str, usize>,
    /// The fields that differ; indices are left out of names.
    pub fields: BTreeMap<String, FieldSum>,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// Bytes that differ and belong to no structure.
    pub other_bytes: usize,
    /// Where the first of them lies in each file.
    pub other_at: [Option<u64>; 2],
    /// Bytes of the files that differ and belong to no image.
    pub outside: OutsideSum,
}

/// Bytes of two files that differ outside of their images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutsideSum {
    /// How many.
    pub count: usize,
    /// Where the first of them lies.
    pub first: Option<u64>,
}

impl OutsideSum {
    /// Compares all bytes of two files that their images do not hold, place by place.
    #[must_use]
    pub fn of(files: [&ImageFile; 2], bytes: [&[u8]; 2]) -> Self {
        let is_outside = |at: &usize| {
            files
                .iter()
                .zip(bytes)
                .all(|(file, bytes)| bytes.len() <= *at || file.address_of(*at as u64).is_none())
        };
        let differs = |at: &usize| bytes[0].get(*at) != bytes[1].get(*at);
        let length = bytes[0].len().max(bytes[1].len());
        // Compressed data has no places of its own; what it unpacks to has been compared.
        let is_plain = |file: &ImageFile| file.places.iter().all(|it| it.compressed.is_none());
        if !files.iter().all(|file| is_plain(file)) {
            return Self::default();
        }
        let outside = (0..length).filter(differs).filter(is_outside);
        outside.fold(Self::default(), |sum, at| Self {
            count: sum.count + 1,
            first: sum.first.or(Some(at as u64)),
        })
    }
}

/// How many structures of a kind are what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KindSums {
    /// The same in both.
    pub equal: usize,
    /// They differ.
    pub changed: usize,
    /// Only one of the images has them.
    pub only_in: [usize; 2],
}

/// How often a field differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSum {
    /// How often.
    pub count: usize,
    /// The pointer of the first structure, in the format's notation.
    pub pointer: String,
    /// Where that lies in the first file.
    pub offset: Option<u64>,
}

/// A structure that is not the same in both images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The segment that its base lies in.
    pub structure: usize,
    /// Its pointer in the format's notation.
    pub pointer: String,
    /// What it is.
    pub kind: &'static str,
    /// Where it lies in each file.
    pub offsets: [Option<u64>; 2],
    /// Which image has it, 0 or 1, if the other has no such structure.
    pub only_in: Option<usize>,
    /// The fields that differ.
    pub fields: Vec<FieldDifference>,
}

/// A field that is not the same in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDifference {
    /// Its name.
    pub name: String,
    /// Its bits in the first structure that has it.
    pub bits: [u32; 2],
    /// What stands there in each.
    pub values: [String; 2],
}

impl ImageDiff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && self.other_bytes == 0 && self.outside.count == 0
    }

    /// How many structures, and records beside them, differ or are missing.
    #[must_use]
    pub fn count(&self) -> usize {
        let KindSums { changed, only_in: [a, b], .. } = self.sums();
        changed + a + b + self.beside.values().sum::<usize>()
    }

    /// The sums over all kinds.
    #[must_use]
    pub fn sums(&self) -> KindSums {
        self.kinds.values().fold(KindSums::default(), |all, kind| KindSums {
            equal: all.equal + kind.equal,
            changed: all.changed + kind.changed,
            only_in: [0, 1].map(|side| all.only_in[side] + kind.only_in[side]),
        })
    }
}

/// Compares two images of a format, and keeps the first `most` differences.
#[must_use]
pub fn diff(format: &FormatEntry, files: [&ImageFile; 2], most: usize) -> ImageDiff {
    let sides = files.map(|file| Side::new(format, file));
    let mut comparison = Comparison {
        sides: &sides,
        most,
        reported: HashSet::new(),
        found: ImageDiff { structures: [0, 1].map(|n| sides[n].entries.len()), ..<_>::default() },
        covered: Covered::new(files),
    };
    let keys: BTreeMap<&Key, [Option<&OutlineEntry>; 2]> = sides[0]
        .entries
        .keys()
        .chain(sides[1].entries.keys())
        .map(|key| (key, [0, 1].map(|n| sides[n].entries.get(key))))
        .collect();
    let mut same = Vec::new();
    for (key, entries) in keys {
        for (side, entry) in entries.iter().enumerate() {
            if let Some(entry) = entry {
                comparison.covered.add(files[side], entry.address, entry.bytes);
            }
        }
        match entries {
            [Some(a), Some(b)] if sides[0].bytes_of(a) == sides[1].bytes_of(b) => {
                same.push((key, a, b));
            }
            [Some(a), Some(b)] => {
                comparison.kind(key.3).changed += 1;
                comparison.changed(key, a, b);
            }
            [a, b] => comparison.only_in(key, a, b),
        }
    }
    for (key, ..) in &same {
        comparison.kind(key.3).equal += 1;
    }
    // Only what lies beside structures is left to tell apart.
    if comparison.covered.differing(files).next().is_some() {
        for (key, a, b) in same {
            if let [Some(a), Some(b)] = [sides[0].describe(a), sides[1].describe(b)] {
                comparison.beside(key, &a, &b);
            }
        }
    }
    let mut other = comparison.covered.differing(files);
    let first = other.next();
    let other_bytes = usize::from(first.is_some()) + other.count();
    let other_at = files.map(|file| {
        let (segment, at) = first?;
        let address = file.image.segments.get(segment)?.address.checked_add(at as u64)?;
        file.offset_of(address)
    });
    ImageDiff { other_bytes, other_at, ..comparison.found }
}

/// Segment of the base, which base of that segment, bytes from there on, kind.
type Key = (usize, usize, u64, &'static str);

/// One of the images.
struct Side<'a> {
    format: &'a FormatEntry,
    file: &'a ImageFile,
    entries: BTreeMap<Key, OutlineEntry>,
}

impl<'a> Side<'a> {
    fn new(format: &'a FormatEntry, file: &'a ImageFile) -> Self {
        let outline = (format.outline)(&file.image);
        let read = |entry: &&OutlineEntry| entry.state == EntryState::Read && entry.bytes > 0;
        let segment_of = |base: u64| {
            let holds = |segment: &Segment| segment.get(base, 1).is_some();
            file.image.segments.iter().position(holds).unwrap_or(0)
        };
        let mut bases: BTreeMap<u64, (usize, usize)> =
            outline.entries.iter().filter(read).map(|entry| (entry.node.base, (0, 0))).collect();
        let mut counts = vec![0; file.image.segments.len().max(1)];
        for (base, place) in &mut bases {
            let segment = segment_of(*base);
            *place = (segment, counts[segment]);
            counts[segment] += 1;
        }
        let mut entries = BTreeMap::new();
        let mut above: Vec<(u64, u64)> = Vec::new();
        for entry in &outline.entries {
            above.truncate(entry.depth as usize);
            let end = entry.address.saturating_add(entry.bytes as u64);
            let is_part = above.iter().any(|&(first, last)| first <= entry.address && end <= last);
            above.push((entry.address, end));
            if let Some(&(segment, rank)) = bases.get(&entry.node.base)
                && read(&entry)
                && !is_part
            {
                let distance = entry.address.wrapping_sub(entry.node.base);
                entries
                    .entry((segment, rank, distance, entry.kind))
                    .or_insert_with(|| entry.clone());
            }
        }
        Self { format, file, entries }
    }

    fn bytes_of(&self, entry: &OutlineEntry) -> &[u8] {
        self.file.image.get(entry.address, entry.bytes).unwrap_or_default()
    }

    fn describe(&self, entry: &OutlineEntry) -> Option<Description> {
        (self.format.describe)(&self.file.image, entry.node).ok()
    }
}

/// A comparison under way.
struct Comparison<'a> {
    sides: &'a [Side<'a>; 2],
    most: usize,
    /// Addresses in both images of what has been compared.
    reported: HashSet<(u64, u64)>,
    found: ImageDiff,
    covered: Covered,
}

impl Comparison<'_> {
    fn kind(&mut self, kind: &'static str) -> &mut KindSums {
        self.found.kinds.entry(kind).or_default()
    }

    /// Tells how two structures differ, and what lies beside them.
    fn changed(&mut self, key: &Key, a: &OutlineEntry, b: &OutlineEntry) {
        let [Some(a), Some(b)] = [self.sides[0].describe(a), self.sides[1].describe(b)] else {
            return self.tell(key, (key.3, a.node.to_string()), [a.address, b.address], Vec::new());
        };
        self.reported.insert((a.address, b.address));
        self.pair(key, &a, &b);
        self.beside(key, &a, &b);
    }

    /// Compares what lies beside two structures: once, though several may have it in common.
    fn beside(&mut self, key: &Key, a: &Description, b: &Description) {
        for (a, b) in a.beside.iter().zip(&b.beside).filter(|(a, b)| a.kind == b.kind) {
            let is_changed = self.memory(0, a) != self.memory(1, b);
            if is_changed && self.reported.insert((a.address, b.address)) {
                *self.found.beside.entry(a.kind).or_default() += 1;
                self.pair(key, a, b);
            }
            self.cover(a, b);
        }
    }

    fn memory(&self, side: usize, part: &Description) -> &[u8] {
        self.sides[side].file.image.get(part.address, part.bytes).unwrap_or_default()
    }

    fn cover(&mut self, a: &Description, b: &Description) {
        for (side, part) in [a, b].into_iter().enumerate() {
            self.covered.add(self.sides[side].file, part.address, part.bytes);
        }
    }

    fn pair(&mut self, key: &Key, a: &Description, b: &Description) {
        self.cover(a, b);
        let fields = field_differences([a, b], [self.memory(0, a), self.memory(1, b)]);
        let offset = self.sides[0].file.offset_of(a.address);
        for field in &fields {
            let first = || FieldSum { count: 0, pointer: a.node.to_string(), offset };
            let sum = self.found.fields.entry(without_indices(&field.name));
            sum.or_insert_with(first).count += 1;
        }
        self.tell(key, (a.kind, a.node.to_string()), [a.address, b.address], fields);
    }

    fn tell(
        &mut self,
        key: &Key,
        (kind, pointer): (&'static str, String),
        addresses: [u64; 2],
        fields: Vec<FieldDifference>,
    ) {
        if self.found.differences.len() < self.most {
            let offsets = [0, 1].map(|side| self.sides[side].file.offset_of(addresses[side]));
            let (structure, only_in) = (key.0, None);
            let difference = Difference { structure, pointer, kind, offsets, only_in, fields };
            self.found.differences.push(difference);
        }
    }

    fn only_in(&mut self, key: &Key, a: Option<&OutlineEntry>, b: Option<&OutlineEntry>) {
        let side = usize::from(a.is_none());
        let Some(entry) = a.or(b) else { return };
        self.kind(entry.kind).only_in[side] += 1;
        if self.found.differences.len() < self.most {
            let mut offsets = [None; 2];
            offsets[side] = self.sides[side].file.offset_of(entry.address);
            self.found.differences.push(Difference {
                structure: key.0,
                pointer: entry.node.to_string(),
                kind: entry.kind,
                offsets,
                only_in: Some(side),
                fields: Vec::new(),
            });
        }
    }
}

/// Fields by name; then the dwords with bits that differ and belong to no field.
fn field_differences(parts: [&Description; 2], bytes: [&[u8]; 2]) -> Vec<FieldDifference> {
    let [a, b] = parts.map(|part| {
        part.fields.iter().map(|field| (&*field.name, field)).collect::<BTreeMap<_, _>>()
    });
    let mut found = Vec::new();
    let only_b = parts[1].fields.iter().filter(|field| !a.contains_key(&*field.name));
    for field in parts[0].fields.iter().chain(only_b) {
        let both = [a.get(&*field.name).copied(), b.get(&*field.name).copied()];
        if both[0].map(|field| field.raw) != both[1].map(|field| field.raw) {
            let (name, bits) = (field.name.clone(), [field.bits.start, field.bits.end]);
            found.push(FieldDifference { name, bits, values: values(both) });
        }
    }
    let length = bytes[0].len().max(bytes[1].len());
    let mut named = vec![0u8; length];
    for bit in parts.iter().flat_map(|part| &part.fields).flat_map(|field| field.bits.clone()) {
        if let Some(byte) = named.get_mut(bit as usize / 8) {
            *byte |= 1 << (bit % 8);
        }
    }
    for at in (0..length).step_by(4) {
        let byte = |side: usize, at: usize| bytes[side].get(at).copied();
        let differs = |at: usize| match [byte(0, at), byte(1, at)] {
            [Some(a), Some(b)] => (a ^ b) & !named[at] != 0,
            _ => named[at] != 0xFF,
        };
        if (at..length.min(at + 4)).any(differs) {
            let word = |side: usize| {
                let bytes = (at..at + 4).rev().filter_map(|at| byte(side, at));
                let digits: String = bytes.map(|byte| format!("{byte:02x}")).collect();
                if digits.is_empty() { "none".to_owned() } else { format!("0x{digits}") }
            };
            let (first, last) = (8 * at as u32, 8 * length.min(at + 4) as u32);
            let (name, values) = (format!("dword {}", at / 4), [word(0), word(1)]);
            found.push(FieldDifference { name, bits: [first, last], values });
        }
    }
    found
}

/// What stands in a field of both: in words, with the bits where words do not tell them apart.
fn values(both: [Option<&DescribedField>; 2]) -> [String; 2] {
    let words = both.map(|field| field.map(|field| &*field.value));
    let is_clear = words[0] != words[1] && words.iter().all(|words| *words != Some(""));
    both.map(|field| match field {
        None => "none".to_owned(),
        Some(field) if is_clear => field.value.clone(),
        Some(field) if field.value.is_empty() => format!("{:#x}", field.raw),
        Some(field) => format!("{} ({:#x})", field.value, field.raw),
    })
}

/// `children[3].min_x` as `children[].min_x`.
fn without_indices(name: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for letter in name.chars() {
        inside &= letter != ']';
        if !inside {
            kept.push(letter);
        }
        inside |= letter == '[';
    }
    kept
}

/// Which bytes of each segment belong to structures of either image.
struct Covered(Vec<Vec<bool>>);

impl Covered {
    fn new(files: [&ImageFile; 2]) -> Self {
        let length = |file: &ImageFile, number: usize| {
            file.image.segments.get(number).map_or(0, |segment| segment.bytes().len())
        };
        let count = files.map(|file| file.image.segments.len()).into_iter().max().unwrap_or(0);
        let longest = |number| files.map(|file| length(file, number)).into_iter().max();
        Self((0..count).map(|number| vec![false; longest(number).unwrap_or(0)]).collect())
    }

    fn add(&mut self, file: &ImageFile, address: u64, bytes: usize) {
        let segments = file.image.segments.iter().zip(&mut self.0);
        for (segment, covered) in segments {
            if segment.get(address, bytes).is_some() {
                let first = (address - segment.address) as usize;
                covered[first..first + bytes].fill(true);
            }
        }
    }

    /// Segments and bytes of them that differ and are not covered.
    fn differing(&self, files: [&ImageFile; 2]) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().enumerate().flat_map(move |(number, covered)| {
            let [a, b] = files.map(|file| {
                file.image.segments.get(number).map_or(&[][..], |segment| segment.bytes())
            });
            let differs = move |at: &usize| !covered[*at] && a.get(*at) != b.get(*at);
            (0..covered.len()).filter(differs).map(move |at| (number, at))
        })
    }
}
