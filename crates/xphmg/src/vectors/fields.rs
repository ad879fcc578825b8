//! Fields as these files spell them.

use crate::flags::{Exceptions, Raised, Stickies};
use crate::policy::Prec;
use crate::readings::Readings;
use crate::unit::Unit;
use machine::VectorError;
use machine::vectors::Json;

/// A number given as `"0x…"`, in decimal, or as a JSON integer.
pub(super) fn number<T: TryFrom<u64>>(json: &Json<'_>) -> Result<T, VectorError> {
    let value = match json.value().as_str() {
        None => json.value().as_u64(),
        Some(text) => match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                u64::from_str_radix(digits, 16).ok()
            }
            Some(_) => None,
            None => text.parse().ok(),
        },
    };
    let fits = value.and_then(|value| T::try_from(value).ok());
    fits.ok_or_else(|| json.wrong("a number in range, such as \"0x1F\""))
}

/// A list of numbers of known length.
pub(super) fn numbers<T: TryFrom<u64> + Copy, const N: usize>(
    json: &Json<'_>,
) -> Result<[T; N], VectorError> {
    let elements: Vec<T> = json.elements()?.iter().map(number).collect::<Result<_, _>>()?;
    elements.try_into().map_err(|_| json.wrong(&format!("an array of {N} numbers")))
}

/// A case's name: its id, its note, or its place.
pub(super) fn name(case: &Json<'_>) -> Result<String, VectorError> {
    for key in ["id", "note"] {
        if let Some(text) = case.optional(key)? {
            return Ok(format!("{}: {}", case.place(), text.text()?));
        }
    }
    Ok(case.place().to_owned())
}

/// The flags in a case's `exc` and `stat`.
pub(super) fn raised(case: &Json<'_>) -> Result<Raised, VectorError> {
    let mut raised = Raised::default();
    for flag in case.field("exc")?.elements()? {
        raised.exceptions |= Exceptions::from_name(flag.text()?)
            .ok_or_else(|| flag.wrong("a flag of prec.exc.st"))?;
    }
    for flag in case.field("stat")?.elements()? {
        raised.stickies |= Stickies::from_name(flag.text()?)
            .ok_or_else(|| flag.wrong("a sticky flag of prec.stat"))?;
    }
    Ok(raised)
}

/// What a unit has raised since its reset.
pub(super) fn raised_by(unit: &Unit) -> Raised {
    let prec: &Prec = &unit.prec;
    Raised { exceptions: prec.exceptions_raised(), stickies: prec.stickies() }
}

/// A unit with a case's `mode` and `alt` in force.
pub(super) fn unit(case: &Json<'_>) -> Result<Unit, VectorError> {
    let mut unit = Unit::new(Readings::default());
    let mode: u32 = number(&case.field("mode")?)?;
    let alt: u32 = case.optional("alt")?.map_or(Ok(0), |alt| number(&alt))?;
    unit.csr_write(0x7D0, u64::from(mode) | 1 << 63);
    unit.csr_write(0x7D1, u64::from(alt) | 1 << 63);
    Ok(unit)
}
