//! What an observer is told of a ray's walk.
//!
//! Nodes, ranges and triangles go by the numbers of [`Target`], as the outline of an image names
//! them. A job has no registers: the operands and results of its box and triangle tests are FP32
//! bits, after widening and before narrowing, under the names of RT.BBOX and RT.TRI. Queue entries
//! are no steps.

use super::walk::{Walk, WalkHit};
use crate::instruction::bbox::bbox;
use crate::instruction::{RayElements, Verdict};
use crate::layout::node::ChildKind;
use crate::machines::TilesImage;
use crate::tiles::target::Target;
use geometry::{Aabb, Vec3};
use machine::{ChildTest, Instruction, Observer, PrimitiveTest, Step, Unwatched};

/// Tells an observer of a walk, in the terms of an image.
#[derive(Debug)]
pub struct Reporter<'a, O: ?Sized> {
    observer: &'a mut O,
    /// Knows the ids of triangles; without it they go by number.
    tiles: Option<&'a TilesImage>,
    /// The level of the image that is walked, and the instance for which.
    level: u32,
    instance: u32,
}

impl<'a> Reporter<'a, Unwatched> {
    /// For walks that nobody watches.
    #[must_use]
    pub fn unwatched(nobody: &'a mut Unwatched) -> Self {
        Self { observer: nobody, tiles: None, level: 0, instance: 0 }
    }
}

impl<'a, O: Observer + ?Sized> Reporter<'a, O> {
    /// For walks over a level of an image, in the space of an instance.
    #[must_use]
    pub fn new(observer: &'a mut O, tiles: &'a TilesImage, level: u32, instance: u32) -> Self {
        Self { observer, tiles: Some(tiles), level, instance }
    }

    /// The instance in whose space the walk is.
    pub(super) const fn instance(&self) -> u32 {
        self.instance
    }

    /// What an entry of the stack names.
    fn target(&self, (kind, index): (ChildKind, u32)) -> Target {
        let has_instances = self.tiles.is_some_and(|it| it.instance_count().is_some());
        match kind {
            ChildKind::Leaf if self.level == 0 && has_instances => Target::Instance(index),
            ChildKind::Leaf => Target::Range(self.level, index),
            _ => Target::Node(self.level, index),
        }
    }

    /// Something is laid on the stack.
    #[inline]
    pub(super) fn pushed(&mut self, entry: (ChildKind, u32), depth: usize) {
        if self.observer.is_watching() {
            let pointer = self.target(entry).pointer();
            self.observer.see(Step::Push { pointer, depth: depth as u32 });
        }
    }

    /// Something is taken from the stack, and read.
    #[inline]
    pub(super) fn popped(&mut self, walk: &Walk, entry: (ChildKind, u32), depth: usize) {
        if self.observer.is_watching() {
            let target = self.target(entry);
            let (pointer, kind) = (target.pointer(), target.kind());
            self.observer.see(Step::Pop { pointer: Some(pointer), depth: depth as u32 });
            let address = Some(match target {
                Target::Node(_, number) => walk.node_address(number),
                _ => walk.range_address(entry.1),
            });
            self.observer.see(Step::Node { pointer, address, kind });
        }
    }

    /// A child's box was tested.
    #[inline]
    pub(super) fn child_tested(
        &mut self,
        slot: usize,
        entry: (ChildKind, u32),
        ray: &RayElements,
        corners: [[f32; 3]; 2],
        verdict: Verdict<2>,
    ) {
        if self.observer.is_watching() {
            let [min, max] = corners;
            let box_operands = NAMES_OF_BOX.into_iter().zip(bits(min).chain(bits(max)));
            self.observer.see(Step::Instruction(Instruction {
                name: "rt.bbox",
                inputs: ray_operands(ray).chain(box_operands).collect(),
                outputs: results(["hit", "tnear", "tfar"], verdict),
            }));
            let endless = RayElements { tmax: f32::INFINITY, ..*ray };
            let anywhere = || bbox(&endless, min, max, &Walk::BOX_TEST);
            let (interval, verdict) = match (verdict, anywhere()) {
                (Verdict::Hit(interval), _) => (Some(interval), machine::Verdict::Visit),
                (_, Verdict::Hit(interval)) => (Some(interval), machine::Verdict::Behind),
                _ => (None, machine::Verdict::Miss),
            };
            self.observer.see(Step::Child(ChildTest {
                slot: slot as u8,
                pointer: self.target(entry).pointer(),
                bounds: Aabb { min: Vec3::from_array(min), max: Vec3::from_array(max) },
                frame: None,
                interval,
                verdict,
            }));
        }
    }

    /// A triangle was tested.
    #[inline]
    pub(super) fn triangle_tested(
        &mut self,
        number: u32,
        ray: &RayElements,
        vertices: [[f32; 3]; 3],
        verdict: Verdict<3>,
    ) {
        if self.observer.is_watching() {
            let corners = NAMES_OF_CORNERS.into_iter().zip(vertices.into_iter().flat_map(bits));
            self.observer.see(Step::Instruction(Instruction {
                name: "rt.tri",
                inputs: ray_operands(ray).chain(corners).collect(),
                outputs: results(["hit", "t", "u", "v"], verdict),
            }));
            let instance = self.instance;
            let ids = self.tiles.map(|tiles| tiles.hit_of_elements(instance, number, [0; 3]));
            let (geometry, primitive) = ids.map_or((0, number), |id| (id.geometry, id.primitive));
            let t = match verdict {
                Verdict::Hit([t, ..]) => Some(t),
                Verdict::Miss | Verdict::Nan { .. } => None,
            };
            let pointer = Target::Triangle(number).pointer();
            let test = PrimitiveTest { pointer, instance, geometry, primitive, t };
            self.observer.see(Step::Primitive(test));
        }
    }

    /// A hit counts, or does not for a reason.
    #[inline]
    pub fn judged(&mut self, hit: &WalkHit, refused: Option<&'static str>) {
        if self.observer.is_watching()
            && let Some(tiles) = self.tiles
        {
            let hit = tiles.hit(hit);
            self.observer.see(match refused {
                None => Step::Accept { hit },
                Some(reason) => Step::Refuse { hit, reason },
            });
        }
    }
}

/// Why a hit loses against the best so far.
pub const NOT_CLOSER: &str = "a closer hit, or one with a smaller number, is known";

const NAMES_OF_RAY: [&str; 8] = [
    "origin_x",
    "origin_y",
    "origin_z",
    "direction_x",
    "direction_y",
    "direction_z",
    "tmin",
    "tmax",
];
const NAMES_OF_BOX: [&str; 6] = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];
const NAMES_OF_CORNERS: [&str; 9] =
    ["v0_x", "v0_y", "v0_z", "v1_x", "v1_y", "v1_z", "v2_x", "v2_y", "v2_z"];

fn bits<const N: usize>(values: [f32; N]) -> impl Iterator<Item = u64> {
    values.into_iter().map(|value| value.to_bits().into())
}

fn ray_operands(ray: &RayElements) -> impl Iterator<Item = (&'static str, u64)> {
    let values = bits(ray.origin).chain(bits(ray.direction)).chain(bits([ray.tmin, ray.tmax]));
    NAMES_OF_RAY.into_iter().zip(values)
}

/// Whether it is a hit, then its values; those of a miss are 0, those of the NaN case NaN.
fn results<const N: usize, const VALUES: usize>(
    names: [&'static str; N],
    verdict: Verdict<VALUES>,
) -> Vec<(&'static str, u64)> {
    let (hit, values) = match verdict {
        Verdict::Hit(values) => (1, values),
        Verdict::Miss => (0, [0.0; VALUES]),
        Verdict::Nan { .. } => (0, [f32::NAN; VALUES]),
    };
    names.into_iter().zip([hit].into_iter().chain(bits(values))).collect()
}
