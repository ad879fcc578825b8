//! The rules that an image is checked against, and what breaks them.

machine::rules! {
    Header "header" Error "a header of 64 bytes that begins with SILIXPHM"
    Registers "registers" Error "MODE and ALT put one of the formats in force, to nearest even"
    Options "options" Error "options are NODE8 or 0"
    Alignment "alignment" Error
        "node 0 lies at a multiple of 64 bytes, triangles at one of their elements"
    ArrayRange "array_range" Error "nodes, ranges, triangles and names lie in the image"
    NodeCount "node_count" Error "there is a node 0"
    Levels "levels" Error
        "an image with BLASes has FP32 elements and was not flattened"
    BlasRecord "blas_record" Error
        "BLASes lie one behind the other in the image and share out its triangles in order"
    InstanceIndex "instance_index" Error
        "a leaf of a TLAS names the record of an instance behind its nodes"
    InstanceBlas "instance_blas" Error "an instance names a BLAS of the image, and where it lies"
    InstanceTransform "instance_transform" Error
        "the map of an instance can be inverted, and its last row is 0, 0, 0, 1"
    ChildKind "child_kind" Error "child flags are empty, node or leaf"
    NodeIndex "node_index" Error "a child node is a node of the image"
    ReachedTwice "reached_twice" Error
        "a node has one parent and a range or instance one leaf: no cycle, no sharing"
    RangeIndex "range_index" Error "a leaf's index names a TriRange behind the nodes"
    RangeBase "range_base" Error "a range counts from the triangle buffer"
    RangeTriangles "range_triangles" Error
        "the triangles of a range are triangles of the image, and of its BLAS"
    References "references" Error
        "all ranges together refer to at most 64 times the triangles there are"
    BoxNan "box_nan" Error "no plane of a box is NaN"
    VertexNan "vertex_nan" Error "no coordinate of a triangle is NaN"
    NameOrder "name_order" Error "names are in ascending order"
    Finite "finite" Warning "every coordinate of a triangle is finite"
    Contained "contained" Warning "a box contains the triangles and instances below it"
    Reserved "reserved" Warning "reserved bytes of tiles are zero"
    Orphan "orphan" Warning
        "every node and range, and every instance that is not empty, is reached from node 0"
}

/// Findings about these rules.
pub(super) type Findings = machine::Findings<Rule>;
