//! Pixels, and PNG.

use std::io::Write;

/// A picture in sRGB, eight bits a channel, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` pixels.
    pub pixels: Vec<[u8; 3]>,
}

/// Why a picture was not written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the picture: {0}")]
pub struct PngError(#[from] png::EncodingError);

impl Picture {
    /// Writes the picture as a PNG file. The same picture gives the same bytes.
    ///
    /// # Errors
    /// When `sink` refuses the bytes, or the picture has no pixels.
    pub fn write_png(&self, sink: impl Write) -> Result<(), PngError> {
        let mut encoder = png::Encoder::new(sink, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        Ok(writer.finish()?)
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// When the picture has no pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, PngError> {
        let mut bytes = Vec::new();
        self.write_png(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_reads_the_same_pixels() {
        let pixels: Vec<[u8; 3]> = (0..35u8).map(|i| [i * 7, 255 - i, i.wrapping_mul(i)]).collect();
        let picture = Picture { width: 7, height: 5, pixels: pixels.clone() };
        let bytes = picture.to_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut decoded = vec![0; 35 * 3];
        let info = reader.next_frame(&mut decoded).unwrap();
        assert_eq!((info.width, info.height), (7, 5));
        assert_eq!(decoded.as_chunks::<3>().0, pixels);
    }

    #[test]
    fn no_pixels_is_an_error() {
        let picture = Picture { width: 0, height: 5, pixels: Vec::new() };
        assert!(picture.to_png().is_err());
    }
}
