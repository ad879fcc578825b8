//! What is refused, and the name that was meant.

use super::Config;
use super::parameters::declared;
use std::ops::RangeInclusive;

/// What a parameter may be, if it may not be `value`. Numbers have a range; what the others may be
/// says their reader.
pub(super) fn refusal(
    key: &str,
    value: &toml::Value,
    range: Option<&RangeInclusive<u32>>,
) -> Option<String> {
    let Some(range) = range else {
        let alone = toml::Table::from_iter([(key.to_owned(), value.clone())]);
        let error = alone.try_into::<Config>().err()?;
        let expected = error.message().rsplit_once("expected ").map(|(_, expected)| expected);
        return Some(expected.unwrap_or(error.message()).to_owned());
    };
    let number = value.as_integer();
    let fits = number.and_then(|number| u32::try_from(number).ok());
    let whole = if number.is_some() { "" } else { "a whole number, " };
    let is_fit = fits.is_some_and(|number| range.contains(&number));
    (!is_fit).then(|| format!("{whole}{} to {}", range.start(), range.end()))
}

/// The names of all parameters.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    declared().into_iter().map(|(name, ..)| name)
}

/// The parameter whose name differs in the fewest letters, if most letters are the same; else the
/// first that contains the key.
pub(super) fn nearest_key(key: &str) -> Option<&'static str> {
    let nearest = keys().map(|name| (edit_distance(name, key), name)).min()?;
    let is_near = 2 * nearest.0 < key.len().max(nearest.1.len());
    let contains = |name: &&str| key.len() > 1 && name.contains(key);
    if is_near { Some(nearest.1) } else { keys().find(contains) }
}

fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
