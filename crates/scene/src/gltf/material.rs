//! How primitives look: the base colour of their material, its texture, and colours of vertices.

use super::document::{BaseColour, Material, TextureInfo};
use super::item;
use super::mesh::Vertices;
use crate::appearance::to_srgb;
use crate::error::{ParseError, Position, Warnings};
use crate::{Appearance, ImageSource, Texture};
use geometry::Vec3;
use std::collections::HashMap;
use std::sync::Arc;

/// The pictures of a document, each looked for once.
#[derive(Default)]
pub(super) struct Images {
    found: HashMap<usize, Option<Arc<ImageSource>>>,
}

/// What is known about a primitive from its material.
pub(super) struct Look {
    pub(super) name: String,
    pub(super) opaque: bool,
    pub(super) appearance: Option<Appearance>,
}

impl Images {
    /// How a primitive looks.
    pub(super) fn look(
        &mut self,
        vertices: &Vertices<'_, '_>,
        warnings: &mut Warnings,
    ) -> Result<Look, ParseError> {
        let materials = &vertices.accessors.document.materials;
        let path = || format!("{}.material", vertices.path);
        let index = vertices.primitive.material;
        let material: Option<&Material> =
            index.map(|index| item(materials, index, "material", path)).transpose()?;
        let colours = vertex_colours(vertices)?;
        let base = material
            .and_then(|m| m.extensions.diffuse.as_ref().or(m.pbr_metallic_roughness.as_ref()));
        let is_plain = index.is_none() && colours.is_empty();
        let appearance =
            (!is_plain).then(|| self.appearance(base, colours, vertices, warnings)).transpose()?;
        let alpha = material.and_then(|material| material.alpha_mode.as_deref());
        Ok(Look {
            name: material.and_then(|material| material.name.clone()).unwrap_or_default(),
            opaque: !matches!(alpha, Some("BLEND" | "MASK")),
            appearance,
        })
    }

    fn appearance(
        &mut self,
        base: Option<&BaseColour>,
        vertex_colours: Vec<[u8; 3]>,
        vertices: &Vertices<'_, '_>,
        warnings: &mut Warnings,
    ) -> Result<Appearance, ParseError> {
        let factor = base.and_then(|base| base.factor).unwrap_or([1.0; 4]);
        let [red, green, blue] = [0, 1, 2].map(|k| (factor[k] as f32).clamp(0.0, 1.0));
        let texture = match base.and_then(|base| base.texture.as_ref()) {
            Some(info) => self.texture(info, vertices, warnings)?,
            None => None,
        };
        Ok(Appearance { colour: Vec3::new(red, green, blue), vertex_colours, texture })
    }

    fn texture(
        &mut self,
        info: &TextureInfo,
        vertices: &Vertices<'_, '_>,
        warnings: &mut Warnings,
    ) -> Result<Option<Texture>, ParseError> {
        let transform = info.extensions.transform.as_ref();
        let set = transform.and_then(|transform| transform.tex_coord).unwrap_or(info.tex_coord);
        let (offset, angle, scale) = transform.map_or(([0.0; 2], 0.0, [1.0; 2]), |t| {
            (t.offset, t.rotation, t.scale.unwrap_or([1.0; 2]))
        });
        let (sin, cos) = angle.sin_cos();
        let placed = |[u, v]: [f64; 2]| {
            let (u, v) = (u * scale[0], v * scale[1]);
            [cos * u + sin * v + offset[0], cos * v - sin * u + offset[1]].map(|x| x as f32)
        };
        let Some(image) = self.image(info.index, vertices, warnings) else { return Ok(None) };
        let coordinates = vertices.attribute(&format!("TEXCOORD_{set}"), placed)?;
        let coordinates = coordinates.filter(|all| all.len() == vertices.count);
        let texture = |coordinates| Texture { image, coordinates, corners: Vec::new() };
        Ok(coordinates.map(texture))
    }

    /// The picture of a texture. One that cannot be found is no reason to refuse a mesh.
    fn image(
        &mut self,
        texture: usize,
        vertices: &Vertices<'_, '_>,
        warnings: &mut Warnings,
    ) -> Option<Arc<ImageSource>> {
        let document = vertices.accessors.document;
        let index = document.textures.get(texture)?.source?;
        let found = self.found.entry(index).or_insert_with(|| {
            let image = document.images.get(index)?;
            let place = format!("images[{index}]");
            let source = vertices.accessors.buffers.image(&place, image);
            source
                .map_err(|reason| {
                    warnings.add(Position::Json(place), format!("no picture: {reason}"));
                })
                .ok()
                .map(Arc::new)
        });
        found.clone()
    }
}

/// Colours of vertices: linear in the file, with or without opacity.
fn vertex_colours(vertices: &Vertices<'_, '_>) -> Result<Vec<[u8; 3]>, ParseError> {
    const NAME: &str = "COLOR_0";
    let byte = |share: f64| to_srgb(share as f32);
    let colours = match vertices.shape(NAME) {
        Some("VEC3") => vertices.attribute(NAME, |rgb: [f64; 3]| rgb.map(byte))?,
        Some("VEC4") => vertices.attribute(NAME, |[r, g, b, _]: [f64; 4]| [r, g, b].map(byte))?,
        _ => None,
    };
    Ok(colours.filter(|all| all.len() == vertices.count).unwrap_or_default())
}
