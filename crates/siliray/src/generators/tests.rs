use super::*;
use crate::input::Input;
use geometry::Vec3;
use scene::builtin::Builtin;

fn generated(json: &str) -> Generated {
    Generated::new(Generator::from_json(json).unwrap(), Some(Arc::new(placed()))).unwrap()
}

fn all(json: &str, range: Range<u64>) -> Vec<Ray> {
    let mut rays = Vec::new();
    generated(json).rays(range, &mut rays);
    rays
}

const CAMERA: &str = r#"{"kind": "camera", "eye": [1, 2, 9], "at": [0, 1, 0], "fov": 40,
    "width": 13, "height": 7, "samples": 3, "seed": 5}"#;
const LIDAR: &str = r#"{"kind": "lidar", "path": [[0, 0, 1], [4, 0, 1], [4, 8, 2]],
    "sweeps": 5, "azimuths": 8, "elevations": [-15, 0, 10], "reach": 120}"#;
const OCCLUSION: &str = r#"{"kind": "occlusion", "samples": 6, "seed": 3, "reach": 2.5}"#;
const SCATTER: &str = r#"{"kind": "scatter", "low": [-1, 0, 2], "high": [1, 5, 9]}"#;

fn placed() -> PlacedTriangles {
    PlacedTriangles::of(&Input::Scene(Builtin::Interior.scene(300))).unwrap()
}

/// A ray is the same in whatever range it is asked for.
#[test]
fn rays_follow_from_their_numbers() {
    for json in [CAMERA, LIDAR, OCCLUSION, SCATTER] {
        let generator = Generator::from_json(json).unwrap();
        let count = generated(json).count().min(1000);
        let whole = all(json, 0..count);
        assert_eq!(whole.len() as u64, count);
        assert!(whole.iter().all(Ray::is_traceable));
        for start in (0..count).step_by(37) {
            let end = (start + 37).min(count);
            let part = all(json, start..end);
            assert_eq!(part, whole[start as usize..end as usize]);
        }
        let written = serde_json::to_string(&generator).unwrap();
        assert_eq!(Generator::from_json(&written).unwrap(), generator);
    }
}

#[test]
fn a_camera_sees_pixels_in_rows() {
    let json = r#"{"kind": "camera", "eye": [1, 2, 9], "at": [0, 1, 0], "fov": 40,
        "width": 13, "height": 7}"#;
    let Generator::Camera(view) = Generator::from_json(json).unwrap() else { panic!() };
    for (number, ray) in all(json, 0..91).iter().enumerate() {
        let (x, y) = ((number % 13) as f32 + 0.5, (number / 13) as f32 + 0.5);
        assert_eq!(*ray, view.camera().ray(x, y, 13, 7));
    }
}

#[test]
fn a_lidar_turns_and_moves() {
    let rays = all(LIDAR, 0..120);
    let close = |a: Vec3, b: [f32; 3]| (a - Vec3::from_array(b)).length() < 1e-6;
    // Sweep 1 of 0 to 4 over two legs is in the middle of the first.
    assert!(close(rays[24].origin, [2.0, 0.0, 1.0]));
    assert!(close(rays[119].origin, [4.0, 8.0, 2.0]));
    // The level beam of azimuth 0 looks along x, that of azimuth 2 of 8 along y.
    assert!(close(rays[1].direction, [1.0, 0.0, 0.0]));
    assert!(close(rays[7].direction, [0.0, 1.0, 0.0]));
    assert!((rays[0].direction.z - (-15f32).to_radians().sin()).abs() < 1e-6);
    assert!(rays.iter().all(|ray| ray.tmax == 120.0));
}

#[test]
fn occlusion_starts_above_its_triangle() {
    let placed = placed();
    let rays = all(OCCLUSION, 0..6 * placed.len() as u64);
    for (number, ray) in rays.iter().enumerate() {
        let [a, b, c] = placed.triangles[number / 6].map(|corner| corner.as_dvec3());
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let height = (ray.origin.as_dvec3() - a).dot(normal);
        assert!((0.0..0.01).contains(&height), "{number}: {height}");
        assert!(ray.direction.as_dvec3().dot(normal) > -1e-5, "{number}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (json, expected) in [
        ("[]", "the generator is none: "),
        (r#"{"kind": "laser"}"#, "the generator is none: unknown variant `laser`"),
        (r#"{"kind": "occlusion", "samples": 1, "rays": 2}"#, "the generator is none: unknown"),
        (
            r#"{"kind": "occlusion", "samples": 0}"#,
            "the generator's samples: found 0, expected at least 1",
        ),
        (
            r#"{"kind": "occlusion", "samples": 1, "reach": -1}"#,
            "the generator's reach: found -1, expected a positive number",
        ),
        (
            r#"{"kind": "scatter", "low": [0, 0, 1], "high": [1, 1, 0]}"#,
            "the generator's low: found [0.0, 0.0, 1.0] to",
        ),
        (
            r#"{"kind": "lidar", "path": [[0, 0, 0]], "sweeps": 1, "azimuths": 1,
                "elevations": [0], "forward": [0, 0, 1]}"#,
            "the generator's up: found",
        ),
    ] {
        let error = Generator::from_json(json).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{json}: {error}");
    }
    for (first, count, end) in [(270, 4, 274), (274, 0, 274), (u64::MAX, 3, (1u128 << 64) + 2)] {
        let error = generated(CAMERA).range(first, Some(count)).unwrap_err();
        let expected = format!("rays {first} to {end} are asked for, and there are 273");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(generated(CAMERA).range(270, Some(3)).unwrap(), 270..273);
    assert_eq!(generated(CAMERA).range(270, None).unwrap(), 270..273);
    let alone = Generated::new(Generator::from_json(OCCLUSION).unwrap(), None).unwrap_err();
    assert_eq!(alone.to_string(), "rays of occlusion need the scene that they start from");
}
