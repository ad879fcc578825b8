//! `siliray clearance`: does a part slide along without touching?

use super::{build_tree, open};
use crate::beam_args::Clearance as Args;
use crate::failure::Failure;
use crate::output::number::{coordinate, counted, counted_as};
use crate::output::{self, Output};
use serde::Serialize;
use siliray::build::{Options, Preset};
use siliray::flat_scene::FlatScene;
use siliray::geometry::Vec3;
use siliray::sweep::{FirstTouch, SweepScene};
use std::ffi::OsStr;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    scene: String,
    part: String,
    along: [f32; 3],
    scene_triangles: usize,
    part_triangles: usize,
    clear: bool,
    touching_at_start: bool,
    first_contact: Option<f32>,
    distance: Option<f64>,
    point: Option<[f32; 3]>,
    features: Option<&'static str>,
    part_primitive: Option<JsonPrimitive>,
    scene_primitive: Option<JsonPrimitive>,
}

#[derive(Serialize)]
struct JsonPrimitive {
    instance: u32,
    geometry: u32,
    primitive: u32,
}

/// A scene in world space. Procedural boxes are not met, which is said.
fn triangles_of(name: &OsStr, triangles: Option<usize>) -> Result<FlatScene, Failure> {
    let scene = open(name, triangles)?;
    if scene.placed_box_count() > 0 {
        let (name, boxes) = (scene.name.as_str(), scene.placed_box_count());
        let boxes = counted_as(boxes, "procedural box", "procedural boxes");
        output::warn(format!("{name}: {boxes} left out; clearance looks at triangles alone"));
    }
    FlatScene::new(scene).map_err(Failure::input)
}

/// Moves the part.
pub(crate) fn run(args: &Args, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let along = Vec3::from_array(args.along);
    if !along.is_finite() {
        return Err(Failure::usage("--along needs three finite numbers, x,y,z"));
    }
    let scene = triangles_of(&args.scene, triangles)?;
    let part = triangles_of(&args.mesh, None)?;
    let preset = args.preset.preset().unwrap_or(Preset::Balanced);
    let built = build_tree(&scene.scene, &Options::preset(preset), output)?;
    let sweep_scene = SweepScene::new(&scene, &built.tree).map_err(Failure::input)?;
    let bar = output.bar("sweeping");
    let swept = sweep_scene
        .sweep(&part, along, &|progress| bar.update(progress))
        .map_err(Failure::input)?;
    drop(bar);
    let first = swept.first.as_ref();
    let primitive =
        |(instance, geometry, primitive)| JsonPrimitive { instance, geometry, primitive };
    let json = Json {
        scene: scene.scene.name.clone(),
        part: part.scene.name.clone(),
        along: args.along,
        scene_triangles: scene.scene.triangle_count(),
        part_triangles: part.scene.triangle_count(),
        clear: first.is_none(),
        touching_at_start: first.is_some_and(|touch| touch.t == 0.0),
        first_contact: first.map(|touch| touch.t),
        distance: first.map(|touch| along.as_dvec3().length() * f64::from(touch.t)),
        point: first.map(|touch| touch.touch.point.to_array()),
        features: first.map(|touch| touch.touch.features.name()),
        part_primitive: first.map(|touch| primitive(touch.part)),
        scene_primitive: first.map(|touch| primitive(touch.scene)),
    };
    output.result(&json, &text(&json, first))
}

fn text(json: &Json, first: Option<&FirstTouch>) -> String {
    let [x, y, z] = json.along.map(coordinate);
    let mut text = format!(
        "{} ({}) along {x}, {y}, {z} through {} ({})\n",
        json.part,
        counted(json.part_triangles, "triangle"),
        json.scene,
        counted(json.scene_triangles, "triangle"),
    );
    match first {
        None => text += "the way is clear\n",
        Some(touch) => {
            let when = match json.touching_at_start {
                true => "at the start".to_owned(),
                false => format!(
                    "after {:.4} % of the way, {} on",
                    f64::from(touch.t) * 100.0,
                    coordinate(json.distance.unwrap_or_default() as f32)
                ),
            };
            let [x, y, z] = touch.touch.point.to_array().map(coordinate);
            let named = |(instance, geometry, primitive): (u32, u32, u32)| {
                format!("triangle {primitive} of geometry {geometry}, instance {instance}")
            };
            text += &format!(
                "touches {when}, at {x}, {y}, {z} ({})\n  part   {}\n  scene  {}\n",
                touch.touch.features.name(),
                named(touch.part),
                named(touch.scene)
            );
        }
    }
    text
}
