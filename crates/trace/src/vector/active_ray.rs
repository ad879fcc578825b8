//! A ray in flight: what its next steps need, in two lines of memory.

use crate::world::Pointer;

/// A ray in flight.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ActiveRay {
    /// What boxes are tested with.
    pub(crate) box_ray: BoxTestRay,
    /// The end of the stack: where the next entry goes.
    pub(crate) top: *mut Pointer,
    /// Position of the ray in its part of the batch.
    pub(crate) position: u32,
    /// The instance that it is in.
    pub(crate) instance: u32,
    /// What triangles are tested with.
    pub(crate) triangle_ray: TriangleTestRay,
    /// The BLAS that it is in.
    pub(crate) blas: u32,
    /// What pointers of the level that it is in count from ([`super::source::Source::start`]).
    pub(crate) start: *const u8,
}

/// A ray as box tests see it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub(crate) struct BoxTestRay {
    /// `1/d`, with tiny directions replaced.
    pub(crate) inverse: [f32; 3],
    /// The start of the range that matters.
    pub(crate) nearest: f32,
    /// `-oA/d`, where `oA` is the origin that minima are seen from.
    pub(crate) low_offset: [f32; 3],
    /// The end of the range that matters.
    pub(crate) farthest: f32,
    /// `-oB/d`, likewise for maxima.
    pub(crate) high_offset: [f32; 3],
    /// Bit `k`: the direction on axis `k` is negative.
    pub(crate) octant: u32,
}

/// A ray as triangle tests see it. Axes are in the order of the rule: for the watertight one, the
/// dominant one last.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct TriangleTestRay {
    /// The origin.
    pub(crate) origin: [f32; 3],
    /// Which axes these are.
    pub(crate) axes: [u8; 4],
    /// The shear, and the reciprocal of the dominant direction.
    pub(crate) factors: [f32; 3],
    /// The end of the ray's own range.
    pub(crate) end: f32,
    /// The direction; the last lane means nothing.
    pub(crate) direction: [f32; 4],
}

impl ActiveRay {
    /// A slot without a ray.
    pub(crate) const EMPTY: Self = Self {
        box_ray: BoxTestRay {
            inverse: [0.0; 3],
            nearest: 0.0,
            low_offset: [0.0; 3],
            farthest: 0.0,
            high_offset: [0.0; 3],
            octant: 0,
        },
        top: std::ptr::null_mut(),
        position: 0,
        instance: 0,
        triangle_ray: TriangleTestRay {
            origin: [0.0; 3],
            axes: [0; 4],
            factors: [0.0; 3],
            end: 0.0,
            direction: [0.0; 4],
        },
        blas: 0,
        start: std::ptr::null(),
    };
}
