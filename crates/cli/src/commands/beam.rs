//! `siliray beam`: what a moving box meets.

use super::{build_tree, open};
use crate::beam_args::Beam as Args;
use crate::failure::Failure;
use crate::output::number::{coordinate, counted};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::build::Options;
use siliray::flat_scene::FlatScene;
use siliray::geometry::Beam;
use siliray::machine::beam::BeamReference;
use siliray::machine::{BeamHit, BeamMachine, BeamQuery, Counters, LeafRule};

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    rule: &'static str,
    hit: bool,
    first_contact: Option<f32>,
    primitives: Vec<JsonPrimitive>,
    tests: u64,
}

#[derive(Serialize)]
struct JsonPrimitive {
    instance: u32,
    geometry: u32,
    primitive: u32,
    t: f32,
    exit: f32,
}

/// Asks one beam.
pub(crate) fn run(args: &Args, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let beam = Beam::from_aabbs_shrinking(&args.from, &args.to).map_err(Failure::usage)?;
    let scene = open(&args.scene, triangles)?;
    let leaf = if args.exact { LeafRule::Exact } else { LeafRule::Conservative };
    let query = BeamQuery { leaf, ..BeamQuery::new(beam) };
    // Turned into the space of an instance a beam would grow: what must be exact is asked in the world.
    let flat = match leaf {
        LeafRule::Exact => Ok(FlatScene::new(scene).map_err(Failure::input)?),
        LeafRule::Conservative => Err(scene),
    };
    let scene = flat.as_ref().map_or_else(|scene| scene, |flat| &flat.scene);
    let built = build_tree(scene, &Options::preset(args.preset.into()), output)?;
    let machine = BeamReference::new(&built.tree).map_err(Failure::input)?;
    let mut counters = Counters::default();
    let mut hits = Vec::new();
    if args.all {
        machine.collect(&query, &mut hits, &mut counters).map_err(Failure::input)?;
    } else {
        hits.extend(machine.first(&query, &mut counters).map_err(Failure::input)?);
    }
    if let Ok(flat) = &flat {
        hits.iter_mut().for_each(|hit| (hit.instance, hit.geometry) = flat.origin(hit.geometry));
    }
    let json = Json {
        scene: scene.name.clone(),
        rule: leaf.name(),
        hit: !hits.is_empty(),
        first_contact: hits.iter().map(|hit| hit.t).min_by(f32::total_cmp),
        primitives: hits.iter().map(JsonPrimitive::from).collect(),
        tests: counters.box_tests + counters.triangle_tests,
    };
    output.result(&json, &text(&json, args.all))
}

impl From<&BeamHit> for JsonPrimitive {
    fn from(hit: &BeamHit) -> Self {
        let BeamHit { t, exit, instance, geometry, primitive } = *hit;
        Self { instance, geometry, primitive, t, exit }
    }
}

fn text(json: &Json, all: bool) -> String {
    let tests = counted(json.tests as usize, "test");
    let Some(first) = json.first_contact else {
        return format!("{}: nothing is met ({tests})\n", json.scene);
    };
    let met = match all {
        true => format!("{} met, first", counted(json.primitives.len(), "primitive")),
        false => "first contact".to_owned(),
    };
    let rule = json.rule;
    let mut text =
        format!("{}: {met} at t = {} ({rule}, {tests})\n\n", json.scene, coordinate(first));
    let mut table = Table::new(&["instance", "geometry", "primitive", "t", "until"]).left(0);
    for primitive in &json.primitives {
        table.row(vec![
            primitive.instance.to_string(),
            primitive.geometry.to_string(),
            primitive.primitive.to_string(),
            coordinate(primitive.t),
            coordinate(primitive.exit),
        ]);
    }
    text += &table.text();
    text
}
