//! Pictures, heat maps and losses: the same pixels as `siliray render` writes.

use crate::document::{Document, Ready};
use crate::question::Render;
use crate::walks::chosen_camera;
use crate::{PageError, Response, watch};
use serde_json::{Value, json};
use siliray::documents::heat::{HeatMapDocument, LossDocument};
use siliray::geometry::TriangleRule;
use siliray::render::{self, Measure, Rendering, Settings, Style, View, render_losses};

/// Samples of a pixel, if nothing is said.
const SAMPLES: u32 = 1;

/// Renders what is asked for.
pub(crate) fn render(document: &mut Document, wanted: &Render) -> Result<Response, PageError> {
    let camera = chosen_camera(document, wanted.camera)?;
    let rule = TriangleRule::Watertight;
    let Ready { prepared, machine, .. } = document.ready(wanted.machine.as_deref(), rule)?;
    let [width, height] = wanted.size;
    if wanted.what == "losses" {
        let who = (prepared.machine, &*machine);
        let (rendering, lost) =
            render_losses(&prepared.input, who, rule, &camera, wanted.size, &watch::progress)?;
        return Ok(response(wanted, &rendering, json!(LossDocument::from(lost))));
    }
    let style = style(wanted)?;
    if let (Style::HeatMap(measure), Some([first, end])) = (style, wanted.rows) {
        let rows = first..end;
        let counts = render::heat_map_rows(
            &*machine,
            &camera,
            wanted.size,
            rows,
            measure,
            &watch::progress,
        )?;
        let answer = json!({"what": wanted.what, "size": wanted.size, "rows": [first, end]});
        return Ok(Response::new(answer).with("counts", &counts));
    }
    let settings = Settings { width, height, style };
    let view = View {
        tree: prepared.tree(),
        scene: document.scene.as_ref(),
        input: Some(&prepared.input),
    };
    let rendering = render::render(&view, &*machine, &camera, &settings, &watch::progress)?;
    let map = rendering.heat_map.as_ref().map(|map| match wanted.scale {
        Some(brightest) => map.clone().rescaled(brightest),
        None => map.clone(),
    });
    let Some(map) = map else { return Ok(response(wanted, &rendering, Value::Null)) };
    let rendering = Rendering { picture: map.picture(), ..rendering };
    let mut response = response(wanted, &rendering, json!(HeatMapDocument::from(&map)));
    response.answer["histogram"] = json!(map.histogram);
    Ok(response.with("counts", &map.counts))
}

fn response(wanted: &Render, rendering: &Rendering, figures: Value) -> Response {
    let answer = json!({
        "what": wanted.what,
        "size": wanted.size,
        "figures": figures,
        "warnings": rendering.warnings,
    });
    Response::new(answer).with("pixels", rendering.picture.pixels.as_flattened())
}

fn style(wanted: &Render) -> Result<Style, PageError> {
    if wanted.what == "picture" {
        return Ok(Style::Shaded { samples: wanted.samples.unwrap_or(SAMPLES) });
    }
    let measure = Measure::ALL.into_iter().find(|measure| measure.name() == wanted.what);
    let unknown = || PageError::Unknown { what: "picture", name: wanted.what.clone() };
    measure.map(Style::HeatMap).ok_or_else(unknown)
}
