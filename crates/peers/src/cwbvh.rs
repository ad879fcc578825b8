//! obvhs: a compressed wide hierarchy of eight (Ylitie, Karras and Laine 2017) with pre-splits and
//! full reinsertion, its slowest preset; triangles in the order of the leaves, as its examples
//! advise.

use crate::flat::Flat;
use crate::{Answer, Library, Peer, PeerError, Question, Work};
use geometry::{Ray, Vec3};
use obvhs::BvhBuildParams;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ray::{Ray as CwRay, RayHit};
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle as CwTriangle;
use obvhs_glam::{UVec2, Vec3A};
use scene::Scene;
use std::time::{Duration, Instant};

/// The scene in obvhs.
struct Cwbvh {
    flat: Flat,
    bvh: CwBvh,
    /// In the order of `bvh.primitive_indices`.
    triangles: Vec<RtTriangle>,
    build_seconds: f64,
}

/// Builds the scene.
pub(crate) fn peers(scene: &Scene) -> Result<Vec<Box<dyn Peer>>, PeerError> {
    let flat = Flat::new(scene);
    let start = Instant::now();
    let corners: Vec<CwTriangle> = flat
        .triangles
        .iter()
        .map(|triangle| {
            let [v0, v1, v2] = triangle.vertices.map(vector);
            CwTriangle { v0, v1, v2 }
        })
        .collect();
    let mut unused = Duration::ZERO;
    let bvh = build_cwbvh_from_tris(&corners, BvhBuildParams::very_slow_build(), &mut unused);
    let in_leaf_order =
        bvh.primitive_indices.iter().map(|&index| (&corners[index as usize]).into());
    let triangles = in_leaf_order.collect();
    let build_seconds = start.elapsed().as_secs_f64();
    Ok(vec![Box::new(Cwbvh { flat, bvh, triangles, build_seconds })])
}

impl Peer for Cwbvh {
    fn library(&self) -> Library {
        Library::Obvhs
    }

    fn mode(&self) -> &'static str {
        "cwbvh"
    }

    fn build_seconds(&self) -> f64 {
        self.build_seconds
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&self.bvh.nodes[..])
            + size_of_val(&self.bvh.primitive_indices[..])
            + size_of_val(&self.triangles[..])) as u64
    }

    fn load<'a>(&'a self, question: Question, rays: &[Ray]) -> Box<dyn Work + 'a> {
        let rays: Vec<CwRay> = rays
            .iter()
            .map(|ray| CwRay::new(vector(ray.origin), vector(ray.direction), ray.tmin, ray.tmax))
            .collect();
        let hits = vec![RayHit::none(); rays.len()];
        Box::new(CwbvhWork { scene: self, question, rays, hits })
    }
}

struct CwbvhWork<'a> {
    scene: &'a Cwbvh,
    question: Question,
    rays: Vec<CwRay>,
    hits: Vec<RayHit>,
}

impl Work for CwbvhWork<'_> {
    fn reset(&mut self) {
        self.hits.fill(RayHit::none());
    }

    fn run(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { self.run_avx2() };
        }
        self.run_plain();
    }

    fn answers(&self) -> Vec<Answer> {
        let Cwbvh { flat, bvh, triangles, .. } = self.scene;
        let answer = |(ray, hit): (&CwRay, &RayHit)| match self.question {
            _ if hit.t == f32::INFINITY => Answer::Miss,
            Question::Any => Answer::Occluded,
            Question::Closest { .. } => {
                let leaf_position = hit.primitive_id as usize;
                let weights = triangles[leaf_position].compute_barycentric(ray);
                let index = bvh.primitive_indices[leaf_position] as usize;
                Answer::Closest(flat.hit(index, hit.t, weights.x, weights.y))
            }
        };
        self.rays.iter().zip(&self.hits).map(answer).collect()
    }
}

impl CwbvhWork<'_> {
    /// obvhs uses the instructions that its caller is compiled for, as far as it is inlined.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,fma,lzcnt")]
    fn run_avx2(&mut self) {
        self.run_plain();
    }

    #[inline(always)]
    fn run_plain(&mut self) {
        for (ray, hit) in self.rays.iter().zip(&mut self.hits) {
            match self.question {
                Question::Closest { .. } => self.scene.closest(*ray, hit),
                Question::Any => self.scene.any(*ray, hit),
            }
        }
    }
}

/// The walks, by the macro that obvhs offers for speed.
impl Cwbvh {
    #[inline(always)]
    fn closest(&self, mut ray: CwRay, hit: &mut RayHit) {
        let mut state = self.bvh.new_traversal(ray.direction);
        let mut node;
        obvhs::traverse!(self.bvh, node, state, node.intersect_ray(&ray, state.oct_inv4), {
            let t = self.triangles[state.primitive_id as usize].intersect(&ray);
            if t < ray.tmax {
                hit.primitive_id = state.primitive_id;
                hit.t = t;
                ray.tmax = t;
            }
        });
    }

    /// An occluded ray gets a hit at 0.
    #[inline(always)]
    fn any(&self, ray: CwRay, hit: &mut RayHit) {
        let mut state = self.bvh.new_traversal(ray.direction);
        let mut node;
        obvhs::traverse!(self.bvh, node, state, node.intersect_ray(&ray, state.oct_inv4), {
            if self.triangles[state.primitive_id as usize].intersect(&ray) < ray.tmax {
                hit.t = 0.0;
                return;
            }
        });
    }
}

fn vector(point: Vec3) -> Vec3A {
    Vec3A::from_array(point.to_array())
}
