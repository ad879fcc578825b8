//! An update: the same tree over geometry that moved, in the bytes of an image.
//!
//! Leaves get the new vertices, boxes are fitted to them from the bottom up, and nothing else
//! changes, as RADV's and GPURT's updates have it: planes are the exact bounds of what is below,
//! rounded outward where a box stores halves or codes. Instances get their new transforms. The same
//! input gives the same bytes.
//!
//! A margin that siliray's own encoder gave to boxes is gone afterwards.

use crate::decode::bounds::union;
use crate::image::decode::{instance_numbers, leaf_node};
use crate::image::dialect::{Dialect, Shape, StoredPrimitive};
use crate::layout::Bvh4Pointer;
use crate::layout::triangle_info::{TriangleInfo, own_order};
use crate::survey::{Memory, Survey, Surveyed, Target};
use geometry::{Aabb, Transform, Vec3};
use machine::Image;
use machine::source::Geometry;
use std::collections::HashMap;
use tree::{Instance, Primitives, Tree};

/// Why an image cannot be updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RefitError {
    /// An instance that is entered below the root of its structure.
    #[error(
        "an instance enters the structure at {0:#x} below its root, which an update does not keep"
    )]
    Rebraided(u64),
    /// The scene has other instances.
    #[error("the scene has {found} instances, the image {expected}")]
    Instances {
        /// Those of the scene.
        found: usize,
        /// Those of the image.
        expected: usize,
    },
    /// The scene lacks a primitive.
    #[error("the scene has no geometry {geometry}, primitive {primitive}")]
    Missing {
        /// Which geometry.
        geometry: u32,
        /// Which primitive of it.
        primitive: u32,
    },
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
    let mut refit = Refit { memory: &memory, image: image.clone() };
    let (tlas, blases) = survey.levels();
    let stored = tree.tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
    if tlas.is_some() && stored.len() != scene.instances.len() {
        let (found, expected) = (scene.instances.len(), stored.len());
        return Err(RefitError::Instances { found, expected });
    }
    let nothing = Primitives::default();
    let mut fitted = Vec::new();
    for (number, blas) in blases.iter().enumerate() {
        let placed = stored.iter().zip(&scene.instances);
        let mut placed = placed.filter(|(stored, _)| stored.blas as usize == number);
        // A structure that no instance shows stays as it is.
        let object = match tlas {
            Some(_) => placed.next().map(|(_, wanted)| wanted.blas as usize),
            None => Some(0),
        };
        let primitives = object.map(|object| scene.objects.get(object).unwrap_or(&nothing));
        fitted.push(refit.blas(blas, primitives)?);
    }
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

struct Refit<'a> {
    memory: &'a Memory<'a>,
    image: Image,
}

impl Refit<'_> {
    fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut segments = self.image.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.get(address, bytes.len()).is_some())
        {
            let at = (address - segment.address) as usize;
            segment.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Updates a BLAS and gives its bounds; without primitives, only sums it up.
    fn blas<D: Dialect>(
        &mut self,
        surveyed: &Surveyed<D>,
        primitives: Option<&Primitives>,
    ) -> Result<Aabb, RefitError> {
        let by_id = primitives.map(ids).unwrap_or_default();
        let mut leaves = Vec::with_capacity(surveyed.leaves.len());
        for (number, record) in surveyed.leaves.iter().enumerate() {
            let Some(node) = leaf_node(self.memory, surveyed, number) else {
                leaves.push(Aabb::EMPTY);
                continue;
            };
            let mut held = node;
            if let Some(primitives) = primitives {
                for stored in &mut held.primitives[..node.count.min(2)] {
                    stored.shape = moved(stored, record.pointer, primitives, &by_id)?;
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
            let corners = [all.min.to_array(), all.max.to_array()];
            let bytes: Vec<u8> =
                corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
            self.write(place, &bytes);
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

fn ids(primitives: &Primitives) -> HashMap<(u32, u32), usize> {
    let ids = primitives.ids.iter().enumerate();
    ids.map(|(number, id)| ((id.geometry, id.primitive), number)).collect()
}

/// Where a primitive is now.
fn moved(
    stored: &StoredPrimitive,
    node: Bvh4Pointer,
    primitives: &Primitives,
    by_id: &HashMap<(u32, u32), usize>,
) -> Result<Shape, RefitError> {
    let (geometry, primitive) = (stored.id.geometry, stored.id.primitive);
    let number = by_id.get(&(geometry, primitive)).copied();
    let number = number.ok_or(RefitError::Missing { geometry, primitive })?;
    match (stored.shape, number.checked_sub(primitives.triangles.len())) {
        (Shape::Triangle(_), None) => Ok(Shape::Triangle(primitives.triangles[number])),
        (Shape::Box(_), Some(number)) => Ok(Shape::Box(primitives.boxes[number])),
        _ => {
            let reason = "it is another kind of primitive";
            Err(RefitError::Leaf { geometry, primitive, node, reason })
        }
    }
}

fn bounds(shape: &Shape) -> Aabb {
    match shape {
        Shape::Triangle(triangle) => {
            let points = triangle.vertices.map(|vertex| Aabb::new(vertex, vertex));
            points.into_iter().fold(Aabb::EMPTY, union)
        }
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
