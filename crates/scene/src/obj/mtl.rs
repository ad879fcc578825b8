//! Libraries of materials (MTL), after the "Material Library File" appendix of the Advanced
//! Visualizer manual. Read are `newmtl`, `Kd` and `map_Kd`; everything else is passed over.

use crate::ImageSource;
use crate::read::beside;
use crate::read::text::{self, Lines, words};
use geometry::Vec3;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A library is a small text; nobody writes one of this size.
const MOST_BYTES: u64 = 1 << 26;

/// Materials by name.
#[derive(Default)]
pub(super) struct Library {
    materials: HashMap<Vec<u8>, Material>,
    /// Whether any material has a texture.
    pub(super) has_textures: bool,
}

#[derive(Default)]
struct Material {
    /// `Kd`: linear, as Blender writes it.
    colour: Option<Vec3>,
    /// `map_Kd`, if there is such a file.
    texture: Option<Arc<ImageSource>>,
}

impl Library {
    /// Adds the materials of a file in `folder`; says which pictures are not there: lines of the
    /// file, and why.
    pub(super) fn read(
        &mut self,
        folder: Option<&Path>,
        name: &str,
    ) -> Result<Vec<(usize, String)>, String> {
        let bytes = beside::read(folder, name, MOST_BYTES)?;
        let mut material = Vec::new();
        let mut missing = Vec::new();
        for (number, line) in Lines::new(text::without_mark(&bytes)).enumerate() {
            let mut words = words(line);
            let keyword = words.next().unwrap_or_default();
            let rest = || line.trim_ascii()[keyword.len()..].trim_ascii();
            if keyword == b"newmtl" {
                material = rest().to_vec();
                self.materials.entry(material.clone()).or_default();
            }
            let Some(material) = self.materials.get_mut(&material) else { continue };
            match keyword {
                b"Kd" => {
                    let mut share = || text::number::<f32>(words.next()?, "a number").ok();
                    let colour = share().map(|red| {
                        let green = share().unwrap_or(red);
                        Vec3::new(red, green, share().unwrap_or(green))
                    });
                    let is_good = |colour: &Vec3| colour.is_finite();
                    material.colour =
                        colour.filter(is_good).map(|c| c.clamp(Vec3::ZERO, Vec3::ONE));
                }
                b"map_Kd" => {
                    let path = path(rest()).replace('\\', "/");
                    let found = beside::find(folder, &path)
                        .map_err(|reason| missing.push((number + 1, reason)));
                    self.has_textures |= found.is_ok();
                    material.texture = found.ok().map(|path| Arc::new(ImageSource::File(path)));
                }
                _ => {}
            }
        }
        Ok(missing)
    }

    /// The texture of a material.
    pub(super) fn texture(&self, name: &[u8]) -> Option<Arc<ImageSource>> {
        self.materials.get(name)?.texture.clone()
    }

    /// The colour of a material. Exporters write black for one that has a texture.
    pub(super) fn colour(&self, name: &[u8]) -> Option<Vec3> {
        let material = self.materials.get(name)?;
        material.colour.filter(|&colour| colour != Vec3::ZERO || material.texture.is_none())
    }
}

/// The file of a map: what follows its options, each a word that begins with `-` and up to three
/// numbers or one word.
fn path(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.trim();
    while rest.starts_with('-') {
        let Some((option, mut after)) = rest.split_once(char::is_whitespace) else { break };
        let is_number = |word: &str| word.parse::<f32>().is_ok();
        let values = if matches!(option, "-o" | "-s" | "-t" | "-mm") { 3 } else { 1 };
        for number in 0..values {
            let Some((word, more)) = after.trim_start().split_once(char::is_whitespace) else {
                break;
            };
            if values == 3 && number > 0 && !is_number(word) {
                break;
            }
            after = more;
        }
        rest = after.trim_start();
    }
    rest.to_owned()
}
