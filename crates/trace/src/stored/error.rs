//! Why a tracer was not written or read.

use std::path::PathBuf;

/// Why a tracer was not written to a file, or not read from one.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// It walks an image in place.
    #[error("this tracer walks an image in place, and only a prepared one can be saved")]
    InPlace,
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("this file does not begin as a saved tracer does")]
    NotATracer,
    /// The file comes from a machine with another byte order.
    #[error("the tracer was saved on a machine with another byte order: build it here again")]
    ByteOrder,
    /// The file comes from another version.
    #[error(
        "the tracer was saved in version {found} of its format, expected {expected}: build anew"
    )]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The file is shorter or longer than it says.
    #[error("the file has {found} bytes, but its header tells of {}", told(expected))]
    Length {
        /// Bytes of the file.
        found: u64,
        /// Bytes that its header tells of, if they can be counted.
        expected: Option<u64>,
    },
    /// Bytes have changed since it was written.
    #[error("the checksum of the {part} is wrong: the file is damaged")]
    Damaged {
        /// Where.
        part: &'static str,
    },
    /// What the file says makes no sense.
    #[error("the file holds no sound tracer: {what}")]
    Broken {
        /// What was found, and where.
        what: String,
    },
    /// The processor cannot run the kernel.
    #[error("this processor cannot run the kernel that was asked for")]
    Kernel,
}

impl StoredError {
    pub(super) fn broken(what: impl Into<String>) -> Self {
        Self::Broken { what: what.into() }
    }
}

fn told(bytes: &Option<u64>) -> String {
    bytes.map_or_else(|| "more than 2^64".to_owned(), |bytes| bytes.to_string())
}
