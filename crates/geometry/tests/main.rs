//! Boxes, beams and triangles against exact arithmetic.

mod beam;
mod closed_mesh;
mod slab;
mod volumes;
mod watertight;
