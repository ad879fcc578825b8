//! An update: the same tree over geometry that moved, in the bytes of an image.
//!
//! Leaves get the new vertices, boxes are fitted to them from the bottom up, and nothing else
//! changes, as RADV's and GPURT's updates have it: planes are the exact bounds of what is below,
//! rounded outward where a box stores halves or codes. Instances get their new transforms. The same
//! input gives the same bytes.
//!
//! A margin that siliray's own encoder gave to boxes is gone afterwards.

use super::scene::{Missing, Moved, OtherInstances, Rewritten, objects, triangle_bounds};
use crate::decode::bounds::union;
use crate::image::decode::{instance_numbers, leaf_node};
use crate::image::dialect::{Dialect, Shape, StoredPrimitive};
use crate::layout::Bvh4Pointer;
use crate::layout::triangle_info::{TriangleInfo, own_order};
use crate::survey::{Memory, Survey, Surveyed, Target};
use geometry::{Aabb, Transform, Vec3};
use machine::Image;
use machine::source::Geometry;
use tree::primitives::Primitive;
use tree::{Instance, PrimitiveId, Tree};

/// Why an image cannot be updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RefitError {
    /// An instance that is entered below the root of its structure.
    #[error(
        "an instance enters the structure at {0:#x} below its root, which an update does not keep"
    )]
    Rebraided(u64),
    /// The scene has other instances.
    #[error(transparent)]
    Instances(#[from] OtherInstances),
    /// The scene lacks a primitive.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A leaf has no room for the new vertices.
    #[error("geometry {geometry}, primitive {primitive} no longer fits node {node}: {reason}")]
    Leaf {
        /// Which geometry.
        geometry: u32,
        /// Which primitive of it.
        primitive: u32,
        /// The leaf.
        node: Bvh4Pointer,
        /// What it lacks.
        reason: &'static str,
    },
    /// Boxes that their node cannot hold.
    #[error("the planes of box {0} are infinite, or too far for halves")]
    Boxes(Bvh4Pointer),
}

/// The image with the geometry of a scene; `tree` is what the image decodes to.
///
/// # Errors
/// When the scene does not have what the image holds, or the image no room for it.
pub fn refit<D: Dialect>(
    image: &Image,
    survey: &Survey<D>,
    tree: &Tree,
    scene: &Geometry,
) -> Result<Image, RefitError> {
    if let Some(part) = survey.structures.iter().find(|surveyed| surveyed.is_part) {
        return Err(RefitError::Rebraided(part.structure.base()));
    }
    let memory = Memory::new(image);
    let mut refit = Rewritten { memory: &memory, image: image.clone() };
    let (tlas, blases) = survey.levels();
    let objects = objects(tree, scene, blases.len())?;
    let fitted = blases.iter().zip(&objects).map(|(blas, it)| refit.blas(blas, it.as_ref()));
    let fitted: Vec<Aabb> = fitted.collect::<Result<_, _>>()?;
    if let Some(tlas) = tlas {
        let first = survey.structures.len() - blases.len();
        refit.tlas(tlas, first, &fitted, &scene.instances)?;
    }
    Ok(refit.image)
}

/// The vertices of triangles 0 and 1 in test order.
const CORNERS: [[usize; 3]; 2] = [[0, 1, 2], [1, 3, 2]];
/// Where a node describes its triangles.
const ID_DWORD: usize = 15;

impl Rewritten<'_> {
    /// Updates a BLAS and gives its bounds; without primitives, only sums it up.
    fn blas<D: Dialect>(
        &mut self,
        surveyed: &Surveyed<D>,
        object: Option<&Moved<'_>>,
    ) -> Result<Aabb, RefitError> {
        let mut leaves = Vec::with_capacity(surveyed.leaves.len());
        for (number, record) in surveyed.leaves.iter().enumerate() {
            let Some(node) = leaf_node(self.memory, surveyed, number) else {
                leaves.push(Aabb::EMPTY);
                continue;
            };
            let mut held = node;
            if let Some(object) = object {
                for stored in &mut held.primitives[..node.count.min(2)] {
                    stored.shape = moved(stored, record.pointer, object)?;
                }
                self.leaf(surveyed, record.pointer, held.all())?;
            }
            let bounds = held.all().iter().map(|stored| bounds(&stored.shape));
            leaves.push(bounds.fold(Aabb::EMPTY, union));
        }
        self.boxes(surveyed, |target| match target {
            Target::Leaf(number) => leaves[number as usize],
            Target::Box(_) | Target::Instance(_) => Aabb::EMPTY,
        })
    }

    /// Writes the vertices or the box of a leaf.
    fn leaf<D: Dialect>(
        &mut self,
        surveyed: &Surveyed<D>,
        pointer: Bvh4Pointer,
        held: &[StoredPrimitive],
    ) -> Result<(), RefitError> {
        let address = surveyed.structure.address_of(pointer);
        let Some(bits) = self.memory.half_node(address) else { return Ok(()) };
        let old = *bits.words();
        let mut words = old;
        let mut written = [false; 4];
        for (which, stored) in held.iter().enumerate() {
            match stored.shape {
                Shape::Box(bounds) if surveyed.structure.keeps_procedural_boxes() => {
                    put(&mut words, 0, bounds.min);
                    put(&mut words, 1, bounds.max);
                }
                Shape::Box(_) => (),
                Shape::Triangle(triangle) => {
                    let info = TriangleInfo::from_byte(old[ID_DWORD].to_le_bytes()[which]);
                    let order = own_order(info).unwrap_or([0, 1, 2]);
                    for (own, tested) in order.into_iter().enumerate() {
                        let vertex = CORNERS[which][tested];
                        let corner = kept(at(&old, vertex), triangle.vertices[own]);
                        if written[vertex] && at(&words, vertex) != corner {
                            let reason = "it shares a vertex with another that moved apart";
                            let (geometry, primitive) = (stored.id.geometry, stored.id.primitive);
                            let node = pointer;
                            return Err(RefitError::Leaf { geometry, primitive, node, reason });
                        }
                        written[vertex] = true;
                        put(&mut words, vertex, corner);
                    }
                    // A single repeats its last vertex.
                    let is_repeated = held.len() == 1 && old[6..9] == old[9..12];
                    if is_repeated {
                        words.copy_within(6..9, 9);
                    }
                }
            }
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(address, &bytes);
        Ok(())
    }

    /// Fits the boxes of a structure to what is below them, from the bottom up, and its header.
    fn boxes<D: Dialect>(
        &mut self,
        surveyed: &Surveyed<D>,
        below: impl Fn(Target) -> Aabb,
    ) -> Result<Aabb, RefitError> {
        let structure = &surveyed.structure;
        let mut bounds = vec![Aabb::EMPTY; surveyed.boxes.len()];
        for (number, record) in surveyed.boxes.iter().enumerate().rev() {
            let mut slots = [None; 4];
            for child in &surveyed.children[record.children()] {
                let around = match child.target {
                    Target::Box(number) => bounds[number as usize],
                    other => below(other),
                };
                bounds[number] = union(bounds[number], around);
                slots[usize::from(child.slot() & 3)] = Some(around).filter(|it| !it.is_empty());
            }
            if slots.iter().any(Option::is_some) {
                let bytes = structure.with_boxes(self.memory, record.pointer, &slots);
                let bytes = bytes.ok_or(RefitError::Boxes(record.pointer))?;
                self.write(structure.address_of(record.pointer), &bytes);
            }
        }
        let all = bounds.first().copied().unwrap_or(Aabb::EMPTY);
        let place = structure.header(self.memory).and_then(|header| header.bounds);
        if let Some(place) = place.filter(|_| !all.is_empty()) {
            self.write_box(place, &all);
        }
        Ok(all)
    }

    /// Updates a TLAS over structures that were; `first` of them comes behind it.
    fn tlas<D: Dialect>(
        &mut self,
        tlas: &Surveyed<D>,
        first: usize,
        fitted: &[Aabb],
        instances: &[Instance],
    ) -> Result<(), RefitError> {
        let numbers = instance_numbers(self.memory, tlas);
        let mut placed = vec![Aabb::EMPTY; tlas.instances.len()];
        for (position, (record, number)) in tlas.instances.iter().zip(numbers).enumerate() {
            let below = record.below.and_then(|below| fitted.get(below as usize - first));
            let stored = tlas.structure.instance(self.memory, record.pointer);
            let (Some(below), Some(stored), Some(instance)) =
                (below, stored, instances.get(number as usize))
            else {
                continue;
            };
            let address = tlas.structure.address_of(record.pointer);
            if stored.world_to_object != instance.world_to_object {
                self.transform(address, stored.bits.transform.0, &instance.world_to_object);
                if stored.beside.is_some() {
                    self.transform(address, stored.bits.way_back.0, &instance.object_to_world);
                }
            }
            placed[position] = instance.world_bounds(below).unwrap_or(Aabb::EMPTY);
        }
        self.boxes(tlas, |target| match target {
            Target::Instance(number) => placed[number as usize],
            Target::Box(_) | Target::Leaf(_) => Aabb::EMPTY,
        })?;
        Ok(())
    }

    fn transform(&mut self, node: u64, bit: u32, transform: &Transform) {
        let rows = transform.rows.as_flattened();
        let bytes: Vec<u8> = rows.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.write(node + u64::from(bit / 8), &bytes);
    }
}

/// Where a primitive is now.
fn moved(
    stored: &StoredPrimitive,
    node: Bvh4Pointer,
    object: &Moved<'_>,
) -> Result<Shape, RefitError> {
    match (stored.shape, object.find(stored.id)?) {
        (Shape::Triangle(_), Primitive::Triangle(triangle)) => Ok(Shape::Triangle(*triangle)),
        (Shape::Box(_), Primitive::Box(bounds)) => Ok(Shape::Box(*bounds)),
        _ => {
            let reason = "it is another kind of primitive";
            let PrimitiveId { geometry, primitive, .. } = stored.id;
            Err(RefitError::Leaf { geometry, primitive, node, reason })
        }
    }
}

fn bounds(shape: &Shape) -> Aabb {
    match shape {
        Shape::Triangle(triangle) => triangle_bounds(triangle),
        Shape::Box(bounds) => *bounds,
    }
}

/// Of +0 and -0, the one that is stored stays.
fn kept(stored: Vec3, corner: Vec3) -> Vec3 {
    let [stored, corner] = [stored.to_array(), corner.to_array()];
    Vec3::from_array(std::array::from_fn(|axis| {
        if stored[axis] == corner[axis] { stored[axis] } else { corner[axis] }
    }))
}

fn at(words: &[u32; 16], vertex: usize) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|axis| f32::from_bits(words[3 * vertex + axis])))
}

fn put(words: &mut [u32; 16], vertex: usize, corner: Vec3) {
    words[3 * vertex..3 * vertex + 3].copy_from_slice(&corner.to_array().map(f32::to_bits));
}
