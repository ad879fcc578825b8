//! The structures of Embree's C interface (`rtcore_ray.h`, `rtcore_common.h`, `rtcore_builder.h`).
//!
//! Both versions share them as far as they are used here. Embree 4 appends `instPrimID` to a hit;
//! with Embree 3 that room is left alone, because nothing lies behind a hit in either structure.
//!
//! | structure | bytes | boundary |
//! |---|---|---|
//! | `RTCRay` | 48 | 16 |
//! | `RTCHit` | 32 (version 3), 48 (version 4) | 16 |
//! | `RTCRayHit` | 80 (version 3), 96 (version 4); the hit begins at 48 | 16 |
//! | `RTCRayHit8` | 640 (version 3), 672 (version 4); the hit begins at 384 | 32 |
//! | `RTCRayHit16` | 1,280 (version 3), 1,344 (version 4); the hit begins at 768 | 64 |
//!
//! Here packets of 8 have a boundary of 64 bytes, too.

use geometry::Ray;
use machine::Hit;
use std::ffi::c_void;

/// `RTC_INVALID_GEOMETRY_ID`.
pub(super) const INVALID: u32 = u32::MAX;

/// `RTCRay`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct RtcRay {
    pub(super) origin: [f32; 3],
    pub(super) tnear: f32,
    pub(super) direction: [f32; 3],
    pub(super) time: f32,
    /// Becomes the distance of the hit, or minus infinity where a ray is occluded.
    pub(super) tfar: f32,
    pub(super) mask: u32,
    pub(super) id: u32,
    pub(super) flags: u32,
}

/// `RTCHit`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct RtcHit {
    pub(super) normal: [f32; 3],
    pub(super) u: f32,
    pub(super) v: f32,
    pub(super) primitive: u32,
    pub(super) geometry: u32,
    pub(super) instance: u32,
    pub(super) instance_primitive: u32,
}

/// `RTCRayHit`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct RtcRayHit {
    pub(super) ray: RtcRay,
    pub(super) hit: RtcHit,
}

/// `RTCRay8` or `RTCRay16`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct RtcRays<const N: usize> {
    pub(super) origin: [[f32; N]; 3],
    pub(super) tnear: [f32; N],
    pub(super) direction: [[f32; N]; 3],
    pub(super) time: [f32; N],
    pub(super) tfar: [f32; N],
    pub(super) mask: [u32; N],
    pub(super) id: [u32; N],
    pub(super) flags: [u32; N],
}

/// `RTCHit8` or `RTCHit16`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct RtcHits<const N: usize> {
    pub(super) normal: [[f32; N]; 3],
    pub(super) u: [f32; N],
    pub(super) v: [f32; N],
    pub(super) primitive: [u32; N],
    pub(super) geometry: [u32; N],
    pub(super) instance: [u32; N],
    pub(super) instance_primitive: [u32; N],
}

/// `RTCRayHit8` or `RTCRayHit16`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct RtcRayHits<const N: usize> {
    pub(super) ray: RtcRays<N>,
    pub(super) hit: RtcHits<N>,
}

/// Which lanes of a packet hold a ray: -1 or 0.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Valid<const N: usize>(pub(super) [i32; N]);

/// `RTCIntersectContext` of version 3.
#[repr(C)]
pub(super) struct Context3 {
    pub(super) flags: u32,
    pub(super) filter: *const c_void,
    pub(super) instance: u32,
}

/// `RTCRayQueryContext` of version 4.
#[repr(C)]
pub(super) struct Context4 {
    pub(super) instance: u32,
    pub(super) instance_primitive: u32,
}

/// `RTCIntersectArguments` and `RTCOccludedArguments` of version 4, which are laid out alike.
#[repr(C)]
pub(super) struct Arguments4 {
    pub(super) flags: u32,
    pub(super) features: u32,
    pub(super) context: *mut Context4,
    pub(super) filter: *const c_void,
    pub(super) callback: *const c_void,
}

/// `RTCBounds`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(super) struct RtcBounds {
    pub(super) lower: [f32; 3],
    pub(super) padding_0: f32,
    pub(super) upper: [f32; 3],
    pub(super) padding_1: f32,
}

/// `RTCBuildPrimitive`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct RtcBuildPrimitive {
    pub(super) lower: [f32; 3],
    pub(super) geometry: u32,
    pub(super) upper: [f32; 3],
    pub(super) primitive: u32,
}

impl RtcRayHit {
    /// A ray that has hit nothing yet.
    pub(super) fn new(ray: &Ray) -> Self {
        let hit = RtcHit {
            normal: [0.0; 3],
            u: 0.0,
            v: 0.0,
            primitive: INVALID,
            geometry: INVALID,
            instance: INVALID,
            instance_primitive: INVALID,
        };
        Self { ray: RtcRay::new(ray), hit }
    }

    /// What it has hit.
    pub(super) fn closest(&self) -> Option<Hit> {
        let RtcHit { u, v, primitive, geometry, instance, .. } = self.hit;
        (geometry != INVALID).then(|| Hit {
            t: self.ray.tfar,
            u,
            v,
            instance: placed(instance),
            geometry,
            primitive,
        })
    }
}

impl RtcRay {
    pub(super) fn new(ray: &Ray) -> Self {
        Self {
            origin: ray.origin.to_array(),
            tnear: ray.tmin,
            direction: ray.direction.to_array(),
            time: 0.0,
            tfar: ray.tmax,
            mask: u32::MAX,
            id: 0,
            flags: 0,
        }
    }
}

impl<const N: usize> RtcRayHits<N> {
    /// Up to so many rays; lanes without one are copies of the first.
    pub(super) fn new(rays: &[Ray]) -> Self {
        let ray = |lane: usize| rays.get(lane).unwrap_or(&rays[0]);
        let lanes = |value: &dyn Fn(&Ray) -> f32| std::array::from_fn(|lane| value(ray(lane)));
        let axes = |value: &dyn Fn(&Ray, usize) -> f32| {
            std::array::from_fn(|axis| lanes(&|ray| value(ray, axis)))
        };
        let unset = [INVALID; N];
        Self {
            ray: RtcRays {
                origin: axes(&|ray, axis| ray.origin[axis]),
                tnear: lanes(&|ray| ray.tmin),
                direction: axes(&|ray, axis| ray.direction[axis]),
                time: [0.0; N],
                tfar: lanes(&|ray| ray.tmax),
                mask: [u32::MAX; N],
                id: [0; N],
                flags: [0; N],
            },
            hit: RtcHits {
                normal: [[0.0; N]; 3],
                u: [0.0; N],
                v: [0.0; N],
                primitive: unset,
                geometry: unset,
                instance: unset,
                instance_primitive: unset,
            },
        }
    }

    /// What the ray of a lane has hit.
    pub(super) fn closest(&self, lane: usize) -> Option<Hit> {
        let hit = &self.hit;
        (hit.geometry[lane] != INVALID).then(|| Hit {
            t: self.ray.tfar[lane],
            u: hit.u[lane],
            v: hit.v[lane],
            instance: placed(hit.instance[lane]),
            geometry: hit.geometry[lane],
            primitive: hit.primitive[lane],
        })
    }
}

impl<const N: usize> Valid<N> {
    /// The first `count` lanes.
    pub(super) fn first(count: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < count { -1 } else { 0 }))
    }
}

/// A scene without instances counts as instance 0.
fn placed(instance: u32) -> u32 {
    if instance == INVALID { 0 } else { instance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Sizes and places as a C compiler gives them for the headers of Embree 4.4.
    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!((size_of::<RtcRay>(), align_of::<RtcRay>()), (48, 16));
        assert_eq!((size_of::<RtcHit>(), align_of::<RtcHit>()), (48, 16));
        assert_eq!((size_of::<RtcRayHit>(), offset_of!(RtcRayHit, hit)), (96, 48));
        assert_eq!((offset_of!(RtcRay, tfar), offset_of!(RtcHit, geometry)), (32, 24));
        assert_eq!((size_of::<RtcRays<16>>(), align_of::<RtcRays<16>>()), (768, 64));
        assert_eq!((size_of::<RtcRayHits<16>>(), offset_of!(RtcRayHits<16>, hit)), (1344, 768));
        assert_eq!(offset_of!(RtcHits<16>, geometry), 6 * 64);
        assert_eq!((size_of::<RtcRays<8>>(), offset_of!(RtcRayHits<8>, hit)), (384, 384));
        assert_eq!(offset_of!(RtcHits<8>, instance_primitive), 8 * 32);
        assert_eq!((size_of::<RtcBounds>(), size_of::<RtcBuildPrimitive>()), (32, 32));
        assert_eq!((size_of::<Arguments4>(), offset_of!(Arguments4, context)), (32, 8));
        assert_eq!((size_of::<Context3>(), offset_of!(Context3, instance)), (24, 16));
    }
}
