//! `siliray clearance`: does a part slide along without touching?

use super::{build_tree, open_to_build};
use crate::beam_args::Clearance as Args;
use crate::failure::Failure;
use crate::output::number::{coordinate, counted, counted_as};
use crate::output::{self, Output};
use siliray::build::{Options, Preset};
use siliray::documents::clearance::ClearanceDocument;
use siliray::flat_scene::FlatScene;
use siliray::geometry::Vec3;
use siliray::sweep::{FirstTouch, SweepScene};
use std::ffi::OsStr;

/// A scene in world space. Procedural boxes are not met, which is said.
fn triangles_of(name: &OsStr, triangles: Option<usize>) -> Result<FlatScene, Failure> {
    let scene = open_to_build(name, triangles)?;
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
    let json = ClearanceDocument::new([&scene, &part], args.along, first);
    output.result(&json, &text(&json, first))
}

fn text(json: &ClearanceDocument, first: Option<&FirstTouch>) -> String {
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
