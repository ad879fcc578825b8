//! How cases of vector files of kind `xphmg-rt` are run.
//!
//! | section | what is run | file |
//! |---|---|---|
//! | `encodings`, `illegal`, `legal_edge` | text to word and back; words that trap | `words` |
//! | `csrs`, `prec_sequences` | registers | `registers` |
//! | `layouts`, `svmem`, `rings` | structures and addresses | `structures` |
//! | `convert` | narrowing | `convert` |
//! | `bbox`, `tri` | one scalar instruction each | `scalar` |
//! | `rsv` | one vectorised instruction each | `lanes` |
//! | `jobs` | offload jobs | `jobs` |
//!
//! Cases assume every switch at its default.

mod convert;
mod fields;
mod jobs;
mod lanes;
mod registers;
mod scalar;
mod sparse_hart;
mod structures;
mod words;

use vectors::{Kind, Section};

/// The kind of file that is run here.
pub const KIND: Kind = Kind {
    name: "xphmg-rt",
    sections: &[
        Section::list("encodings", words::encodings),
        Section::list("illegal", words::illegal),
        Section::list("legal_edge", words::legal_edge),
        Section::list("csrs", registers::csrs),
        Section::list("prec_sequences", registers::sequences),
        Section::members("layouts", structures::layout),
        Section::list("svmem", structures::svmem),
        Section::list("rings", structures::rings),
        Section::list("convert", convert::run),
        Section::list("bbox", scalar::bbox),
        Section::list("tri", scalar::tri),
        Section::list("rsv", lanes::run),
        Section::list("jobs", jobs::run),
    ],
};
