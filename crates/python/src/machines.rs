//! Trees, walks, comparisons, the law, clearance: the commands of the facade.

use crate::beams;
use crate::image::Image;
use crate::job::Watch;
use crate::scene::Scene;
use crate::walker::{ViewChoice, Walker, seen, view};
use crate::{document, errors, job, names};
use pyo3::prelude::*;
use siliray::build::{Options as BuildOptions, Preset, build as build_tree};
use siliray::cameras::Seen;
use siliray::compare::{CompareError, Compared, Plan, Variant, compare as compare_formats, page};
use siliray::conformance::{
    self, ConformanceError, Filter, FilterError, ImageError, ImageOptions, Options as LawOptions,
    run_image,
};
use siliray::documents;
use siliray::documents::clearance::ClearanceDocument;
use siliray::documents::compare::CompareDocument;
use siliray::documents::conformance::{ImagesDocument, LawImage, TableDocument};
use siliray::documents::units::UnitDocument;
use siliray::documents::vectors::{VectorsDocument, VectorsFile};
use siliray::flat_scene::FlatScene;
use siliray::geometry::{Ray, Vec3};
use siliray::image_build::{BuildPlan, BuiltImage, MakeImageError};
use siliray::input::{Input, Origin};
use siliray::machine::registry::NodeNames;
use siliray::machine::{HitKind, MachineEntry, Query, Settings, Shape};
use siliray::scene::Scene as Model;
use siliray::sweep::SweepScene;
use siliray::walk::against::first_difference;
use siliray::walk::hierarchy::Wanted;
use siliray::walk::watch_over;
use siliray::walk::why::{FollowError, follow};
use std::borrow::Cow;
use std::path::PathBuf;

/// Lost primitives that are followed, for each machine.
const FOLLOWED: usize = 5;

/// How trees are built and laid out.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BuildChoice {
    presets: Vec<String>,
    format: Option<String>,
    settings: Vec<(String, String)>,
    width: Option<usize>,
    max_leaf: Option<usize>,
    ending: Option<String>,
}

/// Builds trees, and lays one out.
#[pyfunction]
pub(crate) fn build(
    py: Python<'_>,
    scene: &Scene,
    choice: BuildChoice,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Option<Image>)> {
    let presets = presets(&choice.presets)?;
    let format = choice.format.as_deref().map(names::format).transpose()?;
    let ending = match (format, choice.ending.as_deref()) {
        (Some(format), Some(name)) => Some(names::ending(format, name)?),
        _ => None,
    };
    let settings = choice.settings.iter();
    let settings = settings.fold(Settings::default(), |all, (key, value)| all.with(key, value));
    let format = format.map(|format| (format, settings));
    let plan = BuildPlan::new(&presets, format, [choice.width, choice.max_leaf])
        .map_err(|error| no_image(&error))?;
    let made = job::run(py, 0, progress, |watch| {
        let origin = match &*scene.input {
            Input::Scene(_) => Origin::Built,
            Input::Image(_) => Origin::Rebuilt,
        };
        let scene = model(scene)?;
        plan.run(&scene, origin, ending, &|progress| watch.tell(progress))
            .map_err(|error| no_image(&error))
    })?;
    let BuiltImage { document, file } = made?;
    let image = match (file, &document.image) {
        (Some(bytes), Some(figures)) => {
            let name = format!("{}.{}", document.scene, names::format(figures.format)?.ending);
            Some(Image::made(py, name, bytes, figures.format)?)
        }
        _ => None,
    };
    Ok((document::text(&document)?, image))
}

fn no_image(error: &MakeImageError) -> PyErr {
    match error {
        MakeImageError::ManyPresets(_) | MakeImageError::Setting(_) | MakeImageError::Width(_) => {
            errors::option(error)
        }
        MakeImageError::Build(error) => errors::build(error),
        MakeImageError::Encode(_) => errors::image(error),
    }
}

/// The scene: of an image, the geometry that it stores.
pub(crate) fn model(scene: &Scene) -> PyResult<Cow<'_, Model>> {
    scene.input.scene().map_err(|error| errors::input(&error))
}

fn presets(names: &[String]) -> PyResult<Vec<Preset>> {
    names.iter().map(|name| names::preset(name)).collect()
}

/// What is walked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct WalkChoice {
    /// Origin, direction, tmin, tmax.
    ray: Option<[f32; 8]>,
    pixel: Option<[u32; 2]>,
    size: [u32; 2],
    camera: Option<ViewChoice>,
    /// A beam, a sphere or a frustum.
    shape: Option<(String, Vec<f32>)>,
    exact: bool,
    hits: String,
    mask: u8,
    steps: Option<[usize; 2]>,
    /// Instance, geometry, primitive.
    why: Option<(Option<u32>, Option<u32>, u32)>,
    against: Option<String>,
}

/// A machine's walk, step by step.
#[pyfunction]
pub(crate) fn walk(
    py: Python<'_>,
    scene: &Scene,
    walker: Walker,
    choice: WalkChoice,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let input = &*scene.input;
    let (route, options) = (walker.route(input)?, walker.options()?);
    let against = choice.against.as_deref().map(names::machine).transpose()?;
    job::run(py, 0, progress, |watch| {
        let prepared = route
            .prepare(input, &|progress| watch.tell(progress))
            .map_err(|error| errors::route(&error))?;
        let query = query(scene, seen(input, &prepared), &choice)?;
        let watched = |entry: &'static MachineEntry| {
            let is_beam = choice.shape.is_some() && !entry.takes_beams;
            if is_beam {
                return Err(errors::option(format!("the machine {} takes no beams", entry.name)));
            }
            let made = (entry.make)(&prepared.input, &options).map_err(errors::machine)?;
            let (walk, names) = watch_over(entry, &prepared.input, &*made, &query);
            match &walk.answer {
                Err(error) if walk.steps.is_empty() => Err(errors::machine(error)),
                _ => Ok((walk, names)),
            }
        };
        let (walk, names) = watched(prepared.machine)?;
        if let Some(machine) = against {
            let (other, other_names) = watched(machine)?;
            let has_same_nodes = names == other_names && names != NodeNames::Own;
            let difference = first_difference(&walk, &other, has_same_nodes);
            let object = documents::walk::difference(&walk, &other, &prepared, difference);
            return document::text(&[object]);
        }
        let reason = choice.why.map(|(instance, geometry, primitive)| {
            let wanted = Wanted { instance, geometry, primitive };
            follow(&walk, &prepared, names, &wanted).map_err(|error| match error {
                FollowError::Missing => errors::name(error),
                FollowError::Oracle(_) => errors::machine(error),
            })
        });
        let [first, end] = choice.steps.unwrap_or([0, usize::MAX]);
        let reason = reason.transpose()?;
        let objects = documents::walk::objects(&walk, &prepared, &(first..end), reason.as_ref());
        document::text(&objects)
    })?
}

fn query(scene: &Scene, seen: Seen<'_>, choice: &WalkChoice) -> PyResult<Query> {
    let kind = names::one_of("hits", &choice.hits, &KINDS, |(name, _)| name)?.1;
    let query = match (choice.ray, choice.pixel, &choice.shape) {
        (Some([ox, oy, oz, dx, dy, dz, tmin, tmax]), ..) => {
            let ray = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz));
            Query::ray(kind, ray.between(tmin, tmax))
        }
        (None, Some([x, y]), _) => {
            let [width, height] = choice.size;
            if x >= width || y >= height {
                let message = format!("pixel {x},{y} lies outside a picture of {width}x{height}");
                return Err(errors::option(message));
            }
            let camera = view(scene, seen, choice.camera.as_ref(), width as f32 / height as f32)?;
            Query::ray(kind, camera.ray(x as f32 + 0.5, y as f32 + 0.5, width, height))
        }
        (None, None, Some((name, numbers))) => {
            let shape = beams::shape(name, numbers, choice.exact)
                .map_err(|error| errors::array(format!("{name}: {error}")))?;
            Query::new(kind, Shape::Beam(shape))
        }
        (None, None, None) => {
            return Err(errors::option("what shall be walked? expected a ray, a pixel or a shape"));
        }
    };
    Ok(Query { mask: choice.mask, ..query })
}

const KINDS: [(&str, HitKind); 3] =
    [("closest", HitKind::Closest), ("any", HitKind::Any), ("all", HitKind::All)];

/// What is compared.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CompareChoice {
    formats: Vec<String>,
    presets: Vec<String>,
    machines: Vec<String>,
    rays: usize,
}

/// Formats side by side: the document, and the page.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    scenes: Vec<PyRef<'_, Scene>>,
    choice: CompareChoice,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let variants = choice.formats.iter().map(|name| Variant::parse(name));
    let variants = variants.collect::<Result<Vec<_>, _>>().map_err(errors::name)?;
    let machines = choice.machines.iter().map(|name| names::machine(name));
    let machines = machines.collect::<PyResult<Vec<_>>>()?;
    let presets = presets(&choice.presets)?;
    let plan = Plan::new(presets, variants.concat(), machines, choice.rays);
    let plan = plan.map_err(errors::option)?;
    let scenes: Vec<&Scene> = scenes.iter().map(|scene| &**scene).collect();
    job::run(py, 0, progress, |watch| {
        let mut all = Compared::default();
        for (number, scene) in scenes.iter().enumerate() {
            let model = model(scene)?;
            let camera = view(scene, Seen::Scene(&model), None, 1.0)?;
            let part = watch.part(number, scenes.len());
            let compared = compare_formats(&model, &camera, &plan, None, &part);
            let compared = compared.map_err(|error| not_compared(&error))?;
            all.rows.extend(compared.rows);
            all.skipped.extend(compared.skipped);
        }
        watch.finish();
        let html = page::to_html(&all.rows);
        let (rows, skipped) = (all.rows, all.skipped);
        let document = CompareDocument { rows, skipped, csv: None, html: None };
        Ok((document::text(&document)?, html))
    })?
}

fn not_compared(error: &CompareError) -> PyErr {
    match error {
        CompareError::Build(error) => errors::build(error),
        CompareError::Tracer(error) => errors::tracer(error),
        _ => errors::machine(error),
    }
}

/// The shipped configurations, and what their parameters, counters, states and limits mean.
#[pyfunction]
pub(crate) fn configs() -> PyResult<String> {
    document::text(&UnitDocument::new().map_err(errors::option)?)
}

/// What of the law.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LawChoice {
    seed: u64,
    rays: usize,
    only: Vec<String>,
    stack_size: u8,
}

/// The law on worlds of its own, or on images.
#[pyfunction]
pub(crate) fn law(
    py: Python<'_>,
    images: Vec<PyRef<'_, Scene>>,
    choice: LawChoice,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let LawChoice { seed, rays, stack_size, .. } = choice;
    let only = choice.only.iter().map(|text| text.parse::<Filter>());
    let only = only.collect::<Result<Vec<Filter>, FilterError>>();
    let only = only.map_err(|error| errors::option(format!("only: {error}")))?;
    let options = LawOptions { seed, rays, only, stack_size };
    let images: Vec<&Scene> = images.iter().map(|image| &**image).collect();
    job::run(py, 0, progress, |watch| {
        if images.is_empty() {
            let table = conformance::run(&options, &|progress| watch.tell(progress));
            let table = table.map_err(|error| match error {
                ConformanceError::Filter(_) | ConformanceError::StackSize(_) => {
                    errors::option(error)
                }
                _ => errors::machine(error),
            })?;
            return document::text(&TableDocument::new(&table, &options));
        }
        let options = ImageOptions { seed, rays, stack_size, followed: FOLLOWED };
        let mut reports = Vec::new();
        for (number, image) in images.iter().enumerate() {
            let Input::Image(stored) = &*image.input else {
                let message = format!("{}: a scene, expected an image", image.name());
                return Err(errors::option(message));
            };
            let part = watch.part(number, images.len());
            let report = run_image(stored, &options, &part).map_err(|error| match error {
                ImageError::StackSize(_) => errors::option(error),
                _ => errors::machine(error),
            });
            reports.push(report?);
        }
        let images = reports.iter().map(LawImage::from).collect();
        document::text(&ImagesDocument { seed, images })
    })?
}

/// Runs vector files.
#[pyfunction]
pub(crate) fn vectors(
    py: Python<'_>,
    files: Vec<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    job::run(py, 0, progress, |watch| {
        watch.begin(files.len());
        let mut ran = VectorsDocument { files: Vec::new(), failed: 0 };
        for file in &files {
            let file = VectorsFile::run(file);
            ran.failed += file.failed;
            ran.files.push(file);
            if watch.advance(1).is_break() {
                break;
            }
        }
        document::text(&ran)
    })?
}

/// A part in motion through a scene.
#[pyfunction]
pub(crate) fn clearance(
    py: Python<'_>,
    scene: &Scene,
    part: &Scene,
    along: [f32; 3],
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let way = Vec3::from_array(along);
    if !way.is_finite() {
        return Err(errors::option("along: expected three finite numbers"));
    }
    job::run(py, 0, progress, |watch: &Watch| {
        let flat =
            |scene: &Scene| FlatScene::new(model(scene)?.into_owned()).map_err(errors::scene);
        let (scene, part) = (flat(scene)?, flat(part)?);
        let options = BuildOptions::preset(Preset::Balanced);
        let built = build_tree(&scene.scene, &options, &|_| watch.verdict());
        let built = built.map_err(|error| errors::build(&error))?;
        let sweep = SweepScene::new(&scene, &built.tree).map_err(errors::machine)?;
        let swept = sweep.sweep(&part, way, &|progress| watch.tell(progress));
        let swept = swept.map_err(errors::machine)?;
        document::text(&ClearanceDocument::new([&scene, &part], along, swept.first.as_ref()))
    })?
}
