//! Images of all kinds, made and checked.

use bvh4::layout::RadvHeader;
use geometry::TriangleRule;
use gfx10::encode::{Options, Policy, encode};
use gfx10::format::Bvh4;
use gfx10::walk::{Loop, Walk, WalkError};
use gfx10::{GFX11_NAME, Generation};
use machine::{Finding, Format, Image, Machine, ProvedFacts};
use std::sync::Arc;
use tree::Tree;

/// A checked image of either format.
pub(crate) struct Sound {
    pub(crate) findings: Vec<Finding>,
    pub(crate) facts: ProvedFacts,
    pub(crate) tree: Arc<Tree>,
    make: Box<dyn Fn(Loop, TriangleRule, u8) -> Result<Walk, WalkError>>,
}

impl Sound {
    pub(crate) fn machine(
        &self,
        kind: Loop,
        rule: TriangleRule,
        stack_size: u8,
    ) -> Result<Box<dyn Machine>, WalkError> {
        (self.make)(kind, rule, stack_size).map(|walk| Box::new(walk) as Box<dyn Machine>)
    }
}

/// The findings of an image, and what was proved if it is sound.
pub(crate) fn check(image: Image) -> Result<Sound, Vec<Finding>> {
    if image.format == GFX11_NAME { check_as::<true>(image) } else { check_as::<false>(image) }
}

fn check_as<const GFX11: bool>(image: Image) -> Result<Sound, Vec<Finding>> {
    let report = Bvh4::<GFX11>::check(image);
    let findings = report.findings;
    let Some(checked) = report.checked.map(Arc::new) else { return Err(findings) };
    let (facts, tree) = (checked.facts(), Arc::clone(checked.tree()));
    let make = move |kind, rule, size| Walk::over(kind, Arc::clone(&checked), rule, Some(size));
    Ok(Sound { findings, facts, tree, make: Box::new(make) })
}

/// Every way to lay a tree out.
pub(crate) fn layouts() -> Vec<(Generation, Options)> {
    let mut all = Vec::new();
    for generation in Generation::ALL {
        for policy in Policy::ALL {
            for half in [false, true] {
                all.push((generation, Options { half, ..Options::new(policy) }));
            }
        }
    }
    all
}

pub(crate) fn image(tree: &Tree, generation: Generation, options: &Options) -> Image {
    encode(tree, generation, options).unwrap()
}

/// A structure as `vkCmdCopyAccelerationStructureToMemoryKHR` writes it.
pub(crate) fn serialized(memory: &[u8]) -> Vec<u8> {
    let header = RadvHeader::of_bytes(memory).unwrap();
    let mut bytes = vec![0xA5; 32];
    bytes.extend(header.serialization_size.to_le_bytes());
    bytes.extend(header.compacted_size.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(memory);
    bytes
}
