//! An image, and queries in its terms.

use crate::flags::Raised;
use crate::instruction::{RayElements, read_elements};
use crate::memory::{FaultKind, Memory, MemoryFault};
use crate::numeric::{narrow, widen};
use crate::offload::JobOptions;
use crate::offload::walk::{Walk, WalkHit};
use crate::policy::Policy;
use crate::tiles::contents::Contents;
use crate::tiles::target::Target;
use crate::tiles::{Tiles, contents_of};
use crate::unit::mtx::transformed_ray;
use geometry::{Aabb, InstanceFlags, Ray, Transform};
use machine::primitive_test::MergedFlags;
use machine::{Checked, Hit, Image, RayFlags, RayQuery, Step};
use std::sync::Arc;
use tree::{PrimitiveFlags, PrimitiveId};

/// A proved image as its machines read it.
#[derive(Debug, Clone)]
pub struct TilesImage(Arc<Checked<Tiles>>);

impl TilesImage {
    /// Over a proved image.
    #[must_use]
    pub fn new(checked: Arc<Checked<Tiles>>) -> Self {
        Self(checked)
    }

    /// The image itself.
    #[must_use]
    pub fn image(&self) -> &Image {
        self.0.image()
    }

    /// The box around everything.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.0.tree().bounds()
    }

    /// The policy of the image.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.contents().policy
    }

    /// The image's contents.
    #[must_use]
    pub fn contents(&self) -> Contents<'_> {
        contents_of(&self.0)
    }

    /// The walk of a job over a level of the image: 0 is the tree of node 0, `n + 1` is BLAS `n`.
    #[must_use]
    pub fn walk(&self, options: JobOptions, level: u32) -> Walk {
        let Contents { header, policy, shape, .. } = self.contents().level(level);
        Walk {
            policy,
            options: options | JobOptions::from_bits_truncate(header.options),
            epsilon: 0.0,
            watertight: true,
            shape,
            base: header.base,
            triangles: header.triangle_base,
        }
    }

    /// The elements of a query's ray record, rounded to nearest.
    #[must_use]
    pub fn ray_record(&self, query: &RayQuery) -> [u32; 8] {
        let ray = &query.shape;
        let [ox, oy, oz] = ray.origin.to_array();
        let [dx, dy, dz] = ray.direction.to_array();
        let policy = self.policy();
        [ox, oy, oz, dx, dy, dz, ray.tmin, ray.tmax].map(|x| narrow(x, &policy).bits)
    }

    /// A ray record as the hardware sees it.
    #[must_use]
    pub fn ray(&self, record: [u32; 8]) -> RayElements {
        let mut raised = Raised::default();
        RayElements::from_record(read_elements(record, &self.policy(), &mut raised))
    }

    /// The number of instances; `None` if there is one level.
    #[must_use]
    pub fn instance_count(&self) -> Option<u32> {
        let contents = self.contents();
        contents.has_instances().then_some(contents.header.ranges)
    }

    /// A ray record in the space of an instance, as MTX.MUL moves it, and the level of its BLAS.
    #[must_use]
    pub fn enter(&self, instance: u32, record: [u32; 8]) -> (u32, [u32; 8]) {
        match self.contents().instance(instance) {
            None => (0, record),
            Some(placed) => {
                (placed.blas + 1, transformed_ray(&placed.matrix(), record, &self.policy()))
            }
        }
    }

    /// The step of entering an instance with a ray, given in its space.
    #[must_use]
    pub fn entered(&self, instance: u32, record: [u32; 8]) -> Step {
        let contents = self.contents();
        let index = contents.instance_index(instance);
        let placed = contents.instance(instance);
        let RayElements { origin, direction, tmin, tmax } = self.ray(record);
        Step::Instance {
            instance,
            pointer: Target::Instance(index).pointer(),
            address: Some(contents.range_address(index)),
            world_to_object: placed.map_or(Transform::IDENTITY, |it| it.world_to_object),
            ray: Some(Ray::new(origin.into(), direction.into()).between(tmin, tmax)),
        }
    }

    /// The option that a query's flags ask for, and whether that is all they ask for: other flags
    /// are a program's business.
    #[must_use]
    pub fn options(query: &RayQuery) -> (JobOptions, bool) {
        let culls = query.flags.contains(RayFlags::CULL_BACK);
        let options = if culls { JobOptions::CULL_BACK } else { JobOptions::empty() };
        (options, (query.flags - RayFlags::CULL_BACK).is_empty())
    }

    /// Whether a query's flags let it see a hit.
    #[must_use]
    pub fn sees(query: &RayQuery, hit: &WalkHit) -> bool {
        let flags = MergedFlags::new(query.flags, InstanceFlags::empty());
        let opaque = PrimitiveFlags::OPAQUE;
        flags.sees_triangles(opaque) && flags.sees_face(opaque, !hit.back)
    }

    /// A hit as machines report it: values narrowed as in a hit entry.
    #[must_use]
    pub fn hit(&self, hit: &WalkHit) -> Hit {
        let values = hit.values.map(|value| narrow(value, &self.policy()).bits);
        self.hit_of_elements(hit.instance, hit.primitive, values)
    }

    /// A hit with the elements of a hit entry.
    #[must_use]
    pub fn hit_of_elements(&self, instance: u32, primitive: u32, elements: [u32; 3]) -> Hit {
        let policy = self.policy();
        let [t, u, v] = elements.map(|bits| widen(bits, &policy).value);
        let PrimitiveId { geometry, primitive, .. } = self.contents().id(primitive);
        Hit { t, u, v, instance, geometry, primitive }
    }

    /// The number of the triangle with a hit's ids.
    #[must_use]
    pub fn number_of(&self, hit: &Hit) -> Option<u32> {
        let contents = self.contents();
        let level = match contents.has_instances() {
            true => contents.instance(hit.instance)?.blas + 1,
            false => 0,
        };
        let key = |id: &PrimitiveId| (id.geometry, id.primitive);
        let blas = self.0.tree().blases.get(level.saturating_sub(1) as usize)?;
        let ids = &blas.primitives.ids;
        let at = ids.binary_search_by_key(&(hit.geometry, hit.primitive), key).ok()?;
        Some(contents.level_triangles(level).start + at as u32)
    }

    /// The image as memory that cannot be written.
    #[must_use]
    pub fn memory(&self) -> ImageMemory<'_> {
        ImageMemory { image: self.image() }
    }
}

/// An image as memory.
#[derive(Debug, Clone, Copy)]
pub struct ImageMemory<'a> {
    image: &'a Image,
}

impl Memory for ImageMemory<'_> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        let fault = MemoryFault { kind: FaultKind::Access, address };
        bytes.copy_from_slice(self.image.get(address, bytes.len()).ok_or(fault)?);
        Ok(())
    }

    fn store(&mut self, address: u64, _bytes: &[u8]) -> Result<(), MemoryFault> {
        Err(MemoryFault { kind: FaultKind::Access, address })
    }
}
