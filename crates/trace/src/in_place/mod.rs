//! The image's own bytes: the small way.
//!
//! Nothing is copied but what has no place in the nodes: the boxes around the roots and the numbers
//! of the instances. The kernels walk most images, decoding in vectors, and the scalar walk all.
//!
//! | file | concept |
//! |---|---|
//! | `proof` | which images kernels can walk |
//! | `bytes` | such an image as source of rays in flight |
//! | `node` | one ray against the children of a box node |
//! | `leaf` | one ray against pairs of a primitive node |
//! | `ids` | the ids of a triangle |
//! | `source` | nodes, decoded as they are met |

mod bytes;
mod ids;
mod leaf;
mod node;
mod proof;
mod source;

use crate::ask::Ask;
use crate::kernel::{Kernel, with_kernel};
use crate::kind::Kind;
use crate::scalar;
use crate::simd::HAS_WALKS;
use crate::world::{Level, Pointer, Tlas};
use geometry::{Aabb, Ray, TriangleRule};
use gfx12::Gfx12;
use gfx12::decode::{Memory, Structure};
use gfx12::layout::NodePointer;
use machine::instance_dilation::InstanceDilation;
use machine::{Checked, Counters};
use proof::Proved;
use std::sync::Arc;

/// An image and what a walk over it must know.
#[derive(Debug, Clone)]
pub(crate) struct InPlace {
    image: Arc<Checked<Gfx12>>,
    /// The structure of the root, then the BLASes.
    structures: Vec<Root>,
    instances: Option<Instances>,
    /// Triangles stored, each once.
    pub(crate) triangles: usize,
    /// What kernels must know, if they can walk this image.
    proved: Option<Proved>,
}

/// Where a structure starts.
#[derive(Debug, Clone, Copy)]
struct Root {
    structure: Structure,
    /// The segment in which its nodes are looked for first.
    segment: usize,
    bounds: Aabb,
}

/// A TLAS.
#[derive(Debug, Clone)]
struct Instances {
    /// Its pointer is that of the kernels' walk.
    tlas: Tlas,
    /// Instance nodes in order, each with the number of its instance.
    numbers: Vec<(NodePointer, u32)>,
}

impl InPlace {
    /// Takes over a proved image. Its check has followed every link (CHECKED), and numbered every
    /// instance node.
    pub(crate) fn new(image: Arc<Checked<Gfx12>>) -> Self {
        let (bytes, tree) = (image.image(), image.tree());
        let memory = Memory::new(bytes);
        let root = |structure: Structure, bounds: Aabb| Root {
            structure,
            segment: memory.segment_of(structure.box_base).unwrap_or(0),
            bounds,
        };
        let survey = image.proof().survey();
        let bounds =
            tree.tlas.iter().map(|tlas| &tlas.bvh).chain(tree.blases.iter().map(|b| &b.bvh));
        let structures = survey.structures.iter().zip(bounds);
        let structures: Vec<Root> =
            structures.map(|(found, bvh)| root(found.structure, bvh.root().bounds)).collect();
        let mut instances = tree.tlas.as_ref().map(|tlas| {
            let mut numbers = gfx12::decode::instance_numbers(&image);
            numbers.sort_unstable();
            let level = Level { root: Pointer::DONE, bounds: tlas.bvh.root().bounds };
            let (instances, dilation) = (tlas.instances.clone(), InstanceDilation::new(tlas));
            Instances { tlas: Tlas { level, instances, dilation }, numbers }
        });
        let triangles = tree.blases.iter().map(|b| crate::world::distinct(&b.primitives)).sum();
        let proved = if HAS_WALKS {
            let levels: Vec<_> = structures.iter().map(|r| (&r.structure, r.bounds)).collect();
            let numbers = instances.as_ref().map(|instances| instances.numbers.as_slice());
            Proved::new(bytes, &levels, numbers)
        } else {
            None
        };
        if let (Some(instances), Some(proved)) = (&mut instances, &proved) {
            instances.tlas.level = proved.outermost();
        }
        Self { structures, instances, triangles, proved, image }
    }

    /// The image.
    pub(crate) fn image(&self) -> &Checked<Gfx12> {
        &self.image
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        let instances = self.instances.as_ref().map_or(0, |instances| {
            size_of_val(instances.tlas.instances.as_slice())
                + size_of_val(instances.numbers.as_slice())
        });
        let proved = self.proved.as_ref().map_or(0, |proved| proved.byte_count());
        self.image.image().byte_count()
            + size_of_val(self.structures.as_slice())
            + instances
            + proved
    }

    /// Answers the rays of a part of a batch; `first` is the position of its first ray.
    pub(crate) fn answer_all<K: Kind>(
        &self,
        kernel: Kernel,
        ask: &Ask<'_>,
        first: usize,
        rays: &[Ray],
        answers: &mut [K::Answer],
        counters: Option<&mut Counters>,
    ) {
        if let Some(proved) = &self.proved
            && (ask.rule == TriangleRule::Watertight || !proved.has_oriented_nodes)
        {
            return with_kernel!(kernel, V => {
                // SAFETY: FEATURES-DETECTED, POINTER-PROVED: this image has been proved.
                unsafe {
                    bytes::answer::<V, K>(self, proved, ask, first, rays, answers, counters);
                }
            });
        }
        let mut uncounted = Counters::default();
        let counters = counters.unwrap_or(&mut uncounted);
        for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
            scalar::answer::<K, _>(self, ask, first + offset, ray, answer, counters);
        }
    }
}

impl Instances {
    /// The number of the instance that an instance node is.
    fn number(&self, node: NodePointer) -> Option<usize> {
        let place = self.numbers.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(self.numbers[place].1 as usize)
    }
}
