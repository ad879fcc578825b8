//! The macro that makes a structure of its table.

/// Declares a structure by its fields.
///
/// `name: type = bits;` with a doc comment is a field. Bits are a half-open range, or, for arrays
/// whose elements do not adjoin, one range for each element with `|` between them. `as` names a
/// [`Codec`] for values that are not stored as they are, a [`Show`] after the bits says how the
/// field is shown, and `=>` what its numbers count. The attribute `source` of the structure names
/// where all of it comes from: a public document, or a numbered decision.
///
/// [`Codec`]: crate::fields::Codec
/// [`Show`]: crate::fields::Show
#[macro_export]
macro_rules! fields {
    (
        $(#[doc = $about:literal])+
        $(#[derive($($derive:ident),+)])?
        $(#[source = $source:literal])?
        $visibility:vis struct $name:ident: $words:literal words {
            $(
                $(#[doc = $meaning:literal])+
                $access:vis $field:ident: $type:ty $(as $codec:ty)? =
                    $($start:literal..$end:literal)|+ $(, $show:expr)? $(=> $unit:literal)?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        $(#[derive($($derive),+)])?
        $visibility struct $name {
            $(
                $(#[doc = $meaning])+
                $access $field: $type,
            )+
        }

        #[allow(
            non_upper_case_globals,
            dead_code,
            reason = "a field's constant has its name, and not every one is asked for"
        )]
        impl $name {
            $(
                #[doc = concat!("The field `", stringify!($field), "`.")]
                $visibility const $field: $crate::fields::Field = $crate::fields::Field {
                    name: stringify!($field),
                    places: &[$($start..$end),+],
                    type_name: stringify!($type),
                    meaning: concat!($($meaning),+).trim_ascii(),
                    unit: $crate::fields!(@unit $type $(=> $unit)?),
                    source: Self::SOURCE,
                    show: $crate::fields!(@show $($show)?),
                    fields: <$type as $crate::fields::FieldValue>::FIELDS,
                    elements: <$type as $crate::fields::FieldValue>::ELEMENTS,
                };
            )+

            /// Where the table comes from.
            $visibility const SOURCE: &'static str = concat!($($source)?);

            /// All fields.
            $visibility const FIELDS: &'static [$crate::fields::Field] = &[$(Self::$field),+];

            /// The table itself.
            $visibility const TABLE: $crate::fields::FieldTable = $crate::fields::FieldTable {
                name: stringify!($name),
                meaning: concat!($($about),+).trim_ascii(),
                source: Self::SOURCE,
                words: $words,
                fields: Self::FIELDS,
                parts: || Self::describe(&$crate::bits::Bits::ZERO),
            };

            /// Reads the structure; any bits are one.
            #[must_use]
            #[inline]
            $visibility fn decode(bits: &$crate::bits::Bits<$words>) -> Self {
                Self {
                    $(
                        $field: <$crate::fields!(@codec $($codec)?) as $crate::fields::Codec<
                            $type,
                        >>::read(bits, Self::$field.places),
                    )+
                }
            }

            /// Writes the structure. A value that does not fit its bits is a mistake of the caller.
            #[must_use]
            $visibility fn encode(&self) -> $crate::bits::Bits<$words> {
                let mut bits = $crate::bits::Bits::ZERO;
                $(
                    <$crate::fields!(@codec $($codec)?) as $crate::fields::Codec<$type>>::write(
                        &self.$field,
                        &mut bits,
                        Self::$field.places,
                    );
                )+
                bits
            }

            /// The fields in words.
            #[must_use]
            $visibility fn describe(
                bits: &$crate::bits::Bits<$words>,
            ) -> Vec<$crate::DescribedField> {
                let mut list = $crate::fields::FieldList::new(bits.words());
                list.add_structure::<Self>("", 0);
                list.fields
            }
        }

        impl $crate::fields::FieldValue for $name {
            const FIELDS: &'static [$crate::fields::Field] = Self::FIELDS;

            #[inline]
            fn read<const WORDS: usize>(
                bits: &$crate::bits::Bits<WORDS>,
                place: std::ops::Range<usize>,
            ) -> Self {
                Self::decode(&bits.part(place.start))
            }

            fn write<const WORDS: usize>(
                &self,
                bits: &mut $crate::bits::Bits<WORDS>,
                place: std::ops::Range<usize>,
            ) {
                bits.set_part(place, &self.encode());
            }

            fn describe(
                list: &mut $crate::fields::FieldList<'_>,
                field: &$crate::fields::Field,
                name: &str,
                places: &[std::ops::Range<usize>],
            ) {
                let _ = field;
                list.add_structure::<Self>(&format!("{name}."), places[0].start);
            }

            fn describe_fields(
                list: &mut $crate::fields::FieldList<'_>,
                prefix: &str,
                start: usize,
            ) {
                $(list.add_field::<$type>(&Self::$field, prefix, start);)+
            }
        }
    };
    (@unit $type:ty) => { <$type as $crate::fields::FieldValue>::UNIT };
    (@unit $type:ty => $unit:literal) => { $unit };
    (@show) => { $crate::fields::Show::Value };
    (@show $show:expr) => { $show };
    (@codec) => { $crate::fields::Plain };
    (@codec $codec:ty) => { $codec };
}

/// Lets a type stand in fields as a number: how it is made of one (`u32` or `u64`), turned into
/// one, and shown.
#[macro_export]
macro_rules! field_number {
    ($type:ty, $number:ty, $from:expr, $into:expr, $text:expr) => {
        impl $crate::fields::FieldValue for $type {
            const IS_NUMBER: bool = true;

            #[inline]
            fn read<const WORDS: usize>(
                bits: &$crate::bits::Bits<WORDS>,
                place: std::ops::Range<usize>,
            ) -> Self {
                let from: fn($number) -> Self = $from;
                from(<$number as $crate::fields::FieldValue>::read(bits, place))
            }

            #[inline]
            fn write<const WORDS: usize>(
                &self,
                bits: &mut $crate::bits::Bits<WORDS>,
                place: std::ops::Range<usize>,
            ) {
                let into: fn(&Self) -> $number = $into;
                <$number as $crate::fields::FieldValue>::write(&into(self), bits, place);
            }

            fn text(raw: u64) -> String {
                let text: fn(u64) -> String = $text;
                text(raw)
            }
        }
    };
}
