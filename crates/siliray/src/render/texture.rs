//! Pictures on surfaces, decoded and sampled.
//!
//! A picture that is not PNG or JPEG, or is damaged, is white: the colour of the material remains,
//! and a warning says so.

use geometry::Vec3;
use rayon::prelude::*;
use scene::ImageSource;
use scene::appearance::from_srgb;
use std::io::Cursor;
use std::sync::Arc;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Most pixels on a side: larger pictures are halved until they fit, which also keeps what is far
/// away from shimmering.
const MOST_SIDE: usize = 1024;

/// Most bytes that a picture may take while it is decoded.
const MOST_BYTES: usize = 1 << 29;

/// The pictures of a scene, each decoded once.
#[derive(Default)]
pub(crate) struct Textures {
    sources: Vec<Arc<ImageSource>>,
    pictures: Vec<Result<Pixels, String>>,
}

/// A picture in sRGB, rows from the top.
#[derive(Debug, PartialEq)]
struct Pixels {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Textures {
    /// The number of a picture, which is to be decoded.
    pub(crate) fn number(&mut self, source: &Arc<ImageSource>) -> usize {
        let known = self.sources.iter().position(|known| Arc::ptr_eq(known, source));
        known.unwrap_or_else(|| {
            self.sources.push(Arc::clone(source));
            self.sources.len() - 1
        })
    }

    /// Decodes all of them.
    pub(crate) fn decode(&mut self) {
        self.pictures = self.sources.par_iter().map(|source| decode(source)).collect();
    }

    /// Which pictures of the scene in the file `scene` cannot be decoded, and why.
    pub(crate) fn warnings(&self, scene: &str) -> Vec<String> {
        let pictures = self.sources.iter().zip(&self.pictures);
        let failed = pictures.filter_map(|(source, picture)| {
            let reason = picture.as_ref().err()?;
            let place = match &**source {
                ImageSource::File(path) => path.display().to_string(),
                ImageSource::Embedded { place, .. } => format!("{scene}: {place}"),
            };
            Some(format!("{place}: no picture: {reason}; what it lies on has its own colour"))
        });
        failed.collect()
    }

    /// The linear colour at a place: (0, 0) is the upper left corner, (1, 1) the lower right one.
    pub(crate) fn sample(&self, number: usize, [u, v]: [f32; 2]) -> Vec3 {
        match self.pictures.get(number) {
            Some(Ok(picture)) if u.is_finite() && v.is_finite() => picture.sample(u, v),
            _ => Vec3::ONE,
        }
    }
}

impl Pixels {
    /// Between the four pixels around a place; the picture repeats.
    fn sample(&self, u: f32, v: f32) -> Vec3 {
        let split = |place: f32, size: usize| {
            let place = place.rem_euclid(1.0) * size as f32 - 0.5;
            let low = place.floor();
            let wrapped = |pixel: f32| (pixel + size as f32) as usize % size;
            (wrapped(low), wrapped(low + 1.0), place - low)
        };
        let (left, right, x) = split(u, self.width);
        let (top, bottom, y) = split(v, self.height);
        let at = |column: usize, row: usize| {
            Vec3::from_array(self.pixels[row * self.width + column].map(from_srgb))
        };
        let upper = at(left, top).lerp(at(right, top), x);
        upper.lerp(at(left, bottom).lerp(at(right, bottom), x), y)
    }

    /// Half as wide and half as high.
    fn halved(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let pixel = |number: usize| {
            let (x, y) = (2 * (number % width), 2 * (number / width));
            let mut sums = [0u32; 3];
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = ((x + dx).min(self.width - 1), (y + dy).min(self.height - 1));
                let pixel = self.pixels[y * self.width + x];
                sums.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += u32::from(channel));
            }
            sums.map(|sum| ((sum + 2) / 4) as u8)
        };
        Self { width, height, pixels: (0..width * height).map(pixel).collect() }
    }
}

fn decode(source: &ImageSource) -> Result<Pixels, String> {
    let read;
    let bytes = match source {
        ImageSource::File(path) => {
            read = scene::read_file(path).map_err(|error| error.reason.to_string())?;
            &read
        }
        ImageSource::Embedded { bytes, .. } => bytes,
    };
    let mut picture = if bytes.starts_with(b"\x89PNG") {
        png(bytes)?
    } else if bytes.starts_with(b"\xFF\xD8") {
        jpeg(bytes)?
    } else {
        return Err("neither PNG nor JPEG".to_owned());
    };
    if picture.pixels.is_empty() || picture.pixels.len() != picture.width * picture.height {
        return Err("it has no pixels, or not all of them".to_owned());
    }
    while picture.width.max(picture.height) > MOST_SIDE {
        picture = picture.halved();
    }
    Ok(picture)
}

/// What is said of a picture that would take too much memory.
fn too_large() -> String {
    format!("it takes more than {MOST_BYTES} bytes")
}

fn png(bytes: &[u8]) -> Result<Pixels, String> {
    let said = |error: png::DecodingError| error.to_string();
    let limits = png::Limits { bytes: MOST_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(said)?;
    let size = reader.output_buffer_size().filter(|&size| size <= MOST_BYTES);
    let mut channels = vec![0; size.ok_or_else(too_large)?];
    let info = reader.next_frame(&mut channels).map_err(said)?;
    let channels = &channels[..info.buffer_size()];
    let pixels = match info.color_type {
        png::ColorType::Grayscale => channels.iter().map(|&grey| [grey; 3]).collect(),
        png::ColorType::GrayscaleAlpha => channels.iter().step_by(2).map(|&g| [g; 3]).collect(),
        png::ColorType::Rgb => channels.as_chunks::<3>().0.to_vec(),
        png::ColorType::Rgba => {
            channels.as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b]).collect()
        }
        png::ColorType::Indexed => return Err("its palette was not applied".to_owned()),
    };
    Ok(Pixels { width: info.width as usize, height: info.height as usize, pixels })
}

fn jpeg(bytes: &[u8]) -> Result<Pixels, String> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    if width.checked_mul(height).is_none_or(|pixels| pixels > MOST_BYTES / 3) {
        return Err(too_large());
    }
    let channels = decoder.decode().map_err(|error| error.to_string())?;
    Ok(Pixels { width, height, pixels: channels.as_chunks::<3>().0.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Picture;

    fn embedded(bytes: Vec<u8>) -> ImageSource {
        ImageSource::Embedded { place: "images[0]".to_owned(), bytes }
    }

    fn png_of(width: u32, height: u32, pixels: Vec<[u8; 3]>) -> Vec<u8> {
        Picture { width, height, pixels }.to_png().unwrap()
    }

    #[test]
    fn samples_lie_between_pixels_and_repeat() {
        let picture = png_of(2, 1, vec![[255, 0, 0], [0, 0, 255]]);
        let picture = decode(&embedded(picture)).unwrap();
        assert_eq!(picture.sample(0.25, 0.5), Vec3::X);
        assert_eq!(picture.sample(-3.25, 7.9), Vec3::Z);
        assert_eq!(picture.sample(0.375, 0.5), Vec3::new(0.75, 0.0, 0.25));
        assert_eq!(picture.sample(1.0, 0.5), Vec3::new(0.5, 0.0, 0.5));
    }

    #[test]
    fn large_pictures_are_halved() {
        let pixels = (0..1500).map(|i| [(i % 200) as u8; 3]).collect();
        let picture = decode(&embedded(png_of(1500, 1, pixels))).unwrap();
        assert_eq!((picture.width, picture.height), (750, 1));
        assert_eq!(picture.pixels[3], [7; 3]);
    }

    /// One block of which all differences are 0: tables of one code each, then two codes.
    fn grey_jpeg() -> Vec<u8> {
        let quantisation = [&[0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0][..], &[1; 64]].concat();
        let frame = [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0];
        let codes = |kind: u8| [&[0xFF, 0xC4, 0, 20, kind, 1][..], &[0; 15], &[0]].concat();
        let scan = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x3F, 0xFF, 0xD9];
        [quantisation, frame.to_vec(), codes(0x00), codes(0x10), scan.to_vec()].concat()
    }

    /// A grey JPEG of one block, and what becomes of damaged pictures: nothing, or another picture.
    #[test]
    fn damaged_pictures_are_answered() {
        let png = png_of(3, 2, vec![[9, 8, 7]; 6]);
        let jpeg = grey_jpeg();
        let grey = Pixels { width: 8, height: 8, pixels: vec![[128; 3]; 64] };
        assert_eq!(decode(&embedded(jpeg.clone())), Ok(grey));
        for bytes in [png, jpeg] {
            assert!(decode(&embedded(bytes.clone())).is_ok());
            for at in 0..bytes.len() {
                let mut damaged = bytes.to_vec();
                for bit in 0..8 {
                    damaged[at] ^= 1 << bit;
                    let _ = decode(&embedded(damaged.clone()));
                }
                let _ = decode(&embedded(bytes[..at].to_vec()));
            }
        }
    }

    /// Whoever draws is told which picture is missing, and where it should have been.
    #[test]
    fn pictures_that_cannot_be_decoded_are_told() {
        let mut textures = Textures::default();
        textures.number(&Arc::new(embedded(b"GIF89a".to_vec())));
        textures.number(&Arc::new(embedded(png_of(1, 1, vec![[1, 2, 3]]))));
        textures.number(&Arc::new(ImageSource::File("none.png".into())));
        textures.decode();
        assert_eq!(textures.sample(0, [0.5; 2]), Vec3::ONE);
        let warnings = textures.warnings("box.glb");
        let colour = "what it lies on has its own colour";
        let gif = format!("box.glb: images[0]: no picture: neither PNG nor JPEG; {colour}");
        assert_eq!(warnings[0], gif);
        assert!(warnings[1].starts_with("none.png: no picture: "), "{warnings:?}");
        assert_eq!(warnings.len(), 2);
    }
}
