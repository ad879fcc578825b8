//! The rules that an image is checked against: their names, and how much a broken one matters.

machine::rules! {
    Segment "segment" Error
        "segments begin at multiples of 64, do not overlap and end at 2^48 at most"
    Base "base" Error "there are two bases, multiples of 64 below 2^48"
    Root "root" Error "the root pointer names a box or primitive node of the image"
    ChildBase "child_base" Error "the low four bits of internal_base and primitive_base are 0"
    NodeType "node_type" Error "child types are 0..=3, 5, 6 and 8..=11"
    PointerRange "pointer_range" Error "every child pointer names 128 bytes of the image"
    ReachedTwice "reached_twice" Error
        "a box or instance node has one parent: there is no cycle and no sharing"
    NestedInstance "nested_instance" Error "no instance node lies below an instance"
    MixedLevel "mixed_level" Error "a structure holds instances or primitives, not both"
    FirstPair "first_pair" Error "a range starts at a pair that its node has"
    RangeEnd "range_end" Error "a range ends, by a stop bit, inside the image"
    RangeLength "range_length" Error "a range has at most 2^23 pairs"
    RangeReuse "range_reuse" Error
        "ranges that share pairs unfold to at most 64 times what the image can hold"
    VertexType "vertex_type" Error "vertices are f32 (G-13)"
    VertexIndex "vertex_index" Error
        "every vertex that a triangle names lies before the pair descriptors (G-26)"
    ProceduralPair "procedural_pair" Error
        "a procedural is alone in its node: triangle 0 of the only pair"
    InstanceBase "instance_base" Error
        "an instance's child base names a structure of the image with a readable root"
    InstanceRoot "instance_root" Error
        "the boxes in an instance node name nodes of its structure, none above another (G-38)"
    Transform "transform" Error "an instance's transform is finite and has an inverse"
    HeaderOffset "header_offset" Error
        "the offsets of a GPURT header are in order and inside the image"
    Writer "writer" Warning
        "what stands before the nodes is that of the writer whom an image names (R-26)"
    Contained "contained" Warning
        "every vertex lies inside the decoded box of every ancestor, in that node's frame"
    ContainedUlp "contained_ulp" Note
        "no vertex lies outside a box by as little as rounding: one unit in the last place"
    Slack "slack" Warning
        "each face of a box that RADV wrote touches what is below it, within one quantum"
    LostPrimitive "lost_primitive" Warning
        "every primitive or instance that a header counts as given is in some leaf"
    ChildCount "child_count" Warning "a count of more than eight stands over inert slots only"
    AllocatedSize "allocated_size" Warning
        "the nodes of a driver's structure lie within the size that its header states"
    InstanceBox "instance_box" Warning "the boxes in an instance node contain what they name"
    InstancePart "instance_part" Warning
        "the nodes that an instance names lead to everything in its structure (G-39)"
    Parent "parent" Warning "a node's parent pointer names its parent, the root's is 0xffffffff"
    IndexInParent "index_in_parent" Warning "a box knows its slot in its parent"
    UnusedSlot "unused_slot" Warning "a slot beyond the count has mask 0 or an inverted box"
    ObbIndex "obb_index" Warning "the rotation index is 0..=103 or 127 (G-12)"
    LooseBox "loose_box" Warning
        "a box reaches no farther beyond everything in its structure than that is wide"
    PlaneFinite "plane_finite" Warning "decoded planes are finite"
    VertexFinite "vertex_finite" Warning "vertices are finite"
    ProceduralBox "procedural_box" Warning "the box of a procedural is finite and not inverted"
    CullFlags "cull_flags" Warning "the cull flags of a child are true of everything below it"
    Mask "mask" Warning "a child's mask has every bit that something below it can be seen by"
    MissedCulling "missed_culling" Note
        "a child's cull flags and mask say all that its writer could say of what is below"
    InstanceFlags "instance_flags" Warning
        "an instance's flags hide nothing that its structure holds"
    PrimitiveId "primitive_id" Warning "primitives with equal ids are equal"
    Opacity "opacity" Warning "all of a geometry is opaque, or nothing is"
    VertexWidth "vertex_width" Warning "payload and trailing zeros of a component fit 32 bits"
    IdField "id_field" Warning
        "the primitive ids of a node overlap neither its vertices nor its descriptors"
    NodeKind "node_kind" Warning "no bytes are a box or instance node and a primitive node at once"
    Sideband "sideband" Warning
        "sideband records number the instances, invert their transforms and keep their flags"
    SharedPair "shared_pair" Note
        "a box contains even triangles that it shares a pair with, and that others contain"
    SidebandOrder "sideband_order" Note "sideband records lie in the order of their nodes"
    LongRange "long_range" Warning
        "a range behind a GPURT header has at most 8 pairs, one that RADV wrote has one"
    HeaderCount "header_count" Warning "the counts of a GPURT header agree with the nodes"
    HeaderType "header_type" Warning
        "the header of a structure with instances says TLAS, of one with primitives BLAS"
    DriverHeader "driver_header" Warning
        "the bounds, flags, counts and size in a driver's header hold for the structure"
    UnsetPointers "unset_pointers" Note "a header's list of primitive node pointers is filled in"
    PrimitivePointer "primitive_pointer" Warning
        "a header's list of primitive node pointers names the leaf that holds each primitive"
}
