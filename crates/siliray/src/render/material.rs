//! The colour of a place on a geometry.
//!
//! What the file says counts: the colour of the material, of vertices, of a texture. Where it says
//! nothing, a name that tells what a thing is made of gets that colour; any other geometry gets one
//! of a few muted colours by its place in the scene, the first of them that of plaster.

use super::surface::SurfacePlace;
use super::texture::Textures;
use geometry::Vec3;
use scene::appearance::from_srgb;
use scene::{Appearance, Geometry, Scene, Shape};

/// No surface reflects more: light would not end.
const MOST_REFLECTED: f32 = 0.9;

/// Parts of names, and the colour that goes with them, linear; the first that fits counts.
const NAMED: [(&[&str], Vec3); 12] = [
    (&["bark", "trunk", "conifer", "broadleaf", "branch"], Vec3::new(0.23, 0.14, 0.08)),
    (&["leaf", "leaves", "needle", "foliage", "bush"], Vec3::new(0.12, 0.25, 0.05)),
    (&["grass", "moss"], Vec3::new(0.27, 0.38, 0.08)),
    (&["rock", "stone", "stair", "step"], Vec3::new(0.36, 0.35, 0.33)),
    (&["ground", "hill", "soil", "terrain"], Vec3::new(0.17, 0.19, 0.06)),
    (&["floor", "tile"], Vec3::new(0.40, 0.24, 0.14)),
    (&["ceiling", "bench", "wood", "beam", "door"], Vec3::new(0.38, 0.22, 0.11)),
    (&["wall", "vault", "arch", "plaster"], Vec3::new(0.68, 0.60, 0.48)),
    (&["column", "marble"], Vec3::new(0.66, 0.64, 0.59)),
    (&["rail", "metal", "iron", "window", "frame"], Vec3::new(0.10, 0.11, 0.12)),
    (&["lamp", "brass", "gold"], Vec3::new(0.48, 0.33, 0.12)),
    (&["blind", "glass", "curtain", "cloth"], Vec3::new(0.55, 0.58, 0.56)),
];

/// The colours of geometries whose names say nothing.
const PALETTE: [Vec3; 6] = [
    Vec3::new(0.62, 0.59, 0.54),
    Vec3::new(0.20, 0.38, 0.46),
    Vec3::new(0.62, 0.31, 0.19),
    Vec3::new(0.62, 0.49, 0.24),
    Vec3::new(0.33, 0.45, 0.27),
    Vec3::new(0.42, 0.31, 0.47),
];

/// What the geometries of a scene look like.
pub(crate) struct Materials<'a> {
    objects: Vec<Vec<Material<'a>>>,
    textures: Textures,
}

/// What one geometry looks like.
struct Material<'a> {
    /// Of the whole geometry.
    colour: Vec3,
    /// What its triangles add to it.
    parts: Option<(&'a [[u32; 3]], &'a Appearance)>,
    /// The number of its texture.
    texture: Option<usize>,
}

impl<'a> Materials<'a> {
    /// The materials of `scene`; without one, colours by number.
    pub(crate) fn new(scene: Option<&'a Scene>) -> Self {
        let mut unnamed = PALETTE.iter().cycle();
        let mut textures = Textures::default();
        let objects = scene.map_or(&[][..], |scene| &scene.objects).iter().map(|object| {
            let mut material = |geometry: &'a Geometry| {
                let Some(appearance) = geometry.appearance.as_deref() else {
                    let colour = named(&geometry.name)
                        .or_else(|| named(&object.name))
                        .or_else(|| unnamed.next().copied());
                    let colour = colour.unwrap_or(PALETTE[0]);
                    return Material { colour, parts: None, texture: None };
                };
                let parts = match &geometry.shape {
                    Shape::Triangles { indices, .. } => Some((&indices[..], appearance)),
                    Shape::Boxes(_) => None,
                };
                let texture = appearance.texture.as_ref().map(|t| textures.number(&t.image));
                Material { colour: appearance.colour, parts, texture }
            };
            object.geometries.iter().map(&mut material).collect()
        });
        let objects = objects.collect();
        textures.decode();
        Self { objects, textures }
    }

    /// What cannot be shown as the scene's file says.
    pub(crate) fn warnings(&self, scene: &str) -> Vec<String> {
        self.textures.warnings(scene)
    }

    /// The share of light, for each channel, that a place reflects.
    pub(crate) fn albedo(&self, place: &SurfacePlace) -> Vec3 {
        let SurfacePlace { object, geometry, primitive, weights: [u, v] } = *place;
        let of_object = self.objects.get(object as usize);
        let Some(material) = of_object.and_then(|all| all.get(geometry as usize)) else {
            return PALETTE[(object + geometry) as usize % PALETTE.len()];
        };
        let mut albedo = material.colour;
        let parts = material
            .parts
            .and_then(|(indices, appearance)| Some((indices.get(primitive as usize)?, appearance)));
        if let Some((corners, appearance)) = parts {
            let weights = [1.0 - u - v, u, v];
            let colours = corners.map(|corner| appearance.vertex_colours.get(corner as usize));
            if let [Some(a), Some(b), Some(c)] = colours {
                let linear = |colour: &[u8; 3]| Vec3::from_array(colour.map(from_srgb));
                albedo *= mix(weights, [linear(a), linear(b), linear(c)]);
            }
            if let (Some(texture), Some(number)) = (&appearance.texture, material.texture) {
                let corners = texture.corners.get(primitive as usize).unwrap_or(corners);
                let places = corners.map(|corner| texture.coordinates.get(corner as usize));
                if let [Some(a), Some(b), Some(c)] = places {
                    let at = [a, b, c].map(|&[u, v]| Vec3::new(u, v, 0.0));
                    let Vec3 { x, y, .. } = mix(weights, at);
                    albedo *= self.textures.sample(number, [x, y]);
                }
            }
        }
        albedo.clamp(Vec3::ZERO, Vec3::splat(MOST_REFLECTED))
    }
}

fn mix(weights: [f32; 3], [a, b, c]: [Vec3; 3]) -> Vec3 {
    a * weights[0] + b * weights[1] + c * weights[2]
}

fn named(name: &str) -> Option<Vec3> {
    let name = name.to_lowercase();
    NAMED
        .iter()
        .find(|(words, _)| words.iter().any(|word| name.contains(word)))
        .map(|&(_, colour)| colour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene::{ImageSource, Object, Texture};
    use std::sync::Arc;

    fn place(geometry: u32, weights: [f32; 2]) -> SurfacePlace {
        SurfacePlace { geometry, weights, ..SurfacePlace::default() }
    }

    fn scene(geometries: Vec<Geometry>) -> Scene {
        let object = Object { name: String::new(), geometries };
        Scene { objects: vec![object], ..Scene::default() }
    }

    #[test]
    fn names_choose_and_places_choose_the_rest() {
        let geometries = ["Oak_Leaves.001", "part", "other"]
            .map(|name| Geometry::new(name, true, Shape::Boxes(Vec::new())));
        let scene = scene(geometries.to_vec());
        let materials = Materials::new(Some(&scene));
        let leaves = materials.albedo(&place(0, [0.0; 2]));
        assert!(leaves.y > leaves.x && leaves.y > leaves.z);
        assert_eq!(materials.albedo(&place(1, [0.0; 2])), PALETTE[0]);
        assert_eq!(materials.albedo(&place(2, [0.0; 2])), PALETTE[1]);
    }

    /// A triangle with a colour for each corner, and one with a picture of two pixels.
    #[test]
    fn files_choose_before_names_do() {
        let shape = Shape::Triangles {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            indices: vec![[0, 1, 2]],
        };
        let geometry = |appearance| Geometry {
            appearance: Some(Box::new(appearance)),
            ..Geometry::new("leaf", true, shape.clone())
        };
        let half = Vec3::splat(0.5);
        let vertex_colours = vec![[255, 0, 0], [0, 255, 0], [0, 0, 255]];
        let painted = Appearance { vertex_colours, ..Appearance::plain(half) };
        let picture =
            super::super::Picture { width: 2, height: 1, pixels: vec![[255, 0, 0], [0, 0, 255]] };
        let bytes = picture.to_png().unwrap();
        let image = Arc::new(ImageSource::Embedded { place: String::new(), bytes });
        let coordinates = vec![[0.25, 0.5], [0.75, 0.5], [0.25, 0.5]];
        let texture = Some(Texture { image, coordinates, corners: Vec::new() });
        let pictured = Appearance { texture, ..Appearance::plain(half) };
        let scene = scene(vec![geometry(painted), geometry(pictured)]);
        let materials = Materials::new(Some(&scene));
        assert_eq!(materials.albedo(&place(0, [0.0, 0.0])), Vec3::new(0.5, 0.0, 0.0));
        assert_eq!(materials.albedo(&place(0, [0.25, 0.5])), Vec3::new(0.125, 0.125, 0.25));
        assert_eq!(materials.albedo(&place(1, [0.0, 0.0])), Vec3::new(0.5, 0.0, 0.0));
        assert_eq!(materials.albedo(&place(1, [1.0, 0.0])), Vec3::new(0.0, 0.0, 0.5));
        assert_eq!(materials.albedo(&place(1, [0.5, 0.0])), Vec3::new(0.25, 0.0, 0.25));
    }
}
