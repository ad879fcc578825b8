//! The rules that an image is checked against, and what breaks them.

machine::rules! {
    Header "header" Error
        "the image begins with a directory header of 128 bytes: SILITB12, version 0"
    LevelCount "level_count" Error
        "the directory holds as many level records as it says, at least one"
    ArrayRange "array_range" Error "every array of the directory lies in the image"
    BlockAlignment "block_alignment" Error "blocks begin at a multiple of 128 bytes"
    LevelKind "level_kind" Error "one BLAS, or BLASes and then one TLAS"
    Root "root" Error "a root is a block of the image, or 0xffffffff"
    InstanceLevel "instance_level" Error
        "an instance shows a BLAS, by its number and by its root block"
    Transform "transform" Error "an instance's transform is finite and has an inverse"
    Version "version" Error "blocks have format version 0"
    NodeCount "node_count" Error
        "a block has 1 to 12 nodes, of which 1 to 8 are children of the root"
    Origin "origin" Error "the origin and all planes are finite"
    Exponent "exponent" Error "exponents lie in -100..=100 (T-8)"
    NodeKind "node_kind" Error "nodes in use are not of the kind 'unused'"
    PlaneOrder "plane_order" Error "the lower plane of a node is not above its upper plane"
    ChildRange "child_range" Error
        "children inside the block lie behind their parent and among the nodes in use"
    ChildParent "child_parent" Error
        "every node that is no child of the root has one parent in the block"
    BlockRange "block_range" Error "foreign children are blocks of the image"
    ReachedTwice "reached_twice" Error "a block has one parent: there is no cycle and no sharing"
    ReferenceRange "reference_range" Error "leaves name references of the image"
    ReferenceKind "reference_kind" Error
        "references name primitives of their level, or instances in a TLAS (T-16)"
    VertexFinite "vertex_finite" Warning
        "corners of triangles and planes of procedural boxes are finite"
    Contained "contained" Warning "every primitive lies inside the box of every node above it"
    Parent "parent" Warning "a block's parent is the block above it"
    UnusedNode "unused_node" Warning
        "nodes that are not in use have the kind 'unused' and planes that nothing meets"
    RefitDirty "refit_dirty" Warning "no block waits for a refit"
    Mask "mask" Warning "a node's mask lets every instance below it be seen"
    Opacity "opacity" Warning "a block's opacity flags agree with what is below it"
    Orphan "orphan" Warning "every block is below a root"
}

/// Findings about these rules.
pub(super) type Findings = machine::Findings<Rule>;
