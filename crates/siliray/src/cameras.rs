//! Views in a file beside a scene.
//!
//! Meshes say nothing about where to stand. A file `cameras.json` in the same folder may: an object
//! with a member for each scene, called like its file without the ending.
//!
//! ```json
//! { "bunny": { "eye": [2.7, 7.0, 12.6], "at": [-1.1, 3.9, -0.1], "up": [0, 1, 0], "fov": 40 } }
//! ```

use crate::input::Source;
use crate::render::{CameraError, check_camera};
use geometry::Vec3;
use scene::{Camera, FileError, Scene, read_file};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tree::Tree;

/// The name of the file.
pub const FILE: &str = "cameras.json";

/// Why a file of cameras gives no view.
#[derive(Debug, thiserror::Error)]
pub enum CamerasError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// It is not JSON.
    #[error("{file}: {error}")]
    Json {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        error: serde_json::Error,
    },
    /// A camera lacks a member, or it is not what it should be.
    #[error("{file}: camera {scene:?}: {member:?} is no {expected}")]
    Member {
        /// The file.
        file: PathBuf,
        /// The scene that the camera is for.
        scene: String,
        /// Which member.
        member: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A camera sees nothing.
    #[error("{file}: camera {scene:?}: {error}")]
    Camera {
        /// The file.
        file: PathBuf,
        /// The scene that the camera is for.
        scene: String,
        /// What is wrong with it.
        error: CameraError,
    },
}

/// Why numbers are no camera.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumbersError {
    /// Too few or too many.
    #[error("expected 7 numbers, ex,ey,ez,tx,ty,tz,fov, or 3 more, ux,uy,uz, found {0}")]
    Count(usize),
    /// They see nothing.
    #[error(transparent)]
    Camera(#[from] CameraError),
}

/// A camera by its numbers: eye, target, vertical field of view in degrees, and perhaps which way
/// is up. That is the y axis else, unless the camera looks along it.
///
/// # Errors
/// When there are too few or too many, or they see nothing.
pub fn from_numbers(numbers: &[f32]) -> Result<Camera, NumbersError> {
    let (view, up) = numbers.split_at(numbers.len().min(7));
    let ([ex, ey, ez, tx, ty, tz, fov], [] | [_, _, _]) = (view, up) else {
        return Err(NumbersError::Count(numbers.len()));
    };
    let (eye, target) = (Vec3::new(*ex, *ey, *ez), Vec3::new(*tx, *ty, *tz));
    let up = <[f32; 3]>::try_from(up).map_or_else(|_| up_for(target - eye), Vec3::from_array);
    let camera = Camera { eye, target, up, fov: *fov };
    check_camera(&camera)?;
    Ok(camera)
}

/// The y axis, unless the camera looks along it.
fn up_for(forward: Vec3) -> Vec3 {
    let level = Vec3::new(forward.x, 0.0, forward.z).length();
    if level > 1.0e-4 * forward.y.abs() { Vec3::Y } else { Vec3::NEG_Z }
}

/// What a camera is to see.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'a> {
    /// A scene, which may have a view of its own.
    Scene(&'a Scene),
    /// The tree of an image. Only its geometry counts: one scene is seen in the same way in every
    /// format that stores it whole.
    Tree(&'a Tree),
}

/// The view of what `source` opened to: the scene's own, that of a file `cameras.json` beside it,
/// or one that fits it into a picture `aspect` times as wide as it is high.
///
/// # Errors
/// When there is a file of cameras, but not a good one.
pub fn choose(source: &Source, seen: Seen<'_>, aspect: f32) -> Result<Camera, CamerasError> {
    if let (Source::File(path), None) = (source, seen.own_camera())
        && let Some(named) = beside(path)?
    {
        return Ok(named);
    }
    Ok(of(seen, aspect))
}

/// The view of something: the scene's own, or one that fits it into a picture `aspect` times as
/// wide as it is high.
#[must_use]
pub fn of(seen: Seen<'_>, aspect: f32) -> Camera {
    seen.own_camera().unwrap_or_else(|| match seen {
        Seen::Scene(scene) => Camera::fitting(|see| scene.corners().for_each(see), aspect),
        Seen::Tree(tree) => Camera::fitting(|see| tree.for_each_corner(see), aspect),
    })
}

impl Seen<'_> {
    fn own_camera(self) -> Option<Camera> {
        match self {
            Seen::Scene(scene) => scene.camera(),
            Seen::Tree(_) => None,
        }
    }
}

/// The view that the file beside `scene` has for it; nothing if there is no such file or no such
/// view.
///
/// # Errors
/// When there is a file, but not a good one.
pub fn beside(scene: &Path) -> Result<Option<Camera>, CamerasError> {
    let file = scene.with_file_name(FILE);
    let Some(name) = scene.file_stem().and_then(|stem| stem.to_str()) else { return Ok(None) };
    if !file.is_file() {
        return Ok(None);
    }
    let bytes = read_file(&file)?;
    let cameras: Value = serde_json::from_slice(&bytes)
        .map_err(|error| CamerasError::Json { file: file.clone(), error })?;
    cameras.get(name).map(|camera| read(&file, name, camera)).transpose()
}

fn read(file: &Path, scene: &str, camera: &Value) -> Result<Camera, CamerasError> {
    let wrong = |member, expected| CamerasError::Member {
        file: file.to_owned(),
        scene: scene.to_owned(),
        member,
        expected,
    };
    let point = |member: &'static str| {
        let numbers = camera.get(member).and_then(Value::as_array);
        let numbers: Option<Vec<f32>> =
            numbers.and_then(|list| list.iter().map(|n| Some(n.as_f64()? as f32)).collect());
        let numbers = numbers.and_then(|list| <[f32; 3]>::try_from(list).ok());
        numbers.map(Vec3::from_array).ok_or_else(|| wrong(member, "list of three numbers"))
    };
    let fov = camera.get("fov").and_then(Value::as_f64).ok_or_else(|| wrong("fov", "number"))?;
    let camera =
        Camera { eye: point("eye")?, target: point("at")?, up: point("up")?, fov: fov as f32 };
    check_camera(&camera).map_err(|error| CamerasError::Camera {
        file: file.to_owned(),
        scene: scene.to_owned(),
        error,
    })?;
    Ok(camera)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(camera: &str) -> Result<Camera, String> {
        let value = serde_json::from_str(camera).unwrap();
        read(Path::new("cameras.json"), "bunny", &value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_camera_and_its_mistakes() {
        let good = r#"{"eye": [1, 2.5, -3], "at": [0, 0, 0], "up": [0, 1, 0], "fov": 40}"#;
        let camera = text_of(good).unwrap();
        assert_eq!((camera.eye, camera.fov), (Vec3::new(1.0, 2.5, -3.0), 40.0));
        for (from, to, expected) in [
            ("2.5, ", "", r#"cameras.json: camera "bunny": "eye" is no list of three numbers"#),
            ("40", "null", r#"cameras.json: camera "bunny": "fov" is no number"#),
            ("[0, 1, 0]", "[1, 2.5, -3]", r#"cameras.json: camera "bunny": "#),
        ] {
            let error = text_of(&good.replace(from, to)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
