//! The colour of a geometry.
//!
//! Scenes carry names, not colours. A name that says what a thing is made of gets that colour; any
//! other geometry gets one of a few muted colours by its place in the scene.

use geometry::Vec3;
use scene::{Geometry, Scene};

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
    Vec3::new(0.62, 0.27, 0.15),
    Vec3::new(0.14, 0.34, 0.40),
    Vec3::new(0.60, 0.45, 0.20),
    Vec3::new(0.34, 0.22, 0.40),
    Vec3::new(0.24, 0.40, 0.20),
    Vec3::new(0.50, 0.50, 0.50),
];

/// A colour for each geometry of each object.
pub(crate) struct Materials {
    colours: Vec<Vec<Vec3>>,
}

impl Materials {
    /// The colours of `scene`; without one, colours by number.
    pub(crate) fn new(scene: Option<&Scene>) -> Self {
        let mut unnamed = PALETTE.iter().cycle();
        let objects = scene.map_or(&[][..], |scene| &scene.objects);
        let colours = objects.iter().map(|object| {
            let colour = |geometry: &Geometry| {
                named(&geometry.name)
                    .or_else(|| named(&object.name))
                    .or_else(|| unnamed.next().copied())
                    .unwrap_or(PALETTE[0])
            };
            object.geometries.iter().map(colour).collect()
        });
        Self { colours: colours.collect() }
    }

    /// The share of light, for each channel, that a geometry reflects.
    pub(crate) fn albedo(&self, object: u32, geometry: u32) -> Vec3 {
        let of_object = self.colours.get(object as usize);
        let named = of_object.and_then(|colours| colours.get(geometry as usize)).copied();
        named.unwrap_or(PALETTE[(object + geometry) as usize % PALETTE.len()])
    }
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
    use scene::{Object, Shape};

    #[test]
    fn names_choose_and_places_choose_the_rest() {
        let geometries = ["Oak_Leaves.001", "part", "other"]
            .map(|name| Geometry::new(name, true, Shape::Boxes(Vec::new())))
            .to_vec();
        let object = Object { name: String::new(), geometries };
        let materials = Materials::new(Some(&Scene { objects: vec![object], ..Scene::default() }));
        let leaves = materials.albedo(0, 0);
        assert!(leaves.y > leaves.x && leaves.y > leaves.z);
        assert_eq!(materials.albedo(0, 1), PALETTE[0]);
        assert_eq!(materials.albedo(0, 2), PALETTE[1]);
    }
}
