//! The rules that an image is checked against: their names, and how much a broken one matters.

machine::rules! {
    Segment "segment" Error "segments lie at multiples of 64, do not overlap and end below 2^48"
    Base "base" Error "the bases are multiples of 64 below 2^48, and equal but for HIPRT's"
    Root "root" Error "a root pointer names a box node of the image: type 5, on GFX12 also 4"
    NodeType "node_type" Error
        "child types are 0, 1, 4, 5 and 6, before GFX12 also 7 for procedurals (G-30, R-6)"
    PointerRange "pointer_range" Error "every node lies in the segment of its base"
    ReachedTwice "reached_twice" Error "no unit belongs to two nodes and every node has one parent"
    MixedLevel "mixed_level" Error "a structure holds instances or primitives, not both"
    NestedInstance "nested_instance" Error "no instance lies below an instance"
    AbsentTriangle "absent_triangle" Error
        "type 1 names a node whose id word describes a second triangle"
    Sources "sources" Error "barycentric sources are 0, 1 or 2, and different (G-31)"
    ProceduralPair "procedural_pair" Error "a procedural is alone in its node"
    InstanceBase "instance_base" Error
        "an instance's child base names memory of the image, at a multiple of 64"
    Transform "transform" Error "an instance's transform is finite and has an inverse"
    Resource "resource" Error
        "a T# has no bit that its generation lacks or this format does not allow (G-20, R-13)"
    StackBase "stack_base" Warning
        "a stack of GFX11 lies below dword 8192 of LDS: RADV compares addresses with signs (R-15)"
    Writer "writer" Warning
        "what the writer of an image puts before its nodes is there, and fits them (R-4)"
    Contained "contained" Warning "what is below a box lies inside it"
    ContainedUlp "contained_ulp" Note
        "nothing lies outside a box by as little as rounding: one unit in the last place"
    Slack "slack" Warning "each face of a box that RADV wrote touches what is below it"
    Parent "parent" Warning
        "the parent table names every node's parent, and 0xffffffff for the root"
    UnusedSlot "unused_slot" Warning "an unused slot has the planes that say so"
    LooseBox "loose_box" Warning
        "a box reaches no farther beyond everything in its structure than that is wide"
    PlaneFinite "plane_finite" Warning
        "planes are finite; infinite ones hang GFX11 unless the closest child comes first (R-12)"
    VertexFinite "vertex_finite" Warning "vertices are finite"
    ProceduralBox "procedural_box" Warning "the box of a procedural is finite and not inverted"
    Opacity "opacity" Warning
        "all of a geometry is opaque or nothing is; on GFX11 a triangle's id byte says the same"
    Winding "winding" Warning
        "sources are a rotation and the winding is not flipped: a tree has no mirrored triangles"
    CullFlags "cull_flags" Warning
        "the cull flags of a child are true of everything below it (R-24)"
    MissedCulling "missed_culling" Note
        "the cull flags of a child say all that its writer says where it is true"
    CullFlagDword "cull_flag_dword" Warning
        "dword 28 of a box holds flags where GFX11 reads them: HIPRT keeps an index there"
    TriangleCount "triangle_count" Warning "dword 29 of an fp32 box counts the triangles below it"
    InstanceFlags "instance_flags" Warning
        "an instance's flags hide nothing that its structure holds; software reads the same"
    Sideband "sideband" Warning "instance indices number the instances; ways back invert transforms"
    LostPrimitive "lost_primitive" Warning
        "every primitive or instance that ids, a header or a list tell of is below some box"
    AllocatedSize "allocated_size" Warning
        "the nodes of a driver's structure lie within the size that its header states"
    PrimitiveId "primitive_id" Warning
        "primitives with equal ids are equal; each of RADV's leaves holds that of its place"
    DriverHeader "driver_header" Warning
        "bounds, flags, counts, sizes and lists of a driver's header hold for the structure"
}
