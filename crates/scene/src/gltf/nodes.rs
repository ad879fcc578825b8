//! The node hierarchy becomes instances and a camera. Transforms are multiplied in `f64` from the
//! root down and rounded once.

use super::accessor::Accessors;
use super::document::{Document, Instancing, Node};
use super::item;
use super::mesh::Meshes;
use super::pose::Pose;
use crate::error::{ErrorKind, ParseError, Position, Warnings};
use crate::read::coordinate;
use crate::{Camera, Instance, NamedCamera, Object, Scene};
use geometry::{Aabb, Transform, Vec3};
use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};
use std::collections::HashMap;

pub(super) fn scene<'a>(
    accessors: &'a Accessors<'a>,
    warnings: &'a mut Warnings,
) -> Result<Scene, ParseError> {
    let document = accessors.document;
    let (order, worlds) = worlds(document)?;
    let mut walk = Walk {
        document,
        accessors,
        warnings,
        meshes: Meshes::new(accessors),
        worlds,
        placed: HashMap::new(),
        bounds: Vec::new(),
        scene: Scene::default(),
    };
    for (index, world) in order {
        walk.visit(index, world)?;
    }
    Ok(walk.into_scene())
}

/// The nodes of the scene from the roots down, and the transform of each node to the world, if it
/// belongs to the scene.
type Worlds = (Vec<(usize, DAffine3)>, Vec<Option<DAffine3>>);

fn worlds(document: &Document) -> Result<Worlds, ParseError> {
    let mut worlds = vec![None; document.nodes.len()];
    let mut order = Vec::new();
    // Depth first without recursion: a chain of a million nodes must not exhaust the stack.
    let mut waiting: Vec<(usize, DAffine3)> = roots(document)?;
    waiting.reverse();
    while let Some((index, above)) = waiting.pop() {
        let node = &document.nodes[index];
        let world = above * local(node);
        if worlds[index].replace(world).is_some() {
            return Err(ParseError::json(path(document, index), ErrorKind::NotATree));
        }
        order.push((index, world));
        for &child in node.children.iter().rev() {
            item(&document.nodes, child, "node", || format!("nodes[{index}].children"))?;
            waiting.push((child, world));
        }
    }
    Ok((order, worlds))
}

/// The place of a node in the document, with its name.
fn path(document: &Document, index: usize) -> String {
    match &document.nodes[index].name {
        Some(name) => {
            let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
            format!("nodes[{index}] `{name}`")
        }
        None => format!("nodes[{index}]"),
    }
}

/// The nodes of the chosen scene, else of the first one, else those that are nobody's child.
fn roots(document: &Document) -> Result<Vec<(usize, DAffine3)>, ParseError> {
    let Document { scenes, nodes, .. } = document;
    let roots: Vec<usize> = if scenes.is_empty() {
        let mut is_child = vec![false; nodes.len()];
        for &child in nodes.iter().flat_map(|node| &node.children) {
            if let Some(flag) = is_child.get_mut(child) {
                *flag = true;
            }
        }
        (0..nodes.len()).filter(|&node| !is_child[node]).collect()
    } else {
        let chosen = document.scene.unwrap_or(0);
        let scene = item(scenes, chosen, "scene", || "scene".to_owned())?;
        for &root in &scene.nodes {
            item(nodes, root, "node", || format!("scenes[{chosen}].nodes"))?;
        }
        scene.nodes.clone()
    };
    Ok(roots.into_iter().map(|root| (root, DAffine3::IDENTITY)).collect())
}

struct Walk<'a> {
    document: &'a Document,
    accessors: &'a Accessors<'a>,
    warnings: &'a mut Warnings,
    meshes: Meshes<'a>,
    /// The transform of each node of the scene.
    worlds: Vec<Option<DAffine3>>,
    /// The object of each mesh that was met at rest; none for a mesh without triangles.
    placed: HashMap<usize, Option<usize>>,
    /// The box of each object.
    bounds: Vec<Aabb>,
    scene: Scene,
}

impl Walk<'_> {
    /// Places what a node holds.
    fn visit(&mut self, index: usize, world: DAffine3) -> Result<(), ParseError> {
        let node = &self.document.nodes[index];
        let path = path(self.document, index);
        if let Some(mesh) = node.mesh
            && let Some(object) = self.object(mesh, node, &path)?
        {
            match &node.extensions.instancing {
                // The joints of a skin have brought its vertices to the world.
                None if node.skin.is_some() => self.place(object, DAffine3::IDENTITY, &path)?,
                None => self.place(object, world, &path)?,
                Some(instancing) => {
                    for own in self.instancing(instancing, &path)? {
                        self.place(object, world * own, &path)?;
                    }
                }
            }
        }
        if let Some(camera) = node.camera {
            let camera = item(&self.document.cameras, camera, "camera", || path.clone())?;
            let view = camera.perspective.as_ref().and_then(|p| view(&world, p.yfov));
            let name = node.name.clone().unwrap_or_default();
            self.scene.cameras.extend(view.map(|camera| NamedCamera { name, camera }));
        }
        Ok(())
    }

    /// The object of a node. Nodes that show a mesh at rest share one.
    fn object(
        &mut self,
        mesh: usize,
        node: &Node,
        path: &str,
    ) -> Result<Option<usize>, ParseError> {
        let of_mesh = self.document.meshes.get(mesh).map_or(&[][..], |mesh| &mesh.weights);
        let weights = node.weights.as_deref();
        let joints = node.skin.map(|skin| self.joints(skin, path)).transpose()?.unwrap_or_default();
        let pose = Pose { weights: weights.unwrap_or(of_mesh), joints };
        let is_own = !pose.joints.is_empty() || weights.is_some_and(|own| own != of_mesh);
        if let Some(&object) = self.placed.get(&mesh).filter(|_| !is_own) {
            return Ok(object);
        }
        let made: Object = self.meshes.object(mesh, path, &pose, self.warnings)?;
        let number = (!made.geometries.is_empty()).then_some(self.scene.objects.len());
        if number.is_some() {
            self.bounds.push(made.bounds());
            self.scene.objects.push(made);
        }
        if !is_own {
            self.placed.insert(mesh, number);
        }
        Ok(number)
    }

    /// For each joint of a skin, the way from the mesh to the world.
    fn joints(&mut self, skin: usize, path: &str) -> Result<Vec<DAffine3>, ParseError> {
        let skin = item(&self.document.skins, skin, "skin", || format!("{path}.skin"))?;
        let inverses = match skin.inverse_bind_matrices {
            Some(accessor) => self.accessors.read(accessor, path, |columns: [f64; 16]| {
                DAffine3::from_mat4(DMat4::from_cols_array(&columns))
            })?,
            None => Vec::new(),
        };
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (number, &joint) in skin.joints.iter().enumerate() {
            item(&self.document.nodes, joint, "node", || format!("{path}.skin.joints"))?;
            let world = self.worlds[joint].unwrap_or_else(|| {
                let text = "a joint of the skin lies outside the scene, and is not moved";
                self.warnings.add(Position::Json(path.to_owned()), text);
                DAffine3::IDENTITY
            });
            joints.push(world * inverses.get(number).copied().unwrap_or(DAffine3::IDENTITY));
        }
        Ok(joints)
    }

    /// Adds an instance. One that squashes its object flat cannot be seen, and is left out.
    fn place(&mut self, object: usize, world: DAffine3, path: &str) -> Result<(), ParseError> {
        let transform = Transform::from_f64(world.matrix3, world.translation);
        let placed = transform.bounds(&self.bounds[object]);
        for value in [placed.min, placed.max].map(|corner| corner.to_array()).concat() {
            coordinate::check(value).map_err(|kind| ParseError::json(path, kind))?;
        }
        if transform.inverse().is_err() {
            let text = "a transform squashes the mesh flat, and it is left out";
            self.warnings.add(Position::Json(path.to_owned()), text);
            return Ok(());
        }
        self.scene.instances.push(Instance::new(object, transform));
        Ok(())
    }

    /// The instances of `EXT_mesh_gpu_instancing`.
    fn instancing(&self, from: &Instancing, path: &str) -> Result<Vec<DAffine3>, ParseError> {
        let path = format!("{path} EXT_mesh_gpu_instancing");
        let attribute = |name: &str| from.attributes.get(name).copied();
        let moves =
            attribute("TRANSLATION").map(|a| self.accessors.read(a, &path, |v: [f64; 3]| v));
        let turns = attribute("ROTATION").map(|a| self.accessors.read(a, &path, |v: [f64; 4]| v));
        let scales = attribute("SCALE").map(|a| self.accessors.read(a, &path, |v: [f64; 3]| v));
        let (moves, turns, scales) = (moves.transpose()?, turns.transpose()?, scales.transpose()?);
        let counts = [moves.as_ref().map(Vec::len), turns.as_ref().map(Vec::len)];
        let counts = counts.into_iter().chain([scales.as_ref().map(Vec::len)]).flatten();
        let count = counts.min().unwrap_or(0);
        Ok((0..count)
            .map(|i| {
                let translation = moves.as_ref().map(|m| m[i]);
                trs(translation, turns.as_ref().map(|t| t[i]), scales.as_ref().map(|s| s[i]))
            })
            .collect())
    }

    /// Every instance points to an object by now; a lone one in its own place needs no instance.
    /// Objects that are not placed, as flat ones are not, would lie in the world without any.
    fn into_scene(self) -> Scene {
        let mut scene = self.scene;
        match scene.instances.as_slice() {
            [] => scene.objects.clear(),
            [only] if only.object_to_world == Transform::IDENTITY => {
                scene.objects = vec![scene.objects.swap_remove(only.object)];
                scene.instances.clear();
            }
            _ => {}
        }
        scene
    }
}

/// A node's own transform.
fn local(node: &Node) -> DAffine3 {
    match &node.matrix {
        Some(columns) => DAffine3::from_mat4(DMat4::from_cols_array(columns)),
        None => trs(node.translation, node.rotation, node.scale),
    }
}

/// Scales, then turns, then moves.
fn trs(
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
) -> DAffine3 {
    // A quaternion that is not of unit length is meant to be; one without length turns nothing.
    let quaternion = DQuat::from_array(rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    let length = quaternion.length();
    let turned = if length > 0.0 && length.is_finite() && length != 1.0 {
        DMat3::from_quat(quaternion / length)
    } else if length == 1.0 {
        DMat3::from_quat(quaternion)
    } else {
        DMat3::IDENTITY
    };
    let scaled = DMat3::from_diagonal(DVec3::from_array(scale.unwrap_or([1.0; 3])));
    DAffine3 {
        matrix3: turned * scaled,
        translation: DVec3::from_array(translation.unwrap_or_default()),
    }
}

/// A glTF camera looks along its -z with +y up. Nothing if it has no direction or no angle.
fn view(world: &DAffine3, yfov: f64) -> Option<Camera> {
    let forward = (-world.matrix3.z_axis).try_normalize()?;
    let up = world.matrix3.y_axis.try_normalize()?;
    let narrow = |v: DVec3| -> Option<Vec3> {
        let [x, y, z] = v.to_array().map(coordinate::narrow);
        Some(Vec3::new(x.ok()?, y.ok()?, z.ok()?))
    };
    let fov = yfov.to_degrees() as f32;
    let eye = narrow(world.translation)?;
    // Far enough that the target is another point than the eye whatever the scale.
    let reach = 1.0_f64.max(1.0e-3 * world.translation.length());
    let target = narrow(world.translation + forward * reach)?;
    (fov > 0.0 && fov < 180.0 && target != eye).then_some(Camera {
        eye,
        target,
        up: narrow(up)?,
        fov,
    })
}
