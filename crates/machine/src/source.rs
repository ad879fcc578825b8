//! Whether an image holds the geometry of a scene, bit for bit.
//!
//! A structure can be sound and hold the wrong vertices: an offset that went into another buffer,
//! an update that ran on nothing, a compressor that cut bits off. Only the scene tells. Primitives
//! are looked up by their ids; +0 and -0 are the same, since builders merge vertices that compare
//! equal. Opacity, and an instance's flags, custom index and offset of shader bindings are compared
//! in formats that keep them, each if the scene says more of it than files of meshes can.

use crate::{AnyChecked, Finding, Findings, Hit, Image, NodePlace, RuleEntry, Severity};
use geometry::{Aabb, InstanceFlags, Triangle};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tree::{Blas, Instance, PrimitiveFlags, PrimitiveId, Primitives};

/// The rule, as users meet it.
pub const SOURCE: RuleEntry = RuleEntry {
    name: "source",
    severity: Severity::Error,
    promise: "the primitives and instances are those of the scene that --scene names",
};

/// What a scene says that an image should hold.
#[derive(Debug, Clone, Default)]
pub struct Geometry {
    /// The primitives of each object.
    pub objects: Vec<Primitives>,
    /// Its instances, whose `blas` is an object; none in a scene without a TLAS.
    pub instances: Vec<Instance>,
}

impl Geometry {
    /// The same with one geometry an object: its primitives come after those of the geometries
    /// before, as far as their ids reach.
    #[must_use]
    pub fn numbered_through(mut self) -> Self {
        for object in &mut self.objects {
            let mut firsts: BTreeMap<u32, u32> = BTreeMap::new();
            for id in &object.ids {
                let count = firsts.entry(id.geometry).or_default();
                *count = id.primitive.saturating_add(1).max(*count);
            }
            let mut next = 0u32;
            for first in firsts.values_mut() {
                let count = std::mem::replace(first, next);
                next = next.saturating_add(count);
            }
            for id in &mut object.ids {
                id.primitive = id.primitive.saturating_add(firsts[&id.geometry]);
                id.geometry = 0;
            }
        }
        self
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rule;

impl crate::CheckRule for Rule {
    fn name(self) -> &'static str {
        SOURCE.name
    }

    fn severity(self) -> Severity {
        SOURCE.severity
    }
}

/// How an image differs from a scene, at the leaves that hold what is wrong. Offsets count over the
/// segments of the image.
#[must_use]
pub fn differences(image: &dyn AnyChecked, scene: &Geometry) -> Vec<Finding> {
    let mut comparison = Comparison {
        image,
        places: image.node_places().unwrap_or_default(),
        told: if image.keeps_flags() { ScenePromises::by(scene) } else { ScenePromises::default() },
        findings: Findings::default(),
    };
    let scene = match image.numbers_through() {
        true => &scene.clone().numbered_through(),
        false => scene,
    };
    for (blas, object) in comparison.levels(scene) {
        let nothing = Primitives::default();
        if let Some(stored) = image.tree().blases.get(blas) {
            comparison.level(blas, stored, scene.objects.get(object).unwrap_or(&nothing));
        }
    }
    comparison.findings.into_sorted()
}

/// What a scene says beside shapes and places.
#[derive(Default)]
struct ScenePromises {
    opacity: bool,
    flags: bool,
    custom_indices: bool,
    sbt_offsets: bool,
}

impl ScenePromises {
    fn by(scene: &Geometry) -> Self {
        let mut opaque = scene.objects.iter().flat_map(|object| &object.ids).map(is_opaque);
        let first = opaque.next();
        let any = |is_told: fn(&Instance) -> bool| scene.instances.iter().any(is_told);
        Self {
            opacity: opaque.any(|other| Some(other) != first),
            flags: any(|instance| !instance.flags.is_empty()),
            custom_indices: any(|instance| instance.custom_index != 0),
            sbt_offsets: any(|instance| instance.sbt_offset != 0),
        }
    }

    /// What is told of an instance, as text.
    fn text(&self, instance: &Instance) -> String {
        let mut text = format!("{:?}, mask {:#04x}", instance.object_to_world.rows, instance.mask);
        if self.flags {
            text += &format!(", flags {:#x}", instance.flags.bits());
        }
        if self.custom_indices {
            text += &format!(", custom index {}", instance.custom_index);
        }
        if self.sbt_offsets {
            text += &format!(", offset of shader bindings {}", instance.sbt_offset);
        }
        text
    }

    /// Whether two instances differ in what is told, places aside. How faces are culled is lost
    /// where there are none.
    fn differ(&self, a: &Instance, b: &Instance, has_faces: bool) -> bool {
        let facing = InstanceFlags::DISABLE_FACE_CULL | InstanceFlags::FLIP_FACING;
        let told = if has_faces { InstanceFlags::all() } else { !facing };
        a.mask != b.mask
            || self.flags && (a.flags ^ b.flags).intersects(told)
            || self.custom_indices && a.custom_index != b.custom_index
            || self.sbt_offsets && a.sbt_offset != b.sbt_offset
    }
}

struct Comparison<'a> {
    image: &'a dyn AnyChecked,
    places: Vec<Vec<NodePlace>>,
    told: ScenePromises,
    findings: Findings<Rule>,
}

/// What is compared of a primitive.
#[derive(PartialEq)]
enum Shape {
    Triangle([[u32; 3]; 3]),
    Box([[u32; 3]; 2]),
}

impl Comparison<'_> {
    /// Which BLAS stands for which object, by the instances; notes where these differ.
    fn levels(&mut self, scene: &Geometry) -> BTreeSet<(usize, usize)> {
        let tree = self.image.tree();
        let stored = tree.tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
        if stored.is_empty() && scene.instances.is_empty() {
            return BTreeSet::from([(0, 0)]);
        }
        let address = self.image.image().bases.first().copied().unwrap_or(0);
        if stored.len() != scene.instances.len() {
            let [found, expected] =
                [stored.len(), scene.instances.len()].map(|count| format!("{count} instances"));
            self.add(address, "instances".into(), found, expected);
        }
        let mut levels = BTreeSet::new();
        for (number, (stored, wanted)) in stored.iter().zip(&scene.instances).enumerate() {
            // What places nothing need not be there.
            if scene.objects.get(wanted.blas as usize).is_none_or(Primitives::is_empty) {
                continue;
            }
            levels.insert((stored.blas as usize, wanted.blas as usize));
            let is_placed = stored.object_to_world == wanted.object_to_world
                || stored.world_to_object == wanted.world_to_object;
            let has_faces = !scene.objects[wanted.blas as usize].triangles.is_empty();
            if !is_placed || self.told.differ(stored, wanted, has_faces) {
                let [found, expected] = [stored, wanted].map(|one| self.told.text(one));
                self.add(address, format!("instance {number}"), found, expected);
            }
        }
        levels
    }

    /// Compares a BLAS with an object.
    fn level(&mut self, blas: usize, stored: &Blas, wanted: &Primitives) {
        let by_id: HashMap<(u32, u32), usize> = (0..wanted.len())
            .filter(|&number| !is_inactive(wanted, number))
            .map(|number| (ids(&wanted.ids[number]), number))
            .collect();
        let mut missing: BTreeMap<(u32, u32), usize> =
            by_id.iter().map(|(&id, &number)| (id, number)).collect();
        let mut wrong: Vec<(usize, String, String)> = Vec::new();
        for (number, stored_id) in stored.primitives.ids.iter().enumerate() {
            let id = self.scene_ids(stored_id);
            let found = shape(&stored.primitives, number);
            missing.remove(&id);
            let Some(&place) = by_id.get(&id) else {
                wrong.push((number, self.named(id, &found), "no such primitive".into()));
                continue;
            };
            let expected = shape(wanted, place);
            let opacity = [is_opaque(stored_id), is_opaque(&wanted.ids[place])];
            if expected != found {
                wrong.push((number, self.named(id, &found), expected.text()));
            } else if self.told.opacity && opacity[0] != opacity[1] {
                let word = |is: bool| if is { "opaque" } else { "not opaque" };
                let [found, expected] = opacity.map(word);
                let (geometry, primitive) = id;
                let found = format!("geometry {geometry}, primitive {primitive}: {found}");
                wrong.push((number, found, expected.into()));
            }
        }
        let addresses = if wrong.is_empty() { Vec::new() } else { self.leaf_addresses(blas) };
        for (number, found, expected) in wrong {
            let address = addresses.get(number).copied().flatten().unwrap_or(0);
            self.add(address, format!("BLAS {blas}"), found, expected);
        }
        let root = self.places.get(blas).and_then(|level| level.first());
        let root = root.map_or(0, |place| place.address);
        for (id, number) in missing {
            let expected = self.named(id, &shape(wanted, number));
            self.add(root, format!("BLAS {blas}"), "no such primitive".into(), expected);
        }
    }

    fn named(&self, (geometry, primitive): (u32, u32), shape: &Shape) -> String {
        format!("geometry {geometry}, primitive {primitive}: {}", shape.text())
    }

    /// The ids of the scene, where a format keeps others.
    fn scene_ids(&self, id: &PrimitiveId) -> (u32, u32) {
        let (geometry, primitive) = ids(id);
        let hit = Hit { t: 0.0, u: 0.0, v: 0.0, instance: 0, geometry, primitive };
        let hit = self.image.scene_hit(hit);
        (hit.geometry, hit.primitive)
    }

    /// For each primitive of a BLAS, the address of a leaf that holds it.
    fn leaf_addresses(&self, blas: usize) -> Vec<Option<u64>> {
        let Blas { primitives, bvh } = &self.image.tree().blases[blas];
        let mut addresses = vec![None; primitives.len()];
        let Some(places) = self.places.get(blas) else { return addresses };
        for (node, place) in bvh.nodes().iter().zip(places) {
            if node.link.is_leaf() {
                for &item in bvh.items(node) {
                    addresses[item as usize] = Some(place.address);
                }
            }
        }
        addresses
    }

    fn add(&mut self, address: u64, place: String, found: String, expected: String) {
        let offset = offset_of(self.image.image(), address);
        self.findings.add(Rule, offset, 0..1024, place, found, expected);
    }
}

fn offset_of(image: &Image, address: u64) -> u64 {
    let mut before = 0;
    for segment in &image.segments {
        if segment.get(address, 1).is_some() {
            return before + (address - segment.address);
        }
        before += segment.bytes().len() as u64;
    }
    0
}

fn ids(id: &PrimitiveId) -> (u32, u32) {
    (id.geometry, id.primitive)
}

fn is_opaque(id: &PrimitiveId) -> bool {
    id.flags.contains(PrimitiveFlags::OPAQUE)
}

/// Whether nothing can hit a primitive, so that builders leave it out.
fn is_inactive(primitives: &Primitives, number: usize) -> bool {
    match number.checked_sub(primitives.triangles.len()) {
        None => !primitives.triangles[number].vertices.iter().all(|vertex| vertex.is_finite()),
        Some(number) => primitives.boxes[number].is_empty(),
    }
}

fn shape(primitives: &Primitives, number: usize) -> Shape {
    match number.checked_sub(primitives.triangles.len()) {
        None => Shape::triangle(&primitives.triangles[number]),
        Some(number) => Shape::procedural(&primitives.boxes[number]),
    }
}

/// Bits, those of -0 as those of 0.
fn bits(point: geometry::Vec3) -> [u32; 3] {
    point.to_array().map(|x| (x + 0.0).to_bits())
}

impl Shape {
    fn triangle(triangle: &Triangle) -> Self {
        Self::Triangle(triangle.vertices.map(bits))
    }

    fn procedural(bounds: &Aabb) -> Self {
        Self::Box([bits(bounds.min), bits(bounds.max)])
    }

    fn text(&self) -> String {
        let (name, points) = match self {
            Self::Triangle(corners) => ("triangle", &corners[..]),
            Self::Box(corners) => ("box", &corners[..]),
        };
        let points: Vec<String> =
            points.iter().map(|point| format!("{:?}", point.map(f32::from_bits))).collect();
        format!("{name} {}", points.join(" "))
    }
}
