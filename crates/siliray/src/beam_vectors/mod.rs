//! How cases of vector files of kind `beam` are run.
//!
//! Every part of a case is compared bit for bit: the computed bounds and verdicts of each form, the
//! verdict and the first contact by rational arithmetic, the rule that an invalid beam breaks.
//!
//! | file | sections |
//! |---|---|
//! | `encounters` | `cases`, `special`, `extension_shrinking`, `snap_cases` |
//! | `constructions` | `construct`, `snap`, `invalid` |
//! | `values` | floats, boxes, beams and fractions in a file |

mod constructions;
mod encounters;
mod values;

use vectors::{Kind, Section};

/// The kind of file that is run here.
pub const KIND: Kind = Kind {
    name: "beam",
    sections: &[
        Section::list("cases", encounters::strict),
        Section::list("special", encounters::strict),
        Section::list("extension_shrinking", encounters::shrinking),
        Section::list("snap", constructions::snap),
        Section::list("snap_cases", encounters::snapped),
        Section::list("invalid", constructions::invalid),
        Section::list("construct", constructions::construct),
    ],
};
