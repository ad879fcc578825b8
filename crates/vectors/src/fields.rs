//! Numbers and lists of numbers of a case against those of the code; `null` is not tested.

use crate::{Comparison, Json, VectorError};

/// A number member, if the file has it.
///
/// # Errors
/// When the file has something else there.
pub fn number(
    comparison: &mut Comparison,
    name: &str,
    case: &Json<'_>,
    got: u32,
) -> Result<(), VectorError> {
    if let Some(number) = case.tested(name)? {
        comparison.check(name, &number.integer()?, &got);
    }
    Ok(())
}

/// A member that is a list of numbers, if the file has it.
///
/// # Errors
/// When the file has something else there.
pub fn numbers<const N: usize>(
    comparison: &mut Comparison,
    name: &str,
    case: &Json<'_>,
    got: [u32; N],
) -> Result<(), VectorError> {
    match case.tested(name)? {
        Some(list) => words(comparison, name, &list.exactly::<N>()?, |k| got.get(k).copied()),
        None => Ok(()),
    }
}

/// The words of a list that are tested.
///
/// # Errors
/// When the file has something else there.
pub fn words(
    comparison: &mut Comparison,
    name: &str,
    list: &[Json<'_>],
    got: impl Fn(usize) -> Option<u32>,
) -> Result<(), VectorError> {
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for (k, word) in list.iter().enumerate().filter(|(_, word)| !word.value().is_null()) {
        expected.push(Some(word.integer()?));
        found.push(got(k));
    }
    comparison.check(name, &expected, &found);
    Ok(())
}

/// A list that must also have the right length.
///
/// # Errors
/// When the file has something else there.
pub fn whole_list(
    comparison: &mut Comparison,
    name: &str,
    list: &[Json<'_>],
    got: &[u32],
) -> Result<(), VectorError> {
    comparison.within(name, |part| {
        part.check("length", &list.len(), &got.len());
        words(part, "words", list, |k| got.get(k).copied())
    })
}
