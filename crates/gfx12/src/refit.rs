//! An update: the same tree over geometry that moved, in the bytes of an image.
//!
//! Leaves get the new vertices, boxes are fitted to them from the bottom up, and nothing else
//! changes, as RADV's and GPURT's updates have it: bounds are exact until they are quantised, with
//! the rounding of whoever wrote the structure. Instances get their new transforms, and the boxes
//! of what is below. The same input gives the same bytes.
//!
//! A compressed leaf has room for vertices that share a prefix and trailing zeros as its header
//! says. Geometry that needs more bits cannot be put there: RADV and GPURT compress only what is
//! not to be updated, and so does the encoder with every policy if its setting `updatable` is on.
//! HIPRT compresses nothing.

use crate::Gfx12;
use crate::decode::instances::frame_of;
use crate::decode::{Pairs, Stored, instance_numbers, split_key, stored, union};
use crate::encode::ALLOW_UPDATE;
use crate::encode::hiprt_memory;
use crate::encode::instance::{EmbeddedBoxes, filter_boxes, whole_box};
use crate::encode::obb_fit::{MAX_REFERENCES, rotated_interval};
use crate::encode::tables::root_bounds;
use crate::format::memory;
use crate::layout::{
    BoxNode, GpurtHeader, GpurtSideband, HalfNodeBits, HiprtFrame, InstanceNode, NODE_BYTES,
    Naming, NodeBits, NodePointer, PrimitiveNode, ProceduralBox, ProceduralWriter, RadvHeader,
    RadvInstanceData,
};
use crate::obb;
use crate::quantize::{QuantizeError, quantize, quantize_radv};
use crate::survey::{Header, Structure, Surveyed, Target};
use bvh4::update::scene::{Missing, Moved, OtherInstances, Rewritten, objects, triangle_bounds};
use geometry::{Aabb, Transform, Vec3};
use machine::source::Geometry;
use machine::{Checked, Image, TreeFormat};
use std::collections::HashMap;
use tree::Instance;
use tree::primitives::Primitive;

/// Why an image cannot be updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RefitError {
    /// A rotated node whose boxes others copy.
    #[error("box {0} is rotated, and is a root or lies above instances: these copy its boxes")]
    Rotated(NodePointer),
    /// An instance that is entered at some depth.
    #[error("instance {0} names nodes below the children of a root, whose boxes it cannot copy")]
    Rebraided(NodePointer),
    /// The scene has other instances.
    #[error(transparent)]
    Instances(#[from] OtherInstances),
    /// The scene lacks a primitive.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A leaf has no room for the new vertices.
    #[error(
        "geometry {geometry}, primitive {primitive} no longer fits primitive node {node}: {reason}"
    )]
    Bits {
        /// Which geometry.
        geometry: u32,
        /// Which primitive of it.
        primitive: u32,
        /// The leaf.
        node: NodePointer,
        /// What it lacks.
        reason: &'static str,
    },
    /// Boxes that the format cannot hold.
    #[error("box {node}: {source}")]
    Boxes {
        /// The node.
        node: NodePointer,
        /// What is wrong with them.
        source: QuantizeError,
    },
}

/// The image with the geometry of a scene.
///
/// # Errors
/// When the scene does not have what the image holds, or the image no room for it.
pub fn refit(checked: &Checked<Gfx12>, scene: &Geometry) -> Result<Image, RefitError> {
    let survey = checked.proof().survey();
    let memory = memory(checked);
    let rewritten = Rewritten { memory: &memory, image: checked.image().clone() };
    let mut refit = Refit { rewritten };
    let (tlas, blases) = survey.levels();
    let scene = match Gfx12::numbers_through(checked) {
        true => &scene.clone().numbered_through(),
        false => scene,
    };
    let objects = objects(checked.tree(), scene, blases.len())?;
    let fitted = blases.iter().zip(&objects).map(|(blas, it)| refit.blas(blas, it.as_ref()));
    let fitted: Vec<Fitted> = fitted.collect::<Result<_, _>>()?;
    if let Some(tlas) = tlas {
        refit.tlas(checked, tlas, blases, &fitted, &scene.instances)?;
    }
    Ok(refit.rewritten.image)
}

/// The encoder's settings by which an image of other geometry is laid out as this one. An update
/// leaves no margin.
#[must_use]
pub fn settings(checked: &Checked<Gfx12>) -> Vec<(&'static str, &'static str)> {
    let structures = &checked.proof().survey().structures;
    let headers = || structures.iter().filter_map(|surveyed| surveyed.structure.header);
    let is_radv = structures.iter().any(|surveyed| surveyed.structure.is_radv());
    let allows = |header: &Header| match header {
        Header::Radv(header) => header.is_blas() && header.build_flags & ALLOW_UPDATE != 0,
        Header::Gpurt(header) => header.is_blas() && header.build_flags() & ALLOW_UPDATE != 0,
        Header::Hiprt(_) => false,
    };
    let is_updatable = headers().any(|header| allows(&header));
    let is_hiprt = structures.iter().any(|surveyed| surveyed.structure.is_hiprt());
    // A range of GPURT's has two triangles at most.
    let mut nodes = checked.tree().blases.iter().flat_map(|blas| blas.bvh.nodes());
    let has_long_ranges = nodes.any(|node| node.link.is_leaf() && node.link.count() > 2);
    let policy = match (is_radv, is_hiprt) {
        (true, _) => "radv",
        (_, true) => "hiprt",
        _ if has_long_ranges => "dense",
        _ => "gpurt",
    };
    let updatable = if is_updatable { "on" } else { "off" };
    vec![("policy", policy), ("updatable", updatable), ("margin", "off")]
}

/// A structure after its update: its root, if that is a box, and its bounds.
struct Fitted {
    root: Option<BoxNode>,
    bounds: Aabb,
}

/// An image of 8-wide nodes in which an update is made.
struct Refit<'a> {
    rewritten: Rewritten<'a>,
}

impl Refit<'_> {
    /// Updates a BLAS; without primitives, only sums it up.
    fn blas(
        &mut self,
        surveyed: &Surveyed,
        object: Option<&Moved<'_>>,
    ) -> Result<Fitted, RefitError> {
        let pairs = Pairs::new(self.rewritten.memory, surveyed);
        let mut held_by: HashMap<u64, [Option<Stored>; 2]> = HashMap::new();
        for same_node in pairs.keys().chunk_by(|a, b| a / 8 == b / 8) {
            let Some(pointer) = NodePointer::new(split_key(same_node[0]).0, 0) else { continue };
            let bits = surveyed.node(self.rewritten.memory, pointer);
            let node = surveyed.structure.primitive_node(&bits);
            let node = match object {
                Some(object) => {
                    let moved = moved(&node, same_node, pointer, object)?;
                    let address = surveyed.structure.address_of(pointer);
                    self.rewritten.write(address, &moved.bits().to_bytes());
                    moved
                }
                None => node,
            };
            held_by.extend(same_node.iter().map(|&key| (key, stored(&node, split_key(key).1))));
        }
        let held = |leaf: u32| {
            let keys = &pairs.keys()[pairs.of_leaf(&surveyed.leaves[leaf as usize])];
            keys.iter().filter_map(|key| held_by.get(key)).flatten().flatten()
        };
        let leaves = (0..surveyed.leaves.len() as u32)
            .map(|leaf| held(leaf).map(bounds).fold(Aabb::EMPTY, union));
        let leaves: Vec<Aabb> = leaves.collect();
        let below = |target| match target {
            Target::Leaf(number) => leaves[number as usize],
            Target::Box(_) | Target::Instance(_) => Aabb::EMPTY,
        };
        self.boxes(surveyed, below, |leaf| held(leaf).flat_map(points).collect())
    }

    /// Fits the boxes of a structure to what is below them, from the bottom up, and its header;
    /// `points` are those of a leaf.
    fn boxes(
        &mut self,
        surveyed: &Surveyed,
        below: impl Fn(Target) -> Aabb,
        points: impl Fn(u32) -> Vec<Vec3>,
    ) -> Result<Fitted, RefitError> {
        let mut bounds = vec![Aabb::EMPTY; surveyed.boxes.len()];
        let mut root = None;
        for (number, record) in surveyed.boxes.iter().enumerate().rev() {
            let mut node = BoxNode::decode(&surveyed.node(self.rewritten.memory, record.pointer));
            let matrix = obb::rotation(node.obb_matrix_index);
            if matrix.is_some() && (number == 0 || !surveyed.instances.is_empty()) {
                return Err(RefitError::Rotated(record.pointer));
            }
            let (mut slots, mut boxes) = (Vec::new(), Vec::new());
            for child in &surveyed.children[record.children()] {
                let around = match child.target {
                    Target::Box(number) => bounds[number as usize],
                    other => below(other),
                };
                bounds[number] = union(bounds[number], around);
                if around.is_empty() {
                    continue; // what holds nothing, as an inactive instance, keeps its planes
                }
                let own = match matrix {
                    Some(matrix) => turned(surveyed, child.target, &bounds, &points, matrix),
                    None => around,
                };
                for slot in (0..8usize).filter(|slot| child.slots >> slot & 1 == 1) {
                    slots.push(slot);
                    boxes.push(own);
                }
            }
            if !boxes.is_empty() {
                let quantized = match surveyed.structure.is_radv() {
                    true => quantize_radv(&boxes),
                    false => quantize(&boxes),
                };
                let named = |source| RefitError::Boxes { node: record.pointer, source };
                let quantized = quantized.map_err(named)?;
                node.frame = quantized.frame;
                for (&slot, codes) in slots.iter().zip(&quantized.codes) {
                    node.children[slot] = codes.entry(node.children[slot]);
                }
                let address = surveyed.structure.address_of(record.pointer);
                self.rewritten.write(address, &node.encode().to_bytes());
            }
            root = Some(node);
        }
        let all = bounds.first().copied().unwrap_or_else(|| {
            let leaves = (0..surveyed.leaves.len() as u32).map(|leaf| below(Target::Leaf(leaf)));
            leaves.fold(Aabb::EMPTY, union)
        });
        self.header(&surveyed.structure, root.as_ref(), &all);
        Ok(Fitted { root, bounds: all })
    }

    /// The bounds in a header.
    fn header(&mut self, structure: &Structure, root: Option<&BoxNode>, all: &Aabb) {
        let base = structure.box_base;
        match structure.header {
            Some(Header::Radv(header)) if !all.is_empty() => {
                let at = base - u64::from(header.bvh_offset);
                let start = u64::from(RadvHeader::root_min.bits().start / 8);
                self.rewritten.write_box(at + start, all);
            }
            Some(Header::Gpurt(_)) if !structure.is_radv() => {
                let start = u64::from(GpurtHeader::root_min.bits().start / 8);
                if let Some(root) = root {
                    self.rewritten.write_box(base + start, &root_bounds(root));
                }
            }
            _ => (),
        }
    }

    /// Updates a TLAS over structures that were.
    fn tlas(
        &mut self,
        checked: &Checked<Gfx12>,
        tlas: &Surveyed,
        blases: &[Surveyed],
        fitted: &[Fitted],
        instances: &[Instance],
    ) -> Result<(), RefitError> {
        let numbers = instance_numbers(checked);
        let mut placed = vec![Aabb::EMPTY; tlas.instances.len()];
        let first = checked.proof().survey().structures.len() - blases.len();
        for (position, (record, (_, number))) in tlas.instances.iter().zip(numbers).enumerate() {
            let Some(below) = record.below.map(|below| below as usize - first) else { continue };
            let (Some(fitted), Some(instance)) =
                (fitted.get(below), instances.get(number as usize))
            else {
                continue;
            };
            let old = InstanceNode::decode(&tlas.node(self.rewritten.memory, record.pointer));
            let mut node = InstanceNode { world_to_object: instance.world_to_object, ..old };
            let mut bounds = fitted.bounds;
            let naming = blases[below].structure.naming();
            let is_part =
                node.named_nodes(naming).any(|it| it.pointer != blases[below].structure.root);
            match &fitted.root {
                _ if bounds.is_empty() => (),
                Some(root) if is_part => {
                    let part = copy_part(&mut node, root, naming);
                    bounds = part.ok_or(RefitError::Rebraided(record.pointer))?;
                }
                Some(root) if tlas.structure.is_hiprt() => {
                    hiprt_memory::place(&mut node, instance, root, &bounds);
                }
                Some(root) if !tlas.structure.is_radv() => show(&mut node, filter_boxes(root)),
                _ => show(&mut node, whole_box(&bounds)),
            }
            let address = tlas.structure.address_of(record.pointer);
            self.rewritten.write(address, &node.encode().to_bytes());
            if old.world_to_object != instance.world_to_object {
                self.way_back(tlas, record.pointer, &old, instance);
            }
            placed[position] = instance.world_bounds(&bounds).unwrap_or(Aabb::EMPTY);
        }
        let below = |target| match target {
            Target::Instance(number) => placed[number as usize],
            Target::Box(_) | Target::Leaf(_) => Aabb::EMPTY,
        };
        self.boxes(tlas, below, |_| Vec::new())?;
        Ok(())
    }

    /// The transform that drivers keep beside an instance node.
    fn way_back(
        &mut self,
        tlas: &Surveyed,
        pointer: NodePointer,
        old: &InstanceNode,
        instance: &Instance,
    ) {
        let behind = tlas.structure.address_of(pointer) + NODE_BYTES;
        match tlas.structure.header {
            Some(Header::Radv(_)) => {
                if let Some(bits) = self.rewritten.memory.node(behind) {
                    let object_to_world = instance.object_to_world;
                    let data =
                        RadvInstanceData { object_to_world, ..RadvInstanceData::decode(&bits) };
                    self.rewritten.write(behind, &data.encode().to_bytes());
                }
            }
            Some(Header::Hiprt(header)) => {
                if let Some((address, frame)) = frame_of(self.rewritten.memory, &header, old) {
                    let object_to_world = instance.object_to_world;
                    let frame = HiprtFrame { object_to_world, ..frame };
                    self.rewritten.write(address, &frame.encode().to_bytes());
                }
            }
            _ => {
                let record = tlas.structure.sideband_of(pointer);
                if let Some((address, bits)) =
                    record.and_then(|at| Some((at, self.rewritten.memory.half_node(at)?)))
                {
                    let object_to_world = instance.object_to_world;
                    let data = GpurtSideband { object_to_world, ..GpurtSideband::decode(&bits) };
                    let bits: HalfNodeBits = data.encode();
                    self.rewritten.write(address, &bits.to_bytes());
                }
            }
        }
    }
}

/// The box around a target in a rotated frame; deep down, around the boxes of what is left.
fn turned(
    surveyed: &Surveyed,
    target: Target,
    bounds: &[Aabb],
    points: &impl Fn(u32) -> Vec<Vec3>,
    matrix: &Transform,
) -> Aabb {
    let (mut open, mut visited, mut all) = (vec![target], 0, Aabb::EMPTY);
    let mut around = |points: &[Vec3]| {
        for &point in points {
            let [min, max] = rotated_interval(matrix, point);
            all = union(all, Aabb::new(min, max));
        }
    };
    while let Some(target) = open.pop() {
        visited += 1;
        match target {
            Target::Leaf(number) => around(&points(number)),
            Target::Box(number) if visited > MAX_REFERENCES => {
                around(&bounds[number as usize].corners());
            }
            Target::Box(number) => {
                let children = surveyed.boxes[number as usize].children();
                open.extend(surveyed.children[children].iter().map(|child| child.target));
            }
            Target::Instance(_) => (),
        }
    }
    all
}

/// The boxes of an instance node, two of them or all together where it has fewer.
fn show(node: &mut InstanceNode, (frame, _, fresh): EmbeddedBoxes) {
    node.frame = frame;
    let count = usize::from(node.child_count).clamp(1, 4);
    for (slot, own) in node.children[..count].iter_mut().enumerate() {
        let shown = fresh.iter().enumerate().filter(|(k, _)| k * count / 4 == slot);
        (own.min, own.max) = shown.fold(([0xFFF; 3], [0; 3]), |(min, max), (_, entry)| {
            let lower = std::array::from_fn(|axis| entry.min[axis].min(min[axis]));
            (lower, std::array::from_fn(|axis| entry.max[axis].max(max[axis])))
        });
    }
}

/// The boxes of the children of a root that an instance node names, and the box around them; `None`
/// where it names others.
fn copy_part(node: &mut InstanceNode, root: &BoxNode, naming: Naming) -> Option<Aabb> {
    let pointers = root.child_pointers();
    let mut bounds = Aabb::EMPTY;
    for named in node.named_nodes(naming) {
        let is_it = |&slot: &usize| pointers[slot] == named.pointer;
        let from = (0..root.used_children().len()).find(is_it)?;
        bounds = union(bounds, root.child_box(from));
        for slot in (0..4).filter(|slot| named.slots >> slot & 1 == 1) {
            let own = &mut node.children[slot];
            (own.min, own.max) = (root.children[from].min, root.children[from].max);
        }
    }
    node.frame = root.frame;
    Some(bounds)
}

/// Points whose hull it is.
fn points(stored: &Stored) -> Vec<Vec3> {
    match stored {
        Stored::Triangle(triangle, _) => triangle.vertices.to_vec(),
        Stored::Box(bounds, _) => bounds.corners().to_vec(),
    }
}

fn bounds(stored: &Stored) -> Aabb {
    match stored {
        Stored::Triangle(triangle, _) => triangle_bounds(triangle),
        Stored::Box(bounds, _) => *bounds,
    }
}

/// A leaf with the new vertices of its pairs.
fn moved(
    node: &PrimitiveNode,
    keys: &[u64],
    pointer: NodePointer,
    object: &Moved<'_>,
) -> Result<PrimitiveNode, RefitError> {
    let mut vertices: Vec<Option<Vec3>> = vec![None; 16];
    let mut bits = *node.bits();
    for &key in keys {
        let pair = split_key(key).1;
        for (which, held) in stored(node, pair).iter().enumerate() {
            let Some(held) = held else { continue };
            let (Stored::Triangle(_, id) | Stored::Box(_, id)) = held;
            let (geometry, primitive) = (id.geometry, id.primitive);
            let unfit = |reason| RefitError::Bits { geometry, primitive, node: pointer, reason };
            match (held, object.find(*id)?) {
                (Stored::Triangle(..), Primitive::Triangle(triangle)) => {
                    let indices = node.pair(pair).triangles[which].indices;
                    for (index, corner) in indices.into_iter().zip(triangle.vertices) {
                        // Of +0 and -0, the one that is stored stays.
                        let kept = node.position(usize::from(index));
                        let corner = if kept == corner { kept } else { corner };
                        let vertex = &mut vertices[usize::from(index)];
                        if vertex.is_some_and(|other| other != corner) {
                            return Err(unfit("it shares a vertex with another that moved apart"));
                        }
                        *vertex = Some(corner);
                    }
                    write_vertices(node, &vertices, &mut bits).map_err(unfit)?;
                }
                (Stored::Box(..), Primitive::Box(bounds)) => {
                    let writer = ProceduralWriter::of(node);
                    let own =
                        ProceduralBox { bounds: *bounds, ..ProceduralBox::read(node, writer) };
                    let written = own.write(writer).map_err(|_| unfit("its ids are too large"))?;
                    bits = *written.bits();
                }
                _ => return Err(unfit("it is another kind of primitive")),
            }
        }
    }
    Ok(PrimitiveNode::decode(&bits))
}

/// Writes vertices where a node's header has room for them.
fn write_vertices(
    node: &PrimitiveNode,
    vertices: &[Option<Vec3>],
    bits: &mut NodeBits,
) -> Result<(), &'static str> {
    let header = node.header();
    let zeros = u32::from(header.trailing_zeros);
    for axis in 0..3 {
        let width = u32::from(header.vertex_bits[axis]);
        let mut prefix = None;
        for (index, vertex) in vertices.iter().enumerate() {
            let Some(vertex) = vertex else { continue };
            let word = vertex[axis].to_bits();
            if word & ((1u64 << zeros) - 1) as u32 != 0 {
                return Err("it needs bits where the node has trailing zeros");
            }
            let payload = u64::from(word) >> zeros;
            let above = payload >> width;
            if *prefix.get_or_insert(above) != above {
                return Err("its vertices no longer share their upper bits");
            }
            bits.set(header.vertex_range(index, axis), (payload & ((1 << width) - 1)) as u32);
        }
        if let Some(prefix) = prefix.filter(|_| header.prefix_bits(axis) > 0) {
            bits.set(header.prefix_range(axis), prefix as u32);
        }
    }
    Ok(())
}
