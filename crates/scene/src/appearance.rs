//! How a geometry looks. Machines do not see it; pictures do.

use geometry::Vec3;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// The colours of a geometry. What is there is multiplied.
#[derive(Debug, Clone, PartialEq)]
pub struct Appearance {
    /// The share of red, green and blue light that it reflects: linear, from 0 to 1.
    pub colour: Vec3,
    /// A colour for each vertex, in sRGB; or none.
    pub vertex_colours: Vec<[u8; 3]>,
    /// A picture that lies on it.
    pub texture: Option<Texture>,
}

/// A picture on a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// The picture, which several geometries may share.
    pub image: Arc<ImageSource>,
    /// Places in the picture: (0, 0) is its upper left corner, (1, 1) the lower right one, and
    /// outside it repeats.
    pub coordinates: Vec<[f32; 2]>,
    /// For each triangle, the coordinates of its corners; if empty, vertices have coordinates.
    pub corners: Vec<[u32; 3]>,
}

/// Where a picture is. It is decoded by who draws it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// In a file of its own.
    File(PathBuf),
    /// In the file of the scene.
    Embedded {
        /// Where in that file.
        place: String,
        /// The bytes of a PNG or JPEG file.
        bytes: Vec<u8>,
    },
}

impl Default for Appearance {
    /// White.
    fn default() -> Self {
        Self { colour: Vec3::ONE, vertex_colours: Vec::new(), texture: None }
    }
}

impl Appearance {
    /// One colour all over.
    #[must_use]
    pub fn plain(colour: Vec3) -> Self {
        Self { colour, ..Self::default() }
    }
}

/// A share of light as a byte in sRGB, by the standard's transfer function.
#[must_use]
pub fn to_srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let encoded =
        if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

/// A byte in sRGB as a share of light.
#[must_use]
pub fn from_srgb(byte: u8) -> f32 {
    static SHARES: LazyLock<[f32; 256]> = LazyLock::new(|| {
        std::array::from_fn(|byte| {
            let encoded = byte as f32 / 255.0;
            if encoded <= 0.040_45 {
                encoded / 12.92
            } else {
                ((encoded + 0.055) / 1.055).powf(2.4)
            }
        })
    });
    SHARES[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_srgb_survives() {
        for byte in 0..=255 {
            assert_eq!(to_srgb(from_srgb(byte)), byte);
        }
        // Mid grey by the standard.
        assert_eq!(to_srgb(0.214_041), 127);
        assert_eq!((to_srgb(-1.0), to_srgb(7.0)), (0, 255));
    }
}
