//! What an update may not change, and what it must.

machine::rules! {
    Same "update_same" Error
        "boxes keep bases, parent, count and rotation; slots type, size, mask and cull flags; \
         leaves widths, descriptors and ids"
    Bytes "update_bytes" Error
        "outside vertices, grids, planes and the header's bounds no byte differs"
    Source "update_source" Error
        "the primitives are those of the new scene; without one, at least one vertex moved"
    Fit "update_fit" Error
        "grids and planes are those that the driver's rounding makes of the leaves"
    Root "update_root" Error
        "the header's bounds are those of everything, and its flags as before"
    Empty "update_empty" Error "an empty structure stays as it was, byte for byte"
    Active "update_active" Error
        "the same primitives are there, and none has an infinite box"
    Old "update_old" Error "the structure of before is not written"
    Twice "update_twice" Error "the same update gives the same bytes"
    Above "update_above" Error
        "boxes of instances contain the new bounds of their structures"
    Size "update_size" Error "sizes, counts of nodes and the dispatch of an update are as before"
    Unasked "update_unasked" Note
        "boxes and bounds of before fit, so that update_fit and update_root can be asked"
    Cost "update_cost" Note
        "no rule but a figure: the cost of the tree over that of before, and over that of a new \
         tree if the new scene is known"
}
