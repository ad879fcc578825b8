//! Columns of numbers, as tables of Arrow have them.
//!
//! A column is found by its name. Its numbers are floats or whole numbers of any width, also as a
//! dictionary; `origin`, `direction` and the like are lists of three of them. What a table says of
//! a ray and need not (`tmin`, `tmax`, and what queries have more) may be null; what it must have
//! may not. (Python's tables of rays have the same rule: `dataframe/_cast.py`.)

use super::RayFileProblem;
use super::record::{NAMES, Numbers, OPTIONAL, QUERY_NAMES, VECTORS, missing};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type};
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Schema};

/// A file of columns, read part by part.
pub(super) trait Table: Send + std::fmt::Debug {
    /// The next rows; `None` behind the last.
    fn next(&mut self) -> Result<Option<Columns>, RayFileProblem>;
}

/// A column that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Which column of the file.
    pub(super) field: usize,
    /// What it is called.
    pub(super) name: String,
    /// The first number that it holds, by its place in [`QUERY_NAMES`], and how many.
    first: usize,
    count: usize,
}

/// What is wrong with a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    /// In which row, if it is in one.
    pub(super) row: Option<usize>,
    /// What is found, and what was expected.
    pub(super) message: String,
}

/// Some rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    rows: usize,
    numbers: [Option<Column>; QUERY_NAMES.len()],
}

/// The numbers with one place in [`QUERY_NAMES`]: every `stride`th, from `first` on.
#[derive(Debug, Clone)]
struct Column {
    floats: ScalarBuffer<f32>,
    nulls: Option<NullBuffer>,
    first: usize,
    stride: usize,
}

/// The columns of a table that are a ray's, or a query's.
pub(super) fn wanted(schema: &Schema) -> Result<Vec<Wanted>, RayFileProblem> {
    let mut found = Vec::new();
    for (field, column) in schema.fields().iter().enumerate() {
        let name = column.name();
        let single = QUERY_NAMES.iter().position(|known| known == name).map(|place| (place, 1));
        let vector = VECTORS.iter().find(|(known, _)| known == name).map(|&(_, place)| (place, 3));
        let Some((first, count)) = single.or(vector) else { continue };
        let item = match column.data_type() {
            DataType::FixedSizeList(item, 3) | DataType::List(item) | DataType::LargeList(item)
                if count == 3 =>
            {
                Some(item.data_type())
            }
            kind => Some(kind).filter(|_| count == 1),
        };
        let is_number = |kind: &DataType| kind.is_floating() || kind.is_integer();
        let is_right = item.is_some_and(|kind| match kind {
            DataType::Dictionary(_, value) => count == 1 && is_number(value),
            kind => is_number(kind),
        });
        if !is_right {
            let numbers = "floats or whole numbers";
            let expected = if count == 3 { format!("three {numbers}") } else { numbers.to_owned() };
            let message = format!("type {}, expected {expected}", column.data_type());
            return Err(RayFileProblem::Column { column: name.clone(), message });
        }
        let places = first..first + count;
        let mut others = found
            .iter()
            .filter(|one: &&Wanted| one.first < places.end && places.start < one.first + one.count);
        if let Some(other) = others.next() {
            let message = format!("there is also {:?}, which says the same", other.name);
            return Err(RayFileProblem::Column { column: name.clone(), message });
        }
        found.push(Wanted { field, name: name.clone(), first, count });
    }
    let has = |place| found.iter().any(|one| (one.first..one.first + one.count).contains(&place));
    match missing(has) {
        None => Ok(found),
        Some(name) => Err(RayFileProblem::Column {
            column: name.to_owned(),
            message: format!(
                "there is none; expected {}, or origin, direction, tmin, tmax",
                NAMES.join(", ")
            ),
        }),
    }
}

impl Columns {
    /// No columns yet, of so many rows.
    pub(super) fn of_rows(rows: usize) -> Self {
        Self { rows, ..Self::default() }
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds what a column holds.
    pub(super) fn add(&mut self, wanted: &Wanted, array: &ArrayRef) -> Result<(), Mistake> {
        if array.len() != self.rows {
            let (found, expected) = (array.len(), self.rows);
            let message = format!("it has {found} rows, and others have {expected}");
            return Err(Mistake { row: None, message });
        }
        let is_needed = |place: usize| place < NAMES.len() && !OPTIONAL.contains(&place);
        let null = |row| Mistake { row, message: "null, expected a number".to_owned() };
        let first_null = |nulls: &NullBuffer| (0..nulls.len()).find(|&row| nulls.is_null(row));
        let numbers = if wanted.count == 3 { triples(array)? } else { array.clone() };
        let (floats, nulls) = floats(&numbers);
        if let Some(nulls) = nulls.as_ref().filter(|nulls| nulls.null_count() > 0)
            && (is_needed(wanted.first) || wanted.count == 3)
        {
            return Err(null(first_null(nulls).map(|number| number / wanted.count)));
        }
        for position in 0..wanted.count {
            self.numbers[wanted.first + position] = Some(Column {
                floats: floats.clone(),
                nulls: nulls.clone(),
                first: position,
                stride: wanted.count,
            });
        }
        Ok(())
    }

    /// The numbers of a row.
    pub(super) fn row(&self, row: usize) -> Numbers {
        std::array::from_fn(|place| {
            let column = self.numbers[place].as_ref()?;
            let is_null = column.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            if is_null {
                None
            } else {
                column.floats.get(row * column.stride + column.first).copied()
            }
        })
    }
}

/// The numbers of lists of three, one behind the other.
fn triples(array: &ArrayRef) -> Result<ArrayRef, Mistake> {
    if let Some(row) = (0..array.len()).find(|&row| array.is_null(row)) {
        let message = "null, expected three numbers".to_owned();
        return Err(Mistake { row: Some(row), message });
    }
    fn listed<O: OffsetSizeTrait>(array: &ArrayRef) -> Result<ArrayRef, Mistake> {
        let list = array.as_list::<O>();
        let wrong = (0..list.len()).find(|&row| list.value_length(row).as_usize() != 3);
        match wrong {
            None => {
                let start = list.value_offsets().first().map_or(0, |start| start.as_usize());
                Ok(list.values().slice(start, 3 * list.len()))
            }
            Some(row) => {
                let found = list.value_length(row).as_usize();
                let message = format!("a list of {found}, expected three numbers");
                Err(Mistake { row: Some(row), message })
            }
        }
    }
    match array.data_type() {
        DataType::List(_) => listed::<i32>(array),
        DataType::LargeList(_) => listed::<i64>(array),
        _ => Ok(array.as_fixed_size_list().values().clone()),
    }
}

/// Numbers of 32 bits; of others, the nearest. A type that [`wanted`] refuses has none.
fn floats(array: &ArrayRef) -> (ScalarBuffer<f32>, Option<NullBuffer>) {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let nulls = array.logical_nulls();
        let (values, _) = floats(dictionary.values());
        if values.is_empty() {
            return (vec![0.0; array.len()].into(), nulls);
        }
        let number = |key: usize| values.get(key).copied().unwrap_or_default();
        return (dictionary.normalized_keys().into_iter().map(number).collect(), nulls);
    }
    fn all<T: ArrowPrimitiveType>(
        array: &ArrayRef,
        float: impl Fn(T::Native) -> f32,
    ) -> ScalarBuffer<f32> {
        array.as_primitive::<T>().values().iter().map(|&number| float(number)).collect()
    }
    let numbers = match array.data_type() {
        DataType::Float16 => all::<Float16Type>(array, |number| number.to_f32()),
        DataType::Float32 => array.as_primitive::<Float32Type>().values().clone(),
        DataType::Float64 => all::<Float64Type>(array, |number| number as f32),
        DataType::Int8 => all::<Int8Type>(array, f32::from),
        DataType::Int16 => all::<Int16Type>(array, f32::from),
        DataType::Int32 => all::<Int32Type>(array, |number| number as f32),
        DataType::Int64 => all::<Int64Type>(array, |number| number as f32),
        DataType::UInt8 => all::<UInt8Type>(array, f32::from),
        DataType::UInt16 => all::<UInt16Type>(array, f32::from),
        DataType::UInt32 => all::<UInt32Type>(array, |number| number as f32),
        DataType::UInt64 => all::<UInt64Type>(array, |number| number as f32),
        _ => ScalarBuffer::from(Vec::new()),
    };
    (numbers, array.nulls().cloned())
}
