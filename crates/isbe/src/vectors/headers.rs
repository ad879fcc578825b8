//! Method words, attribute ids, header masks and the task header.

use super::{attribute, attribute_set, dwords};
use crate::methods::{MeshInitShader, MeshShaderA, MeshShaderB};
use crate::sph::{ShaderType, Sph, SphVersion};
use crate::task::{PAYLOAD_BASE, TaskHeader};
use crate::{AttributeId, AttributeSet, Topology};
use vectors::{Case, Comparison, VectorError};

pub(super) fn method(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let (method, args) = (case.field("method")?, case.field("args")?);
    let word: u32 = case.field("word")?.hex()?;
    match method.text()? {
        "SET_MESH_CONTROL" => {
            comparison.check("word", &word, &args.field("enable")?.boolean()?.into());
        }
        "SET_MESH_SHADER_A" => {
            let topology = args.field("topology")?;
            let code = topology.text().ok().and_then(Topology::from_name).map(Topology::code);
            let fields = MeshShaderA {
                topology: code.map_or_else(|| topology.number(), Ok)?,
                max_vertex: args.field("max_vertex")?.number()?,
                max_primitive: args.field("max_primitive")?.number()?,
            };
            comparison.check("word", &Ok(word), &fields.word());
            comparison.check("fields", &fields, &MeshShaderA::from_word(word));
        }
        "SET_MESH_SHADER_B" => {
            let fields = MeshShaderB {
                shared_lines: args.field("shared_lines")?.number()?,
                threads: args.field("threads")?.number()?,
            };
            comparison.check("word", &Ok(word), &fields.word());
            comparison.check("fields", &fields, &MeshShaderB::from_word(word));
        }
        "SET_MESH_INIT_SHADER" => {
            let fields = MeshInitShader {
                threads: args.field("threads")?.number()?,
                local_lines: args.field("local_lines")?.number()?,
                output_lines: args.field("output_lines")?.number()?,
            };
            comparison.check("word", &Ok(word), &fields.word());
            comparison.check("fields", &fields, &MeshInitShader::from_word(word));
        }
        _ => return Err(method.wrong("a mesh method")),
    }
    Ok(())
}

pub(super) fn attribute_id(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let id = attribute(&case.field("id")?)?;
    let name = case.field("name")?.text()?;
    comparison.check("name", &name, &id.to_string().as_str());
    comparison.check("id", &Some(id), &name.parse().ok());
    let bits =
        [("imap_bit", id.imap_bit()), ("omap_bit", id.omap_bit()), ("vmap_bit", id.vmap_bit())];
    for (name, got) in bits {
        if let Some(expected) = case.optional(name)? {
            comparison.check(name, &expected.number()?, &got);
        }
    }
    Ok(())
}

pub(super) fn attribute_masks(
    case: &Case<'_>,
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    let set = attribute_set(&case.field("ids")?)?;
    masks(case, &set, &["imap", "omap", "vmap"], comparison)
}

/// Compares the words of the named masks, as far as the case has them.
pub(super) fn masks(
    case: &Case<'_>,
    set: &AttributeSet,
    names: &[&str],
    comparison: &mut Comparison,
) -> Result<(), VectorError> {
    for name in names {
        if let Some(expected) = case.optional(name)? {
            comparison.check(name, &dwords(&expected)?, &mask_dwords(set, name));
        }
    }
    Ok(())
}

/// The dwords of a header in which nothing but one mask is set; only those that are not zero.
pub(super) fn mask_dwords(set: &AttributeSet, mask: &str) -> Vec<(usize, u32)> {
    let mut header = Sph::new(SphVersion::V4, ShaderType::Vertex);
    match mask {
        "imap" => header.set_inputs(set),
        "omap" => header.set_outputs(set),
        _ => header.set_vmap(set),
    }
    let first = AttributeId::new(0).map_or(0, AttributeId::imap_bit) / 32;
    let words = header.dwords().iter().copied().enumerate().skip(first);
    words.filter(|(_, word)| *word != 0).collect()
}

pub(super) fn task_header(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let [x, y, z] = case.field("emit")?.exactly()?;
    let got = TaskHeader::new([x.number()?, y.number()?, z.number()?]).map(|header| header.words());
    let mut expected = Vec::new();
    for (address, word) in case.field("words")?.members()? {
        let address = u32::from_str_radix(address, 16).map_err(|_| word.wrong("a hex address"))?;
        expected.push((address, word.hex()?));
    }
    expected.sort_unstable();
    comparison.check("words", &Ok(expected), &got.map(|words| words.to_vec()));
    comparison.check("payload_base", &case.field("payload_base")?.hex()?, &PAYLOAD_BASE);
    Ok(())
}
