//! The rules that a dump is checked against.

machine::rules! {
    BadMagic "bad_magic" Error "the file begins with SILISBE1"
    BadVersion "bad_version" Error "the major version is 1, and headers are of version 3 or 4"
    Truncated "truncated" Error "the file reaches as far as its headers say"
    BadHeader "bad_header" Error "a shader program header is one"
    BadMaximum "bad_maximum" Error "the maxima of vertices and primitives are within their limits"
    OutputLimit "output_limit" Error "the attributes of the headers, times the maxima, fit"
    BadStage "bad_stage" Error "the stage is known, and its header is of its type"
    TopologyUnsupported "topology_unsupported" Error "primitives are points, lines or triangles"
    SizeMismatch "size_mismatch" Error "a region is as long as headers and methods say"
    CountOverMax "count_over_max" Error "there are no more primitives than declared"
    IndexOverMax "index_over_max" Error "an index is below the declared maximum of vertices"
    Notes "notes" Error "the notes of a capture agree with the memory around them"
    NoPosition "no_position" Warning "the mesh shader has an output POSITION"
    NoTriangles "no_triangles" Warning "there is a triangle that can be seen"
    CulledPrimitives "culled_primitives" Warning "no primitive has a viewport mask of 0"
    Limit "limit" Warning "limits that drivers advertise are kept"
    ReservedBytes "reserved_bytes" Warning "bytes that should be zero are zero"
    TrailingBytes "trailing_bytes" Warning "the last workgroup ends the file"
    NewerMinor "newer_minor" Warning "this reader knows the minor version"
    InputFlag "input_flag" Warning "a flag announces input ATTR"
}

/// Findings about these rules.
pub(super) type Findings = machine::Findings<Rule>;
