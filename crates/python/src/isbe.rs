//! ISBE, the staging memory of mesh shaders: dumps, layouts, programs.

use crate::scene::Scene;
use crate::{document, errors, job, names};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use siliray::documents::isbe::attributes::AttributesDocument;
use siliray::documents::isbe::dump::DumpDocument;
use siliray::documents::isbe::instructions::InstructionsDocument;
use siliray::documents::isbe::layout::LayoutDocument;
use siliray::documents::isbe::mesh::{CaptureDocument, MeshDocument};
use siliray::documents::isbe::workgroup::{BytesDocument, WorkgroupDocument, view};
use siliray::input::Input;
use siliray::isbe::container::check::check;
use siliray::isbe::mesh::capture::{CaptureOptions, capture_scene};
use siliray::isbe::mesh::import::ImportOptions;
use siliray::isbe::mesh::position::{Matrix, PositionSlot, PositionSource};
use siliray::isbe::mesh::read::read_scene;
use siliray::isbe::program::{Assignment, Launch};
use siliray::isbe::{AttributeId, AttributeSet, Dump, Layout, Limits, Reader, Stage, Topology};
use siliray::isbe_program::{Left, Setup, Unit, UnitShape, run};
use siliray::machine::Finding;
use siliray::scene::{Scene as Model, Shape};
use std::sync::Arc;

/// A dump that can be read, what reads it, and what a check found.
struct OpenDump {
    dump: Dump,
    reader: Reader,
    findings: Vec<Finding>,
}

impl OpenDump {
    fn new(name: &str, bytes: &[u8]) -> PyResult<Self> {
        let report = check(bytes, Limits::Driver);
        let reader = report.dump.as_ref().and_then(|dump| Reader::new(dump, Limits::Driver).ok());
        match (report.dump, reader) {
            (Some(dump), Some(reader)) => Ok(Self { dump, reader, findings: report.findings }),
            _ => {
                let first = report.findings.first().map(ToString::to_string).unwrap_or_default();
                Err(errors::image(format!("{name}: {first}")))
            }
        }
    }
}

/// What is in a dump.
#[pyfunction]
pub(crate) fn isbe_info(py: Python<'_>, name: String, bytes: PyBackedBytes) -> PyResult<String> {
    job::leave(py, move || {
        let OpenDump { dump, reader, findings } = OpenDump::new(&name, &bytes)?;
        document::text(&DumpDocument::new(name, &dump, &reader, &findings))
    })?
}

/// A workgroup, or what some bytes are.
#[pyfunction]
pub(crate) fn isbe_inspect(
    py: Python<'_>,
    name: String,
    bytes: PyBackedBytes,
    workgroup: usize,
    offsets: Vec<u64>,
) -> PyResult<String> {
    job::leave(py, move || {
        let OpenDump { dump, reader, .. } = OpenDump::new(&name, &bytes)?;
        if !offsets.is_empty() {
            let bytes = BytesDocument::new(name, &bytes, &dump, &reader, &offsets);
            return document::text(&bytes.map_err(errors::option)?);
        }
        let one = view(&name, &dump, &reader, workgroup).map_err(errors::option)?;
        let numbers = [workgroup, dump.workgroups.len()];
        document::text(&WorkgroupDocument::new(&one, &reader, numbers, name))
    })?
}

/// Every attribute.
#[pyfunction]
pub(crate) fn isbe_attributes() -> PyResult<String> {
    document::text(&AttributesDocument::new())
}

/// What is laid out.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LayoutChoice {
    attributes: Vec<String>,
    vertices: u32,
    primitive_attributes: Vec<String>,
    primitives: u32,
    topology: String,
    shared_lines: u16,
}

/// Where attributes and indices lie.
#[pyfunction]
pub(crate) fn isbe_layout(choice: LayoutChoice) -> PyResult<String> {
    let vertex = attributes("attributes", &choice.attributes)?;
    let primitive = attributes("primitive_attributes", &choice.primitive_attributes)?;
    let LayoutChoice { vertices, primitives, shared_lines, .. } = choice;
    let layout = Layout::new(vertex, vertices, primitive, primitives, Limits::Driver)
        .map_err(errors::option)?;
    let topology = topology(&choice.topology)?;
    document::text(&LayoutDocument::new(&layout, [&vertex, &primitive], topology, shared_lines))
}

/// Text becomes words: the document, and the bytes.
#[pyfunction]
pub(crate) fn isbe_assemble<'py>(
    py: Python<'py>,
    text: &str,
    sm: u16,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let (program, bytes) = InstructionsDocument::assemble(text, sm).map_err(errors::program)?;
    Ok((document::text(&program)?, PyBytes::new(py, &bytes)))
}

/// Words become text.
#[pyfunction]
pub(crate) fn isbe_disassemble(bytes: &[u8], sm: u16) -> PyResult<String> {
    document::text(&InstructionsDocument::disassemble(bytes, sm).map_err(errors::program)?)
}

/// The mesh of a dump: the document, and the scene.
#[pyfunction]
pub(crate) fn isbe_mesh(
    py: Python<'_>,
    name: String,
    bytes: PyBackedBytes,
    position: &str,
    matrix: Option<Matrix>,
) -> PyResult<(String, Scene)> {
    let slot = slot(position)?;
    let position = PositionSource { slot, inverse_view_projection: matrix };
    let options = ImportOptions { position, ..ImportOptions::default() };
    let imported = job::leave(py, move || read_scene(&bytes, &options))?;
    let imported = imported.map_err(|error| errors::image(format!("{name}: {error}")))?;
    let sizes = [imported.scene.triangle_count(), vertex_count(&imported.scene)];
    let text = document::text(&MeshDocument::new(name.clone(), None, sizes, &imported))?;
    let scene = Model { name, ..imported.scene };
    Ok((text, Scene { input: Arc::new(Input::Scene(scene)), source: None }))
}

/// The dump of a scene: the document, and the bytes.
#[pyfunction]
pub(crate) fn isbe_capture<'py>(
    py: Python<'py>,
    scene: &Scene,
    sm: u16,
    vertices: u16,
    primitives: u16,
    position: &str,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let position = slot(position)?;
    let options =
        CaptureOptions { sm, max_vertices: vertices, max_triangles: primitives, position };
    let input = Arc::clone(&scene.input);
    let captured = job::leave(py, move || {
        let scene = input.scene().map_err(|error| errors::input(&error))?;
        let dump = capture_scene(&scene, &options).map_err(errors::option)?;
        let bytes = dump.to_bytes().map_err(errors::image)?;
        let document = CaptureDocument::new(&scene, &dump, bytes.len(), None);
        Ok::<_, PyErr>((document::text(&document.map_err(errors::image)?)?, bytes))
    })?;
    let (text, bytes) = captured?;
    Ok((text, PyBytes::new(py, &bytes)))
}

/// On what a program runs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunChoice {
    lanes: usize,
    registers: Vec<String>,
    /// A dump: its name and bytes.
    dump: Option<(String, PyBackedBytes)>,
    workgroup: u32,
    share: bool,
    patch: u16,
    prim: u16,
    stage: String,
    sm: u16,
    attributes: Vec<String>,
    vertices: u16,
    inputs: Vec<String>,
    input_vertices: u16,
    primitive_attributes: Vec<String>,
    primitives: u16,
    topology: String,
}

/// What a program leaves: the document, and the dump.
#[pyfunction]
pub(crate) fn isbe_run<'py>(
    py: Python<'py>,
    text: String,
    choice: RunChoice,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let registers = choice.registers.iter();
    let registers = registers.map(|text| text.parse::<Assignment>().map_err(errors::option));
    let registers = registers.collect::<PyResult<Vec<_>>>()?;
    let setup = Setup {
        launch: Launch { lanes: choice.lanes, registers, limits: Limits::Driver },
        share: choice.share,
        opaque: [choice.patch, choice.prim],
    };
    let shape = UnitShape {
        stage: names::one_of("stage", &choice.stage, &Stage::ALL, |stage| stage.name())?,
        sm: choice.sm,
        attributes: attributes("attributes", &choice.attributes)?,
        vertices: choice.vertices,
        inputs: attributes("inputs", &choice.inputs)?,
        input_vertices: choice.input_vertices,
        primitive_attributes: attributes("primitive_attributes", &choice.primitive_attributes)?,
        primitives: choice.primitives,
        topology: topology(&choice.topology)?,
        ..UnitShape::default()
    };
    let (dump, workgroup) = (choice.dump, choice.workgroup);
    let left = job::leave(py, move || {
        let unit = match &dump {
            Some((file, bytes)) => Unit::Dumped { file, bytes, workgroup: workgroup as usize },
            None => Unit::Empty(&shape, workgroup),
        };
        let Left { document, run, mut dump } =
            run("the program", &text, unit, &setup).map_err(errors::program)?;
        dump.push(run.workgroup);
        let bytes = dump.to_bytes().map_err(errors::image)?;
        Ok::<_, PyErr>((document::text(&document)?, bytes))
    })?;
    let (text, bytes) = left?;
    Ok((text, PyBytes::new(py, &bytes)))
}

fn slot(position: &str) -> PyResult<PositionSlot> {
    position.parse().map_err(|error| errors::option(format!("position: {error}")))
}

fn vertex_count(scene: &Model) -> usize {
    let geometries = scene.objects.iter().flat_map(|object| &object.geometries);
    let vertices = geometries.map(|geometry| match &geometry.shape {
        Shape::Triangles { positions, .. } => positions.len(),
        Shape::Boxes(_) => 0,
    });
    vertices.sum()
}

fn attributes(argument: &str, names: &[String]) -> PyResult<AttributeSet> {
    let ids = names.iter().map(|name| {
        let all = AttributeId::parse_all(name.trim());
        all.map_err(|error| errors::name(format!("{argument}: {error}")))
    });
    Ok(ids.collect::<PyResult<Vec<_>>>()?.into_iter().flatten().collect())
}

fn topology(name: &str) -> PyResult<Topology> {
    let all = [Topology::Points, Topology::Lines, Topology::Triangles];
    names::one_of("topology", name, &all, Topology::name)
}
