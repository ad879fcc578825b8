//! Fields as these files spell them.

use crate::flags::{Exceptions, Raised, Stickies};
use crate::policy::Prec;
use crate::readings::Readings;
use crate::unit::Unit;
use vectors::{Json, VectorError};

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
    let mode: u32 = case.field("mode")?.integer()?;
    let alt: u32 = case.optional("alt")?.map_or(Ok(0), |alt| alt.integer())?;
    unit.csr_write(0x7D0, u64::from(mode) | 1 << 63);
    unit.csr_write(0x7D1, u64::from(alt) | 1 << 63);
    Ok(unit)
}
