//! Instruction words and text, illegal forms, hazard graphs.

use crate::generation::{Encoding, Sm};
use crate::hazard::{Effect, FlowGraph, Hazard, hazards};
use crate::instruction::encoding::{Word, decode, encode};
use crate::instruction::{Instruction, Isberd, Isbewr, Operation, Register};
use crate::limits::{LANES, MAX_OUTPUT_BYTES};
use crate::memory::{Access, Memory, Region, Size, Space};
use crate::{AttributeSet, Layout, Limits, Warp};
use vectors::{Case, Comparison, Json, VectorError};

pub(super) fn instruction(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let text = case.field("text")?;
    let instruction: Instruction = match text.text()?.parse() {
        Ok(instruction) => instruction,
        Err(error) => {
            comparison.check("text", &"none", &error.to_string().as_str());
            return Ok(());
        }
    };
    comparison.check("text", &text.text()?, &instruction.to_string().as_str());
    if let Some(fields) = case.optional("fields")?
        && let Some(operation) = operation(&fields)?
    {
        comparison.check("fields", &operation, &instruction.operation);
    }
    let low: u64 = case.field("lo")?.hex()?;
    let (word, encoding) = match case.optional("hi")? {
        Some(high) => {
            let high: u64 = high.hex()?;
            (Word::Bits128(u128::from(high) << 64 | u128::from(low)), Encoding::Volta)
        }
        None => (Word::Bits64(low), Encoding::Maxwell),
    };
    let sm: Sm = case.field("min_sm")?.number()?;
    comparison.check("min_sm", &Some(sm), &instruction.operation.first_sm(encoding));
    comparison.check("word", &Ok(word), &encode(&instruction, sm));
    comparison.check("decoded", &Ok(instruction), &decode(word, sm));
    Ok(())
}

pub(super) fn instruction_error(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let fields = case.field("fields")?;
    let operation =
        operation(&fields)?.ok_or_else(|| fields.wrong("the fields of isberd or isbewr"))?;
    let sm: Sm = case.field("sm")?.number()?;
    let fault = match fields.optional("addr_value")? {
        None => operation.check(sm).err(),
        Some(address) => execute(operation, sm, address.hex()?, &fields)?,
    };
    let got = fault.map_or("none", |fault| fault.id());
    comparison.check("error", &case.field("error")?.text()?, &got);
    Ok(())
}

/// Runs the instruction with every lane at one address of memory of the largest size.
fn execute(
    operation: Operation,
    sm: Sm,
    address: u32,
    fields: &Json<'_>,
) -> Result<Option<crate::Fault>, VectorError> {
    let empty = AttributeSet::default();
    let layout = Layout::new(empty, 1, empty, 1, Limits::Driver)
        .map_err(|_| fields.wrong("fields with a layout"))?;
    let space = || Space {
        map: vec![0; 0x304],
        patch: vec![0; MAX_OUTPUT_BYTES as usize],
        prim: vec![0; MAX_OUTPUT_BYTES as usize],
        attr: vec![0; MAX_OUTPUT_BYTES as usize],
    };
    let mut warp = Warp::new(sm, Memory::new(space(), space()), layout.clone(), layout);
    let register = match operation {
        Operation::Isberd(load) => load.address,
        Operation::Isbewr(store) => store.address,
        _ => Register::ZERO,
    };
    warp.set_register(register, [address; LANES]);
    Ok(warp.execute(&Instruction::new(operation)).err().map(|fault| fault.fault))
}

/// The operation of a case's fields; `None` if it is neither ISBERD nor ISBEWR.
fn operation(fields: &Json<'_>) -> Result<Option<Operation>, VectorError> {
    let number = |name: &str| -> Result<u16, VectorError> {
        fields.optional(name)?.map_or(Ok(0), |value| value.number())
    };
    let register = |name: &str| -> Result<Register, VectorError> {
        fields.optional(name)?.map_or(Ok(0), |value| value.number()).map(Register)
    };
    let flag = |name: &str| -> Result<bool, VectorError> {
        fields.optional(name)?.map_or(Ok(false), |value| value.boolean())
    };
    let region = match fields.optional("access")? {
        None => Region::Map,
        Some(access) => match access.text()? {
            "MAP" => Region::Map,
            "PATCH" => Region::Patch,
            "PRIM" => Region::Prim,
            "ATTR" => Region::Attr,
            _ => return Err(access.wrong("MAP, PATCH, PRIM or ATTR")),
        },
    };
    let size = match fields.optional("size")? {
        None => Size::B8,
        Some(size) => match size.text()? {
            "U8" => Size::B8,
            "U16" => Size::B16,
            "32" => Size::B32,
            _ => return Err(size.wrong("U8, U16 or 32")),
        },
    };
    let access = Access { output: flag("output")?, region, skew: flag("skew")?, size };
    let (address, immediate) = (register("addr")?, number("imm")?);
    Ok(match fields.field("op")?.text()? {
        "isberd" => {
            let destination = register("reg")?;
            Some(Operation::Isberd(Isberd { destination, address, immediate, access }))
        }
        "isbewr" => {
            let data = register("reg")?;
            Some(Operation::Isbewr(Isbewr { data, address, immediate, access }))
        }
        _ => None,
    })
}

pub(super) fn hazard_graph(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let mut graph = FlowGraph::default();
    for block in case.field("blocks")?.elements()? {
        let effects = block.elements()?;
        graph.blocks.push(effects.iter().map(effect).collect::<Result<_, _>>()?);
    }
    for edge in case.field("edges")?.elements()? {
        let [from, to] = edge.exactly()?;
        graph.edges.push((from.number()?, to.number()?));
    }
    let mut expected = Vec::new();
    for hazard in case.field("hazards")?.elements()? {
        let [block, instruction] = hazard.exactly()?;
        expected.push(Hazard { block: block.number()?, instruction: instruction.number()? });
    }
    expected.sort_unstable();
    comparison.check("hazards", &Ok(expected), &hazards(&graph));
    Ok(())
}

/// The effect of an instruction given by its name and suffixes alone.
fn effect(json: &Json<'_>) -> Result<Effect, VectorError> {
    let mut parts = json.text()?.split('.');
    Ok(match parts.next() {
        Some("ALD" | "ISBERD") => Effect::Load,
        Some("AST") => Effect::Store,
        Some("ISBEWR") if parts.any(|suffix| suffix == "ATTR") => Effect::Store,
        _ => Effect::Other,
    })
}
