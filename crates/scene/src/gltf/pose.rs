//! Where morph targets and skins put the vertices of a mesh, in the pose that the file has without
//! animations (sections 3.7.2.2 and 3.7.3 of the specification).

use super::mesh::Vertices;
use crate::error::{ErrorKind, ParseError};
use geometry::Vec3;
use glam::{DAffine3, DVec3};

/// The pose in which a node shows its mesh.
#[derive(Default)]
pub(super) struct Pose<'a> {
    /// How much of each morph target.
    pub(super) weights: &'a [f64],
    /// For each joint, the way from the mesh to the world; empty without a skin.
    pub(super) joints: Vec<DAffine3>,
}

impl Pose<'_> {
    /// Whether vertices stay where the mesh has them.
    pub(super) fn is_rest(&self) -> bool {
        self.joints.is_empty() && self.weights.iter().all(|&weight| weight == 0.0)
    }

    /// Moves positions: morph targets first, then the skin.
    pub(super) fn apply(
        &self,
        vertices: &Vertices<'_, '_>,
        positions: &mut [Vec3],
    ) -> Result<(), ParseError> {
        self.morph(vertices, positions)?;
        self.skin(vertices, positions)
    }

    fn morph(&self, vertices: &Vertices<'_, '_>, positions: &mut [Vec3]) -> Result<(), ParseError> {
        let targets = vertices.primitive.targets.iter().zip(self.weights);
        for (target, &weight) in targets.filter(|(_, weight)| **weight != 0.0) {
            let Some(&accessor) = target.get("POSITION") else { continue };
            let path = format!("{}.targets", vertices.path);
            let moved = vertices.accessors.read(accessor, &path, |v: [f64; 3]| v)?;
            for (position, by) in positions.iter_mut().zip(moved) {
                *position = (position.as_dvec3() + DVec3::from_array(by) * weight).as_vec3();
            }
        }
        Ok(())
    }

    /// Each vertex goes where its joints take it, by their weights.
    fn skin(&self, vertices: &Vertices<'_, '_>, positions: &mut [Vec3]) -> Result<(), ParseError> {
        if self.joints.is_empty() {
            return Ok(());
        }
        let mut sums = vec![(DVec3::ZERO, 0.0); positions.len()];
        for set in 0.. {
            let joints = vertices.attribute(&format!("JOINTS_{set}"), |v: [f64; 4]| v)?;
            let weights = vertices.attribute(&format!("WEIGHTS_{set}"), |v: [f64; 4]| v)?;
            let (Some(joints), Some(weights)) = (joints, weights) else { break };
            for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
                let Some(((sum, total), position)) =
                    sums.get_mut(vertex).zip(positions.get(vertex))
                else {
                    break;
                };
                for (joint, weight) in joints.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                    let (index, count) = (*joint as u64, self.joints.len() as u64);
                    let joint = self.joints.get(index as usize).ok_or_else(|| {
                        let kind = ErrorKind::NoSuchItem { what: "joint", index, count };
                        let path = format!("{}.attributes.JOINTS_{set}", vertices.path);
                        ParseError::json(path, kind).of("element", vertex)
                    })?;
                    *sum += joint.transform_point3(position.as_dvec3()) * *weight;
                    *total += *weight;
                }
            }
        }
        for (position, (sum, total)) in positions.iter_mut().zip(sums) {
            if total > 0.0 {
                *position = (sum / total).as_vec3();
            }
        }
        Ok(())
    }
}
