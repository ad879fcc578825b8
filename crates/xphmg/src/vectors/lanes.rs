//! Vectorised instructions: prefixes and one RT instruction over lanes.

use super::fields::{raised, raised_by, unit};
use super::sparse_hart::SparseHart;
use crate::encoding::assemble;
use crate::memory::HartPort;
use crate::unit::Trap;
use vectors::{Case, Comparison, Json, VectorError};

/// One program over lanes.
pub(super) fn run(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let mut unit = unit(case)?;
    let width = unit.prec.policy(unit.readings()).format.bytes();
    let mut hart = SparseHart::default();
    hart.put(case.field("tile_at")?.integer()?, &case.field("tile")?.bytes()?);
    let ray_at = case.field("ray_at")?.integer()?;
    hart.put_elements(ray_at, &case.field("ray")?.integers::<u32, 8>()?, width);
    let index = case.field("index")?;
    let index: Vec<u32> = index.elements()?.iter().map(Json::integer).collect::<Result<_, _>>()?;
    hart.put_elements(case.field("index_at")?.integer()?, &index, 4);
    hart.set_x(10, ray_at);
    let before = case.field("x20_x23_before")?.integers::<u64, 4>()?;
    (20..).zip(before).for_each(|(register, value)| hart.set_x(register, value));
    let registers = [
        ("svm.base", 0x7F0),
        ("svm.idx", 0x7F1),
        ("svm.scl", 0x7F2),
        ("svm.mode", 0x7F4),
        ("svsrca", 0x7F9),
        ("svdst", 0x7FB),
        ("svpmask0_before", 0x7FC),
        ("p0_before", 0x8AA),
    ];
    for (key, register) in registers {
        if let Some(value) = case.optional(key)? {
            unit.csr_write(register, value.integer()?);
        }
    }
    let mut trap = None;
    for line in case.field("program")?.elements()? {
        let word = assemble(line.text()?).map_err(|_| line.wrong("an instruction"))?;
        if let Err(taken) = unit.execute(word, &mut hart) {
            trap = Some(taken);
            break;
        }
    }
    let state = |register: u16| unit.csr_read(register);
    let got = (
        (20..24).map(|register| hart.x(register)).collect::<Vec<_>>(),
        [state(0x7FC), state(0x8AA), state(0x7FF)],
        trap.map(|Trap { cause, value, .. }| (cause, value)),
        raised_by(&unit),
    );
    let after = |key: &str| case.field(key)?.integer::<u64>().map(Some);
    let expected_trap = case.field("trap")?;
    let expected_trap = match expected_trap.value().is_null() {
        true => None,
        false => Some((
            expected_trap.field("mcause")?.integer::<u64>()?,
            expected_trap.field("mtval")?.integer::<u64>()?,
        )),
    };
    let expected = (
        case.field("x20_x23_after")?.integers::<u64, 4>()?.to_vec(),
        [after("svpmask0_after")?, after("p0_after")?, after("svfaulti_after")?],
        expected_trap,
        raised(case)?,
    );
    comparison.check("registers, masks, trap and flags", &expected, &got);
    Ok(())
}
