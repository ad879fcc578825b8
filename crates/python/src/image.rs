//! `Image`: bytes as hardware reads them, and what they say.

use crate::scene::Scene;
use crate::{document, errors, job, names};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use siliray::documents::diff::DiffDocument;
use siliray::documents::findings::CheckDocument;
use siliray::documents::inspect::{FindDocument, InspectDocument, levels};
use siliray::documents::structure::StructureDocument;
use siliray::find::Wanted;
use siliray::gfx12::layout::{PointerFlags, Resource};
use siliray::image_diff;
use siliray::input::{Input, OpenedImage, geometry_of};
use siliray::intersect::{IntersectError, Operands, intersect};
use siliray::machine::{ImageFile, NodeRef, RawLayout, ReadError, ReadOptions};
use siliray::scene::read_file;
use std::path::PathBuf;
use std::sync::Arc;

/// An image in the bytes of a file, which may be broken.
#[pyclass(frozen, module = "siliray._native")]
pub(crate) struct Image {
    bytes: Vec<u8>,
    opened: Arc<OpenedImage>,
}

/// How the image in the bytes is found.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadChoice {
    structure: Option<usize>,
    /// Base, base of primitives, root.
    raw: Option<(u64, u64, Option<u64>, u64)>,
    /// Who wrote raw memory.
    writer: Option<String>,
    format: String,
}

/// What is looked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct InspectChoice {
    node: Option<u64>,
    primitive: Option<(Option<u32>, u32)>,
    offset: Option<u64>,
    point: Option<[f32; 3]>,
    tree: bool,
    depth: Option<u32>,
}

/// What an instruction is asked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OperandChoice {
    nodes: Vec<u32>,
    origin: [f32; 3],
    direction: [f32; 3],
    extent: f32,
    mask: u8,
    resource: Option<[u32; 4]>,
    flags: Vec<String>,
}

#[pymethods]
impl Image {
    /// The image in a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, choice: ReadChoice) -> PyResult<Self> {
        let name = path.display().to_string();
        let bytes = job::leave(py, move || read_file(&path))?;
        Self::new(py, name, bytes.map_err(|error| errors::file(&error))?, &choice)
    }

    /// The image in the bytes of a file.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        name: String,
        bytes: PyBackedBytes,
        choice: ReadChoice,
    ) -> PyResult<Self> {
        let bytes = py.detach(|| bytes.to_vec());
        Self::new(py, name, bytes, &choice)
    }

    /// The bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// What a check finds, and how a sound image differs from the scene that it was made of.
    fn check(&self, py: Python<'_>, scene: Option<&Scene>) -> PyResult<String> {
        if scene.is_some() && !self.opened.format.holds_trees() {
            let format = self.opened.format.name;
            return Err(errors::option(format!("scene: the format {format} holds no trees")));
        }
        let (opened, input) = (Arc::clone(&self.opened), scene.map(|one| Arc::clone(&one.input)));
        job::leave(py, move || {
            let made_of = |input: Arc<Input>| {
                let scene = input.scene().map_err(|error| errors::input(&error))?;
                geometry_of(&scene).map_err(|error| errors::build(&error))
            };
            let scene = input.map(made_of).transpose()?;
            let report = opened.check(scene.as_ref()).map_err(|error| broken(&opened, error))?;
            let (name, findings) = (opened.name.clone(), &report.findings);
            document::text(&CheckDocument::new(name, report.nodes, findings, findings))
        })?
    }

    /// What is in it: totals, its tree, one node, or the ways to something.
    fn inspect(&self, py: Python<'_>, choice: InspectChoice) -> PyResult<String> {
        let opened = Arc::clone(&self.opened);
        job::leave(py, move || {
            let (file, format, name) = (file(&opened)?, opened.format, opened.name.clone());
            if let Some(node) = choice.node {
                let node = NodeRef::from_root(&file.image, node);
                let described = (format.describe)(&file.image, node)
                    .map_err(|error| errors::image(format!("{name}: {error}")))?;
                return document::text(&StructureDocument::new(file, &file.amended(described)));
            }
            let outline = (format.outline)(&file.image);
            let primitive = choice
                .primitive
                .map(|(geometry, primitive)| Wanted::Primitive { geometry, primitive });
            let wanted = primitive
                .or_else(|| choice.offset.map(Wanted::Offset))
                .or_else(|| choice.point.map(Wanted::Point));
            if let Some(wanted) = wanted {
                let found = FindDocument::new(name, format, file, &outline, &wanted);
                return document::text(&found.0);
            }
            let entries = levels(&outline, choice.depth);
            let tree = choice.tree.then_some(&entries[..]);
            document::text(&InspectDocument::new(name, format, file, &outline, tree))
        })?
    }

    /// What one instruction says of a node.
    fn intersect(&self, py: Python<'_>, choice: OperandChoice) -> PyResult<String> {
        let unknown = |name: &str| {
            let known = PointerFlags::all();
            let known: Vec<String> =
                known.iter_names().map(|(name, _)| name.to_lowercase()).collect();
            errors::name(format!("{name:?} is no flag; flags are {}", known.join(", ")))
        };
        let flags = choice.flags.iter().try_fold(PointerFlags::empty(), |flags, name| {
            let flag = PointerFlags::from_name(&name.to_uppercase());
            flag.map(|flag| flags | flag).ok_or_else(|| unknown(name))
        })?;
        let operands = Operands {
            nodes: choice.nodes,
            origin: choice.origin,
            direction: choice.direction,
            extent: choice.extent,
            mask: choice.mask,
            resource: choice.resource.map(Resource::from_words),
            flags,
        };
        py.detach(|| {
            let answer = intersect(file(&self.opened)?, &operands);
            document::text(&answer.map_err(|error| match error {
                IntersectError::Nodes { .. } => errors::option(error),
                _ => errors::image(format!("{}: {error}", self.opened.name)),
            })?)
        })
    }

    /// How it differs from another one, with the first `most` differences.
    fn diff(&self, py: Python<'_>, other: &Self, most: usize) -> PyResult<String> {
        let (one, two) = (self.opened.format.name, other.opened.format.name);
        if one != two {
            let message = format!("one image has the format {one}, the other {two}");
            return Err(errors::image(message));
        }
        let images = [self, other].map(|image| Arc::clone(&image.opened));
        job::leave(py, move || {
            let files = [file(&images[0])?, file(&images[1])?];
            document::text(&DiffDocument::new(&image_diff::diff(images[0].format, files, most)))
        })?
    }

    #[getter]
    fn name(&self) -> &str {
        &self.opened.name
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.opened.format.name
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.bytes.len()
    }
}

impl Image {
    fn new(py: Python<'_>, name: String, bytes: Vec<u8>, choice: &ReadChoice) -> PyResult<Self> {
        let raw = names::format(&choice.format)?;
        let writer = choice.writer.as_deref().map(|name| names::writer(raw, name)).transpose()?;
        let layout = |(address, base, primitive_base, root)| RawLayout {
            address,
            base,
            primitive_base,
            root,
            writer,
        };
        let options = ReadOptions { structure: choice.structure, raw: choice.raw.map(layout) };
        let (bytes, opened) = job::leave(py, move || {
            let opened = OpenedImage::read(name, &bytes, raw, &options);
            (bytes, Arc::new(opened))
        })?;
        if let Err(error @ ReadError::NoStructure { .. }) = &opened.file {
            return Err(errors::option(format!("{}: {error}", opened.name)));
        }
        Ok(Self { bytes, opened })
    }

    /// The image that a build has made.
    pub(crate) fn made(
        py: Python<'_>,
        name: String,
        bytes: Vec<u8>,
        format: &str,
    ) -> PyResult<Self> {
        let format = format.to_owned();
        let choice = ReadChoice { structure: None, raw: None, writer: None, format };
        Self::new(py, name, bytes, &choice)
    }

    /// What is in the bytes.
    pub(crate) const fn opened(&self) -> &Arc<OpenedImage> {
        &self.opened
    }
}

fn broken(opened: &OpenedImage, error: &ReadError) -> PyErr {
    errors::image(format!("{}: {error}", opened.name))
}

fn file(opened: &OpenedImage) -> PyResult<&ImageFile> {
    opened.file.as_ref().map_err(|error| broken(opened, error))
}
