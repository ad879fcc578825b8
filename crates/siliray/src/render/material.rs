//! The colour of a geometry.
//!
//! Scenes carry names, not colours. A name that says what a thing is made of gets that colour; any
//! other geometry gets one of a few muted colours by its place in the scene.

use geometry::Vec3;
use scene::Scene;

/// Parts of names, and the colour that goes with them, linear.
const NAMED: [(&[&str], Vec3); 9] = [
    (&["leaf", "leaves", "needle", "foliage", "crown", "bush"], Vec3::new(0.20, 0.36, 0.09)),
    (&["grass", "moss"], Vec3::new(0.32, 0.42, 0.11)),
    (&["bark", "trunk", "wood", "branch", "beam", "door"], Vec3::new(0.30, 0.18, 0.10)),
    (&["rock", "stone", "step", "stair"], Vec3::new(0.42, 0.40, 0.37)),
    (&["ground", "hill", "soil", "terrain"], Vec3::new(0.36, 0.31, 0.17)),
    (&["floor", "tile"], Vec3::new(0.44, 0.30, 0.20)),
    (&["wall", "ceiling", "vault", "column", "arch"], Vec3::new(0.66, 0.60, 0.51)),
    (&["rail", "metal", "iron", "frame"], Vec3::new(0.16, 0.17, 0.19)),
    (&["blind", "glass", "curtain"], Vec3::new(0.62, 0.64, 0.62)),
];

/// The colours of geometries whose names say nothing.
const PALETTE: [Vec3; 6] = [
    Vec3::new(0.70, 0.42, 0.27),
    Vec3::new(0.26, 0.46, 0.52),
    Vec3::new(0.68, 0.58, 0.36),
    Vec3::new(0.45, 0.34, 0.50),
    Vec3::new(0.38, 0.52, 0.33),
    Vec3::new(0.60, 0.60, 0.60),
];

/// A colour for each geometry of each object.
pub(crate) struct Materials {
    colours: Vec<Vec<Vec3>>,
}

impl Materials {
    /// The colours of `scene`.
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut unnamed = PALETTE.iter().cycle();
        let mut colour =
            |name: &str| named(name).or_else(|| unnamed.next().copied()).unwrap_or(PALETTE[0]);
        let colours = scene.objects.iter().map(|object| {
            let colour = |geometry: &scene::Geometry| colour(&geometry.name);
            object.geometries.iter().map(colour).collect()
        });
        Self { colours: colours.collect() }
    }

    /// The share of light, for each channel, that a geometry reflects.
    pub(crate) fn albedo(&self, object: u32, geometry: u32) -> Vec3 {
        self.colours[object as usize][geometry as usize]
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
    use scene::{Geometry, Object, Shape};

    #[test]
    fn names_choose_and_places_choose_the_rest() {
        let geometries = ["Oak_Leaves.001", "part", "other"]
            .map(|name| Geometry {
                name: name.to_owned(),
                opaque: true,
                shape: Shape::Boxes(Vec::new()),
            })
            .to_vec();
        let object = Object { name: String::new(), geometries };
        let materials = Materials::new(&Scene { objects: vec![object], ..Scene::default() });
        let leaves = materials.albedo(0, 0);
        assert!(leaves.y > leaves.x && leaves.y > leaves.z);
        assert_eq!(materials.albedo(0, 1), PALETTE[0]);
        assert_eq!(materials.albedo(0, 2), PALETTE[1]);
    }
}
