//! A description becomes a scene. Whatever is wrong is told with its line.

use super::{FOV, VERSION};
use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::{beside, coordinate, text};
use crate::{
    Appearance, Camera, Geometry, Instance, InstanceFlags, NamedCamera, Object, Scene, Shape,
};
use geometry::{Aabb, Transform, Vec3};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde::Deserialize;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// A mesh file of this size is no mesh file.
const MOST_MESH_BYTES: u64 = 1 << 36;

/// Most bits of a custom index and of an offset into the shader binding table.
const INSTANCE_NUMBER_BITS: u32 = 24;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: Option<Spanned<u32>>,
    #[serde(default, rename = "camera")]
    cameras: Vec<Spanned<CameraText>>,
    #[serde(default, rename = "object")]
    objects: Vec<Spanned<ObjectText>>,
    #[serde(default, rename = "instance")]
    instances: Vec<Spanned<InstanceText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraText {
    #[serde(default)]
    name: String,
    eye: Spanned<[f64; 3]>,
    at: Spanned<[f64; 3]>,
    up: Option<Spanned<[f64; 3]>>,
    fov: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectText {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "geometry")]
    geometries: Vec<Spanned<GeometryText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GeometryText {
    name: Option<String>,
    mesh: Option<Spanned<String>>,
    boxes: Option<Vec<Spanned<[f64; 6]>>>,
    opaque: Option<bool>,
    colour: Option<Spanned<[f64; 3]>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstanceText {
    object: Spanned<String>,
    transform: Option<Spanned<[[f64; 4]; 3]>>,
    translate: Option<[f64; 3]>,
    rotate: Option<Spanned<[f64; 4]>>,
    scale: Option<Scale>,
    mask: Option<Spanned<u32>>,
    custom_index: Option<Spanned<u32>>,
    sbt_offset: Option<Spanned<u32>>,
    #[serde(default)]
    flags: Vec<Spanned<String>>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum Scale {
    Alike(f64),
    Axes([f64; 3]),
}

/// Reads a description; meshes are looked for in `folder`.
pub(crate) fn read(
    bytes: &[u8],
    folder: Option<&Path>,
    warnings: &mut Warnings,
) -> Result<Scene, ParseError> {
    let bytes = text::without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let kind = ErrorKind::unexpected(&bytes[error.valid_up_to()..][..1], "UTF-8 text");
        ParseError::line(line_of(bytes, error.valid_up_to()), kind)
    })?;
    let document: Document = toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| line_of(bytes, span.start));
        ParseError::line(line, ErrorKind::Description { reason: error.message().to_owned() })
    })?;
    Reader { bytes, folder, warnings }.scene(document)
}

/// The line of a byte, counted from 1.
fn line_of(bytes: &[u8], offset: usize) -> u64 {
    let before = &bytes[..offset.min(bytes.len())];
    1 + memchr::memchr_iter(b'\n', before).count() as u64
}

struct Reader<'a> {
    bytes: &'a [u8],
    folder: Option<&'a Path>,
    warnings: &'a mut Warnings,
}

impl Reader<'_> {
    fn scene(&mut self, document: Document) -> Result<Scene, ParseError> {
        if let Some(version) = document.version.filter(|version| *version.get_ref() != VERSION) {
            let found = format!("version {}", version.get_ref());
            return Err(self.unexpected(&version.span(), found, format!("version {VERSION}")));
        }
        let cameras = document.cameras.into_iter().map(|camera| self.camera(camera));
        let cameras = cameras.collect::<Result<_, _>>()?;
        let spans: Vec<Range<usize>> = document.objects.iter().map(Spanned::span).collect();
        let mut objects: Vec<Object> = Vec::with_capacity(spans.len());
        for object in document.objects {
            let (span, object) = (object.span(), object.into_inner());
            if objects.iter().any(|other| other.name == object.name) {
                let found = format!("a second object called `{}`", object.name);
                return Err(self.unexpected(&span, found, "a name of its own"));
            }
            if object.geometries.is_empty() {
                let expected = "at least one [[object.geometry]]";
                return Err(self.unexpected(&span, "an object without geometry", expected));
            }
            let mut geometries = Vec::new();
            for geometry in object.geometries {
                geometries.extend(self.geometries(geometry)?);
            }
            objects.push(Object { name: object.name, geometries });
        }
        if let [_, second, ..] = &spans[..]
            && document.instances.is_empty()
        {
            let found = format!("{} objects without instances", spans.len());
            let expected = "an [[instance]] for each object that is to be seen";
            return Err(self.unexpected(second, found, expected));
        }
        let bounds: Vec<Aabb> = objects.iter().map(Object::bounds).collect();
        let instances = document.instances.into_iter();
        let instances = instances.map(|instance| self.instance(instance, &objects, &bounds));
        let instances = instances.collect::<Result<_, _>>()?;
        Ok(Scene { objects, instances, cameras, ..Scene::default() })
    }

    fn at(&self, span: &Range<usize>, kind: ErrorKind) -> ParseError {
        ParseError::line(line_of(self.bytes, span.start), kind)
    }

    fn unexpected(
        &self,
        span: &Range<usize>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ParseError {
        self.at(span, ErrorKind::Unexpected { found: found.into(), expected: expected.into() })
    }

    fn point(&self, numbers: &Spanned<[f64; 3]>) -> Result<Vec3, ParseError> {
        let narrow =
            |value: f64| coordinate::narrow(value).map_err(|kind| self.at(&numbers.span(), kind));
        let [x, y, z] = *numbers.get_ref();
        Ok(Vec3::new(narrow(x)?, narrow(y)?, narrow(z)?))
    }

    fn camera(&self, camera: Spanned<CameraText>) -> Result<NamedCamera, ParseError> {
        let (span, text) = (camera.span(), camera.into_inner());
        let up = text.up.as_ref().map_or(Ok(Vec3::Y), |up| self.point(up))?;
        let fov = text.fov.as_ref().map_or(FOV, |fov| *fov.get_ref());
        if !(fov > 0.0 && fov < 180.0) {
            let span = text.fov.map_or(span, |fov| fov.span());
            let expected = "an angle between 0 and 180 degrees";
            return Err(self.unexpected(&span, format!("a field of view of {fov}"), expected));
        }
        let (eye, target) = (self.point(&text.eye)?, self.point(&text.at)?);
        let camera = Camera { eye, target, up, fov: fov as f32 };
        if camera.axes().iter().any(|axis| !axis.is_finite()) {
            let found = "a camera that looks nowhere or along its own `up`";
            return Err(self.unexpected(
                &span,
                found,
                "an eye, a target and an up that span a view",
            ));
        }
        Ok(NamedCamera { name: text.name, camera })
    }

    fn geometries(&mut self, geometry: Spanned<GeometryText>) -> Result<Vec<Geometry>, ParseError> {
        let (span, text) = (geometry.span(), geometry.into_inner());
        let mut geometries = match (&text.mesh, &text.boxes) {
            (Some(mesh), None) => self.mesh(mesh)?,
            (None, Some(boxes)) => {
                let boxes = boxes.iter().map(|bounds| self.bounds(bounds));
                let shape = Shape::Boxes(boxes.collect::<Result<_, _>>()?);
                vec![Geometry::new("", true, shape)]
            }
            (mesh, _) => {
                let found = if mesh.is_some() { "both" } else { "neither" };
                return Err(self.unexpected(&span, found, "either `mesh` or `boxes`"));
            }
        };
        let colour = text.colour.as_ref().map(|colour| self.colour(colour)).transpose()?;
        for geometry in &mut geometries {
            geometry.opaque = text.opaque.unwrap_or(geometry.opaque);
            if let Some(name) = &text.name {
                geometry.name.clone_from(name);
            }
            if let Some(colour) = colour {
                geometry.appearance = Some(Box::new(Appearance::plain(colour)));
            }
        }
        Ok(geometries)
    }

    /// The geometries of a file, in its own world.
    fn mesh(&mut self, mesh: &Spanned<String>) -> Result<Vec<Geometry>, ParseError> {
        let (span, uri) = (mesh.span(), mesh.get_ref().clone());
        let other = |reason| self.at(&span, ErrorKind::OtherFile { uri: uri.clone(), reason });
        if uri.to_ascii_lowercase().ends_with(".toml") {
            return Err(other("a description names meshes, not descriptions".to_owned()));
        }
        let path = beside::find(self.folder, &uri).map_err(other)?;
        let bytes = beside::read(self.folder, &uri, MOST_MESH_BYTES).map_err(other)?;
        let scene = crate::read::read_with_base_dir(&uri, &bytes, path.parent())
            .map_err(|error| other(error.to_string()))?;
        for warning in &scene.warnings {
            let line = Position::Line(line_of(self.bytes, span.start));
            self.warnings.add(line, warning.to_string());
        }
        if scene.instances.is_empty() {
            return Ok(scene.objects.into_iter().flat_map(|object| object.geometries).collect());
        }
        let placed = scene.flattened().map(|placed| {
            let mut geometry = placed.geometry.clone();
            if let Shape::Triangles { positions, .. } = &mut geometry.shape {
                positions.iter_mut().for_each(|position| *position = placed.point(*position));
            }
            geometry
        });
        Ok(placed.collect())
    }

    fn bounds(&self, bounds: &Spanned<[f64; 6]>) -> Result<Aabb, ParseError> {
        let [x0, y0, z0, x1, y1, z1] = *bounds.get_ref();
        let corner = |numbers| self.point(&Spanned::new(bounds.span(), numbers));
        let (min, max) = (corner([x0, y0, z0])?, corner([x1, y1, z1])?);
        if min.cmple(max).all() {
            return Ok(Aabb::new(min, max));
        }
        let expected = "x0, y0, z0, x1, y1, z1 with the lower corner first";
        Err(self.unexpected(&bounds.span(), "a box whose corners are out of order", expected))
    }

    fn colour(&self, colour: &Spanned<[f64; 3]>) -> Result<Vec3, ParseError> {
        if colour.get_ref().iter().all(|share| (0.0..=1.0).contains(share)) {
            return Ok(DVec3::from_array(*colour.get_ref()).as_vec3());
        }
        let found = format!("the colour {:?}", colour.get_ref());
        Err(self.unexpected(&colour.span(), found, "three shares of light from 0 to 1"))
    }

    fn instance(
        &self,
        instance: Spanned<InstanceText>,
        objects: &[Object],
        bounds: &[Aabb],
    ) -> Result<Instance, ParseError> {
        let (span, text) = (instance.span(), instance.into_inner());
        let name = text.object.get_ref();
        let object = objects.iter().position(|object| object.name == *name).ok_or_else(|| {
            let names = objects.iter().map(|object| format!("`{}`", object.name));
            let expected = match names.collect::<Vec<_>>().join(", ") {
                names if names.is_empty() => "an [[object]] first".to_owned(),
                names => format!("the name of an object: {names}"),
            };
            self.unexpected(&text.object.span(), format!("`{name}`"), expected)
        })?;
        let transform = self.transform(&span, &text)?;
        let placed = transform.bounds(&bounds[object]);
        for value in [placed.min, placed.max].map(|corner| corner.to_array()).concat() {
            coordinate::check(value).map_err(|kind| self.at(&span, kind))?;
        }
        if transform.inverse().is_err() {
            let found = "a transform that squashes the object flat";
            return Err(self.unexpected(&span, found, "one that can be inverted"));
        }
        let mask = self.number(text.mask.as_ref(), 0xFF, 8, "mask")?;
        let number = |text: &Option<Spanned<u32>>, name| {
            self.number(text.as_ref(), 0, INSTANCE_NUMBER_BITS, name)
        };
        Ok(Instance {
            mask: mask as u8,
            custom_index: number(&text.custom_index, "custom_index")?,
            sbt_offset: number(&text.sbt_offset, "sbt_offset")?,
            flags: self.flags(&text.flags)?,
            ..Instance::new(object, transform)
        })
    }

    /// The rows of `transform`; or scaled, then turned, then moved.
    fn transform(&self, span: &Range<usize>, text: &InstanceText) -> Result<Transform, ParseError> {
        let steps = text.translate.is_some() || text.rotate.is_some() || text.scale.is_some();
        if let Some(rows) = &text.transform {
            if steps {
                let found = "`transform` beside `translate`, `rotate` or `scale`";
                return Err(self.unexpected(&rows.span(), found, "either of them"));
            }
            let rows = rows.get_ref();
            let matrix = DMat3::from_cols_array_2d(&rows.map(|[x, y, z, _]| [x, y, z])).transpose();
            let translation = DVec3::from_array(rows.map(|[.., moved]| moved));
            return Ok(Transform::from_f64(matrix, translation));
        }
        let rotation = match &text.rotate {
            None => DQuat::IDENTITY,
            Some(rotate) => {
                let [x, y, z, degrees] = *rotate.get_ref();
                let axis = DVec3::new(x, y, z).try_normalize().filter(|_| degrees.is_finite());
                let axis = axis.ok_or_else(|| {
                    let found = "a turn without an axis";
                    self.unexpected(&rotate.span(), found, "the axis x, y, z and degrees")
                })?;
                DQuat::from_axis_angle(axis, degrees.to_radians())
            }
        };
        let scale = match text.scale {
            None => DVec3::ONE,
            Some(Scale::Alike(factor)) => DVec3::splat(factor),
            Some(Scale::Axes(factors)) => DVec3::from_array(factors),
        };
        let translation = DVec3::from_array(text.translate.unwrap_or_default());
        let placed = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
        if !placed.is_finite() {
            return Err(self.unexpected(span, "a transform that is not finite", "finite numbers"));
        }
        Ok(Transform::from_f64(placed.matrix3, placed.translation))
    }

    fn number(
        &self,
        value: Option<&Spanned<u32>>,
        default: u32,
        bits: u32,
        name: &str,
    ) -> Result<u32, ParseError> {
        let Some(value) = value else { return Ok(default) };
        if value.get_ref() >> bits == 0 {
            return Ok(*value.get_ref());
        }
        let found = format!("{name} {:#x}", value.get_ref());
        Err(self.unexpected(&value.span(), found, format!("a number of {bits} bits")))
    }

    fn flags(&self, names: &[Spanned<String>]) -> Result<InstanceFlags, ParseError> {
        let mut flags = InstanceFlags::empty();
        for name in names {
            let known = super::flag_names().find(|(known, _)| known == name.get_ref());
            let (_, flag) = known.ok_or_else(|| {
                let known: Vec<String> = super::flag_names().map(|(name, _)| name).collect();
                let expected = format!("one of {}", known.join(", "));
                self.unexpected(&name.span(), format!("the flag `{}`", name.get_ref()), expected)
            })?;
            flags |= flag;
        }
        let both = InstanceFlags::FORCE_OPAQUE | InstanceFlags::FORCE_NON_OPAQUE;
        match names.first() {
            Some(first) if flags.contains(both) => {
                let found = "both force_opaque and force_non_opaque";
                Err(self.unexpected(&first.span(), found, "at most one of them"))
            }
            _ => Ok(flags),
        }
    }
}
