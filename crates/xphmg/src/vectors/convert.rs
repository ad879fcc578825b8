//! Narrowing of one FP32 value.

use super::fields::raised;
use crate::numeric::{ElementFormat, Rounding, narrow};
use crate::policy::{NanPolicy, Policy};
use vectors::{Case, Comparison, Json, VectorError};

/// One value.
pub(super) fn run(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let policy = policy(case)?;
    let source: u32 = case.field("src")?.integer()?;
    let narrowed = narrow(f32::from_bits(source), &policy);
    let expected = (case.field("bits")?.integer::<u32>()?, raised(case)?);
    comparison.check("bits and flags", &expected, &(narrowed.bits, narrowed.raised));
    Ok(())
}

fn policy(case: &Json<'_>) -> Result<Policy, VectorError> {
    let format = case.field("fmt")?;
    let named = ElementFormat::ALL.into_iter().find(|known| Ok(known.name()) == format.text());
    let format = named.ok_or_else(|| format.wrong("an element format"))?;
    let fields = case.field("policy")?;
    let value = |key: &str| -> Result<i64, VectorError> {
        match fields.optional(key)? {
            None => Ok(0),
            Some(value) => match value.value().as_i64() {
                Some(number) => Ok(number),
                None => value.integer::<u32>().map(i64::from),
            },
        }
    };
    let rounding = match fields.optional("rmode")? {
        None => Rounding::Rne,
        Some(mode) => Rounding::from_name(mode.text()?)
            .ok_or_else(|| mode.wrong("RNE, RTZ, RDN, RUP or RMM"))?,
    };
    let unsigned = value("uns")? == 1;
    let code = value("zp")? as u8;
    let zero_point = if unsigned { i32::from(code) } else { i32::from(code as i8) };
    let quantised = value("q")? == 1;
    Ok(Policy {
        format,
        rounding,
        saturate: value("sat")? == 1,
        flush: value("ftz")? == 1,
        unsigned,
        zero_point: if quantised && value("zp_en")? == 1 { zero_point } else { 0 },
        scale_log2: if quantised { value("scale_sh")? as i32 } else { 0 },
        nan: match value("nan_pol")? {
            1 => NanPolicy::Zero,
            2 => NanPolicy::Infinity,
            _ => NanPolicy::Propagate,
        },
        ..Policy::default()
    })
}
