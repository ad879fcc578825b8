//! Cases of the intersection instructions, of their address registers, and of T#s.

use super::flat::Flat;
use crate::Generation;
use crate::instruction::{Operands, image_bvh_intersect_ray, image_bvh64_intersect_ray};
use crate::layout::Resource;
use machine::Segment;
use vectors::fields::words;
use vectors::{Case, Comparison, Json, VectorError};

/// One instruction, on every generation that the case names.
pub(super) fn case(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let resource = Resource::from_words(case.field("resource")?.integers()?);
    let memory = memory(&case.field("memory")?)?;
    let ray = case.field("ray")?;
    let vector = |name| floats(&ray.field(name)?);
    let operands = Operands {
        node: case.field("node")?.integer()?,
        extent: f32::from_bits(ray.field("extent")?.integer()?),
        origin: vector("origin")?,
        direction: vector("direction")?,
        inverse: vector("inverse")?,
    };
    let is_64 = is_64(&case.field("instruction")?)?;
    let expected = case.field("expected")?.exactly::<4>()?;
    for json in case.field("generations")?.elements()? {
        let generation = generation(&json)?;
        let run = if is_64 { image_bvh64_intersect_ray } else { image_bvh_intersect_ray };
        let got = run(memory.as_slice(), generation, &resource, &operands);
        words(comparison, generation.name(), &expected, |k| Some(got[k]))?;
    }
    Ok(())
}

/// Address registers, decoded.
pub(super) fn operands(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let vaddr: Vec<u32> =
        case.field("vaddr")?.elements()?.iter().map(Json::integer).collect::<Result<_, _>>()?;
    let generation = generation(&case.field("generation")?)?;
    let is_64 = is_64(&case.field("instruction")?)?;
    let a16 = case.field("a16")?.boolean()?;
    let got = Operands::from_vaddr(&vaddr, generation, is_64, a16);
    comparison.check("node", &case.field("node")?.integer()?, &got.node);
    comparison.check("extent", &case.field("extent")?.integer()?, &got.extent.to_bits());
    for (name, got) in
        [("origin", got.origin), ("direction", got.direction), ("inverse", got.inverse)]
    {
        let expected: [u32; 3] = case.field(name)?.integers()?;
        comparison.check(name, &expected, &got.map(f32::to_bits));
    }
    Ok(())
}

/// A T#, decoded and encoded again.
pub(super) fn resource(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let words: [u32; 4] = case.field("words")?.integers()?;
    let generation = generation(&case.field("generation")?)?;
    let got = Resource::from_words(words).for_generation(generation);
    comparison.check("words", &words, &got.words());
    let mut flat = Flat::default();
    flat.add("base", got.base_address());
    flat.add("box_grow", got.box_grow);
    flat.add("box_sort_en", got.box_sort_enabled);
    flat.add("last_unit", got.last_unit);
    flat.add("triangle_return_mode", got.triangle_return_mode);
    flat.add("big_page", got.big_page);
    flat.add("type", got.descriptor_type);
    flat.add("heuristic", got.heuristic as u8);
    flat.add("pointer_flags", got.pointer_flags);
    flat.compare(&case.field("fields")?, comparison)
}

/// A list of pieces of memory.
pub(super) fn memory(json: &Json<'_>) -> Result<Vec<Segment>, VectorError> {
    let segment = |piece: &Json<'_>| {
        let mut bytes = Vec::new();
        for dword in piece.field("dwords")?.elements()? {
            bytes.extend(dword.integer::<u32>()?.to_le_bytes());
        }
        Ok(Segment::new(piece.field("address")?.integer()?, &bytes))
    };
    json.elements()?.iter().map(segment).collect()
}

fn floats(json: &Json<'_>) -> Result<[f32; 3], VectorError> {
    Ok(json.integers::<u32, 3>()?.map(f32::from_bits))
}

fn generation(json: &Json<'_>) -> Result<Generation, VectorError> {
    Generation::of_name(json.text()?).ok_or_else(|| json.wrong("gfx10.3 or gfx11"))
}

fn is_64(json: &Json<'_>) -> Result<bool, VectorError> {
    match json.text()? {
        "image_bvh_intersect_ray" => Ok(false),
        "image_bvh64_intersect_ray" => Ok(true),
        _ => Err(json.wrong("image_bvh_intersect_ray or image_bvh64_intersect_ray")),
    }
}
