//! How wide a ray must be so that no triangle that the watertight rule accepts is culled by its own
//! box: the sets of the specification's section on dilation.

use geometry::beam::construct::Corners;
use geometry::random::Random;
use geometry::slab::{self, DILATION};
use geometry::{Beam, Ray, Triangle, TriangleRule, Vec3};

/// `u = 2^-24`.
const U: f32 = DILATION / 7.0;

/// How many accepted triangles' boxes are lost.
#[derive(Debug, Default)]
struct Lost {
    accepted: usize,
    /// Neither widened nor dilated: `lo <= hi`.
    plain: usize,
    /// Dilated by 0, 1, 2, ... 7 uR, all with `C` and `TINY`.
    dilated: [usize; 8],
}

impl Lost {
    /// Puts one ray and one triangle to every test.
    fn ask(&mut self, ray: &Ray, triangle: &Triangle) {
        if TriangleRule::Watertight.intersect(ray, triangle).is_none() {
            return;
        }
        self.accepted += 1;
        let bounds = triangle.bounds();
        let reach = slab::reach(ray.origin, &bounds);
        let plain = Beam::new(&Corners::around(ray)).unwrap().bounds(&bounds);
        self.plain += usize::from(plain.lo > plain.hi);
        for (factor, lost) in self.dilated.iter_mut().enumerate() {
            let beam = Beam::dilated_ray(ray, factor as f32 * U * reach).unwrap();
            *lost += usize::from(beam.overlap(&bounds).is_none());
        }
    }
}

/// A corner, a point of an edge, or one inside.
fn target(random: &mut Random, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (r, s) = (random.range(0.0, 1.0), random.range(0.0, 1.0));
    match random.below(3) {
        0 => a,
        1 => a + (b - a) * r,
        _ => a + (b - a) * (r * s) + (c - a) * (r * (1.0 - s)),
    }
}

/// Rays aimed at corners, edges and the inside of triangles of five scales. A plain slab test loses
/// boxes; `C` alone happens to be enough here.
#[test]
fn aimed_rays_at_five_scales() {
    let mut random = Random(70);
    for scale in [1e-3, 0.1, 1.0, 100.0, 1e4] {
        let mut lost = Lost::default();
        for _ in 0..60_000 {
            let mut vertices = [0; 3].map(|_| random.vector(-1.0, 1.0) * scale);
            if random.below(3) == 0 {
                let axis = random.below(3);
                (vertices[1][axis], vertices[2][axis]) = (vertices[0][axis], vertices[0][axis]);
            }
            let triangle = Triangle { vertices };
            let origin = random.vector(-8.0, 8.0) * scale;
            lost.ask(&Ray::new(origin, target(&mut random, vertices) - origin), &triangle);
        }
        assert!(lost.accepted > 25_000, "{lost:?}");
        let share = lost.plain as f64 / lost.accepted as f64;
        assert!((0.005..0.15).contains(&share), "{share} {lost:?}");
        assert_eq!(lost.dilated[1..], [0; 7], "{lost:?}");
    }
}

/// The origin close to a long edge, parallel to an axis, of a triangle a hundred times larger: `C`
/// alone loses boxes, so that widening the range of `t` does not replace dilation. Any dilation
/// from `uR` on loses none.
#[test]
fn origins_near_long_edges() {
    let mut random = Random(71);
    let mut lost = Lost::default();
    for _ in 0..1_500_000 {
        let (along, side) = (random.below(3), 1 + random.below(2));
        let side = (along + side) % 3;
        let corner = random.vector(-1.0, 1.0);
        let mut vertices = [corner; 3];
        vertices[1][along] += random.range(50.0, 150.0);
        vertices[2][along] += random.range(-50.0, 150.0);
        vertices[2][side] += random.range(1.0, 100.0);
        vertices[2][3 - along - side] += random.range(-100.0, 100.0);
        // Near to the edge and aimed past a point of it nearby, far from all three corners.
        let mut aim = corner + random.vector(-100.0, 100.0) * U;
        aim[along] += random.range(10.0, 40.0);
        let origin = aim + random.vector(-1.0, 1.0) * [1.0, 0.1, 0.01][random.below(3)];
        lost.ask(&Ray::new(origin, aim - origin), &Triangle { vertices });
    }
    assert!(lost.accepted > 300_000, "{lost:?}");
    assert!(lost.dilated[0] > 0, "the aim is not bad enough to matter: {lost:?}");
    assert_eq!(lost.dilated[2..], [0; 6], "{lost:?}");
}
