//! What can stand in a field.

use super::{Field, Show, element};
use crate::bits::Bits;
use crate::description::DescribedField;
use geometry::{Aabb, Transform, Vec3};
use std::ops::Range;

/// A type of fields.
pub trait FieldValue: Sized {
    /// The fields of a structure; none of anything else.
    const FIELDS: &'static [Field] = &[];
    /// Elements of an array; 1 of anything else.
    const ELEMENTS: usize = 1;
    /// Whether it is one number, so that three of them are x, y and z.
    const IS_NUMBER: bool = false;
    /// What its numbers count, unless a table says otherwise.
    const UNIT: &'static str = "";

    /// Reads the value at a place.
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self;

    /// Writes the value, which fits, to a place.
    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>);

    /// A number in words.
    #[must_use]
    fn text(raw: u64) -> String {
        raw.to_string()
    }

    /// Adds what stands there: one number, unless it has parts.
    fn describe(list: &mut FieldList<'_>, field: &Field, name: &str, places: &[Range<usize>]) {
        list.add(field, name, places, Self::text);
    }

    /// Adds the fields of a structure that starts at a bit.
    fn describe_fields(list: &mut FieldList<'_>, prefix: &str, start: usize) {
        let _ = (list, prefix, start);
    }

    /// Reads the value whose elements have places of their own.
    #[must_use]
    #[inline]
    fn read_each<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> Self {
        Self::read(bits, places[0].start..places[0].end)
    }

    /// Writes the value whose elements have places of their own.
    #[inline]
    fn write_each<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, places: &[Range<usize>]) {
        self.write(bits, places[0].start..places[0].end);
    }
}

/// How a value is stored.
pub trait Codec<T> {
    /// Reads a value.
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> T;

    /// Writes a value; what cannot be stored is brought into range.
    fn write<const WORDS: usize>(value: &T, bits: &mut Bits<WORDS>, places: &[Range<usize>]);
}

/// Values stored as they are.
#[derive(Debug)]
pub enum Plain {}

impl<T: FieldValue> Codec<T> for Plain {
    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> T {
        T::read_each(bits, places)
    }

    #[inline]
    fn write<const WORDS: usize>(value: &T, bits: &mut Bits<WORDS>, places: &[Range<usize>]) {
        value.write_each(bits, places);
    }
}

/// Counts that are never 0, stored less 1.
#[derive(Debug)]
pub enum MinusOne {}

impl Codec<u8> for MinusOne {
    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> u8 {
        u8::read_each(bits, places) + 1
    }

    fn write<const WORDS: usize>(value: &u8, bits: &mut Bits<WORDS>, places: &[Range<usize>]) {
        let most = (1u32 << places[0].len()) - 1;
        let stored = u32::from(value.saturating_sub(1)).min(most);
        bits.set(places[0].clone(), stored);
    }
}

impl<const N: usize> Codec<[u8; N]> for MinusOne {
    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> [u8; N] {
        <[u8; N]>::read_each(bits, places).map(|stored| stored + 1)
    }

    fn write<const WORDS: usize>(value: &[u8; N], bits: &mut Bits<WORDS>, places: &[Range<usize>]) {
        for (index, value) in value.iter().enumerate() {
            <Self as Codec<u8>>::write(value, bits, &[element(places, N, index)]);
        }
    }
}

/// Even numbers, stored halved.
#[derive(Debug)]
pub enum Halved {}

impl Codec<u8> for Halved {
    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> u8 {
        u8::read_each(bits, places) * 2
    }

    fn write<const WORDS: usize>(value: &u8, bits: &mut Bits<WORDS>, places: &[Range<usize>]) {
        (value / 2).write_each(bits, places);
    }
}

impl FieldValue for u32 {
    const IS_NUMBER: bool = true;

    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        bits.get(place)
    }

    #[inline]
    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        bits.set(place, *self);
    }
}

impl FieldValue for u64 {
    const IS_NUMBER: bool = true;

    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        bits.get_wide(place)
    }

    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        let middle = place.end.min(place.start + 32);
        bits.set(place.start..middle, *self as u32);
        bits.set(middle..place.end, (self >> 32) as u32);
    }
}

crate::field_number!(u8, u32, |raw| raw as u8, |&value| value.into(), |raw| raw.to_string());
crate::field_number!(u16, u32, |raw| raw as u16, |&value| value.into(), |raw| raw.to_string());
crate::field_number!(i8, u32, |raw| raw as i8, |&value| u32::from(value as u8), |raw| {
    (raw as i8).to_string()
});
crate::field_number!(bool, u32, |raw| raw != 0, |&value| value.into(), |raw| {
    (raw != 0).to_string()
});
crate::field_number!(f32, u32, f32::from_bits, |value| value.to_bits(), |raw| {
    format!("{:?}", f32::from_bits(raw as u32))
});

impl<T: FieldValue, const N: usize> FieldValue for [T; N] {
    const FIELDS: &'static [Field] = T::FIELDS;
    const ELEMENTS: usize = N;
    const UNIT: &'static str = T::UNIT;

    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        Self::read_each(bits, &[place])
    }

    #[inline]
    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        self.write_each(bits, &[place]);
    }

    fn describe(list: &mut FieldList<'_>, field: &Field, name: &str, places: &[Range<usize>]) {
        for index in 0..N {
            let name = match AXES.get(index) {
                Some(axis) if N == 3 && T::IS_NUMBER => format!("{name}_{axis}"),
                _ => format!("{name}[{index}]"),
            };
            T::describe(list, field, &name, &[element(places, N, index)]);
        }
    }

    #[inline]
    fn read_each<const WORDS: usize>(bits: &Bits<WORDS>, places: &[Range<usize>]) -> Self {
        std::array::from_fn(|index| T::read(bits, element(places, N, index)))
    }

    #[inline]
    fn write_each<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, places: &[Range<usize>]) {
        for (index, value) in self.iter().enumerate() {
            value.write(bits, element(places, N, index));
        }
    }
}

impl FieldValue for Vec3 {
    const UNIT: &'static str = "scene units";

    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        Self::from_array(<[f32; 3]>::read(bits, place))
    }

    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        self.to_array().write(bits, place);
    }

    fn describe(list: &mut FieldList<'_>, field: &Field, name: &str, places: &[Range<usize>]) {
        for (axis, letter) in AXES.iter().enumerate() {
            let name = format!("{name}.{letter}");
            f32::describe(list, field, &name, &[element(places, 3, axis)]);
        }
    }
}

/// Six planes: min x, y, z, max x, y, z.
impl FieldValue for Aabb {
    const UNIT: &'static str = "scene units";

    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        let [min, max] = <[Vec3; 2]>::read(bits, place);
        Self::new(min, max)
    }

    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        [self.min, self.max].write(bits, place);
    }

    fn describe(list: &mut FieldList<'_>, field: &Field, name: &str, places: &[Range<usize>]) {
        for (side, word) in ["min", "max"].iter().enumerate() {
            let name = format!("{name}.{word}");
            <[f32; 3]>::describe(list, field, &name, &[element(places, 2, side)]);
        }
    }
}

/// Three rows of four.
impl FieldValue for Transform {
    #[inline]
    fn read<const WORDS: usize>(bits: &Bits<WORDS>, place: Range<usize>) -> Self {
        Self { rows: <[[f32; 4]; 3]>::read(bits, place) }
    }

    fn write<const WORDS: usize>(&self, bits: &mut Bits<WORDS>, place: Range<usize>) {
        self.rows.write(bits, place);
    }

    fn describe(list: &mut FieldList<'_>, field: &Field, name: &str, places: &[Range<usize>]) {
        <[[f32; 4]; 3]>::describe(list, field, name, places);
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// A number in hexadecimal.
#[must_use]
pub fn hex(raw: u64) -> String {
    format!("{raw:#x}")
}

/// Described fields under way.
#[derive(Debug)]
pub struct FieldList<'a> {
    words: &'a [u32],
    /// The fields so far.
    pub fields: Vec<DescribedField>,
    /// Where bits of no fixed place come from: the source of the field before them.
    pub source: &'static str,
}

impl<'a> FieldList<'a> {
    /// No fields yet of a structure of these dwords.
    #[must_use]
    pub const fn new(words: &'a [u32]) -> Self {
        Self { words, fields: Vec::new(), source: "" }
    }

    /// Adds the fields of a structure that starts at a bit.
    pub fn add_structure<T: FieldValue>(&mut self, prefix: &str, start: usize) {
        T::describe_fields(self, prefix, start);
    }

    /// Adds a field of a structure that starts at a bit.
    pub fn add_field<T: FieldValue>(&mut self, field: &Field, prefix: &str, start: usize) {
        let name = format!("{prefix}{}", field.name);
        let moved = |place: &Range<usize>| place.start + start..place.end + start;
        let places: Vec<Range<usize>> = field.places.iter().map(moved).collect();
        match field.show {
            Show::Flat => self.add_structure::<T>(prefix, places[0].start),
            Show::Whole(text) => self.add(field, &name, &places, text),
            Show::Value | Show::Each(_) | Show::Unused => T::describe(self, field, &name, &places),
        }
    }

    /// Adds one number, at most 64 bits.
    pub fn add(
        &mut self,
        field: &Field,
        name: &str,
        places: &[Range<usize>],
        text: fn(u64) -> String,
    ) {
        let place = places[0].clone();
        let raw = self.raw(&place);
        let value = match field.show {
            Show::Each(text) | Show::Whole(text) => text(raw),
            Show::Unused => String::new(),
            Show::Value | Show::Flat => text(raw),
        };
        self.source = field.source;
        self.add_value(name.to_owned(), place, value, (field.meaning, field.unit));
    }

    /// Adds bits, at most 64, of no fixed place, with what they mean and count.
    pub fn add_value(
        &mut self,
        name: String,
        place: Range<usize>,
        value: String,
        (meaning, unit): (&'static str, &'static str),
    ) {
        let (raw, bits) = (self.raw(&place), place.start as u32..place.end as u32);
        let (source, link) = (self.source, None);
        self.fields.push(DescribedField { name, bits, raw, value, meaning, unit, source, link });
    }

    fn raw(&self, place: &Range<usize>) -> u64 {
        Bits::<2>::at(self.words, place.start).get_wide(0..place.len())
    }
}
