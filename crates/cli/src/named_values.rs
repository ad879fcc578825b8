//! Options that take one of several values by name, each with what the help says of it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use siliray::build::Preset;
use siliray::geometry::TriangleRule;
use siliray::machine::HitKind;
use siliray::render::Measure;
use siliray::{sim, workload};

/// A value: its name with other spellings behind `|`, and what it stands for.
type Row<T> = (&'static str, T, &'static str);

/// How much time to spend on a tree.
pub(crate) const PRESETS: &[Row<Preset>] = &[
    ("fast", Preset::Fast, "The quickest build"),
    ("balanced", Preset::Balanced, "A good tree in little time"),
    ("best", Preset::Best, "The best tree"),
    ("octree", Preset::Octree, "Cells of space as boxes, cut in the middle"),
    ("kd-tree|kd", Preset::KdTree, "Cells of space as boxes, cut by the surface-area heuristic"),
];

/// Which arithmetic meets triangles.
pub(crate) const RULES: &[Row<TriangleRule>] = &[
    (
        "moller-trumbore",
        TriangleRule::MollerTrumbore,
        "As the GFX12 unit computes; rays can slip between two triangles",
    ),
    (
        "watertight",
        TriangleRule::Watertight,
        "Woop, Benthin and Wald; no ray slips through a closed mesh",
    ),
];

/// Which hits are wanted.
pub(crate) const QUERIES: &[Row<HitKind>] = &[
    ("closest", HitKind::Closest, "The first hit of each ray"),
    ("any", HitKind::Any, "Whether each ray hits anything"),
    ("all", HitKind::All, "Every hit of each ray, the nearest first"),
];

/// Which rays are made.
pub(crate) const WORKLOADS: &[Row<workload::Workload>] = &[
    ("primary", workload::Workload::Primary, "From the camera"),
    ("occlusion|ao", workload::Workload::Occlusion, "Short ones from what the camera sees"),
    ("bounce", workload::Workload::Bounce, "Long ones from what the camera sees"),
];

/// What the traversal unit is asked.
pub(crate) const SIM_WORKLOADS: &[Row<sim::Workload>] = &[
    ("primary", sim::Workload::Rays(workload::Workload::Primary), "Closest hits of camera rays"),
    (
        "occlusion|ao",
        sim::Workload::Rays(workload::Workload::Occlusion),
        "Any hit of short rays from what the camera sees",
    ),
    (
        "bounce",
        sim::Workload::Rays(workload::Workload::Bounce),
        "Closest hits of rays from what the camera sees",
    ),
    ("beams", sim::Workload::Beams, "Everything that beams around 8 by 8 camera rays meet"),
];

/// What a heat map shows.
pub(crate) const MEASURES: &[Row<Measure>] = &[
    ("boxes", Measure::Boxes, "Boxes tested"),
    ("triangles", Measure::Triangles, "Triangles tested"),
    ("nodes", Measure::Nodes, "Nodes visited"),
    ("blocks", Measure::Blocks, "Blocks fetched and tested, with --machine ttu"),
    ("bytes", Measure::Bytes, "Bytes fetched from memory, by every machine but the hart"),
    (
        "cycles",
        Measure::Cycles,
        "Cycles of the pixel's ray, alone in an empty machine, with --machine ttu",
    ),
];

/// The names of values, for clap.
pub(crate) fn one_of<T: Copy + Send + Sync>(
    rows: &'static [Row<T>],
) -> impl TypedValueParser<Value = T> {
    let values = rows.iter().map(|(names, _, help)| {
        let mut names = names.split('|');
        PossibleValue::new(names.next().unwrap_or_default()).aliases(names).help(*help)
    });
    PossibleValuesParser::new(values).map(move |name| {
        let named = rows.iter().find(|(names, ..)| names.split('|').any(|known| known == name));
        named.unwrap_or(&rows[0]).1
    })
}
