//! tinybvh: its hierarchy of eight for processors, `BVH8_CPU`, built with spatial splits (`BuildHQ`).
//!
//! tinybvh-rs builds it. Of tracing it offers the closest hit alone, and that only to programs that are
//! compiled for AVX2 as a whole; the C++ beside it has both queries and is compiled for this processor.
//! So the two member functions are called by their symbols. A version of tinybvh in which they are
//! called otherwise does not link.

use crate::flat::Flat;
use crate::{Answer, Library, Peer, PeerError, Question, Work};
use geometry::Ray;
use scene::Scene;
use std::ffi::c_void;
use std::time::Instant;
use tinybvh_rs::{INFINITE, Intersection, Ray as BareRay, bvh, bvh8_cpu, mbvh};

/// Most triangles of a leaf of `BVH8_CPU`.
const MAX_LEAF: u32 = 4;

/// Bytes of an inner node: eight boxes, eight pointers, eight permutations.
const NODE_BYTES: u64 = 256;

/// Bytes of a leaf: four triangles of nine floats and four ids, in whole cache lines.
const LEAF_BYTES: u64 = 192;

unsafe extern "C" {
    /// `int32_t tinybvh::BVH8_CPU::Intersect(Ray&) const`
    #[link_name = "_ZNK7tinybvh8BVH8_CPU9IntersectERNS_3RayE"]
    fn intersect(bvh: *const c_void, ray: *mut AlignedRay) -> i32;

    /// `bool tinybvh::BVH8_CPU::IsOccluded(const Ray&) const`
    #[link_name = "_ZNK7tinybvh8BVH8_CPU10IsOccludedERKNS_3RayE"]
    fn is_occluded(bvh: *const c_void, ray: *const AlignedRay) -> bool;
}

/// A ray of tinybvh-rs on the boundary that the C++ type has.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct AlignedRay(BareRay);

/// The scene in tinybvh.
struct Bvh8 {
    flat: Flat,
    bvh: bvh8_cpu::BVH,
    build_seconds: f64,
    bytes: u64,
}

// SAFETY: after the build nothing changes the C++ object; both queries are `const` member functions that
// keep their state on the stack.
unsafe impl Sync for Bvh8 {}

/// Builds the scene.
pub(crate) fn peers(scene: &Scene) -> Result<Vec<Box<dyn Peer>>, PeerError> {
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        return Err(Library::Tinybvh.failed("needs a processor with AVX2 and FMA"));
    }
    let flat = Flat::new(scene);
    let refused = |error: tinybvh_rs::Error| Library::Tinybvh.failed(error);
    let start = Instant::now();
    let corners: Vec<[f32; 4]> = flat
        .triangles
        .iter()
        .flat_map(|triangle| triangle.vertices.map(|v| v.extend(0.0).to_array()))
        .collect();
    let mut binary = bvh::BVH::new_hq(corners.as_slice().into()).map_err(refused)?;
    binary.split_leaves(MAX_LEAF);
    binary.compact();
    let wide = mbvh::BVH::new(&binary);
    let bvh = bvh8_cpu::BVH::new(&wide).map_err(refused)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let leaves = u64::from(wide.leaf_count(0));
    let inner = wide.nodes().iter().filter(|node| node.child_count > 0).count() as u64;
    let bytes = inner * NODE_BYTES + leaves * LEAF_BYTES;
    Ok(vec![Box::new(Bvh8 { flat, bvh, build_seconds, bytes })])
}

impl Bvh8 {
    /// The C++ object.
    fn object(&self) -> *const c_void {
        const { assert!(size_of::<bvh8_cpu::BVH>() == size_of::<*const c_void>()) };
        // SAFETY: the wrapper's only field is a `cxx::UniquePtr`, which is a pointer by its documented
        // layout; the sizes are compared above, and the object lives as long as `self`.
        unsafe { std::mem::transmute_copy(&self.bvh) }
    }
}

impl Peer for Bvh8 {
    fn library(&self) -> Library {
        Library::Tinybvh
    }

    fn mode(&self) -> &'static str {
        "bvh8"
    }

    fn build_seconds(&self) -> f64 {
        self.build_seconds
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn load<'a>(&'a self, question: Question, rays: &[Ray]) -> Box<dyn Work + 'a> {
        let farthest: Vec<f32> = rays.iter().map(|ray| ray.tmax.min(INFINITE)).collect();
        let rays = rays.iter().zip(&farthest).map(|(ray, &far)| laid_out(ray, far)).collect();
        Box::new(Bvh8Work { scene: self, question, rays, farthest })
    }
}

/// tinybvh knows no `tmin`; benchmark rays start at 0.
fn laid_out(ray: &Ray, farthest: f32) -> AlignedRay {
    // As in tinybvh, a reciprocal stays finite.
    let reciprocal = |x: f32| if x.abs() > 1e-12 { 1.0 / x } else { INFINITE };
    AlignedRay(BareRay {
        origin: ray.origin.to_array(),
        padding_0: 0xFFFF, // the mask: every instance
        dir: ray.direction.to_array(),
        r_d: ray.direction.to_array().map(reciprocal),
        hit: Intersection { t: farthest, ..Intersection::default() },
        ..BareRay::default()
    })
}

struct Bvh8Work<'a> {
    scene: &'a Bvh8,
    question: Question,
    rays: Vec<AlignedRay>,
    /// Where each ray ends. For an occluded ray, the entry in `rays` is negative after the run.
    farthest: Vec<f32>,
}

impl Work for Bvh8Work<'_> {
    fn reset(&mut self) {
        for (AlignedRay(ray), &t) in self.rays.iter_mut().zip(&self.farthest) {
            ray.hit = Intersection { t, ..Intersection::default() };
        }
    }

    fn run(&mut self) {
        let bvh = self.scene.object();
        for ray in &mut self.rays {
            match self.question {
                Question::Closest { .. } => {
                    // SAFETY: the object is alive and built; the ray has the layout and alignment of
                    // the C++ type and is ours alone.
                    unsafe { intersect(bvh, ray) };
                }
                Question::Any => {
                    // SAFETY: as above; the ray is only read.
                    if unsafe { is_occluded(bvh, ray) } {
                        ray.0.hit.t = -1.0;
                    }
                }
            }
        }
    }

    fn answers(&self) -> Vec<Answer> {
        let answer = |(AlignedRay(ray), &farthest): (&AlignedRay, &f32)| {
            let Intersection { t, u, v, prim } = ray.hit;
            match self.question {
                _ if t >= farthest => Answer::Miss,
                Question::Any => Answer::Occluded,
                Question::Closest { .. } => {
                    Answer::Closest(self.scene.flat.hit(prim as usize, t, u, v))
                }
            }
        };
        self.rays.iter().zip(&self.farthest).map(answer).collect()
    }
}
