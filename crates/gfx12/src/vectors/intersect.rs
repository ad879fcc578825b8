//! Cases of the two intersection instructions.
//!
//! A case has `name`, `resource` (four T# words), `memory` (`address` and `dwords`, or several of them),
//! `base`, `node` (or `node0` and `node1`), `ray` (`origin`, `direction`, `extent`, `mask`) and `expected`
//! (VGPR0..=9, `null` where nothing is known).

use super::place::{Place, VectorError};
use super::{VectorReport, hex};
use crate::instruction::{
    Answer, Bvh8Operands, DualOperands, RayRegisters, TriangleArithmetic,
    image_bvh_dual_intersect_ray, image_bvh8_intersect_ray,
};
use crate::layout::uncompressed::DualPointer;
use crate::layout::{BasePointer, NodePointer, Resource};
use geometry::Vec3;
use machine::Segment;
use serde_json::Value;

/// What a file may hold.
pub(super) const SECTIONS: &[&str] = &["cases"];

/// Runs every case of a `gfx12-bvh8` file.
pub(super) fn run_bvh8(root: &Place<'_>) -> Result<VectorReport, VectorError> {
    run_cases(root, |case, memory| {
        let operands = Bvh8Operands {
            resource: Resource::from_words(case.field("resource")?.words()?),
            base: BasePointer(case.field("base")?.number(u64::MAX)?),
            ray: ray(&case.field("ray")?)?,
            node: NodePointer(case.field("node")?.word()?),
        };
        Ok(image_bvh8_intersect_ray(memory, &operands, TriangleArithmetic::default()))
    })
}

/// Runs every case of a `gfx12-dual` file.
pub(super) fn run_dual(root: &Place<'_>) -> Result<VectorReport, VectorError> {
    run_cases(root, |case, memory| {
        let operands = DualOperands {
            resource: Resource::from_words(case.field("resource")?.words()?),
            base: BasePointer(case.field("base")?.number(u64::MAX)?),
            ray: ray(&case.field("ray")?)?,
            nodes: [
                DualPointer(case.field("node0")?.word()?),
                DualPointer(case.field("node1")?.word()?),
            ],
        };
        Ok(image_bvh_dual_intersect_ray(memory, &operands, TriangleArithmetic::default()))
    })
}

fn run_cases(
    root: &Place<'_>,
    execute: impl Fn(&Place<'_>, &[Segment]) -> Result<Answer, VectorError>,
) -> Result<VectorReport, VectorError> {
    let mut report = VectorReport::default();
    let Some(cases) = root.optional("cases")? else { return Ok(report) };
    for case in cases.elements()? {
        let name = match case.optional("name")? {
            Some(name) => name.text()?.to_owned(),
            None => case.path(),
        };
        let memory = memory(&case.field("memory")?)?;
        let answer = execute(&case, &memory)?;
        if let Some(expected) = case.optional("expected")? {
            let (expected, got) = compare(&expected, &answer.vdst)?;
            report.record(name, expected, got);
        }
    }
    Ok(report)
}

/// Both lists as vector files spell them, with `null` where nothing is known.
fn compare(expected: &Place<'_>, vdst: &[u32; 10]) -> Result<(Value, Value), VectorError> {
    let places = expected.exactly::<10>()?;
    let (mut wanted, mut got) = (Vec::new(), Vec::new());
    for (place, &word) in places.iter().zip(vdst) {
        let tested = !place.value().is_null();
        wanted.push(if tested { hex(place.word()?) } else { Value::Null });
        got.push(if tested { hex(word) } else { Value::Null });
    }
    Ok((Value::Array(wanted), Value::Array(got)))
}

/// One piece of memory, or a list of them.
fn memory(place: &Place<'_>) -> Result<Vec<Segment>, VectorError> {
    let pieces = if place.value().is_array() { place.elements()? } else { vec![place.clone()] };
    pieces.iter().map(segment).collect()
}

fn segment(place: &Place<'_>) -> Result<Segment, VectorError> {
    let address = place.field("address")?.number(u64::MAX)?;
    let mut bytes = Vec::new();
    for dword in place.field("dwords")?.elements()? {
        bytes.extend(dword.word()?.to_le_bytes());
    }
    Ok(Segment::new(address, &bytes))
}

fn ray(place: &Place<'_>) -> Result<RayRegisters, VectorError> {
    let vector = |name| -> Result<Vec3, VectorError> {
        Ok(Vec3::from_array(place.field(name)?.words::<3>()?.map(f32::from_bits)))
    };
    Ok(RayRegisters {
        origin: vector("origin")?,
        direction: vector("direction")?,
        extent: place.field("extent")?.float()?,
        // The register has 32 bits, of which 8 act.
        mask: place.field("mask")?.word()? as u8,
    })
}
