//! What is odd or lossy about a structure that is sound: the warnings.

use super::Findings;
use super::decode::{own_triangle, sideband, sideband_numbers, triangle_count};
use super::rule::Rule;
use super::survey::{Nodes, Surveyed, pointer_bits};
use super::write::UNUSED_PLANE;
use crate::check::box_text as text;
use crate::decode::bounds::{unbounded_where_nan, widest_box};
use crate::decode::is_inverse;
use crate::instruction::dual_box::FourBoxes;
use crate::layout::base_pointer::flag_bits;
use crate::layout::bvh4x2::{
    Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, Fp32BoxNode, HighPrecisionBoxNode, TriangleNode,
    parent_slot_address,
};
use crate::layout::{CullFlags, GpurtSideband, PointerFlags};
use crate::survey::{BoxRecord, Memory, Space, Target};
use geometry::{Aabb, Vec3};

/// What a structure, or a part of one, holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// The box around it.
    bounds: Aabb,
    /// What can be said of all of it; `None` of nothing.
    cull_flags: Option<CullFlags>,
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
pub(super) fn check_contents(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    blases: &[Held],
    findings: &mut Findings,
) -> Held {
    let mut check = ContentsCheck { memory, surveyed, findings };
    let leaves: Vec<Held> = surveyed.leaves.iter().map(|leaf| check.leaf(leaf.pointer)).collect();
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
    // What all boxes above a node have in common.
    let mut common = vec![Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY); boxes.len()];
    for (number, record) in surveyed.boxes.iter().enumerate() {
        let node = surveyed.four_boxes(memory, record.pointer);
        check.box_fields(record, &node, &boxes[number]);
        for child in &surveyed.children[record.children()] {
            let (slot, pointer) = (child.slot(), surveyed.pointer(child.target));
            let bounds = unbounded_where_nan(node.boxes[usize::from(slot)]);
            let inside = common[number].intersection(bounds);
            let (held, is_leaf) = match child.target {
                Target::Box(child) => {
                    common[child as usize] = inside;
                    (&boxes[child as usize], false)
                }
                Target::Leaf(n) => (&leaves[n as usize], true),
                Target::Instance(n) => (&instances[n as usize], true),
            };
            check.parent(pointer, record.pointer);
            check.slot(record.pointer, slot, &node, held, widest.as_ref());
            if is_leaf && !inside.contains(&held.bounds) {
                check.report_not_contained(record.pointer, slot, pointer, &inside, &held.bounds);
            }
        }
    }
    if let Some(root) = surveyed.boxes.first() {
        check.parent(root.pointer, Bvh4Pointer::INVALID);
    }
    boxes.first().copied().unwrap_or(Held::NOTHING)
}

struct ContentsCheck<'a, 'm> {
    memory: &'a Memory<'m>,
    surveyed: &'a Surveyed,
    findings: &'a mut Findings,
}

impl ContentsCheck<'_, '_> {
    fn add(
        &mut self,
        rule: Rule,
        node: Bvh4Pointer,
        bits: std::ops::Range<u32>,
        texts: impl FnOnce() -> [String; 3],
    ) {
        let address = self.surveyed.structure.address_of(node);
        self.findings.add_at(rule, self.memory, address, bits, texts);
    }

    /// A node with triangles or a procedural.
    fn leaf(&mut self, pointer: Bvh4Pointer) -> Held {
        let node = self.surveyed.triangle_node(self.memory, pointer);
        let opacity = |which: usize| {
            if node.info(which).opaque {
                CullFlags::ONLY_OPAQUE
            } else {
                CullFlags::ONLY_NON_OPAQUE
            }
        };
        if node.info(0).procedural {
            let bounds = node.procedural_box();
            if !bounds.is_finite() || bounds.is_empty() {
                self.add(Rule::ProceduralBox, pointer, 0..192, || {
                    let expected = "finite planes, the lower ones first";
                    [text(&bounds), expected.into(), format!("procedural {pointer}")]
                });
            }
            let cull_flags = Some(CullFlags::ONLY_PROCEDURAL | opacity(0));
            return Held { bounds: unbounded_where_nan(bounds), cull_flags, triangles: 0 };
        }
        let mut held = Held::NOTHING;
        for which in 0..triangle_count(pointer) {
            let vertices = own_triangle(&node, which).vertices;
            if !vertices.iter().all(|vertex| vertex.is_finite()) {
                self.add(Rule::VertexFinite, pointer, TriangleNode::vertices.bits(), || {
                    let place = format!("triangle {which} of node {pointer}");
                    [format!("{vertices:?}"), "finite vertices".into(), place]
                });
            }
            // No ray hits a triangle with a NaN, so it may lie anywhere.
            let is_nowhere = vertices.iter().any(|vertex| vertex.is_nan());
            let points = vertices.into_iter().filter(|_| !is_nowhere);
            held = held.and(Held {
                bounds: Aabb::of_points(points),
                cull_flags: Some(CullFlags::ONLY_TRIANGLES | opacity(which)),
                triangles: 1,
            });
        }
        held
    }

    /// An instance of a structure that holds `below`.
    fn instance(&mut self, pointer: Bvh4Pointer, below: &Held) -> Held {
        let node = self.surveyed.instance_node(self.memory, pointer);
        let flags = node.child_base.flags();
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
            self.add(
                Rule::InstanceFlags,
                pointer,
                flag_bits(&Bvh4x2InstanceNode::child_base),
                || {
                    let expected = "no culling, and nothing skipped that the structure holds";
                    [format!("{flags:?}"), expected.into(), format!("instance {pointer}")]
                },
            );
        }
        let bounds = if below.bounds.is_empty() {
            Aabb::EMPTY
        } else {
            node.world_to_object.preimage_bounds(&below.bounds).unwrap_or(Aabb::EMPTY)
        };
        Held { bounds, cull_flags: Some(CullFlags::empty()), triangles: 0 }
    }

    fn sidebands(&mut self) {
        let nodes: Vec<(Bvh4Pointer, Bvh4x2InstanceNode)> = self
            .surveyed
            .instances
            .iter()
            .map(|instance| instance.pointer)
            .map(|pointer| (pointer, self.surveyed.instance_node(self.memory, pointer)))
            .collect();
        if nodes.iter().all(|(_, node)| sideband(node).is_none()) {
            return;
        }
        if sideband_numbers(self.memory, self.surveyed).is_none() {
            self.add(
                Rule::Sideband,
                nodes[0].0,
                GpurtSideband::instance_index.bits_from(sideband_start()),
                || {
                    let found = "instance indices that are missing, too large or equal";
                    let place = format!("{} instances", nodes.len());
                    [found.into(), "a number for each instance".into(), place]
                },
            );
        }
        for (pointer, node) in nodes {
            if let Some(record) = sideband(&node)
                && !is_inverse(&node.world_to_object, &record.object_to_world)
            {
                self.add(
                    Rule::Sideband,
                    pointer,
                    GpurtSideband::object_to_world.bits_from(sideband_start()),
                    || {
                        let found = format!("{:?}", record.object_to_world.rows);
                        let expected = "the inverse of the node's transform";
                        [found, expected.into(), format!("instance {pointer}")]
                    },
                );
            }
        }
    }

    /// The fields of a box that belong to no used slot.
    fn box_fields(&mut self, record: &BoxRecord<Bvh4Pointer>, node: &FourBoxes, held: &Held) {
        let pointer = record.pointer;
        let address = self.surveyed.structure.address_of(pointer);
        let is_half = pointer.kind() == Bvh4Kind::HalfBox;
        let high = self.memory.half_node(address).map(|bits| HighPrecisionBoxNode::decode(&bits));
        let wide = self.memory.node(address).map(|bits| Fp32BoxNode::decode(&bits));
        for slot in (0u8..4).filter(|&k| node.children[usize::from(k)] == Bvh4Pointer::INVALID) {
            let place = usize::from(slot);
            let is_inert = match (is_half, &high, &wide) {
                (true, Some(node), _) => node.planes[place] == HighPrecisionBoxNode::NO_PLANES,
                (false, _, Some(node)) => {
                    let Aabb { min, max } = node.boxes[place];
                    let mut planes = min.to_array().into_iter().chain(max.to_array());
                    planes.all(|plane| plane.to_bits() == UNUSED_PLANE)
                }
                _ => true,
            };
            if !is_inert {
                self.add(Rule::UnusedSlot, pointer, plane_bits(pointer, slot), || {
                    let expected = if is_half {
                        "min codes 0x1ffff and max codes 0x3ffff"
                    } else {
                        "six planes 0x7fc00000"
                    };
                    let name = format!("box {pointer}, slot {slot}");
                    [text(&node.boxes[place]), expected.into(), name]
                });
            }
        }
        if let Some(count) = wide.map(|node| node.primitive_count)
            && !is_half
            && count != held.triangles
        {
            self.add(Rule::TriangleCount, pointer, Fp32BoxNode::primitive_count.bits(), || {
                [count.to_string(), held.triangles.to_string(), format!("box {pointer}")]
            });
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
        let bounds = node.boxes[usize::from(slot)];
        if !bounds.is_finite() {
            self.add(Rule::PlaneFinite, pointer, plane_bits(pointer, slot), || {
                let place = format!("box {pointer}, slot {slot}");
                [text(&bounds), "finite planes".into(), place]
            });
        } else if let Some(widest) = widest.filter(|widest| !widest.contains(&bounds)) {
            self.add(Rule::LooseBox, pointer, plane_bits(pointer, slot), || {
                let place = format!("box {pointer}, slot {slot}");
                [text(&bounds), format!("within {}", text(widest)), place]
            });
        }
        let claimed = node.cull_flags[usize::from(slot)];
        let truth = held.cull_flags.unwrap_or(CullFlags::all());
        if !truth.contains(claimed) {
            let bits = if pointer.kind() == Bvh4Kind::HalfBox {
                HighPrecisionBoxNode::cull_flags.element_bits(slot.into())
            } else {
                let byte = Fp32BoxNode::flag_bytes.element_bits(slot.into());
                byte.start..byte.start + 4
            };
            self.add(Rule::CullFlags, pointer, bits, || {
                let place = format!("box {pointer}, slot {slot}");
                [format!("{claimed:?}"), format!("at most {truth:?}"), place]
            });
        }
    }

    fn parent(&mut self, node: Bvh4Pointer, expected: Bvh4Pointer) {
        let slot = parent_slot_address(self.surveyed.structure.base, node, 0);
        let word = slot.and_then(|address| self.memory.get(address, 4));
        // The table lies in the segment of the nodes, directly below them.
        let segment = self.memory.segment_of(self.surveyed.structure.base);
        let word = word.filter(|_| slot.and_then(|at| self.memory.segment_of(at)) == segment);
        let found = word.map(|bytes| u32::from_le_bytes(std::array::from_fn(|k| bytes[k])));
        if found != Some(expected.0) {
            let address = slot.unwrap_or(self.surveyed.structure.base);
            self.findings.add_at(Rule::Parent, self.memory, address, 0..32, || {
                let found = found.map_or("no memory".into(), |word| format!("{word:#x}"));
                [found, expected.to_string(), format!("parent of node {node}")]
            });
        }
    }

    fn report_not_contained(
        &mut self,
        pointer: Bvh4Pointer,
        slot: u8,
        leaf: Bvh4Pointer,
        inside: &Aabb,
        bounds: &Aabb,
    ) {
        self.add(Rule::Contained, pointer, pointer_bits(pointer, slot), || {
            let place = format!("box {pointer}, slot {slot}, leaf {leaf}");
            [format!("contents within {}", text(bounds)), format!("within {}", text(inside)), place]
        });
    }
}

/// The bits of a box node that hold the planes of a slot.
fn plane_bits(pointer: Bvh4Pointer, slot: u8) -> std::ops::Range<u32> {
    if pointer.kind() == Bvh4Kind::HalfBox {
        HighPrecisionBoxNode::planes.element_bits(slot.into())
    } else {
        Fp32BoxNode::boxes.element_bits(slot.into())
    }
}

/// Where the sideband record starts in an instance node.
const fn sideband_start() -> usize {
    Bvh4x2InstanceNode::software.bits().start as usize
}
