//! Why a scene has no tree.

use crate::OptionsError;
use geometry::SingularTransform;
use tree::BvhError;

/// Why a build failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// An option is out of its range.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// An object has more primitives than can be numbered.
    #[error("object {object} has {count} primitives, expected at most {}", u32::MAX)]
    TooManyPrimitives {
        /// Position of the object, or of the scene's instances when `object` is the number of
        /// objects.
        object: usize,
        /// How many primitives it has.
        count: usize,
    },
    /// A scene without instances must be one object.
    #[error("{objects} objects and no instances, expected 1 object")]
    Unplaced {
        /// How many objects there are.
        objects: usize,
    },
    /// An instance places an object that does not exist.
    #[error("instance {instance} places object {object} of {objects}")]
    MissingObject {
        /// Position of the instance.
        instance: usize,
        /// The object that it names.
        object: usize,
        /// How many objects there are.
        objects: usize,
    },
    /// An instance's transform has no inverse.
    #[error("instance {instance}: {source}")]
    Singular {
        /// Position of the instance.
        instance: usize,
        /// What is wrong with its transform.
        source: SingularTransform,
    },
    /// A triangle names a vertex that does not exist.
    #[error(
        "object {object}, geometry {geometry}, triangle {triangle} names a vertex beyond {vertices}"
    )]
    MissingVertex {
        /// Position of the object.
        object: usize,
        /// Position of the geometry.
        geometry: usize,
        /// Position of the triangle.
        triangle: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A coordinate is NaN, or a corner of a triangle is infinite.
    #[error(
        "object {object}, geometry {geometry}, primitive {primitive} has a coordinate that is not \
         finite"
    )]
    NotFinite {
        /// Position of the object.
        object: usize,
        /// Position of the geometry.
        geometry: usize,
        /// Position of the primitive.
        primitive: usize,
    },
    /// The progress callback asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The hierarchy is not one: a defect of the builder.
    #[error("the builder made no hierarchy: {0}")]
    Bvh(#[from] BvhError),
}
