//! An image that somebody looks at, which may be broken.

use super::{InputError, StoredImage, image_file};
use crate::registry::registry;
use build::BuildError;
use machine::registry::NodeNames;
use machine::source::{Geometry, differences};
use machine::{
    AnyChecked, AnyReport, Finding, FormatEntry, Image, ImageFile, MachineInput, MachineOptions,
    ReadError, ReadOptions, Segment, Severity,
};
use scene::Scene;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The rule about parents, in formats that have some.
const PARENT: &str = "parent";
/// What is said of loops that do not walk an image.
const REFUSED: &str = "refused";

/// The image in the bytes of a file. Bytes that cannot be taken apart are one too: their check
/// says why.
#[derive(Debug, Clone)]
pub struct OpenedImage {
    /// What the file is called.
    pub name: String,
    /// The format.
    pub format: &'static FormatEntry,
    /// The image, unless it is broken.
    pub file: Result<ImageFile, ReadError>,
}

impl OpenedImage {
    /// The image in `bytes` of a file called `name`; raw memory has the format that is given.
    #[must_use]
    pub fn read(
        name: String,
        bytes: &[u8],
        raw: &'static FormatEntry,
        options: &ReadOptions,
    ) -> Self {
        let (format, file) = image_file(Path::new(&name), bytes, raw, options);
        Self { name, format, file }
    }

    /// What the check finds, and how a sound image differs from a scene. A file that cannot be
    /// taken apart is unsound for one reason, and that is a finding.
    ///
    /// # Errors
    /// When the file has no such structure.
    pub fn check(&self, scene: Option<&Geometry>) -> Result<AnyReport, &ReadError> {
        match &self.file {
            Err(ReadError::Broken(finding)) => {
                Ok(AnyReport { findings: vec![(**finding).clone()], ..AnyReport::default() })
            }
            Err(error) => Err(error),
            Ok(file) => Ok(file.clone().check(|image| {
                let mut report = (self.format.check)(image);
                if let Some(checked) = &report.checked {
                    if let Some(scene) = scene {
                        let differences = differences(checked.as_ref(), scene);
                        report.findings.extend(self.within_nodes(checked.image(), differences));
                    }
                    // Parents that disagree keep an image safe, but not every loop walks it.
                    if report.findings.iter().any(|finding| finding.rule == PARENT) {
                        report.findings.extend(self.refusals(checked));
                    }
                }
                report
            })),
        }
    }

    /// Findings about whole nodes, with no more bits than their nodes have.
    fn within_nodes(&self, image: &Image, mut findings: Vec<Finding>) -> Vec<Finding> {
        if findings.is_empty() {
            return findings;
        }
        let entries = (self.format.outline)(image).entries;
        let starts = image.segments.iter().scan(0, |next, segment| {
            let start = *next;
            *next += segment.bytes().len() as u64;
            Some((segment, start))
        });
        let starts: Vec<_> = starts.collect();
        let bytes = entries.iter().filter_map(|entry| {
            let holds = |segment: &Segment| segment.get(entry.address, 1).is_some();
            let (segment, start) = starts.iter().find(|(segment, _)| holds(segment))?;
            Some((start + (entry.address - segment.address), entry.bytes as u32))
        });
        let bytes: HashMap<u64, u32> = bytes.collect();
        for finding in &mut findings {
            if let Some(bytes) = bytes.get(&finding.offset).filter(|bytes| **bytes > 0) {
                finding.bits.end = finding.bits.end.min(8 * bytes);
            }
        }
        findings
    }

    /// The loops of drivers that do not walk an image, though it is safe to walk.
    fn refusals(&self, checked: &Arc<dyn AnyChecked>) -> Vec<Finding> {
        let loops = registry().readers(self.format);
        let loops = loops.filter(|machine| machine.nodes == NodeNames::Image);
        let input = MachineInput::Image(Arc::clone(checked));
        let refused = loops.filter_map(|machine| {
            let error = (machine.make)(&input, &MachineOptions::default()).err()?;
            Some(Finding {
                severity: Severity::Note,
                rule: REFUSED,
                offset: 0,
                bits: 0..0,
                found: error.to_string(),
                expected: "an image that it walks".to_owned(),
                place: format!("machine {}", machine.name),
                count: 1,
                weight: 0,
            })
        });
        refused.collect()
    }

    /// The image, proved to be safe to walk.
    ///
    /// # Errors
    /// When it is broken, or not safe to walk.
    pub fn stored(&self) -> Result<StoredImage, InputError> {
        let path = Path::new(&self.name);
        let file = self.file.clone();
        let file = file.map_err(|error| InputError::Broken {
            path: path.to_owned(),
            error: Box::new(error),
        })?;
        StoredImage::of(path, file, self.format)
    }
}

/// What an image of a scene should hold.
///
/// # Errors
/// When the scene has no tree.
pub fn geometry_of(scene: &Scene) -> Result<Geometry, BuildError> {
    let (objects, instances) = build::contents(scene)?;
    Ok(Geometry { objects, instances })
}
