//! Pictures, in figures.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use super::heat::{HeatMapDocument, LossDocument};
use crate::input::{Input, Prepared, Route};
use crate::render::{LostPixels, Rendering, Settings, Style};
use geometry::TriangleRule;
use scene::Camera;
use serde::Serialize;
use std::collections::BTreeMap;

/// A picture, and what it took.
#[derive(Debug, Clone, Serialize)]
pub struct RenderDocument {
    pub scene: String,
    pub output: Option<String>,
    pub width: u32,
    pub height: u32,
    pub samples: u32,
    pub format: &'static str,
    /// Whether the bytes of a file were walked as stored, or what was made of them.
    pub source: &'static str,
    pub machine: &'static str,
    /// Of a tree that was built.
    pub preset: Option<&'static str>,
    /// Of machines without a triangle arithmetic of their own.
    pub triangle_rule: Option<&'static str>,
    pub camera: [f32; 7],
    /// Which way is up in the picture.
    pub up: [f32; 3],
    pub rays: u64,
    pub seconds: f64,
    pub rays_per_second: f64,
    pub build_seconds: f64,
    pub counters: BTreeMap<&'static str, u64>,
    pub heatmap: Option<HeatMapDocument>,
    pub losses: Option<LossDocument>,
}

impl RenderDocument {
    /// Of a picture by a machine that stands on what was prepared; it took so many seconds, and so
    /// many were spent on the way to the machine.
    #[must_use]
    pub fn new(
        input: &Input,
        (prepared, route, rule): (&Prepared, &Route, TriangleRule),
        camera: &Camera,
        settings: &Settings,
        (rendering, lost): (&Rendering, Option<LostPixels>),
        [seconds, build_seconds]: [f64; 2],
    ) -> Self {
        let rays = rendering.counters.queries;
        let ([ex, ey, ez], [tx, ty, tz]) = (camera.eye.to_array(), camera.target.to_array());
        let has_rule = prepared.machine.oracle.is_none();
        Self {
            scene: input.name().to_owned(),
            output: None,
            width: settings.width,
            height: settings.height,
            samples: match settings.style {
                Style::Shaded { samples } => samples,
                Style::HeatMap(_) => 1,
            },
            format: prepared.input.format(),
            source: prepared.origin.name(),
            machine: prepared.machine.name,
            preset: prepared.origin.is_built().then(|| route.build.preset.name()),
            triangle_rule: has_rule.then(|| rule.name()),
            camera: [ex, ey, ez, tx, ty, tz, camera.fov],
            up: camera.up.to_array(),
            rays,
            seconds,
            rays_per_second: rays as f64 / seconds.max(1e-9),
            build_seconds,
            counters: rendering.counters.named().into_iter().collect(),
            heatmap: rendering.heat_map.as_ref().map(HeatMapDocument::from),
            losses: lost.map(LossDocument::from),
        }
    }
}
