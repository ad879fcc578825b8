//! Proving an untrusted image (G-37).

pub mod findings;
mod image;
pub mod rule;

pub use findings::{FINDINGS_PER_RULE, Findings};
pub use rule::Rule;

pub(crate) use findings::Place;

use crate::decode::{Memory, Survey};
use machine::{CheckReport, CheckedImage, Facts, Image, Severity};

/// Proves an image, or says what is wrong with it. Offsets count over the segments in their order.
#[must_use]
pub fn check(image: Image) -> CheckReport {
    let memory = Memory::new(&image);
    let mut findings = Findings::default();
    image::check(&image, &memory, &mut findings);
    let survey = Survey::collect(&image, &memory, &mut findings);
    let nodes =
        survey.structures.iter().map(|s| s.boxes.len() + s.leaves.len() + s.instances.len()).sum();
    let findings = findings.into_sorted();
    let sound = findings.iter().all(|finding| finding.severity != Severity::Error);
    let checked = sound.then(|| CheckedImage::proved(image, Facts::default()));
    CheckReport { checked, findings, nodes }
}
