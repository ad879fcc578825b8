//! An image, and queries in its terms.

use crate::flags::Raised;
use crate::instruction::{RayElements, read_elements};
use crate::memory::{FaultKind, Memory, MemoryFault};
use crate::numeric::{narrow, widen};
use crate::offload::JobOptions;
use crate::offload::walk::{Walk, WalkHit};
use crate::policy::Policy;
use crate::tiles::contents::Contents;
use crate::tiles::{Tiles, contents_of};
use geometry::InstanceFlags;
use machine::primitive_test::MergedFlags;
use machine::{Checked, Hit, Image, RayFlags, RayQuery};
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

    fn ids(&self) -> &[PrimitiveId] {
        self.0.tree().blases.first().map_or(&[][..], |blas| &blas.primitives.ids)
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

    /// The walk of a job over the image.
    #[must_use]
    pub fn walk(&self, options: JobOptions) -> Walk {
        let Contents { header, policy, shape, .. } = self.contents();
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

    /// A query's ray as the hardware sees it.
    #[must_use]
    pub fn ray(&self, query: &RayQuery) -> RayElements {
        let mut raised = Raised::default();
        let record = self.ray_record(query);
        RayElements::from_record(read_elements(record, &self.policy(), &mut raised))
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
        self.hit_of_elements(hit.primitive, values)
    }

    /// A hit with the elements of a hit entry.
    #[must_use]
    pub fn hit_of_elements(&self, primitive: u32, elements: [u32; 3]) -> Hit {
        let policy = self.policy();
        let [t, u, v] = elements.map(|bits| widen(bits, &policy).value);
        let id = self.ids().get(primitive as usize);
        let (geometry, primitive) = id.map_or((0, primitive), |id| (id.geometry, id.primitive));
        Hit { t, u, v, instance: 0, geometry, primitive }
    }

    /// The number of the triangle with a hit's ids.
    #[must_use]
    pub fn number_of(&self, hit: &Hit) -> Option<u32> {
        let key = |id: &PrimitiveId| (id.geometry, id.primitive);
        let at = self.ids().binary_search_by_key(&(hit.geometry, hit.primitive), key).ok()?;
        Some(at as u32)
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
