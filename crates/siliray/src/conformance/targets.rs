//! The formats and machines that are tried.
//!
//! Every machine of the registry on every format that it reads, encoded as the machine likes it;
//! and beside them what no name in the registry stands for:
//!
//! * The tracer over its copy of an image's tree (`fast-prepared`), asked by calls for one ray
//!   (`fast-one`), and in batches: of rays that run together (`fast-bundle`), from everywhere
//!   (`fast-batch`), and these in place (`fast-in-place-batch`). So with the fastest kernel, with
//!   AVX2 (`fast-avx2-…`) and with plain arrays (`fast-plain-…`; `fast-plain` is a batch).
//! * What drivers really write has no margin: `gfx12:radv`, `gfx12:gpurt`, `gfx12:hiprt` and the
//!   same of `gfx10-bvh4` and `gfx11-bvh4` are copies, and the hits that the hardware loses there
//!   are losses. `xphmg-fp32:bare` has no margin either, and a program with RT.BBOX as published
//!   runs on it.
//! * Other layouts: oriented boxes, rebraided instances, drivers' memory with a margin, boxes of
//!   high and of half precision, nodes of eight children.

use super::batched::Coherence::{Coherent, Incoherent};
use super::batched::{Batched, Coherence, OneByOne};
use crate::registry::registry;
use build::Preset;
use gfx12::Gfx12;
use machine::registry::loses_nothing;
use machine::{
    FormatEntry, Hit, Machine, MachineEntry, MachineInput, MachineOptions, MakeError, RayQuery,
    Settings, downcast,
};
use riscv::machine::{HartMachine, Options as HartOptions};
use std::fmt;
use trace::Kernel::{Avx2, Plain};
use trace::Mode::{InPlace, Prepared};
use trace::{Kernel, Mode, Options as TracerOptions, Tracer};
use xphmg::Readings;
use xphmg::machines::BruteForce;
use xphmg::registry::tiles_of;

/// A machine on a format.
#[derive(Clone)]
pub(super) struct Target {
    /// The format's name in the table; a layout with a name of its own stands behind a colon.
    pub(super) name: &'static str,
    pub(super) format: &'static FormatEntry,
    /// How trees are encoded. Targets with one layout stand together and share images.
    pub(super) settings: Settings,
    /// The machine's name.
    pub(super) machine: &'static str,
    pub(super) make: Make,
    /// What its answers to rays are compared with, if not with the oracle.
    pub(super) oracle: Option<MakeOracle>,
    /// Which hits it is known to lose.
    pub(super) may_lose: fn(&MachineInput, &RayQuery, &Hit) -> bool,
    pub(super) takes_beams: bool,
    /// The trees that it is tried on.
    pub(super) presets: &'static [Preset],
}

type Make = fn(&MachineInput, &MachineOptions) -> Result<Box<dyn Machine>, MakeError>;
type MakeOracle = fn(&MachineInput) -> Result<Box<dyn Machine>, MakeError>;

const ALL: &[Preset] = &Preset::ALL;
const BVHS: &[Preset] = &Preset::BVHS;
const BALANCED: &[Preset] = &[Preset::Balanced];
const BEST: &[Preset] = &[Preset::Best];
const BALANCED_AND_BEST: &[Preset] = &[Preset::Balanced, Preset::Best];

/// All of them, those with one layout together.
pub(super) fn targets() -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for format in registry().formats().iter().copied() {
        for machine in registry().readers(format).filter(|_| format.holds_trees()) {
            let liked = if format.name == machine.format { machine.settings } else { &[] };
            targets.push(Target {
                name: format.name,
                format,
                settings: liked.iter().fold(Settings::default(), |all, (k, v)| all.with(*k, *v)),
                machine: machine.name,
                make: machine.make,
                oracle: machine.oracle,
                may_lose: machine.may_lose,
                takes_beams: machine.takes_beams,
                presets: presets(format, machine),
            });
        }
    }
    targets.extend(others().into_iter().flatten());
    let first_of = |target: &Target| targets.iter().position(|other| target.same_layout(other));
    let mut keyed: Vec<(Option<usize>, Target)> =
        targets.iter().map(|target| (first_of(target), target.clone())).collect();
    keyed.sort_by_key(|(first, _)| *first);
    keyed.into_iter().map(|(_, target)| target).collect()
}

/// Which trees a machine of the registry is tried on. All of them where it reads what it likes, and
/// all but trees of cells where it takes trees; fewer where hardware has arithmetic of its own,
/// since brute force by that is slow; one where it reads what was made for another machine.
fn presets(format: &'static FormatEntry, machine: &MachineEntry) -> &'static [Preset] {
    let is_liked = format.name == machine.format;
    let is_plain = registry().readers(format).all(|reader| reader.oracle.is_none());
    match (is_plain, is_liked, machine.takes_trees) {
        (true, true, _) => ALL,
        (true, _, true) => BVHS,
        (false, true, _) => BALANCED_AND_BEST,
        _ => BALANCED,
    }
}

/// Targets that no name in the registry stands for.
fn others() -> [Option<Target>; 50] {
    let like = |name, settings: &[(&str, &str)], machine: &'static str| {
        let format = registry().format(name)?;
        let entry = registry().machine(machine);
        let settings = settings.iter().fold(Settings::default(), |all, (k, v)| all.with(*k, *v));
        Some(Target {
            name: format.name,
            format,
            settings,
            machine,
            make: entry.map_or(fast, |entry| entry.make),
            oracle: entry.and_then(|entry| entry.oracle),
            may_lose: entry.map_or(loses_nothing, |entry| entry.may_lose),
            takes_beams: entry.is_some_and(|entry| entry.takes_beams),
            presets: BALANCED,
        })
    };
    let tracer = |machine, make, presets| {
        Some(Target { make, presets, takes_beams: true, ..like("gfx12", &[], machine)? })
    };
    let batch = |machine, make, presets| {
        Some(Target { takes_beams: false, ..tracer(machine, make, presets)? })
    };
    let layout = |name, base, (key, value): (&str, &str), machine| {
        Some(Target { name, ..like(base, &[(key, value)], machine)? })
    };
    let copy = |name, base, policy, machine| {
        let may_lose = |_: &MachineInput, _: &RayQuery, _: &Hit| true;
        Some(Target { may_lose, ..layout(name, base, ("policy", policy), machine)? })
    };
    let driver = |name, policy, machine| copy(name, "gfx12", policy, machine);
    let gpurt_memory = |name, base, machine| {
        Some(Target { name, ..like(base, &[("policy", "gpurt"), ("margin", "on")], machine)? })
    };
    let pairs_rebraided = || {
        let settings = [("policy", "gpurt"), ("margin", "on"), ("rebraid", "on")];
        let name = "gfx12:gpurt-rebraid";
        Some(Target { name, ..like("gfx12", &settings, "gfx12-radv")? })
    };
    let memory = |name, policy, machine| {
        let settings = [("policy", policy), ("margin", "on")];
        Some(Target { name, ..like("gfx12", &settings, machine)? })
    };
    let bare = || {
        Some(Target {
            make: published_hart,
            oracle: Some(|input| Ok(Box::new(BruteForce::by_narrowed_t(tiles_of("hart", input)?)))),
            may_lose: |_, _, _| true,
            ..layout("xphmg-fp32:bare", "xphmg-fp32", ("margin", "off"), "hart")?
        })
    };
    [
        tracer("fast-prepared", fast, ALL),
        tracer("fast-avx2", |i, o| Ok(Box::new(self::tracer(i, o, with(Avx2, Prepared))?)), BEST),
        batch("fast-one", |i, o| one_by_one(i, o, fastest(Prepared)), BALANCED_AND_BEST),
        batch("fast-avx2-one", |i, o| one_by_one(i, o, with(Avx2, Prepared)), BALANCED),
        batch("fast-plain-one", |i, o| one_by_one(i, o, with(Plain, Prepared)), BALANCED),
        batch("fast-bundle", |i, o| batched(i, o, fastest(Prepared), Coherent), BALANCED_AND_BEST),
        batch("fast-avx2-bundle", |i, o| batched(i, o, with(Avx2, Prepared), Coherent), BALANCED),
        batch("fast-plain-bundle", |i, o| batched(i, o, with(Plain, Prepared), Coherent), BALANCED),
        batch("fast-batch", |i, o| batched(i, o, fastest(Prepared), Incoherent), BEST),
        batch("fast-avx2-batch", |i, o| batched(i, o, with(Avx2, Prepared), Incoherent), BALANCED),
        batch("fast-plain", |i, o| batched(i, o, with(Plain, Prepared), Incoherent), BEST),
        batch(
            "fast-in-place-batch",
            |i, o| batched(i, o, fastest(InPlace), Incoherent),
            BALANCED_AND_BEST,
        ),
        batch(
            "fast-avx2-in-place-batch",
            |i, o| batched(i, o, with(Avx2, InPlace), Incoherent),
            BALANCED,
        ),
        batch(
            "fast-plain-in-place-batch",
            |i, o| batched(i, o, with(Plain, InPlace), Incoherent),
            BALANCED,
        ),
        driver("gfx12:radv", "radv", "gfx12-radv"),
        driver("gfx12:gpurt", "gpurt", "gfx12-gpurt"),
        layout("gfx12:obb", "gfx12", ("obb", "on"), "ttu"),
        layout("gfx12:obb", "gfx12", ("obb", "on"), "fast"),
        layout("gfx12:obb", "gfx12", ("obb", "on"), "gfx12-gpurt"),
        layout("gfx12:rebraid", "gfx12", ("rebraid", "on"), "reference"),
        layout("gfx12:rebraid", "gfx12", ("rebraid", "on"), "ttu"),
        layout("gfx12:rebraid", "gfx12", ("rebraid", "on"), "fast"),
        layout("gfx12:rebraid", "gfx12", ("rebraid", "on"), "gfx12-gpurt"),
        pairs_rebraided(),
        memory("gfx12:radv-margin", "radv", "reference"),
        memory("gfx12:radv-margin", "radv", "ttu"),
        memory("gfx12:radv-margin", "radv", "fast"),
        memory("gfx12:radv-margin", "radv", "gfx12-gpurt"),
        memory("gfx12:radv-margin", "radv", "gfx12-hiprt"),
        memory("gfx12:hiprt-margin", "hiprt", "reference"),
        memory("gfx12:hiprt-margin", "hiprt", "ttu"),
        memory("gfx12:hiprt-margin", "hiprt", "fast"),
        driver("gfx12:hiprt", "hiprt", "gfx12-hiprt"),
        layout("gfx12:rebraid", "gfx12", ("rebraid", "on"), "gfx12-hiprt"),
        layout("gfx12-bvh4x2:high", "gfx12-bvh4x2", ("precision", "high"), "gfx12-dual"),
        copy("gfx10-bvh4:radv", "gfx10-bvh4", "radv", "gfx10-radv"),
        copy("gfx10-bvh4:gpurt", "gfx10-bvh4", "gpurt", "gfx10-gpurt"),
        copy("gfx11-bvh4:radv", "gfx11-bvh4", "radv", "gfx11-radv"),
        copy("gfx11-bvh4:gpurt", "gfx11-bvh4", "gpurt", "gfx11-gpurt"),
        layout("gfx10-bvh4:half", "gfx10-bvh4", ("half", "on"), "gfx10-gpurt"),
        layout("gfx11-bvh4:half", "gfx11-bvh4", ("half", "on"), "gfx11-gpurt"),
        layout("gfx10-bvh4:half", "gfx10-bvh4", ("half", "on"), "ttu"),
        gpurt_memory("gfx10-bvh4:gpurt-margin", "gfx10-bvh4", "gfx10-gpurt"),
        gpurt_memory("gfx11-bvh4:gpurt-margin", "gfx11-bvh4", "gfx11-gpurt"),
        gpurt_memory("gfx11-bvh4:gpurt-margin", "gfx11-bvh4", "reference"),
        layout("xphmg-fp32:node8", "xphmg-fp32", ("node_width", "8"), "offload"),
        layout("xphmg-fp16:node8", "xphmg-fp16", ("node_width", "8"), "offload"),
        layout("xphmg-fp32:literal88", "xphmg-fp32", ("node_layout", "literal88"), "offload"),
        layout("xphmg-e4m3:literal88", "xphmg-e4m3", ("node_layout", "literal88"), "offload"),
        bare(),
    ]
}

impl Target {
    /// Whether it is asked under a triangle rule. Hardware with arithmetic of its own is asked
    /// once.
    pub(super) fn takes_rule(&self, rule: geometry::TriangleRule) -> bool {
        self.oracle.is_none() || rule == geometry::TriangleRule::Watertight
    }

    pub(super) fn same_layout(&self, other: &Self) -> bool {
        self.format.name == other.format.name && self.settings == other.settings
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.machine, self.name)
    }
}

/// The tracer over its own copy of an image's tree.
fn fast(input: &MachineInput, options: &MachineOptions) -> Result<Box<dyn Machine>, MakeError> {
    Ok(Box::new(tracer(input, options, TracerOptions::default())?))
}

/// The options of a tracer with the fastest kernel.
fn fastest(mode: Mode) -> TracerOptions {
    TracerOptions { mode, ..TracerOptions::default() }
}

/// The options of a tracer with a kernel, or, where the processor lacks it, the best one there is.
fn with(kernel: Kernel, mode: Mode) -> TracerOptions {
    let kernel = Some(kernel).filter(|kernel| kernel.is_available());
    TracerOptions { kernel, mode, ..TracerOptions::default() }
}

/// Asked by calls for one ray.
fn one_by_one(
    input: &MachineInput,
    options: &MachineOptions,
    how: TracerOptions,
) -> Result<Box<dyn Machine>, MakeError> {
    Ok(Box::new(OneByOne(tracer(input, options, how)?)))
}

fn batched(
    input: &MachineInput,
    options: &MachineOptions,
    how: TracerOptions,
    coherence: Coherence,
) -> Result<Box<dyn Machine>, MakeError> {
    let tracer = tracer(input, options, how)?;
    Ok(Box::new(Batched { tracer, coherence, bounds: input.tree().bounds() }))
}

fn tracer(
    input: &MachineInput,
    options: &MachineOptions,
    how: TracerOptions,
) -> Result<Tracer, MakeError> {
    let how = TracerOptions { rule: options.rule, ..how };
    let image = match input {
        MachineInput::Image(image) => downcast::<Gfx12>(image),
        MachineInput::Tree(_) => None,
    };
    Ok(match image {
        Some(image) => Tracer::from_image(image, how)?,
        None => Tracer::from_tree(input.tree(), how)?,
    })
}

/// RT.BBOX as published, which is not conservative.
fn published_hart(input: &MachineInput, _: &MachineOptions) -> Result<Box<dyn Machine>, MakeError> {
    let tiles = tiles_of("hart", input)?;
    let options = HartOptions { readings: Readings::default(), ..HartOptions::default() };
    Ok(Box::new(HartMachine::new(tiles, options)?))
}
