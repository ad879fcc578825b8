//! `siliray info`: what is in a scene, and what is odd about it.

use super::build::bytes_text;
use super::open_input;
use crate::args::Info;
use crate::failure::Failure;
use crate::output::number::{coordinate, counted, grouped};
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::documents::build::ImageBytes;
use siliray::geometry::Aabb;
use siliray::input::{Input, StoredImage};
use siliray::scene::{Defect, DefectKind, Geometry, Scene, Shape, defects};
use siliray::tree::{Bvh, Quality, Tree};
use std::path::Path;

/// Levels of an image that are shown.
const LISTED: usize = 20;

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    scene: &'a str,
    triangles: usize,
    placed_triangles: usize,
    vertices: usize,
    procedural_boxes: usize,
    objects: usize,
    geometries: usize,
    non_opaque_geometries: usize,
    instances: usize,
    bounds: Option<Bounds>,
    /// What was passed over in the file.
    warnings: Vec<String>,
    defects: Vec<JsonDefect>,
    #[serde(flatten)]
    image: Option<JsonImage>,
}

/// What is added for an image.
#[derive(Serialize)]
struct JsonImage {
    format: &'static str,
    #[serde(flatten)]
    bytes: ImageBytes,
    box_nodes: usize,
    primitive_nodes: usize,
    instance_nodes: usize,
    levels: Vec<JsonLevel>,
}

/// The figures of a TLAS or BLAS.
#[derive(Serialize)]
struct JsonLevel {
    level: &'static str,
    /// How often it is placed.
    instances: usize,
    /// Triangles and procedural boxes, or, of a TLAS, instances.
    primitives: usize,
    nodes: usize,
    leaves: usize,
    depth: usize,
    sah_cost: f64,
}

impl JsonImage {
    fn of(image: &StoredImage, file_bytes: usize) -> Option<Self> {
        let figures = (image.format.trees.as_ref()?.figures)(image.checked.image());
        let triangles = image.checked.tree().triangle_count();
        Some(Self {
            format: image.format.name,
            bytes: ImageBytes::new(&figures.bytes, triangles, file_bytes),
            box_nodes: figures.box_nodes,
            primitive_nodes: figures.primitive_nodes,
            instance_nodes: figures.instance_nodes,
            levels: levels(image.checked.tree()),
        })
    }
}

#[derive(Serialize)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

#[derive(Serialize)]
struct JsonDefect {
    kind: &'static str,
    count: usize,
    object: usize,
    geometry: usize,
    example: usize,
    text: String,
}

/// Opens the scene and describes it.
pub(crate) fn run(args: &Info, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    let input = open_input(&args.scene, triangles)?;
    let image = match &input {
        Input::Image(image) => {
            let file_bytes = Path::new(&args.scene).metadata().map_or(0, |file| file.len());
            JsonImage::of(image, file_bytes as usize)
        }
        Input::Scene(_) => None,
    };
    let scene = input.into_scene().map_err(Failure::input)?;
    let bounds = scene.bounds().map_err(Failure::input)?;
    let json = Json { image, ..describe(&scene, &bounds) };
    output.result(&json, &text(&json))
}

fn describe<'a>(scene: &'a Scene, bounds: &Aabb) -> Json<'a> {
    let geometries = || scene.objects.iter().flat_map(|object| &object.geometries);
    Json {
        scene: &scene.name,
        triangles: scene.triangle_count(),
        placed_triangles: scene.placed_triangle_count(),
        vertices: geometries().map(vertices).sum(),
        procedural_boxes: geometries().map(boxes).sum(),
        objects: scene.objects.len(),
        geometries: geometries().count(),
        non_opaque_geometries: geometries().filter(|geometry| !geometry.opaque).count(),
        instances: scene.instances.len(),
        bounds: (!bounds.is_empty())
            .then(|| Bounds { min: bounds.min.to_array(), max: bounds.max.to_array() }),
        warnings: scene.warnings.iter().map(ToString::to_string).collect(),
        defects: defects(scene).iter().map(JsonDefect::from).collect(),
        image: None,
    }
}

/// The TLAS, then every BLAS.
fn levels(tree: &Tree) -> Vec<JsonLevel> {
    let figures = |level, bvh: &Bvh, instances| {
        let Quality { sah_cost, nodes, leaves, depth, .. } = Quality::of(bvh);
        let primitives = bvh.item_count();
        JsonLevel { level, instances, primitives, nodes, leaves, depth, sah_cost }
    };
    let placed = |blas: usize| match &tree.tlas {
        None => 1,
        Some(tlas) => tlas.instances.iter().filter(|i| i.blas as usize == blas).count(),
    };
    let tlas = tree.tlas.iter().map(|tlas| figures("TLAS", &tlas.bvh, 1));
    let blases = tree.blases.iter().enumerate();
    tlas.chain(blases.map(|(number, blas)| figures("BLAS", &blas.bvh, placed(number)))).collect()
}

fn level_table(levels: &[JsonLevel]) -> String {
    let header = ["level", "", "placed", "primitives", "nodes", "leaves", "depth", "SAH cost"];
    let mut table = Table::new(&header);
    let mut blases = 0..;
    for level in levels.iter().take(LISTED) {
        let counts = [level.instances, level.primitives, level.nodes, level.leaves, level.depth];
        let number = if level.level == "BLAS" { blases.next() } else { None };
        let number = number.map_or(String::new(), |number: usize| number.to_string());
        let cells = [level.level.to_owned(), number].into_iter();
        let counts = counts.into_iter().map(|count| grouped(count as u64));
        table.row(cells.chain(counts).chain([format!("{:.2}", level.sah_cost)]).collect());
    }
    let more = match levels.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("… {} more; --json has all\n", grouped(more as u64)),
    };
    format!("\n{}{more}", table.text())
}

fn vertices(geometry: &Geometry) -> usize {
    match &geometry.shape {
        Shape::Triangles { positions, .. } => positions.len(),
        Shape::Boxes(_) => 0,
    }
}

fn boxes(geometry: &Geometry) -> usize {
    match &geometry.shape {
        Shape::Triangles { .. } => 0,
        Shape::Boxes(boxes) => boxes.len(),
    }
}

impl From<&Defect> for JsonDefect {
    fn from(defect: &Defect) -> Self {
        let kind = match defect.kind {
            DefectKind::DegenerateTriangles => "degenerate_triangles",
            DefectKind::DuplicateTriangles => "duplicate_triangles",
            DefectKind::UnusedVertices => "unused_vertices",
            DefectKind::NonManifoldEdges => "non_manifold_edges",
            DefectKind::InconsistentWinding => "inconsistent_winding",
        };
        let Defect { count, object, geometry, example, .. } = *defect;
        // The words begin with the number.
        let words = defect.to_string();
        let words = words.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = grouped(count as u64) + words;
        Self { kind, count, object, geometry, example, text }
    }
}

fn text(json: &Json<'_>) -> String {
    let number = |count: usize| grouped(count as u64);
    let mut lines = vec![json.scene.to_owned()];
    let mut line = |label: &str, value: String| lines.push(format!("  {label:<11}{value}"));
    line("triangles", number(json.triangles));
    line("vertices", number(json.vertices));
    if json.procedural_boxes > 0 {
        line("boxes", number(json.procedural_boxes));
    }
    let not_opaque = match json.non_opaque_geometries {
        0 => String::new(),
        some => format!(", {} of them not opaque", number(some)),
    };
    let geometries = if json.geometries == 1 { "geometry" } else { "geometries" };
    line(
        "objects",
        format!(
            "{} with {} {geometries}{not_opaque}",
            counted(json.objects, "object"),
            number(json.geometries)
        ),
    );
    if json.instances > 0 {
        let placed = counted(json.placed_triangles, "triangle");
        line("instances", format!("{}, {placed} in all", number(json.instances)));
    }
    match &json.bounds {
        Some(Bounds { min, max }) => {
            line("from", min.map(coordinate).join(" "));
            line("to", max.map(coordinate).join(" "));
        }
        None => line("bounds", "nothing to see".to_owned()),
    }
    match json.defects.split_first() {
        None => line("defects", "none".to_owned()),
        Some((first, rest)) => {
            line("defects", first.text.clone());
            rest.iter().for_each(|defect| line("", defect.text.clone()));
        }
    }
    if let Some(image) = &json.image {
        line("image", format!("{}, {}", image.format, bytes_text(&image.bytes)));
        let nodes = [image.box_nodes, image.primitive_nodes, image.instance_nodes].map(number);
        let [boxes, primitives, instances] = nodes;
        line("nodes", format!("{boxes} box, {primitives} primitive and {instances} instance"));
    }
    let levels = json.image.as_ref().map_or(String::new(), |image| level_table(&image.levels));
    lines.join("\n") + "\n" + &levels
}
