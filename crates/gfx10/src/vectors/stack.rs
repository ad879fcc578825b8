//! Sequences of stack instructions on one LDS, which is zero before the first.

use crate::stack::{ENTRY_STRIDE, StackSize, ds_bvh_stack_rtn_b32};
use vectors::{Case, Comparison, VectorError};

/// Dwords of LDS: every base and entry that an address can name.
const LDS: usize = (1 << 14) + 64 * ENTRY_STRIDE;

/// The steps of a case, one after the other.
pub(super) fn steps(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let entries = case.field("size")?;
    let size = StackSize::of_entries(entries.integer()?)
        .ok_or_else(|| entries.wrong("8, 16, 32 or 64 entries"))?;
    let mut lds = vec![0; LDS];
    for (number, step) in case.field("steps")?.elements()?.iter().enumerate() {
        let mut address = step.field("address_in")?.integer()?;
        let last = step.field("last")?.integer()?;
        let data = step.field("data")?.integers()?;
        let node = ds_bvh_stack_rtn_b32(&mut lds, &mut address, last, data, size);
        comparison.within(&format!("step {number}"), |part| -> Result<(), VectorError> {
            part.check("node", &step.field("node")?.integer()?, &node);
            part.check("address", &step.field("address")?.integer()?, &address);
            Ok(())
        })?;
    }
    Ok(())
}
