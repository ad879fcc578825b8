//! The walk over the image's own bytes: the small way.
//!
//! The AVX-512 kernel walks most images (`avx512::in_place`); here is the plain walk, for all.
//!
//! Nothing is copied but what has no place in the nodes: the boxes around the roots and the numbers of the
//! instances. Box nodes are decoded as they are met; boxes are tested by the reference slab test and
//! hits decided as everywhere. All children of an oriented node are visited: their boxes lie in another
//! frame, whose rounding the reference test does not cover.

use crate::ask::{Ask, Space};
use crate::kernel::Kernel;
use crate::kind::{Kind, Outcome};
use crate::world::{Level, Pointer, TopLevel};
use geometry::{Aabb, InstanceFlags, Ray, SlabRay, TriangleRule, slab};
use gfx12::decode::{Memory, Structure};
use gfx12::layout::{
    BoxNode, NodeBits, NodeKind, NodePointer, PrimitiveNode, ProceduralBox, ProceduralWriter,
    TriangleDescriptor,
};
use gfx12::obb;
use machine::instance_dilation::InstanceDilation;
use machine::primitive_test::MergedFlags;
use machine::{CheckedImage, Counters, Image};
use std::ops::ControlFlow;
use tree::primitives::Primitive;
use tree::{PrimitiveFlags, PrimitiveId};

/// An image and what a walk over it must know.
#[derive(Debug)]
pub(crate) struct InPlace {
    image: CheckedImage,
    /// The structure of the root, then the BLASes.
    structures: Vec<Root>,
    instances: Option<Instances>,
    /// Triangles stored, each once.
    pub(crate) triangles: usize,
    /// What the AVX-512 kernel must know, if it can walk this image.
    #[cfg(target_arch = "x86_64")]
    proved: Option<crate::avx512::in_place::Proved>,
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
#[derive(Debug)]
struct Instances {
    /// Its pointer is that of the AVX-512 kernel's walk.
    top: TopLevel,
    /// Instance nodes in order, each with the number of its instance.
    numbers: Vec<(NodePointer, u32)>,
}

impl InPlace {
    /// Takes over a proved image.
    pub(crate) fn new(image: CheckedImage, tree: &tree::Tree) -> Self {
        let bytes = image.image();
        let memory = Memory::new(bytes);
        let root = |structure: Structure, bounds: Aabb| Root {
            structure,
            segment: memory.segment_of(structure.box_base).unwrap_or(0),
            bounds,
        };
        let survey = gfx12::decode::Survey::new(bytes);
        let bounds = tree.tlas.iter().map(|top| &top.bvh).chain(tree.blases.iter().map(|b| &b.bvh));
        let structures = survey.structures.iter().zip(bounds);
        let structures: Vec<Root> =
            structures.map(|(found, bvh)| root(found.structure, bvh.root().bounds)).collect();
        let mut instances = tree.tlas.as_ref().map(|top| {
            let mut numbers = gfx12::decode::instance_numbers(bytes);
            numbers.sort_unstable();
            let level = Level { root: Pointer::DONE, bounds: top.bvh.root().bounds };
            let (instances, dilation) = (top.instances.clone(), InstanceDilation::new(top));
            Instances { top: TopLevel { level, instances, dilation }, numbers }
        });
        let triangles = tree.blases.iter().map(|b| crate::world::distinct(&b.primitives)).sum();
        #[cfg(target_arch = "x86_64")]
        let proved = {
            let levels: Vec<_> = structures.iter().map(|r| (&r.structure, r.bounds)).collect();
            let numbers = instances.as_ref().map(|instances| instances.numbers.as_slice());
            crate::avx512::in_place::Proved::new(bytes, &levels, numbers)
        };
        #[cfg(target_arch = "x86_64")]
        if let (Some(instances), Some(proved)) = (&mut instances, &proved) {
            instances.top.level = proved.outermost();
        }
        Self {
            structures,
            instances,
            triangles,
            #[cfg(target_arch = "x86_64")]
            proved,
            image,
        }
    }

    /// The image.
    pub(crate) fn image(&self) -> &CheckedImage {
        &self.image
    }

    /// The TLAS, if there is one.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn top(&self) -> Option<&TopLevel> {
        self.instances.as_ref().map(|instances| &instances.top)
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        let instances = self.instances.as_ref().map_or(0, |instances| {
            size_of_val(instances.top.instances.as_slice())
                + size_of_val(instances.numbers.as_slice())
        });
        #[cfg(target_arch = "x86_64")]
        let proved = self.proved.as_ref().map_or(0, |proved| proved.byte_count());
        #[cfg(not(target_arch = "x86_64"))]
        let proved = 0;
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
        #[cfg(target_arch = "x86_64")]
        if let (Kernel::Avx512, Some(proved)) = (kernel, &self.proved)
            && (ask.rule == TriangleRule::Watertight || !proved.has_oriented_nodes)
        {
            // SAFETY: a tracer is made only with a kernel that is available, and this image has been proved.
            return unsafe {
                crate::avx512::in_place::answer::<K>(
                    self, proved, ask, first, rays, answers, counters,
                )
            };
        }
        let mut uncounted = Counters::default();
        let counters = counters.unwrap_or(&mut uncounted);
        for (offset, (ray, answer)) in rays.iter().zip(answers).enumerate() {
            self.answer::<K>(ask, first + offset, ray, answer, counters);
        }
    }

    /// Answers one ray, by plain code.
    pub(crate) fn answer<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    ) {
        counters.queries += 1;
        *answer = K::miss();
        if ask.mask == 0 || !ray.is_traceable() {
            return;
        }
        let farthest = slab::widen(ray.tmax);
        let mut walk = Walk::<K> { world: self, ask, position, ray, answer, counters, farthest };
        let _ = match &self.instances {
            None => {
                let flags = MergedFlags::new(ask.flags, InstanceFlags::empty());
                walk.blas(0, &Space { ray: *ray, instance: 0, flags })
            }
            Some(Instances { top, .. }) => {
                let reach = slab::reach(ray.origin, &self.structures[0].bounds);
                let slabs = SlabRay::dilated(ray, top.dilation.dilation(ray.origin, reach));
                walk.structure(&self.structures[0], &slabs, None)
            }
        };
        K::finish(answer);
    }
}

/// One ray under way.
struct Walk<'a, K: Kind> {
    world: &'a InPlace,
    ask: &'a Ask<'a>,
    position: usize,
    ray: &'a Ray,
    answer: &'a mut K::Answer,
    counters: &'a mut Counters,
    /// The end of the range in which a box still matters.
    farthest: f32,
}

impl<K: Kind> Walk<'_, K> {
    fn blas(&mut self, number: usize, space: &Space) -> ControlFlow<()> {
        let Some(root) = self.world.structures.get(number) else {
            return ControlFlow::Continue(());
        };
        let slabs = SlabRay::new(&space.ray, slab::reach(space.ray.origin, &root.bounds));
        self.structure(root, &slabs, Some(space))
    }

    fn structure(
        &mut self,
        root: &Root,
        slabs: &SlabRay,
        space: Option<&Space>,
    ) -> ControlFlow<()> {
        if root.bounds.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut stack = Vec::with_capacity(64);
        self.counters.box_tests += 1;
        if let Some(interval) = slabs.interval(&root.bounds, self.nearest(), self.farthest) {
            stack.push((interval.enter, root.structure.root));
        }
        while let Some((enter, pointer)) = stack.pop() {
            if enter > self.farthest {
                continue;
            }
            match pointer.kind() {
                NodeKind::Box => self.children(root, pointer, slabs, enter, &mut stack),
                NodeKind::Primitive { .. } => self.range(root, pointer, space)?,
                NodeKind::Instance => self.instance(pointer)?,
                NodeKind::Unused => (),
            }
        }
        ControlFlow::Continue(())
    }

    /// Pushes the children that the ray reaches, the nearest last.
    fn children(
        &mut self,
        root: &Root,
        pointer: NodePointer,
        slabs: &SlabRay,
        enter: f32,
        stack: &mut Vec<(f32, NodePointer)>,
    ) {
        self.counters.nodes += 1;
        let node = BoxNode::decode(&self.bits(root, pointer));
        let is_oriented = obb::rotation(node.obb_matrix_index).is_some();
        let start = stack.len();
        for (slot, child) in node.child_pointers()[..node.used_children().len()].iter().enumerate()
        {
            let entry = &node.children[slot];
            if entry.mask == 0 && entry.is_inverted() {
                continue; // holds nothing
            }
            self.counters.box_tests += 1;
            let found = slabs.interval(&node.child_box(slot), self.nearest(), self.farthest);
            let entered = if is_oriented { Some(enter) } else { found.map(|found| found.enter) };
            stack.extend(entered.map(|enter| (enter, *child)));
        }
        stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    fn instance(&mut self, pointer: NodePointer) -> ControlFlow<()> {
        let world = self.world;
        let Some(Instances { top, numbers }) = &world.instances else {
            return ControlFlow::Continue(());
        };
        let place = numbers.binary_search_by_key(&pointer, |&(node, _)| node);
        let number = place.map_or(0, |place| numbers[place].1);
        let instance = &top.instances[number as usize];
        if instance.mask & self.ask.mask == 0 {
            return ControlFlow::Continue(());
        }
        self.counters.instances += 1;
        let space = Space {
            ray: instance.world_to_object.ray(self.ray),
            instance: number,
            flags: MergedFlags::new(self.ask.flags, instance.flags),
        };
        self.blas(instance.blas as usize + 1, &space)
    }

    /// Tests the pairs of a range, over as many nodes as it has.
    fn range(&mut self, root: &Root, from: NodePointer, space: Option<&Space>) -> ControlFlow<()> {
        let Some(space) = space else { return ControlFlow::Continue(()) };
        self.counters.leaves += 1;
        let mut pointer = from;
        loop {
            let node = PrimitiveNode::decode(&self.bits(root, pointer));
            for pair in usize::from(pointer.pair())..node.pair_count() {
                let descriptor = node.pair(pair);
                let [first, second] = descriptor.triangles;
                self.primitive(&node, 2 * pair, &first, space)?;
                if !second.is_absent() {
                    self.primitive(&node, 2 * pair + 1, &second, space)?;
                }
                if descriptor.prim_range_stop {
                    return ControlFlow::Continue(());
                }
            }
            pointer = pointer.advance(true);
        }
    }

    fn primitive(
        &mut self,
        node: &PrimitiveNode,
        number: usize,
        stored: &TriangleDescriptor,
        space: &Space,
    ) -> ControlFlow<()> {
        let mut flags = PrimitiveFlags::empty();
        flags.set(PrimitiveFlags::OPAQUE, stored.opaque);
        let (geometry, primitive) = (node.geometry_id(number), node.primitive_id(number));
        if stored.is_procedural() {
            self.counters.procedural_tests += 1;
            let bounds = ProceduralBox::read(node, ProceduralWriter::of(node)).bounds;
            return self.offer(
                space,
                Primitive::Box(&bounds),
                PrimitiveId { geometry, primitive, flags },
            );
        }
        self.counters.triangle_tests += 1;
        flags.set(PrimitiveFlags::DOUBLE_SIDED, stored.double_sided);
        let vertices = stored.indices.map(|index| node.position(usize::from(index)));
        let triangle = geometry::Triangle { vertices };
        self.offer(
            space,
            Primitive::Triangle(&triangle),
            PrimitiveId { geometry, primitive, flags },
        )
    }

    fn offer(
        &mut self,
        space: &Space,
        primitive: Primitive<'_>,
        id: PrimitiveId,
    ) -> ControlFlow<()> {
        let Some(hit) = self.ask.hit(self.position, space, primitive, id) else {
            return ControlFlow::Continue(());
        };
        match K::offer(self.answer, hit) {
            Outcome::Continue => (),
            Outcome::Narrow(t) => self.farthest = slab::widen(t),
            Outcome::Done => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// The bits of a node. The image is proved, so it is there.
    fn bits(&self, root: &Root, pointer: NodePointer) -> NodeBits {
        let image: &Image = self.world.image.image();
        let address = root.structure.address_of(pointer);
        let near = image.segments[root.segment].get(address, 128);
        near.or_else(|| image.get(address, 128)).map_or(NodeBits::ZERO, NodeBits::from_bytes)
    }

    /// The start of the range in which a box matters: `tmin`, lowered by `4 eps`.
    fn nearest(&self) -> f32 {
        (self.ray.tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0)
    }
}
