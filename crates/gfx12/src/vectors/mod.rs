//! How cases of vector files of the `gfx12` kinds are run.
//!
//! | kind | file | what is run |
//! |---|---|---|
//! | `gfx12-bvh8` | `intersect` | one `image_bvh8_intersect_ray` a case |
//! | `gfx12-dual` | `intersect` | one `image_bvh_dual_intersect_ray` a case |
//! | `gfx12-obb` | `obb` | one rotation a case |
//! | `gfx12-dump` | `dump` | a real image, decoded node by node |
//!
//! `null` in place of a value means "not tested". Numbers are hex strings (`"0x3f800000"`), decimal
//! strings or JSON integers; floats are bit patterns.

mod dump;
mod intersect;
mod obb;

use vectors::{Kind, Section};

/// The kinds of files that are run here.
pub const KINDS: [Kind; 4] = [
    Kind { name: "gfx12-bvh8", sections: &[Section::list("cases", intersect::bvh8)] },
    Kind { name: "gfx12-dual", sections: &[Section::list("cases", intersect::dual)] },
    Kind { name: "gfx12-obb", sections: &[Section::list("matrices", obb::matrix)] },
    Kind {
        name: "gfx12-dump",
        sections: &[
            Section::BYTES,
            Section::SHA256,
            Section::whole("header", dump::header),
            Section::list("boxes", dump::box_node),
            Section::list("primitive_nodes", dump::primitive_node),
        ],
    },
];
