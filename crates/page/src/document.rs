//! The open file.

use crate::boxes::Boxes;
use crate::entries::Entries;
use crate::hierarchy::Hierarchy;
use crate::question::{Built, Edit, Question};
use crate::space::Owners;
use crate::stored::StoredBytes;
use crate::{PageError, Response};
use crate::{frames, outline, pictures, space, structure, summary, units, walks, watch};
use siliray::build::{self, Preset};
use siliray::cameras::{self, Seen};
use siliray::geometry::TriangleRule;
use siliray::input::{Input, Prepared, Route, StoredImage, build_options, format_options};
use siliray::machine::{
    AnyChecked, Finding, FormatEntry, ImageFile, Machine, MachineEntry, MachineOptions, Outline,
    ReadError, ReadOptions, Settings,
};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray::scene::{Camera, Scene};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The format that scenes are shown in, unless another one is asked for.
const FORMAT: &str = "gfx12";

/// How much wider than high a picture is, for which a camera is chosen.
const ASPECT: f32 = 4.0 / 3.0;

/// A machine and what it stands on.
#[derive(Clone)]
pub(crate) struct Ready {
    pub(crate) prepared: Prepared,
    pub(crate) machine: Arc<dyn Machine>,
    rule: TriangleRule,
}

/// An open file.
pub(crate) struct Document {
    /// What it is called.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) bytes: StoredBytes,
    /// The format of its image.
    pub(crate) format: &'static FormatEntry,
    /// The image, unchecked, and the way back to the file.
    pub(crate) file: ImageFile,
    /// Every structure.
    pub(crate) entries: Entries,
    /// The image, if it is sound and holds a tree.
    pub(crate) checked: Option<Arc<dyn AnyChecked>>,
    /// What the check found.
    pub(crate) findings: Vec<Finding>,
    /// How many things the check looked at.
    pub(crate) nodes: usize,
    /// The scene that the image was made from, if it was made here.
    pub(crate) scene: Option<Scene>,
    /// Which structure of the file was asked for.
    structure: Option<usize>,
    camera: OnceLock<Camera>,
    hierarchy: OnceLock<Hierarchy>,
    boxes: OnceLock<Boxes>,
    fullest: OnceLock<Vec<usize>>,
    finding_entries: OnceLock<Vec<Option<usize>>>,
    /// Who refers to each primitive, while its geometry is read.
    pub(crate) owners: Option<Owners>,
    /// What walked last.
    ready: Option<Ready>,
}

impl Document {
    /// The image in a file's bytes, or the image of the scene in them.
    pub(crate) fn read(
        name: String,
        bytes: Vec<u8>,
        structure: Option<usize>,
        built: &Built,
    ) -> Result<Self, PageError> {
        match siliray::input::format_of(Path::new(&name), &bytes) {
            Some(format) => Self::of_image(name, bytes, format, structure, None),
            None => match Input::read(Path::new(&name), &bytes)? {
                Input::Scene(scene) => Self::of_scene(scene, built),
                Input::Image(_) => Err(PageError::Refused(format!("{name}: an unknown image"))),
            },
        }
    }

    /// The image of a scene made by code.
    pub(crate) fn builtin(
        name: &str,
        triangles: Option<usize>,
        built: &Built,
    ) -> Result<Self, PageError> {
        let builtin = Builtin::from_name(name)
            .ok_or_else(|| PageError::Unknown { what: "scene", name: name.to_owned() })?;
        let triangles = triangles.unwrap_or_else(|| builtin.default_triangles());
        Self::of_scene(builtin.scene(triangles), built)
    }

    /// The image of a scene.
    pub(crate) fn of_scene(scene: Scene, built: &Built) -> Result<Self, PageError> {
        let format = format_named(built.format.as_deref().unwrap_or(FORMAT))?;
        let trees = format.trees.as_ref().ok_or_else(|| {
            PageError::Refused(format!("the format {} holds no trees", format.name))
        })?;
        let settings = settings(format, built)?;
        let preset = preset(built)?;
        let options = format_options(format, &settings, preset);
        let tree = build::build(&scene, &options, &watch::progress)
            .map_err(siliray::input::RouteError::from)?;
        let image = (trees.encode)(&tree.tree, &settings).map_err(PageError::Encode)?.image;
        let bytes = (trees.write)(&image, None).map_err(PageError::Encode)?;
        let name = format!("{}.{}", scene.name, format.ending);
        Self::of_image(name, bytes, format, None, Some(scene))
    }

    /// The image in the bytes of a file.
    pub(crate) fn of_image(
        name: String,
        bytes: Vec<u8>,
        format: &'static FormatEntry,
        structure: Option<usize>,
        scene: Option<Scene>,
    ) -> Result<Self, PageError> {
        let options = ReadOptions { structure, raw: None };
        let file = (format.read)(&bytes, &options).map_err(|error| broken(&name, error))?;
        // One format may read files of its siblings: the image knows which it is.
        let format = registry().format(file.image.format).unwrap_or(format);
        // Before the check needs room.
        let bytes = StoredBytes::new(bytes, &file);
        let report = file.clone().check(format.check);
        let entries = Entries::new(&(format.outline)(&file.image));
        Ok(Self {
            name,
            bytes,
            format,
            file,
            entries,
            checked: report.checked,
            findings: report.findings,
            nodes: report.nodes,
            scene,
            structure,
            camera: OnceLock::new(),
            hierarchy: OnceLock::new(),
            boxes: OnceLock::new(),
            fullest: OnceLock::new(),
            finding_entries: OnceLock::new(),
            owners: None,
            ready: None,
        })
    }

    /// The same file with some bits changed, and what stood there.
    pub(crate) fn edited(&self, edit: &Edit) -> Result<(Self, String), PageError> {
        let (bytes, before) = structure::edited_bytes(self.bytes.to_vec(), edit)?;
        let (name, structure) = (self.name.clone(), self.structure);
        let edited = Self::of_image(name, bytes, self.format, structure, self.scene.clone())?;
        Ok((edited, before))
    }

    /// Answers a question about the file.
    pub(crate) fn answer(&mut self, question: Question) -> Result<Response, PageError> {
        match question {
            Question::Save => {
                let answer = serde_json::json!({"name": self.name});
                Ok(Response::new(answer).with("data", &self.bytes.to_vec()))
            }
            Question::Hash => {
                Ok(Response::new(serde_json::json!({"hash": summary::hash(&self.bytes)})))
            }
            Question::Outline { first } => Ok(outline::outline(self, first.unwrap_or(0))),
            Question::Bounds { first } => Ok(outline::bounds(self, first.unwrap_or(0))),
            Question::Frames => Ok(frames::frames(self)),
            Question::Node(place) => structure::node(self, &place),
            Question::Bytes { offset, length } => structure::bytes(self, offset, length),
            Question::Owner { offset } => structure::owner(self, offset),
            Question::Check => Ok(structure::check(self)),
            Question::Find(wanted) => Ok(structure::find(self, &wanted)),
            Question::Geometry { most, first } => {
                space::geometry(self, most.unwrap_or(usize::MAX), first.unwrap_or(0))
            }
            Question::Walk { machine, rule, query, why } => {
                walks::walk(self, machine.as_deref(), rule.as_deref(), &query, why)
            }
            Question::Against { machine, other, query } => {
                walks::against(self, &machine, &other, &query)
            }
            Question::Render(render) => pictures::render(self, &render),
            Question::Simulate(wanted) => units::simulate(self, &wanted),
            Question::About
            | Question::Open { .. }
            | Question::Builtin { .. }
            | Question::Example { .. }
            | Question::Edit(_)
            | Question::Program { .. }
            | Question::Run { .. }
            | Question::Memory { .. } => {
                Err(PageError::Refused("asked of the page, not of a file".into()))
            }
        }
    }

    /// Every structure with the primitives that it refers to, which are not kept.
    pub(crate) fn outline(&self) -> Outline {
        (self.format.outline)(&self.file.image)
    }

    /// How its structures lie above and below each other.
    pub(crate) fn hierarchy(&self) -> &Hierarchy {
        self.hierarchy.get_or_init(|| Hierarchy::new(&self.entries))
    }

    /// The boxes of its structures.
    pub(crate) fn boxes(&self) -> &Boxes {
        self.boxes.get_or_init(|| Boxes::new(self))
    }

    /// The most that a structure of each kind holds.
    pub(crate) fn fullest(&self) -> &[usize] {
        self.fullest.get_or_init(|| outline::fullest(self))
    }

    /// The structure that each finding is about.
    pub(crate) fn finding_entries(&self) -> &[Option<usize>] {
        self.finding_entries.get_or_init(|| structure::finding_entries(self))
    }

    /// The image as a stored one, which machines walk.
    pub(crate) fn input(&self) -> Result<Input, PageError> {
        let checked = self.checked.as_ref().ok_or_else(|| {
            PageError::Refused(format!("{}: the image is not safe to walk", self.name))
        })?;
        Ok(Input::Image(StoredImage {
            name: self.name.clone(),
            format: self.format,
            checked: Arc::clone(checked),
            findings: self.findings.clone(),
            places: self.file.places.clone(),
            structures: self.file.structures.clone(),
        }))
    }

    /// Brings the image to a machine, which walks it as it is stored. What walked last is kept:
    /// some machines take long to make.
    pub(crate) fn ready(
        &mut self,
        machine: Option<&str>,
        rule: TriangleRule,
    ) -> Result<Ready, PageError> {
        let machine = self.machine(machine)?;
        let is_it =
            |ready: &&Ready| std::ptr::eq(ready.prepared.machine, machine) && ready.rule == rule;
        if let Some(ready) = self.ready.as_ref().filter(is_it) {
            return Ok(ready.clone());
        }
        let route = Route::new(machine, build_options(machine, None, None));
        let prepared = route.prepare(&self.input()?, &watch::progress)?;
        let options = MachineOptions { rule, ..MachineOptions::default() };
        let machine = Arc::from(prepared.make(&options)?);
        Ok(self.ready.insert(Ready { prepared, machine, rule }).clone())
    }

    /// The machine of a name, or the one that is usual here.
    fn machine(&self, name: Option<&str>) -> Result<&'static MachineEntry, PageError> {
        match name {
            Some(name) => registry()
                .machine(name)
                .ok_or_else(|| PageError::Unknown { what: "machine", name: name.to_owned() }),
            None => self
                .machines()
                .into_iter()
                .find(|machine| machine.name == "reference")
                .ok_or_else(|| PageError::Refused("no machine walks this file".to_owned())),
        }
    }

    /// The machines that can walk it.
    pub(crate) fn machines(&self) -> Vec<&'static MachineEntry> {
        let all = registry().machines().iter().copied();
        let walk = |machine: &&MachineEntry| self.checked.is_some() && (machine.reads)(self.format);
        all.filter(walk).collect()
    }

    /// The view that it is seen from, unless another one is asked for.
    pub(crate) fn camera(&self) -> Option<Camera> {
        let checked = self.checked.as_ref()?;
        let seen = match &self.scene {
            Some(scene) => Seen::Scene(scene),
            None => Seen::Tree(checked.tree()),
        };
        Some(*self.camera.get_or_init(|| cameras::of(seen, ASPECT)))
    }
}

fn broken(name: &str, error: ReadError) -> PageError {
    PageError::Input(siliray::input::InputError::Broken {
        path: name.into(),
        error: Box::new(error),
    })
}

/// The format of a name.
pub(crate) fn format_named(name: &str) -> Result<&'static FormatEntry, PageError> {
    let unknown = || PageError::Unknown { what: "format", name: name.to_owned() };
    registry().format(name).ok_or_else(unknown)
}

fn preset(built: &Built) -> Result<Preset, PageError> {
    let Some(name) = &built.preset else { return Ok(Preset::Fast) };
    let unknown = || PageError::Unknown { what: "preset", name: name.clone() };
    name.parse().map_err(|_| unknown())
}

fn settings(format: &FormatEntry, built: &Built) -> Result<Settings, PageError> {
    let all = built.settings.iter().fold(Settings::default(), |all, (k, v)| all.with(k, v));
    format.accepts(&all).map_err(|error| PageError::Refused(error.to_string()))?;
    Ok(all)
}
