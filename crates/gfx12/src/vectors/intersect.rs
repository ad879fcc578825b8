//! Cases of the two intersection instructions.
//!
//! A case has `name`, `resource` (four T# words), `memory` (`address` and `dwords`, or several of
//! them), `base`, `node` (or `node0` and `node1`), `ray` (`origin`, `direction`, `extent`, `mask`)
//! and `expected` (VGPR0..=9, `null` where nothing is known).

use crate::instruction::{
    Answer, Bvh8Operands, DualOperands, RayRegisters, TriangleArithmetic,
    image_bvh_dual_intersect_ray, image_bvh8_intersect_ray,
};
use crate::layout::bvh4x2::Bvh4Pointer;
use crate::layout::{BasePointer, NodePointer, Resource};
use geometry::Vec3;
use machine::Segment;
use vectors::{Case, Comparison, Json, VectorError};

/// A case of a `gfx12-bvh8` file.
pub(super) fn bvh8(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let operands = Bvh8Operands {
        resource: Resource::from_words(case.field("resource")?.integers()?),
        base: BasePointer(case.field("base")?.integer()?),
        ray: ray(&case.field("ray")?)?,
        node: NodePointer(case.field("node")?.integer()?),
    };
    let memory = memory(&case.field("memory")?)?;
    let answer =
        image_bvh8_intersect_ray(memory.as_slice(), &operands, TriangleArithmetic::default());
    compare(case, &answer, comparison)
}

/// A case of a `gfx12-dual` file.
pub(super) fn dual(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let operands = DualOperands {
        resource: Resource::from_words(case.field("resource")?.integers()?),
        base: BasePointer(case.field("base")?.integer()?),
        ray: ray(&case.field("ray")?)?,
        nodes: [
            Bvh4Pointer(case.field("node0")?.integer()?),
            Bvh4Pointer(case.field("node1")?.integer()?),
        ],
    };
    let memory = memory(&case.field("memory")?)?;
    let answer =
        image_bvh_dual_intersect_ray(memory.as_slice(), &operands, TriangleArithmetic::default());
    compare(case, &answer, comparison)
}

/// The registers about which something is known, by number.
fn compare(
    case: &Case<'_>,
    answer: &Answer,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let Some(expected) = case.tested("expected")? else { return Ok(()) };
    for (register, (word, got)) in expected.exactly::<10>()?.iter().zip(answer.vdst).enumerate() {
        if !word.value().is_null() {
            comparison.check(&format!("VGPR{register}"), &word.integer()?, &got);
        }
    }
    Ok(())
}

/// One piece of memory, or a list of them.
fn memory(json: &Json<'_>) -> Result<Vec<Segment>, VectorError> {
    let pieces = if json.value().is_array() { json.elements()? } else { vec![json.clone()] };
    pieces.iter().map(segment).collect()
}

fn segment(json: &Json<'_>) -> Result<Segment, VectorError> {
    let address = json.field("address")?.integer()?;
    let mut bytes = Vec::new();
    for dword in json.field("dwords")?.elements()? {
        bytes.extend(dword.integer::<u32>()?.to_le_bytes());
    }
    Ok(Segment::new(address, &bytes))
}

fn ray(json: &Json<'_>) -> Result<RayRegisters, VectorError> {
    let vector = |name| -> Result<Vec3, VectorError> {
        Ok(Vec3::from_array(json.field(name)?.integers::<u32, 3>()?.map(f32::from_bits)))
    };
    Ok(RayRegisters {
        origin: vector("origin")?,
        direction: vector("direction")?,
        extent: f32::from_bits(json.field("extent")?.integer()?),
        // The register has 32 bits, of which 8 act.
        mask: json.field("mask")?.integer::<u32>()? as u8,
    })
}
