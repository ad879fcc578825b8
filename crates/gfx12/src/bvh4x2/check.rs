//! Proving an untrusted image (G-37).

use super::format::{Gfx12Bvh4x2, Proof};
use super::survey::Structure;
use super::{NAME, Rule};
use crate::layout::Resource;
use bvh4::image::examine;
use machine::{CheckReport, Checked, Finding, Image};

/// Proves an image, or says what is wrong with it. Offsets count over the segments in their order.
#[must_use]
pub fn check(image: Image) -> CheckReport<Gfx12Bvh4x2> {
    let examined = examine::<Structure>(&image);
    let is_sound = examined.is_sound();
    let bvh4::image::Examined { survey, findings, facts, nodes } = examined;
    let checked = is_sound.then(|| Checked::new(image, facts, Proof { survey }));
    CheckReport { checked, findings, nodes }
}

/// What is wrong with a T# that is to be used on an image of this format (G-20).
#[must_use]
pub fn check_resource(resource: &Resource) -> Option<Finding> {
    resource.compressed_format.then(|| Finding {
        severity: Rule::Resource.severity(),
        rule: Rule::Resource.name(),
        offset: 0,
        bits: Resource::compressed_format.bits().start
            ..Resource::compressed_format.bits().end + u32::from(resource.box_node_64b),
        found: if resource.box_node_64b {
            "bits 115 and 116 set, which exclude each other".into()
        } else {
            "bit 115 set".into()
        },
        expected: format!("bit 115 clear for format {NAME}"),
        place: "T#".into(),
        count: 1,
        weight: 0,
    })
}
