//! How cases of vector files of the `gfx10` kinds are run.
//!
//! | kind | file | what is run |
//! |---|---|---|
//! | `gfx10-bvh4` | `instruction` | one intersection instruction, or one use of its operands |
//! | `gfx10-bvh4` | `stack` | one sequence of stack instructions |
//! | `gfx10-dump` | `nodes` | one node of one writer, decoded; pointers and halves |
//! | `gfx10-dump` | `images` | small images, and a real one with its binary |
//!
//! `null` in place of a value means "not tested". Floats are bit patterns.

mod flat;
mod images;
mod instruction;
mod nodes;
mod stack;

use vectors::{Kind, Section};

/// The kinds of files that are run here.
pub const KINDS: [Kind; 2] = [
    Kind {
        name: "gfx10-bvh4",
        sections: &[
            Section::list("cases", instruction::case),
            Section::list("operands", instruction::operands),
            Section::list("resources", instruction::resource),
            Section::list("stack", stack::steps),
        ],
    },
    Kind {
        name: "gfx10-dump",
        sections: &[
            Section::list("pointers", nodes::pointer),
            Section::list("halves", nodes::half),
            Section::list("nodes", nodes::node),
            Section::list("images", images::image),
            Section::BYTES,
            Section::SHA256,
            Section::whole("header", images::header),
            Section::list("boxes", images::hiprt_box),
            Section::list("triangles", images::hiprt_triangle),
        ],
    },
];
