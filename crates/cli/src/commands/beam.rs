//! `siliray beam`: what a moving box, a sphere or a frustum meets.

use super::{about, beam_box, open_input, prepare};
use crate::args::TreeShape;
use crate::beam_args::Beam as Args;
use crate::failure::Failure;
use crate::machine_args::require_beams;
use crate::output::number::{coordinate, counted};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::flat_scene::FlatScene;
use siliray::input::{Input, Origin};
use siliray::machine::{Hit, HitKind, LeafRule, MachineOptions, Query, Shape};

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    format: &'static str,
    /// Whether the bytes of a file were walked as stored, or what was made of them.
    source: &'static str,
    machine: &'static str,
    shape: &'static str,
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

/// Asks one shape.
pub(crate) fn run(args: &Args, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let scene = match (&args.bounds, &args.scene) {
        (Some(bounds), _) => {
            let (corners, beam) = args.shape.beam()?;
            return beam_box::run(&corners, &beam, bounds, output);
        }
        (None, Some(scene)) => scene,
        (None, None) => return Err(Failure::usage("which scene? expected a SCENE, or --box")),
    };
    let leaf = if args.exact { LeafRule::Exact } else { LeafRule::Conservative };
    let shape = args.shape.shape(leaf)?;
    let mut input = open_input(scene, triangles)?;
    let is_image = input.as_scene().is_none();
    // Turned into the space of an instance a beam would grow: what must be exact is asked in the
    // world, where volumes are asked about anyway.
    let is_flat = args.exact && shape.volume.is_none();
    if is_flat && args.tracer.rebuild {
        input = Input::Scene(input.into_scene().map_err(Failure::input)?);
    }
    let (input, flat) = match input {
        Input::Scene(scene) if is_flat => {
            let flat = FlatScene::new(scene).map_err(Failure::input)?;
            (Input::Scene(flat.scene.clone()), Some(flat))
        }
        Input::Image(image) if is_flat && image.checked.tree().tlas.is_some() => {
            let message = "--exact needs a world without instances, and the image has some";
            return Err(Failure::usage(message).hint("add --rebuild to flatten them first"));
        }
        other => (other, None),
    };
    let route = args.tracer.route(scene, &input, TreeShape::default())?;
    require_beams(route.machine, scene)?;
    let prepared = prepare(&route, &input, scene, output)?;
    let origin = match prepared.origin {
        Origin::Built if is_image => Origin::Rebuilt,
        origin => origin,
    };
    let machine = prepared.make(&MachineOptions::default()).map_err(about(scene))?;
    let kind = if args.all { HitKind::All } else { HitKind::Closest };
    let answer = machine.answer(&Query::new(kind, Shape::Beam(shape))).map_err(about(scene))?;
    let (mut hits, counters) = (answer.hits, answer.counters);
    if let Some(flat) = &flat {
        hits.iter_mut().for_each(|hit| (hit.instance, hit.geometry) = flat.origin(hit.geometry));
    }
    hits.sort_by_key(Hit::ids);
    let json = Json {
        scene: input.name().to_owned(),
        format: prepared.input.format(),
        source: origin.name(),
        machine: machine.name(),
        shape: shape.name(),
        rule: leaf.name(),
        hit: !hits.is_empty(),
        first_contact: hits.iter().map(|hit| hit.t).min_by(f32::total_cmp),
        primitives: hits.iter().map(JsonPrimitive::from).collect(),
        tests: counters.box_tests + counters.triangle_tests,
    };
    output.result(&json, &text(&json, args.all))
}

impl From<&Hit> for JsonPrimitive {
    fn from(hit: &Hit) -> Self {
        let Hit { t, instance, geometry, primitive, .. } = *hit;
        Self { instance, geometry, primitive, t, exit: hit.exit() }
    }
}

fn text(json: &Json, all: bool) -> String {
    let tests = counted(json.tests as usize, "test");
    let walked = format!("walked: {} on {} ({})\n", json.machine, json.format, json.source);
    let Some(first) = json.first_contact else {
        return format!("{}: nothing is met ({tests})\n{walked}", json.scene);
    };
    let met = match all {
        true => format!("{} met, first", counted(json.primitives.len(), "primitive")),
        false => "first contact".to_owned(),
    };
    let rule = json.rule;
    let mut text =
        format!("{}: {met} at t = {} ({rule}, {tests})\n", json.scene, coordinate(first));
    text += &format!("{walked}\n");
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
