//! What is odd or lossy about a structure that is sound: the warnings.

use super::decode::{leaf_node, stored_numbers};
use super::dialect::{Dialect, HeaderKind, ParentPlace, Shape, StoredInstance};
use super::outside::{Outside, unit_in_last_place};
use super::{Findings, Rule, box_text as text};
use crate::decode::bounds::{unbounded_where_nan, widest_box};
use crate::decode::is_inverse;
use crate::layout::{Bvh4Kind, Bvh4Pointer, CullFlags, GpurtHeader, PointerFlags};
use crate::survey::findings::Place;
use crate::survey::{Memory, Surveyed, Target};
use crate::unit::FourBoxes;
use geometry::{Aabb, InstanceFlags};
use std::ops::Range;

/// The bits of a node's vertices, and of a procedural's box.
const VERTEX_BITS: Range<u32> = 0..384;
const BOX_BITS: Range<u32> = 0..192;

/// What a structure, or a part of one, holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// The box around it.
    pub(super) bounds: Aabb,
    /// What can be said of all of it; `None` of nothing.
    pub(super) cull_flags: Option<CullFlags>,
    triangles: u32,
}

impl Held {
    const NOTHING: Self = Self { bounds: Aabb::EMPTY, cull_flags: None, triangles: 0 };

    fn and(self, other: Self) -> Self {
        Self {
            bounds: self.bounds.union(other.bounds),
            cull_flags: match (self.cull_flags, other.cull_flags) {
                (Some(a), Some(b)) => Some(a & b),
                (a, b) => a.or(b),
            },
            triangles: self.triangles.saturating_add(other.triangles),
        }
    }
}

/// Looks at everything in a structure. `blases` is what the structures from number 1 on hold.
pub(super) fn check_contents<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    blases: &[Held],
    findings: &mut Findings,
) -> Held {
    let mut check = ContentsCheck { memory, surveyed, findings };
    let leaves: Vec<Held> = (0..surveyed.leaves.len()).map(|leaf| check.leaf(leaf)).collect();
    let instances: Vec<Held> = surveyed
        .instances
        .iter()
        .map(|instance| {
            let held =
                instance.below.and_then(|below| blases.get((below as usize).checked_sub(1)?));
            check.instance(instance.pointer, held.unwrap_or(&Held::NOTHING))
        })
        .collect();
    check.sidebands();
    let mut boxes = vec![Held::NOTHING; surveyed.boxes.len()];
    for (number, record) in surveyed.boxes.iter().enumerate().rev() {
        let children = surveyed.children[record.children()].iter();
        let parts = children.map(|child| match child.target {
            Target::Box(child) => boxes[child as usize],
            Target::Leaf(leaf) => leaves[leaf as usize],
            Target::Instance(instance) => instances[instance as usize],
        });
        boxes[number] = parts.fold(Held::NOTHING, Held::and);
    }
    // What cannot be reached for an error is missing from the whole.
    let widest = boxes.first().and_then(|all| widest_box(&all.bounds));
    let widest = widest.filter(|_| check.findings.is_sound());
    if is_fitted(memory, surveyed, &boxes) {
        check.slack(&boxes, &leaves);
    }
    for (number, record) in surveyed.boxes.iter().enumerate() {
        let Some(node) = surveyed.structure.four_boxes(memory, record.pointer) else { continue };
        let triangles = boxes[number].triangles;
        check.with_report(record.pointer, |report| {
            surveyed.structure.check_box(memory, record.pointer, triangles, report);
        });
        for child in &surveyed.children[record.children()] {
            let (slot, pointer) = (child.slot(), surveyed.pointer(child.target));
            let held = match child.target {
                Target::Box(n) => &boxes[n as usize],
                Target::Leaf(n) => &leaves[n as usize],
                Target::Instance(n) => &instances[n as usize],
            };
            check.parent(pointer, record.pointer);
            check.slot(record.pointer, slot, &node, held, widest.as_ref());
            check.contained(record.pointer, slot, &node.boxes[usize::from(slot)], &held.bounds);
        }
    }
    if let Some(root) = surveyed.boxes.first() {
        check.parent(root.pointer, Bvh4Pointer::INVALID);
    }
    let held = boxes.first().copied().unwrap_or(Held::NOTHING);
    if check.findings.is_sound() {
        super::headers::check(memory, surveyed, &held, check.findings);
        super::ids::check(memory, surveyed, check.findings);
    }
    held
}

/// Whether RADV fitted the boxes of a BLAS to what is in them: its header's bounds are just that.
fn is_fitted<D: Dialect>(memory: &Memory<'_>, surveyed: &Surveyed<D>, boxes: &[Held]) -> bool {
    let header = surveyed.structure.header(memory);
    let is_radv = header.is_some_and(|it| matches!(it.kind, HeaderKind::Radv));
    let bounds = surveyed.structure.header_bounds(memory);
    is_radv && surveyed.instances.is_empty() && bounds == boxes.first().map(|all| all.bounds)
}

/// The axis on which a box reaches beyond what is in it, by more than a step of its planes.
fn slack(kind: Bvh4Kind, planes: &Aabb, held: &Aabb) -> Option<usize> {
    let step = |plane: f32| match kind {
        Bvh4Kind::HalfBox => plane.abs() / 512.0 + HALF_STEP,
        _ => 0.0,
    };
    (0..3).find(|&axis| {
        let (low, high) = (planes.min[axis], planes.max[axis]);
        held.min[axis] - low > step(low) || high - held.max[axis] > step(high)
    })
}

/// The smallest step of a half.
const HALF_STEP: f32 = 1.0 / 16_777_216.0;

struct ContentsCheck<'a, 'm, D: Dialect> {
    memory: &'a Memory<'m>,
    surveyed: &'a Surveyed<D>,
    findings: &'a mut Findings,
}

impl<D: Dialect> ContentsCheck<'_, '_, D> {
    fn add(
        &mut self,
        rule: Rule,
        node: Bvh4Pointer,
        bits: Range<u32>,
        texts: impl FnOnce() -> [String; 3],
    ) {
        let address = self.surveyed.structure.address_of(node);
        self.findings.add_at(rule, self.memory, address, bits, texts);
    }

    fn with_report(&mut self, node: Bvh4Pointer, check: impl FnOnce(super::Report<'_>)) {
        check(&mut |rule, bits, texts| self.add(rule, node, bits, || texts));
    }

    /// A node with triangles or a procedural.
    fn leaf(&mut self, leaf: usize) -> Held {
        let pointer = self.surveyed.leaves[leaf].pointer;
        let Some(node) = leaf_node(self.memory, self.surveyed, leaf) else { return Held::NOTHING };
        let mut held = Held::NOTHING;
        for (which, stored) in node.all().iter().enumerate() {
            let opacity = if stored.is_opaque() {
                CullFlags::ONLY_OPAQUE
            } else {
                CullFlags::ONLY_NON_OPAQUE
            };
            held = held.and(match stored.shape {
                Shape::Box(bounds) => {
                    if !bounds.is_finite() || bounds.is_empty() {
                        self.add(Rule::ProceduralBox, pointer, BOX_BITS, || {
                            let expected = "finite planes, the lower ones first";
                            [text(&bounds), expected.into(), format!("procedural {pointer}")]
                        });
                    }
                    let cull_flags = Some(CullFlags::ONLY_PROCEDURAL | opacity);
                    Held { bounds: unbounded_where_nan(bounds), cull_flags, triangles: 0 }
                }
                Shape::Triangle(triangle) => {
                    let vertices = triangle.vertices;
                    if !vertices.iter().all(|vertex| vertex.is_finite()) {
                        self.add(Rule::VertexFinite, pointer, VERTEX_BITS, || {
                            let place = format!("triangle {which} of node {pointer}");
                            [format!("{vertices:?}"), "finite vertices".into(), place]
                        });
                    }
                    // No ray hits a triangle with a NaN, so it may lie anywhere.
                    let is_nowhere = vertices.iter().any(|vertex| vertex.is_nan());
                    let points = vertices.into_iter().filter(|_| !is_nowhere);
                    Held {
                        bounds: Aabb::of_points(points),
                        cull_flags: Some(CullFlags::ONLY_TRIANGLES | opacity),
                        triangles: 1,
                    }
                }
            });
        }
        held
    }

    /// An instance of a structure that holds `below`.
    fn instance(&mut self, pointer: Bvh4Pointer, below: &Held) -> Held {
        let Some(node) = self.surveyed.structure.instance(self.memory, pointer) else {
            return Held::NOTHING;
        };
        let flags = node.base_flags;
        let culling = PointerFlags::CULL_BACK_FACING
            | PointerFlags::CULL_FRONT_FACING
            | PointerFlags::CULL_OPAQUE
            | PointerFlags::CULL_NON_OPAQUE;
        let only = below.cull_flags.unwrap_or(CullFlags::all());
        let hides = flags.intersects(culling)
            || (flags.contains(PointerFlags::SKIP_TRIANGLES)
                && !only.contains(CullFlags::ONLY_PROCEDURAL))
            || (flags.contains(PointerFlags::SKIP_PROCEDURAL)
                && !only.contains(CullFlags::ONLY_TRIANGLES));
        if hides {
            let (start, end) = node.bits.flags;
            self.add(Rule::InstanceFlags, pointer, start..end, || {
                let expected = "no culling, and nothing skipped that the structure holds";
                [format!("{flags:?}"), expected.into(), format!("instance {pointer}")]
            });
        }
        if !node.stray_flags.is_empty() {
            let (start, end) = node.bits.flags;
            self.add(Rule::InstanceFlags, pointer, start..end, || {
                let expected = "an address alone, as this generation has no flags";
                let found = format!("{:?}", node.stray_flags);
                [found, expected.into(), format!("instance {pointer}")]
            });
        }
        // Drivers switch face culling off over procedurals.
        let added = node.flags & InstanceFlags::DISABLE_FACE_CULL;
        if node.flags != node.told | added {
            let (start, end) = node.bits.flags;
            self.add(Rule::InstanceFlags, pointer, start..end, || {
                let expected = format!("{:?}, which software reads in the node", node.told);
                [format!("{:?}", node.flags), expected, format!("instance {pointer}")]
            });
        }
        self.header_below(pointer, &node);
        let bounds = if below.bounds.is_empty() {
            Aabb::EMPTY
        } else {
            node.world_to_object.preimage_bounds(&below.bounds).unwrap_or(Aabb::EMPTY)
        };
        // What is below, as far as the instance does not force another opacity.
        let forces = [
            (InstanceFlags::FORCE_OPAQUE, CullFlags::ONLY_OPAQUE),
            (InstanceFlags::FORCE_NON_OPAQUE, CullFlags::ONLY_NON_OPAQUE),
        ];
        let opacity = CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE;
        let forced = forces.into_iter().find(|(force, _)| node.flags.contains(*force));
        let cull_flags = forced.map_or(only, |(_, opaque)| (only - opacity) | opaque);
        Held { bounds, cull_flags: Some(cull_flags), triangles: 0 }
    }

    /// What an instance knows of the header of its structure.
    fn header_below(&mut self, pointer: Bvh4Pointer, node: &StoredInstance<D>) {
        let Some((found, bits)) = &node.header_below else { return };
        let header = node.below.header(self.memory);
        let expected = header.as_ref().and_then(|header| match header.kind {
            HeaderKind::Radv => u32::try_from(node.below.base() - header.bytes.start).ok(),
            _ => Some(GpurtHeader::decode(&self.memory.node(header.bytes.start)?).metadata_size),
        });
        if expected != Some(*found) {
            self.add(Rule::DriverHeader, pointer, bits.0..bits.1, || {
                let expected = match expected {
                    Some(bytes) => format!("{bytes:#x}, as the structure below has it"),
                    None => "a structure behind its header".to_owned(),
                };
                [format!("{found:#x}"), expected, format!("instance {pointer}")]
            });
        }
    }

    fn sidebands(&mut self) {
        let structure = self.surveyed.structure;
        let nodes: Vec<(Bvh4Pointer, StoredInstance<D>)> = self
            .surveyed
            .instances
            .iter()
            .filter_map(|record| {
                Some((record.pointer, structure.instance(self.memory, record.pointer)?))
            })
            .collect();
        if nodes.iter().all(|(_, node)| node.index.is_none() && node.beside.is_none()) {
            return;
        }
        if stored_numbers(self.memory, self.surveyed).is_none() {
            let (start, end) = nodes[0].1.bits.index;
            self.add(Rule::Sideband, nodes[0].0, start..end, || {
                let found = "instance indices that are missing, too large or equal";
                let place = format!("{} instances", nodes.len());
                [found.into(), "a number for each instance".into(), place]
            });
        }
        for (pointer, node) in nodes {
            if let Some(beside) = node.beside
                && !is_inverse(&node.world_to_object, &beside.object_to_world)
            {
                let (start, end) = node.bits.way_back;
                self.add(Rule::Sideband, pointer, start..end, || {
                    let found = format!("{:?}", beside.object_to_world.rows);
                    let expected = "the inverse of the node's transform";
                    [found, expected.into(), format!("instance {pointer}")]
                });
            }
        }
    }

    /// A used slot: its planes, and what its flags say.
    fn slot(
        &mut self,
        pointer: Bvh4Pointer,
        slot: u8,
        node: &FourBoxes,
        held: &Held,
        widest: Option<&Aabb>,
    ) {
        let structure = self.surveyed.structure;
        let bounds = node.boxes[usize::from(slot)];
        let place = || format!("box {pointer}, slot {slot}");
        if !bounds.is_finite() {
            let bits = structure.plane_bits(pointer, slot);
            self.add(Rule::PlaneFinite, pointer, bits, || {
                [text(&bounds), "finite planes".into(), place()]
            });
        } else if let Some(widest) = widest.filter(|widest| !widest.contains(&bounds)) {
            self.add(Rule::LooseBox, pointer, structure.plane_bits(pointer, slot), || {
                [text(&bounds), format!("within {}", text(widest)), place()]
            });
        }
        let claimed = node.cull_flags[usize::from(slot)];
        let truth = held.cull_flags.unwrap_or(CullFlags::all());
        if !truth.contains(claimed) {
            self.add(Rule::CullFlags, pointer, structure.cull_flag_bits(pointer, slot), || {
                [format!("{claimed:?}"), format!("at most {truth:?}"), place()]
            });
        }
        let is_top = !self.surveyed.instances.is_empty();
        let said = held.cull_flags.map(|truth| structure.said_flags(pointer, is_top) & truth);
        if let Some(said) = said.filter(|said| !claimed.contains(*said)) {
            self.add(Rule::MissedCulling, pointer, structure.cull_flag_bits(pointer, slot), || {
                [format!("{claimed:?}"), format!("{said:?} too, which is true"), place()]
            });
        }
    }

    /// Boxes that reach beyond what is in them, if most do not.
    fn slack(&mut self, boxes: &[Held], leaves: &[Held]) {
        let structure = self.surveyed.structure;
        let mut found = Vec::new();
        for record in &self.surveyed.boxes {
            let Some(node) = structure.four_boxes(self.memory, record.pointer) else { continue };
            for child in &self.surveyed.children[record.children()] {
                let (planes, held) = match child.target {
                    Target::Box(n) => (node.boxes[usize::from(child.slot())], boxes[n as usize]),
                    Target::Leaf(n) => (node.boxes[usize::from(child.slot())], leaves[n as usize]),
                    Target::Instance(_) => continue,
                };
                let axis = slack(record.pointer.kind(), &planes, &held.bounds);
                if let Some(axis) = axis.filter(|_| !held.bounds.is_empty()) {
                    found.push((record.pointer, child.slot(), axis, planes, held.bounds));
                }
            }
        }
        if 2 * found.len() > self.surveyed.children.len() {
            return;
        }
        for (pointer, slot, axis, planes, held) in found {
            self.add(Rule::Slack, pointer, structure.plane_bits(pointer, slot), || {
                let axis = ["x", "y", "z"][axis];
                let place = format!("box {pointer}, slot {slot}");
                [format!("{}, loose on {axis}", text(&planes)), text(&held), place]
            });
        }
    }

    fn parent(&mut self, node: Bvh4Pointer, expected: Bvh4Pointer) {
        let structure = self.surveyed.structure;
        let ParentPlace::At(slot, expected) = structure.parent_place(node, expected) else {
            return;
        };
        let word = slot.and_then(|address| self.memory.get(address, 4));
        // The table lies in the segment of the nodes.
        let segment = self.memory.segment_of(structure.base());
        let word = word.filter(|_| slot.and_then(|at| self.memory.segment_of(at)) == segment);
        let found = word.map(|bytes| u32::from_le_bytes(std::array::from_fn(|k| bytes[k])));
        if found != Some(expected) {
            let address = slot.unwrap_or(structure.base());
            self.findings.add_at(Rule::Parent, self.memory, address, 0..32, || {
                let found = found.map_or("no memory".into(), |word| format!("{word:#x}"));
                [found, format!("{expected:#x}"), format!("parent of node {node}")]
            });
        }
    }

    /// Everything below a slot lies inside its planes, where these are numbers.
    fn contained(&mut self, pointer: Bvh4Pointer, slot: u8, planes: &Aabb, held: &Aabb) {
        let inside = unbounded_where_nan(*planes);
        let address = self.surveyed.structure.address_of(pointer);
        let bits = self.memory.half_node(address);
        let quantum = |axis, magnitude| match bits {
            Some(bits) if pointer.kind() == Bvh4Kind::HalfBox => {
                D::half_quantum(&bits, axis, magnitude)
            }
            _ => unit_in_last_place(magnitude, 23, -126),
        };
        let Some(outside) = Outside::of(&inside, held, quantum) else { return };
        let bits = self.surveyed.structure.plane_bits(pointer, slot);
        let name = || format!("box {pointer}, slot {slot}");
        let place = Place { memory: self.memory, address, name: &name };
        let rule = if outside.is_ulp { Rule::ContainedUlp } else { Rule::Contained };
        self.findings.add_weighted(rule, outside.weight(), &place, bits, || {
            let found = format!("{}, with contents up to {outside}", text(planes));
            (found, format!("a box around {}", text(held)))
        });
    }
}
