//! One scalar RT instruction a case, through the whole unit.

use super::fields::{raised, raised_by, unit};
use super::sparse_hart::SparseHart;
use crate::encoding::{BboxFlags, CUSTOM_0};
use crate::memory::HartPort;
use vectors::{Case, Comparison, Json, VectorError};

/// Where the ray and the operand lie.
const RAY: u64 = 0x8000_0000;
const OPERAND: u64 = 0x8000_1000;
/// `rd`, far enough from x31 and from the ray's register.
const RD: u8 = 20;

/// Boxes: six elements.
pub(super) fn bbox(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    run_case::<6>(case, "box", 6, comparison)
}

/// Triangles: nine elements.
pub(super) fn tri(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    run_case::<9>(case, "tri", 7, comparison)
}

fn run_case<const N: usize>(
    case: &Case<'_>,
    operand: &str,
    funct3: u32,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let mut unit = unit(case)?;
    let width = unit.prec.policy(unit.readings()).format.bytes();
    if let Some(scale) = case.optional("eps_scale")? {
        unit.csr_write(0x8A7, scale.integer::<u64>()?);
    }
    unit.csr_write(0x7F0, OPERAND);
    let mut hart = SparseHart::default();
    hart.put_elements(RAY, &case.field("ray")?.integers::<u32, 8>()?, width);
    if let Some(w) = case.optional("w")? {
        hart.put_elements(RAY + 8 * width as u64, &[w.integer()?], width);
    }
    hart.put_elements(OPERAND, &case.field(operand)?.integers::<u32, N>()?, width);
    let untouched = 0x5555_0000_0000_AAAA;
    (1..32).for_each(|register| hart.set_x(register, untouched + u64::from(register)));
    hart.set_x(10, RAY);

    let imm: u32 = case.field("imm")?.integer()?;
    let word = imm << 20 | 10 << 15 | funct3 << 12 | u32::from(RD) << 7 | CUSTOM_0;
    let executed = unit.execute(word, &mut hart);
    let predicate_only = imm & u32::from(BboxFlags::PRED_ONLY.bits()) != 0;

    // Registers behind those that a case lists keep what they had.
    let listed: Vec<u64> = match case.field("rd")?.value().is_null() {
        true => Vec::new(),
        false => {
            case.field("rd")?.elements()?.iter().map(Json::integer).collect::<Result<_, _>>()?
        }
    };
    let mut registers = listed;
    for register in RD + registers.len() as u8..RD + 4 {
        registers.push(untouched + u64::from(register));
    }
    let values = case.field("values")?;
    let values: Option<Vec<u32>> = match values.value().is_null() {
        true => None,
        false => Some(values.elements()?.iter().map(Json::integer).collect::<Result<_, _>>()?),
    };
    let hit = case.field("hit")?.integer::<u8>()? == 1;
    let predicate = case.field("p0")?.integer::<u64>()?;
    let expected = Ok((hit, values, registers, Some(predicate), raised(case)?));
    let got = executed.map(|executed| {
        let lane = executed.rt.and_then(|rt| rt.lanes.into_iter().next());
        let lane_hit = lane.as_ref().is_some_and(|lane| lane.hit);
        let values = lane.map(|lane| lane.values).filter(|_| !predicate_only);
        let registers = (RD..RD + 4).map(|register| hart.x(register)).collect();
        (lane_hit, values, registers, unit.csr_read(0x8AA), raised_by(&unit))
    });
    comparison.check("hit, values, registers, predicate and flags", &expected, &got);
    Ok(())
}
