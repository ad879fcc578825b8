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
