//! The rules that an image is checked against.

machine::rules! {
    Directory "directory" Error
        "the root points to a directory with as many level records as it says, at least one"
    LevelKind "level_kind" Error "one BLAS, or BLASes and then one TLAS"
    ArrayRange "array_range" Error "the arrays of a level lie in the image"
    InstanceLevel "instance_level" Error "an instance shows a BLAS"
    Transform "transform" Error "an instance's transform is finite and has an inverse"
    Reference "reference" Error "the references of a TLAS name instances"
    Frame "frame" Error "exponents lie in 1..=254; the origin and all planes are finite"
    Meta "meta" Error
        "a slot is empty, a node with 24 + the slot, or 1 to 3 triangles within the node's 24"
    Imask "imask" Error "imask has the bits of the slots with nodes, and no others"
    Children "children" Error "a node has children"
    PlaneOrder "plane_order" Error "the lower plane of a child is not above its upper plane"
    ChildRange "child_range" Error "child nodes are nodes of the level"
    ItemRange "item_range" Error "leaves name triangles, or references, of the level"
    ReachedTwice "reached_twice" Error "a node has one parent, the root none: there is no cycle"
    VertexFinite "vertex_finite" Warning "corners of triangles are finite"
    Contained "contained" Warning "every triangle lies inside the box of every node above it"
    Orphan "orphan" Warning "every node is below the root"
}

/// Findings about these rules.
pub(crate) type Findings = machine::Findings<Rule>;
