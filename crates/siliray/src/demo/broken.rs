//! A file with one wrong field: what the check says, what is lost, and where.

use crate::conformance::{ImageError, ImageOptions, run_machine};
use crate::input::{RouteError, encode_checked};
use crate::registry::registry;
use crate::render::{LostPixels, RenderError, Rendering, render_losses};
use build::unwatched;
use geometry::TriangleRule;
use machine::{
    DescribedField, Finding, FormatEntry, HitKind, Image, Machine, MachineInput, MachineOptions,
    NodeRef, Query, RayQuery, Settings,
};
use rayon::prelude::*;
use scene::Camera;
use std::sync::Arc;
use tree::Tree;

/// The machine whose loop walks the broken file.
const MACHINE: &str = "gfx12-gpurt";

/// Camera rays with which a field is tried, on each side of a square.
const TRIED: u32 = 24;

/// Most fields that are tried.
const FIELDS: usize = 40;

/// Levels below the root whose fields are tried.
const DEPTH: u32 = 2;

/// Entries of the traversal stack.
const STACK: u8 = 16;

/// The most that may get lost: a driver's mistake is seldom seen at once.
const LARGEST_SHARE: f64 = 0.15;

/// A file before and after one field was changed.
#[derive(Debug, Clone)]
pub struct Broken {
    /// The sound file.
    pub sound_file: Vec<u8>,
    /// The broken one.
    pub file: Vec<u8>,
    /// The node that was changed, by pointer, and where it lies in memory.
    pub node: (NodeRef, u64),
    /// The field.
    pub field: String,
    /// What stood there, and what stands there now.
    pub change: (u64, u64),
    /// What the check says.
    pub findings: Vec<Finding>,
    /// Who walks it.
    pub machine: &'static str,
    /// Hits that brute force has.
    pub hits: usize,
    /// Of these, hits that the machine loses.
    pub losses: usize,
    /// Where the walk loses one of them.
    pub reason: Option<String>,
    /// The lost pixels.
    pub picture: Rendering,
    /// How many.
    pub pixels: LostPixels,
}

/// One field to change.
struct Damage {
    node: NodeRef,
    address: u64,
    field: DescribedField,
    value: u64,
}

/// Why there is no broken file.
#[derive(Debug, thiserror::Error)]
pub enum BrokenError {
    /// The tree has no image.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The machine does not take it.
    #[error("{0}")]
    Machine(machine::MakeError),
    /// It has no file.
    #[error("{0}")]
    File(machine::EncodeError),
    /// The law cannot be asked.
    #[error(transparent)]
    Law(#[from] ImageError),
    /// There is no picture.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Breaks the file of `tree`: of the upper planes near the root, one is halved, the one that loses
/// most of what `camera` sees and not too much. `None` if none loses anything.
pub(super) fn broken(
    tree: &Tree,
    camera: &Camera,
    size: [u32; 2],
) -> Result<Option<Broken>, BrokenError> {
    let Some(entry) = registry().machine(MACHINE) else { return Ok(None) };
    let Some(format) = registry().format(entry.format) else { return Ok(None) };
    let Some(trees) = &format.trees else { return Ok(None) };
    let settings = entry.settings.iter().fold(Settings::default(), |all, (k, v)| all.with(*k, *v));
    let sound = encode_checked(tree, format, &settings)?;
    let image = sound.image();
    let rays: Vec<RayQuery> = (0..TRIED * TRIED)
        .map(|i| camera.ray((i % TRIED) as f32 + 0.5, (i / TRIED) as f32 + 0.5, TRIED, TRIED))
        .map(|ray| RayQuery::new(HitKind::Closest, ray))
        .collect();
    let walks = |input: &MachineInput| (entry.make)(input, &MachineOptions::default());
    let seen = |machine: &dyn Machine| -> Vec<Option<(u32, u32, u32)>> {
        let hit =
            |query: &RayQuery| Some(machine.answer(&Query::from(*query)).ok()?.hits.first()?.ids());
        rays.par_iter().map(hit).collect()
    };
    let whole =
        seen(&*walks(&MachineInput::Image(Arc::clone(&sound))).map_err(BrokenError::Machine)?);
    let visible = whole.iter().flatten().count();
    let mut best: Option<(usize, Damage, Image)> = None;
    let damages = damages(format, image);
    let stride = damages.len().div_ceil(FIELDS).max(1);
    for damage in damages.into_iter().step_by(stride) {
        let damaged = damage.done_to(image);
        let Ok(checked) = (format.check)(damaged.clone()).into_checked() else { continue };
        let Ok(machine) = walks(&MachineInput::Image(checked)) else { continue };
        let lost = seen(&*machine).iter().zip(&whole).filter(|(a, b)| a != b).count();
        let fits = lost > 0 && lost as f64 <= LARGEST_SHARE * visible as f64;
        if fits && best.as_ref().is_none_or(|(most, ..)| lost > *most) {
            best = Some((lost, damage, damaged));
        }
    }
    let Some((_, damage, damaged)) = best else { return Ok(None) };
    let file = (trees.write)(&damaged, None).map_err(BrokenError::File)?;
    let report = (format.check)(damaged);
    let findings = report.findings.clone();
    let Ok(checked) = report.into_checked() else { return Ok(None) };
    let input = MachineInput::Image(checked);
    let machine = walks(&input).map_err(BrokenError::Machine)?;
    let options = ImageOptions { seed: 0, rays: rays.len(), stack_size: STACK, followed: 1 };
    let law = run_machine(entry, &input, &rays, &options, &unwatched)?;
    let reason = law.lost.first().and_then(|lost| Some(lost.reason.as_ref()?.text.clone()));
    let rule = TriangleRule::Watertight;
    let who = (entry, &*machine);
    let (picture, pixels) = render_losses(&input, who, rule, camera, size, &unwatched)?;
    Ok(Some(Broken {
        sound_file: (trees.write)(image, None).map_err(BrokenError::File)?,
        file,
        node: (damage.node, damage.address),
        change: (damage.field.raw, damage.value),
        field: damage.field.name,
        findings,
        machine: entry.name,
        hits: law.hits,
        losses: law.losses,
        reason,
        picture,
        pixels,
    }))
}

/// The upper planes of the root and of the nodes below it, each half as high.
fn damages(format: &FormatEntry, image: &Image) -> Vec<Damage> {
    let outline = (format.outline)(image);
    let upper = outline.entries.iter().filter(|entry| entry.depth <= DEPTH);
    let described = upper.filter_map(|entry| (format.describe)(image, entry.node).ok());
    let mut damages = Vec::new();
    for node in described {
        let planes = node.fields.into_iter().filter(|field| field.name.contains(".max_"));
        damages.extend(planes.filter(|field| field.raw > 0).map(|field| Damage {
            node: node.node,
            address: node.address,
            value: field.raw / 2,
            field,
        }));
    }
    damages
}

impl Damage {
    fn done_to(&self, image: &Image) -> Image {
        let mut image = image.clone();
        let bytes = image.segments.iter_mut().find_map(|segment| {
            let start = usize::try_from(self.address.checked_sub(segment.address)?).ok()?;
            segment.bytes_mut().get_mut(start..)
        });
        let Some(bytes) = bytes else { return image };
        for (place, bit) in self.field.bits.clone().enumerate() {
            let Some(byte) = bytes.get_mut(bit as usize / 8) else { continue };
            let mask = 1 << (bit % 8);
            *byte = if self.value >> place & 1 == 1 { *byte | mask } else { *byte & !mask };
        }
        image
    }
}
