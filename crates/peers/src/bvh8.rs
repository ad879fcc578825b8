//! tinybvh: its hierarchy of eight for processors, `BVH8_CPU`, built with spatial splits
//! (`BuildHQ`).
//!
//! tinybvh-rs brings the C++ library and compiles it for this processor, but offers less than half
//! of it: no build that fills the leaves of this hierarchy, no occlusion, and the closest hit only
//! to programs that are compiled for AVX2 as a whole. So member functions are called by their
//! symbols. A version of tinybvh in which they are called otherwise does not link.

use crate::flat::Flat;
use crate::{Answer, Library, Peer, PeerError, Question, Work};
use geometry::Ray;
use scene::Scene;
use std::ffi::{CString, c_char};
use std::marker::PhantomData;
use std::time::Instant;
use tinybvh_rs::bvh8_cpu::BVH;
use tinybvh_rs::{INFINITE, Intersection, Ray as BareRay};

unsafe extern "C" {
    /// `std::unique_ptr<tinybvh::BVH8_CPU> tinybvh::BVH8_CPU_new()`: results of that type go where
    /// a hidden first argument points to, by the System V ABI.
    #[link_name = "_ZN7tinybvh12BVH8_CPU_newEv"]
    fn new_bvh8(place: *mut *mut Object);

    /// `void tinybvh::BVH8_CPU::BuildHQ(const bvhvec4slice&)`
    #[link_name = "_ZN7tinybvh8BVH8_CPU7BuildHQERKNS_12bvhvec4sliceE"]
    fn build_hq(bvh: *mut Object, vertices: *const Vertices<'_>);

    /// `void tinybvh::BVH8_CPU::Save(const char*)`
    #[link_name = "_ZN7tinybvh8BVH8_CPU4SaveEPKc"]
    fn save(bvh: *mut Object, path: *const c_char);

    /// `int32_t tinybvh::BVH8_CPU::Intersect(Ray&) const`
    #[link_name = "_ZNK7tinybvh8BVH8_CPU9IntersectERNS_3RayE"]
    fn intersect(bvh: *const Object, ray: *mut AlignedRay) -> i32;

    /// `bool tinybvh::BVH8_CPU::IsOccluded(const Ray&) const`
    #[link_name = "_ZNK7tinybvh8BVH8_CPU10IsOccludedERKNS_3RayE"]
    fn is_occluded(bvh: *const Object, ray: *const AlignedRay) -> bool;
}

/// `tinybvh::BVH8_CPU`; only ever behind a pointer.
#[repr(C)]
struct Object([u8; 0]);

/// `tinybvh::bvhvec4slice`.
#[repr(C)]
struct Vertices<'a> {
    start: *const [f32; 4],
    count: u32,
    stride: u32,
    lifetime: PhantomData<&'a [f32; 4]>,
}

/// A ray of tinybvh-rs on the boundary that the C++ type has.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct AlignedRay(BareRay);

/// The scene in tinybvh.
struct Bvh8 {
    flat: Flat,
    /// tinybvh-rs frees it.
    bvh: BVH,
    /// The library keeps a pointer to them.
    _corners: Vec<[f32; 4]>,
    build_seconds: f64,
    bytes: u64,
}

// SAFETY: after the build nothing changes the C++ object; both queries are `const` member functions
// that keep their state on the stack.
unsafe impl Sync for Bvh8 {}

/// Builds the scene.
pub(crate) fn peers(scene: &Scene) -> Result<Vec<Box<dyn Peer>>, PeerError> {
    let failed = |message: &str| Library::Tinybvh.failed(message);
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        return Err(failed("it needs a processor with AVX2 and FMA"));
    }
    let flat = Flat::new(scene);
    let start = Instant::now();
    let corners: Vec<[f32; 4]> = flat
        .triangles
        .iter()
        .flat_map(|triangle| triangle.vertices.map(|v| v.extend(0.0).to_array()))
        .collect();
    let count = u32::try_from(corners.len()).map_err(|_| failed("too many triangles"))?;
    let mut pointer = std::ptr::null_mut();
    // SAFETY: a `unique_ptr` is a pointer, and there is room for one.
    unsafe { new_bvh8(&raw mut pointer) };
    // SAFETY: the wrapper has the layout of a pointer, as `object` argues, and owns what it points
    // to.
    let bvh: BVH = unsafe { std::mem::transmute(pointer) };
    let vertices = Vertices { start: corners.as_ptr(), count, stride: 16, lifetime: PhantomData };
    // SAFETY: the object is new and ours alone; the slice has as many corners of 16 bytes as it
    // says.
    unsafe { build_hq(pointer, &vertices) };
    let build_seconds = start.elapsed().as_secs_f64();
    let bytes = saved_size(&bvh).ok_or_else(|| failed("its size cannot be told"))?;
    Ok(vec![Box::new(Bvh8 { flat, bvh, _corners: corners, build_seconds, bytes })])
}

/// The C++ object behind the wrapper.
fn object(bvh: &BVH) -> *const Object {
    const { assert!(size_of::<BVH>() == size_of::<*const Object>()) };
    // SAFETY: the wrapper's only field is a `cxx::UniquePtr`, which has the layout of a pointer;
    // the sizes are compared above.
    unsafe { std::mem::transmute_copy(bvh) }
}

/// Bytes of nodes and leaves. The library tells only by writing them to a file.
fn saved_size(bvh: &BVH) -> Option<u64> {
    let name = format!("siliray-tinybvh-{}-{:p}", std::process::id(), object(bvh));
    let path = std::env::temp_dir().join(name);
    let c_path = CString::new(path.to_str()?).ok()?;
    // SAFETY: the object is built; the path ends with a zero and outlives the call.
    unsafe { save(object(bvh).cast_mut(), c_path.as_ptr()) };
    let size = path.metadata().ok()?.len();
    // A file that stays behind in the folder for temporary files does no harm.
    let _ = std::fs::remove_file(&path);
    Some(size)
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
        let bvh = object(&self.scene.bvh);
        for ray in &mut self.rays {
            match self.question {
                Question::Closest { .. } => {
                    // SAFETY: the object is alive and built; the ray has the layout and alignment
                    // of the C++ type and is ours alone.
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
