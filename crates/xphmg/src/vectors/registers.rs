//! Registers: resets, names, write masks, and sequences of writes.

use crate::flags::{Exceptions, Raised};
use crate::readings::Readings;
use crate::unit::Unit;
use crate::unit::xmem::Events;
use vectors::{Case, Comparison, Json, VectorError};

/// Number, name, reset, write mask, access.
pub(super) fn csrs(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let number: u16 = number_of(case, "number")?;
    let text = case.field("name")?.text()?;
    let reset: u64 = number_of(case, "reset")?;
    let mask: u64 = number_of(case, "write_mask")?;
    let access = case.field("access")?;
    let unit = Unit::new(Readings::default());
    let known = unit.csr_names().into_iter().find(|(known, _)| *known == number);
    let expected = (text.to_owned(), Some(reset), None);
    let wrong_bit = match access.text()? {
        "RO" | "RW" => wrong_plain_bit(number, reset, mask),
        "RW+APPLY" => wrong_applied_bit(number, reset, mask),
        "W1C" => wrong_cleared_bit(number, mask),
        _ => return Err(access.wrong("RO, RW, RW+APPLY or W1C")),
    };
    let got_name = known.map_or("no name".to_owned(), |(_, name)| name.to_owned());
    let got = (got_name, unit.csr_read(number), wrong_bit);
    comparison.check("name, reset and wrong bit", &expected, &got);
    Ok(())
}

/// Writes in order, then reads.
pub(super) fn sequences(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let mut unit = Unit::new(Readings::default());
    for write in case.field("writes")?.elements()? {
        let [register, value] = write.exactly::<2>()?;
        unit.csr_write(register.integer()?, value.integer()?);
    }
    let (mut expected, mut got) = (Vec::new(), Vec::new());
    for (register, value) in case.field("reads")?.members()? {
        let digits = register.trim_start_matches("0x");
        let register =
            u16::from_str_radix(digits, 16).map_err(|_| value.wrong("a register number"))?;
        expected.push((register, Some(value.integer::<u64>()?)));
        got.push((register, unit.csr_read(register)));
    }
    comparison.check("reads", &expected, &got);
    Ok(())
}

fn number_of<T: TryFrom<u64>>(case: &Json<'_>, key: &str) -> Result<T, VectorError> {
    case.field(key)?.integer()
}

fn after_write(number: u16, value: u64) -> u64 {
    let mut unit = Unit::new(Readings::default());
    unit.csr_write(number, value);
    unit.csr_read(number).unwrap_or(0)
}

/// The first bit that alone does not read back as the mask says.
fn wrong_plain_bit(number: u16, reset: u64, mask: u64) -> Option<u32> {
    (0..64).find(|place| {
        let bit = 1 << place;
        let expected = reset & !mask | bit & mask;
        after_write(number, bit) != expected
    })
}

/// The first bit that is stored outside the mask, or that changes anything without APPLY.
fn wrong_applied_bit(number: u16, reset: u64, mask: u64) -> Option<u32> {
    (0..64).find(|place| {
        let bit = 1u64 << place;
        let applies = [31, 63].contains(place);
        (!applies && after_write(number, bit) != reset)
            || after_write(number, bit | 1 << 63) & !mask != 0
    })
}

/// The first bit that is not cleared by a one, or is by a zero.
fn wrong_cleared_bit(number: u16, mask: u64) -> Option<u32> {
    (0..64).find(|place| {
        let mut unit = Unit::new(Readings::default());
        unit.prec.accumulate(Raised::exceptions(Exceptions::all()));
        unit.xmem.raise(Events::all());
        unit.csr_write(number, 1 << place);
        unit.csr_read(number) != Some(mask & !(1 << place))
    })
}
