//! Vectorised instructions: prefixes and one RT instruction over lanes.

use super::fields::{name, number, numbers, raised, raised_by, unit};
use super::sparse_hart::SparseHart;
use crate::encoding::assemble;
use crate::memory::HartPort;
use crate::unit::Trap;
use machine::vectors::Json;
use machine::{VectorError, VectorReport};

/// Runs the section.
pub(super) fn run(section: &Json<'_>, report: &mut VectorReport) -> Result<(), VectorError> {
    for case in section.elements()? {
        run_case(&case, report)?;
    }
    Ok(())
}

fn run_case(case: &Json<'_>, report: &mut VectorReport) -> Result<(), VectorError> {
    let mut unit = unit(case)?;
    let width = unit.prec.policy(unit.readings()).format.bytes();
    let mut hart = SparseHart::default();
    hart.put(number(&case.field("tile_at")?)?, &case.field("tile")?.bytes()?);
    let ray_at = number(&case.field("ray_at")?)?;
    hart.put_elements(ray_at, &numbers::<u32, 8>(&case.field("ray")?)?, width);
    let index = case.field("index")?;
    let index: Vec<u32> = index.elements()?.iter().map(number).collect::<Result<_, _>>()?;
    hart.put_elements(number(&case.field("index_at")?)?, &index, 4);
    hart.set_x(10, ray_at);
    let before = numbers::<u64, 4>(&case.field("x20_x23_before")?)?;
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
            unit.csr_write(register, number(&value)?);
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
    let after = |key: &str| number::<u64>(&case.field(key)?).map(Some);
    let expected_trap = case.field("trap")?;
    let expected_trap = match expected_trap.value().is_null() {
        true => None,
        false => Some((
            number::<u64>(&expected_trap.field("mcause")?)?,
            number::<u64>(&expected_trap.field("mtval")?)?,
        )),
    };
    let expected = (
        numbers::<u64, 4>(&case.field("x20_x23_after")?)?.to_vec(),
        [after("svpmask0_after")?, after("p0_after")?, after("svfaulti_after")?],
        expected_trap,
        raised(case)?,
    );
    report.compare(name(case)?, &expected, &got);
    Ok(())
}
