//! A scene becomes a description, and its meshes files beside it.

use super::{VERSION, flag_names};
use crate::{Appearance, Camera, Geometry, Instance, NamedCamera, Scene, Shape};
use geometry::{Aabb, Transform, Vec3};

/// A scene as files.
#[derive(Debug, Clone, PartialEq)]
pub struct Description<'a> {
    /// The text of the description.
    pub text: String,
    /// The meshes that it names, to be written beside it.
    pub meshes: Vec<MeshFile<'a>>,
    /// How many geometries lose colours of vertices or a texture, which meshes here do not keep.
    pub plainer: usize,
}

/// A mesh that a description names.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile<'a> {
    /// Its name: a PLY file.
    pub name: String,
    /// Its vertices.
    pub positions: &'a [Vec3],
    /// Its triangles.
    pub indices: &'a [[u32; 3]],
}

impl<'a> Description<'a> {
    /// Describes a scene; the names of its meshes begin with `stem`.
    ///
    /// ```
    /// use scene::builtin::Builtin;
    /// use scene::description::Description;
    /// let forest = Builtin::Forest.scene(1000);
    /// let description = Description::new(&forest, "forest");
    /// assert_eq!(description.meshes[0].name, "forest-0-0.ply");
    /// assert!(description.text.contains("[[instance]]"));
    /// ```
    #[must_use]
    pub fn new(scene: &'a Scene, stem: &str) -> Self {
        let mut made =
            Self { text: format!("version = {VERSION}\n"), meshes: Vec::new(), plainer: 0 };
        for camera in &scene.cameras {
            made.camera(camera);
        }
        let names = object_names(scene);
        for (number, (object, name)) in scene.objects.iter().zip(&names).enumerate() {
            made.text += &format!("\n[[object]]\nname = {}\n", quoted(name));
            for (part, geometry) in object.geometries.iter().enumerate() {
                made.geometry(geometry, format!("{stem}-{number}-{part}.ply"));
            }
        }
        for instance in &scene.instances {
            made.instance(instance, &names[instance.object]);
        }
        made
    }

    fn camera(&mut self, named: &NamedCamera) {
        let Camera { eye, target, up, fov } = named.camera;
        let (eye, at, up) = (vector(eye), vector(target), vector(up));
        let name = match named.name.as_str() {
            "" => String::new(),
            name => format!("name = {}\n", quoted(name)),
        };
        let fov = number(fov);
        self.text +=
            &format!("\n[[camera]]\n{name}eye = {eye}\nat = {at}\nup = {up}\nfov = {fov}\n");
    }

    fn geometry(&mut self, geometry: &'a Geometry, file: String) {
        let Geometry { name, opaque, shape, appearance } = geometry;
        self.text += "\n[[object.geometry]]\n";
        if !name.is_empty() {
            self.text += &format!("name = {}\n", quoted(name));
        }
        match shape {
            Shape::Boxes(boxes) => {
                let rows = boxes.iter().map(|Aabb { min, max }| {
                    let numbers = [min.to_array(), max.to_array()].concat();
                    format!("  {},\n", list(&numbers))
                });
                self.text += &format!("boxes = [\n{}]\n", rows.collect::<String>());
            }
            Shape::Triangles { positions, indices } => {
                self.text += &format!("mesh = {}\n", quoted(&file));
                self.meshes.push(MeshFile { name: file, positions, indices });
            }
        }
        self.text += &format!("opaque = {opaque}\n");
        if let Some(Appearance { colour, vertex_colours, texture }) = appearance.as_deref() {
            self.text += &format!("colour = {}\n", vector(*colour));
            self.plainer += usize::from(!vertex_colours.is_empty() || texture.is_some());
        }
    }

    fn instance(&mut self, instance: &Instance, object: &str) {
        let Instance { object_to_world, mask, custom_index, sbt_offset, flags, .. } = instance;
        self.text += &format!("\n[[instance]]\nobject = {}\n", quoted(object));
        if *object_to_world != Transform::IDENTITY {
            let rows = object_to_world.rows.map(|row| list(&row)).join(", ");
            self.text += &format!("transform = [{rows}]\n");
        }
        if *mask != 0xFF {
            self.text += &format!("mask = {mask:#04x}\n");
        }
        if *custom_index != 0 {
            self.text += &format!("custom_index = {custom_index}\n");
        }
        if *sbt_offset != 0 {
            self.text += &format!("sbt_offset = {sbt_offset}\n");
        }
        let names = flag_names().filter(|(_, flag)| flags.contains(*flag));
        let names: Vec<String> = names.map(|(name, _)| quoted(&name)).collect();
        if !names.is_empty() {
            self.text += &format!("flags = [{}]\n", names.join(", "));
        }
    }
}

/// A name for each object, no two alike.
fn object_names(scene: &Scene) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(scene.objects.len());
    let mut taken = std::collections::HashSet::new();
    for (number, object) in scene.objects.iter().enumerate() {
        let own =
            if object.name.is_empty() { format!("object {number}") } else { object.name.clone() };
        let mut name = own.clone();
        for copy in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{own} ({copy})");
        }
        names.push(name);
    }
    names
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn vector(vector: Vec3) -> String {
    list(&vector.to_array())
}

fn list(numbers: &[f32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|&value| number(value)).collect();
    format!("[{}]", numbers.join(", "))
}

/// The shortest text that is read as the same single, by way of a double.
fn number(value: f32) -> String {
    let text = format!("{value:?}");
    let is_same = text.parse().is_ok_and(|double: f64| double as f32 == value);
    if is_same { text } else { format!("{:?}", f64::from(value)) }
}
